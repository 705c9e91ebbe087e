"""Formula: pointwise steps, perhaps with a reduction after them, as data; and its code."""

import linecache
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from math import isfinite, isnan
from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl

from hy_kernels.triton._numbers import compute_type, fitted, numbers
from hy_kernels.triton.device import (
    bits,
    choosing,
    compare,
    curves,
    pointwise,
    rows,
    slopes,
    special,
)

__all__ = [
    "NAMES",
    "Axis",
    "Formula",
    "Reduction",
    "Step",
    "Typed",
    "code",
    "function",
    "has",
    "inlined",
    "knows",
    "literal",
    "step_of",
]


class Step(NamedTuple):
    """One operator: a function of the device's ``pointwise`` or its neighbours."""

    name: str
    operands: tuple[int, ...]
    """Numbers of the values it takes."""
    params: tuple[tuple[str, str], ...] = ()
    """Code of each, as numbers that are equal may be written in several ways."""
    computed: tuple[str, ...] = ()
    """Types that operands are converted to before; empty: they stay as they are."""
    result: str = ""
    """The type that the result is converted to; empty: none."""
    outputs: int = 1
    """How many results there are."""
    rounded: str = ""
    """The 16-bit type that the result is rounded to, as if it had been written; empty: none."""


class Reduction(NamedTuple):
    """Reduction along the last axes."""

    kind: str
    """``"sum"``, ``"product"``, ``"max"`` or ``"min"``."""
    value: int
    """The number of the value that is reduced."""
    after: tuple[Step, ...] = ()
    """What is done with the result, one after the other; each takes one operand."""


@dataclass(frozen=True)
class Formula:
    """Values are numbered, inputs first, then numbers, then the results of each step."""

    inputs: int
    steps: tuple[Step, ...]
    results: tuple[int, ...]
    """Numbers of the values that are written, element by element."""
    reduction: Reduction | None = None
    numbers: int = 0
    """How many there are that each launch tells, so that nothing is compiled for them."""


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
    "np_mod": "broadcast_mod",
    "np_equal": "broadcast_equal",
    "np_not_equal": "broadcast_not_equal",
    "np_greater": "broadcast_greater",
    "np_greater_equal": "broadcast_greater_equal",
    "np_less": "broadcast_lesser",
    "np_less_equal": "broadcast_lesser_equal",
    "np_equal_scalar": "equal_scalar",
    "np_not_equal_scalar": "not_equal_scalar",
    "np_greater_scalar": "greater_scalar",
    "np_greater_equal_scalar": "greater_equal_scalar",
    "np_less_scalar": "lesser_scalar",
    "np_less_equal_scalar": "lesser_equal_scalar",
    "np_logical_not": "logical_not",
    "np_where": "where",
    "cast": "identity",
    "amp_cast": "identity",
}
_SQUASHING = frozenset({"relu", "sigmoid", "softrelu", "softsign", "tanh"})
_LEAKY = frozenset({"gelu", "leaky", "selu", "elu"})
_CHOICES: Mapping[str, tuple[str, frozenset[Any]]] = {
    "activation": ("act_type", _SQUASHING),
    "activation_backward": ("act_type", _SQUASHING),
    "leaky_relu": ("act_type", _LEAKY),
    "leaky_relu_backward": ("act_type", _LEAKY),
    "leaky_relu_curve": ("act_type", _LEAKY),
}


def _functions_of(*modules: Any) -> dict[str, Any]:
    """Return the functions that modules define themselves."""
    return {
        name: each
        for module in modules
        for name, each in vars(module).items()
        if hasattr(each, "fn") and each.fn.__module__ == module.__name__ and name[0] != "_"
    }


_OPERATORS = _functions_of(pointwise, compare, curves, special, bits, choosing)
_FUNCTIONS: Mapping[str, Any] = {**_OPERATORS, **_functions_of(slopes)}
_MODULES = (pointwise, compare, curves, special, bits, choosing, slopes)
_OF_ROWS = ("to_compute_dtype", "largest", "product", "smallest", "load_scalar")
"""What the code calls besides."""
_PARTS = ("identity", "is_minus", "prelu", "prelu_to_data", "prelu_to_slope", "softrelu")
"""Functions that are no operators."""

NAMES = (*(name for name in _OPERATORS if name not in _PARTS), *_ALIASES)
"""The kernels that formulas have steps for."""

_ALONE = frozenset({"add_n", "where"})
"""Of any number of operands, and of a condition that need not broadcast as NumPy does."""


def knows(name: str, params: Mapping[str, Any]) -> bool:
    """Whether there is a step for a kernel with these parameters."""
    own = _ALIASES.get(name, name)
    if own not in _OPERATORS:
        return False
    choice = _CHOICES.get(own)
    return choice is None or params[choice[0]] in choice[1]


def has(name: str, params: Mapping[str, Any]) -> bool:
    """Whether a kernel can be a step among others whose operands broadcast as NumPy does."""
    return name not in _ALONE and knows(name, params)


class Typed(NamedTuple):
    """A step, and the dtype of its result."""

    step: Step
    dtype: torch.dtype


def step_of(
    name: str,
    operands: Sequence[int],
    params: Mapping[str, Any],
    dtypes: Sequence[torch.dtype],
) -> Typed | None:
    """The step of a kernel, with the parameters that it reads; None if there is none for these.

    Args:
        name: Of the kernel.
        operands: Numbers of the values it takes.
        params: Of the kernel.
        dtypes: Of the operands.
    """
    if not knows(name, params):
        return None
    numbers_of = numbers(name, dtypes, params)
    if numbers_of is None:
        return None
    own = numbers_of.function or _ALIASES.get(name, name)
    params = fitted(name, params, dtypes, numbers_of)
    read = tuple((k, literal(params[k])) for k in _parameters(_FUNCTIONS[own]) if k in params)
    if own == "like_of":
        operands = operands[:1]
    same = not numbers_of.computed and all(each is numbers_of.result for each in dtypes)
    result = "" if same and numbers_of.result.is_floating_point else _stored_as(numbers_of.result)
    return Typed(Step(own, tuple(operands), read, numbers_of.computed, result), numbers_of.result)


def _stored_as(dtype: torch.dtype) -> str:
    """The type of a result after a step; float16 is rounded to where it is stored."""
    if dtype is torch.bool:
        return "int1"
    return "" if dtype is torch.float16 else compute_type(dtype)


def _parameters(kernel: Any) -> list[str]:
    """Names of its arguments, operands included."""
    code = kernel.fn.__code__
    return list(code.co_varnames[: code.co_argcount])


def literal(value: Any) -> str:
    """A parameter as code."""
    if isinstance(value, str | int):
        return repr(value)
    number = float(value)
    if isfinite(number):
        return repr(number)
    return 'float("nan")' if isnan(number) else f'{"-" * (number < 0)}float("inf")'


def _loads(formula: Formula, axes: Sequence[Axis], wide: bool) -> list[str]:
    """Each input that is computed with is read once, at the place that the axes tell."""
    read = {*formula.results, *(i for step in formula.steps for i in step.operands)}
    if formula.reduction is not None:
        read.add(formula.reduction.value)
    lines = []
    if len(axes) > 1:
        lines.append(f"rest = at{'' if wide else '.to(tl.int32)'}")
        for k in reversed(range(1, len(axes))):
            lines += [f"i{k} = rest % n{k}", f"rest = rest // n{k}"]
        lines.append("i0 = rest")
    else:
        lines.append(f"i0 = at{'' if wide else '.to(tl.int32)'}")
    for j in sorted(read & {*range(formula.inputs)}):
        terms = []
        for k, axis in enumerate(axes):
            apart = axis.steps[j]
            if apart != 0:
                index = f"i{k}.to(tl.int64)"
                terms.append(index if apart == 1 else f"{index} * s{j}_{k}")
        if terms:
            lines.append(f"v{j} = to_compute_dtype(tl.load(x{j} + ({' + '.join(terms)}), inside))")
        else:
            lines.append(f"v{j} = tl.broadcast_to(to_compute_dtype(tl.load(x{j})), at.shape)")
    first = formula.inputs
    return lines + [f"v{first + k} = load_scalar(p{k}, LOADED)" for k in range(formula.numbers)]


def _called(step: Step, operands: Sequence[str]) -> str:
    """The call of a step's function; sums of many are calls within calls."""
    module = _FUNCTIONS[step.name].fn.__module__.rpartition(".")[2]
    if step.computed:
        types = zip(operands, step.computed, strict=True)
        operands = [f"{each}.to(tl.{kind})" for each, kind in types]
    if step.name == "add_n":
        called = reduce(lambda total, x: f"{module}.add_n({total}, {x})", operands)
    else:
        params = [f"{name}={value}" for name, value in step.params]
        called = f"{module}.{step.name}({', '.join([*operands, *params])})"
    if step.rounded:
        called = f"{called}.to(tl.{step.rounded}).to(tl.float32)"
    return f"{called}.to(tl.{step.result})" if step.result else called


def _computed(steps: Sequence[Step], result: int) -> list[str]:
    lines = []
    for step in steps:
        operands = [f"v{i}" for i in step.operands]
        results = ", ".join(f"v{result + k}" for k in range(step.outputs))
        lines.append(f"{results} = {_called(step, operands)}")
        result += step.outputs
    return lines


def _stored(formula: Formula) -> list[str]:
    return [
        f"tl.store(y{k} + at, v{value}.to(y{k}.dtype.element_ty), inside)"
        for k, value in enumerate(formula.results)
    ]


_JOINED = {
    "sum": "total + {0}",
    "product": "total * {0}",
    "max": "tl.maximum(total, {0}, propagate_nan=tl.PropagateNan.ALL)",
    "min": "tl.minimum(total, {0}, propagate_nan=tl.PropagateNan.ALL)",
}
_WHOLE = {
    "sum": "tl.sum(total, 1)",
    "product": "tl.reduce(total, 1, product)",
    "max": "tl.reduce(total, 1, largest)",
    "min": "tl.reduce(total, 1, smallest)",
}


def _reduced(reduction: Reduction, body: Sequence[str]) -> list[str]:
    """A loop along the last axes, and what is done after it."""
    joined = _JOINED[reduction.kind].format(f"tl.where(inside, v{reduction.value}.to(TYPE), EMPTY)")
    return [
        "row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)",
        "begin = tl.program_id(1).to(tl.int64) * part",
        "end = tl.minimum(begin + part, columns)",
        "total = tl.full((ROWS, COLUMNS), EMPTY, TYPE)",
        "for first in range(begin, end, COLUMNS):",
        "    column = first + tl.arange(0, COLUMNS).to(tl.int64)",
        "    at = row[:, None] * columns + column[None, :]",
        "    inside = (row < rows)[:, None] & (column < end)[None, :]",
        *(f"    {line}" for line in body),
        f"    total = {joined}",
        f"whole = {_WHOLE[reduction.kind]}",
        "if whole.dtype.is_floating():",
        "    whole = whole / count",
        *(f"whole = {_called(step, ['whole'])}" for step in reduction.after),
        "place = total_ptr + row * tl.num_programs(1) + tl.program_id(1)",
        "tl.store(place, whole.to(total_ptr.dtype.element_ty), row < rows)",
    ]


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
    own += [f"p{k}" for k in range(formula.numbers)]
    sizes = [f"n{k}" for k in range(1, len(axes))]
    sizes += [
        f"s{j}_{k}"
        for j in range(formula.inputs)
        for k, axis in enumerate(axes)
        if axis.steps[j] is None
    ]
    computed = _computed(formula.steps, formula.inputs + formula.numbers)
    body = [*_loads(formula, axes, wide), *computed, *_stored(formula)]
    if formula.reduction is None:
        head = [*own, "size", *sizes, "BLOCK: tl.constexpr"]
        lines = [
            "at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)",
            "inside = at < size",
            *body,
        ]
    else:
        head = [*own, "total_ptr", "rows", "columns", "part", "count", *sizes]
        head += [f"{name}: tl.constexpr" for name in ("TYPE", "EMPTY", "ROWS", "COLUMNS")]
        lines = _reduced(formula.reduction, body)
    if formula.numbers:
        head.append("LOADED: tl.constexpr")
    return _defined("fused", head, lines)


def _defined(name: str, head: Sequence[str], lines: Sequence[str]) -> str:
    return f"def {name}({', '.join(head)}):\n" + "".join(f"    {line}\n" for line in lines)


@lru_cache(maxsize=4096)
def function(formula: Formula, axes: tuple[Axis, ...], wide: bool) -> Any:
    """The formula's code as a function on the device."""
    return _on_device("fused", code(formula, axes, wide))


@lru_cache(maxsize=1024)
def inlined(steps: tuple[Step, ...], inputs: int) -> Any:
    """Steps as a function on the device, from values to the last result, that others call."""
    head = [f"v{k}" for k in range(inputs)]
    last = f"return v{inputs + sum(step.outputs for step in steps) - 1}"
    return _on_device("inlined", _defined("inlined", head, [*_computed(steps, inputs), last]))


def _on_device(name: str, text: str) -> Any:
    """The function that a text defines."""
    file = f"<hy_kernels.triton: formula {len(linecache.cache)}, {hash(text):x}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {
        "tl": tl,
        **{module.__name__.rpartition(".")[2]: module for module in _MODULES},
        **{name: getattr(rows, name) for name in _OF_ROWS},
    }
    exec(compile(text, file, "exec"), scope)  # noqa: S102  # of names and numbers alone
    return triton.jit(scope[name])
