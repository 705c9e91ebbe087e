"""np's functions of the array standard: numpy's values, gradients, and symbols."""

from collections.abc import Callable
from typing import Any

import numpy as onp
import pytest

from hy_ndarray import ArgumentError, ShapeError, autograd, np
from hy_symbol import sym

A = onp.array([[3.0, 1.0, 3.0], [2.0, 1.0, 0.5]], "float32")
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "kron": lambda f, x: f.kron(x, x),
    "kron of fewer axes": lambda f, x: f.kron(x[0], x),
    "kron of one value": lambda f, x: f.kron(x, f.sum(x)),
    "vecdot": lambda f, x: f.vecdot(x, x),
    "vecdot along the first": lambda f, x: f.vecdot(x, x[:, 0], axis=0),
    "matrix_transpose": lambda f, x: f.matrix_transpose(x),
    "cumulative_sum": lambda f, x: f.cumulative_sum(x, axis=1),
    "cumulative_sum from 0": lambda f, x: f.cumulative_sum(x, axis=-2, include_initial=True),
    "cumulative_sum of a vector": lambda f, x: f.cumulative_sum(x[0]),
    "astype": lambda f, x: f.astype(x, "float64"),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_are_numpys(name: str) -> None:
    found = CALLS[name](np, np.array(A))
    wanted = CALLS[name](onp, A)
    assert found.dtype == wanted.dtype
    onp.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-6)


@pytest.mark.parametrize("name", [name for name in CALLS if name != "astype"])
def test_gradients_flow(name: str) -> None:
    x: Any = np.array(A, dtype="float64")
    x.attach_grad()
    with autograd.record():
        y = (CALLS[name](np, x) ** 2).sum()
    y.backward()
    step = 1e-6 * onp.ones_like(A, dtype="float64")
    moved = [(CALLS[name](onp, A + s) ** 2).sum() for s in (step, -step)]
    onp.testing.assert_allclose(x.grad.sum().item(), (moved[0] - moved[1]) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize("name", ["unique_values", "unique_counts", "unique_inverse", "unique_all"])
def test_different_elements_are_numpys(name: str) -> None:
    found, wanted = getattr(np, name)(np.array(A)), getattr(onp, name)(A)
    if name == "unique_values":
        found, wanted = (found,), (wanted,)
    else:
        assert found._fields == wanted._fields
    for x, y in zip(found, wanted, strict=True):
        assert x.asnumpy().tolist() == y.tolist()


@pytest.mark.parametrize("k", [-1, 0, 1])
def test_tri_is_numpys(k: int) -> None:
    assert np.tri(2, 3, k).asnumpy().tolist() == onp.tri(2, 3, k).tolist()
    assert np.tri(3, k=k, dtype="int32").dtype == "int32"
    assert sym.np.tri(2, 3, k).eval()[0].asnumpy().tolist() == onp.tri(2, 3, k).tolist()


def test_they_add_nodes_to_graphs() -> None:
    x = sym.var("x").as_np_ndarray()
    y = sym.np.vecdot(sym.np.matrix_transpose(x), sym.np.matrix_transpose(x))
    found = y.eval(x=np.array(A))[0]
    onp.testing.assert_allclose(found.asnumpy(), (A * A).sum(0), rtol=1e-6)


def test_arguments_that_say_too_little_are_refused() -> None:
    with pytest.raises(ArgumentError, match="axis is required"):
        np.cumulative_sum(np.array(A))
    numpys: Any = A
    with pytest.raises(ArgumentError, match="kron: operands must be arrays"):
        np.kron(numpys, np.array(A))
    with pytest.raises(ArgumentError, match="astype: x must be an array"):
        np.astype(numpys, "float64")
    with pytest.raises(ShapeError):
        np.vecdot(np.array(A), np.array(A[0:1]), axis=0)


PRODUCTS: list[tuple[Any, dict[str, Any]]] = [
    (A, {"axis": -1}),
    (A[0], {}),
    (A, {"axis": 0, "dtype": "float64"}),
]


@pytest.mark.parametrize("include_initial", [False, True])
def test_products_up_to_each_element_are_numpys(include_initial: bool) -> None:
    for x, options in PRODUCTS:
        found: Any = np.cumulative_prod(np.array(x), include_initial=include_initial, **options)
        wanted = onp.cumprod(x, axis=options.get("axis", 0), dtype=options.get("dtype"))
        if include_initial:
            wanted = onp.insert(wanted, 0, 1, axis=options.get("axis", 0))
        assert found.dtype == wanted.dtype
        onp.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-6)
    with pytest.raises(ArgumentError, match="axis is required"):
        np.cumulative_prod(np.array(A))


@pytest.mark.parametrize(("function", "first"), [(np.cumulative_sum, 0), (np.cumulative_prod, 1)])
def test_nothing_accumulates_to_the_initial_value(function: Any, first: int) -> None:
    assert function(np.zeros((0,)), include_initial=True).tolist() == [first]
    assert function(np.zeros((2, 0)), axis=1, include_initial=True).tolist() == [[first]] * 2
