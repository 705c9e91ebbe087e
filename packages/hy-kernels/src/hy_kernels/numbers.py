"""Pointwise steps on one-element arrays, compiled to scalar arithmetic.

NumPy's scalars round as its arrays do, and as the arrays of other tables; a kernel call takes ten
times as long as a scalar step.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import prod
from types import CodeType, FunctionType
from typing import Any, TypeAlias

import numpy as np

from hy_kernels.pointwise import Group

__all__ = ["NUMBERS", "arithmetic"]

Arithmetic: TypeAlias = Callable[..., tuple[Any, ...]]
"""Function from the inputs' elements to the results' elements, all NumPy scalars."""

_DTYPES = ("float32", "float64")
# Steps per generated function. Blocks of a long, repetitive chain share code objects: compiling
# takes some 10 µs per step.
_BLOCK = 64
# nan if either operand is nan: nan != nan, and every other comparison with nan is false.
_LARGER = "{0} if {0} >= {1} or {0} != {0} else {1}"
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
"""Python expression of each kernel on operands ``{0}``, ``{1}`` and the parameter ``{scalar}``."""


def arithmetic(group: Group) -> Arithmetic | None:
    """Return a scalar function that computes ``group``; None for larger arrays or other kernels."""
    shape, dtype = group.type
    if prod(shape) != 1 or dtype not in _DTYPES:
        return None
    if any(step.kernel not in NUMBERS for step in group.steps):
        return None
    count, needed = len(group.steps), set(group.results)
    if count <= _BLOCK:
        return _function(group, range(count), range(group.inputs), group.results)
    blocks: list[tuple[Arithmetic, Sequence[int], Sequence[int]]] = []
    # In reverse order, because a block returns only the values that later blocks read.
    for steps in reversed([range(k, min(k + _BLOCK, count)) for k in range(0, count, _BLOCK)]):
        inside = range(group.inputs + steps.start, group.inputs + steps.stop)
        used = dict.fromkeys(i for k in steps for i in group.steps[k].operands if i < inside.start)
        results = [i for i in inside if i in needed]
        needed |= used.keys()
        blocks.append((_function(group, steps, [*used], results), [*used], results))
    return _InBlocks(blocks[::-1], group)


class _InBlocks:
    """Scalar function of a group of steps, compiled as several blocks that run in sequence.

    Args:
        blocks: For each block its function, and the indices of the values it reads and returns.
        group: The steps of all blocks.
    """

    def __init__(
        self, blocks: Sequence[tuple[Arithmetic, Sequence[int], Sequence[int]]], group: Group
    ) -> None:
        at = {i: i for i in range(group.inputs)}
        self._blocks: list[tuple[Arithmetic, list[int]]] = []
        for run, taken, constants in blocks:
            self._blocks.append((run, [at[i] for i in taken]))
            at.update({i: len(at) + k for k, i in enumerate(constants)})
        self._results = [at[i] for i in group.results]

    def __call__(self, *elements: Any) -> tuple[Any, ...]:
        """Return the results' elements for the inputs' ``elements``."""
        values = list(elements)
        for run, taken in self._blocks:
            values += run(*[values[i] for i in taken])
        return tuple([values[i] for i in self._results])


def _function(
    group: Group, steps: Sequence[int], inputs: Sequence[int], results: Sequence[int]
) -> Arithmetic:
    """Compile ``steps`` to a function from the values ``inputs`` to the values ``results``."""
    number = np.dtype(group.type[1]).type
    # Warnings are filtered by the module's name: results of inf and nan are valid.
    scope: dict[str, Any] = {"__name__": __name__, "zero": number(0)}
    # Constants are globals of the function, not literals in its text, so that steps that differ
    # only in numbers share a code object.
    names = {value: f"x{i}" for i, value in enumerate(inputs)}
    lines = [f"def run({', '.join(names.values())}):"]
    for k, position in enumerate(steps):
        step = group.steps[position]
        if "scalar" in step.params:
            scope[f"c{k}"] = number(step.params["scalar"])
        operands = [names[i] for i in step.operands]
        lines.append(f"v{k} = {NUMBERS[step.kernel].format(*operands, scalar=f'c{k}')}")
        names[group.inputs + position] = f"v{k}"
    lines.append("return " + "".join(f"{names[i]}, " for i in results))
    return FunctionType(_code("\n    ".join(lines)), scope)


@lru_cache(256)
def _code(text: str) -> CodeType:
    """Compile the text of a generated function and return its code object."""
    (code,) = [x for x in compile(text, __name__, "exec").co_consts if isinstance(x, CodeType)]
    return code
