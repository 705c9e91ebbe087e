"""Selection by arrays of indices (take, embedding, pick, one-hot), or by a condition."""

from collections.abc import Mapping
from typing import Any

import torch

from hy_kernels.record import Function, by_params
from hy_kernels.torch._constants import on_device
from hy_kernels.torch._dtypes import NAMES, torch_type
from hy_kernels.torch._kernels import alias, kernel
from hy_kernels.torch._rows import added_rows, integers, positions, taken
from hy_kernels.torch._tensor import OutBuffers, Tensor, out_buffer, own, stored, target


def _fast_take(params: Mapping[str, Any], general: Function) -> Function | None:
    """Return a fast path of ``take`` for valid indices, which torch checks on CPUs."""
    # torch.index_select checks bounds on CPUs itself: one pass less than clamping. Errors go the
    # general way, which clips.
    if params["axis"] != 0 or params["mode"] == "wrap":
        return None

    def rows(a: Tensor, indices: Tensor) -> Tensor:
        if indices.ndim == 1 and a.ndim and a.is_cpu and a.is_contiguous():
            index = indices.long()
            try:
                return torch.index_select(a, 0, index)
            except (IndexError, RuntimeError):  # the latter where rows are empty
                return general(a, indices)
        return general(a, indices)

    return rows


@kernel(out="apart", specialize=by_params(_fast_take))
def take(a: Tensor, indices: Tensor, *, axis: int, mode: str, out: OutBuffers = None) -> Tensor:
    """Return the slices of ``a`` along ``axis`` at indices."""
    return taken(a, positions(indices, a.shape[axis], mode), axis, out)


@kernel(out="apart")
def take_backward(
    dy: Tensor,
    a: Tensor,
    indices: Tensor,
    *,
    axis: int,
    mode: str,
    sparse_grad: bool,  # storage is the caller's
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient of ``take``: each slice of ``dy`` added where it was taken."""
    at = axis % a.ndim
    index = positions(indices, a.shape[at], mode).reshape(-1)
    rows = dy.reshape((*a.shape[:at], len(index), *a.shape[at + 1 :]))
    return stored(added_rows(rows, index, a.shape, at), out)


@kernel(out="apart")
def retain(data: Tensor, indices: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return ``data`` with only the rows at ``indices``, zeros elsewhere."""
    rows, length = integers(indices).reshape(-1), len(data)
    # An extra row takes indices of no row, and is cut off.
    rows = torch.where((rows < 0) | (rows >= length), length, rows)
    is_listed = torch.zeros(length + 1, dtype=torch.bool, device=data.device)
    is_listed = is_listed.index_fill(0, rows.long(), True)[:length]
    zero = torch.zeros((), dtype=data.dtype, device=data.device)
    return stored(torch.where(is_listed.reshape(-1, *[1] * (data.ndim - 1)), data, zero), out)


def _fast_embedding(params: Mapping[str, Any], general: Function) -> Function:
    """Return a fast path of ``embedding`` for valid indices, which torch checks on CPUs."""
    size = params["input_dim"], params["output_dim"]

    def rows(data: Tensor, weight: Tensor) -> Tensor:
        if weight.is_cpu and weight.shape == size:
            try:
                return torch.embedding(weight, data.long())
            except IndexError:
                return general(data, weight)
        return general(data, weight)

    return rows


@kernel(out="apart", specialize=by_params(_fast_embedding))
def embedding(
    data: Tensor,
    weight: Tensor,
    *,
    input_dim: int,
    out: OutBuffers = None,
    **_: Any,  # the weight's, and how gradients are stored
) -> Tensor:
    """Return a row of ``weight`` for every index."""
    # torch.embedding is the fastest row lookup, with clipped indices.
    if out is None:
        return torch.embedding(weight, data.long().clamp(0, input_dim - 1))
    return taken(weight, positions(data, input_dim, "clip"), 0, out)


sparse_embedding = alias("sparse_embedding", embedding)


def _picked(
    data: Tensor, index: Tensor, axis: int, keepdims: bool, mode: str
) -> tuple[int, Tensor, tuple[int, ...]]:
    """Return the axis, the indices with that axis kept, and the shape of the result of ``pick``."""
    at = axis % data.ndim
    leading = (*data.shape[:at], 1, *data.shape[at + 1 :])
    left = (*data.shape[:at], *data.shape[at + 1 :]) or (1,)
    result = positions(index, data.shape[at], mode).reshape(leading)
    return at, result, leading if keepdims else left


def _fast_pick(params: Mapping[str, Any], general: Function) -> Function | None:
    """Return a fast path of ``pick`` along the last axis, for indices that torch checks on CPUs."""
    if params["axis"] != -1 or params["keepdims"] or params["mode"] == "wrap":
        return None

    def picked(data: Tensor, index: Tensor) -> Tensor:
        if data.is_cpu and index.shape == data.shape[:-1]:
            try:
                return torch.gather(data, -1, index.long().unsqueeze(-1)).squeeze(-1)
            except RuntimeError:
                return general(data, index)
        return general(data, index)

    return picked


@kernel(out="apart", specialize=by_params(_fast_pick))
def pick(
    data: Tensor,
    index: Tensor,
    *,
    axis: int,
    keepdims: bool,
    mode: str,
    out: OutBuffers = None,
) -> Tensor:
    """Return the element of each vector along ``axis`` at its index."""
    # gather along the last axis without moving axes: labels' scores are the usual case.
    if axis == -1 and out is None and not keepdims and index.shape == data.shape[:-1]:
        result = positions(index, data.shape[-1], mode).unsqueeze(-1)
        return torch.gather(data, -1, result).squeeze(-1)  # most calls, without a detour
    at, result, shape = _picked(data, index, axis, keepdims, mode)
    return stored(torch.gather(data, at, result).reshape(shape), out)


@kernel(out="apart")
def pick_backward(
    dy: Tensor,
    data: Tensor,
    index: Tensor,
    *,
    axis: int,
    keepdims: bool,
    mode: str,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient of ``pick``: zeros with ``dy`` at the picked elements."""
    at, result, _ = _picked(data, index, axis, keepdims, mode)
    dx = target(out, data.shape, dy.dtype, dy.device).zero_()
    return dx.scatter_(at, result, dy.reshape(result.shape))


@on_device
def _classes(depth: int, device: torch.device) -> Tensor:
    """Return ``0 … depth - 1`` as a cached tensor, which must not be written to."""
    return torch.arange(depth, device=device)


def _fast_one_hot(params: Mapping[str, Any], general: Function) -> Function | None:
    """Return a fast path of ``one_hot`` for float32 with ones and zeros."""
    depth, numbers = params["depth"], (params["on_value"], params["off_value"])
    if numbers != (1, 0) or params["dtype"] != "float32":
        return None

    # Comparing with a cached range and casting the booleans: no scatter, no fill.
    def hot(indices: Tensor) -> Tensor:
        return torch.eq(indices.long().unsqueeze(-1), _classes(depth, indices.device)).float()

    return hot


@kernel(out="apart", specialize=by_params(_fast_one_hot))
def one_hot(
    indices: Tensor,
    *,
    depth: int,
    on_value: float,
    off_value: float,
    dtype: str,
    out: OutBuffers = None,
) -> Tensor:
    """Return vectors with ``on_value`` at each index and ``off_value`` elsewhere."""
    kind, device = torch_type(dtype), indices.device
    if on_value == 1 and not off_value:  # most calls, in half the time
        hot = indices.long().unsqueeze(-1) == _classes(depth, device)
        return stored(hot.float() if kind is torch.float32 else hot.to(kind), out)
    y = target(out, (*indices.shape, depth), kind, device).fill_(own(off_value, kind))
    hot = integers(indices).unsqueeze(-1) == _classes(depth, device)
    return y.masked_fill_(hot, own(on_value, kind))


_ZEROS = {dtype: torch.zeros((), dtype=dtype) for dtype in NAMES}


@kernel(out="apart")
def where(condition: Tensor, x: Tensor, y: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return ``x`` where the condition is not 0, else ``y``."""
    mask = condition
    if condition.dtype is not torch.bool:
        # A cached 0 of the dtype: `!= 0` would make a tensor of the number at each call.
        mask = torch.ne(condition, _ZEROS[condition.dtype])
    if condition.shape != x.shape:
        mask = mask.reshape((-1, *(1,) * (x.ndim - 1)))
    return torch.where(mask, x, y, out=out_buffer(out))
