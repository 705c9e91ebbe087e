"""Random numbers whose parameters are numbers, or arrays that broadcast."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array, Places, copied, place, quiet, target
from hy_kernels.numpy._kernels import kernel

__all__ = [
    "np_bernoulli",
    "np_choice",
    "np_exponential",
    "np_gamma",
    "np_gumbel",
    "np_logistic",
    "np_multinomial",
    "np_normal",
    "np_normal_n",
    "np_pareto",
    "np_powerd",
    "np_rayleigh",
    "np_uniform",
    "np_uniform_n",
    "np_weibull",
]

Generator: TypeAlias = np.random.Generator
Size: TypeAlias = tuple[int, ...] | None
Number: TypeAlias = float | None


def _parameters(inputs: tuple[Array | None, ...], *numbers: Number) -> list[Any]:
    """Each parameter: the number, or the next array where it is None; in float64."""
    arrays = iter([x for x in inputs if x is not None])
    return [np.asarray(next(arrays) if n is None else n, np.float64) for n in numbers]


def _shape(size: Size, parameters: list[Any], in_front: bool = False) -> tuple[int, ...]:
    own = np.broadcast_shapes(*(p.shape for p in parameters))
    if in_front:
        return (*(size or ()), *own)
    if size is not None and np.broadcast_shapes(own, size) != size:
        raise ValueError("the parameters do not broadcast to the size")
    return own if size is None else size


def _at_least_0(*parameters: Array) -> None:
    if any((p < 0).any() for p in parameters):
        raise ValueError("a scale is negative")


def _above_0(*parameters: Array) -> None:
    if any((p <= 0).any() for p in parameters):
        raise ValueError("a shape or a scale is not positive")


def _uniform(
    rng: Generator, parameters: list[Any], shape: tuple[int, ...], dtype: str, out: Places
) -> Array:
    low, high = parameters
    y = target(out, shape, dtype)
    np.add(rng.random(shape) * (high - low), low, out=y, casting="unsafe")
    return y


@kernel(out="apart")
def np_uniform(
    input1: Array | None,
    input2: Array | None,
    *,
    low: Number,
    high: Number,
    size: Size,
    dtype: str,
    rng: Generator,
    out: Places = None,
) -> Array:
    """Draw numbers of equal probability."""
    parameters = _parameters((input1, input2), low, high)
    return _uniform(rng, parameters, _shape(size, parameters), dtype, out)


@kernel(out="apart")
def np_uniform_n(
    input1: Array | None,
    input2: Array | None,
    *,
    low: Number,
    high: Number,
    size: Size,
    dtype: str,
    rng: Generator,
    out: Places = None,
) -> Array:
    """Draw numbers of equal probability, several for each pair of parameters."""
    parameters = _parameters((input1, input2), low, high)
    return _uniform(rng, parameters, _shape(size, parameters, in_front=True), dtype, out)


def _located(noise: Array, parameters: list[Any], dtype: str, out: Places) -> tuple[Array, Array]:
    """``loc + scale * noise``, and the noise."""
    loc, scale = parameters
    _at_least_0(scale)
    y = target(out, noise.shape, dtype)
    np.add(loc, scale * noise, out=y, casting="unsafe")
    return y, copied(noise, out, 1, dtype=y.dtype)


@kernel(out="apart")
def np_normal(
    input1: Array | None,
    input2: Array | None,
    *,
    loc: Number,
    scale: Number,
    size: Size,
    dtype: str,
    rng: Generator,
    out: Places = None,
) -> tuple[Array, Array]:
    """Normal."""
    parameters = _parameters((input1, input2), loc, scale)
    return _located(rng.standard_normal(_shape(size, parameters)), parameters, dtype, out)


@kernel(out="apart")
def np_normal_n(
    input1: Array | None,
    input2: Array | None,
    *,
    loc: Number,
    scale: Number,
    size: Size,
    dtype: str,
    rng: Generator,
    out: Places = None,
) -> tuple[Array, Array]:
    """Normal, several for each pair of parameters."""
    parameters = _parameters((input1, input2), loc, scale)
    shape = _shape(size, parameters, in_front=True)
    return _located(rng.standard_normal(shape), parameters, dtype, out)


@kernel(out="apart")
def np_gamma(
    input1: Array | None,
    input2: Array | None,
    *,
    shape: Number,
    scale: Number,
    size: Size,
    dtype: str,
    rng: Generator,
    out: Places = None,
) -> Array:
    """Gamma."""
    parameters = _parameters((input1, input2), shape, scale)
    form, width = parameters
    _above_0(form, width)
    forms = np.broadcast_to(form, _shape(size, parameters))
    y = target(out, forms.shape, dtype)
    np.multiply(rng.standard_gamma(forms), width, out=y, casting="unsafe")
    return y


@kernel(out="apart")
def np_gumbel(
    input1: Array | None,
    input2: Array | None,
    *,
    loc: Number,
    scale: Number,
    size: Size,
    rng: Generator,
    out: Places = None,
) -> tuple[Array, Array]:
    """Gumbel."""
    parameters = _parameters((input1, input2), loc, scale)
    noise = rng.gumbel(size=_shape(size, parameters))
    return _located(noise, parameters, "float32", out)


@kernel(out="apart")
def np_logistic(
    input1: Array | None,
    input2: Array | None,
    *,
    loc: Number,
    scale: Number,
    size: Size,
    rng: Generator,
    out: Places = None,
) -> tuple[Array, Array]:
    """Logistic."""
    parameters = _parameters((input1, input2), loc, scale)
    noise = rng.logistic(size=_shape(size, parameters))
    return _located(noise, parameters, "float32", out)


def _from_noise(
    input1: Array | None,
    number: Number,
    size: Size,
    noise: Callable[[tuple[int, ...]], Any],
    function: Callable[[Any, Any], Any],
    out: Places,
    check: Callable[[Array], None] = _above_0,
) -> tuple[Array, Array]:
    """A function of noise and one parameter, and the noise."""
    (parameter,) = _parameters((input1,), number)
    check(parameter)
    drawn = np.asarray(noise(_shape(size, [parameter])))
    y = np.asarray(function(drawn, parameter))
    dtype = np.dtype(np.float32)
    return copied(y, out, dtype=dtype), copied(drawn, out, 1, dtype=dtype)


@kernel(out="apart")
def np_exponential(
    input1: Array | None, *, scale: Number, size: Size, rng: Generator, out: Places = None
) -> tuple[Array, Array]:
    """Exponential."""
    return _from_noise(input1, scale, size, rng.standard_exponential, np.multiply, out, _at_least_0)


@kernel(out="apart")
def np_rayleigh(
    input1: Array | None, *, scale: Number, size: Size, rng: Generator, out: Places = None
) -> tuple[Array, Array]:
    """Rayleigh."""
    noise = partial(rng.rayleigh, 1.0)
    return _from_noise(input1, scale, size, noise, np.multiply, out, _at_least_0)


@kernel(out="apart")
@quiet
def np_pareto(
    input1: Array | None, *, a: Number, size: Size, rng: Generator, out: Places = None
) -> tuple[Array, Array]:
    """Pareto from 0."""
    return _from_noise(input1, a, size, rng.standard_exponential, lambda e, a: np.expm1(e / a), out)


@kernel(out="apart")
@quiet
def np_weibull(
    input1: Array | None, *, a: Number, size: Size, rng: Generator, out: Places = None
) -> tuple[Array, Array]:
    """Weibull."""
    return _from_noise(input1, a, size, rng.standard_exponential, lambda e, a: e ** (1 / a), out)


@kernel(out="apart")
@quiet
def np_powerd(
    input1: Array | None, *, a: Number, size: Size, rng: Generator, out: Places = None
) -> Array:
    """Power of a uniform number."""
    places = place(out), None
    return _from_noise(input1, a, size, rng.random, lambda u, a: u ** (1 / a), places)[0]


@kernel(out="apart")
def np_bernoulli(
    input1: Array | None,
    *,
    prob: Number,
    logit: Number,
    size: Size,
    dtype: str,
    is_logit: bool,
    rng: Generator,
    out: Places = None,
) -> Array:
    """1 with a probability."""
    (value,) = _parameters((input1,), logit if is_logit else prob)
    if not is_logit and not ((value >= 0) & (value <= 1)).all():
        raise ValueError("a probability is not between 0 and 1")
    chance = 1 / (1 + np.exp(-value)) if is_logit else value
    return copied(rng.random(_shape(size, [value])) < chance, out, dtype=np.dtype(dtype))


@kernel()
def np_choice(
    input1: Array | None,
    input2: Array | None,
    *,
    a: int | None,
    size: tuple[int, ...],
    replace: bool,
    weighted: bool,
    rng: Generator,
) -> Array:
    """Indices."""
    arrays = [x for x in (input1, input2) if x is not None]
    count = len(arrays[0]) if a is None else a
    chances = None
    if weighted:
        chances = arrays[-1].astype(np.float64)
        chances /= chances.sum()
    return np.asarray(rng.choice(count, size, replace, chances), np.int64)


@kernel()
def np_multinomial(
    a: Array | None,
    *,
    n: int,
    pvals: tuple[float, ...] | None,
    size: Size,
    rng: Generator,
) -> Array:
    """Counts of events."""
    chances = np.asarray(a if pvals is None else pvals, np.float64)
    if not chances.size:
        return np.zeros((*(size or ()), 0), np.int64)
    return np.asarray(rng.multinomial(max(n, 0), chances / chances.sum(), size), np.int64)
