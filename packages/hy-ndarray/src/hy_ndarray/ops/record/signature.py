"""Inputs and parameters that the signature of a type rule declares."""

from collections.abc import Callable
from types import CodeType
from typing import Any

from hy_ndarray.ops.record.params import REQUIRED, Param, param_of

__all__ = ["declared"]

_VARIADIC = 1 << 2
"""The bit of a function's flags that says it takes any number of arguments (CO_VARARGS)."""


def declared(function: Callable[..., Any]) -> tuple[list[str], set[str], bool, dict[str, Param]]:
    """Inputs, those that may be left out, whether there are any number; and parameters by name.

    Read from the function itself: hundreds of ``inspect.signature`` take longer than all the rest
    of the catalogue. A function that is made has them as its attribute ``declared``.
    """
    known: tuple[list[str], set[str], bool, dict[str, Param]] | None
    known = getattr(function, "declared", None)
    if known is not None:
        return known
    code: CodeType = function.__code__
    kinds, keyword_defaults = function.__annotations__, function.__kwdefaults__ or {}
    count, last = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    inputs = list(code.co_varnames[:count])
    defaults = function.__defaults__ or ()
    pairs = zip(reversed(inputs), reversed(defaults), strict=False)
    optional = {name for name, default in pairs if default is None}
    params = {
        name: param_of(name, kinds.get(name), keyword_defaults.get(name, REQUIRED))
        for name in code.co_varnames[count:last]
    }
    variadic = bool(code.co_flags & _VARIADIC)
    if variadic:  # its name is behind those of all others
        inputs.append(code.co_varnames[last])
    return inputs, optional, variadic, params
