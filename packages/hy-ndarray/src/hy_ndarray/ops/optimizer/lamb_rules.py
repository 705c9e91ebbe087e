"""LAMB's rules: the direction of a step, and the step scaled by norms."""

from typing import Any

from hy_ndarray.ops.elementwise.unary import sqrt, square
from hy_ndarray.ops.optimizer.declaration import rule
from hy_ndarray.ops.optimizer.terms import decayed, running_mean, within
from hy_ndarray.ops.reduce.reductions import norm


@rule("lamb_update_phase1", forms=("mp",), gives="direction")
def lamb_update_phase1(
    weight: Any,
    grad: Any,
    mean: Any,
    var: Any,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-06,
    t: int,
    bias_correction: bool = True,
    wd: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """The direction of LAMB's step: Adam's, plus ``wd * weight``.

    Source:
        You et al. 2019, arXiv:1904.00962, algorithm 2.
    """
    slope = within(grad * rescale_grad, clip_gradient)
    betas = beta1, beta2, epsilon, t, bias_correction
    return _lamb_direction(weight, slope, mean, var, *betas, wd)


@rule("lamb_update_phase2", forms=("mp",))
def lamb_update_phase2(
    weight: Any,
    g: Any,
    r1: Any,
    r2: Any,
    *,
    lr: float,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
) -> Any:
    """LAMB's step along ``g``: ``weight - lr * (r1 / r2) * g``.

    Where:
        g: The direction; the type of ``weight``.
        r1: Norm of the weight, one element; the factor ``r1 / r2`` is 1 if it is 0.
        r2: Norm of the direction, one element; the factor ``r1 / r2`` is 1 if it is 0.
        lower_bound: The least ``r1``; none if negative.
        upper_bound: The largest ``r1``; none if negative.

    Source:
        You et al. 2019, arXiv:1904.00962, algorithm 2.
    """
    return weight - g * (lamb_ratio(r1, r2, lower_bound, upper_bound) * lr)


@rule(
    "",
    forms=("_multi", "_multi_mp"),
    lists=False,
    plural={"lr": "learning_rates", "t": "step_count"},
    count="num_tensors",
    phases=(lamb_update_phase1, lamb_update_phase2),
)
def lamb_update(
    weight: Any,
    grad: Any,
    mean: Any,
    var: Any,
    narrow: Any = None,
    *,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-06,
    wd: float,
    rescale_grad: float = 1.0,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    clip_gradient: float = -1.0,
    bias_correction: bool = True,
    t: int,
) -> Any:
    """LAMB: both phases, ``lamb_update_phase1`` and ``lamb_update_phase2``, in one step.

    Where:
        narrow: The 16-bit weight, whose norm is used, as in MXNet.

    Source:
        You et al. 2019, arXiv:1904.00962, algorithm 2.
    """
    slope = within(grad * rescale_grad, clip_gradient)
    betas = beta1, beta2, epsilon, t, bias_correction
    direction, mean, var = _lamb_direction(weight, slope, mean, var, *betas, wd)
    length = norm(weight if narrow is None else narrow)
    ratio = lamb_ratio(length, norm(direction), lower_bound, upper_bound)
    return weight - direction * (ratio * lr), mean, var


def _lamb_direction(
    weight: Any,
    slope: Any,
    mean: Any,
    var: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    t: Any,
    bias_correction: bool,
    wd: Any,
) -> tuple[Any, Any, Any]:
    mean, var = running_mean(mean, slope, beta1), running_mean(var, square(slope), beta2)
    first, second = (1 - beta1**t, 1 - beta2**t) if bias_correction else (1, 1)
    step = mean / (sqrt(var * (1 / second)) + epsilon) * (1 / first)
    return decayed(step, weight, wd), mean, var


def lamb_ratio(r1: Any, r2: Any, lower_bound: Any, upper_bound: Any) -> Any:
    """Return LAMB's trust ratio from the norms of the weight (r1) and the direction (r2).

    Branch-free arithmetic, so that the norms may be buffers without axes.
    """
    if lower_bound >= 0:
        r1 = r1 + (lower_bound - r1) * (r1 < lower_bound)
    if upper_bound >= 0:
        r1 = r1 + (upper_bound - r1) * (r1 > upper_bound)
    usable = (r1 != 0) * (r2 != 0) + 0.0
    return usable * r1 / (r2 + (1.0 - usable)) + (1.0 - usable)
