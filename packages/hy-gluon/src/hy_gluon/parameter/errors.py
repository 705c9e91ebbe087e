"""Errors of parameters."""

from hy_ndarray import ArgumentError, DTypeError, HyError, ShapeError

__all__ = [
    "DeferredInitializationError",
    "MismatchError",
    "StorageError",
    "UninitializedError",
    "UnknownConstantError",
    "UnknownShapeError",
]


class UninitializedError(HyError, ValueError, AssertionError):
    """A parameter is used before it is initialized, or on a context where it is not."""


class DeferredInitializationError(UninitializedError):
    """A parameter is used while its initialization is deferred to the first forward."""


class MismatchError(ShapeError, DTypeError, ArgumentError):
    """Requested attributes or new values contradict a parameter's description."""


class UnknownConstantError(ArgumentError, KeyError):
    """A constant does not exist, and no value is given to create it."""

    __str__ = HyError.__str__  # KeyError's puts the message into quotes


class StorageError(HyError, RuntimeError):
    """A row_sparse parameter is requested as a dense array, or the reverse."""


class UnknownShapeError(MismatchError):
    """A parameter cannot be initialized, as its shape cannot be inferred."""
