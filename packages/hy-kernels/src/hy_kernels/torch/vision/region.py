"""Pooling of regions of interest, and correlation of two images.

The maximum of a rectangle is found by ranks of elements in their plane: the best rank in a
rectangle is the best of four overlapping rectangles that cover it, with sides that are powers of
two. The best ranks of these are precomputed for all regions (a sparse table).
"""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import torch

from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, stored, target
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.windows import Patches

Size = tuple[int, ...]


class _Span(NamedTuple):
    """Parts of each region along an axis, ``[R, parts]``: pixels from ``low`` to ``high - 1``."""

    low: Tensor
    high: Tensor

    @classmethod
    def of(cls, start: Tensor, stop: Tensor, parts: int, size: int) -> "_Span":
        """Return the parts of regions ``[R]`` on an axis, clipped to ``size``; they may overlap."""
        exact = widest(start.device)
        # In float64: float32 could round a boundary across an integer.
        step = ((stop - start + 1).clamp_(min=1).to(exact) / parts)[:, None]
        at = torch.arange(parts, dtype=exact, device=start.device)
        low, high = (at * step).floor_().long(), ((at + 1) * step).ceil_().long()
        return cls(*((v + start[:, None]).clamp_(0, size) for v in (low, high)))

    @property
    def empty(self) -> Tensor:
        """Mask of the parts without pixels."""
        return self.high <= self.low

    def covers(self, levels: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return the level of two windows of ``2 ** level`` that cover a part, and their starts."""
        length = self.high - self.low
        # The largest power of two up to the length; two overlapping ones cover the part.
        powers = 2 << torch.arange(levels - 1, device=length.device)
        level = (length[..., None] >= powers).sum(-1)
        return level, self.low, self.high - (1 << level)


def _ranks(planes: Tensor) -> tuple[Tensor, Tensor]:
    """Return the positions in planes ``[N, C, H W]`` from best to worst, and each element's rank.

    Of equal elements the first is best; nan is better than any number.
    """
    order = planes.argsort(dim=2, descending=True, stable=True)
    numbers = torch.arange(planes.shape[2], dtype=torch.int32, device=planes.device)
    ranks = torch.empty_like(order, dtype=torch.int32)
    return order, ranks.scatter_(2, order, numbers.expand_as(ranks))


def _doubled(best: Tensor, axis: int) -> Tensor:
    """Return ``[levels, ...]``: the best of the ``2 ** level`` elements from each one on."""
    size = best.shape[axis]
    result = [best]
    # Each level takes the minimum of two neighbours of the one before (a sparse table).
    for level in range(size.bit_length() - 1):
        step, last = 1 << level, result[-1].clone()
        left, right = last.narrow(axis, 0, size - step), result[-1].narrow(axis, step, size - step)
        torch.minimum(left, right, out=left)
        result.append(last)
    return torch.stack(result)


def _best_of_parts(ranks: Tensor, image: Tensor, down: _Span, right: _Span) -> Tensor:
    """Return ``[R, C, P, Q]``: the best rank in each part of each region."""
    tables = _doubled(_doubled(ranks, 3), 3)  # [levels of rows, of columns, N, C, H, W]
    above, levels, count, channels, height, width = tables.shape
    plane = torch.arange(channels, device=ranks.device)[:, None, None]
    plane = plane + (image * channels)[:, None, None, None]
    (of_rows, *tops), (of_columns, *lefts) = down.covers(above), right.covers(levels)
    table = of_rows[:, None, :, None] * levels + of_columns[:, None, None]
    first = (table * (count * channels) + plane) * (height * width)
    flat = tables.view(-1)
    result: Tensor | None = None
    for top, left in product(tops, lefts):
        corner = (top * width)[:, None, :, None] + left[:, None, None]
        seen = flat[first + corner.clamp(0, height * width - 1)]
        result = seen if result is None else torch.minimum(result, seen)
    assert result is not None
    return result


def _best_positions(planes: Tensor, image: Tensor, down: _Span, right: _Span) -> Tensor:
    """Return ``[R, C, P, Q]``: the position in its plane of the maximum of each part."""
    order, ranks = _ranks(planes.flatten(2))
    best = _best_of_parts(ranks.view(planes.shape), image, down, right)
    return order.view(-1)[_plane_offsets(planes.shape, image, planes.shape[1]) + best]


def _plane_offsets(shape: Size, image: Tensor, channels: int) -> Tensor:
    """Return ``[R, C, 1, 1]``: the flat index of the first pixel of each region's planes."""
    plane = torch.arange(shape[1], device=image.device) + image[:, None] * channels
    return plane[..., None, None] * (shape[2] * shape[3])


@kernel(out="apart")
def roi_pooling(
    data: Tensor, rois: Tensor, *, pooled_size: Size, spatial_scale: float, out: OutBuffers = None
) -> tuple[Tensor, Tensor]:
    """Return the maximum of each part of each region, and its index in the flat data."""
    count, channels, height, width = data.shape
    scaled = to_compute_dtype(rois)[:, 1:] * spatial_scale
    corners = (scaled.sign() * (scaled.abs() + 0.5).floor()).long()  # halves go away from 0
    down = _Span.of(corners[:, 1], corners[:, 3], pooled_size[0], height)
    right = _Span.of(corners[:, 0], corners[:, 2], pooled_size[1], width)
    image = rois[:, 0].long()
    nowhere = ((image < 0) | (image >= count))[:, None, None]
    nowhere = (nowhere | down.empty[:, :, None] | right.empty[:, None])[:, None]
    image = image.clamp(0, max(count - 1, 0))
    index = image.new_full((len(rois), channels, *pooled_size), -1)
    # The tables of all levels for some channels at a time, within the limit of memory.
    each = height.bit_length() * width.bit_length() * count * height * width
    step = max(1, COSTS.blocks.regions // max(each, nowhere.numel(), 1))
    for start in range(0, channels if data.numel() and len(rois) else 0, step):
        some = data[:, start : start + step]
        result = _best_positions(some, image, down, right) + _plane_offsets(
            some.shape, image, channels
        )
        index[:, start : start + step] = torch.where(nowhere, -1, result + start * height * width)
    return _selected(data, index, out), index


def _selected(data: Tensor, index: Tensor, out: OutBuffers) -> Tensor:
    """Return the elements at flat indices; zero for negative ones."""
    if not data.numel():
        return target(out, index.shape, data.dtype, data.device).zero_()
    # Indices below 0 read element 0, and are masked after.
    selected = index.clamp(min=0).reshape(-1)
    result = data.reshape(-1).index_select(0, selected).view(index.shape)
    return stored(result.masked_fill_(index < 0, 0), out)


@kernel(out="apart")
def roi_pooling_backward(
    dy: Tensor, index: Tensor, data: Tensor, *, out: OutBuffers = None
) -> Tensor:
    """Return the gradient to the data: each one's is added at its index in the flat data."""
    g = torch.where(index < 0, 0, to_compute_dtype(dy))
    total = torch.zeros(data.numel(), dtype=g.dtype, device=data.device)
    if data.numel():
        total.scatter_add_(0, index.clamp(min=0).reshape(-1), g.reshape(-1))
    return to_storage_dtype(total.view(data.shape), data.dtype, out)


@kernel(out="apart")
def roi_pooling_select(data: Tensor, index: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return the elements at flat indices; zero for negative ones."""
    return _selected(data, index, out)


# --- correlation -----------------------------------------------------------------------------


def _covered(patches: Patches) -> tuple[int, int]:
    """Return the number of rows and columns that the patches cover."""
    rows, columns = ((n - 1) * patches.step + patches.kernel for n in patches.shape)
    return rows, columns


def _padded(patches: Patches, x: Tensor) -> Tensor:
    return torch.nn.functional.pad(to_compute_dtype(x), [patches.pad] * 4)


def _seen(patches: Patches, padded: Tensor, down: int = 0, across: int = 0) -> Tensor:
    """Return a view of the part of a padded image that patches at a displacement cover."""
    rows, columns = _covered(patches)
    return padded.narrow(2, patches.reach + down, rows).narrow(3, patches.reach + across, columns)


def _elements(patches: Patches, covered: Tensor) -> Iterator[Tensor]:
    """Yield for each offset within a patch a view of all patches' elements at this offset."""
    rows, columns = ((n - 1) * patches.step + 1 for n in patches.shape)
    for i, j in product(range(patches.kernel), repeat=2):
        yield covered[..., i : i + rows : patches.step, j : j + columns : patches.step]


@kernel(out="apart")
def correlation(
    data1: Tensor, data2: Tensor, *, is_multiply: bool, out: OutBuffers = None, **params: Any
) -> Tensor:
    """Return mean products, or distances, of patches and displaced patches of the other image."""
    # FlowNet's correlation layer (Dosovitskiy et al. 2015).
    patches = Patches.of(tuple(data1.shape), params)
    a, b = _seen(patches, _padded(patches, data1)), _padded(patches, data2)
    each = a.new_empty((len(a), len(patches.shifts), *_covered(patches)))
    # A shift at a time: all of them at once would hold channels times shifts.
    for channel, shift in enumerate(patches.shifts):
        other = _seen(patches, b, *shift)
        compared = a * other if is_multiply else (a - other).abs_()
        torch.sum(compared, 1, out=each[:, channel])
    y = sum(_elements(patches, each), torch.zeros((), dtype=a.dtype, device=a.device))
    return to_storage_dtype(y.div_(patches.kernel**2 * a.shape[1]), data1.dtype, out)


@kernel(out="apart")
def correlation_backward(
    dy: Tensor,
    data1: Tensor,
    data2: Tensor,
    *,
    is_multiply: bool,
    out: OutBuffers = None,
    **params: Any,
) -> tuple[Tensor, Tensor]:
    """Return the gradients to both images."""
    patches = Patches.of(tuple(data1.shape), params)
    padded, b = _padded(patches, data1), _padded(patches, data2)
    a = _seen(patches, padded)
    to_a, to_b = torch.zeros_like(padded), torch.zeros_like(b)
    g = to_compute_dtype(dy) / (patches.kernel**2 * a.shape[1])
    each = g.new_zeros((*g.shape[:2], *_covered(patches)))
    for element in _elements(patches, each):
        element.add_(g)
    for channel, shift in enumerate(patches.shifts):
        share, other = each[:, channel, None], _seen(patches, b, *shift)
        if is_multiply:
            _seen(patches, to_a).addcmul_(share, other)
            _seen(patches, to_b, *shift).addcmul_(share, a)
        else:
            signed = torch.where(a < other, -share, share)  # of equal ones 1, as MXNet's
            _seen(patches, to_a).add_(signed)
            _seen(patches, to_b, *shift).sub_(signed)
    dtype, (height, width) = data1.dtype, data1.shape[2:]
    da, db = (x.narrow(2, patches.pad, height).narrow(3, patches.pad, width) for x in (to_a, to_b))
    return copied(da, out, dtype=dtype), copied(db, out, 1, dtype=dtype)
