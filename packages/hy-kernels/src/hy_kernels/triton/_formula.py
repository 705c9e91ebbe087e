"""Formula: pointwise steps, and perhaps a reduction of their result, as data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, isnan
from typing import Any, NamedTuple

import torch

from hy_kernels.triton._numbers import compute_type, fitted, numbers
from hy_kernels.triton.device import (
    bits,
    choosing,
    compare,
    curves,
    derivatives,
    pointwise,
    special,
)


class Step(NamedTuple):
    """One operator: a call of a function in ``device.pointwise`` or a module of its kind."""

    name: str
    operands: tuple[int, ...]
    """Numbers of the values it takes."""
    params: tuple[tuple[str, str], ...] = ()
    """Names and source code: equal numbers, such as 0.0 and -0.0, may differ in code."""
    computed: tuple[str, ...] = ()
    """Types that the operands are converted to first; empty: no conversion."""
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
    """Steps applied to the result in order; each takes one operand."""


@dataclass(frozen=True)
class Formula:
    """Steps on numbered values: inputs first, then scalar arguments, then the steps' results."""

    inputs: int
    steps: tuple[Step, ...]
    results: tuple[int, ...]
    """Numbers of the values that are written, element by element."""
    reduction: Reduction | None = None
    numbers: int = 0
    """Number of scalars that are arguments of a launch, so that new values compile nothing."""

    def __hash__(self) -> int:
        """Return the hash, which is computed once: every launch looks up its plan by it."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.inputs, self.steps, self.results, self.reduction, self.numbers))


# Operators that differ only in broadcasting rules or in their name share one device function:
# broadcasting is decided at the launch, from the shapes.
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
_ACTIVATIONS = frozenset({"relu", "sigmoid", "softrelu", "softsign", "tanh"})
_LEAKY = frozenset({"gelu", "leaky", "selu", "elu"})
_CHOICES: Mapping[str, tuple[str, frozenset[Any]]] = {
    "activation": ("act_type", _ACTIVATIONS),
    "activation_backward": ("act_type", _ACTIVATIONS),
    "leaky_relu": ("act_type", _LEAKY),
    "leaky_relu_backward": ("act_type", _LEAKY),
    "leaky_relu_curve": ("act_type", _LEAKY),
}


def _functions_of(*modules: Any) -> dict[str, Any]:
    """Return the public device functions defined in the modules, by name."""
    return {
        name: each
        for module in modules
        for name, each in vars(module).items()
        if hasattr(each, "fn") and each.fn.__module__ == module.__name__ and name[0] != "_"
    }


_OPERATORS = _functions_of(pointwise, compare, curves, special, bits, choosing)
FUNCTIONS: Mapping[str, Any] = {**_OPERATORS, **_functions_of(derivatives)}
MODULES = (pointwise, compare, curves, special, bits, choosing, derivatives)
_PARTS = ("identity", "is_minus", "prelu", "prelu_to_data", "prelu_to_slope", "softrelu")
"""Device functions that implement no operator of this name."""

NAMES = (*(name for name in _OPERATORS if name not in _PARTS), *_ALIASES)
"""The kernels that formulas have steps for."""

# Their operands are no tree of pairs, by which shapes of fused steps are found.
_ALONE = frozenset({"add_n", "where"})
"""``add_n`` takes any number of operands; the condition of ``where`` may be one per row."""


def knows(name: str, params: Mapping[str, Any]) -> bool:
    """Return whether a formula can compute a kernel with these parameters."""
    own = _ALIASES.get(name, name)
    if own not in _OPERATORS:
        return False
    choice = _CHOICES.get(own)
    return choice is None or params[choice[0]] in choice[1]


def has(name: str, params: Mapping[str, Any]) -> bool:
    """Return whether a kernel can be fused with others: its operands broadcast as in NumPy."""
    return name not in _ALONE and knows(name, params)


class Typed(NamedTuple):
    """A step and the dtype of its result."""

    step: Step
    dtype: torch.dtype


def step_of(
    name: str,
    operands: Sequence[int],
    params: Mapping[str, Any],
    dtypes: Sequence[torch.dtype],
) -> Typed | None:
    """Return the step that computes a kernel, and the dtype of its result; None if there is none.

    Args:
        name: Name of the kernel.
        operands: Numbers of the values it takes.
        params: Parameters of the kernel; the step keeps those that its function reads.
        dtypes: Dtypes of the operands.
    """
    if not knows(name, params):
        return None
    numbers_of = numbers(name, dtypes, params)
    if numbers_of is None:
        return None
    own = numbers_of.function or _ALIASES.get(name, name)
    params = fitted(name, params, dtypes, numbers_of)
    code = FUNCTIONS[own].fn.__code__
    arguments = code.co_varnames[: code.co_argcount]
    read = tuple((k, literal(params[k])) for k in arguments if k in params)
    if own == "like_of":
        operands = operands[:1]
    same = not numbers_of.computed and all(each is numbers_of.result for each in dtypes)
    result = "" if same and numbers_of.result.is_floating_point else _stored_as(numbers_of.result)
    return Typed(Step(own, tuple(operands), read, numbers_of.computed, result), numbers_of.result)


def _stored_as(dtype: torch.dtype) -> str:
    """Return the type that a step's result is converted to; float16 is rounded only when stored."""
    if dtype is torch.bool:
        return "int1"
    return "" if dtype is torch.float16 else compute_type(dtype)


def literal(value: Any) -> str:
    """Return a parameter as Python source, also infinity and nan."""
    if isinstance(value, str | int):
        return repr(value)
    # repr gives the shortest text that is read back as the same number; of infinity and nan it is
    # no code.
    number = float(value)
    if isfinite(number):
        return repr(number)
    return 'float("nan")' if isnan(number) else f'{"-" * (number < 0)}float("inf")'
