"""Casts between pointwise operators are in their kernel, and round as if they stood alone."""

from typing import Any

import numpy as np
import pytest

from hy_gluon.block import HybridBlock
from hy_kernels.triton.runtime._launch import watched
from hy_ndarray import autograd, nd
from tests.kernels.triton.parity import on_table


class Mixed(HybridBlock):
    """What mixed precision makes of a chain of operators."""

    def __init__(self, dtypes: tuple[str, str], total: bool = False) -> None:
        super().__init__()
        self._dtypes = dtypes
        self._total = total

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        y = F.cast(F.exp(x) * 1.7, dtype=self._dtypes[0]) * 2.3
        y = F.amp_cast(F.tanh(y * 0.1), dtype=self._dtypes[1]) * 0.7
        return F.sum(y, axis=-1) if self._total else y


DTYPES = [
    ("float32", "float16", "float32"),
    ("float32", "bfloat16", "float32"),
    ("float16", "float32", "float16"),
    ("bfloat16", "float32", "bfloat16"),
    ("float16", "bfloat16", "float64"),
    ("float64", "float16", "bfloat16"),
]


def run(block: HybridBlock, values: Any, dtype: str) -> tuple[Any, list[str]]:
    """The result in float64, and the names of launches."""
    with on_table("triton"):
        x = nd.array(values, dtype=dtype)
        for _ in range(3):  # the first ones run operator by operator
            block(x)
        with watched() as launches:
            y = block(x)
        return y.astype("float64").asnumpy(), [each.name for each in launches]


@pytest.mark.parametrize("dtypes", DTYPES, ids="-".join)
def test_a_chain_with_casts_is_one_launch_of_the_same_bits(
    rng: np.random.Generator, dtypes: tuple[str, str, str]
) -> None:
    values = rng.normal(0, 1, (5, 41))
    alone, several = run(Mixed(dtypes[1:]), values, dtypes[0])
    block = Mixed(dtypes[1:])
    block.hybridize(static_alloc=True)
    fused, one = run(block, values, dtypes[0])
    assert len(several) == 8
    assert one == ["fused"]
    np.testing.assert_array_equal(fused, alone)


def test_a_sum_behind_casts_is_in_their_launch(rng: np.random.Generator) -> None:
    values = rng.normal(0, 1, (5, 41))
    alone, _ = run(Mixed(("float16", "float32"), total=True), values, "float32")
    block = Mixed(("float16", "float32"), total=True)
    block.hybridize(static_alloc=True)
    fused, one = run(block, values, "float32")
    assert one == ["fused"]
    np.testing.assert_allclose(fused, alone, rtol=1e-6)


def test_gradients_through_casts_are_those_of_single_operators(rng: np.random.Generator) -> None:
    values, found = rng.normal(0, 1, (5, 41)), []
    for hybrid in (False, True):
        block = Mixed(("float16", "float32"))
        block.hybridize(hybrid)
        with on_table("triton"):
            x = nd.array(values)
            x.attach_grad()
            for _ in range(3):
                with autograd.record():
                    y = block(x)
                y.backward()
            assert x.grad is not None
            found.append(x.grad.asnumpy())
    # 1 - tanh² of float16 has few digits, and steps of one dtype are rounded once, at their end
    np.testing.assert_allclose(found[1], found[0], rtol=2e-3, atol=2e-3)
