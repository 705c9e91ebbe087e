"""The module ``rnn_cell``, under MXNet's path."""

from hy_gluon.rnn import LSTMPCell, VariationalDropoutCell, dynamic_unroll

__all__ = ["LSTMPCell", "VariationalDropoutCell", "dynamic_unroll"]
