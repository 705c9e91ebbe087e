"""Random numbers of one distribution, with numbers as parameters; shuffling."""

import torch

from hy_kernels._definitions import renamed
from hy_kernels.record import Function, Maker, Params, by_params
from hy_kernels.torch._dtypes import torch_type
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, out_buffer
from hy_kernels.torch.random import _draws
from hy_kernels.torch.random._draws import Generator, device_of, seeded

Shape = tuple[int, ...] | None


def _draw_shape(shape: Shape) -> tuple[int, ...]:
    return (1,) if shape is None else shape


def _drawn_by(draw: Function, low: str, high: str) -> Maker:
    """Return a fast path of float32 numbers by a function of torch, for parameters 0 and 1."""

    # torch.rand without a scale and shift: the standard case saves two passes.
    def bound(params: Params, _: Function) -> Function | None:
        if (params[low], params[high]) != (0, 1) or params["dtype"] not in (None, "float32"):
            return None
        size, kind = _draw_shape(params["shape"]), torch.float32
        # Torch reads sizes as arguments in 0.5 µs less than as a tuple; without axes it needs that.
        sizes = size or ((),)
        return lambda rng: draw(*sizes, generator=rng, dtype=kind, device=rng.device)

    return by_params(bound)


def _enter(draw: Function, *names: str, standard: Function | None = None) -> None:
    """Register the kernel of a distribution whose parameters are numbers.

    Args:
        draw: Draws from the distribution.
        names: Names of the parameters.
        standard: Torch function that draws from the distribution with parameters 0 and 1.
    """

    def by_one(
        *, first: float, shape: Shape, dtype: str | None, rng: Generator, out: OutBuffers = None
    ) -> Tensor:
        result: Tensor = draw(rng, _draw_shape(shape), dtype or "float32", first, out)
        return result

    def by_two(
        *,
        first: float,
        second: float,
        shape: Shape,
        dtype: str | None,
        rng: Generator,
        out: OutBuffers = None,
    ) -> Tensor:
        result: Tensor = draw(rng, _draw_shape(shape), dtype or "float32", first, second, out)
        return result

    specialize = None if standard is None else _drawn_by(standard, *names)
    function = by_one if len(names) == 1 else by_two
    enter = kernel(f"random_{draw.__name__}", out="apart", specialize=specialize)
    enter(renamed(function, *names))


_enter(_draws.uniform, "low", "high", standard=torch.rand)
_enter(_draws.normal, "loc", "scale", standard=torch.randn)
_enter(_draws.gamma, "alpha", "beta")
_enter(_draws.exponential, "lam")
_enter(_draws.poisson, "lam")
_enter(_draws.negative_binomial, "k", "p")
_enter(_draws.generalized_negative_binomial, "mu", "alpha")


@kernel()
def random_randint(
    *, low: int, high: int, shape: Shape, dtype: str | None, rng: Generator
) -> Tensor:
    """Return uniform integers from ``low`` to ``high - 1``."""
    kind = dtype or "int32"
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
