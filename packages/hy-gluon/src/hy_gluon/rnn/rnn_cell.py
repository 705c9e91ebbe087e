"""MXNet's module ``gluon.rnn.rnn_cell``, with all cells of ``rnn``."""

from hy_gluon.rnn.bidirectional import BidirectionalCell
from hy_gluon.rnn.cells import GRUCell, LSTMCell, RNNCell
from hy_gluon.rnn.chain import HybridSequentialRNNCell, SequentialRNNCell
from hy_gluon.rnn.for_cells import (
    cells_begin_state as _cells_begin_state,
    cells_state_info as _cells_state_info,
    format_sequence as _format_sequence,
    get_begin_state as _get_begin_state,
    mask_sequence_variable_length as _mask_sequence_variable_length,
    reverse_sequences as _reverse_sequences,
)
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
    "_cells_begin_state",
    "_cells_state_info",
    "_format_sequence",
    "_get_begin_state",
    "_mask_sequence_variable_length",
    "_reverse_sequences",
]
