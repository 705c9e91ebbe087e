"""Steps of one weight by the rules of :mod:`hy_kernels.triton.device.rules`.

They are generated (:mod:`hy_kernels.triton.pointwise`): weight, gradient and states are read once,
and what is new is written once. Float16 and bfloat16 are computed in float32 and rounded once,
where they are written. Rates, factors and bounds are told by launches, exactly for float64, so that
nothing is compiled when they change.
"""

from collections.abc import Mapping
from functools import lru_cache, partial
from math import inf, prod
from typing import Any, NamedTuple, TypeAlias

import torch

from hy_kernels.torch._tensor import Tensor, target
from hy_kernels.triton._formula import Formula, Reduction, Step, literal
from hy_kernels.triton._launch import runs_on
from hy_kernels.triton._overlay import OVERLAYS, Overlay, overlay
from hy_kernels.triton.device import rules as device
from hy_kernels.triton.pointwise import reduced, run

__all__ = ["RULES", "Rule", "group_adagrad_update"]

Targets: TypeAlias = tuple[Tensor, ...] | None
Params: TypeAlias = Mapping[str, Any]


class Rule(NamedTuple):
    """Rule of how an operator is computed."""

    function: Any
    """Of the device: arrays, then numbers, then constants, by the operator's names."""
    arrays: tuple[int, ...]
    """Which operands it takes."""
    results: tuple[tuple[int, int], ...]
    """Of each result of the operator which one of the function it is, and which operand's type."""

    @property
    def outputs(self) -> int:
        """Return the number of the function's results."""
        return max(k for k, _ in self.results) + 1


RULES: Mapping[str, Rule] = {
    "nag_mom_update": Rule(device.nag_mom, (0, 1, 2), ((0, 0), (1, 2))),
    "mp_nag_mom_update": Rule(device.nag_mom, (3, 1, 2), ((0, 0), (1, 2), (0, 3))),
    "signsgd_update": Rule(device.signsgd, (0, 1), ((0, 0),)),
    "signum_update": Rule(device.signum, (0, 1, 2), ((0, 0), (1, 2))),
    "rmsprop_update": Rule(device.rmsprop, (0, 1, 2), ((0, 0), (1, 2))),
    "rmspropalex_update": Rule(
        device.rmspropalex, (0, 1, 2, 3, 4), ((0, 0), (1, 2), (2, 3), (3, 4))
    ),
    "adagrad_update": Rule(device.adagrad, (0, 1, 2), ((0, 0), (1, 2))),
    "ftrl_update": Rule(device.ftrl, (0, 1, 2, 3), ((0, 0), (1, 2), (2, 3))),
    "ftml_update": Rule(device.ftml, (0, 1, 2, 3, 4), ((0, 0), (1, 2), (2, 3), (3, 4))),
    "lamb_update_phase1": Rule(device.lamb_direction, (0, 1, 2, 3), ((0, 0), (1, 2), (2, 3))),
    "mp_lamb_update_phase1": Rule(device.lamb_direction, (4, 1, 2, 3), ((0, 4), (1, 2), (2, 3))),
    "lamb_update_phase2": Rule(device.lamb_step, (0, 1, 2, 3), ((0, 0),)),
    "mp_lamb_update_phase2": Rule(device.lamb_step, (4, 1, 2, 3), ((0, 0), (0, 4))),
    "multi_lars": Rule(device.lars_rate, (0, 1, 2, 3), ((0, 0),)),
}
_BOUNDS = ("clip_gradient", "clip_grad", "clip_weights", "upper_bound")
_LENGTHS = (2, 3)
"""The operands of LAMB's second phase that are one number each."""


def _bounds(params: Params) -> dict[str, Any]:
    """Parameters as rules take them: of no bound infinity, and what is left of a bias."""
    result = {k: inf if k in _BOUNDS and v < 0 else v for k, v in params.items()}
    if "lower_bound" in params and params["lower_bound"] < 0:
        result["lower_bound"] = -inf
    if "t" in params:
        for k in (1, 2):
            corrects = params.get("bias_correction", True)
            result[f"left{k}"] = 1 - params[f"beta{k}"] ** params["t"] if corrects else 1.0
    return result


@lru_cache(maxsize=1024)
def _formula(rule: Rule, operands: int, constants: tuple[tuple[str, str], ...]) -> Formula:
    numbers = len(_names(rule.function, constant=False)) - len(rule.arrays)
    first = operands + numbers
    step = Step(
        rule.function.fn.__name__,
        (*rule.arrays, *range(operands, first)),
        constants,
        outputs=rule.outputs,
    )
    return Formula(operands, (step,), tuple(first + k for k, _ in rule.results), numbers=numbers)


def _names(function: Any, *, constant: bool) -> list[str]:
    """Split its arguments: those that it is compiled for, or the others."""
    code = function.fn.__code__
    names = code.co_varnames[: code.co_argcount]
    return [name for name in names if (name in function.fn.__annotations__) == constant]


def _supports(name: str, *data: Tensor, **params: Any) -> bool:
    if any(torch.is_tensor(each) for each in params.values()):
        return False
    single = _LENGTHS if "_phase2" in name else ()
    first = data[0].shape
    fits = all(x.numel() == 1 if k in single else x.shape == first for k, x in enumerate(data))
    return fits and all(x.dtype.is_floating_point for x in data) and runs_on(*data)


def _stepped(name: str, *data: Tensor, out: Targets = None, **params: Any) -> Any:
    rule, values, single = RULES[name], _bounds(params), _LENGTHS if "_phase2" in name else ()
    function, shape = rule.function, data[0].shape
    constants = tuple([(k, literal(values[k])) for k in _names(function, constant=True)])
    numbers = [values[k] for k in _names(function, constant=False)[len(rule.arrays) :]]
    inputs = [x.reshape(()) if k in single else x for k, x in enumerate(data)]
    results = [
        target(out, shape, data[like].dtype, data[0].device, k)
        for k, (_, like) in enumerate(rule.results)
    ]
    run(_formula(rule, len(data), constants), inputs, shape, results, numbers)
    return results[0] if len(results) == 1 else tuple(results)


for _name in RULES:
    OVERLAYS[_name] = Overlay(_name, partial(_stepped, _name), partial(_supports, _name))


# --- rows ------------------------------------------------------------------------------------

_SQUARES = Formula(1, (Step("square_of", (0, 1, 2)),), (), Reduction("sum", 3), numbers=2)
_SUM = Formula(2, (Step("broadcast_add", (0, 1)),), (2,))


def _supports_rows(weight: Tensor, grad: Tensor, history: Tensor, **_: Any) -> bool:
    floats = all(x.dtype.is_floating_point for x in (weight, grad, history))
    fits = weight.shape == grad.shape and weight.ndim > 0 and history.numel() == len(weight)
    return floats and fits and runs_on(weight, grad, history)


@overlay(supports=_supports_rows)
def group_adagrad_update(
    weight: Tensor,
    grad: Tensor,
    history: Tensor,
    *,
    lr: float,
    rescale_grad: float,
    clip_gradient: float,
    epsilon: float,
) -> tuple[Tensor, ...]:
    """AdaGrad with one history for each row; the gradient is read twice."""
    numbers = [rescale_grad, clip_gradient if clip_gradient >= 0 else inf]
    wide = torch.promote_types(torch.promote_types(grad.dtype, history.dtype), torch.float32)
    mean = grad.new_empty(len(grad), dtype=wide)
    columns = prod(grad.shape[1:])
    how: dict[str, Any] = {"count": columns or 1, "numbers": numbers}
    reduced(_SQUARES, [grad], grad.shape, grad.ndim - 1, mean, **how)
    rows = (-1, *(1,) * (grad.ndim - 1))
    step = Step("group_adagrad", tuple(range(7)), (("epsilon", literal(epsilon)),))
    new, total = (torch.empty(x.shape, dtype=x.dtype, device=x.device) for x in (weight, history))
    operands = [weight, grad, history.reshape(rows), mean.reshape(rows)]
    run(Formula(4, (step,), (7,), numbers=3), operands, weight.shape, [new], [lr, *numbers])
    run(_SUM, [history, mean.reshape(history.shape)], history.shape, [total])
    return new, total
