"""``mx.test_utils``: graphs against numpy, numerical gradients, other devices and dtypes."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import test_utils as tu

VALUES = np.array([[1.0, 2.0], [3.0, 4.0]])
MORE = VALUES + 1
HEAD = np.full((2, 2), 2.0)


def graph() -> Any:
    a, b = mx.sym.var("a"), mx.sym.var("b")
    return a * b + mx.sym.sin(a)


@pytest.fixture(autouse=True)
def _seeds() -> None:
    np.random.seed(0)
    mx.random.seed(0)


def test_a_graph_is_run_on_numpy_arrays() -> None:
    found = tu.simple_forward(graph(), a=VALUES, b=MORE)
    np.testing.assert_allclose(found, [[2.841471, 6.9092975], [12.14112, 19.243198]], rtol=1e-6)
    a, b = mx.sym.var("a"), mx.sym.var("b")
    both = tu.simple_forward(mx.sym.Group([a + b, a * b]), a=VALUES, b=MORE)
    assert [out.tolist() for out in both] == [[[3, 5], [7, 9]], [[2, 6], [12, 20]]]


def test_results_are_compared_by_order_and_by_name() -> None:
    right = VALUES * MORE + np.sin(VALUES)
    symbol = graph()
    for expected in ([right], {symbol.list_outputs()[0]: right}):
        tu.check_symbolic_forward(symbol, {"a": VALUES, "b": MORE}, expected)
    (found,) = tu.check_symbolic_forward(symbol, [VALUES, MORE], [right], dtype=np.float64)
    assert found.dtype == np.float64
    with pytest.raises(AssertionError, match=r"EXPECTED_.*FORWARD_"):
        tu.check_symbolic_forward(symbol, [VALUES, MORE], [VALUES * MORE])
    with pytest.raises(ValueError, match=r"location has 1 arrays, the symbol 2: a, b"):
        tu.check_symbolic_forward(symbol, [VALUES], [right])
    with pytest.raises(ValueError, match="keys of the given location do not match"):
        tu.check_symbolic_forward(symbol, {"a": VALUES, "c": MORE}, [right])


@pytest.mark.parametrize("request_", ["write", "add", ["write", "null"], {"a": "add"}], ids=str)
def test_gradients_are_compared_as_they_are_requested(request_: Any) -> None:
    of_a, of_b = HEAD * (MORE + np.cos(VALUES)), HEAD * VALUES
    found = tu.check_symbolic_backward(
        graph(), [VALUES, MORE], [HEAD], {"a": of_a, "b": of_b}, grad_req=request_
    )
    assert sorted(found) == ["a", "b"]


def test_a_wrong_gradient_is_told() -> None:
    of_a, of_b = HEAD * (MORE + np.cos(VALUES)), HEAD * VALUES
    only = tu.check_symbolic_backward(
        graph(), [VALUES, MORE], [HEAD], {"a": of_a}, grad_req={"a": "write"}
    )
    np.testing.assert_allclose(only["a"].asnumpy()[0], [5.0806046, 5.1677065], rtol=1e-6)
    with pytest.raises(AssertionError, match=r"EXPECTED_b=4.00000000, BACKWARD_b=2.00000000"):
        tu.check_symbolic_backward(graph(), [VALUES, MORE], [HEAD], [of_a, HEAD * MORE])
    with pytest.raises(mx.MXNetError, match="head gradient must be given"):
        tu.check_symbolic_backward(graph(), [VALUES, MORE], None, [of_a, of_b])
    with pytest.raises(ValueError, match=r"\['c'\] are not arguments of the symbol: a, b"):
        tu.check_symbolic_backward(graph(), [VALUES, MORE], [HEAD], {"c": of_a})


def test_differences_are_gradients() -> None:
    symbol = graph()
    arrays = {"a": mx.nd.array(VALUES), "b": mx.nd.array(MORE)}
    executor = symbol.bind(mx.cpu(), args=arrays)
    found = tu.numeric_grad(executor, {"a": VALUES, "b": MORE}, eps=1e-2)
    expected = [[2.5403023, 2.5838375], [3.0100822, 4.346657]]  # of MXNet, of sums in float32
    np.testing.assert_allclose(found["a"], expected, rtol=1e-5)
    np.testing.assert_array_equal(executor.arg_dict["a"].asnumpy(), VALUES)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"grad_nodes": ["a"], "dtype": np.float64, "numeric_eps": 1e-4},
        {"grad_nodes": {"a": "add", "b": "null"}},
    ],
    ids=["all", "one in float64", "requests"],
)
def test_gradients_are_compared_with_differences(options: Any) -> None:
    tu.check_numeric_gradient(graph(), [VALUES, MORE], **options)


def test_a_gradient_unlike_the_differences_is_told() -> None:
    wrong = mx.sym.BlockGrad(mx.sym.var("a")) * mx.sym.var("b")
    with pytest.raises(AssertionError, match=r"NUMERICAL_a=.*, BACKWARD_a=0.00000000"):
        tu.check_numeric_gradient(wrong, [VALUES, MORE])
    with pytest.raises(TypeError, match=r"int32.* is not floating"):
        tu.check_numeric_gradient(graph(), [VALUES, MORE], dtype=np.int32)
    number: Any = 3
    with pytest.raises(ValueError, match="grad_nodes must be names, or requests by name, not 3"):
        tu.check_numeric_gradient(graph(), [VALUES, MORE], grad_nodes=number)
    with pytest.raises(ValueError, match="the symbol has 2 outputs, not one"):
        tu.check_numeric_gradient(mx.sym.Group([mx.sym.var("a")] * 2), [VALUES])


def test_differences_are_taken_with_auxiliary_states() -> None:
    norm = mx.sym.BatchNorm(mx.sym.var("data"), name="bn", fix_gamma=False)
    data = np.random.default_rng(0).random((4, 3, 2, 2))
    arrays = [data, np.ones(3), np.zeros(3)]
    states = {"bn_moving_mean": np.zeros(3), "bn_moving_var": np.ones(3)}
    options: Any = {"numeric_eps": 1e-2, "rtol": 0.2, "atol": 0.01}
    tu.check_numeric_gradient(norm, arrays, states, **options)
    with pytest.raises(AssertionError, match="NUMERICAL_data"):  # differences of prediction
        tu.check_numeric_gradient(norm, arrays, states, use_forward_train=False, **options)


def test_speed_is_of_the_whole_or_of_forward() -> None:
    assert tu.check_speed(graph(), location={"a": VALUES, "b": MORE}, N=1) > 0
    assert tu.check_speed(graph(), N=1, typ="forward", a=(2, 2), b=(2, 2)) > 0
    with pytest.raises(ValueError, match='typ can only be "whole" or "forward"'):
        tu.check_speed(graph(), N=1, typ="backward", a=(2, 2), b=(2, 2))
    listed: Any = [VALUES, MORE]
    with pytest.raises(TypeError, match='Expect dict, get "location"'):
        tu.check_speed(graph(), location=listed, N=1)


def runs(*dtypes: Any) -> list[dict[str, Any]]:
    shapes = {"a": (2, 2), "b": (2, 2)}
    return [{"ctx": mx.cpu(), "type_dict": {"a": t, "b": t}, **shapes} for t in dtypes]


def test_dtypes_agree_with_the_most_exact() -> None:
    symbol = mx.sym.sin(mx.sym.var("a") * mx.sym.var("b"), name="s")
    found = tu.check_consistency(symbol, runs(np.float64, np.float32, np.float16))
    assert sorted(found) == ["a", "b", "s_output"]
    assert all(array.dtype == np.float64 for array in found.values())
    without = tu.check_consistency(symbol, runs("float32", "float32"), grad_req="null")
    assert sorted(without) == ["s_output"]
    given = {"a": VALUES, "b": MORE}
    found = tu.check_consistency(symbol, runs("float32", "float32"), arg_params=given)
    np.testing.assert_allclose(found["s_output"].asnumpy(), np.sin(VALUES * MORE), rtol=1e-5)


def test_what_does_not_agree_is_raised_or_logged(caplog: pytest.LogCaptureFixture) -> None:
    symbol = mx.sym.sin(mx.sym.var("a"), name="s")
    both = [{"ctx": mx.cpu(), "a": (2, 2)}] * 2
    truth = {"s_output": mx.nd.zeros((2, 2)), "a": mx.nd.zeros((2, 2))}
    with pytest.raises(AssertionError, match=r"GROUND_TRUTH=0.00000000") as raised:
        tu.check_consistency(symbol, both, ground_truth=truth)
    assert "Predict Err: run 0" in raised.value.__notes__[0]
    found = tu.check_consistency(symbol, both, ground_truth=truth, raise_on_err=False)
    assert found["a"] is truth["a"]
    assert "Train Err: run 1 against run 1 at a" in caplog.text
    with pytest.raises(TypeError, match="two or more"):
        tu.check_consistency(symbol, both[:1])
    with pytest.raises(TypeError, match="list_outputs gives"):
        tu.check_consistency([symbol, mx.sym.cos(mx.sym.var("a"), name="c")], both)


class Differs(mx.gluon.HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return x * (2 if F is mx.nd else 3)


def test_a_block_agrees_with_itself_hybridized() -> None:
    data = [mx.nd.array(VALUES)]

    def sine(prefix: str) -> Any:
        return mx.gluon.nn.HybridLambda("sin", prefix=prefix)

    tu.check_gluon_hybridize_consistency(sine, data, numpy_func=np.sin)
    with pytest.raises(AssertionError, match="Items are not equal"):
        tu.check_gluon_hybridize_consistency(sine, data, numpy_func=np.cos)
    tu.check_gluon_hybridize_consistency(lambda prefix: mx.gluon.nn.Dense(3, prefix=prefix), data)
    with pytest.raises(AssertionError, match="Items are not equal"):
        tu.check_gluon_hybridize_consistency(lambda prefix: Differs(prefix=prefix), data)


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32"])
def test_arrays_keep_their_dtypes_for_asnumpy(dtype: str) -> None:
    (found,) = tu.check_symbolic_forward(
        mx.sym.var("a") + 1, {"a": np.ones(2, dtype)}, [np.full(2, 2)], dtype="asnumpy"
    )
    assert found.dtype == np.dtype(dtype)


def test_lengths_of_a_softmax_are_integers_beside_floats() -> None:
    masked = mx.sym.softmax(mx.sym.var("d"), length=mx.sym.var("n"), use_length=True, axis=1)
    tu.check_symbolic_backward(
        masked,
        {"d": np.ones((1, 2), "float32"), "n": np.array([2], "int32")},
        [np.ones((1, 2), "float32")],
        [np.zeros((1, 2)), np.zeros(1, "int32")],
        dtype="asnumpy",
    )


def test_arrays_behind_those_of_the_graph_are_left_out() -> None:
    ones, twos = np.ones(2), np.full(2, 2.0)
    tu.check_symbolic_forward(mx.sym.var("a") * 2, [ones, ones], [twos, ones])
    tu.check_symbolic_backward(mx.sym.var("a") * 2, [ones], [ones, np.ones(1)], [twos])
