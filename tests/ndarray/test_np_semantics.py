"""``mx.np.ndarray`` behaves as MXNet 1.9.1's: numbers, dtypes and texts below are its own."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as onp
import pytest

from hy_ndarray import (
    ArgumentError,
    AutogradError,
    DTypeError,
    NDArray,
    ShapeError,
    autograd,
    is_np_array,
    is_np_shape,
    nd,
    np,
    npx,
)
from hy_ndarray.core import semantics
from hy_symbol import sym


@pytest.fixture
def x() -> np.ndarray:
    return np.array([[1, 2], [3, 4]])


# --- semantics --------------------------------------------------------------------------------


@pytest.fixture
def legacy() -> Iterator[None]:
    semantics.reset_np()
    yield
    semantics.reset_np()


@pytest.mark.usefixtures("legacy")
def test_set_np_chooses_shapes_and_arrays() -> None:
    assert (is_np_shape(), is_np_array()) == (False, False)
    npx.set_np()
    assert (is_np_shape(), is_np_array()) == (True, True)
    npx.set_np(shape=True, array=False)
    assert (is_np_shape(), is_np_array()) == (True, False)
    npx.reset_np()
    assert (is_np_shape(), is_np_array()) == (False, False)
    with pytest.raises(ArgumentError, match="array=True needs shape=True"):
        npx.set_np(shape=False, array=True)


@pytest.mark.usefixtures("legacy")
def test_scopes_and_decorators_end() -> None:
    with semantics.np_shape(), semantics.np_array():
        assert (is_np_shape(), is_np_array()) == (True, True)
    assert (is_np_shape(), is_np_array()) == (False, False)

    @semantics.use_np
    class Block:
        def semantics(self) -> tuple[bool, bool]:
            return is_np_shape(), is_np_array()

    assert Block().semantics() == (True, True)
    assert (is_np_shape(), is_np_array()) == (False, False)


# --- text, dtype, values ----------------------------------------------------------------------


def test_the_text_is_numpys_without_float32(x: np.ndarray) -> None:
    assert repr(x) == "array([[1., 2.],\n       [3., 4.]])"
    assert str(x) == "[[1. 2.]\n [3. 4.]]"
    assert repr(np.array(3)) == "array(3.)"
    assert repr(np.zeros((0, 2))) == "array([], shape=(0, 2))"
    assert repr(np.array([1, 2], dtype="int32")) == "array([1, 2], dtype=int32)"
    assert repr(np.array([1, 2], dtype="int64")) == "array([1, 2], dtype=int64)"
    assert f"{np.array(2.5):.2f}" == "2.50"


def test_values_are_float32_but_those_of_arrays() -> None:
    assert np.array([1, 2]).dtype == onp.float32
    assert np.array([True]).dtype == onp.float32
    assert np.array(onp.array([1, 2])).dtype == onp.int64
    assert np.array(onp.array([1.0])).dtype == onp.float64
    assert np.array(np.array([1], dtype="int8")).dtype == onp.int8
    assert np.array([np.ones(2), np.zeros(2)]).shape == (2, 2)
    assert math.isnan(np.array(None).item())


def test_dtype_is_numpys(x: np.ndarray) -> None:
    assert x.dtype == onp.dtype("float32")
    assert isinstance(x.dtype, onp.dtype)


def test_an_element_has_no_axes(x: np.ndarray) -> None:
    assert x[0, 1].shape == ()
    assert x.sum().shape == ()
    assert x[0, 1].item() == 2.0
    assert (x.item(0), x.item((1, 0))) == (1.0, 3.0)
    with pytest.raises(ShapeError, match="has 4 elements, not 1"):
        x.item()
    assert np.ones(()).tolist() == 1.0


def test_truth_is_of_a_single_element(x: np.ndarray) -> None:
    assert np.array(2)
    assert not np.array([])
    with pytest.raises(ShapeError, match="ambiguous"):
        bool(x)


# --- arithmetic -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        ("float16", "float32", "float32"),
        ("float16", "int64", "float16"),
        ("float32", "bool", "float32"),
        ("int8", "int32", "int32"),
        ("uint8", "int32", "int32"),
        ("bool", "uint8", "uint8"),
    ],
)
def test_mixed_dtypes_meet_in_the_wider_one(left: str, right: str, result: str) -> None:
    a, b = np.ones(2, dtype=left), np.ones(2, dtype=right)
    assert (a + b).dtype == (b + a).dtype == result
    assert (a * b).dtype == (b**a).dtype == result


def test_int8_and_uint8_meet_in_int16_but_in_graphs_in_no_dtype() -> None:
    x, y = np.ones(2, dtype="int8"), np.full(2, 255, dtype="uint8")
    assert ((x + y).dtype.name, (x + y).tolist()) == ("int16", [256, 256])
    total = sym.np.add(sym.var("x").as_np_ndarray(), sym.var("y").as_np_ndarray())
    with pytest.raises(DTypeError, match="no dtype of MXNet holds both int8 and uint8"):
        total.infer_type(x="int8", y="uint8")


def test_quotients_of_integers_are_float32() -> None:
    ints = np.array([1, 2, 3], dtype="int32")
    assert ((ints / 2).dtype, (ints / ints).dtype) == (onp.dtype("f4"),) * 2
    assert (ints / 2).tolist() == [0.5, 1.0, 1.5]
    assert (2 / ints).dtype == onp.float32


def test_remainders_that_are_0_have_the_sign_of_the_divisor() -> None:
    x = np.array([-0.0, 0.0, 4.0, -4.0]) % np.array([3.0, -3.0, 4.0, 4.0])
    assert onp.signbit(x.asnumpy()).tolist() == [False, True, False, False]


def test_comparisons_give_booleans(x: np.ndarray) -> None:
    assert (x > 2).dtype == onp.bool_
    assert (x > 2).tolist() == [[False, False], [True, True]]
    assert np.less(2, x).tolist() == [[False, False], [True, True]]
    assert (x == x.T).tolist() == [[True, False], [False, True]]
    assert (x != x).any().item() is False  # noqa: PLR0124  # elements are compared


def test_numbers_stand_on_either_side(x: np.ndarray) -> None:
    assert (1 - x).tolist() == [[0, -1], [-2, -3]]
    assert (2**x).tolist() == [[2, 4], [8, 16]]
    assert (7 % x).tolist() == [[0, 1], [1, 3]]
    assert (x @ x).tolist() == [[7, 10], [15, 22]]
    assert (-x).sum().item() == -10
    assert (~(x > 2)).sum().item() == 2


def test_integers_and_fractions_give_float64() -> None:
    total = np.array([1, 2], dtype="int32") + 0.5
    assert (total.tolist(), total.dtype) == ([1.5, 2.5], onp.dtype("f8"))


def test_other_objects_are_refused(x: np.ndarray) -> None:
    classic: Any = nd.ones(2)
    numbers: Any = [1, 2]
    with pytest.raises(
        ArgumentError, match=r"add: operands must be arrays of mx.np or numbers, got a list"
    ):
        np.add(x, [1, 2])
    with pytest.raises(ArgumentError, match="got a numpy array"):
        x + onp.ones((2, 2))
    with pytest.raises(ArgumentError, match="as_np_ndarray"):
        np.sin(classic)
    with pytest.raises(ArgumentError, match=r"sum: operands must be arrays of mx.np, got a list"):
        np.sum(numbers)


def test_an_array_is_changed_in_place(x: np.ndarray) -> None:
    same = x
    x += 1
    x *= x
    assert same.tolist() == [[4, 9], [16, 25]]
    flags = x > 5
    flags &= x < 20
    assert flags.tolist() == [[False, True], [True, False]]


# --- indexing ---------------------------------------------------------------------------------


def test_indexing_is_numpys(x: np.ndarray) -> None:
    assert x[0].tolist() == [1, 2]
    assert x[:, 1].tolist() == [2, 4]
    assert x[None].shape == (1, 2, 2)
    assert x[[0, 1], [1, 0]].tolist() == [2, 3]
    assert x[x > 2].tolist() == [3, 4]
    assert x[...].shape == (2, 2)
    assert np.array(5)[()].item() == 5
    assert x[np.array([1, 0])].tolist() == [[3, 4], [1, 2]]


def test_parts_are_written_to(x: np.ndarray) -> None:
    x[0, 0] = 9
    x[:, 1] = np.array([7, 8])
    x[x == 3] = -1
    assert x.tolist() == [[9, 7], [-1, 8]]
    number = np.array(1)
    number[()] = 4
    assert number.item() == 4


# --- gradients and the other class ------------------------------------------------------------


def test_gradients_flow_through_mixed_dtypes() -> None:
    a, b = np.array([1, 2], dtype="float16"), np.array([3, 4])
    a.attach_grad()
    b.attach_grad()
    with autograd.record():
        y = (a * b).sum()
    y.backward()
    assert isinstance(a.grad, np.ndarray)
    assert isinstance(b.grad, np.ndarray)
    assert (a.grad.dtype, b.grad.dtype) == (onp.dtype("float16"), onp.dtype("float32"))
    assert (a.grad.tolist(), b.grad.tolist()) == ([3, 4], [1, 2])


def test_both_classes_share_memory_and_gradients() -> None:
    legacy = nd.array([1, 2])
    legacy.attach_grad()
    with autograd.record():
        array = legacy.as_np_ndarray()
        loss = (array**2).sum().as_nd_ndarray()
    loss.backward()
    assert type(loss) is NDArray
    assert legacy.grad is not None
    assert legacy.grad.asnumpy().tolist() == [2, 4]
    array[0] = 7
    assert legacy.asnumpy().tolist() == [7, 2]
    assert array.as_np_ndarray() is array


def test_numpys_functions_run_here(x: np.ndarray) -> None:
    assert isinstance(onp.sum(x), np.ndarray)
    assert onp.add(x, x).tolist() == [[2, 4], [6, 8]]
    assert onp.concatenate([x, x]).shape == (4, 2)
    assert onp.add(x, onp.ones((2, 2))).tolist() == [[2, 3], [4, 5]]


def test_numpy_computes_what_is_not_there(x: Any) -> None:
    # MXNet 1.9.1's answers: arrays for arrays, numpy's numbers for numbers
    assert onp.median(x) == 2.5
    assert isinstance(onp.median(x, axis=0), np.ndarray)
    assert onp.median(x, axis=0).tolist() == [2, 3]
    assert [part.tolist() for part in onp.gradient(x)] == [[[2, 2], [2, 2]], [[1, 1], [1, 1]]]
    assert onp.floor_divide(x, 2).tolist() == [[0, 1], [1, 2]]
    assert isinstance(onp.logical_and(x, x), np.ndarray)
    x.attach_grad()
    with autograd.record(), pytest.raises(AutogradError, match="median is computed by numpy"):
        onp.median(x)


def test_numpy_does_not_write_into_copies(x: Any) -> None:
    calls: list[Any] = [
        lambda: onp.fill_diagonal(x, 0),
        lambda: onp.copyto(x, 0),
        lambda: onp.add.at(x, 0, 1),
    ]
    for call in calls:
        with pytest.raises(TypeError):
            call()
    assert x.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("reps", [(0, 1), (0,), (2, 0)])
def test_tile_leaves_nothing_under_np_shape_alone(reps: tuple[int, ...]) -> None:
    x = nd.ones((2, 2))
    for _ in range(2):  # what is said twice is not read anew
        with pytest.raises(ShapeError, match="would be empty"):
            x.tile(reps)
        with pytest.raises(ShapeError, match="would be empty"):
            nd.tile(x, reps=reps)
        with npx.np_shape(True):
            assert 0 in x.tile(reps).shape
            assert 0 in nd.tile(x, reps=reps).shape


@pytest.mark.parametrize(
    ("left", "right"),
    [
        *(("float32", "int64"), ("int32", "int64"), ("float32", "float64"), ("float16", "float32")),
        *(("bool", "int32"), ("float32", "bool"), ("uint8", "int8")),
    ],
)
def test_numbers_of_two_dtypes_compare_as_in_mxnet_2(left: str, right: str) -> None:
    a, b = np.array([0, 1, 1], dtype=left), np.array([[1], [0]], dtype=right)
    assert np.less(a, b).tolist() == [[True, False, False], [False, False, False]]
    assert np.equal(a, b).tolist() == [[False, True, True], [True, False, False]]
    assert (a >= b).tolist() == [[False, True, True], [True, True, True]]
    assert (a != b).dtype == np.bool_


def test_values_compare_that_only_one_dtype_has() -> None:
    whole = np.array([2**24 + 1], dtype="int64")
    assert not np.less(whole, np.array([2**24 + 1], dtype="float32")).asscalar()
    assert np.array([0.1]) != np.array([0.1], dtype="float64")
