"""The rules by which optimizers change weights, over arrays of at least float32.

Each takes a weight, a gradient, and the optimizer's states, all of which it may overwrite, and
returns the new weight and the new states. :func:`stepped` applies a rule.
"""

import threading
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array, accumulator, aligned
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.runtime._pool import num_chunks, split, together

__all__ = [
    "Targets",
    "adam",
    "adamw",
    "decay",
    "descent",
    "lamb_direction",
    "lamb_ratio",
    "lamb_step",
    "nesterov",
    "rescaled",
    "scalar_of",
    "sgd",
    "stepped",
    "temporary",
    "velocity",
    "wide",
]

Rule: TypeAlias = Callable[..., tuple[Array, ...]]
Targets: TypeAlias = tuple[Array, ...] | None


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
    shape = weight.shape
    if grad.shape != shape:
        raise ValueError("shapes differ")
    for x in states:
        if x.shape != shape:
            raise ValueError("shapes differ")
    results = out or (aligned(shape, weight.dtype), *[aligned(shape, x.dtype) for x in states])
    for result, like in zip(results, (weight, *states), strict=True):
        if result is not like:
            np.copyto(result, like)
    size = weight.size
    if size <= COSTS.blocks.update and shape:
        _step(rule, results, grad)
        return results
    targets, slopes = [x.reshape(-1) for x in results], grad.reshape(-1)
    least = COSTS.threads.update
    count = 1 if size < least else num_chunks(size, least)
    if count == 1:
        _step_blocks(rule, targets, slopes)
    else:
        parts = split(size, count)
        together([partial(_step_blocks, rule, [x[p] for x in targets], slopes[p]) for p in parts])
    return results


def _step_blocks(rule: Rule, targets: Sequence[Array], slopes: Array) -> None:
    """Apply a rule to flat arrays, block by block."""
    size, most = slopes.size, COSTS.blocks.update
    if size <= most:
        _step(rule, targets, slopes)
        return
    for start in range(0, size, most):
        block = slice(start, start + most)
        _step(rule, [x[block] for x in targets], slopes[block])


def _step(rule: Rule, targets: Sequence[Array], slopes: Array) -> None:
    """Apply a rule to one block."""
    weight = targets[0]
    if weight.itemsize > 2 and slopes.itemsize > 2:
        values = rule(weight, slopes, *targets[1:])
    else:
        values = rule(*map(wide, (weight, slopes, *targets[1:])))
    for value, target in zip(values, targets, strict=True):
        if value is not target:
            target[...] = value


class _Scratch(threading.local):
    """Arrays of a thread that rules compute in, so that no step waits for new memory."""

    def __init__(self) -> None:
        self.arrays: dict[tuple[int, np.dtype[Any]], Array] = {}


_scratch = _Scratch()


def temporary(like: Array, k: int = 0) -> Array:
    """An array like a block to compute something in that only this block needs.

    Args:
        like: The block.
        k: Its number; those of different numbers can be used at once.
    """
    size, most = like.size, COSTS.blocks.update
    if size < COSTS.memory.update or size > most:
        return np.empty(like.shape, like.dtype)
    key = (k, like.dtype)
    kept = _scratch.arrays.get(key)
    if kept is None or kept.size < size:
        kept = _scratch.arrays[key] = aligned((most,), like.dtype)
    return kept[:size].reshape(like.shape)


def scalar_of(array: Array) -> float:
    """The only element."""
    return float(array.reshape(()))


def rescaled(grad: Array, factor: float, bound: float, added: Array | None = None) -> Array:
    """The gradient times ``factor``, plus ``added``, kept within ``bound``; see :func:`temporary`.

    A negative bound means none.
    """
    slope = wide(grad)
    g = np.multiply(slope, factor, out=temporary(slope))
    if added is not None:
        g += added
    if bound >= 0:
        np.clip(g, -bound, bound, out=g)
    return g


def decay(weight: Array, wd: float) -> Array | None:
    """What weight decay adds to the gradient: None where there is none."""
    return np.multiply(weight, wd, out=temporary(weight, 1)) if wd else None


def sgd(weight: Array, g: Array, lr: float, wd: float) -> tuple[Array]:
    """``weight - lr * (g + wd * weight)``."""
    if wd:
        weight *= 1 - lr * wd
    if lr != 1:
        g *= lr
    weight -= g
    return (weight,)


class _Constants(dict[np.dtype[Any], tuple[Array, ...]]):
    """Numbers as arrays without axes, by dtype; numpy takes those in half the time."""

    def __init__(self, *numbers: float) -> None:
        self._numbers = numbers

    def __missing__(self, dtype: np.dtype[Any]) -> tuple[Array, ...]:
        if dtype.kind != "f":  # rates would become 0
            raise TypeError(f"steps are taken on floats, not on {dtype}")
        made = self[dtype] = tuple([np.array(number, dtype) for number in self._numbers])
        return made


@lru_cache(maxsize=64)
def descent(rescale: float, bound: float, lr: float, wd: float) -> Rule:
    """:func:`sgd` with gradients as :func:`rescaled` gives them."""
    numbers = _Constants(rescale * lr if bound < 0 else rescale, lr, 1 - lr * wd)

    def rule(weight: Array, grad: Array) -> tuple[Array]:
        factor, rate, kept = numbers[weight.dtype]
        step = np.multiply(
            grad, factor, temporary(grad) if grad.size >= COSTS.memory.update else None
        )
        if bound >= 0:
            _clipped(step, bound, rate)
        if wd:
            np.multiply(weight, kept, weight)
        np.subtract(weight, step, weight)
        return (weight,)

    return rule


@lru_cache(maxsize=64)
def velocity(rescale: float, bound: float, lr: float, wd: float, momentum: float) -> Rule:
    """:func:`descent` with a velocity."""
    numbers = _Constants(rescale * lr if bound < 0 else rescale, lr, lr * wd, momentum)

    def rule(weight: Array, grad: Array, mom: Array) -> tuple[Array, Array]:
        factor, rate, lost, kept = numbers[weight.dtype]
        step = np.multiply(
            grad, factor, temporary(grad) if grad.size >= COSTS.memory.update else None
        )
        if bound >= 0:
            _clipped(step, bound, rate)
        np.multiply(mom, kept, mom)
        np.subtract(mom, step, mom)
        if wd:
            np.subtract(mom, np.multiply(weight, lost, step), mom)
        np.add(weight, mom, weight)
        return weight, mom

    return rule


def _clipped(step: Array, bound: float, rate: Array) -> None:
    """Keep a rescaled gradient within ``bound``, and multiply it by ``rate``."""
    np.clip(step, -bound, bound, out=step)
    np.multiply(step, rate, step)


def nesterov(
    weight: Array, g: Array, mom: Array, lr: float, wd: float, momentum: float
) -> tuple[Array, Array]:
    """Nesterov's accelerated gradient: the step is taken where the velocity leads."""
    lost = decay(weight, wd)
    if lost is not None:
        g += lost
    g *= lr
    mom *= momentum
    mom -= g
    weight -= g
    weight += np.multiply(mom, momentum, out=g)
    return weight, mom


def moments(g: Array, mean: Array, var: Array, beta1: float, beta2: float) -> tuple[Array, Array]:
    """The running means of the gradient and of its square."""
    mean *= beta1
    mean += np.multiply(g, 1 - beta1, out=temporary(g, 1))
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
    step = np.sqrt(var, out=g)
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
    lost = weight * (eta * wd) if wd else None
    adam(weight, g, mean, var, eta * lr, beta1, beta2, epsilon)
    if lost is not None:
        weight -= lost
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
    step = np.divide(var, 1 - beta2**t, out=g) if bias_correction else var
    step = np.sqrt(step, out=g)
    step += epsilon
    np.divide(mean, step, out=step)
    if bias_correction:
        step /= 1 - beta1**t
    lost = decay(weight, wd)
    if lost is not None:
        step += lost
    return step, mean, var


def lamb_ratio(r1: float, r2: float, lower: float, upper: float) -> float:
    """The factor of LAMB's rate, of the norms of weight (r1) and direction (r2)."""
    if lower >= 0:
        r1 = max(r1, lower)
    if upper >= 0:
        r1 = min(r1, upper)
    return 1.0 if r1 == 0 or r2 == 0 else r1 / r2


def lamb_step(
    weight: Array, g: Array, r1: float, r2: float, lr: float, lower: float, upper: float
) -> Array:
    """LAMB's step along ``g``: as long as the norms of weight (r1) and direction (r2) say."""
    return np.asarray(weight - g * (lr * lamb_ratio(r1, r2, lower, upper)))
