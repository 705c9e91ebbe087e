"""Random numbers of many distributions at once, with arrays as parameters."""

from math import log, prod

import torch

from hy_kernels.distributions import OF_ARRAYS, of_arrays
from hy_kernels.torch._dtypes import torch_type, widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, out_buffer
from hy_kernels.torch.random import _draws
from hy_kernels.torch.random._draws import Generator, device_of, seeded

Shape = tuple[int, ...]


for _name, _names in OF_ARRAYS.items():
    kernel(f"sample_{_name}", out="apart")(of_arrays(getattr(_draws, _name), *_names))


def _draw_indices(data: Tensor, shape: Shape, rng: Generator) -> Tensor:
    """Return indices ``[rows, draws]``; ``data`` has the probabilities of each row."""
    rows, size = data.shape
    if not size:
        raise ValueError(
            f"cannot draw from a distribution without outcomes: data {tuple(data.shape)}"
        )
    bounds = torch.cumsum(data, 1, dtype=widest(data.device))
    # The last bound is 1 exactly, so a draw cannot fall beyond it.
    bounds /= bounds[:, -1:].clone()
    points = torch.rand((rows, prod(shape)), **seeded(rng), dtype=bounds.dtype, device=data.device)
    # Inverse of the cumulated probabilities; right=True skips classes of probability 0.
    return torch.searchsorted(bounds, points, right=True).clamp_(0, size - 1)


@kernel(out="apart")
def sample_multinomial(
    data: Tensor,
    *,
    shape: Shape,
    get_prob: bool,
    dtype: str,
    rng: Generator,
    out: OutBuffers = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """Return indices drawn with probabilities ``data``, and log probabilities if ``get_prob``."""
    flat = _as_matrix(data)
    sizes = (*data.shape[:-1], *shape) or (1,)
    index = _draw_indices(flat, shape, rng)
    drawn = copied(index.reshape(sizes), out, dtype=torch_type(dtype))
    if not get_prob:
        return drawn
    chances = torch.gather(flat, 1, index).reshape(sizes)
    return drawn, torch.log(chances, out=out_buffer(out, 1))


@kernel(out="apart")
def sample_multinomial_backward(
    dy: Tensor, data: Tensor, index: Tensor, *, out: OutBuffers = None
) -> Tensor:
    """Return the gradient of log probabilities: ``dy / data`` summed at the drawn indices."""
    flat = _as_matrix(data)
    rows = len(flat)
    each = index.numel() // max(rows, 1)
    compute_dtype = widest(data.device)
    sums = torch.zeros(flat.shape, dtype=compute_dtype, device=data.device)
    indices = index.reshape(rows, each).to(torch.int64)
    sums.scatter_add_(1, indices, dy.reshape(rows, each).to(compute_dtype))
    # Classes that were not drawn get 0, whatever their probability.
    dx = torch.where(sums == 0, 0, sums / flat)
    return copied(dx.reshape(data.shape), out, dtype=dy.dtype)


def _as_matrix(data: Tensor) -> Tensor:
    """Return ``data`` as a matrix, with all axes but the last merged."""
    return data.reshape(prod(data.shape[:-1]), data.shape[-1])


def _different(range_max: int, count: int, rng: Generator) -> tuple[Tensor, int]:
    """Return ``count`` distinct Zipfian numbers, and how many were drawn to get them."""
    keep: dict[int, int] = {}
    tries = 0
    while len(keep) < count:
        # Log-uniform draws, more than needed in one call; repeats are dropped in order.
        indices = torch.rand(
            2 * count + 8, **seeded(rng), dtype=torch.float64, device=device_of(rng)
        )
        drawn = torch.exp(indices * log(range_max + 1)).to(torch.int64) - 1
        for number in drawn.clamp_(max=range_max - 1).tolist():
            tries += 1
            keep.setdefault(number, tries)
    first = sorted(keep.items(), key=lambda pair: pair[1])[:count]
    numbers = torch.tensor(
        [number for number, _ in first], dtype=torch.int64, device=device_of(rng)
    )
    return numbers, first[-1][1] if first else 0


@kernel()
def sample_unique_zipfian(
    *, range_max: int, shape: Shape | None, rng: Generator
) -> tuple[Tensor, Tensor]:
    """Return rows of distinct Zipfian (log-uniform) numbers, and the number of draws per row."""
    if shape is None or len(shape) != 2 or shape[1] > range_max:
        raise ValueError(
            f"shape {shape} must be (rows, draws), with at most range_max={range_max} draws a row"
        )
    rows = [_different(range_max, shape[1], rng) for _ in range(shape[0])]
    numbers = torch.zeros(shape, dtype=torch.int64, device=device_of(rng))
    for target, (row, _) in zip(numbers, rows, strict=True):
        target.copy_(row)
    return numbers, torch.tensor([tries for _, tries in rows], device=device_of(rng)).to(
        torch.int64
    )
