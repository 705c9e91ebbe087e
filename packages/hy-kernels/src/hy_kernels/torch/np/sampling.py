"""Random numbers whose parameters are numbers, or arrays that broadcast."""

from collections.abc import Callable
from math import prod
from typing import TypeAlias

import numpy as np
import torch

from hy_kernels.torch._draws import Generator, device_of, seeded, standard_gamma
from hy_kernels.torch._dtypes import torch_type, widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Places, Tensor, copied, place

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

Size: TypeAlias = tuple[int, ...] | None
Number: TypeAlias = float | None


def _parameters(
    rng: Generator, inputs: tuple[Tensor | None, ...], *numbers: Number
) -> list[Tensor]:
    """Each parameter: the number, or the next array where it is None; in the widest dtype."""
    arrays = iter([x for x in inputs if x is not None])
    wide = widest(device_of(rng))
    return [
        torch.as_tensor(next(arrays) if n is None else n, dtype=wide, device=device_of(rng))
        for n in numbers
    ]


def _noise(rng: Generator, shape: tuple[int, ...]) -> Tensor:
    """Memory to draw in."""
    return torch.empty(shape, dtype=widest(device_of(rng)), device=device_of(rng))


def _shape(size: Size, parameters: list[Tensor], in_front: bool = False) -> tuple[int, ...]:
    own = np.broadcast_shapes(*(p.shape for p in parameters))
    if in_front:
        return (*(size or ()), *own)
    if size is not None and np.broadcast_shapes(own, size) != size:
        raise ValueError("the parameters do not broadcast to the size")
    return own if size is None else size


def _at_least_0(*parameters: Tensor) -> None:
    if any(bool((p < 0).any()) for p in parameters):
        raise ValueError("a scale is negative")


def _above_0(*parameters: Tensor) -> None:
    if any(bool((p <= 0).any()) for p in parameters):
        raise ValueError("a shape or a scale is not positive")


def _uniform(
    rng: Generator, parameters: list[Tensor], shape: tuple[int, ...], dtype: str, out: Places
) -> Tensor:
    low, high = parameters
    y = _noise(rng, shape).uniform_(**seeded(rng)).mul_(high - low).add_(low)
    return copied(y, out, dtype=torch_type(dtype))


def _uniform_noise(rng: Generator, shape: tuple[int, ...]) -> Tensor:
    return _noise(rng, shape).uniform_(**seeded(rng))


def _normal(rng: Generator, shape: tuple[int, ...]) -> Tensor:
    return _noise(rng, shape).normal_(**seeded(rng))


def _exponential(rng: Generator, shape: tuple[int, ...]) -> Tensor:
    return _noise(rng, shape).exponential_(**seeded(rng))


def _rayleigh(rng: Generator, shape: tuple[int, ...]) -> Tensor:
    return _exponential(rng, shape).mul_(2).sqrt_()


@kernel(out="apart")
def np_uniform(
    input1: Tensor | None,
    input2: Tensor | None,
    *,
    low: Number,
    high: Number,
    size: Size,
    dtype: str,
    rng: Generator,
    out: Places = None,
) -> Tensor:
    """Draw numbers of equal probability."""
    parameters = _parameters(rng, (input1, input2), low, high)
    return _uniform(rng, parameters, _shape(size, parameters), dtype, out)


@kernel(out="apart")
def np_uniform_n(
    input1: Tensor | None,
    input2: Tensor | None,
    *,
    low: Number,
    high: Number,
    size: Size,
    dtype: str,
    rng: Generator,
    out: Places = None,
) -> Tensor:
    """Draw numbers of equal probability, several for each pair of parameters."""
    parameters = _parameters(rng, (input1, input2), low, high)
    return _uniform(rng, parameters, _shape(size, parameters, in_front=True), dtype, out)


def _located(
    noise: Tensor, parameters: list[Tensor], dtype: str, out: Places
) -> tuple[Tensor, Tensor]:
    """``loc + scale * noise``, and the noise."""
    loc, scale = parameters
    _at_least_0(scale)
    kind = torch_type(dtype)
    y = copied(loc + scale * noise, out, dtype=kind)
    return y, copied(noise, out, 1, dtype=kind)


@kernel(out="apart")
def np_normal(
    input1: Tensor | None,
    input2: Tensor | None,
    *,
    loc: Number,
    scale: Number,
    size: Size,
    dtype: str,
    rng: Generator,
    out: Places = None,
) -> tuple[Tensor, Tensor]:
    """Normal."""
    parameters = _parameters(rng, (input1, input2), loc, scale)
    return _located(_normal(rng, _shape(size, parameters)), parameters, dtype, out)


@kernel(out="apart")
def np_normal_n(
    input1: Tensor | None,
    input2: Tensor | None,
    *,
    loc: Number,
    scale: Number,
    size: Size,
    dtype: str,
    rng: Generator,
    out: Places = None,
) -> tuple[Tensor, Tensor]:
    """Normal, several for each pair of parameters."""
    parameters = _parameters(rng, (input1, input2), loc, scale)
    shape = _shape(size, parameters, in_front=True)
    return _located(_normal(rng, shape), parameters, dtype, out)


@kernel(out="apart")
def np_gamma(
    input1: Tensor | None,
    input2: Tensor | None,
    *,
    shape: Number,
    scale: Number,
    size: Size,
    dtype: str,
    rng: Generator,
    out: Places = None,
) -> Tensor:
    """Gamma."""
    parameters = _parameters(rng, (input1, input2), shape, scale)
    form, width = parameters
    _above_0(form, width)
    kind = torch_type(dtype)
    return copied(
        standard_gamma(rng, _shape(size, parameters), form, form.dtype) * width, out, dtype=kind
    )


@kernel(out="apart")
def np_gumbel(
    input1: Tensor | None,
    input2: Tensor | None,
    *,
    loc: Number,
    scale: Number,
    size: Size,
    rng: Generator,
    out: Places = None,
) -> tuple[Tensor, Tensor]:
    """Gumbel."""
    parameters = _parameters(rng, (input1, input2), loc, scale)
    noise = -torch.log(_exponential(rng, _shape(size, parameters)))
    return _located(noise, parameters, "float32", out)


@kernel(out="apart")
def np_logistic(
    input1: Tensor | None,
    input2: Tensor | None,
    *,
    loc: Number,
    scale: Number,
    size: Size,
    rng: Generator,
    out: Places = None,
) -> tuple[Tensor, Tensor]:
    """Logistic."""
    parameters = _parameters(rng, (input1, input2), loc, scale)
    noise = torch.logit(_uniform_noise(rng, _shape(size, parameters)))
    return _located(noise, parameters, "float32", out)


def _from_noise(
    rng: Generator,
    input1: Tensor | None,
    number: Number,
    size: Size,
    noise: Callable[[Generator, tuple[int, ...]], Tensor],
    function: Callable[[Tensor, Tensor], Tensor],
    out: Places,
    check: Callable[[Tensor], None] = _above_0,
) -> tuple[Tensor, Tensor]:
    """A function of noise and one parameter, and the noise."""
    (parameter,) = _parameters(rng, (input1,), number)
    check(parameter)
    drawn = noise(rng, _shape(size, [parameter]))
    y = function(drawn, parameter)
    return copied(y, out, dtype=torch.float32), copied(drawn, out, 1, dtype=torch.float32)


@kernel(out="apart")
def np_exponential(
    input1: Tensor | None, *, scale: Number, size: Size, rng: Generator, out: Places = None
) -> tuple[Tensor, Tensor]:
    """Exponential."""
    return _from_noise(rng, input1, scale, size, _exponential, torch.mul, out, _at_least_0)


@kernel(out="apart")
def np_rayleigh(
    input1: Tensor | None, *, scale: Number, size: Size, rng: Generator, out: Places = None
) -> tuple[Tensor, Tensor]:
    """Rayleigh."""
    return _from_noise(rng, input1, scale, size, _rayleigh, torch.mul, out, _at_least_0)


@kernel(out="apart")
def np_pareto(
    input1: Tensor | None, *, a: Number, size: Size, rng: Generator, out: Places = None
) -> tuple[Tensor, Tensor]:
    """Pareto from 0."""
    return _from_noise(rng, input1, a, size, _exponential, lambda e, a: torch.expm1(e / a), out)


@kernel(out="apart")
def np_weibull(
    input1: Tensor | None, *, a: Number, size: Size, rng: Generator, out: Places = None
) -> tuple[Tensor, Tensor]:
    """Weibull."""
    return _from_noise(rng, input1, a, size, _exponential, lambda e, a: e ** (1 / a), out)


@kernel(out="apart")
def np_powerd(
    input1: Tensor | None, *, a: Number, size: Size, rng: Generator, out: Places = None
) -> Tensor:
    """Power of a uniform number."""
    places = place(out), None
    return _from_noise(rng, input1, a, size, _uniform_noise, lambda u, a: u ** (1 / a), places)[0]


@kernel(out="apart")
def np_bernoulli(
    input1: Tensor | None,
    *,
    prob: Number,
    logit: Number,
    size: Size,
    dtype: str,
    is_logit: bool,
    rng: Generator,
    out: Places = None,
) -> Tensor:
    """1 with a probability."""
    (value,) = _parameters(rng, (input1,), logit if is_logit else prob)
    on_cpu = value.device.type == "cpu"  # a GPU is not waited for
    if on_cpu and not is_logit and not bool(((value >= 0) & (value <= 1)).all()):
        raise ValueError("a probability is not between 0 and 1")
    chance = torch.sigmoid(value) if is_logit else value
    drawn = _uniform_noise(rng, _shape(size, [value]))
    return copied(drawn < chance, out, dtype=torch_type(dtype))


@kernel()
def np_choice(
    input1: Tensor | None,
    input2: Tensor | None,
    *,
    a: int | None,
    size: tuple[int, ...],
    replace: bool,
    weighted: bool,
    rng: Generator,
) -> Tensor:
    """Indices."""
    arrays = [x for x in (input1, input2) if x is not None]
    count, draws = len(arrays[0]) if a is None else a, prod(size)
    if not replace and draws > count:
        raise ValueError(f"{draws} different ones of {count}")
    if weighted:
        chances = arrays[-1].to(widest(device_of(rng)))
        if not draws:
            return torch.empty(size, dtype=torch.int64, device=device_of(rng))
        return torch.multinomial(chances, draws, replace, **seeded(rng)).reshape(size)
    if replace:
        return torch.randint(count, size, **seeded(rng), device=device_of(rng))
    return torch.randperm(count, **seeded(rng), device=device_of(rng))[:draws].reshape(size).clone()


@kernel()
def np_multinomial(
    a: Tensor | None,
    *,
    n: int,
    pvals: tuple[float, ...] | None,
    size: Size,
    rng: Generator,
) -> Tensor:
    """Counts of events."""
    wide = widest(device_of(rng))
    chances = torch.as_tensor(a if pvals is None else pvals, dtype=wide, device=device_of(rng))
    shape = size or ()
    counts = torch.empty((*shape, len(chances)), dtype=torch.int64, device=device_of(rng))
    left = torch.full(shape, max(n, 0), dtype=wide, device=device_of(rng))
    rest = chances.flip(0).cumsum(0).flip(0)  # of this event and those behind it
    for k in range(len(chances)):  # each takes its part of what those in front have left
        part = torch.where(rest[k] > 0, chances[k] / rest[k], 0).clamp(0, 1)
        drawn = torch.binomial(left, part.expand(shape).contiguous(), **seeded(rng))
        counts[..., k] = drawn
        left -= drawn
    return counts
