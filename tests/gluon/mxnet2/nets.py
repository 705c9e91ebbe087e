"""Small nets in the API of MXNet 2, for the files that `make` records."""

from collections.abc import Callable
from typing import Any

__all__ = ["NETS", "inputs_of"]


def lenet(mx: Any) -> Any:
    """A convolutional net with batch normalisation, adaptive pooling and dropout."""
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(4, 3, activation="relu"),
        nn.MaxPool2D(2, 2),
        nn.BatchNorm(),
        nn.Conv2D(6, 3, padding=1, use_bias=False),
        nn.AvgPool2D(2, 2),
        nn.LeakyReLU(0.1),
        nn.Flatten(),
        nn.Dense(8, activation="tanh"),
        nn.Dropout(0.5),
        nn.LayerNorm(),
        nn.Dense(3),
    )
    return net


def recurrent(mx: Any, kind: str, **options: Any) -> Any:
    """An embedding, a recurrent layer, and a layer over its outputs."""
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    net.add(
        nn.Embedding(7, 3),
        getattr(mx.gluon.rnn, kind)(4, num_layers=2, **options),
        nn.Dense(2, flatten=False),
    )
    return net


def bert(mx: Any) -> Any:
    """One layer of a transformer's encoder, with a mask made of lengths."""
    nn, np, npx = mx.gluon.nn, mx.np, mx.npx

    class Bert(mx.gluon.HybridBlock):  # type: ignore[misc]  # untyped
        def __init__(self) -> None:
            super().__init__()
            self.word = nn.Embedding(11, 8)
            self.position = nn.Embedding(6, 8)
            self.norm0 = nn.LayerNorm()
            self.qkv = nn.Dense(24, flatten=False)
            self.proj = nn.Dense(8, flatten=False)
            self.norm1 = nn.LayerNorm()
            self.ffn1 = nn.Dense(16, flatten=False)
            self.ffn2 = nn.Dense(8, flatten=False)
            self.norm2 = nn.LayerNorm()
            self.pooler = nn.Dense(4, activation="tanh", flatten=False)

        def forward(self, tokens: Any, lengths: Any) -> Any:
            steps = npx.arange_like(tokens, axis=1)
            x = self.word(tokens) + np.expand_dims(self.position(steps), axis=0)
            x = self.norm0(x)
            mask = np.expand_dims(steps, 0) < np.expand_dims(lengths, 1)
            mask = np.expand_dims(np.expand_dims(mask, 1), 1)
            q, k, v = np.split(self.qkv(x), 3, axis=-1)

            def heads(y: Any) -> Any:
                return np.transpose(npx.reshape(y, (-2, -2, 2, -1)), (0, 2, 1, 3))

            q, k, v = heads(q), heads(k), heads(v)
            scores = npx.batch_dot(
                npx.reshape(q, (-5, -2, -2)), npx.reshape(k, (-5, -2, -2)), transpose_b=True
            )
            scores = npx.reshape(scores, (-6, -1, 2, -2, -2)) / 2.0
            weights = npx.masked_softmax(scores, mask, axis=-1)
            mixed = npx.batch_dot(npx.reshape(weights, (-5, -2, -2)), npx.reshape(v, (-5, -2, -2)))
            mixed = np.transpose(npx.reshape(mixed, (-6, -1, 2, -2, -2)), (0, 2, 1, 3))
            mixed = npx.reshape(mixed, (-2, -2, -1))
            x = self.norm1(x + self.proj(mixed))
            x = self.norm2(x + self.ffn2(npx.leaky_relu(self.ffn1(x), act_type="gelu")))
            first = x[:, 0, :]
            return x, self.pooler(first)

    return Bert()


NETS: dict[str, Callable[[Any], Any]] = {
    "lenet": lenet,
    "lstm": lambda mx: recurrent(mx, "LSTM", bidirectional=True),
    "gru": lambda mx: recurrent(mx, "GRU"),
    "rnn": lambda mx: recurrent(mx, "RNN", bidirectional=True, layout="NTC"),
    "bert": bert,
}


def inputs_of(name: str, rng: Any) -> list[Any]:
    """Arrays of numpy that a net is called with."""
    if name == "lenet":
        return [rng.standard_normal((2, 1, 12, 12)).astype("float32")]
    if name == "bert":
        return [
            rng.integers(0, 11, (2, 5)).astype("float32"),
            rng.integers(2, 6, (2,)).astype("float32"),
        ]
    return [rng.integers(0, 7, (5, 2)).astype("float32")]
