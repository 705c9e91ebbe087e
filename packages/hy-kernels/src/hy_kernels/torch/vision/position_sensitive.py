"""Position-sensitive pooling: each part of a region reads its own channels (R-FCN).

Dai et al., "R-FCN: Object Detection via Region-based Fully Convolutional Networks", 2016.
"""

from typing import Any, NamedTuple

import torch

from hy_kernels.record import Params
from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._floats import with_integer_fallback
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor
from hy_kernels.torch.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.torch.vision._bins import Axis, Bins, Channels, images_of

Size = tuple[int, ...]


def _extent(rois: Tensor, scale: float) -> tuple[Tensor, Tensor]:
    """Return the starts and sizes of regions, ``[R, 2]`` each, along x and y."""
    corners = to_compute_dtype(rois)[:, 1:]
    # Halves are rounded away from 0, as C's round, which MXNet calls.
    corners = torch.trunc(corners + torch.full_like(corners, 0.5).copysign(corners))
    start, end = corners[:, :2] * scale, (corners[:, 2:] + 1) * scale
    # As in MXNet: at least 0.1 pixels, so that no division is by 0.
    return start, (end - start).clamp_(min=0.1)


def _channel_groups(groups: int, parts: int, kinds: int, device: torch.device) -> Tensor:
    """Return ``[K, P, P]``: the index of the channel row of a pixel that each part reads."""
    # R-FCN's position-sensitive maps (Dai et al. 2016): part (i, j) reads the channels of its own
    # group.
    group = torch.div(torch.arange(parts, device=device) * groups, parts, rounding_mode="floor")
    sets = group[:, None] * groups + group
    return sets * kinds + torch.arange(kinds, device=device)[:, None, None]


# --- means over pixels ---------------------------------------------------------------------------


def _part_bounds(start: Tensor, length: Tensor, parts: int, size: int) -> tuple[Tensor, Tensor]:
    """Return ``[R, parts]`` each: the first pixel of a part, and the one after its last."""
    step = (length / parts)[:, None]
    numbers = torch.arange(parts, dtype=start.dtype, device=start.device)
    low = (numbers * step + start[:, None]).floor_().clamp_(0, size)
    high = ((numbers + 1) * step + start[:, None]).ceil_().clamp_(0, size)
    return low, high


def _average(low: Tensor, high: Tensor, limit: int, size: int) -> tuple[Tensor, Tensor]:
    """Return ``[R, parts, pixels]`` each: the pixels of a part, and their weights in its mean."""
    line = torch.arange(limit, device=low.device)
    count = (high - low)[..., None]
    weights = (line < count) / count.clamp(min=1)
    return (low[..., None].long() + line).clamp_(0, max(size - 1, 0)), weights.to(low.dtype)


def _average_bins(rois: Tensor, shape: Size, scale: float, parts: int, groups: int) -> Bins:
    start, size = _extent(rois, scale)
    down, right = (_part_bounds(start[:, k], size[:, k], parts, shape[3 - k]) for k in (1, 0))
    limit = [1, 1]
    if len(rois):
        longest = [(high - low).max() for low, high in (down, right)]
        # One read for both axes, as each waits for the device.
        limit = [max(int(each), 1) for each in torch.stack(longest).tolist()]
    rows, columns = (
        _average(*ends, many, length)
        for ends, many, length in zip((down, right), limit, shape[2:], strict=True)
    )
    return Bins(
        numbers=images_of(rois, shape[0]),
        rows=Axis(*(x[:, None, :, None] for x in rows)),
        columns=Axis(*(x[:, None, None] for x in columns)),
        own=_channel_groups(groups, parts, 1, rois.device),
        size=shape,
        channels=Channels(sets=groups**2),
    )


@kernel(out="apart")
@with_integer_fallback()
def psroi_pooling(
    data: Tensor,
    rois: Tensor,
    *,
    spatial_scale: float,
    output_dim: int,  # follows from data
    pooled_size: int,
    group_size: int,
    out: OutBuffers = None,
) -> Tensor:
    """Return the mean of each part of each region, ``[R, outputs, parts, parts]``."""
    x = to_compute_dtype(data)
    geometry = spatial_scale, pooled_size, group_size or pooled_size
    return to_storage_dtype(_average_bins(rois, tuple(x.shape), *geometry).sums(x), data.dtype, out)


@kernel(out="apart")
@with_integer_fallback()
def psroi_pooling_backward(
    dy: Tensor,
    rois: Tensor,
    data: Tensor,  # only its type matters
    *,
    spatial_scale: float,
    output_dim: int,  # follows from data
    pooled_size: int,
    group_size: int,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient to the images: ``dy`` of each part, distributed over its pixels."""
    geometry = spatial_scale, pooled_size, group_size or pooled_size
    return to_storage_dtype(
        _average_bins(rois, tuple(data.shape), *geometry).spread(to_compute_dtype(dy)),
        data.dtype,
        out,
    )


# --- samples in shifted parts --------------------------------------------------------------------


class _Samples(NamedTuple):
    """Pixels around samples along an axis, ``[R, K, P, P, 2 * samples]``, and their weights."""

    positions: Tensor
    weights: Tensor
    derivatives: Tensor
    """Derivatives of the weights with respect to the position."""

    @classmethod
    def of(cls, positions: Tensor, size: int) -> "_Samples":
        """Return the pixels around ``positions``; samples inside the image have equal weights."""
        # As in MXNet: samples up to half a pixel outside count, at the edge; others are left out.
        inside = ((positions >= -0.5) & (positions <= size - 0.5)).to(positions.dtype)
        share = inside / inside.sum(-1, keepdim=True).clamp_(min=1)
        at = positions.clamp(0, size - 1)
        low = at.floor()
        part = at - low
        moves = share * ((positions >= 0) & (positions < size - 1))
        first = low.long().clamp_(0, size - 1)
        pixels = torch.cat([first, (first + 1).clamp_(max=size - 1)], -1)
        weights = torch.cat([(1 - part) * share, part * share], -1)
        return cls(positions=pixels, weights=weights, derivatives=torch.cat([-moves, moves], -1))


class _Shifted(NamedTuple):
    """Bins of shifted parts, and the derivatives with respect to the shifts."""

    bins: Bins
    by_row: Bins
    """Bins weighted by derivatives along rows; ``by_column``: along columns."""
    by_column: Bins
    part: Tensor
    """``[P]``: index of the shift of each part."""
    reach: Tensor
    """``[R, 2]``: pixels that a shift of 1 moves samples by, along x and y."""

    @classmethod
    def of(
        cls,
        rois: Tensor,
        trans: Tensor | None,
        shape: Size,
        params: Params,
    ) -> "_Shifted":
        parts, samples, trans_std = (
            params[name] for name in ("pooled_size", "sample_per_part", "trans_std")
        )
        start, size = _extent(rois, params["spatial_scale"])
        start = start - 0.5
        count, device, exact = len(rois), rois.device, widest(rois.device)
        kinds = 1 if trans is None else trans.shape[1] // 2
        numbers = torch.arange(parts, device=device)
        part = torch.div(numbers * (params["part_size"] or parts), parts, rounding_mode="floor")
        shift = start.new_zeros((count, kinds, 2, parts, parts))
        if trans is not None:
            pairs = to_compute_dtype(trans).reshape(count, kinds, 2, *trans.shape[2:])
            shift += pairs[:, :, :, part[:, None], part] * trans_std
        result = []
        for axis, bin_ in ((1, numbers[:, None]), (0, numbers)):
            length = size[:, axis, None, None, None]
            step = length / parts
            first = bin_ * step + start[:, axis, None, None, None] + shift[:, :, axis] * length
            gaps = torch.arange(samples, device=device) * (step / samples)[..., None]
            # Positions are computed in float64, and rounded once.
            positions = (first.to(exact)[..., None] + gaps.to(exact)).to(start.dtype)
            result.append(_Samples.of(positions, shape[3 - axis]))
        rows, columns = result
        bins = Bins(
            numbers=images_of(rois, shape[0]),
            rows=Axis(rows.positions, rows.weights),
            columns=Axis(columns.positions, columns.weights),
            own=_channel_groups(params["group_size"], parts, kinds, device),
            size=shape,
            channels=Channels(kinds, params["group_size"] ** 2),
        )
        by_row = bins._replace(rows=Axis(rows.positions, rows.derivatives))
        by_column = bins._replace(columns=Axis(columns.positions, columns.derivatives))
        return cls(bins, by_row, by_column, part, size * trans_std)


@kernel(out="apart")
@with_integer_fallback()
def deformable_psroi_pooling(
    data: Tensor,
    rois: Tensor,
    trans: Tensor | None = None,
    *,
    out: OutBuffers = None,
    **params: Any,
) -> Tensor:
    """Return the mean of samples in the shifted parts of each region."""
    x = to_compute_dtype(data)
    shifted = _Shifted.of(rois, trans, tuple(x.shape), params)
    return to_storage_dtype(shifted.bins.sums(x), data.dtype, out)


@kernel(out="apart")
@with_integer_fallback()
def deformable_psroi_pooling_backward(
    dy: Tensor,
    data: Tensor,
    rois: Tensor,
    trans: Tensor | None = None,
    *,
    out: OutBuffers = None,
    **params: Any,
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the gradients to the images and to the shifts."""
    x, g = to_compute_dtype(data), to_compute_dtype(dy)
    shifted = _Shifted.of(rois, trans, tuple(x.shape), params)
    dx = to_storage_dtype(shifted.bins.spread(g), data.dtype, out)
    if trans is None:
        return dx
    derivatives = shifted.bins.derivatives(g, x, shifted.by_column, shifted.by_row)
    dshift = derivatives.movedim(0, 2) * shifted.reach[:, None, :, None, None]
    dtrans = g.new_zeros((*dshift.shape[:3], *trans.shape[2:]))
    rows = dtrans.new_zeros((*dshift.shape[:3], trans.shape[2], len(shifted.part)))
    # Index by index along both axes: several parts share a shift, so gradients add up.
    rows.index_add_(3, shifted.part, dshift)
    dtrans.index_add_(4, shifted.part, rows)
    return dx, to_storage_dtype(dtrans.view(trans.shape), trans.dtype, out, 1)
