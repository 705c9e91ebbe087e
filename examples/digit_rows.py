"""An LSTM and a transformer block read handwritten digits row by row.

The 1,797 digits of 8x8 pixels that ship inside scikit-learn, as sequences of 8 rows. Run it with
``hatch run demo-rows``; each net learns in well under a minute.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_digits

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn, rnn

Floats = npt.NDArray[np.float32]
Change = Callable[[Floats, np.random.Generator], Floats]

CLASSES = 10  # the digits
ROWS = 8
TEST = 360
"""How many of the digits are kept for the test."""
ENOUGH = {"lstm": 0.96, "transformer": 0.95}
"""The accuracy on them that the demo promises."""


class Recurrent(gluon.HybridBlock):
    """An LSTM over the rows in both directions, and one dense layer over all it says."""

    def __init__(self, units: int = 64, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.lstm = rnn.LSTM(units, layout="NTC", bidirectional=True)
            self.out = nn.Dense(CLASSES)

    def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:  # noqa: ARG002
        """Scores ``[N, 10]`` of sequences ``[N, T, C]``."""
        return self.out(self.lstm(x))


class Attention(gluon.HybridBlock):
    """Self-attention with several heads: every row looks at every row."""

    def __init__(self, units: int, heads: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.heads = heads
        self.scale = (units // heads) ** -0.5
        with self.name_scope():
            self.ask = nn.Dense(3 * units, flatten=False)
            self.answer = nn.Dense(units, flatten=False)

    def _split(self, F: Any, x: Any) -> Any:
        """``[N, T, H * C]`` as ``[N * H, T, C]``."""
        x = F.reshape(x, shape=(0, 0, self.heads, -1)).transpose((0, 2, 1, 3))
        return F.reshape(x, shape=(-3, 0, 0))

    def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
        """``[N, T, C]`` to ``[N, T, C]``."""
        query, key, value = (self._split(F, part) for part in self.ask(x).split(3, axis=2))
        weights = F.softmax(F.batch_dot(query, key, transpose_b=True) * self.scale)
        mixed = F.reshape(F.batch_dot(weights, value), shape=(-4, -1, self.heads, 0, 0))
        return self.answer(F.reshape(mixed.transpose((0, 2, 1, 3)), shape=(0, 0, -3)))


class Transformer(gluon.HybridBlock):
    """One transformer block (attention, then two dense layers) and a dense layer over all rows."""

    def __init__(
        self, units: int = 64, heads: int = 4, dropout: float = 0.1, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.embed = nn.Dense(units, flatten=False)
            self.position = self.params.get(
                "position", shape=(1, ROWS, units), init=mx.init.Normal(0.1)
            )
            self.before_attention = nn.LayerNorm()
            self.attention = Attention(units, heads)
            self.think = nn.HybridSequential()
            with self.think.name_scope():
                self.think.add(
                    nn.LayerNorm(),
                    nn.Dense(2 * units, flatten=False),
                    nn.GELU(),
                    nn.Dense(units, flatten=False),
                )
            self.dropout = nn.Dropout(dropout)
            self.out = nn.Dense(CLASSES)

    def hybrid_forward(self, F: Any, x: Any, position: Any) -> Any:
        """Scores ``[N, 10]`` of sequences ``[N, T, C]``."""
        x = F.broadcast_add(self.embed(x), position)
        x = x + self.dropout(self.attention(self.before_attention(x)))
        x = x + self.dropout(self.think(x))
        return self.out(x)


def rows() -> tuple[Floats, Floats]:
    """Sequences ``[1797, 8, 8]`` with values from 0 to 1, shuffled, and their labels."""
    data = load_digits()
    order = np.random.default_rng(0).permutation(len(data.images))
    images = (data.images / 16).astype(np.float32)
    return images[order], data.target.astype(np.float32)[order]


def fit(
    net: gluon.HybridBlock,
    x: Floats,
    labels: Floats,
    epochs: float,
    rate: float,
    batch: int = 64,
    change: Change | None = None,
) -> list[float]:
    """Train ``net`` with Adam and a rate that falls like half a cosine.

    Args:
        net: An initialized net that gives scores.
        x: ``[N, ...]``: what it learns from.
        labels: ``[N]``.
        epochs: Passes over the data; need not be a whole number.
        rate: The learning rate to begin with.
        batch: Items in a step.
        change: Makes each batch a little different in every pass.

    Returns:
        The loss of each step.
    """
    rng = np.random.default_rng(1)
    steps = round(epochs * (len(x) // batch))
    schedule = mx.lr_scheduler.CosineScheduler(steps, base_lr=rate)
    options = {"learning_rate": rate, "lr_scheduler": schedule}
    trainer = gluon.Trainer(net.collect_params(), "adam", options)
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    losses: list[float] = []
    while len(losses) < steps:
        order = rng.permutation(len(x))
        for start in range(0, len(x) - batch + 1, batch):
            indices = order[start : start + batch]
            items = x[indices] if change is None else change(x[indices], rng)
            with autograd.record():
                loss = loss_of(net(nd.array(items)), nd.array(labels[indices]))
            loss.backward()
            trainer.step(batch)
            losses.append(float(loss.mean().asscalar()))
            if len(losses) == steps:
                break
    return losses


def accuracy(net: gluon.HybridBlock, x: Floats, labels: Floats) -> float:
    """Return the share of items whose highest score is at their label."""
    return float((net(nd.array(x)).argmax(axis=1).asnumpy() == labels).mean())


NETS: dict[str, tuple[Callable[[], gluon.HybridBlock], float, float]] = {
    "lstm": (lambda: Recurrent(prefix="lstm_"), 12, 0.01),
    "transformer": (lambda: Transformer(prefix="transformer_"), 8, 0.003),
}
"""How a net is made, for how many epochs it is trained, and the rate."""


def main() -> None:
    """Train both nets, hybridized, and measure them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--net", choices=NETS, action="append", help="default: all")
    options = parser.parse_args()
    x, labels = rows()
    for name in options.net or NETS:
        make, epochs, rate = NETS[name]
        mx.random.seed(1)
        net = make()
        net.initialize(mx.init.Xavier())
        net.hybridize(static_alloc=True, static_shape=True)
        started = time.perf_counter()
        losses = fit(net, x[TEST:], labels[TEST:], epochs, rate)
        seconds = time.perf_counter() - started
        right = accuracy(net, x[:TEST], labels[:TEST])
        print(
            f"{name:12} {len(losses)} steps in {seconds:.1f} s, loss {losses[0]:.3f} -> "
            f"{np.mean(losses[-20:]):.4f}, test accuracy {right:.1%}"
        )
        if right < ENOUGH[name]:
            raise SystemExit(f"{name} did not reach {ENOUGH[name]:.0%}")


if __name__ == "__main__":
    main()
