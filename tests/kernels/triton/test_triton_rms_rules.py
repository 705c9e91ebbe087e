"""Root mean square normalisation that a graph spells out is one kernel in prediction."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_gluon.block import HybridBlock
from hy_kernels.triton.runtime._launch import watched
from hy_ndarray import autograd, nd
from tests.kernels.triton.parity import DTYPES, TOLERANCES, on_table


def root(F: Any, x: Any, **how: Any) -> Any:
    how = {"axis": -1, "keepdims": True, **how}
    return F.rsqrt(F.mean(F.square(x), **how) + 1e-3)


def shared(F: Any, inverse: Any, x: Any, gamma: Any) -> Any:
    return F.broadcast_add(F.broadcast_mul(F.broadcast_mul(x, inverse), gamma), inverse)


FORMS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "as in papers": lambda F, x, g: F.broadcast_mul(F.broadcast_mul(x, root(F, x)), g),
    "gamma first": lambda F, x, g: F.broadcast_mul(g, F.broadcast_mul(root(F, x), x)),
    "axis by number": lambda F, x, g: F.broadcast_mul(F.broadcast_mul(x, root(F, x, axis=1)), g),
}
OTHERS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "of columns": lambda F, x, g: F.broadcast_mul(F.broadcast_mul(x, root(F, x, axis=0)), g),
    "of another": lambda F, x, g: F.broadcast_mul(F.broadcast_mul(x, root(F, F.exp(x))), g),
    "scaled by rows": lambda F, x, g: F.broadcast_mul(
        F.broadcast_mul(x, root(F, x)), F.reshape(F.slice_axis(g, axis=0, begin=0, end=5), (5, 1))
    ),
    "seen besides": lambda F, x, g: shared(F, root(F, x), x, g),
}


class Spelled(HybridBlock):
    """A form of it."""

    def __init__(self, form: Callable[[Any, Any, Any], Any]) -> None:
        super().__init__()
        self._form = form

    def hybrid_forward(self, F: Any, x: Any, gamma: Any) -> Any:
        return self._form(F, x, gamma)


def predicted(form: Callable[[Any, Any, Any], Any], *arrays: Any, dtype: str) -> Any:
    """Its result, and the names of what was launched."""
    block = Spelled(form)
    block.hybridize(static_alloc=True)
    with on_table("triton"):
        given = [nd.array(x, dtype=dtype) for x in arrays]
        for _ in range(3):  # the first ones run operator by operator
            block(*given)
        with watched() as launches:
            y = block(*given)
        wide = y.astype("float64").asnumpy()
    return wide, [each.name for each in launches]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("columns", [1, 127, 129, 5003])
def test_it_is_one_kernel(rng: np.random.Generator, form: str, dtype: str, columns: int) -> None:
    x, gamma = rng.normal(0, 2, (5, columns)), rng.normal(0, 1, columns)
    found, names = predicted(FORMS[form], x, gamma, dtype=dtype)
    assert names == (["normalize_rows"] if columns > 1 else ["fused"])  # one has no mean
    kept = [nd.array(each, dtype=dtype).astype("float64").asnumpy() for each in (x, gamma)]
    wanted = kept[0] / np.sqrt((kept[0] ** 2).mean(-1, keepdims=True) + 1e-3) * kept[1]
    rtol, atol, _ = TOLERANCES[dtype]
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=atol)


@pytest.mark.parametrize("form", OTHERS)
def test_what_is_something_else_stays_so(rng: np.random.Generator, form: str) -> None:
    x, gamma = rng.normal(0, 1, (5, 7)), rng.normal(0, 1, 7)
    found, names = predicted(OTHERS[form], x, gamma, dtype="float64")
    assert "normalize_rows" not in names
    eager = OTHERS[form](nd, *(nd.array(each, dtype="float64") for each in (x, gamma)))
    np.testing.assert_allclose(found, eager.asnumpy(), rtol=1e-10)


def test_the_gradient_finds_what_it_reads(rng: np.random.Generator) -> None:
    arrays = rng.normal(0, 1, (5, 7)), rng.normal(0, 1, 7)
    gradients = []
    for table in ("numpy", "triton"):
        block = Spelled(FORMS["as in papers"])
        block.hybridize()
        with on_table(table):
            x, gamma = (nd.array(each) for each in arrays)
            x.attach_grad()
            for _ in range(3):
                with autograd.record():
                    y = block(x, gamma)
                y.backward()
            assert x.grad is not None
            gradients.append(x.grad.asnumpy())
    np.testing.assert_allclose(gradients[1], gradients[0], rtol=1e-4, atol=1e-5)
