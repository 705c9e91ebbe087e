"""Reading of an operator's inputs and parameters from the signature of its type rule."""

from collections.abc import Callable
from types import CodeType
from typing import Any, TypeAlias

from hy_ndarray.ops.record.params import REQUIRED, Param, param_of

__all__ = ["declared"]

Declared: TypeAlias = tuple[list[str], set[str], bool, dict[str, Param]]

_VARIADIC = 1 << 2
"""CO_VARARGS, the code flag of a function with ``*args``."""


def declared(function: Callable[..., Any]) -> Declared:
    """Return inputs, optional inputs, whether inputs are variadic, and parameters by name."""
    # Read from the code object: hundreds of inspect.signature calls would take longer than the rest
    # of the catalogue's import. Generated functions have them as their attribute ``declared``.
    known: Declared | None = getattr(function, "declared", None)
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
    if variadic:  # the name of ``*args`` follows those of all other arguments
        inputs.append(code.co_varnames[last])
    return inputs, optional, variadic, params
