"""Derived operators: what their compositions say is what arrays, graphs and gradients do."""

import json
from typing import Any

import numpy as np
import pytest

from hy_ndarray import NDArray, autograd, cpu, explain, nd, ops, use_kernels
from hy_ndarray.ops import Tracer, derived
from hy_symbol import Symbol, load_json, sym
from tests.kernels.tiny_table import TinyTable

POLYNOMIAL = {"a": 2.0, "b": -1.0, "c": 0.5}


@derived("_test_centered", catalogued=False)
def centered(data: Tracer, *, scale: float = 1.0) -> Tracer:
    """The elements less their mean, which asks for their number."""
    total = ops_sum(data, axis=(), keepdims=True)
    return (data - total / float(np.prod(data.shape))) * scale


def ops_sum(data: Tracer, **params: Any) -> Tracer:
    op = ops.find("sum")
    made: Tracer = Tracer.apply_operator(op, (data,), {**op.defaults, **params})
    return made


QUADRATIC, CENTERED = ops.find("_contrib_quadratic"), centered.op


def run(op: ops.Operator, *arrays: NDArray, **params: Any) -> NDArray:
    made: NDArray = NDArray.call_operator(op, op.name, arrays, params)
    return made


def gradient(array: NDArray) -> np.ndarray[Any, Any]:
    grad = array.grad
    assert grad is not None
    values: np.ndarray[Any, Any] = grad.asnumpy()
    return values


def graph_of(op: ops.Operator, **params: Any) -> Symbol:
    made: Symbol = Symbol.call_operator(op, op.name, (sym.var("x"),), params)
    return made


def test_a_composition_computes_on_arrays() -> None:
    x = nd.array([[1.0, 2.0], [3.0, 6.0]])
    assert run(QUADRATIC, x, **POLYNOMIAL).asnumpy().tolist() == [[1.5, 6.5], [15.5, 66.5]]
    for shape in ((4,), (2, 2), (1, 4)):
        y = run(CENTERED, x.reshape(shape), scale=2.0)
        assert y.asnumpy().ravel().tolist() == [-4.0, -2.0, 0.0, 6.0]


def test_its_gradient_follows_and_has_one_itself() -> None:
    x = nd.array([1.0, -2.0, 4.0])
    x.attach_grad()
    with autograd.record():
        y = run(QUADRATIC, x, **POLYNOMIAL) ** 2
        (slope,) = autograd.grad([y], [x], create_graph=True)
    value, inner = 2 * x**2 - x + 0.5, 4 * x - 1
    np.testing.assert_allclose(slope.asnumpy(), (2 * value * inner).asnumpy())
    slope.backward()
    np.testing.assert_allclose(gradient(x), (2 * inner**2 + 8 * value).asnumpy())


def test_a_gradient_may_ask_for_types() -> None:
    x = nd.array([1.0, 2.0, 6.0])
    x.attach_grad()
    with autograd.record():
        y = run(CENTERED, x) * nd.array([1.0, 0.0, 2.0])
    y.backward()
    assert gradient(x).tolist() == [0.0, -1.0, 1.0]


@pytest.mark.parametrize(("op", "params"), [(QUADRATIC, POLYNOMIAL), (CENTERED, {"scale": 3.0})])
def test_a_graph_computes_the_same(op: ops.Operator, params: dict[str, Any]) -> None:
    x, dy = nd.array([[1.0, 2.0, 5.0]]), nd.array([[1.0, 2.0, 4.0]])
    x.attach_grad()
    with autograd.record():
        y = run(op, x, **params)
    y.backward(dy)
    bound = graph_of(op, **params).bind(cpu(), {"x": x}, args_grad={"x": nd.zeros((1, 3))})
    for _ in range(3):
        bound.forward(is_train=True)
        bound.backward(dy)
        bound_grad = bound.grad_dict["x"]
        assert bound_grad is not None
        np.testing.assert_allclose(bound.outputs[0].asnumpy(), y.asnumpy(), rtol=1e-6)
        np.testing.assert_allclose(bound_grad.asnumpy(), gradient(x), rtol=1e-6)
        predicted = bound.forward(is_train=False)[0]
        np.testing.assert_allclose(predicted.asnumpy(), y.asnumpy(), rtol=1e-6)


def test_files_keep_the_operator() -> None:
    text = graph_of(QUADRATIC, **POLYNOMIAL).tojson()
    assert [node["op"] for node in json.loads(text)["nodes"]] == ["null", QUADRATIC.name]
    (y,) = load_json(text).bind(cpu(), {"x": nd.array([2.0])}).forward()
    assert y.asnumpy().tolist() == [6.5]


def test_types_are_inferred_in_both_directions() -> None:
    net = graph_of(QUADRATIC, **POLYNOMIAL)
    x = sym.var("x", shape=(0, 3))
    other = Symbol.call_operator(QUADRATIC, "q", (x,), POLYNOMIAL)
    assert net.infer_shape(x=(2, 3))[1] == [(2, 3)]
    known = sym.elemwise_add(other, sym.var("y", shape=(2, 0)))
    assert known.infer_shape()[0] == [(2, 3), (2, 3)]


def test_a_result_is_never_an_input() -> None:
    @derived("_test_same", catalogued=False)
    def same_of_test(data: Tracer) -> Tracer:
        return data

    x = nd.array([1.0, 2.0])
    y = run(same_of_test.op, x)
    x[:] = 7.0
    assert y.asnumpy().tolist() == [1.0, 2.0]


def test_a_kernel_of_the_tables_own_goes_before_the_composition_and_that_before_the_fallback() -> (
    None
):
    steps = ("mul_scalar", "plus_scalar", "broadcast_mul")
    whole = TinyTable("whole", ("quadratic", *steps))
    assert whole.find("quadratic") is None  # numpy's table has none any more
    parts = TinyTable("parts", steps)
    with use_kernels(parts):
        x = nd.array([1.0, 2.0])
        assert explain("_contrib_quadratic").table == "composition"
        assert run(QUADRATIC, x, **POLYNOMIAL).asnumpy().tolist() == [1.5, 6.5]
        assert parts.calls["mul_scalar"] == 1
        assert parts.calls["plus_scalar"] == 2
