"""Searching and sorting along an axis."""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from hy_kernels.record import Function, Maker, by_params
from hy_kernels.torch._dtypes import torch_type
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._rows import flat_indices_along
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, out_buffer, stored, target


def _search(
    find: Callable[..., Tensor], data: Tensor, axis: int | None, keepdims: bool, out: OutBuffers
) -> Tensor:
    # torch has no argmax of booleans.
    values = data.to(torch.uint8) if data.dtype is torch.bool else data
    if out is None and axis is not None and data.ndim > 1 and data.dtype is torch.float32:
        return find(values, axis, keepdims).float()  # most calls, without a detour
    if axis is None:
        result = find(values.reshape(-1), 0).reshape([1] * data.ndim if keepdims else [1])
    else:
        result = find(values, axis, keepdim=keepdims)
    return copied(result if result.ndim else result.reshape(1), out, dtype=data.dtype)


def _fast_search(find: Callable[..., Tensor]) -> Maker:
    """Return a fast path of argmax or argmin along one axis of float32."""

    def fast_path(params: Mapping[str, Any], general: Function) -> Function | None:
        axis, keepdims = params["axis"], params["keepdims"]
        if axis is None:
            return None

        def search(data: Tensor) -> Tensor:
            if data.ndim < 2 or data.dtype is not torch.float32:
                return general(data)
            return find(data, axis, keepdims).float()

        return search

    return by_params(fast_path)


@kernel(out="apart", specialize=_fast_search(torch.argmax))
def argmax(data: Tensor, *, axis: int | None, keepdims: bool, out: OutBuffers = None) -> Tensor:
    """Return the position of the largest element along an axis."""
    return _search(torch.argmax, data, axis, keepdims, out)


@kernel(out="apart", specialize=_fast_search(torch.argmin))
def argmin(data: Tensor, *, axis: int | None, keepdims: bool, out: OutBuffers = None) -> Tensor:
    """Return the position of the smallest element along an axis."""
    return _search(torch.argmin, data, axis, keepdims, out)


@kernel(out="apart")
def argmax_channel(data: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return the position of the largest element along axis 1."""
    return _search(torch.argmax, data, 1, False, out)


def _leading(data: Tensor, axis: int | None, k: int, is_ascend: bool) -> Tensor:
    """Return the positions of the ``k`` first elements in sort order along the axis."""
    rows, along = (data.reshape(-1), 0) if axis is None else (data, axis)
    # Stable, so that equal elements keep their order as MXNet's; topk of torch has none.
    order = torch.sort(rows, dim=along, descending=not is_ascend, stable=True).indices
    return order.narrow(along, 0, k) if k > 0 else order


def _flat_positions(data: Tensor, result: Tensor, axis: int | None) -> Tensor:
    """Return flat indices into ``data`` for positions along the axis."""
    return result if axis is None else flat_indices_along(data.shape, result, axis % data.ndim)


@kernel(out="apart")
def sort(data: Tensor, *, axis: int | None, is_ascend: bool, out: OutBuffers = None) -> Tensor:
    """Return the elements sorted along an axis."""
    rows, along = (data.reshape(-1), 0) if axis is None else (data, axis)
    return stored(torch.sort(rows, dim=along, descending=not is_ascend).values.contiguous(), out)


@kernel(out="apart")
def argsort(
    data: Tensor, *, axis: int | None, is_ascend: bool, dtype: str, out: OutBuffers = None
) -> Tensor:
    """Return the positions that sort the elements along an axis."""
    return copied(_leading(data, axis, 0, is_ascend), out, dtype=torch_type(dtype))


def _fast_path(params: Mapping[str, Any], _: Function) -> Function | None:
    """Return a fast path of ``topk`` that sorts all elements, or None."""
    axis, k, dtype = params["axis"], params["k"], torch_type(params["dtype"])
    descending, is_standard = not params["is_ascend"], dtype is torch.float32
    if params["ret_typ"] != "indices" or axis is None or k < 1:
        return None

    # argsort and cut off, because torch.topk does not keep equal elements in order.
    def first(data: Tensor) -> Tensor:
        order = torch.argsort(data, stable=True, dim=axis, descending=descending)
        try:
            result = torch.narrow_copy(order, axis, 0, k)
        except RuntimeError as error:
            raise ValueError(f"k={k} of {order.shape[axis]} elements") from error
        return result.float() if is_standard else result.to(dtype)

    return first


@kernel(out="apart", specialize=by_params(_fast_path))
def topk(
    data: Tensor,
    *,
    axis: int | None,
    k: int,
    ret_typ: str,
    is_ascend: bool,
    dtype: str,
    out: OutBuffers = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the ``k`` first elements in sort order, their positions, both, or a mask of them."""
    result = _leading(data, axis, k, is_ascend)
    if ret_typ == "indices":
        return copied(result, out, dtype=torch_type(dtype))
    flat = _flat_positions(data, result, axis)
    if ret_typ == "mask":
        mask = target(out, data.shape, data.dtype, data.device).zero_()
        mask.view(-1)[flat.reshape(-1)] = 1
        return mask
    values = torch.take(data, flat, out=out_buffer(out))
    if ret_typ == "value":
        return values
    return values, copied(result, out, 1, dtype=torch_type(dtype))


@kernel(out="apart")
def leading_backward(
    dy: Tensor, data: Tensor, *, axis: int | None, k: int, is_ascend: bool, out: OutBuffers = None
) -> Tensor:
    """Return zeros with ``dy`` at the ``k`` first elements of ``data`` in sort order."""
    dx = target(out, data.shape, dy.dtype, dy.device).zero_()
    flat = _flat_positions(data, _leading(data, axis, k, is_ascend), axis)
    dx.view(-1)[flat.reshape(-1)] = dy.reshape(-1)
    return dx


@kernel(out="apart")
def leading_of(
    values: Tensor,
    data: Tensor,
    *,
    axis: int | None,
    k: int,
    is_ascend: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return ``values`` at the positions of the ``k`` first elements of ``data`` in sort order."""
    flat = _flat_positions(data, _leading(data, axis, k, is_ascend), axis)
    return torch.take(values, flat, out=out_buffer(out))
