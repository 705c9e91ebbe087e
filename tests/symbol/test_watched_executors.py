"""Executors that follow others keep what watches them; predictions keep what they drew."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import cpu, nd, random
from hy_symbol import Symbol, sym


def test_a_reshaped_executor_keeps_its_callback() -> None:
    seen: list[str] = []
    first = sym.relu(sym.var("x"), name="r").simple_bind(cpu(), x=(2,))
    first.set_monitor_callback(lambda name, _: seen.append(name), True)
    first.reshape(x=(1,)).forward()
    assert seen == ["x", "r_input0", "r_output"]
    first.set_monitor_callback(None)
    first.reshape(x=(1,)).forward()
    assert len(seen) == 3


def test_the_backward_pass_of_a_prediction_has_the_mask_it_drew() -> None:
    def executor(mode: Any) -> Any:
        made = sym.Dropout(sym.var("x"), p=0.5, mode=mode).simple_bind(cpu(), x=(50,))
        made.arg_dict["x"][:] = 1
        return made

    always = executor("always")
    for is_train in (False, True, False):
        always.forward(is_train=is_train)
        nd.random.uniform(shape=(9,))
        always.backward([nd.ones((50,))], is_train=is_train)
        assert (always.grad_arrays[0] == always.outputs[0]).asnumpy().all()
    in_training = executor("training")
    in_training.forward(is_train=False)
    in_training.backward([nd.ones((50,))])
    assert (in_training.grad_arrays[0] == 1).asnumpy().all()


X = sym.var("x")
WATCHED = (  # what MXNet 1.9.1 shows, but for nodes of its own such as _head_grad_0_id
    (sym.exp(sym.tanh(X, name="t"), name="e"), ["e_backward_output", "t_backward_output"]),
    (
        sym.elemwise_add(sym.exp(X, name="a"), sym.tanh(X, name="b"), name="c"),
        ["a_backward_output", "b_backward_output"],  # a sum hands its gradient on
    ),
    (sym.BatchNorm(X, name="bn"), [f"bn_backward_output{i}" for i in range(3)]),
    (
        sym.SoftmaxOutput(sym.FullyConnected(X, num_hidden=2, name="fc"), name="sm"),
        [
            *("sm_backward_output0", "sm_backward_output1"),
            *(f"fc_backward_output{i}" for i in range(3)),
        ],
    ),
    (sym.Dropout(sym.exp(X, name="e"), name="d"), ["d_backward_output", "e_backward_output"]),
)


@pytest.mark.parametrize(("net", "names"), WATCHED)
def test_a_callback_sees_what_the_backward_pass_computes(net: Symbol, names: list[str]) -> None:
    seen: dict[str, Any] = {}
    results = []
    for is_watched in (False, True):
        executor = net.simple_bind(cpu(), x=(2, 3))
        for name, array in executor.arg_dict.items():
            array[:] = nd.array(np.linspace(0.1, 0.9, array.size).reshape(array.shape))
            if name == "sm_label":
                array[:] = 1
        if is_watched:
            executor.set_monitor_callback(lambda name, x: seen.update({name: x.asnumpy()}))
        random.seed(7)
        executor.forward(is_train=True)
        executor.backward([nd.ones(x.shape) for x in executor.outputs])
        results.append([x.asnumpy() for x in executor.grad_arrays if x is not None])
    shown = [name for name in seen if "_backward_" in name]
    assert sorted(shown) == sorted(names)
    for plain, watched in zip(*results, strict=True):
        np.testing.assert_allclose(watched, plain, rtol=1e-5, atol=1e-6)


def test_gradients_are_shown_that_no_argument_wants() -> None:
    net = sym.FullyConnected(X, num_hidden=2, name="fc", no_bias=True)
    executor = net.simple_bind(cpu(), grad_req={"x": "null", "fc_weight": "write"}, x=(1, 3))
    executor.arg_dict["fc_weight"][:] = 2
    seen: dict[str, Any] = {}
    executor.set_monitor_callback(lambda name, x: seen.update({name: x.asnumpy().tolist()}))
    executor.forward(is_train=True)
    executor.backward([nd.ones((1, 2))])
    assert seen["fc_backward_output0"] == [[4, 4, 4]]
    assert executor.grad_dict["x"] is None


def test_an_error_in_a_callback_is_raised() -> None:
    executor = sym.exp(sym.var("x")).simple_bind(cpu(), x=(2,))
    executor.set_monitor_callback(lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        executor.forward()
