"""Random numbers of one distribution, with numbers as parameters; shuffling."""

import torch

from hy_kernels.distributions import OF_NUMBERS, of_numbers, size_of
from hy_kernels.record import Function, Maker, Params, by_params
from hy_kernels.torch._dtypes import torch_type
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, out_buffer
from hy_kernels.torch.random import _draws
from hy_kernels.torch.random._draws import Generator, device_of, seeded

Shape = tuple[int, ...] | None


def _drawn_by(draw: Function, low: str, high: str) -> Maker:
    """Return a fast path of float32 numbers by a function of torch, for parameters 0 and 1."""

    # torch.rand without a scale and shift: the standard case saves two passes.
    def bound(params: Params, _: Function) -> Function | None:
        if (params[low], params[high]) != (0, 1) or params["dtype"] not in (None, "float32"):
            return None
        size, kind = size_of(params["shape"]), torch.float32
        # Torch reads sizes as arguments in 0.5 µs less than as a tuple; without axes it needs that.
        sizes = size or ((),)
        return lambda rng: draw(*sizes, generator=rng, dtype=kind, device=rng.device)

    return by_params(bound)


_STANDARD = {
    "uniform": _drawn_by(torch.rand, *OF_NUMBERS["uniform"]),
    "normal": _drawn_by(torch.randn, *OF_NUMBERS["normal"]),
}

for _name, _names in OF_NUMBERS.items():
    _enter = kernel(f"random_{_name}", out="apart", specialize=_STANDARD.get(_name))
    _enter(of_numbers(getattr(_draws, _name), *_names))


@kernel()
def random_randint(
    *, low: int, high: int, shape: Shape, dtype: str | None, rng: Generator
) -> Tensor:
    """Return uniform integers from ``low`` to ``high - 1``."""
    kind = dtype or "int32"
    # int64 draws are cast: torch draws with the same number of bits.
    drawn = torch.randint(low, high, size_of(shape), **seeded(rng), device=device_of(rng))
    return drawn.to(torch_type(kind))


@kernel(out="apart")
def shuffle(data: Tensor, *, rng: Generator, out: OutBuffers = None) -> Tensor:
    """Return a copy with its elements along the first axis in random order."""
    if not data.ndim:
        return copied(data, out)
    order = torch.randperm(len(data), **seeded(rng), device=data.device)
    return torch.index_select(data, 0, order, out=out_buffer(out))
