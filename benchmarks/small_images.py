"""Images of 64 and 112 pixels, one at a time: weights come from memory for few products each."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

import mxnet as mx
from mxnet import autograd, gluon, nd

Call: TypeAlias = Callable[[], Any]


def _net(name: str, size: int) -> tuple[Any, Any]:
    net = getattr(gluon.model_zoo.vision, name)(classes=1000)
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True)
    x = nd.array(np.random.RandomState(0).standard_normal((1, 3, size, size)).astype("float32"))
    net(x)
    return net, x


def _prediction(name: str, size: int) -> Call:
    net, x = _net(name, size)
    return lambda: net(x).wait_to_read()


def _training(name: str, size: int) -> Call:
    net, x = _net(name, size)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "momentum": 0.9})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    loss_of.hybridize(static_alloc=True, static_shape=True)
    y = nd.zeros((1,))

    def call() -> Any:
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(1)
        nd.waitall()

    return call


def resnet50_64() -> Call:
    """ResNet-50 on one image of 64x64."""
    return _prediction("resnet50_v1", 64)


def resnet50_112() -> Call:
    """ResNet-50 on one image of 112x112."""
    return _prediction("resnet50_v1", 112)


def mobilenet_64() -> Call:
    """MobileNet 1.0 on one image of 64x64."""
    return _prediction("mobilenet1_0", 64)


def mobilenet_112() -> Call:
    """MobileNet 1.0 on one image of 112x112."""
    return _prediction("mobilenet1_0", 112)


def resnet50_64_training() -> Call:
    """A training step of ResNet-50 on one image of 64x64."""
    return _training("resnet50_v1", 64)


def resnet50_112_training() -> Call:
    """A training step of ResNet-50 on one image of 112x112."""
    return _training("resnet50_v1", 112)


def mobilenet_64_training() -> Call:
    """A training step of MobileNet 1.0 on one image of 64x64."""
    return _training("mobilenet1_0", 64)


def mobilenet_112_training() -> Call:
    """A training step of MobileNet 1.0 on one image of 112x112."""
    return _training("mobilenet1_0", 112)


SMALL_IMAGES = (
    resnet50_64,
    resnet50_112,
    mobilenet_64,
    mobilenet_112,
    resnet50_64_training,
    resnet50_112_training,
    mobilenet_64_training,
    mobilenet_112_training,
)
