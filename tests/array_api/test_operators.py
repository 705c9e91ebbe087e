"""Operators of arrays: those that MXNet has not, and dtypes that MXNet has not."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as onp
import pytest

from hy_ndarray import (
    ArgumentError,
    AutogradError,
    DTypeError,
    NDArray,
    OperandError,
    ShapeError,
    array_api as xp,
    autograd,
    nd,
    np,
)

WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
Binary = Callable[[Any, Any], Any]
ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod)
BITS = (operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift)
COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)


@pytest.mark.parametrize("dtype", WHOLE)
@pytest.mark.parametrize("op", [*ARITHMETIC, *BITS, *COMPARISONS])
def test_operators_of_integers_give_numpys_results(op: Binary, dtype: str) -> None:
    a, b = onp.array([7, 90, 0, 5], dtype), onp.array([2, 3, 4, 5], dtype)
    x, y = xp.asarray(a), xp.asarray(b)
    for found, expected in ((op(x, y), op(a, b)), (op(x, 3), op(a, dtype_of(3, a)))):
        assert found.dtype == expected.dtype
        onp.testing.assert_array_equal(found.asnumpy(), expected)


def dtype_of(value: int, like: Any) -> Any:
    return like.dtype.type(value)


@pytest.mark.parametrize("op", [operator.floordiv, operator.lshift, operator.rshift])
def test_a_number_may_come_first(op: Binary) -> None:
    assert op(20, xp.asarray([1, 3])).tolist() == op(20, onp.array([1, 3])).tolist()


@pytest.mark.parametrize(
    "op", [operator.ifloordiv, operator.ilshift, operator.irshift, operator.imod, operator.iadd]
)
@pytest.mark.parametrize("dtype", ["int16", "uint32", "int64"])
def test_operators_write_in_place(op: Binary, dtype: str) -> None:
    x = xp.asarray([9, 4], dtype=getattr(xp, dtype))
    y = x
    x = op(x, 2)
    assert x is y
    assert (x.tolist(), x.dtype.name) == (op(onp.array([9, 4]), 2).tolist(), dtype)


@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_complex_numbers(op: Binary) -> None:
    a, b = onp.array([1 + 2j, -3j], "complex64"), onp.array([0.5, 2], "float32")
    x, y = xp.asarray(a), xp.asarray(b)
    for found, expected in (
        (op(x, x), op(a, a)),
        (op(x, y), op(a, b)),
        (op(y, 2j), op(b, onp.complex64(2j))),
    ):
        assert found.dtype == expected.dtype == "complex64"
        onp.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6)
    assert complex(x[0]) == 1 + 2j
    assert (abs(x).dtype, (x == x.copy()).tolist()) == (xp.float32, [True, True])


@pytest.mark.parametrize("name", ["mean", "round", "sign", "sum", "negative", "exp", "square"])
def test_functions_of_np_keep_imaginary_parts(name: str) -> None:
    a = onp.array([1 + 2j, -3j, 0.5], "complex64")
    found, expected = getattr(np, name)(np.array(a)), getattr(onp, name)(a)
    onp.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6)


def test_complex_arrays_have_no_gradients() -> None:
    with pytest.raises(AutogradError, match="of complex numbers cannot have a gradient"):
        np.array([1j]).attach_grad()


@pytest.mark.parametrize("op", COMPARISONS)
def test_different_dtypes_are_compared(op: Binary) -> None:
    x, y = xp.asarray([1, 2], dtype=xp.int8), xp.asarray([1, 300], dtype=xp.int32)
    assert op(x, y).tolist() == op(onp.array([1, 2]), onp.array([1, 300])).tolist()


def test_what_the_standard_refuses_stays_refused() -> None:
    x = xp.asarray([1.5])
    with pytest.raises(DTypeError, match="integers or booleans"):
        _ = x & x
    with pytest.raises(ShapeError):
        _ = xp.asarray([1, 2], dtype=xp.int8) + xp.asarray([1, 2, 3], dtype=xp.int16)
    with pytest.raises(DTypeError, match="bitwise_left_shift: not defined for float32"):
        _ = x << 1
    with pytest.raises(
        OperandError, match="floor_divide: operands must be arrays or numbers, got a list"
    ):
        _ = x // [1]


def test_large_integers_stay_exact() -> None:
    x = xp.asarray([2**60], dtype=xp.int64)
    assert (x + (2**60 + 1)).tolist() == [2**61 + 1]
    assert (x == 2**60 + 1).tolist() == [False]


@pytest.mark.parametrize("op", [operator.floordiv, *BITS])
def test_classic_arrays_have_the_operators(op: Binary) -> None:
    a, b = onp.array([9, 4], "int32"), onp.array([2, 3], "int32")
    x, y = nd.array(a, dtype="int32"), nd.array(b, dtype="int32")
    for found, expected in ((op(x, y), op(a, b)), (op(x, 2), op(a, 2)), (op(9, y), op(9, b))):
        assert type(found) is NDArray
        assert (found.asnumpy().tolist(), found.dtype) == (expected.tolist(), expected.dtype)


def test_classic_arrays_are_multiplied_and_written_in_place() -> None:
    x = nd.array([[1.0, 2.0], [3.0, 4.0]])
    x.attach_grad()
    with autograd.record():
        y = (x @ x).sum()
    y.backward()
    assert x.grad is not None
    assert x.grad.asnumpy().tolist() == [[7, 11], [9, 13]]
    assert (x[0] @ x[1]).asnumpy().tolist() == [11]
    same = x
    x //= 2
    x @= x
    assert x is same
    assert x.asnumpy().tolist() == [[1, 2], [2, 5]]
    assert (~nd.array([1], dtype="int32")).asnumpy().tolist() == [-2]
    with pytest.raises(TypeError):
        _ = x @ "a"


def test_numbers_are_formatted() -> None:
    assert format(nd.array([3.14159]), ".3f") == "3.142"
    with pytest.raises(ArgumentError, match="is not supported for an array"):
        format(nd.ones((2,)), ".3f")
    assert format(np.array(3.14159), ".3f") == "3.142"
    assert f"{xp.asarray(7, dtype=xp.uint16):04d}" == "0007"


def test_matrices_are_transposed_and_multiplied() -> None:
    a = onp.arange(12, dtype="int16").reshape(2, 2, 3)
    x = xp.asarray(a)
    onp.testing.assert_array_equal(x.mT.asnumpy(), a.mT)
    onp.testing.assert_array_equal((x @ x.mT).asnumpy(), a @ a.mT)
    x = xp.asarray(a[0, :, :2])
    x @= x
    onp.testing.assert_array_equal(x.asnumpy(), a[0, :, :2] @ a[0, :, :2])


def test_gradients_flow_through_operands_of_two_dtypes() -> None:
    x, y = np.array([2.0, 3.0]), np.array([4.0, 5.0], dtype="float64")
    x.attach_grad()
    with autograd.record():
        z = xp.sum(xp.sqrt(xp.multiply(x, y)))
    z.backward()
    assert x.grad is not None
    onp.testing.assert_allclose(x.grad.asnumpy(), onp.sqrt([2, 5 / 3]) / 2, rtol=1e-6)
