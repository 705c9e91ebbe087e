"""einops computes with arrays of both front ends as with numpy's, and gradients flow through."""

from typing import Any

import numpy as onp
import pytest
from einops import einsum, pack, rearrange, reduce, repeat

import hy_ndarray.einops_backend  # noqa: F401  # which is what is tested
from hy_ndarray import NDArray, autograd, nd, np

VALUES = onp.arange(24, dtype=onp.float32).reshape(2, 3, 4) - 7


def made(kind: str, values: Any = VALUES) -> NDArray:
    found: NDArray = np.array(values, dtype=values.dtype) if kind == "np" else nd.array(values)
    return found


@pytest.mark.parametrize("kind", ["nd", "np"])
@pytest.mark.parametrize(
    "call",
    [
        lambda x: rearrange(x, "a b c -> c (a b)"),
        lambda x: rearrange(x, "a b (c d) -> a c b d", d=2),
        lambda x: rearrange([x, x], "n a b c -> a (n b) c"),
        lambda x: repeat(x, "a b c -> a (b r) c n", r=2, n=3),
        lambda x: pack([x, x[:, :, :2]], "a b *")[0],
        lambda x: einsum(x, x, "a b c, a d c -> a b d"),
        *(lambda x, how=how: reduce(x, "a b c -> b", how) for how in ("min", "max", "sum")),
        *(lambda x, how=how: reduce(x, "a b c -> b c", how) for how in ("mean", "prod")),
    ],
)
def test_results_are_numpy_s(kind: str, call: Any) -> None:
    found = call(made(kind))
    assert isinstance(found, np.ndarray) == (kind == "np")
    onp.testing.assert_allclose(found.asnumpy(), call(VALUES), rtol=1e-6)


@pytest.mark.parametrize("kind", ["nd", "np"])
@pytest.mark.parametrize("how", ["any", "all"])
def test_truths_are_reduced(kind: str, how: str) -> None:
    values = VALUES > 3
    found = reduce(
        made(kind, values if kind == "np" else values.astype("float32")), "a b c -> b", how
    )
    onp.testing.assert_array_equal(found.asnumpy(), reduce(values, "a b c -> b", how))


def test_gradients_flow_through() -> None:
    x = made("np")
    x.attach_grad()
    with autograd.record():
        y = reduce(rearrange(x, "a b c -> (a b) c") ** 2, "r c -> ", "sum")
    y.backward()
    assert x.grad is not None
    onp.testing.assert_allclose(x.grad.asnumpy(), 2 * VALUES)
