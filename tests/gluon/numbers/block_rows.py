"""Rows of layers, cells and losses: what is made, and what it is called with."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.gluon.numbers.draw import (
    Values,
    bits,
    chances,
    classes,
    counts,
    distinct,
    given,
    normal,
    positive,
    signs,
)

__all__ = ["BLOCKS", "BlockRow", "Made"]


@dataclass(frozen=True)
class Made:
    """A block: its class below ``gluon``, arguments, blocks for the constructor, blocks to add."""

    name: str
    kwargs: dict[str, Any] = field(default_factory=dict)
    cells: Sequence["Made"] = ()
    add: Sequence["Made"] = ()

    def names(self) -> list[str]:
        """The classes of it and of what is inside."""
        return [self.name, *(n for made in (*self.cells, *self.add) for n in made.names())]

    def __str__(self) -> str:
        kwargs = ",".join(f"{key}={value}" for key, value in self.kwargs.items())
        inner = "+".join(str(made) for made in (*self.cells, *self.add))
        return f"{self.name}({kwargs})" + (f"[{inner}]" if inner else "")


@dataclass(frozen=True)
class BlockRow:
    """A block, its inputs, and how it is called."""

    made: Made
    inputs: tuple[Values | None, ...]
    how: str = "call"
    """``call``; ``step``: the first input, and the others as states; ``unroll``: over axis 1."""
    train: bool = True
    gradient: bool = True
    """Whether MXNet has a gradient, and it is the derivative, so that it is pinned."""

    def __str__(self) -> str:
        shapes = "x".join("None" if i is None else str(list(i.shape)) for i in self.inputs)
        mode = "" if self.train else "-predict"
        return f"{self.made}-{self.how}-{shapes.replace(' ', '')}{mode}"


def _row(name: str, *inputs: Values | None, **kwargs: Any) -> BlockRow:
    return BlockRow(Made(name, kwargs), inputs)


def _step(made: Made, *inputs: Values, train: bool = True) -> BlockRow:
    return BlockRow(made, inputs, "step", train)


def _unroll(made: Made, *inputs: Values, train: bool = True) -> BlockRow:
    return BlockRow(made, inputs, "unroll", train)


_IMAGES = {1: (1, 2, 6), 2: (1, 2, 5, 4), 3: (1, 2, 4, 3, 3)}

_LAYERS = [
    _row("nn.Dense", normal(3, 5), units=4),
    _row("nn.Dense", normal(2, 3, 2), units=2, activation="tanh", flatten=False, use_bias=False),
    BlockRow(Made("nn.Dropout", {"rate": 0.5}), (normal(2, 3),), train=False),
    _row("nn.Dropout", normal(2, 3), rate=0),
    _row("nn.Flatten", normal(2, 3, 2)),
    _row("nn.Embedding", classes(5, 2, 3), input_dim=5, output_dim=2),
    _row("nn.Lambda", normal(2, 3), function="sigmoid"),
    _row("nn.HybridLambda", normal(2, 3), function="tanh"),
    *(
        BlockRow(Made(name, add=(Made("nn.Dense", {"units": 3}), Made("nn.GELU"))), (normal(2, 4),))
        for name in (
            "nn.Sequential",
            "nn.HybridSequential",
            "contrib.nn.Concurrent",
            "contrib.nn.HybridConcurrent",
        )
    ),
    # activations
    *(
        _row("nn.Activation", positive(2, 3), activation=name)
        for name in ("relu", "sigmoid", "tanh", "softrelu", "softsign")
    ),
    _row("nn.LeakyReLU", normal(2, 3), alpha=0.2),
    _row("nn.PReLU", normal(2, 3, 2), in_channels=3),
    _row("nn.ELU", normal(2, 3), alpha=0.7),
    _row("nn.SELU", positive(2, 3)),
    BlockRow(Made("nn.SELU"), (normal(2, 3),), gradient=False),
    _row("nn.GELU", normal(2, 3)),
    _row("nn.Swish", normal(2, 3), beta=1.5),
    # convolutions and pooling
    *(
        _row(f"nn.Conv{d}D{kind}", normal(*shape), channels=2, kernel_size=2)
        for d, shape in _IMAGES.items()
        for kind in ("", "Transpose")
    ),
    _row(
        "nn.Conv2D", normal(1, 4, 5, 5), channels=2, kernel_size=(3, 2), strides=2, padding=(1, 0),
        groups=2, dilation=(1, 2), use_bias=False,
    ),
    _row(
        "nn.Conv2DTranspose", normal(1, 2, 3, 2), channels=4, kernel_size=3, strides=2, padding=1,
        output_padding=1, groups=2, in_channels=2,
    ),
    *(
        _row(f"nn.{kind}Pool{d}D", distinct(*shape), **kwargs)
        for d, shape in _IMAGES.items()
        for kind, kwargs in (
            ("Max", {}),
            ("Max", {"pool_size": 3, "strides": 2, "padding": 1}),
            ("Avg", {}),
            ("Avg", {"pool_size": 3, "strides": 1, "padding": 1, "count_include_pad": False}),
            ("GlobalMax", {}),
            ("GlobalAvg", {}),
        )
    ),
    _row("nn.MaxPool2D", distinct(1, 2, 6, 5), pool_size=2, strides=2, ceil_mode=True),
    _row("nn.ReflectionPad2D", normal(1, 1, 3, 3), padding=1),
    # normalization
    _row("nn.BatchNorm", normal(3, 2, 2)),
    BlockRow(Made("nn.BatchNorm", {"axis": -1, "epsilon": 0.01}), (normal(3, 2),), train=False),
    _row("nn.BatchNorm", normal(4, 2), momentum=0.5, scale=False, center=False),
    _row("nn.BatchNormReLU", normal(3, 2, 2, 1)),  # MXNet has it for images alone
    _row("nn.LayerNorm", normal(3, 4)),
    _row("nn.LayerNorm", normal(2, 3, 2), axis=1, epsilon=0.01),
    _row("nn.InstanceNorm", normal(2, 2, 3)),
    _row("nn.GroupNorm", normal(2, 4, 2), num_groups=2),
    # contrib
    _row("contrib.nn.Identity", normal(2, 3)),
    _row("contrib.nn.SyncBatchNorm", normal(3, 2, 2), num_devices=1),
    _row("contrib.nn.PixelShuffle1D", normal(1, 4, 2), factor=2),
    _row("contrib.nn.PixelShuffle2D", normal(1, 6, 1, 2), factor=(2, 3)),
    _row("contrib.nn.PixelShuffle3D", normal(1, 4, 1, 2, 1), factor=(2, 1, 2)),
    _row("contrib.cnn.DeformableConvolution", normal(1, 2, 4, 3), channels=2, kernel_size=2),
    _row(
        "contrib.cnn.DeformableConvolution", normal(1, 2, 4, 3), channels=2, kernel_size=(3, 2),
        padding=1, strides=(2, 1), num_deformable_group=2, use_bias=False,
    ),
]  # fmt: skip


def _cell(name: str, *cells: Made, **kwargs: Any) -> Made:
    return Made(name, kwargs, cells)


_RNN, _LSTM, _GRU = (_cell(f"rnn.{n}Cell", hidden_size=2) for n in ("RNN", "LSTM", "GRU"))
_STATE = normal(2, 2)
_CONVOLUTIONAL = [
    (f"contrib.rnn.Conv{d}D{kind}Cell", d, 2 if kind == "LSTM" else 1)
    for d in (1, 2, 3)
    for kind in ("RNN", "LSTM", "GRU")
]

_RECURRENT = [
    _step(_RNN, normal(2, 3), _STATE),
    _step(_cell("rnn.RNNCell", hidden_size=2, activation="relu"), normal(2, 3), _STATE),
    _step(_LSTM, normal(2, 3), _STATE, _STATE),
    _step(_GRU, normal(2, 3), _STATE),
    *(_unroll(cell, normal(2, 3, 2)) for cell in (_RNN, _LSTM, _GRU)),
    _unroll(_cell("rnn.ResidualCell", _GRU), normal(2, 3, 2)),
    _unroll(_cell("rnn.BidirectionalCell", _LSTM, _GRU), normal(2, 3, 2)),
    *(
        _unroll(Made(name, add=(_LSTM, _RNN)), normal(2, 3, 2))
        for name in ("rnn.SequentialRNNCell", "rnn.HybridSequentialRNNCell")
    ),
    _unroll(_cell("rnn.DropoutCell", rate=0.5), normal(2, 3, 2), train=False),
    _unroll(_cell("rnn.ZoneoutCell", _RNN, zoneout_outputs=0.5, zoneout_states=0.3),
            normal(2, 3, 2), train=False),
    _unroll(_cell("contrib.rnn.VariationalDropoutCell", _GRU, drop_inputs=0.5, drop_states=0.3),
            normal(2, 3, 2), train=False),
    _unroll(_cell("contrib.rnn.LSTMPCell", hidden_size=3, projection_size=2), normal(2, 3, 2)),
    *(
        _step(
            _cell(name, input_shape=(1, 3, 2, 3)[: d + 1], hidden_channels=1, i2h_kernel=1,
                  h2h_kernel=1),
            normal(1, *(1, 3, 2, 3)[: d + 1]),
            *[normal(1, *(1, 3, 2, 3)[: d + 1])] * states,
        )
        for name, d, states in _CONVOLUTIONAL
    ),
    _row("rnn.RNN", normal(3, 2, 2), hidden_size=2),
    _row("rnn.LSTM", normal(3, 2, 2), hidden_size=2, num_layers=2, bidirectional=True),
    _row("rnn.GRU", normal(2, 3, 2), hidden_size=2, layout="NTC"),
    _step(_cell("rnn.RNN", hidden_size=2, activation="tanh"), normal(3, 2, 2), normal(1, 2, 2)),
    _step(_cell("rnn.LSTM", hidden_size=2), normal(3, 2, 2), *[normal(1, 2, 2)] * 2),
    _step(_cell("rnn.GRU", hidden_size=2), normal(3, 2, 2), normal(1, 2, 2)),
]  # fmt: skip

_PAIR = (normal(3, 4), normal(3, 4))
_WEIGHTS = positive(3, 1)


def _loss(name: str, *inputs: Values | None, **kwargs: Any) -> BlockRow:
    return _row(f"loss.{name}", *inputs, **kwargs)


_LOSSES = [
    *(
        _loss(name, *_PAIR, *rest, **kwargs)
        for name in ("L1Loss", "L2Loss", "HuberLoss")
        for rest, kwargs in (((), {}), ((_WEIGHTS,), {"weight": 2.0}), ((), {"batch_axis": 1}))
    ),
    _loss("HuberLoss", *_PAIR, rho=0.3),
    *(
        _loss(name, normal(3, 4), signs(3, 4), *rest, **kwargs)
        for name in ("HingeLoss", "SquaredHingeLoss", "LogisticLoss")
        for rest, kwargs in (((), {}), ((_WEIGHTS,), {"weight": 2.0}))
    ),
    _loss("HingeLoss", normal(3, 4), signs(3, 4), margin=0.5),
    _loss("SquaredHingeLoss", normal(3, 4), signs(3, 4), margin=0.5),
    _loss("LogisticLoss", normal(3, 4), bits(3, 4), label_format="binary"),
    *(
        _loss("SigmoidBinaryCrossEntropyLoss", positive(3, 4), bits(3, 4), *rest, **kwargs)
        for rest in ((), (_WEIGHTS,), (None, positive(1, 4)))
        for kwargs in ({}, {"from_sigmoid": True})
    ),
    _loss("SigmoidBCELoss", positive(3, 4), bits(3, 4)),
    _loss("SoftmaxCrossEntropyLoss", normal(3, 5), classes(5, 3)),
    _loss("SoftmaxCrossEntropyLoss", normal(3, 5), classes(5, 3), _WEIGHTS, weight=0.5),
    _loss("SoftmaxCrossEntropyLoss", normal(2, 3, 2), classes(3, 2, 2), axis=1),
    _loss("SoftmaxCrossEntropyLoss", normal(3, 5), chances(3, 5), sparse_label=False),
    _loss("SoftmaxCrossEntropyLoss", normal(3, 5), classes(5, 3), from_logits=True),
    _loss("SoftmaxCELoss", normal(3, 5), classes(5, 3)),
    _loss("KLDivLoss", normal(3, 5), chances(3, 5)),
    _loss("KLDivLoss", normal(3, 5), chances(3, 5), from_logits=False),
    _loss("CTCLoss", normal(2, 5, 4), given([[0, 1], [2, -1]])),
    _loss("CTCLoss", normal(5, 2, 4), given([[0, 2], [1, 0]]), layout="TNC", label_layout="TN"),
    _loss("CTCLoss", normal(2, 5, 4), given([[0, 1], [2, 0]]), given([5, 3]), given([2, 1])),
    _loss("TripletLoss", normal(3, 4), normal(3, 4), normal(3, 4), margin=3),
    _loss("PoissonNLLLoss", positive(3, 4), counts(3, 4)),
    _loss("PoissonNLLLoss", positive(3, 4), counts(3, 4), from_logits=False),
    BlockRow(
        Made("loss.PoissonNLLLoss", {"compute_full": True}),
        (positive(3, 4), given([[2, 3, 4, 5]] * 3)),
        gradient=False,
    ),
    _loss("CosineEmbeddingLoss", normal(3, 4), normal(3, 4), given([1, -1, 1])),
    _loss("CosineEmbeddingLoss", normal(3, 4), normal(3, 4), given([-1, -1, 1]), margin=0.2),
    _loss("SDMLLoss", normal(3, 4), normal(3, 4)),
    _loss("SDMLLoss", normal(3, 4), normal(3, 4), smoothing_parameter=0.1),
]

BLOCKS = [*_LAYERS, *_RECURRENT, *_LOSSES]
