"""MXNet's ``gluon.contrib.rnn``: cells with projection, variational dropout or convolutions."""

from hy_gluon.contrib.rnn import conv_rnn_cell as conv_rnn_cell, rnn_cell as rnn_cell
from hy_gluon.rnn import (
    Conv1DGRUCell as Conv1DGRUCell,
    Conv1DLSTMCell as Conv1DLSTMCell,
    Conv1DRNNCell as Conv1DRNNCell,
    Conv2DGRUCell as Conv2DGRUCell,
    Conv2DLSTMCell as Conv2DLSTMCell,
    Conv2DRNNCell as Conv2DRNNCell,
    Conv3DGRUCell as Conv3DGRUCell,
    Conv3DLSTMCell as Conv3DLSTMCell,
    Conv3DRNNCell as Conv3DRNNCell,
    LSTMPCell as LSTMPCell,
    VariationalDropoutCell as VariationalDropoutCell,
)
from hy_ndarray.suggestion import suggest_members as _suggest_members

_suggest_members(globals())
