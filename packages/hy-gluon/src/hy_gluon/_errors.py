"""Exceptions of blocks and parameters; hy-ndarray defines all others."""

from hy_ndarray import HyError


class BlockError(HyError, ValueError, AssertionError):
    """A block is built or called in an invalid way."""


class LayerError(BlockError, TypeError):
    """A layer or loss got an invalid argument."""


class ClassicOutputError(BlockError, TypeError):
    """A block returns classic arrays while NumPy semantics are in use."""


class StructureError(HyError, TypeError, ValueError, AssertionError):
    """The arguments of a hybridized block are nested differently than in its trace."""


class ChildError(StructureError, AttributeError):
    """A child is not a block, or not a hybrid block where one is required."""


class TracingError(StructureError):
    """A block's arguments or results cannot be part of a graph."""
