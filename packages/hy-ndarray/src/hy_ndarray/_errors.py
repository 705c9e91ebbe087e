"""Exceptions that user code may catch; hy_io defines their base class."""

from hy_io import ArgumentError, HyError

__all__ = [
    "ArgumentError",
    "AutogradError",
    "AxisError",
    "ClassicArrayError",
    "ContextError",
    "DTypeError",
    "GradRequestError",
    "HyError",
    "IndexingError",
    "KernelError",
    "KernelValueError",
    "NoNumPyArrayError",
    "OperandError",
    "OutOfMemoryError",
    "ScalarError",
    "ScalarKeyError",
    "ShapeError",
    "SymbolOperandError",
    "TransformError",
    "UnsupportedError",
    "kernel_failure",
]


class ShapeError(HyError, ValueError, AssertionError):
    """Shapes of the operands do not satisfy an operator's shape rule."""


class AxisError(ShapeError, IndexError):
    """An array does not have an axis."""


class ScalarError(ShapeError, TypeError):
    """An array converted to a number does not have exactly one element."""


class DTypeError(HyError, TypeError):
    """Dtypes of the operands do not satisfy an operator's dtype rule, or a dtype is unknown."""


class IndexingError(HyError, IndexError, ValueError):
    """An index is out of bounds, or not a valid index."""


class ContextError(HyError, ValueError, KeyError, AssertionError):
    """A context is unknown, absent on this machine, or differs between operands."""

    __str__ = HyError.__str__  # KeyError's puts the message into quotes


class ScalarKeyError(IndexingError, TypeError):
    """An array is used as an index of an array without axes."""


class KernelError(HyError):
    """No kernel table has a kernel for an operator, or the kernel failed."""


class KernelValueError(KernelError, ValueError):
    """A kernel rejected a value, such as a negative scale; also a ``ValueError``, as in MXNet."""


class OutOfMemoryError(KernelError, MemoryError):
    """A device has too little memory for the results of a kernel."""


def kernel_failure(what: str, operands: str, error: Exception) -> KernelError:
    """Return the error to raise for an exception raised inside a kernel.

    Args:
        what: The operator, and the node if there is one.
        operands: The types of the operands as text; empty if there are none.
        error: The exception that the kernel raised.
    """
    on_operands = f" on {operands}" if operands else ""
    if isinstance(error, MemoryError) or any(sign in repr(error) for sign in _MEMORY):
        return OutOfMemoryError(
            f"{what}: out of memory{on_operands}: {error}; use smaller batches, or release arrays "
            "that are no longer needed"
        )
    kind = KernelValueError if isinstance(error, ValueError) else KernelError
    return kind(f"{what}: the kernel failed{on_operands}: {type(error).__name__}: {error}")


_MEMORY = ("OutOfMemoryError", "can't allocate memory")
"""Texts in errors of libraries that raise no MemoryError: torch's on GPUs, and on CPUs."""


class UnsupportedError(ArgumentError, NotImplementedError):
    """An option of a NumPy function has a value that is not implemented."""


class TransformError(HyError, ValueError):
    """A transform such as ``vmap`` cannot be applied to an operation of the function."""


class OperandError(ArgumentError, AssertionError):
    """An operand is not an array; also an ``AssertionError``, as in MXNet."""


class ClassicArrayError(OperandError, ValueError):
    """A classic array is passed where an array of ``mx.np`` or a plain value is required."""


class SymbolOperandError(OperandError):
    """A symbol is passed where an array is required."""


class NoNumPyArrayError(ArgumentError, AttributeError):
    """An operand is not an array of ``mx.np``."""


class AutogradError(HyError, AssertionError):
    """A gradient is requested that was not recorded or does not exist."""


class GradRequestError(AutogradError, KeyError):
    """A ``grad_req`` is not one of ``"write"``, ``"add"`` and ``"null"``."""

    __str__ = HyError.__str__  # KeyError's puts the message into quotes
