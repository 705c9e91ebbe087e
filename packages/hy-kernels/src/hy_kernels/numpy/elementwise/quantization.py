"""Quantization of floats to small integers with a symmetric range, and dequantization."""

from typing import TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied
from hy_kernels.numpy._kernels import kernel

Quantized: TypeAlias = tuple[Array, Array, Array]
Number: TypeAlias = Array | np.float32 | float

# Levels on each side of zero: of quantize, and of quantize_v2, which has half a step more at the
# ends, as in MXNet.
_LEVELS = {"int8": 127.5, "uint8": 255.5, "int32": 2147483647.0}
_EPS = 1e-4  # weight of an empty bin in a distribution


def magnitude(low: Number, high: Number) -> np.float32:
    """Return the largest magnitude of a range."""
    ends = np.abs(np.asarray([np.asarray(low).item(), np.asarray(high).item()], np.float32))
    return np.float32(ends.max())


def end(value: Number) -> Array:
    """Return the end of a range as a float32 array ``[1]``, a result of kernels."""
    return np.array(value, np.float32).reshape(1)


def unit(largest: np.float32, dtype: np.dtype[np.generic]) -> np.float32:
    """Return the quantization step for ``dtype``, the real value of the integer 1.

    ``largest`` is the magnitude of the range, which includes half a step at each end.
    """
    return np.float32(largest / np.float32(_LEVELS[dtype.name]))


def steps_per(largest: np.float32, dtype: np.dtype[np.generic]) -> np.float32:
    """Return the number of quantization steps per real unit, ``1 / unit(largest, dtype)``."""
    return levels_per_unit(_LEVELS[dtype.name], largest)


def levels_per_unit(levels: float, largest: np.float32) -> np.float32:
    """Return ``levels / largest``, the quantization steps per real unit; 0 for an empty range."""
    return np.float32(levels) / largest if largest else np.float32(0)


def rounded(data: Array, dtype: str) -> Array:
    """Return ``data`` rounded to integers and clipped to ``dtype``; overwrites ``data``."""
    info = np.iinfo(dtype)
    np.rint(data, out=data)
    np.clip(data, info.min, info.max, out=data)
    return data.astype(dtype)


def span(data: Array, low: float | None, high: float | None) -> tuple[float, float]:
    """Return the calibrated range ``(low, high)`` if given, else the range of the data."""
    if low is not None and high is not None:
        return low, high
    return (float(data.min()), float(data.max())) if data.size else (0.0, 0.0)


def _dtype(out_type: str, low: float | None, high: float | None) -> str:
    positive = low is not None and high is not None and low >= 0
    return ("uint8" if positive else "int8") if out_type == "auto" else out_type


@kernel()
def quantize_v2(
    data: Array, *, out_type: str, min_calib_range: float | None, max_calib_range: float | None
) -> Quantized:
    """Return ``data`` quantized by the calibrated range, or by its own, and the integers' range."""
    dtype = _dtype(out_type, min_calib_range, max_calib_range)
    low, high = span(data, min_calib_range, max_calib_range)
    largest = magnitude(low, high)
    y = rounded(data * levels_per_unit(_LEVELS[dtype], largest), dtype)
    return (y, end(-largest), end(largest)) if dtype == "int8" else (y, end(low), end(high))


@kernel(out="apart")
def dequantize(
    data: Array, min_range: Array, max_range: Array, *, out_type: str, out: OutBuffers = None
) -> Array:
    """Return the real numbers that quantized ``data`` represents."""
    y = copied(data, out, dtype=np.dtype(out_type))
    y *= unit(magnitude(min_range, max_range), data.dtype)
    return y


def _smooth(counts: Array) -> Array | None:
    """Return counts as a smoothed distribution without zeros; None if all counts are zero."""
    empty = counts == 0
    zeros = int(empty.sum())
    others = counts.size - zeros
    if not others:
        return None
    smooth = np.where(empty, _EPS, counts - _EPS * zeros / others)
    return np.asarray(smooth / smooth.sum())


def _merged(counts: Array, filled: Array, bins: int) -> Array:
    """Return the histogram after quantization to ``bins`` runs of bins.

    The bins in ``filled`` of a run share its total equally.
    """
    starts = np.arange(bins) * (counts.size // bins)
    inner = counts.copy()
    # The first bin gets the mean of its run without adding to it.
    inner[0] = 0
    totals = np.add.reduceat(inner, starts)
    numbers = np.add.reduceat((inner != 0).astype(np.float64), starts)
    means = np.divide(totals, numbers, out=np.zeros(bins), where=numbers > 0)
    return np.repeat(means, np.diff(starts, append=counts.size)) * filled


@kernel()
def calibrate_entropy(
    hist: Array, hist_edges: Array, *, num_quantized_bins: int
) -> tuple[Array, Array]:
    """Return the clipping threshold with the least Kullback-Leibler divergence, and the latter.

    The divergence is between the clipped histogram and its quantized version.
    """
    counts = hist.astype(np.float64)
    middle = len(counts) // 2
    best, threshold = np.inf, hist_edges[-1]
    for half in range(num_quantized_bins // 2, middle + 1):
        start, stop = middle - half, min(middle + half + 1, len(counts))
        inside = counts[start:stop]
        cut = inside.copy()
        cut[0] += counts[:start].sum()
        cut[-1] += counts[stop:].sum()
        # The divergence takes logarithms, so both distributions must be positive.
        p = _smooth(cut)
        q = _smooth(_merged(inside, cut != 0, num_quantized_bins))
        if p is None or q is None:
            continue
        with np.errstate(all="ignore"):
            divergence = np.sum(p * np.log(p / q))
        if divergence < best:
            best, threshold = divergence, hist_edges[stop]
    return end(threshold), end(best)
