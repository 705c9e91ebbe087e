"""Exceptions of blocks and parameters; the rest of the tree is in hy-ndarray."""

from hy_ndarray import HyError

__all__ = [
    "BlockError",
    "ChildError",
    "ClassicOutputError",
    "LayerError",
    "StructureError",
    "TracingError",
]


class BlockError(HyError, ValueError, AssertionError):
    """A block is built or called in a way it cannot be."""


class LayerError(BlockError, TypeError):
    """A layer or loss was given an argument that makes no layer."""


class ClassicOutputError(BlockError, TypeError):
    """A block gives classic arrays where NumPy's interface is in use."""


class StructureError(HyError, TypeError, ValueError, AssertionError):
    """Arguments of a hybridized block have another structure than those it was traced with."""


class ChildError(StructureError, AttributeError):
    """A child of a block is no block, where a block is needed."""


class TracingError(StructureError):
    """Arguments or results of a block are such that no graph can have them."""
