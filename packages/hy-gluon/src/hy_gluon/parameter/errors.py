"""What goes wrong with parameters."""

from hy_ndarray import ArgumentError, DTypeError, HyError, ShapeError

__all__ = [
    "DeferredInitializationError",
    "MismatchError",
    "StorageError",
    "UninitializedError",
    "UnknownShapeError",
]


class UninitializedError(HyError, ValueError):
    """A parameter is used before it is initialized, or on a context where it is not."""


class DeferredInitializationError(UninitializedError):
    """A parameter is used whose initialization waits for its shape, until the first forward."""


class MismatchError(ShapeError, DTypeError, ArgumentError):
    """What a parameter is asked to be, or is given, contradicts what it is."""


class StorageError(HyError, RuntimeError):
    """A parameter is asked for as a dense array though it is row sparse, or the other way round."""


class UnknownShapeError(MismatchError):
    """A parameter is to be initialized whose shape does not follow from what is known."""
