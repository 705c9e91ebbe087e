"""Errors of private functions, with the builtin classes that MXNet raises there."""

from hy_ndarray import HyError

__all__ = ["CheckError", "KeyOfArrayError", "OperandError", "ShapesError"]


class ShapesError(HyError, ValueError):
    """Shapes, or names, do not go together."""


class OperandError(HyError, TypeError):
    """An operand is of a type that is not supported."""


class KeyOfArrayError(HyError, IndexError, ValueError):
    """An array cannot be indexed so."""


class CheckError(HyError, AssertionError):
    """An assumption of a function does not hold."""
