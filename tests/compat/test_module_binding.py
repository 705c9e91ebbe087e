"""``mx.mod.Module``: binding, shapes, parameters, states, and what is refused."""

import doctest
from typing import Any, NamedTuple

import numpy as np
import pytest

import mxnet as mx
import mxnet._slices
from mxnet.module import (
    base_module,
    bucketing_module,
    module as module_file,
    python_module,
    sequential_module,
)
from tests.compat.test_module_training import START, TWO, X, Y, batches, net, trained

DATA, LABEL = [("data", (4, 5))], [("softmax_label", (4,))]


def bound(context: Any = None, **options: Any) -> Any:
    module = mx.mod.Module(net(), context=context or mx.cpu())
    module.bind(DATA, LABEL, **options)
    module.init_params(mx.init.One())
    return module


def batch(rows: int, columns: int = 5) -> Any:
    return mx.io.DataBatch([mx.nd.ones((rows, columns))], [mx.nd.zeros(rows)])


@pytest.mark.parametrize(
    ("size", "loads", "expected"),
    [
        (7, [1, 1], [(0, 4), (4, 7)]),
        (8, [1, 3], [(0, 2), (2, 8)]),
        (5, [1, 1, 1], [(0, 2), (2, 4), (4, 5)]),
        (10, [1, 1, 1], [(0, 3), (3, 6), (6, 10)]),
        (10, [0.5, 0.1], [(0, 8), (8, 10)]),
    ],
)
def test_parts_of_a_batch(size: int, loads: list[float], expected: list[tuple[int, int]]) -> None:
    found = mxnet._slices.split_input_slice(size, loads)
    assert [(part.start, part.stop) for part in found] == expected


def test_a_device_without_samples_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"Too many slices\. Some splits are empty"):
        mx.mod.Module(net(), context=TWO).bind([("data", (1, 5))], [("softmax_label", (1,))])


def test_each_device_gets_its_part() -> None:
    module = mx.mod.Module(net(), context=TWO, work_load_list=[1, 3])
    module.bind([("data", (8, 5))], [("softmax_label", (8,))])
    module.init_params(arg_params=START, initializer=None)
    module.forward(mx.io.DataBatch([mx.nd.array(X[:8])], [mx.nd.array(Y[:8])]))
    (parts,) = module.get_outputs(merge_multi_context=False)
    assert [part.shape for part in parts] == [(2, 3), (6, 3)]
    alone = trained(num_epoch=1)
    alone.set_params(START, {})
    expected = alone.predict(X[:8]).asnumpy()
    np.testing.assert_allclose(module.get_outputs()[0].asnumpy(), expected, rtol=1e-5)
    assert module.output_shapes == [("softmax_output", (8, 3))]


def test_batches_of_other_sizes_are_taken() -> None:
    module = bound()
    for rows in (4, 2, 7, 4):
        module.forward(batch(rows), is_train=True)
        module.backward()
        assert module.get_outputs()[0].shape == (rows, 3)
        assert module.data_shapes[0].shape == (rows, 5)
        assert module.label_shapes[0].shape == (rows,)


def test_executors_of_all_sizes_share_weights_and_gradients() -> None:
    module = bound()
    first = module._exec_group.execs[0]
    module.forward(batch(2), is_train=True)
    second = module._exec_group.execs[0]
    assert second is not first
    assert second.arg_dict["fc1_weight"] is first.arg_dict["fc1_weight"]
    assert second.grad_dict["fc1_weight"] is first.grad_dict["fc1_weight"]
    module.forward(batch(4), is_train=True)
    assert module._exec_group.execs[0] is first


def test_executors_of_few_sizes_are_kept() -> None:
    module = bound()
    weight = module._exec_group.param_arrays[0][0]
    for rows in (*range(1, 20), 19, 1):
        module.forward(batch(rows), is_train=True)
        assert module._exec_group.param_arrays[0][0] is weight
    assert len(module._exec_group._bound) == 8


def test_labels_of_numpy() -> None:
    module = bound(TWO)
    module.forward(batch(4))
    metric = mx.metric.create("acc")
    module.update_metric(metric, [np.zeros(4)])
    assert metric.get() == ("accuracy", 1.0)


def test_prediction_needs_no_labels() -> None:
    module = bound()
    for rows in (2, 4, 3):
        data = mx.io.DataBatch([mx.nd.ones((rows, 5))])
        module.forward(data, is_train=False)
        assert module.get_outputs()[0].shape == (rows, 3)


class Batch(NamedTuple):
    """What programs call forward with, where there are no labels."""

    data: list[Any]


@pytest.mark.parametrize("as_numpy", [True, False])
def test_a_batch_may_be_anything_with_data(as_numpy: bool) -> None:
    module = bound()
    module.set_params(START, {})
    for rows in (3, 4):
        array = X[:rows] if as_numpy else mx.nd.array(X[:rows])
        module.forward(Batch([array]), is_train=False)
        expected = module.predict(X[:rows]).asnumpy()
        np.testing.assert_array_equal(module.get_outputs()[0].asnumpy(), expected)
        assert expected.shape == (rows, 3)


def test_a_list_of_a_batch_for_each_device() -> None:
    module = bound(TWO)
    module.set_params(START, {})
    parts = [batch_of(slice(0, 3)), batch_of(slice(3, 6))]
    module.forward(parts, is_train=True)
    found = module.get_outputs()[0].asnumpy()
    metric = mx.metric.create("acc")
    module.update_metric(metric, [part.label for part in parts], pre_sliced=True)
    assert metric.num_inst == 6
    np.testing.assert_array_equal(found, module.predict(X[:6]).asnumpy())
    with pytest.raises(ValueError, match="shape"):
        module.forward([batch_of(slice(0, 1)), batch_of(slice(1, 6))])


def batch_of(part: slice) -> Any:
    return mx.io.DataBatch([mx.nd.array(X[part])], [mx.nd.array(Y[part])])


def test_wrong_features_are_refused_and_nothing_changes() -> None:
    module = bound()
    with pytest.raises(mx.MXNetError, match=r"'fc1_weight' would change from \(4, 5\) to \(4, 7\)"):
        module.forward(batch(2, 7))
    module.forward(batch(4))
    assert module.get_outputs()[0].shape == (4, 3)


def test_inputs_of_which_one_has_another_size() -> None:
    module = mx.mod.Module(net())
    with pytest.raises(mx.MXNetError, match="must have the same batch size"):
        module.bind([("data", (4, 5))], [("softmax_label", (3,))])


def test_gradients_of_inputs() -> None:
    module = bound(inputs_need_grad=True)
    module.forward_backward(batch(4))
    assert module.get_input_grads()[0].shape == (4, 5)
    with pytest.raises(mx.MXNetError, match="bind with inputs_need_grad=True"):
        bound().get_input_grads()


def test_values_of_parameters() -> None:
    module = bound()
    module.set_params({"fc1_weight": mx.nd.ones((4, 5)) * 3}, {}, allow_missing=True)
    assert float(module.get_params()[0]["fc1_weight"].sum().asscalar()) == 60
    assert float(module.get_params()[0]["fc2_weight"].sum().asscalar()) == 12
    extra = {**module.get_params()[0], "foo": mx.nd.ones(1)}
    module.set_params(extra, {})  # as MXNet, which looks only for what it has
    with pytest.raises(ValueError, match='Find name "foo" that is not in the arguments'):
        module.set_params(extra, {}, allow_missing=True)
    module.set_params(extra, {}, allow_missing=True, allow_extra=True)
    with pytest.warns(UserWarning, match=r"force_init=False\. set_params call ignored"):
        module.set_params(START, {}, allow_missing=True, force_init=False)


@pytest.mark.parametrize("allow_missing", [True, False])
def test_a_value_of_another_shape_changes_nothing(allow_missing: bool) -> None:
    module = bound()
    values = {**START, "fc2_bias": mx.nd.ones(4)}
    with pytest.raises(mx.MXNetError, match=r"'fc2_bias' has shape \(3,\), its value \(4,\)"):
        module.set_params(values, {}, allow_missing=allow_missing)
    assert float(module.get_params()[0]["fc1_weight"].sum().asscalar()) == 20
    module.forward(batch(4))
    assert float(module.get_outputs()[0].sum().asscalar()) == pytest.approx(4)


def test_initializers_of_variables_come_first() -> None:
    weight = mx.sym.var("w", init=mx.init.Constant(7))
    x = mx.sym.FullyConnected(mx.sym.var("data"), weight, num_hidden=2, no_bias=True)
    module = mx.mod.Module(x, label_names=None)
    module.bind([("data", (1, 3))])
    module.init_params(mx.init.Zero())
    assert module.get_params()[0]["w"].asnumpy().tolist() == [[7] * 3] * 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"data_names": ["foo"]}, "input with name 'foo' is not found"),
        ({"fixed_param_names": ["x"]}, "fixed_param_names=.*'x' is not found"),
        ({"state_names": ["s"]}, "state_names=.*'s' is not found"),
        ({"work_load_list": [1, 2]}, "work_load_list has 2 numbers for 1 devices"),
    ],
)
def test_names_that_are_no_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(mx.MXNetError, match=message):
        mx.mod.Module(net(), **arguments)


def test_labels_that_are_no_arguments_warn() -> None:
    with pytest.warns(UserWarning, match="'foo_label' is not found in symbol.list_arguments"):
        mx.mod.Module(net(), label_names=["foo_label"])
    with pytest.warns(UserWarning, match="Data provided by label_shapes don't match names"):
        mx.mod.Module(net()).bind(DATA)
    with pytest.raises(ValueError, match="Data provided by data_shapes don't match names"):
        mx.mod.Module(net()).bind([("foo", (4, 5))], LABEL)


def test_labels_of_another_name_than_the_graphs_are_refused() -> None:
    module = mx.mod.Module(net())
    data = mx.io.NDArrayIter(np.ones((4, 5)), np.ones(4), 4, label_name="foo_label")
    message = r"the data have labels \['foo_label'\], but the graph has \['softmax_label'\]"
    # MXNet raises KeyError; without an error the net would learn labels of 0.
    with (
        pytest.warns(UserWarning, match="Data provided by label_shapes"),
        pytest.raises(KeyError, match=message),
    ):
        module.fit(data, num_epoch=1)


def test_a_graph_without_labels_takes_no_notice_of_those_of_its_data() -> None:
    outputs = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2)
    module = mx.mod.Module(outputs, label_names=None)
    with pytest.warns(UserWarning, match="Data provided by label_shapes"):
        module.bind(DATA, LABEL, for_training=False)
    module.init_params(mx.init.One())
    module.forward(mx.io.DataBatch([mx.nd.ones((4, 5))], [mx.nd.ones(4)]))
    assert (module.get_outputs()[0].asnumpy() == 5).all()


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (lambda m: m.data_shapes, "call bind before"),
        (lambda m: m.forward(batch(4)), "call bind and init_params before"),
        (lambda m: m.init_params(), "call bind before initializing the parameters"),
        (lambda m: m.init_optimizer(), "call bind and init_params before"),
        (lambda m: m.save_optimizer_states("x"), "call init_optimizer before"),
        (lambda m: m.save_checkpoint("x", 1, True), "call init_optimizer before"),
    ],
)
def test_steps_out_of_order(step: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        step(mx.mod.Module(net()))


def test_what_cannot_be_of_a_bound_module() -> None:
    module = mx.mod.Module(net())
    module.bind(DATA, LABEL, for_training=False)
    module.init_params()
    module.forward(mx.io.DataBatch([mx.nd.ones((4, 5))]))
    with pytest.raises(mx.MXNetError, match="re-bind with for_training=True to run backward"):
        module.backward()
    with pytest.raises(mx.MXNetError, match="call init_optimizer before"):
        module.update()
    with pytest.raises(mx.MXNetError, match="optimizer must be an Optimizer or the name"):
        module.init_optimizer(optimizer=3)
    with pytest.raises(mx.MXNetError, match="kvstore must be KVStore, str or None"):
        module.init_optimizer(kvstore=3)
    with pytest.raises(mx.MXNetError, match="inputs_need_grad needs for_training=True"):
        mx.mod.Module(net()).bind(DATA, LABEL, for_training=False, inputs_need_grad=True)
    assert not module.optimizer_initialized


def test_an_optimizer_of_ones_own_is_warned_about() -> None:
    module = bound()
    with pytest.warns(UserWarning, match=r"rescale_grad is not normalized.*\(1.0 vs. 0.25\)"):
        module.init_optimizer(optimizer=mx.optimizer.SGD(learning_rate=0.5))
    module.init_optimizer(optimizer_params=[("learning_rate", 0.5)], force_init=True)
    assert module._optimizer.rescale_grad == 0.25
    assert module._optimizer.idx2name[0] == "fc1_weight"


def test_states() -> None:
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="f") + mx.sym.var("h")
    outputs = mx.sym.Group([mx.sym.MakeLoss(mx.sym.sum(x, axis=1)), mx.sym.BlockGrad(x)])
    module = mx.mod.Module(outputs, label_names=None, state_names=["h"])
    module.bind([("data", (2, 4))])
    module.init_params(mx.init.One())
    data = mx.io.DataBatch([mx.nd.ones((2, 4))])
    module.set_states(value=2.0)
    module.forward(data)
    assert module.get_outputs()[0].asnumpy().tolist() == [18, 18]
    module.set_states(states=[[mx.nd.ones((2, 3)) * 5]])
    module.forward(data)
    assert module.get_outputs()[0].asnumpy().tolist() == [27, 27]
    assert module.get_states(merge_multi_context=False)[0][0].asnumpy().tolist() == [[5] * 3] * 2
    with pytest.raises(mx.MXNetError, match="At least one of states & value"):
        module.set_states()
    with pytest.raises(mx.MXNetError, match="Only one of states & value"):
        module.set_states(states=[[mx.nd.ones((2, 3))]], value=2)
    with pytest.raises(mx.MXNetError, match="merge_multi_context=True is not supported"):
        module.get_states()


def test_a_module_that_shares_parameters() -> None:
    first = bound()
    first.init_optimizer()
    second = mx.mod.Module(net())
    second.bind([("data", (2, 5))], [("softmax_label", (2,))], shared_module=first)
    second.forward_backward(batch(2))
    second.update()
    np.testing.assert_array_equal(
        second._exec_group.param_arrays[0][0].asnumpy(),
        first._exec_group.param_arrays[0][0].asnumpy(),
    )
    assert second._updater is first._updater


def test_time_major_data_is_cut_along_its_samples() -> None:
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, flatten=False, name="f")
    x = mx.sym.identity(x, attr={"__layout__": "TNC"})
    module = mx.mod.Module(x, label_names=None, context=TWO)
    module.bind([mx.io.DataDesc("data", (5, 4, 2), layout="TNC")])
    module.init_params(mx.init.One())
    data = mx.nd.array(np.arange(40).reshape(5, 4, 2))
    module.forward(mx.io.DataBatch([data]))
    np.testing.assert_array_equal(
        module.get_outputs()[0].asnumpy()[..., 0], data.asnumpy().sum(axis=2)
    )
    assert module._exec_group.execs[0].arg_dict["data"].shape == (5, 2, 2)
    module.backward([mx.nd.ones((5, 4, 3))])
    total = sum(row.asnumpy() for row in module._exec_group.grad_arrays[1])
    assert total.tolist() == [20] * 3


def test_binding_anew_keeps_the_parameters() -> None:
    module = trained()
    before = {k: v.asnumpy() for k, v in module.get_params()[0].items()}
    module.forward_backward(next(batches()))
    module.update()
    changed = module.get_params()[0]["fc2_bias"].asnumpy()
    module.bind([("data", (2, 5))], [("softmax_label", (2,))], force_rebind=True)
    after = module.get_params()[0]
    np.testing.assert_array_equal(after["fc2_bias"].asnumpy(), changed)
    assert (after["fc2_bias"].asnumpy() != before["fc2_bias"]).any()


def test_arrays_of_a_batch_may_be_written_to_after_forward() -> None:
    module = bound()
    data, label = mx.nd.ones((4, 5)), mx.nd.zeros(4)
    module.forward(mx.io.DataBatch([data], [label]), is_train=True)
    data[:] = 100
    label[:] = 1
    module.backward()
    found = module._exec_group.grad_arrays[3][0].asnumpy()
    np.testing.assert_allclose(found, [-8 / 3, 4 / 3, 4 / 3], rtol=1e-5)
    assert module._exec_group.data_arrays[0][0][1].asnumpy().max() == 1


def test_mod_is_module() -> None:
    assert mx.mod is mx.module
    assert mx.mod.Module is mx.module.module.Module


@pytest.mark.filterwarnings("ignore:Data provided by label_shapes")
def test_the_examples_run() -> None:
    for file in (
        base_module,
        bucketing_module,
        module_file,
        python_module,
        sequential_module,
        mxnet._slices,
    ):
        result = doctest.testmod(file)
        assert result.attempted > 0
        assert result.failed == 0


def test_a_group_of_executors_takes_names_and_shapes() -> None:
    layer = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    group = mx.module.executor_group.DataParallelExecutorGroup(
        symbol=mx.sym.SoftmaxOutput(layer, name="softmax"),
        contexts=[mx.cpu(0)],
        workload=[1],
        data_shapes=[("data", (4, 5))],
        label_shapes=[("softmax_label", (4,))],
        param_names=["fc_weight", "fc_bias"],
        for_training=True,
        inputs_need_grad=False,
    )
    assert [x.shape for x in group.execs[0].arg_arrays] == [(4, 5), (3, 5), (3,), (4,)]
    group.reshape([("data", (2, 5))], [("softmax_label", (2,))])
    assert group.execs[0].arg_arrays[0].shape == (2, 5)
