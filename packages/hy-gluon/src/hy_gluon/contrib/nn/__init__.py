"""MXNet's ``gluon.contrib.nn``: branches, pixel shuffle, synchronized batch normalization."""

from hy_gluon.contrib.nn import basic_layers as basic_layers
from hy_gluon.nn import (
    Concurrent as Concurrent,
    HybridConcurrent as HybridConcurrent,
    Identity as Identity,
    PixelShuffle1D as PixelShuffle1D,
    PixelShuffle2D as PixelShuffle2D,
    PixelShuffle3D as PixelShuffle3D,
    SparseEmbedding as SparseEmbedding,
    SyncBatchNorm as SyncBatchNorm,
)
from hy_ndarray.suggestion import suggest_members as _suggest_members

_suggest_members(globals())
