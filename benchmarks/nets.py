"""Nets that are timed, under any interpreter that has an ``mxnet``."""

from typing import Any

from mxnet import gluon
from mxnet.gluon import nn


def mlp() -> Any:
    """The MLP 512-256-128-2 of the Symbol tutorial."""
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
    return net


def lenet() -> Any:
    """LeNet, for images of 28x28."""
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(6, kernel_size=5, activation="relu"),
        nn.MaxPool2D(pool_size=2),
        nn.Conv2D(16, kernel_size=5, activation="relu"),
        nn.MaxPool2D(pool_size=2),
        nn.Dense(120, activation="relu"),
        nn.Dense(84, activation="relu"),
        nn.Dense(10),
    )
    return net


class LanguageModel(gluon.HybridBlock):
    """Scores of the word that comes next, ``[steps, batch, vocabulary]``, by two LSTM layers.

    Args:
        vocabulary: How many words there are.
        size: Length of all vectors.
    """

    def __init__(self, vocabulary: int, size: int) -> None:
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(vocabulary, size)
            self.lstm = gluon.rnn.LSTM(size, num_layers=2)
            self.decoder = nn.Dense(vocabulary, flatten=False)

    def hybrid_forward(self, F: Any, x: Any) -> Any:  # noqa: ARG002
        """Scores for words ``[steps, batch]``."""
        return self.decoder(self.lstm(self.embedding(x)))


class EncoderLayer(gluon.HybridBlock):
    """Self-attention and two dense layers, each normalized with its input added.

    Args:
        units: Length of a vector.
        heads: Parts of the vectors that are attended to on their own.
    """

    def __init__(self, units: int, heads: int) -> None:
        super().__init__()
        self._heads = heads
        with self.name_scope():
            self.qkv = nn.Dense(3 * units, flatten=False, in_units=units)
            self.proj = nn.Dense(units, flatten=False, in_units=units)
            self.first = nn.Dense(4 * units, flatten=False, in_units=units)
            self.gelu = nn.GELU()
            self.second = nn.Dense(units, flatten=False, in_units=4 * units)
            self.norm1, self.norm2 = nn.LayerNorm(), nn.LayerNorm()

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Apply the layer to ``[length, batch, units]``."""
        heads, mixed = self._heads, self.qkv(x)  # (length, batch, heads * 3 * size)
        scores = F.contrib.interleaved_matmul_selfatt_qk(mixed, heads=heads)
        attended = F.contrib.interleaved_matmul_selfatt_valatt(
            mixed, F.softmax(scores), heads=heads
        )
        x = self.norm1(x + self.proj(attended))
        return self.norm2(x + self.second(self.gelu(self.first(x))))
