"""Sums: scale and bound of the integer sums in quantized dense layers and convolutions."""

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.elementwise.quantization import (
    Quantized,
    end,
    magnitude,
    rounded,
    steps_per,
    unit,
)

_INT8 = 127.0  # the largest int8
_LEVELS = np.float32(127.5)  # levels of int8, with half a step at both ends
_INT32 = 2147483647.0
_EXACT = 2.0**24
"""Float32 represents every integer below this exactly."""


def filter_magnitudes(weight: Array) -> Array:
    """Return ``[filters]``, the sum of absolute weights of each filter, in float64."""
    filters: Array = np.abs(weight.astype(np.float32).reshape(len(weight), -1))
    result: Array = filters.sum(axis=1, dtype=np.float64)
    return result


def _largest(low: Array | None, high: Array | None) -> np.float32:
    assert low is not None
    assert high is not None
    return magnitude(low, high)


class Sums:
    """Scale and bound of a quantized layer's sums, and the floating dtype that holds them exactly.

    Args:
        kind: The dtype of the data, int8 or uint8.
        filters: The result of :func:`filter_magnitudes`.
        bias: The quantized bias, or None.
        ends: Minimum and maximum of the data, the weights (per filter or overall) and the bias.
    """

    def __init__(
        self, kind: np.dtype[np.generic], filters: Array, bias: Array | None, *ends: Array | None
    ) -> None:
        min_data, max_data, min_weight, max_weight, min_bias, max_bias = ends
        assert min_weight is not None
        assert max_weight is not None
        self._kind = kind
        self._data = _largest(min_data, max_data)
        # The largest magnitude of each range, [1] or [filters].
        weights = np.maximum(np.abs(min_weight), np.abs(max_weight))
        self._weights = np.atleast_1d(weights.astype(np.float32))
        self._levels = 255.0 if kind == np.uint8 else _INT8
        self.bound = float(filters.max(initial=0)) * (self._levels + 1)
        """Upper bound of the magnitude of all partial sums."""
        self.bias = None if bias is None else self._of_bias(bias, min_bias, max_bias)
        """The bias as integers on the scale of each filter's sums, or None."""
        if self.bias is not None:
            self.bound += float(np.abs(self.bias).max(initial=0))
        # BLAS has no integer products. A product in float32 is exact if no partial sum, in any
        # order, is above 2²⁴; it takes half the time of float64.
        self.dtype = np.float32 if self.bound < _EXACT else np.float64
        """The floating dtype in which all sums are exact."""

    def _of_bias(self, bias: Array, low: Array | None, high: Array | None) -> Array:
        # A range of zero width has no quantization steps.
        by_weight = np.zeros_like(self._weights)
        np.divide(_LEVELS, self._weights, out=by_weight, where=self._weights > 0)
        # Truncated, not rounded, and in float32, for the same integers as MXNet.
        steps = steps_per(self._data, self._kind) * by_weight
        return np.trunc(bias.astype(np.float32) * (steps * unit(_largest(low, high), bias.dtype)))

    @property
    def _scale(self) -> float:
        """Return the largest power of two by which all sums can be multiplied within int32.

        With one scale for all filters it is 1.
        """
        if self._weights.size == 1:
            return 1.0
        return float(2.0 ** np.floor(np.log2(_INT32 / max(self.bound, 1.0))))

    @property
    def factors(self) -> Array | None:
        """Return the factor of each filter that brings its sums to a common scale, or None."""
        if self._weights.size == 1:
            return None
        largest = np.float64(self._weights.max(initial=0) or 1)
        return self._scale * self._weights / largest

    @property
    def largest(self) -> np.float32:
        """Return the real value that the largest ``int32`` stands for."""
        weight = np.float32(self._weights.max(initial=0))
        product = self._data / np.float32(self._levels) * (weight / np.float32(_INT8))
        return np.float32(np.float32(product) * np.float32(_INT32) / self._scale)

    def in_one_range(self, sums: Array, axis: int) -> Quantized:
        """Return ``sums`` as ``int32`` on a common scale, and the ends of their range."""
        factors = self.factors
        if factors is not None:
            shape = [1] * sums.ndim
            shape[axis] = -1
            sums = sums * factors.reshape(shape)
        whole = sums.astype(np.int32) if sums.dtype == np.float32 else rounded(sums, "int32")
        return whole, end(-self.largest), end(self.largest)
