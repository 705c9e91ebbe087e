"""Whole epochs, with batches and a metric, by Module.fit and by a loop over a Gluon net."""

import logging
import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

import mxnet as mx
from benchmarks.nets import mlp
from mxnet import autograd, gluon, nd

Call: TypeAlias = Callable[[], Any]
OPTIMIZER = {"learning_rate": 0.01, "momentum": 0.9}


def _data(batches: int, batch: int, classes: int, *shape: int) -> Any:
    values = np.random.RandomState(0).standard_normal((batches * batch, *shape))
    labels = np.arange(batches * batch) % classes
    return mx.io.NDArrayIter(nd.array(values.astype("float32")), nd.array(labels), batch)


def _resnet() -> Any:
    return gluon.model_zoo.vision.resnet18_v1(classes=10)


def _module(net: Any, data: Any) -> Call:
    """An epoch of the net's graph by :meth:`Module.fit`."""
    symbol = mx.sym.SoftmaxOutput(net(mx.sym.var("data")), name="softmax")
    logger = logging.getLogger("benchmarks.epochs")
    logger.setLevel(logging.ERROR)
    module = mx.mod.Module(symbol, logger=logger)
    module.bind(data.provide_data, data.provide_label)
    module.init_params(mx.init.Xavier())
    module.init_optimizer(optimizer_params=OPTIMIZER)

    warnings.filterwarnings("ignore", "Parameters already initialized")

    def call() -> Any:
        data.reset()
        module.fit(data, num_epoch=1)

    return call


def _gluon(net: Any, data: Any) -> Call:
    """An epoch of the net by a loop."""
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True)
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    loss_of.hybridize(static_alloc=True, static_shape=True)
    trainer = gluon.Trainer(net.collect_params(), "sgd", OPTIMIZER)
    metric = mx.metric.create("acc")

    def call() -> Any:
        data.reset()
        metric.reset()
        for batch in data:
            x, y = batch.data[0], batch.label[0]
            with autograd.record():
                scores = net(x)
                loss = loss_of(scores, y)
            loss.backward()
            trainer.step(x.shape[0])
            metric.update([y], [scores])
        nd.waitall()

    return call


def mlp_epoch_module() -> Call:
    """The MLP, 16 batches of 64, by Module.fit."""
    return _module(mlp(), _data(16, 64, 2, 512))


def mlp_epoch_gluon() -> Call:
    """The same by a loop over a Gluon net."""
    return _gluon(mlp(), _data(16, 64, 2, 512))


def resnet18_epoch_module() -> Call:
    """ResNet-18, 4 batches of 16 images of 32x32, by Module.fit."""
    return _module(_resnet(), _data(4, 16, 10, 3, 32, 32))


def resnet18_epoch_gluon() -> Call:
    """The same by a loop over a Gluon net."""
    return _gluon(_resnet(), _data(4, 16, 10, 3, 32, 32))


EPOCHS = (mlp_epoch_module, mlp_epoch_gluon, resnet18_epoch_module, resnet18_epoch_gluon)
