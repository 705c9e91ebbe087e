"""d2l: a step of its residual network, a prediction of its BERT."""

from typing import Any

from d2l import mxnet as d2l

import mxnet as mx
from benchmarks.client_steps.gluon import step
from mxnet import np, npx
from tests.clients.formula import filled, uniform

npx.set_np()


def training() -> Any:
    """18 layers, 4 images of 32 by 32."""
    net = filled(d2l.resnet18(10))
    net.hybridize()
    x, label = np.array(uniform("x", (4, 3, 32, 32))), np.array([1, 2, 3, 4])
    cost = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    return step(net, lambda: cost(net(x), label).mean())


def prediction() -> Any:
    """Two layers of a Transformer's encoder, 8 sentences of 20 words."""
    net = filled(d2l.TransformerEncoder(100, 32, 64, 4, 2, 0.0))
    net.hybridize()
    x, lengths = np.ones((8, 20)), np.full((8,), 20)
    return lambda: net(x, lengths)
