"""Numbers: pointwise steps on arrays of one element, as arithmetic without arrays.

Numpy's numbers round as its arrays do, and as those of other tables; a call of a kernel takes ten
times as long as such a step.
"""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any, TypeAlias

import numpy as np

from hy_kernels.pointwise import Group

__all__ = ["NUMBERS", "arithmetic"]

Arithmetic: TypeAlias = Callable[..., tuple[Any, ...]]
"""Numpy's numbers for those of numpy: the inputs' elements for the results'."""

_DTYPES = ("float32", "float64")
_LARGER = "{0} if {0} >= {1} or {0} != {0} else {1}"  # nan where one is nan
_SMALLER = "{0} if {0} <= {1} or {0} != {0} else {1}"

NUMBERS: Mapping[str, str] = {
    "abs": "abs({0})",
    "broadcast_add": "{0} + {1}",
    "broadcast_div": "{0} / {1}",
    "broadcast_maximum": _LARGER,
    "broadcast_minimum": _SMALLER,
    "broadcast_mul": "{0} * {1}",
    "broadcast_sub": "{0} - {1}",
    "div_scalar": "{0} / {scalar}",
    "elemwise_add": "{0} + {1}",
    "elemwise_div": "{0} / {1}",
    "elemwise_maximum": _LARGER,
    "elemwise_minimum": _SMALLER,
    "elemwise_mul": "{0} * {1}",
    "elemwise_sub": "{0} - {1}",
    "maximum_scalar": "{0} if {0} >= {scalar} or {0} != {0} else {scalar}",
    "minimum_scalar": "{0} if {0} <= {scalar} or {0} != {0} else {scalar}",
    "minus_scalar": "{0} - {scalar}",
    "mul_scalar": "{0} * {scalar}",
    "negative": "-{0}",
    "plus_scalar": "{0} + {scalar}",
    "rdiv_scalar": "{scalar} / {0}",
    "relu": "zero if {0} <= zero else {0}",
    "rminus_scalar": "{scalar} - {0}",
    "square": "{0} * {0}",
}
"""By kernel, what it gives for numbers ``{0}``, ``{1}`` and its parameter ``{scalar}``."""


def arithmetic(group: Group) -> Arithmetic | None:
    """A function of the elements; None if the group is of other kernels, or of larger arrays."""
    shape, dtype = group.type
    if prod(shape) != 1 or dtype not in _DTYPES:
        return None
    if any(step.kernel not in NUMBERS for step in group.steps):
        return None
    number = np.dtype(dtype).type
    # Warnings are told apart by module; infinite results are as good as others.
    scope: dict[str, Any] = {"__name__": __name__, "zero": number(0)}
    names = [f"x{i}" for i in range(group.inputs)]
    lines = [f"def run({', '.join(names)}):"]
    for k, step in enumerate(group.steps):
        operands = [names[i] for i in step.operands]
        if "scalar" in step.params:
            scope[f"c{k}"] = number(step.params["scalar"])
        form = NUMBERS[step.kernel].format(*operands, scalar=f"c{k}")
        lines.append(f"v{k} = {form}")
        names.append(f"v{k}")
    lines.append("return " + "".join(f"{names[i]}, " for i in group.results))
    exec("\n    ".join(lines), scope)  # noqa: S102  # of the forms above alone
    run: Arithmetic = scope["run"]
    return run
