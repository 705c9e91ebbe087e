"""Slices of arrays, read or written, and their gradients."""

from builtins import slice as span
from collections.abc import Mapping
from typing import Any

import torch

from hy_kernels.record import Function, by_params
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import IN_ORDER, OutBuffers, Tensor, copied, own, target

Ends = tuple[int | None, ...]


def _view_of(data: Tensor, begin: Ends, end: Ends, step: Ends) -> tuple[Tensor, list[int]]:
    """Return the slice as a view, and the axes to flip, since torch has no negative steps."""
    if len(begin) > data.ndim:
        raise IndexError(f"begin has {len(begin)} entries for the {data.ndim} axes of data")
    key, backwards = [], []
    ends = zip(begin, end, step or (None,) * len(begin), strict=False)
    # A range gives start, stop and step of any slice; reversed where the step is negative, since
    # torch has only positive ones.
    for axis, each in enumerate(ends):
        selected = range(*span(*each).indices(data.shape[axis]))
        if selected.step < 0:
            backwards.append(axis)
            selected = selected[::-1]
        key.append(
            span(selected.start, selected.stop if len(selected) else selected.start, selected.step)
        )
    return data[tuple(key)], backwards


def _zeros(like: Tensor, dy: Tensor, out: OutBuffers) -> Tensor:
    return target(out, like.shape, dy.dtype, dy.device).zero_()


def _fast_path(params: Mapping[str, Any], general: Function) -> Function | None:
    """Return a fast path of ``slice`` without steps, by one indexing operation."""
    begin, end, step = (params[name] for name in ("begin", "end", "step"))
    if step or len(begin) != len(end):
        return None
    # Bound once: the key of a slice without steps is the same for every array.
    key, count = tuple(map(span, begin, end)), len(begin)

    def part(data: Tensor) -> Tensor:
        return data[key].clone(memory_format=IN_ORDER) if count <= data.ndim else general(data)

    return part


@kernel(out="apart", specialize=by_params(_fast_path))
def slice(data: Tensor, *, begin: Ends, end: Ends, step: Ends, out: OutBuffers = None) -> Tensor:
    """Return a copy of a slice."""
    part, backwards = _view_of(data, begin, end, step)
    return copied(torch.flip(part, backwards) if backwards else part, out)


@kernel(out="apart")
def slice_backward(
    dy: Tensor, data: Tensor, *, begin: Ends, end: Ends, step: Ends, out: OutBuffers = None
) -> Tensor:
    """Return the gradient of ``slice``: zeros with ``dy`` at the slice."""
    dx = _zeros(data, dy, out)
    part, backwards = _view_of(dx, begin, end, step)
    part.copy_(torch.flip(dy, backwards) if backwards else dy)
    return dx


def _bound_along(params: Mapping[str, Any], _: Function) -> Function | None:
    """Return a fast path of ``slice_axis`` by one call of torch, which checks the end."""
    axis, begin, end = (params[name] for name in ("axis", "begin", "end"))
    if begin < 0 or end is None or end < begin:
        return None
    length = end - begin

    def part(data: Tensor) -> Tensor:
        # narrow_copy of a view would first copy the whole view.
        if data.is_contiguous():
            return torch.narrow_copy(data, axis, begin, length)
        return copied(data.narrow(axis, begin, length))

    return part


@kernel(out="apart", specialize=by_params(_bound_along))
def slice_axis(
    data: Tensor, *, axis: int, begin: int, end: int | None, out: OutBuffers = None
) -> Tensor:
    """Return a copy of a slice along one axis."""
    size = data.shape[axis]
    first = begin + size if begin < 0 else begin
    last = size if end is None else end + size if end < 0 else end
    return copied(data.narrow(axis, first, last - first), out)


@kernel(out="first")
def slice_assign(
    lhs: Tensor, rhs: Tensor, *, begin: Ends, end: Ends, step: Ends, out: OutBuffers = None
) -> Tensor:
    """Return a copy of ``lhs`` with ``rhs`` written to a slice."""
    y = copied(lhs, out)
    part, backwards = _view_of(y, begin, end, step)
    # torch would cast and repeat it: operands of gradients are not checked before.
    if part.shape != rhs.shape or rhs.dtype != y.dtype:
        raise ValueError(
            f"rhs {tuple(rhs.shape)} {rhs.dtype} must have the type of the part, "
            f"{tuple(part.shape)} {y.dtype}"
        )
    part.copy_(torch.flip(rhs, backwards) if backwards else rhs)
    return y


@kernel(out="first")
def slice_assign_scalar(
    data: Tensor, *, scalar: float, begin: Ends, end: Ends, step: Ends, out: OutBuffers = None
) -> Tensor:
    """Return a copy of ``data`` with ``scalar`` written to a slice."""
    y = copied(data, out)
    _view_of(y, begin, end, step)[0].fill_(own(scalar, y.dtype))
    return y
