"""All families of rules: importing this module enters them."""

from hy_ndarray.transforms.batching import (
    axes as axes,
    convolution as convolution,
    indexing as indexing,
    leading as leading,
    normalization as normalization,
    products as products,
    reduced as reduced,
    rows as rows,
    shaping as shaping,
    sums as sums,
)

__all__: list[str] = []
