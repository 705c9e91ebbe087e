"""Limits on the memory that a single number in a call or a file may request.

Example:
    >>> from hy_ndarray import ArgumentError, limits, nd
    >>> try:
    ...     nd.split(nd.ones((1, 1)), num_outputs=10**12)
    ... except ArgumentError as error:
    ...     print(str(error)[:57])
    SliceChannel: parameter num_outputs=1000000000000 must be
"""

__all__ = ["deepest", "most"]

most = 100_000
"""The most inputs or outputs of an operator, and the most nodes that the loops of a graph become;
set it higher for more."""
deepest = 50
"""How deep loops, branches and regions may lie inside each other; for more set it, and Python's
recursion limit, higher."""
