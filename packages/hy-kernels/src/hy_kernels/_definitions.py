"""Definitions of kernels: arguments under other names, and the module that has each."""

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast

__all__ = ["modules_by_kernel", "renamed"]

F = TypeVar("F", bound=Callable[..., Any])


def renamed(function: F, *names: str) -> F:
    """Return ``function`` with other names for its first arguments.

    Example:
        >>> divide = renamed(lambda first, second: first / second, "data", "divisor")
        >>> divide(divisor=2, data=6)
        3.0
    """
    assert isinstance(function, FunctionType)
    # Made from its code: to take ``**kwargs`` and pass them on costs a small kernel 7 to 9 %.
    code = function.__code__
    names = (*names, *code.co_varnames[len(names) :])
    code = code.replace(co_varnames=names)
    scope, closure = function.__globals__, function.__closure__
    result = FunctionType(code, scope, function.__name__, function.__defaults__, closure)
    result.__kwdefaults__ = function.__kwdefaults__
    return cast("F", result)


def modules_by_kernel(package: str, text: str) -> dict[str, str]:
    """Return the module of each kernel of a table.

    Args:
        package: That of the table.
        text: Each module below it, with a colon, before the names of its kernels.

    Example:
        >>> modules_by_kernel("hy_kernels.numpy", "np.joining: np_concatenate np_stack")["np_stack"]
        'hy_kernels.numpy.np.joining'
    """
    modules, module = {}, ""
    for word in text.split():
        if word.endswith(":"):
            module = f"{package}.{word[:-1]}"
        else:
            modules[word] = module
    return modules
