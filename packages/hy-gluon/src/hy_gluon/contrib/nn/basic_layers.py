"""Layers under the module name that MXNet gave them."""

from hy_gluon.nn import (
    Concurrent,
    HybridConcurrent,
    Identity,
    PixelShuffle1D,
    PixelShuffle2D,
    PixelShuffle3D,
    SparseEmbedding,
    SyncBatchNorm,
)

__all__ = [
    "Concurrent",
    "HybridConcurrent",
    "Identity",
    "PixelShuffle1D",
    "PixelShuffle2D",
    "PixelShuffle3D",
    "SparseEmbedding",
    "SyncBatchNorm",
]
