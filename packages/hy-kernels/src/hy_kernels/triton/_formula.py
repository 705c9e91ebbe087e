"""Formula: pointwise steps, perhaps with a reduction behind them, as data; and its code."""

import linecache
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isfinite, isnan
from typing import Any, NamedTuple

import triton
import triton.language as tl

from hy_kernels.triton.device import compare, curves, pointwise, rows

__all__ = [
    "NAMES",
    "Axis",
    "Formula",
    "Reduction",
    "Step",
    "code",
    "function",
    "has",
    "step_of",
]


class Step(NamedTuple):
    """One operator: a function of the device's ``pointwise`` or ``curves``."""

    name: str
    operands: tuple[int, ...]
    """Numbers of the values it takes."""
    params: tuple[tuple[str, Any], ...] = ()


class Reduction(NamedTuple):
    """What is done along the last axes."""

    kind: str
    """``"sum"``, ``"max"`` or ``"min"``."""
    value: int
    """The number of the value that is reduced."""


@dataclass(frozen=True)
class Formula:
    """Values are numbered, inputs first, then the result of each step."""

    inputs: int
    steps: tuple[Step, ...]
    results: tuple[int, ...]
    """Numbers of the values that are written, element by element."""
    reduction: Reduction | None = None


class Axis(NamedTuple):
    """One axis of the elements that are visited, as the code sees it."""

    steps: tuple[int | None, ...]
    """For each input how far apart its elements are: 0, 1, or None, which a launch tells."""


_ALIASES: Mapping[str, str] = {
    "elemwise_add": "broadcast_add",
    "elemwise_sub": "broadcast_sub",
    "elemwise_mul": "broadcast_mul",
    "elemwise_div": "broadcast_div",
    "elemwise_maximum": "broadcast_maximum",
    "elemwise_minimum": "broadcast_minimum",
    "elemwise_hypot": "broadcast_hypot",
    "elemwise_equal": "broadcast_equal",
    "elemwise_not_equal": "broadcast_not_equal",
    "elemwise_greater": "broadcast_greater",
    "elemwise_greater_equal": "broadcast_greater_equal",
    "elemwise_lesser": "broadcast_lesser",
    "elemwise_lesser_equal": "broadcast_lesser_equal",
    "elemwise_logical_and": "broadcast_logical_and",
    "elemwise_logical_or": "broadcast_logical_or",
    "elemwise_logical_xor": "broadcast_logical_xor",
    "grad_add": "broadcast_add",
    "scatter_elemwise_div": "broadcast_div",
    "scatter_plus_scalar": "plus_scalar",
    "scatter_minus_scalar": "minus_scalar",
    "fix": "trunc",
    "round_ste": "round",
    "sign_ste": "sign",
    "np_add": "broadcast_add",
    "np_subtract": "broadcast_sub",
    "np_multiply": "broadcast_mul",
    "np_true_divide": "broadcast_div",
    "np_power": "broadcast_power",
    "elemwise_power": "broadcast_power",
    "elemwise_mod": "broadcast_mod",
    "np_true_divide_scalar": "div_scalar",
    "np_rtrue_divide_scalar": "rdiv_scalar",
}
_SQUASHING = frozenset({"relu", "sigmoid", "softrelu", "softsign", "tanh"})
_LEAKY = frozenset({"gelu", "leaky", "selu", "elu"})
_CHOICES: Mapping[str, tuple[str, frozenset[Any]]] = {
    "activation": ("act_type", _SQUASHING),
    "activation_backward": ("act_type", _SQUASHING),
    "leaky_relu": ("act_type", _LEAKY),
    "leaky_relu_backward": ("act_type", _LEAKY),
}
_FUNCTIONS: Mapping[str, Any] = {
    name: each
    for module in (pointwise, compare, curves)
    for name, each in vars(module).items()
    if hasattr(each, "fn") and each.fn.__module__ == module.__name__ and name[0] != "_"
}
_PARTS = ("identity", "softrelu")
"""Functions that are no operators."""

NAMES = (*(name for name in _FUNCTIONS if name not in _PARTS), *_ALIASES)
"""The kernels that formulas have steps for."""


def has(name: str, params: Mapping[str, Any]) -> bool:
    """Whether there is a step for a kernel with these parameters."""
    own = _ALIASES.get(name, name)
    if own not in _FUNCTIONS:
        return False
    choice = _CHOICES.get(own)
    if choice is not None and params[choice[0]] not in choice[1]:
        return False
    return not any(isinstance(value, float) and isnan(value) for value in params.values())


def step_of(name: str, operands: Sequence[int], params: Mapping[str, Any]) -> Step:
    """The step of a kernel, with the parameters that it reads."""
    own = _ALIASES.get(name, name)
    read = _parameters(_FUNCTIONS[own])
    return Step(own, tuple(operands), tuple((key, params[key]) for key in read if key in params))


def _parameters(kernel: Any) -> list[str]:
    """Names of its arguments, operands included."""
    code = kernel.fn.__code__
    return list(code.co_varnames[: code.co_argcount])


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return repr(value)
    number = float(value)
    if isfinite(number):
        return repr(number)
    return 'float("inf")' if number == inf else '-float("inf")'


def _loads(formula: Formula, axes: Sequence[Axis], wide: bool) -> list[str]:
    """Each input is read once, at the place that the axes tell."""
    lines = []
    if len(axes) > 1:
        lines.append(f"rest = at{'' if wide else '.to(tl.int32)'}")
        for k in reversed(range(1, len(axes))):
            lines += [f"i{k} = rest % n{k}", f"rest = rest // n{k}"]
        lines.append("i0 = rest")
    else:
        lines.append(f"i0 = at{'' if wide else '.to(tl.int32)'}")
    for j in range(formula.inputs):
        terms = []
        for k, axis in enumerate(axes):
            apart = axis.steps[j]
            if apart != 0:
                index = f"i{k}.to(tl.int64)"
                terms.append(index if apart == 1 else f"{index} * s{j}_{k}")
        if terms:
            lines.append(f"v{j} = widened(tl.load(x{j} + ({' + '.join(terms)}), inside))")
        else:
            lines.append(f"v{j} = tl.broadcast_to(widened(tl.load(x{j})), at.shape)")
    return lines


def _computed(formula: Formula) -> list[str]:
    lines = []
    for k, step in enumerate(formula.steps):
        operands = [f"v{i}" for i in step.operands]
        params = [f"{name}={_literal(value)}" for name, value in step.params]
        module = _FUNCTIONS[step.name].fn.__module__.rpartition(".")[2]
        called = f"{module}.{step.name}({', '.join([*operands, *params])})"
        lines.append(f"v{formula.inputs + k} = {called}")
    for k, value in enumerate(formula.results):
        lines.append(f"tl.store(y{k} + at, v{value}.to(y{k}.dtype.element_ty), inside)")
    return lines


_EMPTY = {"sum": "0.0", "max": '-float("inf")', "min": 'float("inf")'}
_JOINED = {
    "sum": "total + {0}",
    "max": "tl.maximum(total, {0}, propagate_nan=tl.PropagateNan.ALL)",
    "min": "tl.minimum(total, {0}, propagate_nan=tl.PropagateNan.ALL)",
}
_WHOLE = {
    "sum": "tl.sum(total, 1)",
    "max": "tl.reduce(total, 1, largest)",
    "min": "tl.reduce(total, 1, smallest)",
}


def code(formula: Formula, axes: Sequence[Axis], wide: bool) -> str:
    """The formula in Triton's language.

    Each input is read once for each element, and each result is written once.

    Args:
        formula: What is computed.
        axes: The axes of the elements, the last the fastest.
        wide: Whether there are more than 2^31 elements.
    """
    own = [f"x{j}" for j in range(formula.inputs)]
    own += [f"y{k}" for k in range(len(formula.results))]
    sizes = [f"n{k}" for k in range(1, len(axes))]
    sizes += [
        f"s{j}_{k}"
        for j in range(formula.inputs)
        for k, axis in enumerate(axes)
        if axis.steps[j] is None
    ]
    body = [*_loads(formula, axes, wide), *_computed(formula)]
    if formula.reduction is None:
        head = [*own, "size", *sizes, "BLOCK: tl.constexpr"]
        lines = [
            "at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)",
            "inside = at < size",
            *body,
        ]
    else:
        kind, value = formula.reduction
        joined = _JOINED[kind].format(f"tl.where(inside, v{value}, {_EMPTY[kind]})")
        head = [*own, "total_ptr", "rows", "columns", "part", "count", *sizes]
        head += ["TYPE: tl.constexpr", "ROWS: tl.constexpr", "COLUMNS: tl.constexpr"]
        lines = [
            "row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)",
            "begin = tl.program_id(1).to(tl.int64) * part",
            "end = tl.minimum(begin + part, columns)",
            f"total = tl.full((ROWS, COLUMNS), {_EMPTY[kind]}, TYPE)",
            "for first in range(begin, end, COLUMNS):",
            "    column = first + tl.arange(0, COLUMNS)",
            "    at = row[:, None] * columns + column[None, :]",
            "    inside = (row < rows)[:, None] & (column < end)[None, :]",
            *(f"    {line}" for line in body),
            f"    total = {joined}",
            f"whole = {_WHOLE[kind]} / count",
            "place = total_ptr + row * tl.num_programs(1) + tl.program_id(1)",
            "tl.store(place, whole.to(total_ptr.dtype.element_ty), row < rows)",
        ]
    return f"def fused({', '.join(head)}):\n" + "".join(f"    {line}\n" for line in lines)


@lru_cache(maxsize=4096)
def function(formula: Formula, axes: tuple[Axis, ...], wide: bool) -> Any:
    """The formula's code as a function on the device."""
    text = code(formula, axes, wide)
    file = f"<hy_kernels.triton: formula {len(linecache.cache)}, {hash(text):x}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {
        "tl": tl,
        "compare": compare,
        "curves": curves,
        "pointwise": pointwise,
        "widened": rows.widened,
        "largest": rows.largest,
        "smallest": rows.smallest,
    }
    exec(compile(text, file, "exec"), scope)  # noqa: S102  # of names and numbers alone
    return triton.jit(scope["fused"])
