"""First calls: a hybridized block is traced, inferred and run; if called again, planned, compiled.

``hybridize`` forgets what was made of a block, in hy as in MXNet, so that each call is a first one;
blocks are built and parameters drawn before.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import mxnet as mx
from mxnet import gluon, nd

Call: TypeAlias = Callable[[], Any]


class Chain(gluon.HybridBlock):
    """Additions and ReLUs in turn."""

    def __init__(self, operators: int) -> None:
        super().__init__()
        self._pairs = operators // 2

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """The chain on an array of any shape."""
        for _ in range(self._pairs):
            x = F.relu(x + 1)
        return x


class Unrolled(gluon.HybridBlock):
    """Two LSTM cells of 40, from zeros for a batch of whatever size the data turn out to have."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self._steps = steps
        with self.name_scope():
            self.lower, self.upper = (gluon.rnn.LSTMCell(40, input_size=40) for _ in range(2))

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Outputs ``[steps, batch, 40]`` for inputs ``[steps, batch, 40]``."""
        cells = self.lower, self.upper
        states = [[F.zeros(shape=(0, 40)) for _ in range(2)] for _ in cells]
        outputs = []
        for step in F.SliceChannel(x, num_outputs=self._steps, axis=0, squeeze_axis=True):
            y = step
            for i, cell in enumerate(cells):
                y, states[i] = cell(y, states[i])
            outputs.append(y)
        return F.stack(*outputs)


def first(net: Any, x: Any, calls: int = 1) -> Call:
    """Calls of a block, the first of them as if there were none before."""
    net.initialize(mx.init.Xavier())

    def call() -> Any:
        net.hybridize(static_alloc=True, static_shape=True)
        for _ in range(calls):
            net(x).wait_to_read()

    return call


def chain_6000_first() -> Call:
    """The first call of a chain of 6,000 operators on one number."""
    return first(Chain(6000), nd.ones((1,)))


def chain_50000_first() -> Call:
    """The first call of a chain of 50,000 operators on one number."""
    return first(Chain(50_000), nd.ones((1,)))


def unrolled_36_first() -> Call:
    """The first call of two LSTM cells over 36 steps, states of a size to infer."""
    return first(Unrolled(36), nd.ones((36, 32, 40)))


def unrolled_360_first() -> Call:
    """The first call of two LSTM cells over 360 steps, states of a size to infer."""
    return first(Unrolled(360), nd.ones((360, 32, 40)))


def resnet50_first() -> Call:
    """The first call of ResNet-50, on one image of 64x64."""
    net = gluon.model_zoo.vision.resnet50_v1(classes=1000)
    return first(net, nd.ones((1, 3, 64, 64)))


def chain_6000_three() -> Call:
    """The first three calls of a chain of 6,000 operators on one number."""
    return first(Chain(6000), nd.ones((1,)), 3)


def unrolled_36_three() -> Call:
    """The first three calls of two LSTM cells over 36 steps, states of a size to infer."""
    return first(Unrolled(36), nd.ones((36, 32, 40)), 3)


def resnet50_three() -> Call:
    """The first three calls of ResNet-50, on one image of 64x64."""
    net = gluon.model_zoo.vision.resnet50_v1(classes=1000)
    return first(net, nd.ones((1, 3, 64, 64)), 3)


FIRST_CALLS = (
    chain_6000_first,
    chain_50000_first,
    unrolled_36_first,
    unrolled_360_first,
    resnet50_first,
    chain_6000_three,
    unrolled_36_three,
    resnet50_three,
)
