"""Convolutional recurrent cells, for sequences of signals, images and volumes."""

from hy_gluon.rnn._conv_steps import ConvGRUStep, ConvLSTMStep, ConvRNNStep

__all__ = [
    "Conv1DGRUCell",
    "Conv1DLSTMCell",
    "Conv1DRNNCell",
    "Conv2DGRUCell",
    "Conv2DLSTMCell",
    "Conv2DRNNCell",
    "Conv3DGRUCell",
    "Conv3DLSTMCell",
    "Conv3DRNNCell",
]


class Conv1DRNNCell(ConvRNNStep, axes=1):
    """Elman RNN cell over signals: :class:`RNNCell` with convolutions."""


class Conv2DRNNCell(ConvRNNStep, axes=2):
    """Elman RNN cell over images: :class:`RNNCell` with convolutions."""


class Conv3DRNNCell(ConvRNNStep, axes=3):
    """Elman RNN cell over volumes: :class:`RNNCell` with convolutions."""


class Conv1DLSTMCell(ConvLSTMStep, axes=1):
    """Long short-term memory cell over signals: :class:`LSTMCell` with convolutions."""


class Conv2DLSTMCell(ConvLSTMStep, axes=2):
    """Long short-term memory cell over images: :class:`LSTMCell` with convolutions."""


class Conv3DLSTMCell(ConvLSTMStep, axes=3):
    """Long short-term memory cell over volumes: :class:`LSTMCell` with convolutions."""


class Conv1DGRUCell(ConvGRUStep, axes=1):
    """Gated recurrent unit cell over signals: :class:`GRUCell` with convolutions."""


class Conv2DGRUCell(ConvGRUStep, axes=2):
    """Gated recurrent unit cell over images: :class:`GRUCell` with convolutions."""


class Conv3DGRUCell(ConvGRUStep, axes=3):
    """Gated recurrent unit cell over volumes: :class:`GRUCell` with convolutions."""
