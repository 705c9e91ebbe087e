"""Boxes of objects: overlap, suppression, matching, and offsets from anchors."""

from collections.abc import Callable
from functools import partial
from math import inf, prod
from typing import Any, TypeAlias

import torch

from hy_kernels.boxes import Edges, centers, converted, converted_backward, edges
from hy_kernels.torch._host import numpy_on_cpus
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import real, to_compute_dtype, to_storage_dtype
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, stored
from hy_kernels.torch.vision._boxes import overlap, pairs, rows_at
from hy_kernels.torch.vision._suppression import survivors

_stack = partial(torch.stack, dim=-1)


def _as_numbers(data: Tensor) -> Tensor:
    """Return the tensor in a dtype to compute in; booleans become floats."""
    return real(data) if data.dtype is torch.bool else to_compute_dtype(data)


@kernel()
def box_iou(lhs: Tensor, rhs: Tensor, *, format: str) -> Tensor:
    """Return the intersection over union of each box of ``lhs`` with each of ``rhs``."""
    a = _as_numbers(lhs).reshape(*lhs.shape[:-1], *(1,) * (rhs.ndim - 1), lhs.shape[-1])
    return to_storage_dtype(overlap(edges(a, format), edges(_as_numbers(rhs), format)), lhs.dtype)


Survivors: TypeAlias = Callable[..., Tensor]
"""Function of boxes, number of candidates per row, threshold and classes; returns a mask."""


def _survivors(
    boxes: Edges, result: Tensor, threshold: float, *, classes: Tensor | None = None
) -> Tensor:
    alive = torch.arange(boxes[0].shape[1], device=result.device) < result
    return survivors(boxes, alive, threshold, classes=classes)


@kernel(out="apart")
@numpy_on_cpus
def box_nms(data: Tensor, *, out: OutBuffers = None, **params: Any) -> tuple[Tensor, Tensor]:
    """Return the surviving rows, best first, then -1; and the index of each in ``data``."""
    return suppressed(data, _survivors, waits=True, out=out, **params)


def suppressed(
    data: Tensor,
    choose: Survivors,
    *,
    waits: bool,
    overlap_thresh: float,
    valid_thresh: float,
    topk: int,
    coord_start: int,
    score_index: int,
    id_index: int,
    background_id: int,
    force_suppress: bool,
    in_format: str,
    out_format: str,
    out: OutBuffers = None,
) -> tuple[Tensor, Tensor]:
    """Return the results of :func:`box_nms`, with ``choose`` selecting the boxes that survive.

    If ``waits``, the number of valid boxes is read from the device, and only these are compared.
    """
    *batch, count, width = data.shape
    rows = to_compute_dtype(data).reshape(prod(batch), count, width)
    scores = rows[..., score_index]
    valid = scores > valid_thresh
    if id_index >= 0:
        valid &= rows[..., id_index] != background_id
    # Stable, as MXNet keeps equal scores in their order; invalid rows go last.
    order = torch.where(valid, -scores, inf).argsort(dim=1, stable=True)
    result = valid.sum(1, keepdim=True)
    limit = count
    if topk > 0:
        result.clamp_(max=topk)
        limit = min(count, topk)
    # One read of the largest count: fewer pairs are compared. Where waiting costs more, all are.
    if waits:
        limit = int(result.max()) if result.numel() else 0
    order = order[:, :limit]
    best = rows_at(rows, order)
    boxes = edges(best[..., coord_start : coord_start + 4], in_format)
    classes = best[..., id_index] if id_index >= 0 and not force_suppress else None
    keep = choose(boxes, result, overlap_thresh, classes=classes)
    # Survivors to the front, in their order.
    first = (~keep).to(torch.uint8).argsort(dim=1, stable=True)
    index = torch.full((len(rows), count), -1, device=data.device)
    selected = torch.where(keep.gather(1, first), order.gather(1, first), -1)
    index[:, : order.shape[1]] = selected
    index = index.reshape(*batch, count)
    y = _selected(data, index, coord_start, in_format, out_format)
    return stored(y.masked_fill_((index < 0).unsqueeze(-1), -1), out), index


def _row_indices(index: Tensor, count: int) -> Tensor:
    """Return flat row indices over all batches, for ``index`` into ``count`` rows of each batch."""
    batch = index.shape[:-1]
    first = torch.arange(prod(batch), device=index.device).reshape(*batch, 1) * count
    return index + first


def _selected(
    data: Tensor, index: Tensor, coord_start: int, in_format: str, out_format: str
) -> Tensor:
    """Return the rows at ``index``, with boxes converted to another format; zeros for -1."""
    count, width = data.shape[-2:]
    rows = _as_numbers(data).reshape(-1, width)
    if not len(rows):
        return torch.zeros((*index.shape, width), dtype=data.dtype, device=data.device)
    y = rows[_row_indices(index.clamp(min=0), count)]
    y.masked_fill_((index < 0).unsqueeze(-1), 0)
    where = slice(coord_start, coord_start + 4)
    y[..., where] = converted(y[..., where], in_format, out_format, _stack)
    return to_storage_dtype(y, data.dtype)


@kernel(out="apart")
def box_nms_select(
    data: Tensor,
    index: Tensor,
    *,
    coord_start: int,
    in_format: str,
    out_format: str,
    out: OutBuffers = None,
) -> Tensor:
    """Return the rows at ``index``, with boxes converted to another format; zeros for -1."""
    return stored(_selected(data, index, coord_start, in_format, out_format), out)


@kernel(out="apart")
def box_nms_backward(
    dy: Tensor,
    index: Tensor,
    data: Tensor,
    *,
    coord_start: int,
    in_format: str,
    out_format: str,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient of ``box_nms``: that of each selected row at its index in the data."""
    g = to_compute_dtype(dy).clone()
    where = slice(coord_start, coord_start + 4)
    g[..., where] = converted_backward(g[..., where], in_format, out_format, _stack)
    count, width = data.shape[-2:]
    # Rows that were not selected go to one more row, which is cut off.
    total = prod(data.shape[:-1])
    indices = torch.where(index < 0, total, _row_indices(index, count)).reshape(-1)
    dx = torch.zeros((total + 1, width), dtype=data.dtype, device=data.device)
    dx[indices] = to_storage_dtype(
        g.reshape(-1, width), data.dtype
    )  # the last row takes what is nowhere
    return copied(dx[:-1].reshape(data.shape), out)


@kernel(out="apart")
def bipartite_matching(
    data: Tensor, *, is_ascend: bool, threshold: float, topk: int, out: OutBuffers = None
) -> tuple[Tensor, Tensor]:
    """Return a greedy matching of rows and columns: the partner of each, or -1."""
    *batch, rows, columns = data.shape
    scores = to_compute_dtype(data).reshape(prod(batch), rows, columns)
    passing = scores < threshold if is_ascend else scores > threshold
    # topk + 1 matches: MXNet's loop counts so.
    limit = topk + 1 if topk > 0 else rows  # MXNet makes one more than topk
    signed = -scores if is_ascend else scores
    of_row, of_column = pairs(torch.where(passing, signed, -inf), limit)
    of_row, of_column = of_row.reshape(*batch, rows), of_column.reshape(*batch, columns)
    return copied(of_row, out, dtype=data.dtype), copied(of_column, out, 1, dtype=data.dtype)


@kernel(out="apart")
def box_encode(
    samples: Tensor,
    matches: Tensor,
    anchors: Tensor,
    refs: Tensor,
    means: Tensor,
    stds: Tensor,
    *,
    out: OutBuffers = None,
) -> tuple[Tensor, Tensor]:
    """Return the normalised offsets of matched boxes from their anchors, and a mask of them."""
    # 1 marks matched anchors, -1 and 0 others.
    mask = (samples > 0.5).unsqueeze(-1).expand(*samples.shape, 4)
    index = matches.to(torch.int64).clamp(0, max(refs.shape[1] - 1, 0))
    center, size = centers(to_compute_dtype(anchors))
    none = center.new_zeros((*samples.shape, 4))
    matched = rows_at(to_compute_dtype(refs), index) if refs.shape[1] else none
    box_center, box_size = centers(matched)
    offsets = torch.cat([(box_center - center) / size, (box_size / size).log()], -1)
    offsets = (offsets - to_compute_dtype(means)) / to_compute_dtype(stds)
    targets = copied(torch.where(mask, offsets, 0), out, dtype=anchors.dtype)
    return targets, copied(mask, out, 1, dtype=anchors.dtype)
