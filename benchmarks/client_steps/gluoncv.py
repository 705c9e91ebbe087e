"""GluonCV: a classifier's step, a detector's prediction."""

from typing import Any

from gluoncv import model_zoo

import mxnet as mx
from benchmarks.client_steps.gluon import step
from tests.clients.formula import filled, uniform


def training() -> Any:
    """CIFAR ResNet with 20 layers, 32 images."""
    net = filled(model_zoo.get_model("cifar_resnet20_v1", classes=10))
    net.hybridize()
    x, label = mx.nd.array(uniform("x", (32, 3, 32, 32))), mx.nd.arange(32) % 10
    cost = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    return step(net, lambda: cost(net(x), label).mean(), momentum=0.9)


def prediction() -> Any:
    """SSD on an image of 256 by 256."""
    net = filled(
        model_zoo.get_model("ssd_300_mobilenet0.25_voc", pretrained=False, pretrained_base=False)
    )
    net.hybridize()
    x = mx.nd.array(uniform("x", (1, 3, 256, 256)))
    return lambda: net(x)
