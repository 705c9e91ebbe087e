"""MXNet's module ``gluon.contrib.rnn.rnn_cell``; cells are defined in ``rnn``."""

from hy_gluon.rnn import LSTMPCell, VariationalDropoutCell, dynamic_unroll

__all__ = ["LSTMPCell", "VariationalDropoutCell", "dynamic_unroll"]
