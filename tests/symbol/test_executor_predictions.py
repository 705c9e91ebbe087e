"""Predictions of executors with prepared weights: the same numbers, whatever is overwritten."""

from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy import NumpyTable
from hy_ndarray import NDArray, cpu, nd, use_kernels
from hy_symbol import Executor, GraphError, PreparedValues, Symbol, sym
from hy_symbol.execution.tiers import Tier
from tests.gluon.capturing import Capturing

pytestmark = pytest.mark.usefixtures("_on_numpy")  # which prepares weights of convolutions


def net(filters: int = 256) -> Symbol:
    x = sym.Convolution(sym.var("data"), kernel=(3, 3), num_filter=filters, name="conv")
    return sym.relu(sym.BatchNorm(x, fix_gamma=False, name="norm"))


def bound(symbol: Symbol) -> Executor:
    executor = symbol.simple_bind(cpu(), grad_req="null", data=(1, 128, 6, 6))
    rng = np.random.default_rng(0)
    for array in (*executor.arg_arrays, *executor.aux_arrays):
        array[:] = rng.uniform(0.1, 1, array.shape)
    return executor


def predicted(executor: Executor) -> Any:
    return executor.forward()[0].asnumpy()


def directly(executor: Executor) -> Any:
    """What operators compute one by one."""
    arguments, states = executor.arg_dict, executor.aux_dict
    x = nd.Convolution(
        *(arguments[name] for name in ("data", "conv_weight", "conv_bias")),
        kernel=(3, 3),
        num_filter=arguments["conv_bias"].size,
    )
    gamma, beta = (arguments[f"norm_{name}"] for name in ("gamma", "beta"))
    mean, var = (states[f"norm_moving_{name}"] for name in ("mean", "var"))
    return nd.relu(nd.BatchNorm(x, gamma, beta, mean, var, fix_gamma=False)).asnumpy()


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many values were prepared each time."""
    counts: list[int] = []
    prepare = PreparedValues.prepare

    def counted(self: PreparedValues, *args: Any) -> list[NDArray]:
        values = prepare(self, *args)
        counts.append(len(values))
        return values

    monkeypatch.setattr(PreparedValues, "prepare", counted)
    return counts


def test_weights_are_prepared_once_and_give_the_same_numbers(prepared: list[int]) -> None:
    executor = bound(net())
    expected = directly(executor)
    for _ in range(5):
        np.testing.assert_allclose(predicted(executor), expected, rtol=1e-4)
    assert len(prepared) == 1
    executor.arg_dict["data"][:] = 0.5
    np.testing.assert_allclose(predicted(executor), directly(executor), rtol=1e-4)
    assert len(prepared) == 1


@pytest.mark.parametrize("name", ["conv_weight", "norm_gamma", "norm_moving_var"])
def test_what_is_overwritten_counts_at_once(name: str, prepared: list[int]) -> None:
    executor = bound(net())
    before = [predicted(executor) for _ in range(4)][-1]
    {**executor.arg_dict, **executor.aux_dict}[name][:] *= 2
    after = predicted(executor)
    np.testing.assert_allclose(after, directly(executor), rtol=1e-4)
    assert not np.allclose(before, after)
    assert len(prepared) == 2


def test_weights_that_change_between_all_predictions_are_not_prepared(prepared: list[int]) -> None:
    executor = bound(net())
    for k in range(8):
        executor.arg_dict["conv_weight"][:] = 0.01 * (k + 1)
        np.testing.assert_allclose(predicted(executor), directly(executor), rtol=1e-4)
    assert len(prepared) == 1  # in hope, once
    for _ in range(3):
        np.testing.assert_allclose(predicted(executor), directly(executor), rtol=1e-4)
    assert len(prepared) == 2


def test_layers_of_few_filters_are_prepared_as_well(prepared: list[int]) -> None:
    executor = bound(net(8))
    for _ in range(4):
        np.testing.assert_allclose(predicted(executor), directly(executor), rtol=1e-4)
    assert len(prepared) == 1


def test_explanations_tell_of_constants_and_why_there_are_none() -> None:
    executor = bound(net())
    told = [executor.explain()]
    for _ in range(3):
        predicted(executor)
        told.append(executor.explain())
    whys = ["computed after 1 more run", "computed when it runs again", None, None]
    assert [each.constants_why for each in told] == whys
    assert [each.tier for each in told[2:]] == [Tier.INTERPRETED, Tier.COMPILED]
    follows = {name for row in told[-1].rows for name in row.constants}
    assert {"conv_weight", "norm_gamma", "norm_moving_var"} <= follows
    assert not any(row.constants for row in told[0].rows)
    for k in range(3):
        executor.arg_dict["conv_weight"][:] = 0.01 * (k + 1)
        predicted(executor)
    assert executor.explain().constants_why == "parameters change before each call"


def test_explanations_of_training_show_both_programs() -> None:
    executor = net().simple_bind(cpu(), data=(1, 128, 6, 6))
    explanation = executor.explain(True, profile=True)
    assert explanation.programs == ("forward", "backward")
    assert all(row.seconds is not None for row in explanation.rows if row.kernel)
    executor.set_monitor_callback(lambda _name, _value: None)
    with pytest.raises(GraphError, match=r"explain: a monitor sees each value"):
        executor.explain()


def test_explanations_tell_that_executors_are_not_captured() -> None:
    with use_kernels(Capturing()):
        executor = bound(net())
        for _ in range(4):
            predicted(executor)
        explanation = executor.explain()
        assert explanation.tier is Tier.COMPILED
        assert explanation.why == "executors are not captured"


def test_nets_without_layers_prepare_nothing(prepared: list[int]) -> None:
    executor = bound(sym.relu(sym.var("data")))
    for _ in range(4):
        executor.forward()
    assert not prepared
    assert executor.explain().constants_why is None


def test_each_executor_prepares_its_own_weights(prepared: list[int]) -> None:
    symbol = net()
    first, second = bound(symbol), bound(symbol)
    second.arg_dict["conv_weight"][:] = 0.5
    for _ in range(4):
        for executor in (first, second):
            np.testing.assert_allclose(predicted(executor), directly(executor), rtol=1e-4)
    assert len(prepared) == 2


def test_a_swapped_table_prepares_anew(prepared: list[int]) -> None:
    executor = bound(net())
    expected = [predicted(executor) for _ in range(4)][-1]
    with use_kernels(NumpyTable()):
        for _ in range(4):
            np.testing.assert_allclose(predicted(executor), expected, rtol=1e-5)
    np.testing.assert_allclose(predicted(executor), expected, rtol=1e-5)
    assert len(prepared) == 2


def test_a_monitor_sees_the_operators_of_the_symbol() -> None:
    executor = bound(net())
    for _ in range(4):
        executor.forward()
    seen: list[str] = []
    executor.set_monitor_callback(lambda name, _: seen.append(name))
    executor.forward()
    assert seen[0] == "conv_output"
