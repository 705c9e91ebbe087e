"""Rows of whole nets: the losses of the first steps of their training."""

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["CURVES", "CurveRow", "batches", "net"]

STEPS, BATCH, CLASSES = 12, 16, 4


@dataclass(frozen=True)
class CurveRow:
    """A kind of net, the optimizer that trains it, and whether it is hybridized."""

    kind: str
    optimizer: str
    kwargs: dict[str, Any]
    hybrid: bool

    def __str__(self) -> str:
        return f"{self.kind}-{self.optimizer}-{'hybrid' if self.hybrid else 'eager'}"


CURVES = [
    CurveRow(kind, optimizer, kwargs, hybrid)
    for kind in ("convolutional", "recurrent", "attentive")
    for optimizer, kwargs in (
        ("sgd", {"learning_rate": 0.05, "momentum": 0.9, "wd": 1e-3}),
        ("adam", {"learning_rate": 0.01}),
    )
    for hybrid in (False, True)
]


def batches(rng: Any) -> list[tuple[Any, Any]]:
    """Images ``[16, 1, 8, 8]`` with a bright row at the place of their label, and noise."""
    made = []
    for _ in range(STEPS):
        labels = rng.randint(0, CLASSES, BATCH)
        images = rng.standard_normal((BATCH, 1, 8, 8)) / 2
        images[np.arange(BATCH), 0, 2 * labels] += 1
        made.append((images.astype(np.float32), labels.astype(np.float32)))
    return made


def net(mx: Any, kind: str) -> Any:
    """The net, not initialized."""
    return _NETS[kind](mx)


def _convolutional(mx: Any) -> Any:
    nn = mx.gluon.nn
    made = nn.HybridSequential()
    made.add(
        nn.Conv2D(4, 3, activation="relu"),
        nn.MaxPool2D(),
        nn.Conv2D(6, 2, use_bias=False),
        nn.BatchNorm(),
        nn.Activation("relu"),
        nn.Flatten(),
        nn.Dense(8, activation="tanh"),
        nn.Dense(CLASSES),
    )
    return made


def _recurrent(mx: Any) -> Any:
    nn, rnn = mx.gluon.nn, mx.gluon.rnn
    made = nn.HybridSequential()
    made.add(
        nn.HybridLambda(lambda F, x: F.reshape(x, shape=(-1, 8, 8))),
        rnn.LSTM(6, layout="NTC", bidirectional=True),
        rnn.GRU(5, layout="NTC"),
        nn.Dense(CLASSES),
    )
    return made


def _attentive(mx: Any) -> Any:
    nn = mx.gluon.nn

    def attend(F: Any, x: Any) -> Any:
        query, key, value = F.split(x, num_outputs=3, axis=2)
        weights = F.softmax(F.batch_dot(query, key, transpose_b=True) * 0.5)
        return F.batch_dot(weights, value)

    made = nn.HybridSequential()
    made.add(
        nn.HybridLambda(lambda F, x: F.reshape(x, shape=(-1, 8, 8))),
        nn.Dense(12, flatten=False),
        nn.HybridLambda(attend),
        nn.LayerNorm(),
        nn.Dense(8, flatten=False),
        nn.GELU(),
        nn.Dense(CLASSES),
    )
    return made


_NETS = {"convolutional": _convolutional, "recurrent": _recurrent, "attentive": _attentive}
