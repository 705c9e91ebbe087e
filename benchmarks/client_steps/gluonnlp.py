"""GluonNLP: a translator's step, a prediction of BERT."""

from typing import Any

import mxnet as mx
from benchmarks.client_steps.gluon import step
from tests.clients.formula import filled
from tests.clients.programs.gluonnlp import models


def training() -> Any:
    """A small Transformer, 8 sentences of 20 words."""
    net = filled(models.translator())
    net.hybridize()
    source, target = models.ids("source", 8, 20), models.ids("target", 8, 20)
    lengths = mx.nd.full((8,), 20)
    cost = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    return step(net, lambda: cost(net(source, target, lengths, lengths)[0], target).mean(), "adam")


def prediction() -> Any:
    """The suite's small BERT."""
    net = filled(models.model("bert_12_768_12", use_decoder=False, use_classifier=False))
    net.hybridize()
    sentence = models.sentence()
    return lambda: net(*sentence)
