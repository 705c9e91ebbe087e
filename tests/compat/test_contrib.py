"""``mx.contrib.autograd``, ``io`` and ``tensorboard``, with what MXNet 1.9.1 answered."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.contrib import autograd, tensorboard
from mxnet.contrib.io import DataLoaderIter
from mxnet.model import BatchEndParam


def numbers(array: Any) -> list[float]:
    return [float(value) for value in array.asnumpy()]


def test_recording_and_training_are_switched_together() -> None:
    assert not autograd.set_is_training(True)
    assert mx.autograd.is_recording()
    assert autograd.set_is_training(False)
    with autograd.train_section():
        assert mx.autograd.is_recording()
        assert mx.autograd.is_training()
        with autograd.test_section():
            assert not mx.autograd.is_recording()
            assert not mx.autograd.is_training()
        assert mx.autograd.is_recording()
    assert not mx.autograd.is_training()


def test_gradients_go_where_variables_were_marked() -> None:
    x, gradient = mx.nd.array([1, 2, 3]), mx.nd.zeros(3)
    autograd.mark_variables([x], [gradient])
    with autograd.train_section():
        y = x * x
    autograd.compute_gradient([y])
    assert numbers(gradient) == [2, 4, 6]
    added = mx.nd.zeros(3)
    autograd.mark_variables([x], [added], "add")
    for _ in range(2):
        with autograd.train_section():
            y = x * x
        autograd.backward([y], [mx.nd.array([1, 2, 3])])
    assert numbers(added) == [4, 16, 36]


def test_a_function_gives_its_gradients_and_its_value() -> None:
    def function(a: Any, b: Any) -> Any:
        return a * b + a

    a, b = mx.nd.array([2]), mx.nd.array([5])
    grads, loss = autograd.grad_and_loss(function)(a, b)
    assert ([numbers(grad) for grad in grads], numbers(loss)) == ([[6], [2]], [12])
    assert [numbers(grad) for grad in autograd.grad_and_loss(function, 1)(a, b)[0]] == [[2]]
    assert [numbers(grad) for grad in autograd.grad(function, [0])(a, b)] == [[6]]
    grads, _ = autograd.grad_and_loss(lambda a: [a, 2 * a])(a)
    assert [numbers(grad) for grad in grads] == [[3]]
    with pytest.raises(TypeError, match="autograd input should NDArray, not int"):
        autograd.grad(function)(1, 2)


def test_metrics_become_events_by_epoch(tmp_path: Path) -> None:
    log = tensorboard.LogMetricsCallback(str(tmp_path), "train")
    metric = mx.metric.Accuracy()
    metric.update([mx.nd.array([1])], [mx.nd.array([[0, 1]])])
    log(BatchEndParam(epoch=4, nbatch=7, eval_metric=metric, locals=None))
    log(BatchEndParam(epoch=5, nbatch=7, eval_metric=None, locals=None))
    log.summary_writer.close()
    (file,) = tmp_path.iterdir()
    content = file.read_bytes()
    assert content.count(b"train-accuracy") == 1
    place = content.index(b"train-accuracy")
    assert struct.pack("<f", 1.0) in content[place : place + 30]


def pairs(count: int) -> mx.gluon.data.ArrayDataset:
    data = mx.nd.arange(2 * count).reshape((count, 2))
    return mx.gluon.data.ArrayDataset(data, mx.nd.arange(count))


def test_a_loader_of_gluon_is_an_iterator_of_batches() -> None:
    loader = mx.gluon.data.DataLoader(pairs(5), 2, last_batch="keep")
    batches = DataLoaderIter(loader, "x", "y", "float16")
    assert [tuple(desc) for desc in batches.provide_data] == [("x", (2, 2))]
    assert [tuple(desc) for desc in batches.provide_label] == [("y", (2,))]
    assert batches.batch_size == 2
    for _ in range(2):
        seen = [(b.data[0].asnumpy().tolist(), numbers(b.label[0]), b.pad) for b in batches]
        assert seen == [
            ([[0, 1], [2, 3]], [0, 1], 0),
            ([[4, 5], [6, 7]], [2, 3], 0),
            ([[8, 9], [0, 0]], [4, 0], 1),
        ]
        batches.reset()
    assert next(batches).data[0].dtype == np.float16


def test_a_module_trains_on_a_loader_of_gluon() -> None:
    net = mx.sym.LinearRegressionOutput(
        mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc"), name="softmax"
    )
    batches = DataLoaderIter(mx.gluon.data.DataLoader(pairs(4), 2))
    module = mx.mod.Module(net)
    module.fit(batches, num_epoch=1, eval_metric="mse")
    assert module.get_params()[0]["fc_weight"].shape == (1, 2)


def test_a_loader_without_labels_is_refused() -> None:
    with pytest.raises(mx.MXNetError, match="data and label"):
        DataLoaderIter(mx.gluon.data.DataLoader(mx.nd.arange(3), 3))
