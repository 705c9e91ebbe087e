"""Arrays of executors are on the contexts of their groups of nodes, as in MXNet 1.9.1."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import AttrScope, cpu, nd, sym

TWO = {"a": cpu(2), "b": cpu(1)}


def dense(x: Any, group: str, name: str) -> Any:
    with AttrScope(ctx_group=group):
        return sym.FullyConnected(x, num_hidden=2, name=name)


def contexts(arrays: dict[str, Any]) -> dict[str, str]:
    return {name: str(array.context) for name, array in arrays.items()}


def test_parameters_gradients_and_outputs_are_where_their_group_is() -> None:
    with AttrScope(ctx_group="a"):
        x = sym.var("x")
    net = dense(dense(x, "a", "f"), "b", "g")
    executor = net.simple_bind(cpu(0), group2ctx=TWO, x=(1, 3))
    wanted = {"x": "cpu(2)", "f_weight": "cpu(2)", "f_bias": "cpu(2)"}
    wanted |= {"g_weight": "cpu(1)", "g_bias": "cpu(1)"}
    assert contexts(executor.arg_dict) == contexts(executor.grad_dict) == wanted
    assert [y.context for y in executor.outputs] == [cpu(1)]


def test_nodes_without_a_group_go_with_their_inputs_and_variables_with_their_users() -> None:
    x = sym.var("x")
    first = sym.Activation(dense(x, "b", "f"), act_type="relu") * 2
    net = sym.Group([first, dense(x, "a", "g"), sym.identity(x)])
    executor = net.simple_bind(cpu(0), group2ctx=TWO, x=(2, 3))
    found = contexts(executor.arg_dict)
    assert found["x"] == "cpu(0)"
    assert (found["f_bias"], found["g_bias"]) == ("cpu(1)", "cpu(2)")
    assert [y.context for y in executor.forward()] == [cpu(1), cpu(2), cpu(0)]
    assert [y.context for y in executor.reshape(x=(1, 3)).forward()] == [cpu(1), cpu(2), cpu(0)]


def test_states_are_where_their_group_is_and_change_there() -> None:
    with AttrScope(ctx_group="b"):
        net = sym.BatchNorm(sym.var("x"), name="n", momentum=0.5)
    executor = net.simple_bind(cpu(0), group2ctx=TWO, x=(2, 1))
    assert set(contexts(executor.aux_dict).values()) == {"cpu(1)"}
    executor.forward(is_train=True, x=nd.array([[1], [3]]))
    executor.backward(nd.ones((2, 1)))
    assert executor.aux_dict["n_moving_mean"].asnumpy() == 1


def test_arrays_that_are_bound_stay_where_they_are() -> None:
    with AttrScope(ctx_group="b"):
        net = sym.exp(sym.var("x"))
    executor: Any = net.bind(cpu(0), {"x": nd.zeros(2)}, {"x": nd.zeros(2)}, group2ctx=TWO)
    (output,) = executor.forward(is_train=True)
    executor.backward(nd.array([1, 2], ctx=cpu(1)))
    assert output.context == cpu(1)
    assert executor.arg_dict["x"].context == cpu(0)
    assert executor.grad_dict["x"].asnumpy().tolist() == [1, 2]


def test_a_group_without_a_context_is_named() -> None:
    with pytest.raises(RuntimeError, match="no context for group 'c' of node"):
        dense(sym.var("x"), "c", "f").simple_bind(cpu(0), group2ctx=TWO, x=(1, 3))


def stepped(group2ctxs: Any) -> Any:
    net = sym.LinearRegressionOutput(dense(dense(sym.var("x"), "a", "f"), "b", "g"), name="o")
    module = mx.mod.Module(net, ["x"], ["o_label"], group2ctxs=group2ctxs)
    module.bind([("x", (1, 3))], [("o_label", (1, 2))])
    module.init_params(mx.init.One())
    module.init_optimizer(optimizer_params={"learning_rate": 0.01})
    module.forward_backward(mx.io.DataBatch([nd.ones((1, 3))], [nd.zeros((1, 2))]))
    module.update()
    return module


def first_weight(module: Any) -> Any:
    return module.get_params()[0]["f_weight"].asnumpy()


@pytest.mark.parametrize("given", [TWO, [TWO], {"a": [cpu(2)], "b": cpu(1)}])
def test_a_module_trains_on_the_contexts_of_its_groups(given: Any) -> None:
    module, plain = stepped(given), stepped(None)
    assert module.get_outputs()[0].context == cpu(1)
    assert module._exec_group.execs[0].arg_dict["f_weight"].context == cpu(2)
    assert first_weight(module)[0, 0] != 1
    np.testing.assert_array_equal(first_weight(module), first_weight(plain))
