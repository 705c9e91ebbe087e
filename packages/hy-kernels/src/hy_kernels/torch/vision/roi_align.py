"""RoIAlign (He et al., Mask R-CNN, 2017): regions, upright or rotated, sampled between pixels.

On CPUs upright regions are left to the numpy table, which is faster: it reads the pixels of a
region once for all its parts.
"""

from collections.abc import Iterator
from math import pi
from typing import NamedTuple

import torch

from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._floats import with_integer_fallback
from hy_kernels.torch._host import numpy_on_cpus
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.torch.vision._bins import Axis, Bins, Channels, images_of, summed

Size = tuple[int, ...]
_MAX_NEAR_SAMPLES = 6
"""Bound of the samples less than one pixel from a pixel, if they are over half a pixel apart."""


class _Line(NamedTuple):
    """Regions along one axis, cut into parts of equal length."""

    begin: Tensor
    """``[R, parts]``: where each part begins."""
    step: Tensor
    """``[R, 1]``: length of a part."""
    size: int
    """Size of the images along the axis."""

    @classmethod
    def of(cls, start: Tensor, step: Tensor, parts: int, size: int) -> "_Line":
        """Return regions that begin at ``start [R]`` and have parts of length ``step [R]``."""
        # In float64: a position rounded in float32 could lie beyond another pixel.
        exact = widest(start.device)
        lengths = step.to(exact)[:, None]
        numbers = torch.arange(parts, device=start.device)
        return cls(begin=start.to(exact)[:, None] + numbers * lengths, step=lengths, size=size)

    def _clamped_with_weights(
        self, positions: Tensor, number: Tensor | int
    ) -> tuple[Tensor, Tensor]:
        """Return positions clamped to the image, and weights ``1 / number``, 0 if outside of it."""
        # Samples up to one pixel outside count, at the edge, as in Detectron.
        inside = (positions >= -1) & (positions <= self.size)
        return positions.clamp(0, self.size - 1), inside.to(positions.dtype) / number

    def sampled(self, samples: int) -> tuple[Tensor, Tensor]:
        """Return pixels and weights ``[R, parts, 2 * samples]`` around the samples of each part."""
        k = torch.arange(samples, device=self.begin.device) + 0.5
        positions = self.begin[..., None] + (k * self.step / samples)[:, None]
        positions, share = self._clamped_with_weights(positions, samples)
        low = positions.floor()
        part = positions - low
        first = low.long().clamp_(0, self.size - 1)
        pixels = torch.cat([first, (first + 1).clamp_(max=self.size - 1)], -1)
        return pixels, torch.cat([(1 - part) * share, part * share], -1)

    def covered(self, number: Tensor, limit: int) -> tuple[Tensor, Tensor]:
        """Return pixels and weights ``[R, parts, E]`` of ``number [R]`` samples per part.

        Samples are at most a pixel apart, so that only a few of them contribute to each pixel.
        """
        count = number.to(self.begin.dtype)[:, None, None]
        gap = self.step[..., None] / count.clamp(min=1)
        begin = self.begin[..., None]
        # The pixel left of the first sample; the part's others follow it.
        left = (begin + 0.5 * gap).clamp(0, self.size - 1).long().clamp_(0, self.size - 1)
        pixels = left + torch.arange(min(limit + 1, self.size), device=left.device)
        # Of samples only those from one pixel left of each pixel on count for it.
        near = ((pixels - 1 - begin) / gap - 0.5).floor_().clamp_(min=0)
        k = near[..., None] + torch.arange(_MAX_NEAR_SAMPLES, device=left.device)
        positions = begin[..., None] + (k + 0.5) * gap[..., None]
        positions, share = self._clamped_with_weights(positions, count[..., None])
        linear_weights = (1 - (positions - pixels[..., None]).abs_()).clamp_(min=0)
        counted = (k < count[..., None]) & (pixels < self.size)[..., None]
        weights = torch.where(counted, linear_weights * share, 0).sum(-1)
        return pixels.clamp_(max=self.size - 1), weights


def _sample_counts(steps: Tensor) -> tuple[Tensor, Size]:
    """Return the number of samples that are at most a pixel apart, and the largest per axis.

    ``steps [2, R]`` are the lengths of parts, down and across.
    """
    # NaN and infinite regions get no samples.
    numbers = steps.ceil().clamp_(min=0).nan_to_num_(0.0, posinf=0.0)
    # One read for both axes.
    limit = numbers.amax(1).tolist() if steps.shape[1] else (0, 0)
    return numbers, (int(limit[0]), int(limit[1]))


def _bins(
    rois: Tensor,
    shape: Size,
    pooled: Size,
    scale: float,
    samples: int,
    own_channels: bool,
    aligned: bool,
) -> Bins:
    corners = to_compute_dtype(rois)[:, 1:] * scale
    if aligned:
        corners -= 0.5
    size = corners[:, 2:] - corners[:, :2]
    if not aligned:
        size = size.clamp_(min=1)
    steps = [size[:, 1] / pooled[0], size[:, 0] / pooled[1]]
    down, right = (
        _Line.of(corners[:, 1 - axis], steps[axis], pooled[axis], shape[2 + axis])
        for axis in (0, 1)
    )
    if samples > 0:
        rows, columns = down.sampled(samples), right.sampled(samples)
    else:
        numbers, limit = _sample_counts(torch.stack(steps))
        rows, columns = down.covered(numbers[0], limit[0]), right.covered(numbers[1], limit[1])
    parts = pooled[0] * pooled[1]
    # Position-sensitive parts read channels of their own.
    own = torch.arange(parts if own_channels else 1, device=rois.device)
    own = own.view(1, *pooled) if own_channels else own.expand(1, *pooled)
    return Bins(
        numbers=images_of(rois, shape[0]),
        rows=Axis(*(x[:, None, :, None] for x in rows)),
        columns=Axis(*(x[:, None, None] for x in columns)),
        own=own,
        size=shape,
        channels=Channels(sets=parts if own_channels else 1),
    )


@kernel(out="apart")
@with_integer_fallback()
@numpy_on_cpus
def roi_align(
    data: Tensor,
    rois: Tensor,
    *,
    pooled_size: Size,
    spatial_scale: float,
    sample_ratio: int,
    position_sensitive: bool,
    aligned: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return the mean of samples in each part of each region."""
    x = to_compute_dtype(data)
    geometry = pooled_size, spatial_scale, sample_ratio, position_sensitive, aligned
    return to_storage_dtype(_bins(rois, x.shape, *geometry).sums(x), data.dtype, out)


@kernel(out="apart")
@with_integer_fallback()
@numpy_on_cpus
def roi_align_backward(
    dy: Tensor,
    rois: Tensor,
    data: Tensor,  # only its type matters
    *,
    pooled_size: Size,
    spatial_scale: float,
    sample_ratio: int,
    position_sensitive: bool,
    aligned: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient to the images: ``dy`` of each part, distributed over its pixels."""
    geometry = pooled_size, spatial_scale, sample_ratio, position_sensitive, aligned
    return to_storage_dtype(
        _bins(rois, data.shape, *geometry).spread(to_compute_dtype(dy)), data.dtype, out
    )


# --- turned regions ------------------------------------------------------------------------------


class _Rotated(NamedTuple):
    """Samples of rotated regions of interest."""

    numbers: Tensor
    """``[R]``, result of :func:`images_of`."""
    boxes: Tensor
    """``[R, 5]``: center x and y, width, height, and angle in radians."""
    along: Tensor
    """``[2, R]``: number of samples of a part, down and across."""
    max_samples: Size
    """Largest number of samples of a part, down and across."""

    @classmethod
    def of(cls, rois: Tensor, images: int, pooled: Size, scale: float, samples: int) -> "_Rotated":
        """Return the samples of regions ``[R, 6]`` for parts ``pooled``.

        Args:
            rois: Image number, center x and y, width, height, and angle in degrees.
            images: Number of images.
            pooled: Number of parts, down and across.
            scale: Pixels of the images per unit of ``rois``.
            samples: Samples of a part along each axis; at most a pixel apart if not positive.
        """
        numbers, boxes = images_of(rois, images), to_compute_dtype(rois)[:, 1:]
        # Angles are in degrees.
        boxes = torch.cat([boxes[:, :4] * scale, boxes[:, 4:] * (pi / 180)], 1)
        # Malformed regions become 1 by 1, as in MXNet.
        boxes[:, 2:4].clamp_(min=1)
        steps = torch.stack([boxes[:, 3] / pooled[0], boxes[:, 2] / pooled[1]])
        if samples > 0:
            return cls(
                numbers=numbers,
                boxes=boxes,
                along=torch.full_like(steps, samples),
                max_samples=(samples, samples),
            )
        along, limit = _sample_counts(steps)
        return cls(numbers, boxes, along, limit)

    def line(self, axis: int, parts: int) -> tuple[Tensor, Tensor]:
        """Return sample positions ``[R, parts, samples]`` relative to the center, and a mask."""
        exact = widest(self.boxes.device)
        length = self.boxes[:, 3 - axis]
        step, along = (length / parts).to(exact), self.along[axis].to(exact)
        k = torch.arange(self.max_samples[axis], device=length.device)
        first = torch.arange(parts, device=length.device)[:, None] * along[:, None, None]
        gap = (step / along.clamp(min=1))[:, None, None]
        positions = (first + k + 0.5) * gap - (length.to(exact) / 2)[:, None, None]
        return positions, (k < along[:, None, None]).expand(positions.shape)

    def positions(self, pooled: Size) -> tuple[Tensor, Tensor, Tensor]:
        """Return the rows and columns of samples, ``[R, P, Q, samples, samples]``, and a mask."""
        (y, is_row), (x, is_column) = (self.line(axis, pooled[axis]) for axis in (0, 1))
        y, x = y[:, :, None, :, None], x[:, None, :, None]
        there = is_row[:, :, None, :, None] & is_column[:, None, :, None]
        right, down, _, _, angle = self.boxes[..., None, None, None, None].unbind(1)
        cos, sin = angle.cos().to(y.dtype), angle.sin().to(y.dtype)
        return y * cos - x * sin + down, x * cos + y * sin + right, there

    def entries(self, pooled: Size, shape: Size) -> tuple[Tensor, Tensor]:
        """Return each part's pixels ``[R P Q, E]``, as indices into flat images, and weights."""
        count, _, height, width = shape
        down, right, seen = self.positions(pooled)
        number = self.numbers[:, None, None, None, None]
        seen &= (number >= 0) & (number < count)
        # As for upright regions: one pixel beyond the image still counts.
        seen &= (down >= -1) & (down <= height) & (right >= -1) & (right <= width)
        share = seen / self.along.prod(0).to(down.dtype).clamp(min=1)[:, None, None, None, None]
        down, right = down.clamp(0, height - 1), right.clamp(0, width - 1)
        top, left = down.long().clamp_(0, height - 1), right.long().clamp_(0, width - 1)
        low, far = (top + 1).clamp_(max=height - 1), (left + 1).clamp_(max=width - 1)
        v, h = down - top, right - left
        first = number.clamp(0, count - 1) * height
        pixels = [(first + i) * width + j for i in (top, low) for j in (left, far)]
        weights = [a * b * share for a in (1 - v, v) for b in (1 - h, h)]
        index, factors = torch.stack(pixels, -1), torch.stack(weights, -1)
        return index.flatten(0, 2).flatten(1), factors.flatten(0, 2).flatten(1)

    def batches(self, parts: int) -> Iterator["_Rotated"]:
        """Yield the samples in slices of regions that are processed at a time."""
        step = max(
            1, COSTS.blocks.samples // max(1, parts * self.max_samples[0] * self.max_samples[1])
        )
        for start in range(0, len(self.numbers), step):
            some = slice(start, start + step)
            yield _Rotated(
                numbers=self.numbers[some],
                boxes=self.boxes[some],
                along=self.along[:, some],
                max_samples=self.max_samples,
            )


@kernel(out="apart")
@with_integer_fallback()
def rroi_align(
    data: Tensor,
    rois: Tensor,
    *,
    pooled_size: Size,
    spatial_scale: float,
    sampling_ratio: int,
    out: OutBuffers = None,
) -> Tensor:
    """Return the mean of samples in each part of each rotated region."""
    x, shape = to_compute_dtype(data), tuple(data.shape)
    transposed = _Rotated.of(rois, len(x), pooled_size, spatial_scale, sampling_ratio)
    parts = pooled_size[0] * pooled_size[1]
    y = x.new_zeros((len(rois) * parts, x.shape[1]))
    if y.numel() and x.numel():
        rows = Channels().rows(x)
        result = [
            summed(rows, *some.entries(pooled_size, shape)) for some in transposed.batches(parts)
        ]
        y = torch.cat(result)
    by_region = y.view(len(rois), *pooled_size, x.shape[1])
    return to_storage_dtype(by_region.permute(0, 3, 1, 2), data.dtype, out)
