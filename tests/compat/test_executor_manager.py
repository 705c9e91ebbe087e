"""``mx.executor_manager``: a training loop of one's own on several devices, as in MXNet 1.9.1."""

import doctest
from typing import Any

import numpy as np
import pytest

import mxnet as mx
import mxnet.executor_manager as manager_module
from tests.compat.test_module_training import START, TWO, batches, net


def managed(ctx: Any = TWO, **options: Any) -> Any:
    return manager_module.DataParallelExecutorManager(net(), ctx, batches(), **options)


def test_a_batch_on_two_devices() -> None:
    manager = managed()
    assert manager.param_names == list(START)
    manager.set_params(START, {})
    batch = next(batches())
    manager.load_data_batch(batch)
    manager.forward(is_train=True)
    manager.backward()
    assert [[g.shape for g in row] for row in manager.grad_arrays][:2] == [[(4, 5)] * 2, [(4,)] * 2]
    total = sum(grad.asnumpy() for grad in manager.grad_arrays[3])
    np.testing.assert_allclose(total, [1.733816, -0.093723, -1.640094], atol=1e-5)
    metric = mx.metric.create("acc")
    manager.update_metric(metric, batch.label)
    assert metric.get() == ("accuracy", 0.5)
    found = {name: mx.nd.zeros(array.shape) for name, array in START.items()}
    manager.copy_to(found, {})
    for name, array in START.items():
        np.testing.assert_array_equal(found[name].asnumpy(), array.asnumpy())
    assert manager.aux_arrays == []


def test_a_group_by_itself() -> None:
    symbol = net()
    group = manager_module.DataParallelExecutorGroup(
        symbol, symbol.list_arguments(), list(START), [mx.cpu()], [slice(0, 4)], batches()
    )
    group.load_data_batch(next(batches()))
    group.forward(is_train=True)
    group.backward()
    assert group.train_execs[0].outputs[0].shape == (4, 3)
    assert group.param_idx == [1, 2, 3, 4]


def test_buckets_share_parameters() -> None:
    def generate(length: int) -> Any:
        x = mx.sym.sum(mx.sym.var("data"), axis=1, keepdims=True)
        x = mx.sym.FullyConnected(x, num_hidden=length - length + 3, name="fc")
        label = mx.sym.sum(mx.sym.var("softmax_label"), axis=1)
        return mx.sym.SoftmaxOutput(x, label, name="softmax")

    data = mx.rnn.BucketSentenceIter([[1, 2, 3]] * 2 + [[1, 2]] * 2, 2, buckets=[2, 3])
    manager = manager_module.DataParallelExecutorManager(
        generate(3), [mx.cpu()], data, sym_gen=generate
    )
    for batch in data:
        manager.load_data_batch(batch)
        manager.forward()
        assert manager.curr_execgrp.data_arrays[0][0][1].shape == (2, batch.bucket_key)
    groups = list(manager.execgrp_bucket.values())
    assert groups[0].param_arrays[0][0] is groups[1].param_arrays[0][0]
    with pytest.raises(NotImplementedError, match="Monitoring is not implemented for bucketing"):
        manager.install_monitor(mx.mon.Monitor(1))


def test_what_is_refused() -> None:
    a = mx.sym.var("a")
    with pytest.raises(ValueError, match='Find duplicated argument name "a"'):
        manager_module._check_arguments(a + mx.sym.var("a"))
    with pytest.raises(ValueError, match="Invalid settings for work load"):
        managed(work_load_list=[1])
    assert manager_module._split_input_slice(7, [1, 1]) == [slice(0, 4), slice(4, 7)]


def test_the_example_runs() -> None:
    result = doctest.testmod(manager_module)
    assert result.attempted > 0
    assert result.failed == 0
