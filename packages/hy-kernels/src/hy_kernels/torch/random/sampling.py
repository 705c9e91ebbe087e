"""Random numbers of one distribution, its parameters given as numbers; shuffling."""

from collections.abc import Mapping
from typing import Any

import torch

from hy_kernels.record import Function, Maker, by_params
from hy_kernels.torch._dtypes import torch_type
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, out_buffer
from hy_kernels.torch.random import _draws
from hy_kernels.torch.random._draws import Generator, device_of, seeded

__all__ = [
    "random_exponential",
    "random_gamma",
    "random_generalized_negative_binomial",
    "random_negative_binomial",
    "random_normal",
    "random_poisson",
    "random_randint",
    "random_uniform",
    "shuffle",
]

Shape = tuple[int, ...] | None


def _draw_shape(shape: Shape) -> tuple[int, ...]:
    return (1,) if shape is None else shape


def _drawn_by(draw: Function, low: str, high: str) -> Maker:
    """Return a fast path of float32 numbers drawn by a function of torch."""

    # torch.rand without a scale and shift: the standard case saves two passes.
    def bound(params: Mapping[str, Any], _: Function) -> Function | None:
        if (params[low], params[high]) != (0, 1) or params["dtype"] not in (None, "float32"):
            return None
        size, kind = _draw_shape(params["shape"]), torch.float32
        return lambda rng: draw(size, generator=rng, dtype=kind, device=rng.device)

    return by_params(bound)


@kernel(out="apart", specialize=_drawn_by(torch.rand, "low", "high"))
def random_uniform(
    *,
    low: float,
    high: float,
    shape: Shape,
    dtype: str | None,
    rng: Generator,
    out: OutBuffers = None,
) -> Tensor:
    """Draw uniform numbers from ``low`` to ``high``."""
    return _draws.uniform(rng, _draw_shape(shape), dtype or "float32", low, high, out)


@kernel(out="apart", specialize=_drawn_by(torch.randn, "loc", "scale"))
def random_normal(
    *,
    loc: float,
    scale: float,
    shape: Shape,
    dtype: str | None,
    rng: Generator,
    out: OutBuffers = None,
) -> Tensor:
    """Draw normal numbers about ``loc``."""
    return _draws.normal(rng, _draw_shape(shape), dtype or "float32", loc, scale, out)


@kernel(out="apart")
def random_gamma(
    *,
    alpha: float,
    beta: float,
    shape: Shape,
    dtype: str | None,
    rng: Generator,
    out: OutBuffers = None,
) -> Tensor:
    """Draw gamma numbers of shape ``alpha`` and scale ``beta``."""
    return _draws.gamma(rng, _draw_shape(shape), dtype or "float32", alpha, beta, out)


@kernel(out="apart")
def random_exponential(
    *, lam: float, shape: Shape, dtype: str | None, rng: Generator, out: OutBuffers = None
) -> Tensor:
    """Draw exponential numbers of rate ``lam``."""
    return _draws.exponential(rng, _draw_shape(shape), dtype or "float32", lam, out)


@kernel(out="apart")
def random_poisson(
    *, lam: float, shape: Shape, dtype: str | None, rng: Generator, out: OutBuffers = None
) -> Tensor:
    """Draw Poisson numbers of mean ``lam``."""
    return _draws.poisson(rng, _draw_shape(shape), dtype or "float32", lam, out)


@kernel(out="apart")
def random_negative_binomial(
    *, k: int, p: float, shape: Shape, dtype: str | None, rng: Generator, out: OutBuffers = None
) -> Tensor:
    """Draw numbers of failures before ``k`` successes."""
    return _draws.negative_binomial(rng, _draw_shape(shape), dtype or "float32", k, p, out)


@kernel(out="apart")
def random_generalized_negative_binomial(
    *,
    mu: float,
    alpha: float,
    shape: Shape,
    dtype: str | None,
    rng: Generator,
    out: OutBuffers = None,
) -> Tensor:
    """Draw negative binomial numbers of mean ``mu`` and dispersion ``alpha``."""
    return _draws.generalized_negative_binomial(
        rng, _draw_shape(shape), dtype or "float32", mu, alpha, out
    )


@kernel()
def random_randint(
    *, low: int, high: int, shape: Shape, dtype: str | None, rng: Generator
) -> Tensor:
    """Draw integers from ``low`` to ``high - 1``."""
    kind = dtype or "int32"
    if kind not in ("int32", "int64"):
        raise TypeError(f"dtype {dtype} is neither int32 nor int64")
    # int64 draws are cast: torch draws with the same number of bits.
    drawn = torch.randint(low, high, _draw_shape(shape), **seeded(rng), device=device_of(rng))
    return drawn.to(torch_type(kind))


@kernel(out="apart")
def shuffle(data: Tensor, *, rng: Generator, out: OutBuffers = None) -> Tensor:
    """Return a copy with its elements along the first axis in random order."""
    if not data.ndim:
        return copied(data, out)
    order = torch.randperm(len(data), **seeded(rng), device=data.device)
    return torch.index_select(data, 0, order, out=out_buffer(out))
