"""Percentiles, counts, unique elements, deletion and insertion."""

from typing import Any

import torch

from hy_kernels.record import Params
from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._kernels import alias, kernel
from hy_kernels.torch._requirements import require
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, number, own

Axis = tuple[int, ...] | None


def _with_axes_last(data: Tensor, axis: Axis) -> tuple[Tensor, list[int]]:
    """Return ``data`` with ``axis`` merged into one last axis, and the keepdims shape."""
    along = [i % data.ndim for i in (range(data.ndim) if axis is None else axis)]
    others = [i for i in range(data.ndim) if i not in along]
    shape = [1 if i in along else n for i, n in enumerate(data.shape)]
    return data.permute(others + along).flatten(len(others)), shape


def _interpolated(rows: Tensor, positions: Tensor, interpolation: str) -> Tensor:
    """Return interpolated values at fractional positions in sorted rows ``[*, N]``."""
    low = positions.floor().to(torch.int64)
    high = (low + 1).clamp_(max=rows.shape[-1] - 1)
    if interpolation == "nearest":
        # Halves up, as in MXNet; NumPy rounds them to even.
        return rows[..., (positions + 0.5).floor().to(torch.int64)]
    if interpolation == "higher":
        return rows[..., positions.ceil().to(torch.int64)]
    first, second = rows[..., low], rows[..., high]
    if interpolation == "lower":
        return first
    part = positions - low
    if interpolation == "midpoint":
        part = (part > 0).to(positions.dtype) * 0.5
    elif interpolation != "linear":
        raise ValueError(
            f"interpolation is {interpolation!r}; there are linear, lower, higher, midpoint and "
            "nearest"
        )
    return torch.lerp(first.to(part.dtype), second.to(part.dtype), part)


def _no_percentile() -> ValueError:
    return ValueError("percentiles are from 0 to 100")


@kernel(out="apart")
def np_percentile(
    a: Tensor,
    q: Tensor | None,
    *,
    axis: Axis,
    interpolation: str,
    keepdims: bool,
    q_scalar: float | None,
    out: OutBuffers = None,
) -> Tensor:
    """Return percentiles over axes: float64 for float64, else float32."""
    dtype = torch.float64 if a.dtype is torch.float64 else torch.float32
    if q is None:
        assert q_scalar is not None
        if not 0 <= q_scalar <= 100:
            raise _no_percentile()
        ranks = number(q_scalar, widest(a.device), a.device)
    else:
        ranks = q.to(widest(a.device))
        require((ranks >= 0) & (ranks <= 100), _no_percentile)
    rows, keep = _with_axes_last(a, axis)
    rows = rows.to(dtype).sort(-1).values
    positions = ranks.reshape(-1) / 100 * (rows.shape[-1] - 1)
    y = _interpolated(rows, positions, interpolation)
    # numpy: NaN anywhere makes the percentile NaN; sorted, it is last.
    y = torch.where(rows[..., -1:].isnan(), torch.nan, y)
    front = y.movedim(-1, 0)
    shape = keep if keepdims else rows.shape[:-1]
    return copied(front.reshape((*ranks.shape, *shape)), out, dtype=dtype)


@kernel()
def np_bincount(
    data: Tensor, weights: Tensor | None, *, minlength: int, has_weights: bool
) -> Tensor:
    """Return the count of each number, or the sum of its weights."""
    numbers = data.to(torch.int64)
    if weights is None:
        return torch.bincount(numbers, minlength=minlength).to(data.dtype)
    factors = weights.to(widest(weights.device))
    return torch.bincount(numbers, factors, minlength).to(weights.dtype)


def _distinct(flat: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the unique elements, sorted, with first indices, inverse indices and counts."""
    ordered, order = flat.sort(stable=True)
    new = torch.ones_like(ordered, dtype=torch.bool)
    # NaN differs from itself, but numpy.unique keeps one.
    both_nan = ordered[1:].isnan() & ordered[:-1].isnan()
    new[1:] = (ordered[1:] != ordered[:-1]) & ~both_nan
    first = new.nonzero().squeeze(1)
    inverse = torch.empty_like(order)
    inverse[order] = new.cumsum(0) - 1
    end = first.new_tensor([len(flat)])
    return ordered[first], order[first], inverse, torch.diff(first, append=end)


@kernel()
def np_unique(
    data: Tensor, *, return_index: bool, return_inverse: bool, return_counts: bool, axis: int | None
) -> Tensor | tuple[Tensor, ...]:
    """Return the unique elements, sorted, and the indices and counts that are requested."""
    if axis is None:
        values, index, inverse, counts = _distinct(data.reshape(-1))
    else:
        values, inverse, counts = torch.unique(
            data, return_inverse=True, return_counts=True, dim=axis
        )
        positions = torch.arange(len(inverse), device=data.device)
        # torch.unique along an axis gives no first indices: the least position of each.
        index = torch.full_like(counts, len(inverse)).scatter_reduce_(0, inverse, positions, "amin")
    pairs = ((return_index, index), (return_inverse, inverse), (return_counts, counts))
    more = [x for requested, x in pairs if requested]
    return (values.contiguous(), *more) if more else values.contiguous()


def _indices_of(size: int, obj: Tensor | None, device: torch.device, params: Params) -> Tensor:
    """Return the indices that ``obj``, a slice or a single index (0-d result) selects."""
    if obj is not None:
        return obj.to(torch.int64)
    index = params["int_ind"]
    if index is None:
        part = slice(params["start"], params["stop"], params["step"])
        return torch.arange(*part.indices(size), device=device)
    if not -size <= index <= size:
        raise IndexError(f"index {index} is outside of an axis of {size}")
    return number(index, torch.int64, device)


@kernel()
def np_delete(
    arr: Tensor,
    obj: Tensor | None,
    *,
    start: int | None,
    stop: int | None,
    step: int | None,
    int_ind: int | None,
    axis: int | None,
) -> Tensor:
    """Return a copy without some elements; indices out of range in an array are ignored."""
    data, along = (arr.reshape(-1), 0) if axis is None else (arr, axis)
    size = data.shape[along]
    keep = torch.ones(size, dtype=torch.bool, device=data.device)
    if obj is not None:
        where = obj.to(torch.int64)
        # MXNet leaves indices outside out, where numpy raises.
        keep[where[(where >= 0) & (where < size)]] = False
        return data.index_select(along, keep.nonzero().squeeze(1))
    removed = range(size)[start:stop:step]
    if int_ind is not None:
        first = range(size)[int_ind]
        removed = range(first, first + 1)
    removed = removed if removed.step > 0 else removed[::-1]
    keep[removed.start : removed.stop : removed.step] = False
    # The number of survivors is known, so no count is read from the device.
    order = keep.to(torch.uint8).argsort(descending=True, stable=True)
    return data.index_select(along, order[: size - len(removed)])


def _inserted(
    arr: Tensor, values: Tensor | None, val: float | None, where: Tensor, axis: int
) -> Tensor:
    """Return ``arr`` with values inserted before the elements at ``where``."""
    size = arr.shape[axis]
    if values is None:
        assert val is not None
        values = number(own(val, arr.dtype), arr.dtype, arr.device)
    more = values.to(arr.dtype)
    positions = torch.where(where < 0, where + size, where).to(arr.device)
    if positions.numel() == 1:
        more = more.reshape((1,) * (arr.ndim - more.ndim) + tuple(more.shape))
        # numpy: a single index inserts along the axis itself, a list of one does not.
        if positions.ndim == 0:
            more = more.movedim(0, axis)
        positions = positions.reshape(1).expand(more.shape[axis])
    ordered, order = positions.sort(stable=True)
    goals = torch.empty_like(positions)
    # Each inserted row moves the later ones by one.
    goals[order] = ordered + torch.arange(len(positions), device=arr.device)
    shape = list(arr.shape)
    shape[axis] = size + len(positions)
    y = torch.empty(shape, dtype=arr.dtype, device=arr.device)
    shape[axis] = len(positions)
    y.index_copy_(axis, goals, more.broadcast_to(shape))
    old = torch.arange(size, device=arr.device)
    return y.index_copy_(axis, old + torch.searchsorted(ordered, old, right=True), arr)


@kernel()
def np_insert_tensor(
    arr: Tensor,
    values: Tensor | None,
    obj: Tensor | None,
    *,
    val: float | None,
    axis: int | None,
    **params: Any,
) -> Tensor:
    """Return a copy with values inserted before the indices ``obj``."""
    data, along = (arr.reshape(-1), 0) if axis is None else (arr, axis % max(arr.ndim, 1))
    where = _indices_of(data.shape[along], obj, data.device, params)
    return _inserted(data, values, val, where, along)


@kernel()
def np_insert_scalar(arr: Tensor, values: Tensor | None, **params: Any) -> Tensor:
    """Return a copy with values inserted before an index or the indices of a slice."""
    y: Tensor = np_insert_tensor(arr, values, None, **params)
    return y


np_insert_slice = alias("np_insert_slice", np_insert_scalar)
