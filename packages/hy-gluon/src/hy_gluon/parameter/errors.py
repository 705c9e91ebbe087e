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
    """A parameter is used whose initialization waits for its shape, until the first forward."""


class MismatchError(ShapeError, DTypeError, ArgumentError):
    """A request or a value contradicts the parameter's description."""


class UnknownConstantError(ArgumentError, KeyError):
    """A constant is asked for that is not there, and no value is given to make it."""

    __str__ = HyError.__str__  # KeyError's puts the message into quotes


class StorageError(HyError, RuntimeError):
    """A parameter is asked for as a dense array though it is row sparse, or the other way round."""


class UnknownShapeError(MismatchError):
    """A parameter is to be initialized whose shape does not follow from what is known."""
