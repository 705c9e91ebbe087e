"""Compositions: definitions of operators in terms of others, by family of operators.

Their records, with type rules and gradients, are in the families' own files. A table needs no
kernels for them. :mod:`hy_ndarray.ops.primitives` lists the others.
"""
