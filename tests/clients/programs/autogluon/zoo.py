"""The networks of AutoGluon's extra package, and its search among them."""

from functools import partial
from typing import Any

import numpy as np
from autogluon.core.space import Categorical
from autogluon.extra.contrib.enas import ENAS_MBNet, ENAS_Scheduler
from autogluon.extra.contrib.enas.enas_net import ENAS_MbBlock
from autogluon.extra.model_zoo import get_model
from autogluon.extra.model_zoo.models.mbconv import MBConvBlock
from autogluon.mxnet.utils import collect_params

import mxnet as mx
from tests.clients.forms import in_all_forms
from tests.clients.formula import PERIOD, filled, uniform, words
from tests.clients.program import Checks


def checks(_: str) -> Checks:
    """Networks in all forms, a step, the search."""
    found: Checks = {
        f"efficientnet_b{i}": partial(efficient, f"efficientnet_b{i}") for i in (0, 1, 2)
    }
    return found | {
        "mobile block": block,
        "step": step,
        "supernet": supernet,
        "search": search,
    }


def inputs(size: int) -> Any:
    """Two images."""
    return mx.nd.array(uniform("images", (2, 3, size, size)))


def efficient(name: str) -> Any:
    """A network of the zoo, on small images."""
    net = filled(get_model(name, input_size=64, classes=10), period=PERIOD)
    return in_all_forms(net, inputs(64))


def block() -> Any:
    """One block, with squeezing and without."""
    found = []
    for ratio in (0.25, 0):
        net = MBConvBlock(8, 8, 3, 5, se_ratio=ratio, input_size=12)
        filled(net)
        found.append(in_all_forms(net, mx.nd.array(uniform("block", (2, 8, 12, 12)))))
    return found


def step() -> Any:
    """A step of the smallest network without dropout."""
    net = filled(
        get_model("efficientnet_b0", input_size=96, classes=5, dropout_rate=0), period=PERIOD
    )
    net.hybridize()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    with mx.autograd.record():
        loss = loss_of(net(inputs(96)), mx.nd.array([1, 3]))
    loss.backward()
    trainer.step(2)
    return [loss, net(inputs(96))]


def small() -> Any:
    """A network with two choices; the head of every such network wants 320 channels."""
    common, ratios = {"kernel": Categorical(3, 5), "input_size": 16}, Categorical(1, 2)
    blocks = [
        ENAS_MbBlock(in_channels=32, channels=8, expand_ratio=ratios, **common),
        ENAS_MbBlock(in_channels=8, channels=320, expand_ratio=2, **common),
    ]
    net = ENAS_MBNet(blocks=blocks, num_classes=3, input_size=32, dropout_rate=0)
    return filled(net, period=PERIOD)


def supernet() -> Any:
    """Each choice computes something else; only chosen weights have gradients."""
    net, found = small(), []
    for name, space in net.kwspaces.items():
        for i in range(len(space)):
            net.sample(**{name: i})
            found += [net(inputs(32)), net.nparams]
    net.evaluate_latency(mx.nd.array(uniform("features", (1, 32, 16, 16))))
    assert net.avg_latency > 0
    return [found, list(net.kwspaces)]


def search() -> Any:
    """Epochs of training, choosing, validating and saving; chance, so that it has only to run."""
    net = small()
    rows = mx.nd.array(uniform("rows", (12, 3, 32, 32)))
    data = mx.gluon.data.ArrayDataset(rows, mx.nd.array(words("labels", (12,), 3)))
    net.evaluate_latency(mx.nd.array(uniform("features", (1, 32, 16, 16))))
    made = ENAS_Scheduler(
        net,
        train_set=data,
        val_set=data,
        batch_size=4,
        epochs=2,
        warmup_epochs=1,
        controller_batch_size=2,
        update_arch_frequency=1,
        num_cpus=0,
        checkname="search/checkpoint.ag",
    )
    made.run()
    before = collect_params(net)
    made.load()
    for name, values in collect_params(net).items():
        np.testing.assert_array_equal(values.asnumpy(), before[name].asnumpy())
    return len(made.training_history)
