"""Quantization of floats to small integers with a range, and dequantization."""

from math import inf
from typing import TypeAlias

import torch

from hy_kernels.torch._dtypes import torch_type, widest
from hy_kernels.torch._host import numpy_on_cpus
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied
from hy_kernels.torch.costs import COSTS

Quantized: TypeAlias = tuple[Tensor, Tensor, Tensor]

# int8 is symmetric (127), so that 0 stays 0; uint8 has all 255.
# quantize_v2 maps the ends of the range half a step beyond the last integer.
_LEVELS = {"int8": 127.5, "uint8": 255.5, "int32": 2147483647.0}
_LEVELS_OF = {torch_type(name): levels for name, levels in _LEVELS.items()}
_EPS = 1e-4  # weight of an empty bin in a distribution


def end(value: Tensor | float, like: Tensor) -> Tensor:
    """Return one end of a range as float32 ``[1]``, on the device of ``like``."""
    if isinstance(value, torch.Tensor):
        return copied(value.reshape(1), dtype=torch.float32)
    return torch.full((1,), value, dtype=torch.float32, device=like.device)


def magnitude(low: Tensor, high: Tensor) -> Tensor:
    """Return the larger absolute value of a range's ends, ``[1]``."""
    return torch.maximum(torch.abs(low), torch.abs(high)).to(torch.float32)


def unit(largest: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the real value of one integer step, for a range up to ``largest``.

    The range ends half a step beyond the last integer.
    """
    return largest / _LEVELS_OF[dtype]


def steps_per(largest: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the number of integer steps per unit of real values, the inverse of :func:`unit`."""
    return levels_per_unit(_LEVELS_OF[dtype], largest)


def levels_per_unit(levels: float, largest: Tensor) -> Tensor:
    """Return ``levels / largest``, the integer steps per real unit; 0 for an empty range."""
    # An empty range has scale 0: everything becomes 0, not NaN.
    return torch.where(largest > 0, levels / largest, 0)


def rounded(data: Tensor, dtype: torch.dtype) -> Tensor:
    """Round ``data`` in place, clip it to the range of ``dtype``, and return it cast."""
    info = torch.iinfo(dtype)
    return data.round_().clamp_(info.min, info.max).to(dtype)


def span(data: Tensor, low: float | None, high: float | None) -> tuple[Tensor, Tensor]:
    """Return the calibrated range if there is one, else that of the data."""
    if low is not None and high is not None:
        return end(low, data), end(high, data)
    if not data.numel():
        return end(0.0, data), end(0.0, data)
    return end(data.amin(), data), end(data.amax(), data)


def _dtype(out_type: str, low: float | None, high: float | None) -> str:
    positive = low is not None and high is not None and low >= 0
    return ("uint8" if positive else "int8") if out_type == "auto" else out_type


@kernel()
def quantize_v2(
    data: Tensor, *, out_type: str, min_calib_range: float | None, max_calib_range: float | None
) -> Quantized:
    """Return ``data`` quantized by the calibrated range, or that of the data, and the range."""
    dtype = _dtype(out_type, min_calib_range, max_calib_range)
    low, high = span(data, min_calib_range, max_calib_range)
    largest = magnitude(low, high)
    y = rounded(data * levels_per_unit(_LEVELS[dtype], largest).reshape(()), torch_type(dtype))
    return (y, -largest, largest) if dtype == "int8" else (y, low, high)


@kernel(out="apart")
def dequantize(
    data: Tensor, min_range: Tensor, max_range: Tensor, *, out_type: str, out: OutBuffers = None
) -> Tensor:
    """Return the real numbers that the quantized integers represent."""
    largest = magnitude(end(min_range, data), end(max_range, data))
    y = copied(data, out, dtype=torch_type(out_type))
    return y.mul_(unit(largest, data.dtype).reshape(()))


# --- the best range ------------------------------------------------------------------------------


def _smooth(counts: Tensor, there: Tensor) -> tuple[Tensor, Tensor]:
    """Return smoothed distributions ``[K, bins]``, and a mask of those that are empty.

    Empty bins take a little from the others, so that the divergence is finite.
    """
    empty = there & (counts == 0)
    zeros = empty.sum(1, keepdim=True).to(counts.dtype)
    others = there.sum(1, keepdim=True) - zeros
    # KL divergence of empty bins is infinite, so they take a little from the others.
    smooth = torch.where(empty, _EPS, counts - _EPS * zeros / others.clamp(min=1))
    smooth = torch.where(there, smooth, 0)
    return smooth / smooth.sum(1, keepdim=True), others.squeeze(1) == 0


def _merged(inside: Tensor, filled: Tensor, width: Tensor, bins: int) -> Tensor:
    """Return the distributions after merging ``width`` bins to ``bins`` runs: ``[K, bins]``.

    Each run's total is spread evenly over its filled bins.
    """
    positions = torch.arange(inside.shape[1], device=inside.device)
    # Bins are merged to `bins` runs as quantization would, then spread again (Migacz 2017,
    # TensorRT).
    length = torch.div(width, bins, rounding_mode="floor")
    run = torch.div(positions, length.clamp(min=1), rounding_mode="floor").clamp_(max=bins - 1)
    run = torch.where(length > 0, run, bins - 1)
    inner = inside.clone()
    inner[:, 0] = 0  # the first bin takes the mean of its run without adding to it
    none = inner.new_zeros((len(inner), bins))
    totals = none.scatter_add(1, run, inner)
    numbers = none.scatter_add(1, run, (inner != 0).to(inner.dtype))
    return torch.where(filled, (totals / numbers.clamp(min=1)).gather(1, run), 0)


def _divergences(counts: Tensor, halves: range, bins: int) -> Tensor:
    """Return ``[K]``: the divergence for each candidate range of bins; inf if there is none."""
    size = len(counts)
    half = torch.arange(halves.start, halves.stop, halves.step, device=counts.device)
    start, stop = size // 2 - half, (size // 2 + half + 1).clamp_(max=size)
    positions = torch.arange(min(2 * halves[-1] + 1, size), device=counts.device)
    width = (stop - start)[:, None]
    there = positions < width
    sums = torch.nn.functional.pad(counts.cumsum(0), (1, 0))
    inside = torch.where(there, counts[(start[:, None] + positions).clamp_(max=size - 1)], 0)
    # Counts outside of the candidate range are clipped into its end bins.
    cut = inside.clone()
    cut[:, 0] += sums[start]
    cut.scatter_add_(1, width - 1, (sums[-1] - sums[stop])[:, None])
    p, no_p = _smooth(cut, there)
    q, no_q = _smooth(_merged(inside, there & (cut != 0), width, bins), there)
    result = torch.where(there, p * torch.log(p / q), 0).sum(1)
    return torch.where(no_p | no_q | result.isnan(), inf, result)


@kernel()
@numpy_on_cpus
def calibrate_entropy(
    hist: Tensor, hist_edges: Tensor, *, num_quantized_bins: int
) -> tuple[Tensor, Tensor]:
    """Return the threshold of least Kullback-Leibler divergence, and the divergence."""
    counts, size = hist.to(widest(hist.device)), len(hist)
    halves = range(num_quantized_bins // 2, size // 2 + 1)
    if not halves:
        return end(hist_edges[-1], hist), end(inf, hist)
    # Candidates are compared in blocks, whose distributions fit the memory.
    step = max(1, COSTS.blocks.distributions // size)
    parts = [halves[k : k + step] for k in range(0, len(halves), step)]
    divergences = torch.cat([_divergences(counts, part, num_quantized_bins) for part in parts])
    best = divergences.amin()
    is_best = (divergences == best) & (divergences < inf)
    stops = torch.arange(len(halves), device=hist.device) + (halves.start + size // 2 + 1)
    selected = torch.where(is_best, stops, size).amin().clamp_(max=size)  # the first of equal ones
    return end(hist_edges.index_select(0, selected.reshape(1)), hist), end(best, hist)
