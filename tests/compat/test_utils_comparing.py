"""``mx.test_utils``: comparisons, with the messages and tolerances of MXNet 1.9.1."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import test_utils as tu

A = np.arange(6.0).reshape(2, 3)
B = A.copy()
B[0, 1] += 1e-3
B[1, 2] += 0.5
NAN = np.array([1, np.nan])


def test_arrays_are_equal_if_shape_and_elements_are() -> None:
    assert tu.same(mx.nd.array(A), A)
    assert not tu.same(A, B)
    assert not tu.same(A, A[0])


def test_arrays_are_almost_equal_within_the_tolerance_of_their_dtypes() -> None:
    assert tu.almost_equal(A, A + 1e-9 * A)
    assert not tu.almost_equal(A, B)
    assert not tu.almost_equal(np.array([1], "float64"), np.array([1.0001], "float64"))
    assert tu.almost_equal(np.array([1], "float32"), np.array([1.0001], "float32"))
    assert tu.almost_equal(np.array([1], "float16"), np.array([1.005], "float32"))
    assert not tu.almost_equal(np.array([1]), np.array([2]))
    assert not tu.almost_equal(NAN, NAN)
    assert tu.almost_equal(NAN, NAN, equal_nan=True)


def test_a_difference_is_told_with_its_place() -> None:
    expected = (
        "\nItems are not equal:\n"
        "Error 9090.909091 exceeds tolerance rtol=1.000000e-05, atol=1.000000e-20 "
        "(mismatch 33.333333%).\n"
        "Location of maximum error: (1, 2), a=5.00000000, b=5.50000000\n"
        "  1: Error 9090.909091  Location of error: (1, 2), a=5.00000000, b=5.50000000\n"
        "  2: Error 99.900100  Location of error: (0, 1), a=1.00000000, b=1.00100000\n"
    )
    with pytest.raises(AssertionError) as raised:
        tu.assert_almost_equal(A, B)
    assert str(raised.value) == f"{expected} ACTUAL: {A!r}\n DESIRED: {B!r}"
    with pytest.raises(AssertionError, match=r"Error 7.692308.*\(mismatch 16.666667%\)") as raised:
        tu.assert_almost_equal(
            mx.nd.array(A), mx.nd.array(B), 1e-2, 1e-2, ("x", "y"), mismatches=(0, 0)
        )
    assert "x=5.00000000, y=5.50000000" in str(raised.value)
    assert "  1: " not in str(raised.value)


def test_shapes_may_broadcast_unless_that_is_refused() -> None:
    tu.assert_almost_equal(np.ones((2, 3)), np.ones(3))
    with pytest.raises(AssertionError, match=r"a.shape = \(2, 3\) and b.shape = \(3,\)"):
        tu.assert_almost_equal(np.ones((2, 3)), np.ones(3), use_broadcast=False)
    with pytest.raises(ValueError, match="broadcast"):
        tu.assert_almost_equal(A, A[:, :2])
    tu.checkShapes(A, B)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (NAN, NAN),
        (np.array([1, np.inf]), np.array([1, -np.inf])),
        (np.array([1, 2], "uint8"), np.array([2, 3], "uint8")),
        (np.array([True]), np.array([False])),
        (1.0, 2.0),
    ],
    ids=["nan", "inf", "uint8", "bool", "number"],
)
def test_what_is_not_equal_is_refused(a: Any, b: Any) -> None:
    with pytest.raises(AssertionError, match="not equal"):
        tu.assert_almost_equal(a, b)


def test_what_is_equal_passes() -> None:
    tu.assert_almost_equal(NAN, NAN, equal_nan=True)
    tu.assert_almost_equal(np.array([1, np.inf]), np.array([1, np.inf]))
    tu.assert_almost_equal(np.zeros((0, 2)), np.zeros((0, 2)))
    tu.assert_almost_equal(mx.np.ones(2), np.ones(2))
    tu.assert_almost_equal([1, 2], [1, 2.0])
    tu.assert_almost_equal_ignore_nan(NAN, np.array([1, 5.0]))
    tu.assert_allclose(NAN, NAN)


def test_a_part_of_the_elements_may_differ() -> None:
    tu.assert_almost_equal_with_err(A, B, etol=0.5)
    for etol in (0.1, None):
        with pytest.raises(AssertionError, match="mismatch 33"):
            tu.assert_almost_equal_with_err(A, B, etol=etol)


def test_arrays_share_memory_if_writing_to_one_is_seen_in_the_other() -> None:
    x = mx.nd.ones(3)
    assert tu.same_array(x, x)
    assert tu.same_array(x, x[:])
    assert not tu.same_array(x, x.copy())
    assert x.asnumpy().tolist() == [1, 1, 1]


def test_graphs_have_one_structure_whatever_their_names() -> None:
    a, b, c, d = map(mx.sym.var, "abcd")
    assert tu.same_symbol_structure(a + b, c + d)
    assert not tu.same_symbol_structure(a + b, a * b)
    assert not tu.same_symbol_structure(a + b, mx.sym.exp(a + b))
    assert not tu.same_symbol_structure(a + b, a + mx.sym.exp(b))


def test_nested_tuples_of_arrays_are_compared() -> None:
    one, zero = mx.nd.ones(2), mx.nd.zeros(2)
    tu.compare_ndarray_tuple((one, None, (one,)), (one, zero, (one,)))
    with pytest.raises(AssertionError, match=r"Location of maximum error: \(0,\)"):
        tu.compare_ndarray_tuple((one, (one,)), (one, (zero,)))


def test_optimizers_are_compared_by_a_step() -> None:
    def sgd(rate: float) -> Any:
        return mx.optimizer.SGD(learning_rate=rate, momentum=0.9)

    tu.compare_optimizer(sgd(0.1), sgd(0.1), (3, 4), "float32")
    tu.compare_optimizer(sgd(0.1), sgd(0.1), [(3, 4), (2,)], "float32", ntensors=2)
    tu.compare_optimizer(sgd(0.1), sgd(0.1), [(3, 4)], "float32")
    with pytest.raises(AssertionError, match="Items are not equal"):
        tu.compare_optimizer(sgd(0.1), sgd(0.2), (3, 4), "float32")
    with pytest.raises(AssertionError, match="Items are not equal"):
        tu.compare_optimizer(sgd(0.1), sgd(0.2), (3, 4), "float32", compare_states=False)


def test_an_exception_is_expected() -> None:
    tu.assert_exception(lambda x: 1 / x, ZeroDivisionError, 0)
    with pytest.raises(AssertionError, match="did not raise ZeroDivisionError"):
        tu.assert_exception(lambda x: 1 / x, ZeroDivisionError, 1)
    with pytest.raises(ZeroDivisionError):
        tu.assert_exception(lambda x: 1 / x, ValueError, 0)


def test_tolerances_follow_the_coarser_dtype() -> None:
    half, single, double = (np.ones(2, f"float{bits}") for bits in (16, 32, 64))
    assert tu.get_tols(half, single, None, None) == (0.01, 0.1)
    assert tu.get_tols(double, single, None, None) == (1e-4, 1e-3)
    assert tu.get_tols(np.ones(2, "int32"), double, 1e-9, None) == (1e-9, 1e-20)
    assert tu.get_tolerance(single, {np.dtype("float32"): 7.0}, tu.default_rtols()) == 7
    assert (tu.get_rtol(), tu.get_atol(), tu.get_etol()) == (1e-5, 1e-20, 0)
    assert (tu.get_rtol(1e-2), tu.get_etol(0.1)) == (1e-2, 0.1)
    assert tu.effective_dtype(mx.nd.ones(2, dtype="float16")) == np.float16
    assert tu.default_numeric_eps()[np.dtype("float32")] == 1 / 512
    assert tu.default_dtype() is np.float32


def test_the_default_context_is_the_current_one_until_the_scope_around_ends() -> None:
    with mx.cpu(7):
        tu.set_default_context(mx.cpu(6))
        assert tu.default_context() == mx.current_context() == mx.cpu(6)
        assert mx.nd.ones(1).context == mx.cpu(6)
        with mx.cpu(5):
            assert tu.default_context() == mx.cpu(5)
        with pytest.warns(DeprecationWarning, match="set_default_context"):
            assert mx.Context.default_ctx == mx.cpu(6)
        with pytest.warns(DeprecationWarning, match="set_default_context"):
            mx.Context.default_ctx = mx.cpu(4)
        assert mx.current_context() == mx.cpu(4)
    assert mx.current_context() == mx.cpu(0)
