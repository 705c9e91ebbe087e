"""All cells, under the module name that MXNet gave them."""

from hy_gluon.rnn.bidirectional import BidirectionalCell
from hy_gluon.rnn.cells import GRUCell, LSTMCell, RNNCell
from hy_gluon.rnn.chain import HybridSequentialRNNCell, SequentialRNNCell
from hy_gluon.rnn.modifiers import DropoutCell, ModifierCell, ResidualCell, ZoneoutCell
from hy_gluon.rnn.recurrent import HybridRecurrentCell, RecurrentCell

__all__ = [
    "BidirectionalCell",
    "DropoutCell",
    "GRUCell",
    "HybridRecurrentCell",
    "HybridSequentialRNNCell",
    "LSTMCell",
    "ModifierCell",
    "RNNCell",
    "RecurrentCell",
    "ResidualCell",
    "SequentialRNNCell",
    "ZoneoutCell",
]
