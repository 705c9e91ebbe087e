"""Compositions of samplers, and of densities."""

from collections.abc import Callable, Sequence
from functools import partial
from math import pi
from typing import Any

import numpy as np

from hy_ndarray.ops.compositions._terms import cast, expanded, filled, reshape, total, wide
from hy_ndarray.ops.compositions.places import where
from hy_ndarray.ops.elementwise import exponential, special, unary as elementwise
from hy_ndarray.ops.np import arithmetic as np_arithmetic, choosing, sampling as np_sampling
from hy_ndarray.ops.np.scalar import (
    np_equal_scalar,
    np_greater_equal_scalar,
    np_greater_scalar,
    np_less_equal_scalar,
)
from hy_ndarray.ops.random import densities
from hy_ndarray.ops.random.distribution import Distribution
from hy_ndarray.ops.random.distributions import (
    DISTRIBUTIONS,
    exponential as waits,
    gamma,
    generalized_negative_binomial,
    negative_binomial,
    normal,
    poisson,
    uniform,
)
from hy_ndarray.ops.record.composition import Tracer, create
from hy_ndarray.ops.record.derived import composition
from hy_ndarray.ops.record.schema import OperatorFunction


def _like(like: OperatorFunction, draw: OperatorFunction) -> None:
    @composition(like)
    def _(data: Tracer, **params: Any) -> Any:
        return create(draw, shape=data.shape, dtype=data.dtype, **params)


for _each in DISTRIBUTIONS:
    _like(_each.like, _each.random)


def _with_sample_axes(data: Tracer, like: Tracer, keep: int) -> Tracer:
    """Insert axes of size 1 before the last ``keep`` axes, up to the rank of ``like``."""
    leading = data.ndim - keep
    return reshape(
        data, *data.shape[:leading], *(1,) * (like.ndim - data.ndim), *data.shape[leading:]
    )


@composition(densities.spread_like)
def _spread_like(data: Tracer, like: Tracer, *, keep: int) -> Any:
    return expanded(_with_sample_axes(data, like, keep), like.shape)


@composition(densities.unspread_like)
def _unspread_like(data: Tracer, like: Tracer, *, keep: int) -> Any:
    leading = like.ndim - keep
    axes = [*range(leading, leading + data.ndim - like.ndim)]
    return cast(total(wide(data), axes), data.dtype) if axes else data


def _log(x: Tracer) -> Any:
    return exponential.log(x)


def _gammaln(x: Tracer) -> Any:
    return special.gammaln(x)


def _log_power(base: Tracer, exponent: Tracer) -> Any:
    """Return ``log(base ** exponent)``, with ``log(0 ** 0)`` as 0."""
    is_0 = np_equal_scalar(exponent + base * 0, scalar=0.0)
    return exponent * _log(where(is_0, filled((), 1.0, base.dtype), base))


def _inside(condition: Tracer, logarithm: Tracer) -> Any:
    return where(condition, logarithm, filled((), float("-inf"), logarithm.dtype))


def _from_0(x: Tracer, logarithm: Tracer) -> Any:
    return _inside(np_greater_equal_scalar(x, scalar=0.0), logarithm)


def _uniform(x: Tracer, low: Tracer, high: Tracer) -> Any:
    above = np_arithmetic.np_greater_equal(x, low)
    inside = np_arithmetic.np_bitwise_and(above, np_arithmetic.np_less_equal(x, high))
    return _inside(inside, -_log(high - low) + x * 0)


def _normal(x: Tracer, mu: Tracer, sigma: Tracer) -> Any:
    z = (x - mu) / sigma
    return (z * z + float(np.log(2 * pi))) * -0.5 - _log(sigma)


def _gamma(x: Tracer, alpha: Tracer, beta: Tracer) -> Any:
    power = alpha * _log(beta) + _log_power(x, alpha - 1.0)
    return _from_0(x, power - beta * x - _gammaln(alpha))


def _exponential(x: Tracer, lam: Tracer) -> Any:
    return _from_0(x, _log(lam) - lam * x)


def _poisson(x: Tracer, lam: Tracer) -> Any:
    return _from_0(x, _log_power(lam, x) - lam - _gammaln(x + 1.0))


def _negative_binomial(x: Tracer, k: Tracer, p: Tracer) -> Any:
    ways = _gammaln(x + k) - _gammaln(x + 1.0) - _gammaln(k)
    return _from_0(x, ways + k * _log(p) + _log_power(1.0 - p, x))


def _generalized(x: Tracer, mu: Tracer, alpha: Tracer) -> Any:
    known = _negative_binomial(x, 1.0 / alpha, 1.0 / (mu * alpha + 1.0))
    return where(np_equal_scalar(alpha, scalar=0.0), _poisson(x, mu), known)


def _density(name: OperatorFunction, logarithm: Callable[..., Any]) -> None:
    """Declare the composition of a density, given the formula of its logarithm."""

    @composition(name)
    def density(sample: Tracer, *parameters: Tracer, is_log: bool) -> Any:
        spread = [cast(_with_sample_axes(p, sample, 0), "float64") for p in parameters]
        y = logarithm(cast(sample, "float64"), *spread)
        return cast(y if is_log else exponential.exp(y), sample.dtype)


_density(uniform.density, _uniform)
_density(normal.density, _normal)
_density(gamma.density, _gamma)
_density(waits.density, _exponential)
_density(poisson.density, _poisson)
_density(negative_binomial.density, _negative_binomial)
_density(generalized_negative_binomial.density, _generalized)


@composition(densities.random_pdf_dirichlet)
def _dirichlet(sample: Tracer, alpha: Tracer, *, is_log: bool) -> Any:
    a = cast(alpha, "float64")
    whole = _gammaln(total(a, [-1])) - total(_gammaln(a), [-1])
    powers = total(_log_power(cast(sample, "float64"), _with_sample_axes(a, sample, 1) - 1.0), [-1])
    y = powers + reshape(whole, *whole.shape, *(1,) * (sample.ndim - alpha.ndim))
    return cast(y if is_log else exponential.exp(y), sample.dtype)


def _parameters(inputs: Sequence[Tracer | None], *numbers: float | None) -> list[Tracer]:
    """Return each parameter in float64: its number, or the next array if that is None."""
    arrays = iter([x for x in inputs if x is not None])
    return [
        cast(next(arrays), "float64") if n is None else filled((), n, "float64") for n in numbers
    ]


def _required(condition: Tracer, value: Tracer, message: str) -> Any:
    """Return ``value`` after checking that a condition holds everywhere, which synchronizes.

    For array parameters; the ranges of number parameters are checked on binding.
    """
    return where(choosing.npx_constraint_check(condition, msg=message), value, value)


def _from_zero(value: Tracer) -> Any:
    return _required(np_greater_equal_scalar(value, scalar=0.0), value, "a scale is negative")


def _above_zero(value: Tracer) -> Any:
    is_positive = np_greater_scalar(value, scalar=0.0)
    return _required(is_positive, value, "a shape or a scale is not positive")


def _draw_shape(
    size: Sequence[int] | None, parameters: Sequence[Tracer], *, leading_size: bool = False
) -> tuple[int, ...]:
    own = np.broadcast_shapes(*(p.shape for p in parameters))
    if leading_size:
        return (*(size or ()), *own)
    return own if size is None else tuple(size)


def _standard_draws(operator: OperatorFunction, shape: Sequence[int]) -> Tracer:
    """Return float64 numbers drawn by a sampler with its default parameters."""
    return create(operator, shape=tuple(shape), dtype="float64")


def _uniform_between(name: OperatorFunction, leading_size: bool) -> None:
    @composition(name)
    def between(
        input1: Tracer | None = None,
        input2: Tracer | None = None,
        *,
        low: float | None,
        high: float | None,
        size: Sequence[int] | None,
        dtype: str,
    ) -> Any:
        first, last = parameters = _parameters((input1, input2), low, high)
        shape = _draw_shape(size, parameters, leading_size=leading_size)
        return cast(_standard_draws(uniform.random, shape) * (last - first) + first, dtype)


_uniform_between(np_sampling.np_uniform, False)
_uniform_between(np_sampling.np_uniform_n, True)


def _located(
    name: OperatorFunction, noise: Callable[[Sequence[int]], Any], leading_size: bool = False
) -> None:
    """Declare the composition of a location-scale distribution, ``loc + scale * noise``."""

    @composition(name)
    def located(
        input1: Tracer | None = None,
        input2: Tracer | None = None,
        *,
        loc: float | None,
        scale: float | None,
        size: Sequence[int] | None,
        dtype: str = "float32",
    ) -> Any:
        location, width = parameters = _parameters((input1, input2), loc, scale)
        width = _from_zero(width) if scale is None else width
        drawn = noise(_draw_shape(size, parameters, leading_size=leading_size))
        return [cast(location + width * drawn, dtype), cast(drawn, dtype)]


def _gumbel(shape: Sequence[int]) -> Any:
    return -_log(-_log(1.0 - _standard_draws(uniform.random, shape)))


def _logistic(shape: Sequence[int]) -> Any:
    u = _standard_draws(uniform.random, shape)
    return _log(u / (1.0 - u))


_located(np_sampling.np_normal, partial(_standard_draws, normal.random))
_located(np_sampling.np_normal_n, partial(_standard_draws, normal.random), leading_size=True)
_located(np_sampling.np_gumbel, _gumbel)
_located(np_sampling.np_logistic, _logistic)


def _from_noise(
    name: OperatorFunction,
    noise: Callable[[Sequence[int]], Any],
    function: Callable[[Tracer, Tracer], Any],
    parameter: str,
    check: Callable[[Tracer], Any],
) -> None:
    """Declare the composition of a one-parameter distribution, which transforms noise."""

    @composition(name)
    def drawn(input1: Tracer | None = None, *, size: Sequence[int] | None, **params: Any) -> Any:
        (own,) = parameters = _parameters((input1,), params[parameter])
        values = noise(_draw_shape(size, parameters))
        valid = check(own) if params[parameter] is None else own
        y = cast(function(values, valid), "float32")
        return [y, cast(values, "float32")] if len(name.op.output_names(params)) > 1 else y


def _rayleigh(shape: Sequence[int]) -> Any:
    return elementwise.sqrt(_standard_draws(waits.random, shape) * 2.0)


_waits = partial(_standard_draws, waits.random)
_from_noise(np_sampling.np_exponential, _waits, lambda e, scale: e * scale, "scale", _from_zero)
_from_noise(np_sampling.np_rayleigh, _rayleigh, lambda r, scale: r * scale, "scale", _from_zero)
_from_noise(np_sampling.np_pareto, _waits, lambda e, a: exponential.expm1(e / a), "a", _above_zero)
_from_noise(np_sampling.np_weibull, _waits, lambda e, a: e ** (1.0 / a), "a", _above_zero)
_from_noise(
    np_sampling.np_powerd,
    partial(_standard_draws, uniform.random),
    lambda u, a: u ** (1.0 / a),
    "a",
    _above_zero,
)


@composition(np_sampling.np_bernoulli)
def _bernoulli(
    input1: Tracer | None = None,
    *,
    prob: float | None,
    logit: float | None,
    size: Sequence[int] | None,
    dtype: str,
    is_logit: bool,
) -> Any:
    (value,) = parameters = _parameters((input1,), logit if is_logit else prob)
    if is_logit:
        probability = 1.0 / (exponential.exp(-value) + 1.0)
    elif prob is not None:
        probability = value
    else:
        inside = np_arithmetic.np_bitwise_and(
            np_greater_equal_scalar(value, scalar=0.0), np_less_equal_scalar(value, scalar=1.0)
        )
        probability = _required(inside, value, "a probability is not between 0 and 1")
    drawn = _standard_draws(uniform.random, _draw_shape(size, parameters))
    return cast(np_arithmetic.np_less(drawn, probability), dtype)


def _of_numbers(distribution: Distribution) -> None:
    """Declare the composition of a sampler with number parameters by that with arrays."""
    names = [parameter.name for parameter in distribution.parameters]

    @composition(distribution.random)
    def drawn(*, shape: Sequence[int] | None, dtype: str | None, **params: Any) -> Any:
        kind = dtype or "float32"
        size = (1,) if shape is None else tuple(shape)
        wide = [filled((1,), float(params[name]), "float64") for name in names]
        return reshape(distribution.sample(*wide, shape=size, dtype=kind), *size)


for _each in DISTRIBUTIONS:
    _of_numbers(_each)


@composition(np_sampling.np_gamma)
def _np_gamma(
    input1: Tracer | None = None,
    input2: Tracer | None = None,
    *,
    shape: float | None,
    scale: float | None,
    size: Sequence[int] | None,
    dtype: str,
) -> Any:
    form, width = parameters = _parameters((input1, input2), shape, scale)
    form = _above_zero(form) if shape is None else form
    width = _above_zero(width) if scale is None else width
    forms = expanded(form, _draw_shape(size, parameters))
    ones = filled(forms.shape, 1.0, "float64")
    drawn = gamma.sample(forms, ones, shape=(), dtype="float64")
    return cast(drawn * width, dtype)
