"""Functions of ``F.np`` with several results, and those that blocks call in graphs as on arrays.

Shapes, classes and gradients are those of MXNet 1.9.1.
"""

from collections.abc import Callable
from typing import Any

import pytest

from hy_gluon import HybridBlock
from hy_ndarray import ShapeError, autograd, cpu, nd, np, npx
from hy_symbol import sym
from hy_symbol.symbol.np_symbol import NumpySymbol


@pytest.fixture
def x() -> Any:
    return sym.var("x").as_np_ndarray()


class Traced(HybridBlock):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:
        return self.function(F, x, *args)


def hybridized(function: Callable[..., Any], *args: Any) -> Any:
    """What a hybridized block gives, which is what it gives before."""
    block = Traced(function)
    before = block(*args)
    block.hybridize()
    after = block(*args)
    for a, b in zip(_listed(before), _listed(after), strict=True):
        assert a.shape == b.shape
        assert a.asnumpy().tolist() == b.asnumpy().tolist()
    return after


def _listed(values: Any) -> list[Any]:
    return list(values) if isinstance(values, list | tuple) else [values]


@pytest.mark.parametrize(
    ("function", "count"),
    [
        (lambda x: sym.np.split(x, 2), 2),
        (lambda x: sym.np.split(x, 1), 1),
        (lambda x: sym.np.split(x, (1, 3)), 3),
        (lambda x: sym.np.split(x, {1, 3}), 3),
        (lambda x: sym.np.array_split(x, 3), 3),
        (lambda x: sym.np.hsplit(x, 2), 2),
        (lambda x: sym.np.vsplit(x, 1), 1),
        (lambda x: sym.np.dsplit(x, 1), 1),
        (lambda x: sym.np.histogram(x, 3, (0, 1)), 2),
        (lambda x: sym.np.atleast_2d(x, x), 2),
        (lambda x: sym.npx.topk(x, ret_typ="both"), 2),
    ],
)
def test_several_outputs_are_a_list_of_symbols(
    function: Callable[[Any], Any], count: int, x: NumpySymbol
) -> None:
    parts = function(x)
    assert type(parts) is list
    assert [type(part) for part in parts] == [NumpySymbol] * count
    assert type(parts[:1]) is list


def test_parts_are_chosen_and_joined_in_graphs_as_on_arrays() -> None:
    def last_row(F: Any, x: Any) -> Any:
        return F.np.split(x, 1)[0][:, -1, :]

    def inner(F: Any, x: Any) -> Any:
        return F.np.concatenate(F.np.split(x, 4, axis=1)[1:-1], axis=1)

    def behind(F: Any, x: Any) -> Any:
        return F.np.concatenate(F.np.hsplit(x, 4)[1:], axis=1)

    assert hybridized(last_row, np.ones((2, 3, 4))).shape == (2, 4)
    assert hybridized(inner, np.ones((2, 4))).shape == (2, 2)
    assert hybridized(behind, np.ones((2, 4))).shape == (2, 3)
    grouped = sym.Group(sym.np.split(sym.var("x").as_np_ndarray(), 2))
    assert len(grouped.list_outputs()) == 2


@pytest.mark.parametrize(
    ("size", "count", "sizes"),
    [(5, 3, [2, 2, 1]), (2, 4, [1, 1, 0, 0]), (4, 2, [2, 2])],
)
def test_parts_differ_by_one_where_they_must(size: int, count: int, sizes: list[int]) -> None:
    def parts(F: Any, x: Any) -> Any:
        return F.np.array_split(x, count)

    assert [part.shape for part in hybridized(parts, np.arange(size))] == [(n,) for n in sizes]
    assert [part.shape[1] for part in np.hsplit(np.ones((2, size)), count)] == sizes
    made = sym.Group(sym.np.split(sym.var("x").as_np_ndarray(), count))
    assert made.infer_shape(x=(size,))[1] == [(n,) for n in sizes]
    legacy = sym.split_v2(sym.var("x"), count)
    assert legacy.infer_shape(x=(size, 2))[1] == [(n, 2) for n in sizes]


def test_gradients_flow_into_unequal_parts() -> None:
    x = np.arange(5)
    x.attach_grad()
    with autograd.record():
        first, second, third = np.array_split(x, 3)
        y = first.sum() + 2 * second.sum() + 3 * third.sum()
    y.backward()
    assert x.grad is not None
    assert x.grad.asnumpy().tolist() == [1, 1, 2, 2, 3]


def test_arrays_that_cannot_be_divided_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\(4,\) cannot be divided into 3 equal parts"):
        np.split(np.arange(4), 3)
    with pytest.raises(ShapeError, match="equal parts"):
        nd.split_v2(nd.arange(4), 3)
    for function, least in ((np.vsplit, 2), (np.dsplit, 3)):
        with pytest.raises(ValueError, match=f"must have at least {least} axes"):
            function(np.arange(4), 1)


def test_functions_of_arrays_work_in_graphs() -> None:
    pair = hybridized(lambda F, *a: F.np.atleast_2d(*a), np.array(1.0), np.ones(2))
    assert [part.shape for part in pair] == [(1, 1), (1, 2)]
    assert hybridized(lambda F, x: F.np.atleast_3d(x), np.ones(2)).shape == (1, 2, 1)

    def filled(F: Any, x: Any) -> Any:
        return F.np.full_like(x, 3, dtype="float32", ctx=cpu())

    def unit(F: Any, x: Any) -> Any:
        return F.np.ones_like(x, ctx=cpu()) + F.np.zeros_like(x, ctx=cpu())

    assert hybridized(filled, np.ones(2, dtype="bool")).asnumpy().tolist() == [3, 3]
    assert hybridized(unit, np.array(1.0)).item() == 1


@pytest.mark.parametrize("axis", [0, -1])
def test_an_array_without_axes_is_reduced_in_graphs(axis: int) -> None:
    expected = {"sum": 3, "mean": 3, "prod": 3, "max": 3, "argmax": 0, "argmin": 0, "any": True}
    for name, value in expected.items():
        made = hybridized(lambda F, x, name=name: getattr(F.np, name)(x, axis=axis), np.array(3.0))
        assert (made.shape, made.item()) == ((), value)


def test_determinants_of_a_single_matrix_have_no_axes() -> None:
    matrix = np.array([[2.0, 0], [0, 3]])
    assert hybridized(lambda F, x: F.np.linalg.det(x), matrix).shape == ()
    sign, log = hybridized(lambda F, x: F.np.linalg.slogdet(x), matrix)
    assert (sign.shape, sign.item()) == ((), 1)
    assert log.shape == ()
    assert log.item() == pytest.approx(1.7918, abs=1e-4)
    assert nd.linalg.det(nd.array([[2, 0], [0, 3]])).shape == (1,)
    assert hybridized(lambda F, x: F.np.linalg.det(x), np.ones((3, 2, 2))).shape == (3,)
    assert npx.relu(matrix).shape == (2, 2)
