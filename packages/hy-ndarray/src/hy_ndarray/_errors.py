"""The exceptions that user code may catch; their root is hy_io's, which files raise, too."""

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
    """An array does not have the one element that a number is made of."""


class DTypeError(HyError, TypeError):
    """Dtypes of the operands do not satisfy an operator's dtype rule, or a dtype is unknown."""


class IndexingError(HyError, IndexError, ValueError):
    """An index is out of bounds, or no index at all."""


class ContextError(HyError, ValueError, KeyError, AssertionError):
    """A context is unknown, absent on this machine, or differs between operands."""

    __str__ = HyError.__str__  # KeyError's puts the message into quotes


class ScalarKeyError(IndexingError, TypeError):
    """An array is the index of an array that has no axes."""


class KernelError(HyError):
    """No kernel table can run an operator, or the kernel itself failed."""


class KernelValueError(KernelError, ValueError):
    """A kernel refused values, such as a negative scale; MXNet raises ValueErrors for many."""


class OutOfMemoryError(KernelError, MemoryError):
    """A device has no memory for what a kernel makes."""


def kernel_failure(what: str, operands: str, error: Exception) -> KernelError:
    """The error to raise for one that a kernel raised.

    Args:
        what: The operator, and the node if there is one.
        operands: Their types, empty where it has none.
        error: What it raised.
    """
    on_operands = f" on {operands}" if operands else ""
    if isinstance(error, MemoryError) or any(sign in repr(error) for sign in _MEMORY):
        return OutOfMemoryError(
            f"{what}: out of memory{on_operands}: {error}; use smaller batches, or let go of arrays"
        )
    kind = KernelValueError if isinstance(error, ValueError) else KernelError
    return kind(f"{what}: the kernel failed{on_operands}: {type(error).__name__}: {error}")


_MEMORY = ("OutOfMemoryError", "can't allocate memory")
"""By which libraries tell it that have no MemoryError of Python's: torch's on GPUs, and on CPUs."""


class UnsupportedError(ArgumentError, NotImplementedError):
    """An option of numpy's has a value that is not implemented."""


class TransformError(HyError, ValueError):
    """A transform, such as ``vmap``, cannot be applied to what a function does."""


class OperandError(ArgumentError, AssertionError):
    """Something that is no array is given where one belongs; MXNet asserts it."""


class ClassicArrayError(OperandError, ValueError):
    """A classic array is given where one of NumPy's interface or plain values belong."""


class SymbolOperandError(OperandError):
    """A node of a graph is given where an array belongs."""


class NoNumPyArrayError(ArgumentError, AttributeError):
    """Something else is given where an array of NumPy's belongs."""


class AutogradError(HyError, AssertionError):
    """A gradient was asked for that was not recorded or does not exist."""


class GradRequestError(AutogradError, KeyError):
    """A ``grad_req`` is none of ``"write"``, ``"add"`` and ``"null"``."""

    __str__ = HyError.__str__  # KeyError's puts the message into quotes
