"""The exceptions that user code may catch."""

__all__ = [
    "ArgumentError",
    "AutogradError",
    "ContextError",
    "DTypeError",
    "HyError",
    "IndexingError",
    "KernelError",
    "ShapeError",
    "SymbolOperandError",
]


class HyError(RuntimeError):
    """Base of every error hy raises on purpose; ``mxnet.MXNetError`` is its alias."""


class ShapeError(HyError, ValueError):
    """Shapes of the operands do not satisfy an operator's shape rule."""


class DTypeError(HyError, TypeError):
    """Dtypes of the operands do not satisfy an operator's dtype rule, or a dtype is unknown."""


class IndexingError(HyError, IndexError):
    """An index is out of bounds, or no index at all."""


class ArgumentError(HyError, TypeError):
    """An operator was called with unknown, missing or malformed arguments."""


class ContextError(HyError, ValueError):
    """A context is unknown, absent on this machine, or differs between operands."""


class KernelError(HyError):
    """No kernel table can run an operator, or the kernel itself failed."""


class SymbolOperandError(ArgumentError):
    """A node of a graph is given where an array belongs."""


class AutogradError(HyError):
    """A gradient was asked for that was not recorded or does not exist."""
