"""Recurrent cells, which take one step, and layers, which run over whole sequences."""

from hy_gluon.rnn import rnn_cell as rnn_cell, rnn_layer as rnn_layer
from hy_gluon.rnn.bidirectional import BidirectionalCell as BidirectionalCell
from hy_gluon.rnn.cells import GRUCell as GRUCell, LSTMCell as LSTMCell, RNNCell as RNNCell
from hy_gluon.rnn.chain import (
    HybridSequentialRNNCell as HybridSequentialRNNCell,
    SequentialRNNCell as SequentialRNNCell,
)
from hy_gluon.rnn.modifiers import (
    DropoutCell as DropoutCell,
    ModifierCell as ModifierCell,
    ResidualCell as ResidualCell,
    ZoneoutCell as ZoneoutCell,
)
from hy_gluon.rnn.recurrent import (
    HybridRecurrentCell as HybridRecurrentCell,
    RecurrentCell as RecurrentCell,
)
from hy_gluon.rnn.rnn_layer import GRU as GRU, LSTM as LSTM, RNN as RNN
