"""What the signature of a type rule declares: inputs and parameters."""

import inspect
from collections.abc import Callable
from typing import Any

from hy_ndarray.ops.record.params import REQUIRED, Param, param_of

__all__ = ["declared"]


def declared(function: Callable[..., Any]) -> tuple[list[str], set[str], bool, dict[str, Param]]:
    """Inputs, those that may be left out, whether there are any number; and parameters by name."""
    inputs: list[str] = []
    optional: set[str] = set()
    variadic = False
    params: dict[str, Param] = {}
    for p in inspect.signature(function).parameters.values():
        if p.kind is p.KEYWORD_ONLY:
            default = REQUIRED if p.default is p.empty else p.default
            params[p.name] = param_of(p.name, p.annotation, default)
        else:
            inputs.append(p.name)
            variadic |= p.kind is p.VAR_POSITIONAL
            if p.default is None:
                optional.add(p.name)
    return inputs, optional, variadic, params
