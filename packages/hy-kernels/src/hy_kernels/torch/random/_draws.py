"""Random numbers by distribution; parameters are numbers or tensors that broadcast."""

from typing import Any, TypeAlias

import torch

from hy_kernels.torch._dtypes import torch_type, widest
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, number, out_buffer

Generator: TypeAlias = torch.Generator | torch.device
"""A generator; or in compiled code a device, which stands for its default generator."""

Size: TypeAlias = tuple[int, ...]
Parameter: TypeAlias = float | Tensor

_TINY = torch.finfo(torch.float64).tiny


def device_of(rng: Generator) -> torch.device:
    """Return the device of the generator."""
    return rng.device if isinstance(rng, torch.Generator) else rng


def seeded(rng: Generator) -> dict[str, Any]:
    """Return the ``generator=`` argument of torch functions as a dict.

    It is empty for torch's default generator, because compilers cannot trace ``generator=``.
    """
    # torch.export and dynamo cannot trace a generator argument.
    return {"generator": rng} if isinstance(rng, torch.Generator) else {}


def _real_dtype(dtype: str) -> torch.dtype:
    """Return the floating dtype to draw numbers in: float32 or float64."""
    if "float" not in dtype:
        raise TypeError(f"dtype {dtype} is not floating")
    return torch.float64 if dtype == "float64" else torch.float32


def _memory(rng: Generator, size: Size, dtype: str, out: OutBuffers) -> Tensor:
    """Return the tensor to draw into: the out buffer if it has the right dtype, or a new one."""
    real, memory = _real_dtype(dtype), out_buffer(out)
    # Drawn in place where the dtype is the result's; 16 bits are drawn wide, and rounded.
    if memory is not None and memory.dtype is real:
        return memory
    return torch.empty(size, dtype=real, device=device_of(rng))


def _as_result(y: Tensor, dtype: str, out: OutBuffers) -> Tensor:
    """Return numbers drawn into :func:`_memory` in the dtype of the result."""
    kind = torch_type(dtype)
    return y if y.dtype is kind else copied(y, out, dtype=kind)


def _in_double_dtype(rng: Generator, value: Parameter) -> Tensor:
    """Return a parameter as a tensor of :func:`widest` dtype."""
    device = device_of(rng)
    if isinstance(value, torch.Tensor):
        return value.to(widest(device))
    return number(value, widest(device), device)


def _check_bound(value: Parameter, bound: float) -> None:
    """Raise an error if a number is below ``bound``; tensors are not checked."""
    if not isinstance(value, torch.Tensor) and not value >= bound:
        raise ValueError(f"{value} is below {bound}")


def uniform(
    rng: Generator, size: Size, dtype: str, low: Parameter, high: Parameter, out: OutBuffers = None
) -> Tensor:
    """Return uniform numbers in ``[low, high)``."""
    # Tensors are not checked: that would wait for a GPU.
    if not isinstance(low, torch.Tensor):
        _check_bound(high, low)
    y = _memory(rng, size, dtype, out).uniform_(**seeded(rng))
    return _as_result(y.mul_(high - low).add_(low), dtype, out)


def normal(
    rng: Generator, size: Size, dtype: str, loc: Parameter, scale: Parameter, out: OutBuffers = None
) -> Tensor:
    """Return normally distributed numbers of mean ``loc`` and standard deviation ``scale``."""
    _check_bound(scale, 0)
    y = _memory(rng, size, dtype, out).normal_(**seeded(rng))
    return _as_result(y.mul_(scale).add_(loc), dtype, out)


def exponential(
    rng: Generator, size: Size, dtype: str, lam: Parameter, out: OutBuffers = None
) -> Tensor:
    """Return exponentially distributed numbers of mean ``1 / lam``."""
    _check_bound(lam, _TINY)
    y = _memory(rng, size, dtype, out).exponential_(**seeded(rng))
    return _as_result(y.div_(lam), dtype, out)


def standard_gamma(rng: Generator, size: Size, forms: Parameter, real: torch.dtype) -> Tensor:
    """Return gamma distributed numbers of shape parameter ``forms`` and scale 1; 0 for shape 0."""
    if isinstance(forms, torch.Tensor):
        shapes = forms.to(real).broadcast_to(size).contiguous()
    else:
        shapes = torch.full(size, forms, dtype=real, device=device_of(rng))
    # torch's own kernel behind Gamma.sample; of concentration 0 it would draw NaN.
    y = torch._standard_gamma(shapes, **seeded(rng))
    return torch.where(shapes == 0, 0, y)


def gamma(
    rng: Generator,
    size: Size,
    dtype: str,
    alpha: Parameter,
    beta: Parameter,
    out: OutBuffers = None,
) -> Tensor:
    """Return gamma distributed numbers of shape ``alpha`` and scale ``beta``."""
    _check_bound(alpha, _TINY)
    _check_bound(beta, _TINY)
    y = standard_gamma(rng, size, alpha, _real_dtype(dtype)).mul_(beta)
    # 0 is a degenerate distribution; torch's Gamma draws tiny numbers there.
    return copied(y, out, dtype=torch_type(dtype))


def _counts(rng: Generator, rates: Tensor, dtype: str, out: OutBuffers) -> Tensor:
    """Return Poisson distributed counts with these rates, in a floating dtype."""
    return copied(torch.poisson(rates.contiguous(), **seeded(rng)), out, dtype=torch_type(dtype))


def poisson(
    rng: Generator, size: Size, dtype: str, lam: Parameter, out: OutBuffers = None
) -> Tensor:
    """Return Poisson distributed numbers of mean ``lam``."""
    _real_dtype(dtype)
    _check_bound(lam, 0)
    return _counts(rng, _in_double_dtype(rng, lam).broadcast_to(size), dtype, out)


def negative_binomial(
    rng: Generator, size: Size, dtype: str, k: Parameter, p: Parameter, out: OutBuffers = None
) -> Tensor:
    """Return numbers of failures before ``k`` successes of probability ``p``, clipped to 1."""
    _real_dtype(dtype)
    _check_bound(k, 0)
    _check_bound(p, _TINY)
    # MXNet takes probabilities above 1 for certain success.
    chance = _in_double_dtype(rng, p).clamp(max=1.0)
    # A Poisson of a Gamma rate is negative binomial: no direct sampler is needed.
    rates = standard_gamma(rng, size, k, chance.dtype) * (1.0 / chance - 1.0)
    return _counts(rng, rates, dtype, out)


def generalized_negative_binomial(
    rng: Generator, size: Size, dtype: str, mu: Parameter, alpha: Parameter, out: OutBuffers = None
) -> Tensor:
    """Return negative binomial numbers of mean ``mu`` and variance ``mu + alpha * mu ** 2``."""
    _real_dtype(dtype)
    spread = _in_double_dtype(rng, alpha)
    # alpha 0 is a plain Poisson; the division is by 1 there.
    some = torch.where(spread == 0, 1.0, spread)
    drawn = standard_gamma(rng, size, 1.0 / some, some.dtype) * some
    factors = torch.where(spread == 0, 1.0, drawn)
    return _counts(rng, factors * _in_double_dtype(rng, mu), dtype, out)
