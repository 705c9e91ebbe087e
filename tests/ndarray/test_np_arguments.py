"""Arguments of ``mx.np`` that MXNet 1.9.1 refuses: the classes that programs catch there."""

from collections.abc import Callable
from typing import Any

import numpy as onp
import pytest

from hy_ndarray import (
    ArgumentError,
    HyError,
    OperandError,
    SymbolOperandError,
    UnsupportedError,
    nd,
    np,
    npx,
)
from hy_symbol import NotForSymbolError, sym


@pytest.fixture
def v() -> np.ndarray:
    return np.array([0.5, 0.25])


OPTIONS: dict[str, Any] = {"where": False, "dtype": "int8", "casting": "safe", "order": "F"}


@pytest.mark.parametrize("option", OPTIONS)
def test_options_of_functions_of_each_element_are_not_implemented(
    option: str, v: np.ndarray
) -> None:
    words = f"{option}={OPTIONS[option]!r} is not supported"
    functions: list[Callable[..., Any]] = [np.sin, np.exp, np.isnan, np.logical_not, np.fabs]
    for function in functions:
        with pytest.raises(NotImplementedError, match=words):
            function(v, **{option: OPTIONS[option]})
    pairs: list[Callable[..., Any]] = [np.add, np.maximum, np.mod, np.hypot, np.copysign]
    for pair in pairs:
        with pytest.raises(NotImplementedError, match=words):
            pair(v, v, **{option: OPTIONS[option]})


def test_other_orders_and_options_are_not_implemented(v: np.ndarray) -> None:
    a = np.ones((2, 2))
    calls: list[Callable[[], Any]] = [
        lambda: np.add(v, v, subok=False),
        lambda: np.empty((2, 2), "float32", "F"),
        lambda: np.zeros((2, 2), order="F"),
        lambda: np.ones((2, 2), order="F"),
        lambda: np.full((2, 2), 1, order="F"),
        lambda: np.full_like(a, 1, order="F"),
        lambda: np.empty_like(a, subok=True),
        lambda: np.eye(2, order="F"),
        lambda: a.reshape((4,), order="F"),
        lambda: a.flatten(order="F"),
        lambda: a.copy(order="F"),
        lambda: np.ravel(a, order="F"),
        lambda: np.sort(v, order="x"),
        lambda: np.diff(v, prepend=1),
        lambda: np.take(v, np.array([0]), mode="other"),
        lambda: np.percentile(v, 50, overwrite_input=True),
        lambda: np.histogram(v, 3, (0, 1), density=True),
        lambda: np.linspace(0, 1, axis=1),
        lambda: np.unravel_index(np.array([1], dtype="int32"), (3, 4), order="F"),
    ]
    for call in calls:
        with pytest.raises(UnsupportedError) as caught:
            call()
        assert isinstance(caught.value, NotImplementedError | ArgumentError)


def test_what_is_no_array_is_an_assertion_error_too() -> None:
    numbers: Any = [1.0]
    host: Any = onp.ones(2)
    array: Any = nd.ones((2,))
    calls: list[Callable[[], Any]] = [
        lambda: np.mean(numbers),
        lambda: np.sum(host),
        lambda: np.dot(numbers, numbers),
        lambda: np.stack([numbers, numbers]),
        lambda: np.clip(numbers, 0, 1),
        lambda: np.linalg.det(numbers),
        lambda: np.where(numbers),
        lambda: npx.relu(numbers),
        lambda: nd.sum(numbers),
        lambda: nd.FullyConnected(nd.ones((1, 1)), numbers, no_bias=True, num_hidden=1),
        lambda: sym.np.sum(numbers),
        lambda: sym.sum(numbers),
        lambda: sym.relu(array),
    ]
    for call in calls:
        with pytest.raises(AssertionError) as caught:
            call()
        assert isinstance(caught.value, OperandError)
    assert issubclass(SymbolOperandError, AssertionError)
    with pytest.raises(NotForSymbolError):  # by which a trace tells that it is to blame
        sym.relu(array)


def test_numbers_are_taken_where_mxnet_takes_them() -> None:
    assert np.clip(3, 0, 2) == 2
    assert np.clip(2.5, None, 1) == 1
    assert np.ravel(2.5).tolist() == [2.5]
    assert np.flip(2.5) == 2.5
    assert np.broadcast_to(2.5, (2, 2)).asnumpy().tolist() == [[2.5, 2.5], [2.5, 2.5]]
    assert np.broadcast_to(True, (2,)).dtype == onp.bool_
    spread = sym.np.broadcast_to(2.5, (2, 2)) + sym.var("x").as_np_ndarray()
    assert spread.eval(x=np.zeros((2, 2)))[0].asnumpy().tolist() == [[2.5, 2.5], [2.5, 2.5]]


def test_a_format_is_for_arrays_without_axes() -> None:
    assert f"{np.array(3.5):.2f}" == "3.50"
    assert f"{np.array([3.5])}" == "[3.5]"
    with pytest.raises(TypeError, match=r"'\.2f' is not supported for an array \(1,\)"):
        format(np.array([3.5]), ".2f")


@pytest.mark.parametrize("dtype", ["int32", "int64", "int8"])
def test_coordinates_have_the_dtype_of_the_indices(dtype: str) -> None:
    rows, columns = np.unravel_index(np.array([3, 5], dtype=dtype), (3, 4))
    assert rows.asnumpy().tolist() == [0, 1]
    assert columns.asnumpy().tolist() == [3, 1]
    assert rows.dtype == columns.dtype == dtype
    single = np.unravel_index(np.array(3, dtype=dtype), (3, 4))
    assert [(x.shape, x.item(), x.dtype) for x in single] == [((), 0, dtype), ((), 3, dtype)]
    made = sym.np.unravel_index(sym.var("x").as_np_ndarray(), (3, 4))
    assert onp.dtype(made.eval(x=np.array([3], dtype=dtype))[0].dtype) == dtype


def test_indices_outside_and_numbers_of_other_kinds_are_errors_of_hy() -> None:
    for indices in (np.array([30], dtype="int32"), np.array([3.0])):
        with pytest.raises(HyError, match="unravel_index"):
            np.unravel_index(indices, (3, 4))
    assert np.unravel_index(3, (3, 4)) == (0, 3)


def test_an_array_without_axes_has_one_place_where_it_is_not_zero() -> None:
    assert [x.asnumpy().tolist() for x in np.nonzero(np.array(3.0))] == [[0]]
    assert [x.asnumpy().tolist() for x in np.where(np.array(0.0))] == [[]]
    assert npx.nonzero(np.array(3.0)).asnumpy().tolist() == [[0]]


def test_reductions_hand_on_what_they_do_not_know(v: np.ndarray) -> None:
    for function in (np.sum, np.prod, np.max, np.min, np.all, np.any, np.cumsum):
        with pytest.raises(HyError, match="'where'"):
            function(v, where=v)
        assert function(v, name="total").shape == function(v).shape


@pytest.mark.parametrize("dtype", ["int32", "int8"])
def test_eigenvalues_of_integers_are_float64(dtype: str) -> None:
    matrix = np.array([[2, 0], [0, 1]], dtype=dtype)
    for single in (np.linalg.eigvals, np.linalg.eigvalsh):
        assert single(matrix).dtype == onp.float64
    for pair in (np.linalg.eig, np.linalg.eigh):
        assert [x.dtype for x in pair(matrix)] == [onp.float64] * 2
    if dtype == "int32":
        assert sorted(np.linalg.eigvals(matrix).asnumpy().tolist()) == [1, 2]
    made = sym.np.linalg.eigvalsh(sym.var("x").as_np_ndarray())
    assert made.infer_type(x=dtype)[1] == [onp.float64]


@pytest.mark.parametrize("mean", ["float16", "float32", "float64"])
def test_vectors_of_a_normal_distribution_have_the_dtype_of_the_mean(mean: str) -> None:
    for cov in ("float16", "float32", "float64"):
        drawn = np.random.multivariate_normal(np.zeros(2, dtype=mean), np.eye(2, dtype=cov), 3)
        assert (drawn.dtype, drawn.shape) == (onp.dtype(mean), (3, 2))
