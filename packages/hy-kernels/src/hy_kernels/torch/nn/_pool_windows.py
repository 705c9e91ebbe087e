"""PoolWindows: geometry of pooling windows, and torch's arguments for it."""

from functools import lru_cache
from math import inf
from typing import Any, NamedTuple

import torch
from torch.nn import functional

from hy_kernels.torch._tensor import Tensor
from hy_kernels.windows import filled, pooled_length

Size = tuple[int, ...]
_FLAT = 1  # spatial axes


class PoolWindows(NamedTuple):
    """Pooling windows of two or more spatial axes; window ``i`` starts at ``i * stride - pad``.

    Torch supports equal padding on both sides, of half a window at most. For other windows the data
    are padded first.
    """

    size: Size
    kernel: Size
    stride: Size
    pad: Size
    number: Size
    """Number of windows along each axis."""
    ceil: bool
    """Whether the last windows may reach beyond the padding."""
    borders: tuple[int, ...] | None
    """Padding for ``functional.pad`` if the data have to be padded first, else None."""

    @property
    def arguments(self) -> tuple[list[int], list[int], list[int]]:
        """Kernel, stride and padding as arguments of torch's functions."""
        pad = (0,) * len(self.pad) if self.borders else self.pad
        return list(self.kernel), list(self.stride), list(pad)

    @property
    def ceil_mode(self) -> bool:
        """Whether torch's functions should round the number of windows up."""
        return self.ceil and not self.borders

    def padded(self, planes: Tensor, value: float) -> Tensor:
        """Return the planes padded with ``value``, if the windows need padding."""
        return functional.pad(planes, self.borders, value=value) if self.borders else planes

    def padded_with_zeros(self, planes: Tensor) -> Tensor:
        """Return the planes padded with zeros, and with -inf where windows reach further."""
        if not self.borders:
            return planes
        pads = [p for pad in reversed(self.pad) for p in (pad, pad)]
        zeros = [min(width, pad) for width, pad in zip(self.borders, pads, strict=True)]
        further = [width - n for width, n in zip(self.borders, zeros, strict=True)]
        return functional.pad(functional.pad(planes, zeros), further, value=-inf)

    def padded_size(self) -> Size:
        """Return the size of the padded planes."""
        widths = self.borders or (0, 0) * len(self.size)
        sums = [widths[i] + widths[i + 1] for i in range(0, len(widths), 2)]
        return tuple(n + w for n, w in zip(self.size, sums[::-1], strict=True))

    def inside(self) -> "PoolWindows":
        """Return the windows over the result of :meth:`padded`, which need no padding."""
        return self._replace(size=self.padded_size(), pad=(0,) * len(self.pad), borders=None)

    def without_padding(self, planes: Tensor) -> Tensor:
        """Return padded planes without their padding."""
        if not self.borders:
            return planes
        pads = zip(self.pad, self.size, strict=True)
        inside: tuple[Any, ...] = tuple(slice(p, p + n) for p, n in pads)
        return planes[(..., *inside)]

    def with_borders(self) -> "PoolWindows":
        """Return the same windows, but with data padded first as far as windows reach."""
        if self.borders:
            return self
        widths = _borders(self)
        return self._replace(borders=widths, ceil=False) if any(widths) else self

    def areas(self, like: Tensor, include_pad: bool) -> Tensor:
        """Return ``[*number]``, the number of elements in each window, with or without padding."""
        area = like.new_ones(())
        for axis, n in enumerate(self.number):
            size, pad = self.size[axis], self.pad[axis]
            low = torch.arange(n, dtype=like.dtype, device=like.device)
            low = low * self.stride[axis] - pad
            high = (low + self.kernel[axis]).clamp_max(size + pad)
            if not include_pad:
                low, high = low.clamp_min(0), high.clamp_max(size)
            # A window that lies over the border alone averages 0, not 0 / 0.
            area = area.unsqueeze(-1) * (high - low).clamp_min(1)
        return area


def _borders(windows: PoolWindows) -> tuple[int, ...]:
    widths: list[int] = []
    for axis in reversed(range(len(windows.size))):  # the last one first
        before, stride = windows.pad[axis], windows.stride[axis]
        end = (windows.number[axis] - 1) * stride + windows.kernel[axis]
        widths += [before, max(end - before - windows.size[axis], 0)]
    return tuple(widths)


@lru_cache(maxsize=1024)
def windows_of(
    size: Size, kernel: Size, stride: Size, pad: Size, global_pool: bool, convention: str
) -> PoolWindows:
    """Return the windows for an operator's parameters; a single spatial axis becomes two."""
    rank = len(size)
    if global_pool:
        kernel, stride, pad, convention = size, (1,) * rank, (0,) * rank, "valid"
    # Surplus strides and pads are ignored.
    stride, pad = filled(stride[:rank], 1, rank), filled(pad[:rank], 0, rank)
    if rank == _FLAT:
        size, kernel, stride, pad = (1, *size), (1, *kernel), (1, *stride), (0, *pad)
    each = zip(size, kernel, stride, pad, strict=True)
    number = tuple(pooled_length(*one, convention) for one in each)
    windows = PoolWindows(
        size=size,
        kernel=kernel,
        stride=stride,
        pad=pad,
        number=number,
        ceil=convention == "full",
        borders=None,
    )
    return windows if _as_torch(windows, convention) else windows.with_borders()


def _as_torch(windows: PoolWindows, convention: str) -> bool:
    """Return whether torch's functions support these windows without padding the data first."""
    each = zip(windows.size, windows.kernel, windows.stride, windows.pad, strict=True)
    # torch takes pads of half a window at most, and drops a last window that starts beyond the
    # data.
    return convention != "same" and all(
        2 * p <= k and (n - 1) * s < w + p
        for (w, k, s, p), n in zip(each, windows.number, strict=True)
    )
