"""Executors with sparse arguments, gradients and results."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import NDArray, cpu, nd
from hy_symbol import GraphError, Symbol, sym

VALUES = np.array([[1, 0, 2, 0, 0], [0, 0, 0, 3, 0]], dtype="float32")


def csr() -> NDArray:
    return nd.array(VALUES).tostype("csr")


def product() -> Symbol:
    made: Symbol = sym.sparse.dot(sym.var("x", stype="csr"), sym.var("w", stype="row_sparse"))
    return made


def test_arrays_are_made_of_the_storage_that_variables_declare() -> None:
    executor = product().simple_bind(cpu(), x=(2, 5), w=(5, 2))
    assert {k: v.stype for k, v in executor.arg_dict.items()} == {"x": "csr", "w": "row_sparse"}
    grads: dict[str, Any] = executor.grad_dict
    assert {k: v.stype for k, v in grads.items()} == {"x": "default", "w": "row_sparse"}
    asked = sym.exp(sym.var("a")).simple_bind(cpu(), stype_dict={"a": "csr"}, a=(2, 3))
    assert asked.arg_arrays[0].stype == "csr"


@pytest.mark.parametrize("req", ["write", "add"])
def test_a_sparse_product_and_its_gradient_are_those_of_mxnet(req: str) -> None:
    grad: Any = nd.sparse.row_sparse_array(([[1, 1]], [2]), shape=(5, 2))
    executor = product().bind(
        cpu(),
        {"x": csr(), "w": nd.ones((5, 2)).tostype("row_sparse")},
        args_grad={"w": grad},
        grad_req={"x": "null", "w": req},
    )
    (y,) = executor.forward(is_train=True)
    assert (y.stype, y.asnumpy().tolist()) == ("default", [[3, 3], [3, 3]])
    for _ in range(2):
        executor.backward(nd.ones((2, 2)))
    assert grad.stype == "row_sparse"
    assert grad.indices.asnumpy().tolist() == [0, 2, 3]
    wanted = [1, 2, 3] if req == "write" else [2, 5, 6]
    assert grad.data.asnumpy()[:, 0].tolist() == wanted


def test_an_embedding_with_sparse_grad_has_a_gradient_of_rows() -> None:
    net = sym.Embedding(sym.var("d"), sym.var("w"), input_dim=5, output_dim=2, sparse_grad=True)
    executor = net.simple_bind(cpu(), grad_req={"d": "null", "w": "write"}, d=(2,), w=(5, 2))
    executor.forward(is_train=True, d=nd.array([1, 3]), w=nd.ones((5, 2)))
    executor.backward(nd.ones((2, 2)))
    grad: Any = executor.grad_dict["w"]
    assert (grad.stype, grad.indices.asnumpy().tolist()) == ("row_sparse", [1, 3])


@pytest.mark.parametrize("stype", ["default", "row_sparse", "csr"])
def test_results_are_cast_to_a_storage(stype: Any) -> None:
    net = sym.sparse.cast_storage(sym.var("a"), stype=stype)
    assert net.attr("stype") == stype
    grad = nd.zeros((2, 5))
    executor = net.bind(cpu(), [nd.array(VALUES)], args_grad=[grad])
    (y,) = executor.forward(is_train=True)
    assert y.stype == stype
    np.testing.assert_array_equal(y.asnumpy(), VALUES)
    executor.backward(nd.full((2, 5), 2))
    np.testing.assert_array_equal(grad.asnumpy(), 2)


def test_operators_keep_sparse_storage_in_graphs() -> None:
    a, b = sym.var("a"), sym.var("b")
    for net, stype in (
        (a + b, "csr"),
        (sym.sparse.square(a) + b * 0, "csr"),
        (a * 2 + 1, "default"),
    ):
        used = {"a": csr(), "b": csr()}
        args = {name: used[name] for name in net.list_arguments()}
        assert net.bind(cpu(), args).forward()[0].stype == stype
    rows = nd.array([[1, 0], [2, 3]]).tostype("row_sparse")
    kept: Any = sym.sparse.retain(a, b).bind(cpu(), {"a": rows, "b": nd.array([1])}).forward()[0]
    assert (kept.stype, kept.indices.asnumpy().tolist()) == ("row_sparse", [1])


def test_several_results_of_an_operator_and_states_are_computed_from_sparse_arrays() -> None:
    data = sym.var("x", stype="csr")
    parts = sym.split(data, num_outputs=2, axis=0, squeeze_axis=False)
    net = sym.Group([parts[0] * 1, sym.BatchNorm(parts[1], name="bn", fix_gamma=False)])
    executor = net.simple_bind(cpu(), x=(2, 5))
    executor.arg_dict["x"][:] = csr()
    executor.aux_dict["bn_moving_var"][:] = 1
    first, _ = executor.forward(is_train=True)
    np.testing.assert_array_equal(first.asnumpy(), VALUES[:1])
    assert executor.aux_dict["bn_moving_mean"].asnumpy().any()


def test_a_missing_head_gradient_is_named_and_losses_need_none() -> None:
    args = {"x": csr(), "w": nd.ones((5, 2)).tostype("row_sparse")}
    grads = {"w": nd.zeros((5, 2), stype="row_sparse")}
    executor = product().bind(cpu(), args, args_grad=grads, grad_req={"w": "write"})
    executor.forward(is_train=True)
    with pytest.raises(GraphError, match="is no loss, so its head gradient must be given"):
        executor.backward()
    loss = sym.make_loss(sym.sum(product()))
    executor = loss.bind(cpu(), args, args_grad=grads, grad_req={"w": "write"})
    executor.backward()  # runs forward first
    assert grads["w"].asnumpy()[:, 0].tolist() == [1, 0, 2, 3, 0]


def test_a_monitor_sees_sparse_values() -> None:
    seen = []
    executor = (sym.var("a") * 2).bind(cpu(), [csr()])
    executor.set_monitor_callback(lambda name, array: seen.append((name, array.stype)), True)
    executor.forward()
    assert [stype for _, stype in seen] == ["csr"] * 3


def test_a_gradient_that_nothing_flows_to_is_zero() -> None:
    a, b = sym.var("a", stype="csr"), sym.var("b")
    grads = {"a": nd.ones((2, 5)), "b": nd.ones((2, 5))}
    net = sym.BlockGrad(a) + b
    executor = net.bind(cpu(), {"a": csr(), "b": nd.ones((2, 5))}, args_grad=grads)
    executor.forward(is_train=True)
    executor.backward(nd.full((2, 5), 3))
    assert not grads["a"].asnumpy().any()
    assert grads["b"].asnumpy().min() == 3
