"""Batching rules of vmap, which compute all samples at once, by family of operators."""

from hy_ndarray.transforms.batching import (
    axes as axes,
    convolution as convolution,
    indexing as indexing,
    joining as joining,
    leading as leading,
    normalization as normalization,
    products as products,
    reduced as reduced,
    rows as rows,
    shaping as shaping,
    sums as sums,
)
