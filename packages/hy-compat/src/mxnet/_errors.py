"""Exception classes by the names in messages of MXNet's C++ code."""

from collections.abc import Callable
from typing import Any, TypeVar

from hy_ndarray import HyError

__all__ = [
    "NotSupportedForSparseNDArray",
    "c2pyerror",
    "error_types",
    "get_last_ffi_error",
    "keep_message",
    "register_error",
]

_Class = TypeVar("_Class", bound=type[BaseException])

error_types: dict[str, type[BaseException]] = {
    kind.__name__: kind
    for kind in (ValueError, TypeError, AttributeError, IndexError, NotImplementedError)
}
"""Which class a message ``<name>: <text>`` becomes."""

_last = [""]


class NotSupportedForSparseNDArray(HyError):  # noqa: N818  # MXNet's name
    """A function of dense arrays was called with a sparse array.

    Args:
        function: The function.
        alias: Name by which the function was called.
        args: The arguments, whose types are in the message.
    """

    def __init__(self, function: Callable[..., Any], alias: str | None, *args: object) -> None:
        named = f' (namely operator "{alias}")' if alias else ""
        types = ", ".join(str(type(arg)) for arg in args)
        super().__init__(
            f"Function {function.__name__}{named} with arguments ({types}) is not supported for "
            "SparseNDArray and only available in NDArray."
        )


def register_error(
    func_name: str | type[BaseException] | None = None, cls: type[BaseException] | None = None
) -> Any:
    """Register an exception class for messages that begin with a name; usable as a decorator.

    Args:
        func_name: The name, or the class, whose own name is then used.
        cls: The class; if None, a decorator is returned.

    Example:
        >>> @register_error
        ... class ShapeMismatch(HyError): ...
        >>> error_types["ShapeMismatch"] is ShapeMismatch
        True
    """
    # Used as a decorator without arguments: the class is the only argument.
    if isinstance(func_name, type):
        error_types[func_name.__name__] = func_name
        return func_name

    def register(klass: _Class) -> _Class:
        error_types[func_name or klass.__name__] = klass
        return klass

    return register if cls is None else register(cls)


def c2pyerror(err_msg: str) -> tuple[str, str | None]:
    """Return message and exception class name for an error text of MXNet's C interface.

    A stack trace after the message is moved before it, as in Python.

    Example:
        >>> c2pyerror("ValueError: no such axis")
        ('ValueError: no such axis', 'ValueError')
    """
    first, *rest = err_msg.splitlines() or [""]
    head, colon, _ = first.partition(":")
    # Messages may hold a colon without naming a class, as in "cannot open: file".
    is_name = bool(colon) and all(part.isidentifier() for part in head.split("."))
    kind = head if is_name else None
    if rest and rest[0].lower().startswith("stack trace"):
        trace = [line for line in rest[1:] if line.strip()]
        return "\n".join(["Traceback (most recent call last):", *trace, first]), kind
    return err_msg, kind


def keep_message(message: str) -> None:
    """Store the error message of the C interface, for :func:`get_last_ffi_error`."""
    _last[0] = message


def get_last_ffi_error() -> BaseException:
    """Return the exception of the last failed call of the C interface."""
    message, kind = c2pyerror(_last[0])
    return error_types.get(kind or "", HyError)(message)
