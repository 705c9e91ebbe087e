"""Cells under the module name that MXNet gave them."""

from hy_gluon.rnn import LSTMPCell, VariationalDropoutCell, dynamic_unroll

__all__ = ["LSTMPCell", "VariationalDropoutCell", "dynamic_unroll"]
