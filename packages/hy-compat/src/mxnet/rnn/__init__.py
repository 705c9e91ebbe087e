"""``mx.rnn``: symbolic recurrent cells, and tools for their training."""

from hy_ndarray.suggestion import suggest_members as _suggest_members
from mxnet._checkpoint import load_checkpoint as load_checkpoint, save_checkpoint as save_checkpoint
from mxnet.io import DataBatch as DataBatch, DataDesc as DataDesc, DataIter as DataIter
from mxnet.rnn import io as io, rnn as rnn, rnn_cell as rnn_cell
from mxnet.rnn.io import (
    BucketSentenceIter as BucketSentenceIter,
    encode_sentences as encode_sentences,
)
from mxnet.rnn.rnn import (
    do_rnn_checkpoint as do_rnn_checkpoint,
    load_rnn_checkpoint as load_rnn_checkpoint,
    rnn_unroll as rnn_unroll,
    save_rnn_checkpoint as save_rnn_checkpoint,
)
from mxnet.rnn.rnn_cell import (
    BaseConvRNNCell as BaseConvRNNCell,
    BaseRNNCell as BaseRNNCell,
    BidirectionalCell as BidirectionalCell,
    ConvGRUCell as ConvGRUCell,
    ConvLSTMCell as ConvLSTMCell,
    ConvRNNCell as ConvRNNCell,
    DropoutCell as DropoutCell,
    FusedRNNCell as FusedRNNCell,
    GRUCell as GRUCell,
    LSTMCell as LSTMCell,
    ModifierCell as ModifierCell,
    ResidualCell as ResidualCell,
    RNNCell as RNNCell,
    RNNParams as RNNParams,
    SequentialRNNCell as SequentialRNNCell,
    ZoneoutCell as ZoneoutCell,
    init as init,
    ndarray as ndarray,
    numeric_types as numeric_types,
    string_types as string_types,
    symbol as symbol,
)

_suggest_members(globals())
