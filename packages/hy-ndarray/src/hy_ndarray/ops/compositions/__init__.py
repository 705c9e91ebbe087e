"""Compositions: definitions of operators by other operators, family by family.

Their records, with type rules and gradients, are in the families' own files. A table needs no
kernels for them. :mod:`hy_ndarray.ops.primitives` lists the others.
"""
