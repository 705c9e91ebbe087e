"""Error function and its inverse, gamma function with its logarithm and derivatives."""

import math
from collections.abc import Callable, Sequence

import torch

from hy_kernels.torch._constants import on_device
from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Out, Tensor, stored
from hy_kernels.torch.elementwise._functions import register

# Coefficients of Stirling's series for log gamma, of powers 1/x, 1/x³, …, and of its second
# derivative: B(2k) / (2k (2k-1)) and B(2k) with Bernoulli's numbers B; Abramowitz and Stegun 1964,
# formulas 6.1.41 and 6.4.12.
_STIRLING = (
    1 / 12,
    -1 / 360,
    1 / 1260,
    -1 / 1680,
    1 / 1188,
    -691 / 360360,
    1 / 156,
    -3617 / 122400,
)
_TRIGAMMA = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
_MIN_SERIES = (
    10  # from here on eight terms of the series are exact; smaller arguments are moved here
)


register(
    {
        "erf": torch.erf,
        "erfinv": torch.erfinv,
        "gammaln": torch.lgamma,
        "digamma": torch.digamma,
    }
)


def _in_float64(function: Callable[[Tensor], Tensor], data: Tensor, out: Out) -> Tensor:
    return stored(function(data.to(widest(data.device))).to(data.dtype), out)


def _series(x: Tensor, coefficients: Sequence[float]) -> Tensor:
    """Return the sum of ``coefficients[k] / x ** (2k + 1)``."""
    square = 1 / (x * x)
    y = torch.full_like(x, coefficients[-1])
    for c in reversed(coefficients[:-1]):
        y = y * square + c
    return y / x


def _sin_pi(x: Tensor) -> Tensor:
    """Return ``sin(πx)``, exactly 0 for integers."""
    nearest = torch.round(x)
    y = torch.sin(math.pi * (x - nearest))
    return torch.where(nearest % 2 == 0, y, -y)


@on_device
def _factorials(device: torch.device, dtype: torch.dtype) -> Tensor:
    """Return ``[0!, 1!, …, 170!]``, the factorials that float64 can represent."""
    return torch.tensor([float(math.factorial(n)) for n in range(171)], dtype=dtype, device=device)


def _gamma_positive(x: Tensor) -> Tensor:
    large = x >= _MIN_SERIES
    # Above 200 it is infinity, as at 200, where the power is not yet infinity times 0.
    y = torch.where(large, x.clamp(max=200), x + _MIN_SERIES)
    # The power is multiplied in two halves: y**(y - 0.5) overflows above 143, gamma itself only
    # above 171.
    root = torch.pow(y, y / 2 - 0.25)  # of the power, which overflows before gamma does
    result = math.sqrt(2 * math.pi) * root * torch.exp(_series(y, _STIRLING) - y) * root
    # Small arguments are shifted up by ten with the recurrence gamma(x + 1) = x gamma(x).
    rising = x.clone()  # x (x + 1) … (x + 9)
    for i in range(1, _MIN_SERIES):
        rising *= x + i
    result = torch.where(large, result, result / rising)
    factorials = _factorials(x.device, x.dtype)
    whole = (x == torch.floor(x)) & (x > 0) & (x <= len(factorials))
    # Integers are exact: factorials from a table.
    indices = torch.where(whole, x - 1, 0).to(torch.int64)
    result = torch.where(whole, torch.take(factorials, indices), result)
    return torch.where(torch.isinf(x), x, result)


def _gamma(x: Tensor) -> Tensor:
    size = torch.abs(x)
    result = _gamma_positive(size)
    # Reflection formula.
    mirrored = math.pi / (x * result * _sin_pi(size))  # gamma(-x) = -π / (x gamma(x) sin(πx))
    mirrored = torch.where(x == torch.floor(x), math.nan, mirrored)
    result = torch.where(x < 0, mirrored, result)
    return torch.where(x == 0, torch.copysign(torch.full_like(x, math.inf), x), result)


@kernel(pointwise=True)
def gamma(data: Tensor, *, out: Out = None) -> Tensor:
    """Return the gamma function; nan at the negative integers."""
    return _in_float64(_gamma, data, out)


def _trigamma_positive(x: Tensor) -> Tensor:
    large = x >= _MIN_SERIES
    y = torch.where(large, x, x + _MIN_SERIES)
    square = 1 / (y * y)
    result = 1 / y + 0.5 * square + _series(y, _TRIGAMMA) * square
    fractions = sum((1 / (x + i) ** 2 for i in range(1, _MIN_SERIES)), 1 / x**2)
    return torch.where(large, result, result + fractions)


def _trigamma(x: Tensor) -> Tensor:
    # Reflection: trigamma(1 - x) + trigamma(x) = pi^2 / sin^2(pi x).
    result = _trigamma_positive(torch.where(x < 0, 1 - x, x))
    return torch.where(x < 0, (math.pi / _sin_pi(x)) ** 2 - result, result)


@kernel(pointwise=True)
def trigamma(data: Tensor, *, out: Out = None) -> Tensor:
    """Return the derivative of ``digamma``; inf at negative integers."""
    return _in_float64(_trigamma, data, out)
