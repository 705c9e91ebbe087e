"""Optimizer steps: SGD, Adam, AdamW and LAMB in one launch for many weights, others in one each.

The first are overrides, in :mod:`hy_kernels.triton.device.update`. Float16 and bfloat16 are
computed in float32 and rounded once; LAMB's norms are float32, and its step is computed from the
rounded states. Bytes moved by SGD: three times those of the weights, with a velocity five times; by
Adam and AdamW seven times; by LAMB, which needs norms before it can step, ten times. Float32 master
weights are read and written in place of the 16-bit ones, which are written too.

The formula of any other rule becomes one kernel: weight, gradient and states are read once, and the
new ones are written once. Hyperparameters are arguments of launches, so that a new learning rate
compiles nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import torch

from hy_kernels.record import Kernel
from hy_kernels.steps import Numbers, Rule, Step, constant_of
from hy_kernels.torch import table as torch_table
from hy_kernels.torch._precision import to_compute_dtype
from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._overlay import Overlay
from hy_kernels.triton._weights import ALL, Weights
from hy_kernels.triton.optimizer._stages import run_stages, stages
from hy_kernels.triton.optimizer._steps import (
    Rates,
    stepped_by_adam,
    stepped_by_lamb,
    stepped_by_sgd,
)
from hy_kernels.triton.runtime._launch import runs_on

__all__ = ["OVERRIDES", "step_of"]

Row: TypeAlias = tuple[Tensor, ...]
_GRADIENT = 1  # its position in a row
Columns: TypeAlias = Mapping[str, Any]
"""Hyperparameters by name: a list of the weights' values, or a tensor on the device."""


class _Step:
    """Callable that updates rows by Triton's kernels where they are supported, else by torch's.

    Args:
        function: Function of rows and hyperparameters.
        loads: Whether hyperparameters may be tensors.
    """

    def __init__(self, function: Callable[..., None], loads: bool) -> None:
        self._function = function
        self.loads = loads

    def __call__(self, rows: Sequence[Row], numbers: Sequence[Numbers]) -> None:
        """Overwrite the weights and states with their values after the step."""
        self._function(rows, numbers)


def step_of(rule: Rule, *, strict: bool) -> Step | None:
    """Return the function that updates weights by a rule; None if neither torch nor Triton can.

    Args:
        rule: The rule.
        strict: As for :class:`TritonTable`.
    """
    below = torch_table().step(rule)
    theirs, loads = (_by_stages(rule), False) if below is None else (below, below.loads)
    if theirs is None:
        return None
    override = OVERRIDES.get(rule.name)
    function, tensors = override or (None, frozenset[str]())
    plain = [k for k, name in enumerate(rule.numbers) if name not in tensors]
    supports: Callable[..., bool] = _supports_formula
    ours = partial(_computed, rule)
    if function is not None:
        supports, ours = (
            partial(_supports, len(rule.arrays), plain),
            partial(_overridden, rule, function),
        )
    overlay = Overlay(rule.name, ours, supports, Kernel(rule.name, theirs))
    return _Step(overlay.kernel(strict=strict).function, loads)


def _supports(
    size: int, plain: Sequence[int], rows: Sequence[Row], numbers: Sequence[Numbers]
) -> bool:
    """Return whether rows have equal float dtypes; numbers at ``plain`` must not be tensors."""
    kinds = {tuple([x.dtype for x in row]) for row in rows}
    if len(kinds) != 1 or any(torch.is_tensor(numbers[0][k]) for k in plain):
        return False
    (weight, grad, *states), narrow = rows[0][:size], rows[0][size:]
    own = narrow[0].dtype if narrow else weight.dtype
    is_standard = own in ALL and grad.dtype is own and all(x.dtype is weight.dtype for x in states)
    return is_standard and all(runs_on(*row) for row in rows)


def _supports_formula(rows: Sequence[Row], numbers: Sequence[Numbers]) -> bool:
    """Return whether all tensors are floating, and Triton can read them."""
    return all(x.dtype.is_floating_point for row in rows for x in row) and runs_on(*rows[0])


# --- overrides -------------------------------------------------------------------------------


def _overridden(
    rule: Rule,
    override: Callable[[Weights, Columns], None],
    rows: Sequence[Row],
    numbers: Sequence[Numbers],
) -> None:
    size = len(rule.arrays)
    mixed = len(rows[0]) > size
    if mixed:
        rows = [(row[-1], *row[1:size], row[0]) for row in rows]
    rows = [(row[0], row[1].contiguous(), *row[2:]) for row in rows]
    columns = zip(*numbers, strict=True)
    named = {name: _column(each) for name, each in zip(rule.numbers, columns, strict=True)}
    override(Weights(rows, rows, mixed=mixed), named)


def _column(numbers: Sequence[Any]) -> Any:
    if not torch.is_tensor(numbers[0]):
        return list(numbers)
    return numbers[0] if len(numbers) == 1 else torch.stack(list(numbers))


def _sgd(weights: Weights, n: Columns) -> None:
    momentum = n["momentum"][0] if "momentum" in n else None
    rates = Rates(*_loaded(n["lr"], n["wd"]))
    stepped_by_sgd(weights, rates, momentum, n["rescale_grad"][0], n["clip_gradient"][0])


def _loaded(*columns: Any) -> list[Any]:
    """Return hyperparameters of one kind: if one is a tensor, all become tensors."""
    tensors = [x for x in columns if torch.is_tensor(x)]
    if not tensors:
        return list(columns)
    return [x.reshape(-1) if torch.is_tensor(x) else _filled(x, tensors[0]) for x in columns]


def _filled(numbers: Sequence[float], like: Tensor) -> Tensor:
    """Return numbers as a tensor on a device, without a copy, which a CUDA graph cannot capture."""
    cells = {x: like.new_full((), x) for x in {*numbers}}
    return torch.stack([cells[x] for x in numbers])


def _adam(weights: Weights, n: Columns) -> None:
    betas = n["beta1"][0], n["beta2"][0]
    rates = Rates(*_loaded(n["lr"], n["wd"], n["epsilon"]))
    stepped_by_adam(weights, rates, *betas, n["rescale_grad"][0], n["clip_gradient"][0])


def _adamw(weights: Weights, n: Columns) -> None:
    """Take a step of AdamW: decoupled weight decay, and a gradient factor on the device."""
    betas = n["beta1"][0], n["beta2"][0]
    # eta scales rate and decay alike, in float64, before they are passed.
    eta, lr, wd = _loaded(n["eta"], n["lr"], n["wd"])
    rates = Rates(*_loaded(_product(eta, lr), _product(eta, wd), n["epsilon"]))
    factor = n["rescale_grad"].reshape(-1)[:1]
    stepped_by_adam(weights, rates, *betas, factor, n["clip_gradient"][0])


def _product(one: Any, other: Any) -> Any:
    """Return the products of two hyperparameters of one kind: two lists, or two tensors."""
    if torch.is_tensor(one):
        return one * other
    return [x * y for x, y in zip(one, other, strict=True)]


def _lamb(weights: Weights, n: Columns) -> None:
    corrects, counts = n["bias_correction"][0], n["t"]
    left = [_left(n[beta][0], counts) if corrects else [1.0] * len(weights) for beta in _BETAS]
    rates = Rates(*_loaded(n["lr"], n["wd"], *left))
    betas = n["beta1"][0], n["beta2"][0], n["epsilon"][0]
    bounds = n["lower_bound"][0], n["upper_bound"][0]
    stepped_by_lamb(weights, rates, *betas, n["rescale_grad"][0], n["clip_gradient"][0], *bounds)


def _left(beta: float, counts: Any) -> Any:
    """Return ``1 - beta ** count`` of each weight; of counts on a device there, in float64."""
    if torch.is_tensor(counts):
        return 1 - torch.pow(beta, counts.double())
    return [1 - beta**t for t in counts]


_BETAS = ("beta1", "beta2")
_RATES = frozenset({"lr", "wd"})
OVERRIDES: Mapping[str, tuple[Callable[[Weights, Columns], None], frozenset[str]]] = {
    "sgd_update": (_sgd, _RATES),
    "sgd_mom_update": (_sgd, _RATES),
    "adam_update": (_adam, _RATES | {"epsilon"}),
    "adamw_update": (_adamw, _RATES | {"epsilon", "eta", "rescale_grad"}),
    "lamb_update": (_lamb, _RATES | {"t"}),
}
"""By the rule's name: its function, and the hyperparameters that may be tensors."""


# --- formulas --------------------------------------------------------------------------------


def _computed(rule: Rule, rows: Sequence[Row], numbers: Sequence[Numbers]) -> None:
    size = len(rule.arrays)
    for row, own in zip(rows, numbers, strict=True):
        formula = rule.formula(own)
        constants = formula.constants(*own)
        narrow, shape = row[size:], row[0].shape
        by_row = frozenset([k for k, x in enumerate(row[:size]) if x.shape != shape])
        staged = stages(formula, len(constants), bool(narrow), by_row)
        assert staged is not None
        arrays = [x.contiguous() if k == _GRADIENT else x for k, x in enumerate(row[:size])]
        run_stages(staged, arrays, [row[0], *row[2:size], *narrow], constants)


def _one_by_one(rule: Rule, rows: Sequence[Row], numbers: Sequence[Numbers]) -> None:
    """Update rows by running the operators of a rule's formula one by one, with torch's kernels."""
    find, size = torch_table().find, len(rule.arrays)
    for row, own in zip(rows, numbers, strict=True):
        formula = rule.formula(own)
        constants = formula.constants(*own)
        values = [*map(to_compute_dtype, row[:size])]
        for step in formula.steps:
            numbered = [(name, x, constant_of(x)) for name, x in step.params.items()]
            params = {name: x if k is None else constants[k] for name, x, k in numbered}
            kernel = find(step.kernel)
            assert kernel is not None, step.kernel
            values.append(kernel.function(*[values[x] for x in step.operands], **params))
        results = [values[x] for x in formula.results]
        for target, value in zip((row[0], *row[2:size]), results, strict=True):
            target.copy_(value)
        for target in row[size:]:
            target.copy_(results[0])


def _by_stages(rule: Rule) -> Callable[..., None] | None:
    """Return the fallback that runs a rule with reductions by torch's kernels.

    None if Triton lacks one of the steps, or the rule has phases or a guard.
    """
    numbers = [0.5] * len(rule.numbers)
    formula = rule.formula(numbers)
    if rule.phases or rule.guard or stages(formula, len(formula.constants(*numbers))) is None:
        return None
    return partial(_one_by_one, rule)
