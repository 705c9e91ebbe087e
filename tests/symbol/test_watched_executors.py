"""Executors that follow others keep what watches them; predictions keep what they drew."""

from typing import Any

from hy_ndarray import cpu, nd
from hy_symbol import sym


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
