"""Nets learn real data: LeNet, an LSTM and a transformer block on scikit-learn's digits.

The nets are those of ``examples/``; the digits are real, the held-out ones are never trained on.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from examples.digit_rows import TEST, Change, Floats, Recurrent, Transformer, accuracy, fit, rows
from examples.lenet_digits import Net, digits
from mxnet import gluon

pytestmark = pytest.mark.slow


def moved(images: Floats, rng: np.random.Generator) -> Floats:
    """Images up to two pixels further, each batch in another direction."""
    shift = rng.integers(-2, 3, 2)
    return np.roll(images, tuple(shift), axis=(2, 3))


@dataclass(frozen=True)
class Task:
    """A net, its data, how it is trained, and what it must reach."""

    make: Callable[[], gluon.HybridBlock]
    data: Callable[[], tuple[Floats, Floats]]
    epochs: float
    rate: float
    enough: float
    change: Change | None = None


TASKS = {
    "lenet": Task(lambda: Net(prefix="lenet_"), digits, 14, 0.004, 0.98, moved),
    "lstm": Task(lambda: Recurrent(prefix="lstm_"), rows, 12, 0.01, 0.96),
    "transformer": Task(lambda: Transformer(prefix="transformer_"), rows, 8, 0.003, 0.95),
}
EACH = pytest.mark.parametrize("name", TASKS)


def begun(task: Task) -> gluon.HybridBlock:
    """The net with the same weights in every test, and the same masks of Dropout to come."""
    net = task.make()
    mx.random.seed(1)
    net.initialize(mx.init.Xavier())
    net(mx.nd.array(task.data()[0][:1]))
    return net


@EACH
def test_a_net_learns_real_data(name: str) -> None:
    task = TASKS[name]
    x, labels = task.data()
    net = begun(task)
    net.hybridize(static_alloc=True, static_shape=True)
    losses = fit(net, x[TEST:], labels[TEST:], task.epochs, task.rate, change=task.change)
    assert losses[0] > 2
    assert np.mean(losses[-20:]) < 0.2
    assert accuracy(net, x[:TEST], labels[:TEST]) >= task.enough


@EACH
@pytest.mark.parametrize(
    "flags", [{}, {"static_alloc": True, "static_shape": True}], ids=["hybrid", "static"]
)
def test_it_learns_the_same_eagerly_and_as_a_graph(name: str, flags: dict[str, Any]) -> None:
    task = TASKS[name]
    x, labels = task.data()
    curves = []
    for hybrid in (False, True):
        net = begun(task)
        if hybrid:
            net.hybridize(**flags)
        curves.append(fit(net, x[TEST:], labels[TEST:], 1, task.rate, change=task.change))
    assert min(curves[0]) < 0.75 * curves[0][0]
    np.testing.assert_allclose(curves[1], curves[0], rtol=1e-4)
