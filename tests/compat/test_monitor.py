"""``mx.monitor.Monitor``: which values it shows, when, and the numbers that MXNet 1.9.1 shows."""

import ctypes
import doctest
import gc
import logging
import re
from typing import Any

import numpy as np
import pytest

import mxnet as mx
import mxnet.mon
import mxnet.monitor

FORWARD = {
    "fc_output": 0.37398753,
    "bn_output": 0.17919753,
    "bn_mean": 0.0,
    "bn_var": 0.9995004,
    "sp_output0": 0.2190179,
    "sp_output1": 0.1843963,
    "sp_output2": 0.11985174,
    "sum_output": 0.39607215,
    "e_output": 0.9000549,
}
ARRAYS = {
    "data": 0.23452081,
    "fc_weight": 0.42622375,
    "fc_bias": 0.2160247,
    "bn_gamma": 0.2160247,
    "bn_beta": 0.2160247,
    "bn_moving_mean": 0.0,
    "bn_moving_var": 1.0,
}
INPUTS = ["sp_data", "sum_lhs", "sum_rhs", "e_input0", "fc_data", "bn_data"]


@pytest.fixture
def executor() -> Any:
    """Several kinds of operators: with weights, states, several outputs, and without any."""
    sym = mx.sym
    fc = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    parts = sym.split(sym.BatchNorm(fc, name="bn", fix_gamma=False), num_outputs=3, name="sp")
    total = sym.elemwise_add(parts[0], parts[1], name="sum")
    bound = sym.Group([total, sym.exp(parts[2], name="e")]).simple_bind(mx.cpu(), data=(2, 4))
    for array in bound.arg_dict.values():
        array[:] = np.arange(array.size).reshape(array.shape) / 10 - 0.3
    bound.aux_dict["bn_moving_var"][:] = 1
    return bound


def watched(executor: Any, **options: Any) -> list[tuple[int, str, str]]:
    monitor = mx.monitor.Monitor(1, **options)
    monitor.install(executor)
    monitor.tic()
    executor.forward()
    return monitor.toc()


def test_outputs_then_arrays_with_the_numbers_of_mxnet(executor: Any) -> None:
    found = watched(executor)
    assert [name for _, name, _ in found] == [*FORWARD, *ARRAYS]
    assert {step for step, _, _ in found} == {1}
    assert all(text.endswith("\t") for _, _, text in found)
    values = {name: float(text) for _, name, text in found}
    assert values == pytest.approx({**FORWARD, **ARRAYS}, rel=1e-6)


def test_inputs_of_operators_too(executor: Any) -> None:
    names = [name for _, name, _ in watched(executor, monitor_all=True)]
    assert set(names) == {*FORWARD, *ARRAYS, *INPUTS}
    # A variable is shown by its own name and as the input it is, in front of the operator's output.
    start = ["data", "fc_data", "fc_weight", "fc_weight", "fc_bias", "fc_bias", "fc_output"]
    assert names[:7] == start
    assert len(names) == 35  # as in MXNet


def test_names_are_matched_from_their_beginning(executor: Any) -> None:
    assert [name for _, name, _ in watched(executor, pattern="bn_m")] == [
        "bn_mean",
        "bn_moving_mean",
        "bn_moving_var",
    ]
    assert watched(executor, pattern="output") == []


def test_sorted_by_name(executor: Any) -> None:
    names = [name for _, name, _ in watched(executor, sort=True)]
    assert names == sorted([*FORWARD, *ARRAYS])


def test_a_statistic_of_ones_own(executor: Any) -> None:
    found = watched(executor, pattern="fc_bias", stat_func=lambda x: x.max())
    assert found == [(1, "fc_bias", "-0.1\t")]
    found = watched(executor, pattern="fc_bias", stat_func=lambda x: [x.max(), x.min()])
    assert found == [(1, "fc_bias", "-0.1\t-0.3\t")]
    found = watched(executor, pattern="fc_bias", stat_func=lambda x: x)
    assert found == [(1, "fc_bias", "[-0.3 -0.2 -0.1]\t")]


def test_a_statistic_that_is_no_array_is_an_error(executor: Any) -> None:
    with pytest.raises(mx.MXNetError, match=r"stat_func returned 3\.0 for 'fc_output'"):
        watched(executor, stat_func=lambda _: 3.0)


def test_one_batch_in_an_interval(executor: Any) -> None:
    monitor = mx.mon.Monitor(3)
    monitor.install(executor)
    counts = []
    for _ in range(7):
        monitor.tic()
        executor.forward()
        counts.append(len(monitor.toc()))
    assert counts == [16, 0, 0, 16, 0, 0, 16]
    assert monitor.toc() == []  # not twice


def test_several_executors(executor: Any) -> None:
    other = mx.sym.exp(mx.sym.var("x"), name="other").bind(mx.cpu(), {"x": mx.nd.zeros((2,))})
    monitor = mx.monitor.Monitor(1, pattern="fc_output|other")
    for exe in (executor, other):
        monitor.install(exe)
    monitor.tic()
    executor.forward()
    other.forward()
    assert [name for _, name, _ in monitor.toc()] == ["fc_output", "other_output"]


def test_the_log(executor: Any, caplog: pytest.LogCaptureFixture) -> None:
    monitor = mx.monitor.Monitor(1, pattern="fc_bias", stat_func=lambda x: x.max())
    monitor.install(executor)
    monitor.tic()
    executor.forward()
    with caplog.at_level(logging.INFO):
        monitor.toc_print()
    assert caplog.messages == ["Batch:       1 fc_bias                        -0.1\t"]


def test_what_cannot_be_watched() -> None:
    with pytest.raises(mx.MXNetError, match="a int cannot be watched; give an Executor"):
        mx.monitor.Monitor(1).install(3)  # type: ignore[arg-type]


def test_values_are_the_same_when_watched(executor: Any) -> None:
    before = [y.asnumpy() for y in executor.forward()]
    watched(executor)
    after = [y.asnumpy() for y in executor.forward()]
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_example_runs() -> None:
    assert doctest.testmod(mxnet.monitor).attempted > 0
    assert doctest.testmod(mxnet.monitor).failed == 0
    assert mxnet.mon.Monitor is mxnet.monitor.Monitor
    assert re.compile(".*") == mxnet.monitor.Monitor(1).re_prog


def small() -> Any:
    layer = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    made = mx.sym.Activation(layer, act_type="relu", name="act").simple_bind(mx.cpu(), data=(1, 3))
    made.arg_dict["data"][:] = 2
    made.arg_dict["fc_weight"][:] = 3
    return made


def test_programs_of_mxnet_decode_the_names_and_cast_the_arrays() -> None:
    """Lines of such programs: names were bytes there, and arrays pointers."""
    bound, seen = small(), {}

    def callback(name: Any, array: Any) -> None:
        handle = ctypes.cast(array, ctypes.c_void_p)
        seen[mx.base.py_str(name)] = mx.nd.NDArray(handle, writable=False).copyto(mx.cpu())

    bound.set_monitor_callback(callback)
    bound.forward()
    assert {name: array.asnumpy().tolist() for name, array in seen.items()} == {
        "fc_output": [[18, 18]],
        "act_output": [[18, 18]],
    }
    assert mx.base.py_str(b"abc") == "abc"


def test_an_array_made_of_a_handle_shares_its_memory_and_a_freed_one_is_refused() -> None:
    array: Any = mx.nd.zeros((2,))
    handle = ctypes.cast(array, ctypes.c_void_p)
    mx.nd.NDArray(handle)[:] = 5
    assert array.asnumpy().tolist() == [5, 5]
    del array
    gc.collect()
    with pytest.raises(mx.MXNetError, match="NDArray cannot be constructed directly"):
        mx.nd.NDArray(handle)


def test_inputs_are_called_as_in_mxnet() -> None:
    bound, seen = small(), []
    bound.set_monitor_callback(lambda name, array: seen.append(name), monitor_all=True)
    bound.forward()
    assert seen[5:] == ["fc_bias", "fc_output", "act_input0", "act_output"]
    net = mx.gluon.nn.HybridSequential(prefix="n_")
    net.add(mx.gluon.nn.Dense(2, prefix="d_", activation="relu"))
    net.initialize()
    net.hybridize()
    hooked = []
    net.register_op_hook(lambda name, op, array: hooked.append(name), monitor_all=True)
    net(mx.nd.ones((1, 3)))
    assert hooked == [
        *("d_fwd_data", "d_fwd_weight", "d_fwd_bias", "d_fwd_output"),
        *("d_relu_fwd_input0", "d_relu_fwd_output"),
    ]


def test_what_watches_a_module_watches_it_for_batches_of_other_sizes() -> None:
    net = mx.sym.Convolution(mx.sym.var("data"), kernel=(1, 1), num_filter=1, name="conv")
    module = mx.mod.Module(net, label_names=None)
    module.bind(for_training=False, data_shapes=[("data", (2, 3, 4, 4))])
    module.init_params()
    monitor = mx.mon.Monitor(1)
    module.install_monitor(monitor)
    for size in (2, 1, 2):
        monitor.tic()
        module.forward(mx.io.DataBatch([mx.nd.ones((size, 3, 4, 4))], None))
        names = [name for _, name, _ in monitor.toc()]
        assert names == ["conv_output", "data", "conv_weight", "conv_bias"]
