"""Module ``mxnet.rnn.rnn_cell``, MXNet's path of the symbolic cells."""

from hy_gluon import initializer as init
from hy_ndarray import nd as ndarray
from hy_symbol import sym as symbol
from mxnet.base import numeric_types, string_types
from mxnet.rnn.base import BaseRNNCell, RNNParams
from mxnet.rnn.cells import GRUCell, LSTMCell, RNNCell
from mxnet.rnn.composed import BidirectionalCell, SequentialRNNCell
from mxnet.rnn.conv import BaseConvRNNCell, ConvGRUCell, ConvLSTMCell, ConvRNNCell
from mxnet.rnn.fused import FusedRNNCell
from mxnet.rnn.modifiers import DropoutCell, ModifierCell, ResidualCell, ZoneoutCell

__all__ = [
    "BaseConvRNNCell",
    "BaseRNNCell",
    "BidirectionalCell",
    "ConvGRUCell",
    "ConvLSTMCell",
    "ConvRNNCell",
    "DropoutCell",
    "FusedRNNCell",
    "GRUCell",
    "LSTMCell",
    "ModifierCell",
    "RNNCell",
    "RNNParams",
    "ResidualCell",
    "SequentialRNNCell",
    "ZoneoutCell",
    "init",
    "ndarray",
    "numeric_types",
    "string_types",
    "symbol",
]
