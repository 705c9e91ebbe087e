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
"""Maximal number of an operator's inputs or outputs, and of nodes that the loops of a graph are
unrolled to; may be set higher."""
deepest = 50
"""Maximal nesting depth of loops, branches and regions; may be set higher, together with Python's
recursion limit."""
