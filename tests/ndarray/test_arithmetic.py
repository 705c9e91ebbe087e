"""Python's operators on arrays, and the functions of ``nd`` that broadcast two operands."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_ndarray import (
    ArgumentError,
    AutogradError,
    ContextError,
    DTypeError,
    ShapeError,
    autograd,
    gpu,
    nd,
    use_kernels,
)
from tests.kernels.tiny_table import TinyTable

A = np.array([[0.5, 1.5, 2.5], [3.0, 2.0, 1.0]], dtype="float32")
B = np.array([[1.5], [2.0]], dtype="float32")

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "modulo": operator.mod,
    "power": operator.pow,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "lesser": operator.lt,
    "lesser_equal": operator.le,
}
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    **BINARY,
    "true_divide": operator.truediv,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}


@pytest.mark.parametrize("name", BINARY)
def test_operators_broadcast_arrays_and_take_numbers(name: str) -> None:
    compute, x, y = BINARY[name], nd.array(A), nd.array(B)
    for actual, expected in [
        (compute(x, y), compute(A, B)),
        (compute(x, 1.5), compute(A, np.float32(1.5))),
        (compute(1.5, x), compute(np.float32(1.5), A)),
        (compute(x, True), compute(A, np.float32(1))),
        (compute(np.float64(2), x), compute(np.float32(2), A)),
    ]:
        assert actual.dtype is np.float32
        np.testing.assert_allclose(actual.asnumpy(), expected.astype("float32"), rtol=1e-6)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_take_an_array_or_a_number_on_either_side(name: str) -> None:
    function, compute = getattr(nd, name), FUNCTIONS[name]
    x, y = nd.array(A), nd.array(B)
    for actual, expected in [
        (function(x, y), compute(A, B)),
        (function(x, 2), compute(A, np.float32(2))),
        (function(2, x), compute(np.float32(2), A)),
    ]:
        np.testing.assert_allclose(actual.asnumpy(), expected.astype("float32"), rtol=1e-6)
    assert float(function(5, 2)) == float(compute(5, 2))


def test_unary_operators() -> None:
    x = nd.array([-1, 2])
    assert (-x).tolist() == [1, -2]
    assert abs(x).tolist() == [1, 2]


# Results of MXNet 1.9.1 on the array [1, 2, 3] of each dtype.
WITH_NUMBERS: dict[str, list[tuple[Callable[[Any], Any], list[float]]]] = {
    "int32": [
        (lambda x: x + 1.5, [2, 3, 4]),
        (lambda x: x * 2.5, [2, 4, 6]),
        (lambda x: x / 2, [0, 1, 1]),
        (lambda x: 2 / x, [2, 1, 0]),
        (lambda x: x**-1, [1, 0, 0]),
        (lambda x: x % 2, [1, 0, 1]),
        (lambda x: 0.5 - x, [-1, -2, -3]),
        (lambda x: x > 1, [0, 1, 1]),
        (lambda x: x == 1.5, [1, 0, 0]),
        (lambda x: -x, [-1, -2, -3]),
    ],
    "uint8": [(lambda x: x - 5, [252, 253, 254]), (lambda x: x + 300, [45, 46, 47])],
    "float16": [(lambda x: x + 1e-4, [1, 2, 3]), (lambda x: x + 100000, [np.inf] * 3)],
}


@pytest.mark.filterwarnings("ignore:overflow")  # float16 becomes inf; pytest makes it an error
@pytest.mark.parametrize("dtype", WITH_NUMBERS)
def test_a_number_takes_the_dtype_of_the_array(dtype: str) -> None:
    x = nd.array([1, 2, 3], dtype=dtype)
    for compute, expected in WITH_NUMBERS[dtype]:
        result = compute(x)
        assert result.dtype is x.dtype
        np.testing.assert_array_equal(result.asnumpy(), np.array(expected, dtype))


class GpuTable(TinyTable):
    device_types = ("gpu",)


def test_operands_have_one_dtype_and_one_device() -> None:
    x = nd.array([1, 2])
    with pytest.raises(DTypeError, match=r"one dtype, got lhs \(2,\) float32, rhs \(2,\) int32"):
        x + nd.array([1, 2], dtype="int32")
    message = r"different devices \(cpu\(0\), gpu\(0\)\)"
    with use_kernels(GpuTable(), device="gpu"), pytest.raises(ContextError, match=message):
        x + nd.array([1, 2], gpu(0))
    with pytest.raises(ShapeError, match=r"\(2,\) and \(3,\) cannot be broadcast"):
        x + nd.array([1, 2, 3])


@pytest.mark.parametrize("other", [[1, 2], (1, 2), np.array([1, 2]), np.ones((1, 2), "float32")])
@pytest.mark.parametrize("name", ["add", "divide", "equal", "greater"])
def test_lists_and_numpy_arrays_are_no_operands(other: Any, name: str) -> None:
    for arguments in [(nd.array([1, 2]), other), (other, nd.array([1, 2]))]:
        with pytest.raises(TypeError, match=r"make an NDArray of it with nd.array\(...\)"):
            BINARY[name](*arguments)


@pytest.mark.parametrize("other", [None, "a", 1j, object()], ids=lambda o: type(o).__name__)
def test_other_objects_are_no_operands(other: Any) -> None:
    x = nd.array([1])
    for compute in (operator.add, operator.lt):
        with pytest.raises(TypeError, match="NDArray"):
            compute(x, other)
    with pytest.raises(ArgumentError, match="operands must be arrays or numbers, not NDArray and"):
        nd.maximum(x, other)
    assert (x == other) is False
    assert (x != other) is True


# --- in place ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (operator.iadd, [7, 4]),
        (operator.isub, [3, 0]),
        (operator.imul, [10, 4]),
        (operator.itruediv, [2.5, 1]),
        (operator.imod, [1, 0]),
    ],
)
@pytest.mark.parametrize("other", [2, nd.array([2, 2]), nd.array([2])])
def test_in_place_operators_write_into_the_array(
    change: Callable[[Any, Any], Any], expected: list[float], other: Any
) -> None:
    x = nd.array([5, 2])
    view = x[0:1]
    assert change(x, other) is x
    np.testing.assert_array_equal(x.asnumpy(), np.array(expected, "float32"))
    assert view.asscalar() == expected[0]


@pytest.mark.parametrize(
    ("change", "number", "dtype", "expected"),
    [
        (operator.iadd, 1.5, "int32", [6, 3]),
        (operator.imul, 1.5, "int32", [5, 2]),
        (operator.itruediv, 2, "int32", [2, 1]),
        (operator.imod, 3, "int32", [2, 2]),
        (operator.isub, 7, "uint8", [254, 251]),
    ],
)
def test_in_place_operators_keep_the_dtype(
    change: Callable[[Any, Any], Any], number: float, dtype: str, expected: list[int]
) -> None:
    x = nd.array([5, 2], dtype=dtype)
    change(x, number)
    np.testing.assert_array_equal(x.asnumpy(), np.array(expected, dtype))


def test_in_place_operators_keep_the_shape() -> None:
    x = nd.array([1, 2])
    with pytest.raises(ShapeError, match=r"cannot write an array \(2, 2\) into an array \(2,\)"):
        x += nd.array([[1], [2]])
    with pytest.raises(DTypeError, match="one dtype"):
        x += nd.array([1, 2], dtype="int32")
    with pytest.raises(TypeError, match="unsupported operand"):
        x += None
    assert x.tolist() == [1, 2]


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint8"])
@pytest.mark.parametrize("name", ["iadd", "isub", "imul", "itruediv", "imod"])
def test_operators_in_place_give_what_they_give_otherwise(name: str, dtype: str) -> None:
    values, others = np.array([[7, 5], [3, 2]], dtype), np.array([[2, 3], [2, 1]], dtype)
    for other in (nd.array(others, dtype=dtype), nd.array(others[:1], dtype=dtype)):
        x = nd.array(values, dtype=dtype)
        buffer, expected = x.buffer, getattr(operator, name[1:])(x, other).asnumpy()
        assert getattr(operator, name)(x, other) is x
        assert x.buffer is buffer
        np.testing.assert_array_equal(x.asnumpy(), expected)
    x = nd.array(values, dtype=dtype)
    expected = getattr(operator, name[1:])(x, x).asnumpy()
    np.testing.assert_array_equal(getattr(operator, name)(x, x).asnumpy(), expected)


def test_in_place_operators_read_memory_that_they_write_to_as_it_was() -> None:
    x = nd.arange(6)
    behind, front = x[1:], x[:-1]
    behind += front
    assert x.asnumpy().tolist() == [0, 1, 3, 5, 7, 9]
    matrix = nd.arange(4).reshape((2, 2))
    turned = matrix.from_buffer(matrix.buffer.T, matrix.device)
    turned += matrix
    assert matrix.asnumpy().tolist() == [[0, 3], [3, 6]]


def test_in_place_operators_write_to_a_part_alone() -> None:
    x = nd.zeros((3, 2))
    row, column = x[1], x.from_buffer(x.buffer[:, 1], x.device)
    row += nd.array([1, 2])
    column += nd.array([3, 4, 5])
    assert x.asnumpy().tolist() == [[0, 3], [1, 6], [0, 5]]


def test_in_place_operators_do_what_a_class_makes_of_the_operator() -> None:
    class Odd(nd.NDArray):
        def __add__(self, other: Any) -> Any:
            return super().__add__(other) * 10

    x, y = (Odd.from_buffer(nd.array(each).buffer, nd.zeros(1).device) for each in ([1], [2]))
    x += y
    assert x.asnumpy().tolist() == [30]


def test_in_place_operators_go_on_where_the_table_is_replaced() -> None:
    x, y = nd.array([1, 2]), nd.array([3, 4])
    with use_kernels("numpy"):
        x += y
        assert x.asnumpy().tolist() == [4, 6]


@pytest.mark.parametrize("number", [0.0, -0.0, 0, False, np.float32(-0.0)])
def test_zeros_keep_their_sign(number: Any) -> None:
    y = (nd.ones((2,)) * number).asnumpy()
    assert (np.signbit(y) == np.signbit(float(number))).all()


def test_power_in_place_makes_a_new_array_as_in_mxnet() -> None:
    x = y = nd.array([5, 2])
    x **= 2
    assert (x.tolist(), y.tolist()) == ([25, 4], [5, 2])


@pytest.mark.parametrize("kind", ["variable", "computed"])
def test_what_is_in_the_graph_cannot_be_changed_in_place(kind: str) -> None:
    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        y = x if kind == "variable" else x * 2
        with pytest.raises(AutogradError, match="cannot be changed in place"):
            y += 1
        with pytest.raises(AutogradError, match="cannot be changed in place"):
            nd.exp(y, out=y)


def test_a_recorded_operand_cannot_be_overwritten_with_its_own_result() -> None:
    x, factor = nd.array([1, 2]), nd.array([3, 4])
    x.attach_grad()
    with autograd.record(), pytest.raises(AutogradError, match="cannot be changed in place"):
        factor *= x  # the gradient of x needs the factor as it was


# --- out= -------------------------------------------------------------------------------------


def test_out_receives_the_result() -> None:
    x, target = nd.array([1, 4]), nd.zeros((2,))
    assert nd.sqrt(x, out=target) is target
    assert target.tolist() == [1, 2]
    nd.sqrt(x, out=x)
    assert x.tolist() == [1, 2]
    parts = [nd.zeros((1,)), nd.zeros((1,))]
    nd.split(x, num_outputs=2, axis=0, out=parts)
    assert [part.asscalar() for part in parts] == [1, 2]
    with pytest.raises(ShapeError, match=r"cannot write an array \(2,\) into an array \(3,\)"):
        nd.sqrt(x, out=nd.zeros((3,)))


def test_a_recorded_result_can_go_to_a_plain_array() -> None:
    x, target = nd.array([1, 2]), nd.zeros((2,))
    x.attach_grad()
    with autograd.record():
        nd.square(x, out=target)
        y = target * 3
    y.backward()
    assert x.grad is not None
    assert x.grad.tolist() == [6, 12]
