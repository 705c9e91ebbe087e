"""Recurrent cells, which take one step, and layers, which run over whole sequences."""

from hy_gluon.rnn import rnn_cell as rnn_cell, rnn_layer as rnn_layer
from hy_gluon.rnn.bidirectional import BidirectionalCell as BidirectionalCell
from hy_gluon.rnn.cells import (
    GRUCell as GRUCell,
    LSTMCell as LSTMCell,
    LSTMPCell as LSTMPCell,
    RNNCell as RNNCell,
)
from hy_gluon.rnn.chain import (
    HybridSequentialRNNCell as HybridSequentialRNNCell,
    SequentialRNNCell as SequentialRNNCell,
)
from hy_gluon.rnn.conv_cells import (
    Conv1DGRUCell as Conv1DGRUCell,
    Conv1DLSTMCell as Conv1DLSTMCell,
    Conv1DRNNCell as Conv1DRNNCell,
    Conv2DGRUCell as Conv2DGRUCell,
    Conv2DLSTMCell as Conv2DLSTMCell,
    Conv2DRNNCell as Conv2DRNNCell,
    Conv3DGRUCell as Conv3DGRUCell,
    Conv3DLSTMCell as Conv3DLSTMCell,
    Conv3DRNNCell as Conv3DRNNCell,
)
from hy_gluon.rnn.dynamic import dynamic_unroll as dynamic_unroll
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
from hy_gluon.rnn.variational import VariationalDropoutCell as VariationalDropoutCell
from hy_ndarray.suggestion import suggest_members as _suggest_members

_suggest_members(globals())
