"""Errors of private functions, derived from the builtin classes that MXNet raises."""

from hy_ndarray import HyError

__all__ = ["CheckError", "KeyOfArrayError", "OperandError", "ShapesError"]


class ShapesError(HyError, ValueError):
    """Shapes or names do not match."""


class OperandError(HyError, TypeError):
    """An operand has an unsupported type."""


class KeyOfArrayError(HyError, IndexError, ValueError):
    """A key is not a valid index of an array."""


class CheckError(HyError, AssertionError):
    """An assumption of a function does not hold."""
