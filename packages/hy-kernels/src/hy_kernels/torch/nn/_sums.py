"""Sums of products of small integers, computed in floats that hold them exactly.

See the numpy table's module. On a CPU the floats are the fastest that hold the bound of the sums.
On other devices the bound would have to be waited for, so they are float64; on Apple's GPUs, which
lack float64, they are float32, for so few products at a time that the sum is exact.
"""

from typing import TypeAlias

import torch

from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.elementwise.quantization import levels_per_unit, magnitude, steps_per, unit
from hy_kernels.windows import Sizes

Geometry: TypeAlias = tuple[Sizes, Sizes, Sizes]
"""Stride, pad and dilation."""

_LEVELS = 127.5  # with halves at both ends
_INT32 = 2147483647.0
_INT32_MIN, _INT32_MAX = -(1 << 31), (1 << 31) - 1
_EXACT = 1 << 24
"""float32 represents every integer below it."""
# 255 · 128 is below 2**15, so as many products stay below 2**24.
_TERMS = _EXACT >> 15  # products of bytes


def magnitudes(weight: Tensor) -> Tensor:
    """Return the sum of the absolute values of each filter's weights, int32."""
    # abs(-128) is -128 in int8; the same bits read as uint8 are 128.
    return weight.flatten(1).abs().view(torch.uint8).sum(1, dtype=torch.int32)


def _largest(low: Tensor | None, high: Tensor | None) -> Tensor:
    assert low is not None
    assert high is not None
    return magnitude(low.reshape(-1), high.reshape(-1))


def _amax(values: Tensor) -> Tensor:
    """Return the largest element as a 0-d tensor; 0 if there is none."""
    return values.amax() if values.numel() else values.new_zeros(())


class Sums:
    """Bound and scale of sums of integer products, and the floats to compute them in.

    Args:
        kind: Dtype of the data.
        filters: Result of :func:`magnitudes` for the weights.
        bias: Quantized bias, or None.
        ends: Minimum and maximum of the data, of the weights (per filter or of all), and of the
            bias.
    """

    def __init__(
        self, kind: torch.dtype, filters: Tensor, bias: Tensor | None, *ends: Tensor | None
    ) -> None:
        min_data, max_data, min_weight, max_weight, min_bias, max_bias = ends
        self._data = _largest(min_data, max_data)
        self._weights = _largest(min_weight, max_weight)
        self._levels = 255.0 if kind is torch.uint8 else 127.0
        self._compute_dtype = widest(filters.device)
        self.bias: Tensor | None = None
        """The bias in integer units of each filter's sums."""
        # int8 data reach -128, one more than the levels.
        self._bound = _amax(filters).to(self._compute_dtype) * (self._levels + 1)
        if bias is not None:
            steps = steps_per(self._data, kind) * levels_per_unit(_LEVELS, self._weights)
            bias_unit = unit(_largest(min_bias, max_bias), bias.dtype)
            self.bias = torch.trunc(bias.to(torch.float32) * (steps * bias_unit))
            self._bound += _amax(self.bias.abs())

    def below(self, bound: int) -> bool:
        """Return whether no partial sum reaches ``bound``; False if unknown, off CPUs."""
        return self._bound.is_cpu and float(self._bound) < bound

    @property
    def floats(self) -> tuple[torch.dtype, int | None]:
        """A floating dtype, and how many products it sums exactly; None for any number."""
        if self.below(_EXACT):
            return torch.float32, None
        return self._compute_dtype, _TERMS if self._compute_dtype is torch.float32 else None

    @property
    def _scale(self) -> Tensor | float:
        """The largest power of two by which sums can be scaled without overflow of int32.

        1 if all filters share a range, as their sums have one scale already.
        """
        if self._weights.numel() == 1:
            return 1.0
        # A power of two, so that multiplying by it does not round.
        return torch.exp2((_INT32 / self._bound.clamp(min=1)).log2().floor())

    @property
    def largest(self) -> Tensor:
        """Real value that the largest int32 represents, ``[1]``."""
        product = self._data / self._levels * (_amax(self._weights) / 127.0)
        return (product * _INT32 / self._scale).to(torch.float32)

    def whole(self, sums: Tensor) -> Tensor:
        """Return partial sums cast to integers wide enough for their total."""
        return sums.to(torch.int32 if self.below(_INT32_MAX) else torch.int64)

    def finished(self, sums: Tensor) -> Tensor:
        """Return sums ``[..., filters]`` plus the bias, as int32 with one scale for all filters."""
        if self._weights.numel() == 1:
            if self.bias is not None:
                sums = sums + self.bias.to(sums.dtype)
            if not self.below(_INT32_MAX):
                # Saturated: casts of floats that int32 lacks are undefined.
                sums = sums.round().clamp_(_INT32_MIN, _INT32_MAX)
            return sums.to(torch.int32)
        totals = sums.to(self._compute_dtype)
        if self.bias is not None:
            totals = totals + self.bias
        largest = _amax(self._weights)
        factors = (self._scale * self._weights).to(self._compute_dtype) / torch.where(
            largest > 0, largest, 1
        )
        return (totals * factors).round_().clamp_(_INT32_MIN, _INT32_MAX).to(torch.int32)


def multiplied(rows: Tensor, weight: Tensor, sums: Sums) -> Tensor:
    """Return ``rows · weightᵀ``, exact, in floats or integers."""
    dtype, terms = sums.floats
    if terms is None:
        return rows.to(dtype) @ weight.to(dtype).t()
    total = torch.zeros((), dtype=torch.int64, device=rows.device)
    # The sum of each part is exact in float32; the parts are added as integers.
    for a, b in zip(rows.split(terms, 1), weight.split(terms, 1), strict=True):
        total = total + (a.to(dtype) @ b.to(dtype).t()).to(torch.int64)
    return total


def convolved(x: Tensor, weight: Tensor, geometry: Geometry, groups: int, sums: Sums) -> Tensor:
    """Return the convolution of ``x [N, C, ...]`` and the weight, exact, in floats or integers."""
    dtype, terms = sums.floats
    rank, channels = weight.ndim - 2, weight.shape[1]
    step = channels if terms is None else max(1, terms // max(weight[0, 0].numel(), 1))

    def product(data: Tensor, filters: Tensor) -> Tensor:
        more = (*geometry, False, [0] * rank, groups)
        return torch.convolution(data.to(dtype), filters.to(dtype), None, *more)

    if step >= channels:
        return product(x, weight)
    total = torch.zeros((), dtype=torch.int64, device=x.device)
    # Split inside of the groups, so that each part is a grouped convolution itself.
    grouped = x.unflatten(1, (groups, channels))
    for a, b in zip(grouped.split(step, 2), weight.split(step, 1), strict=True):
        total = total + product(a.flatten(1, 2), b).to(torch.int64)
    return total
