"""Operators of MXNet's NumPy interface that differ from the legacy operators."""

from hy_ndarray.ops.np import (
    arithmetic as arithmetic,
    axes as axes,
    choosing as choosing,
    counting as counting,
    creation as creation,
    joining as joining,
    linalg as linalg,
    norms as norms,
    products as products,
    reduce as reduce,
    sampling as sampling,
    scalar as scalar,
    shaping as shaping,
    unary as unary,
)
