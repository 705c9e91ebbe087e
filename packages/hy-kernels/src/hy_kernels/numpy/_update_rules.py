"""The rules by which optimizers change weights, over arrays of at least float32.

Each takes a weight, a gradient, and the optimizer's states, all of which it may overwrite, and
returns the new weight and the new states. :func:`stepped` applies a rule.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array, accumulator
from hy_kernels.numpy._pool import num_chunks, split, together

__all__ = [
    "Targets",
    "adam",
    "adamw",
    "lamb_direction",
    "lamb_step",
    "momentum_sgd",
    "nesterov",
    "rescaled",
    "scalar_of",
    "sgd",
    "stepped",
    "wide",
]

Rule: TypeAlias = Callable[..., tuple[Array, ...]]
Targets: TypeAlias = tuple[Array, ...] | None
_LEAST = 1 << 19  # elements that are worth a thread
_BLOCK = 1 << 16  # elements worked on at a time


def wide(array: Array) -> Array:
    """The array in the dtype to compute in."""
    return array if array.itemsize > 2 else array.astype(accumulator(array.dtype), copy=False)


def stepped(
    rule: Rule, weight: Array, grad: Array, *states: Array, out: Targets = None
) -> tuple[Array, ...]:
    """The new weight and states, each in the dtype it had.

    The rule is pointwise, so large arrays go through it in blocks that stay in the cache.

    Args:
        rule: Takes blocks of the arrays; it may overwrite those of weight and states.
        weight: The weight.
        grad: Its gradient.
        states: The optimizer's states.
        out: Contiguous arrays for the results, of their shapes and dtypes; may be weight and
            states themselves.
    """
    likes = weight, *states
    if any(x.shape != weight.shape for x in (grad, *states)):
        raise ValueError("shapes differ")
    results = out or tuple([np.empty(x.shape, x.dtype) for x in likes])
    for result, like in zip(results, likes, strict=True):
        if result is not like:
            np.copyto(result, like)
    targets = [x.reshape(-1) for x in results]
    slopes = grad.reshape(-1)
    count = num_chunks(weight.size, _LEAST)
    if count == 1:
        _step(rule, targets, slopes)
    else:
        parts = split(weight.size, count)
        together([partial(_step, rule, [x[p] for x in targets], slopes[p]) for p in parts])
    return results


def _step(rule: Rule, targets: list[Array], slopes: Array) -> None:
    """Apply a rule to flat arrays, block by block."""
    for start in range(0, slopes.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        own = targets if slopes.size <= _BLOCK else [x[block] for x in targets]
        w, *more = map(wide, own)
        values = rule(w, wide(slopes[block]), *more)
        for target, value in zip(own, values, strict=True):
            if value is not target:
                target[...] = value


def scalar_of(array: Array) -> float:
    """The only element."""
    return float(array.reshape(()))


def rescaled(grad: Array, factor: float, bound: float, decay: Array | None = None) -> Array:
    """A new array: the gradient times ``factor``, plus ``decay``, kept within ``bound``.

    A negative bound means none.
    """
    g = np.multiply(wide(grad), factor)
    if decay is not None:
        g += decay
    if bound >= 0:
        np.clip(g, -bound, bound, out=g)
    return g


def sgd(weight: Array, g: Array, lr: float, wd: float) -> tuple[Array]:
    """``weight - lr * (g + wd * weight)``."""
    if wd:
        weight *= 1 - lr * wd
    if lr != 1:
        g *= lr
    weight -= g
    return (weight,)


def momentum_sgd(
    weight: Array, g: Array, mom: Array, lr: float, wd: float, momentum: float
) -> tuple[Array, Array]:
    """Gradient descent with a velocity ``mom``."""
    mom *= momentum
    if lr != 1:
        g *= lr
    mom -= g
    if wd:
        mom -= np.multiply(weight, lr * wd, out=g)
    weight += mom
    return weight, mom


def nesterov(
    weight: Array, g: Array, mom: Array, lr: float, wd: float, momentum: float
) -> tuple[Array, Array]:
    """Nesterov's accelerated gradient: the step is taken where the velocity leads."""
    if wd:
        g += weight * wd
    g *= lr
    mom *= momentum
    mom -= g
    weight -= g
    weight += np.multiply(mom, momentum, out=g)
    return weight, mom


def moments(g: Array, mean: Array, var: Array, beta1: float, beta2: float) -> tuple[Array, Array]:
    """The running means of the gradient and of its square."""
    mean *= beta1
    mean += g * (1 - beta1)
    var *= beta2
    np.square(g, out=g)
    g *= 1 - beta2
    var += g
    return mean, var


def adam(
    weight: Array,
    g: Array,
    mean: Array,
    var: Array,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
) -> tuple[Array, Array, Array]:
    """Adam without its bias correction, which the caller puts into ``lr``."""
    mean, var = moments(g, mean, var, beta1, beta2)
    step = np.sqrt(var)
    step += epsilon
    np.divide(mean, step, out=step)
    step *= lr
    weight -= step
    return weight, mean, var


def adamw(
    weight: Array,
    g: Array,
    mean: Array,
    var: Array,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    wd: float,
    eta: float,
) -> tuple[Array, Array, Array]:
    """Adam with the weight decay beside the gradient, both scaled by ``eta``."""
    decay = weight * (eta * wd) if wd else None
    adam(weight, g, mean, var, eta * lr, beta1, beta2, epsilon)
    if decay is not None:
        weight -= decay
    return weight, mean, var


def lamb_direction(
    weight: Array,
    g: Array,
    mean: Array,
    var: Array,
    beta1: float,
    beta2: float,
    epsilon: float,
    t: int,
    bias_correction: bool,
    wd: float,
) -> tuple[Array, Array, Array]:
    """The direction of LAMB's step, and the new running means."""
    mean, var = moments(g, mean, var, beta1, beta2)
    step = np.sqrt(var / (1 - beta2**t)) if bias_correction else np.sqrt(var)
    step += epsilon
    np.divide(mean, step, out=step)
    if bias_correction:
        step /= 1 - beta1**t
    if wd:
        step += weight * wd
    return step, mean, var


def lamb_step(
    weight: Array, g: Array, r1: float, r2: float, lr: float, lower: float, upper: float
) -> Array:
    """LAMB's step along ``g``: as long as the norms of weight (r1) and direction (r2) say."""
    if lower >= 0:
        r1 = max(r1, lower)
    if upper >= 0:
        r1 = min(r1, upper)
    ratio = 1.0 if r1 == 0 or r2 == 0 else r1 / r2
    return np.asarray(weight - g * (lr * ratio))
