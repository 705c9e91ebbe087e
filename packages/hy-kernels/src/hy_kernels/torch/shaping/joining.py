"""Concatenation, stacking and splitting of arrays."""

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import torch

from hy_kernels.record import Function, by_params
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, out_buffer


def _check_same_types(data: Sequence[Tensor]) -> None:
    """Raise an error for arrays of different dtypes or ranks, which torch would join silently."""
    first = data[0]
    for x in data[1:]:
        if x.dtype is not first.dtype:
            raise TypeError(f"cannot join {first.dtype} and {x.dtype}: cast them to one dtype")
        if x.ndim != first.ndim:
            raise ValueError(
                f"cannot concatenate {tuple(first.shape)} and {tuple(x.shape)}: the numbers of "
                "axes differ"
            )


def _fast_path(params: Mapping[str, Any], general: Function) -> Function:
    """Return a fast path of ``concat`` for arrays of one dtype and rank."""
    dim = params["dim"]

    def joined(*data: Tensor) -> Tensor:
        dtype, rank = data[0].dtype, data[0].ndim
        # torch.cat promotes dtypes and drops 1-d empty tensors silently; MXNet refuses both.
        for x in data:
            if x.dtype is not dtype or x.ndim != rank:
                return general(*data)
        return torch.cat(data, dim)

    return joined


@kernel(out="apart", specialize=by_params(_fast_path))
def concat(*data: Tensor, dim: int, out: OutBuffers = None) -> Tensor:
    """Return the arrays concatenated along ``dim``."""
    _check_same_types(data)
    return torch.cat(data, dim, out=out_buffer(out))


@kernel(out="apart")
def rnn_param_concat(*data: Tensor, dim: int, out: OutBuffers = None) -> Tensor:
    """Return the arrays concatenated along ``dim``."""
    return concat(*data, dim=dim, out=out)


Parts = Tensor | tuple[Tensor, ...]
"""One output is an array, several are a tuple."""


def _pieces(
    data: Tensor, bounds: Sequence[int], axis: int, out: OutBuffers, squeeze: bool = False
) -> Parts:
    """Return copies of the parts between consecutive ``bounds`` along an axis."""
    front = (slice(None),) * (axis % data.ndim)
    views = [data[(*front, slice(a, b))] for a, b in pairwise(bounds)]
    if squeeze:
        if any(view.shape[axis] != 1 for view in views):
            raise ValueError(f"squeeze_axis needs parts of size 1 along axis {axis}")
        views = [view.squeeze(axis) for view in views]
    parts = tuple([copied(view, out, k) for k, view in enumerate(views)])
    return parts[0] if len(parts) == 1 else parts


@kernel(out="apart")
def concat_backward(
    dy: Tensor, *data: Tensor, dim: int, parts: int, out: OutBuffers = None
) -> Parts:
    """Return the gradient of ``concat``: ``dy`` split to the sizes of the inputs."""
    return _pieces(dy, list(accumulate((x.shape[dim] for x in data), initial=0)), dim, out)


def _reshaped(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return an array in a shape that differs only by axes of size 1."""
    if [n for n in x.shape if n != 1] != [n for n in shape if n != 1]:
        raise ValueError(f"cannot stack {tuple(x.shape)} with {tuple(shape)}")
    return x.reshape(shape)


def _fast_stack(params: Mapping[str, Any], general: Function) -> Function:
    """Return a fast path of ``stack`` for arrays of one dtype and shape."""
    axis = params["axis"]

    def stacked(*data: Tensor) -> Tensor:
        dtype = data[0].dtype
        for x in data:
            if x.dtype is not dtype:
                return general(*data)
        try:
            return torch.stack(data, axis)
        except RuntimeError:
            return general(*data)

    return stacked


@kernel(out="apart", specialize=by_params(_fast_stack))
def stack(*data: Tensor, axis: int, out: OutBuffers = None) -> Tensor:
    """Return the arrays stacked along a new axis, in the shape of the first."""
    shape = data[0].shape
    same = [x if x.shape == shape else _reshaped(x, shape) for x in data]
    _check_same_types(same)
    return torch.stack(same, axis, out=out_buffer(out))


@kernel(out="apart")
def slice_channel(
    data: Tensor, *, num_outputs: int, axis: int, squeeze_axis: bool, out: OutBuffers = None
) -> Parts:
    """Return ``data`` split into equal parts along an axis."""
    # divmod as parts must be equal; split_v2 has unequal ones.
    size, rest = divmod(data.shape[axis], num_outputs)
    if rest:
        raise ValueError(
            f"cannot split axis {axis} of {tuple(data.shape)} into {num_outputs} equal parts"
        )
    # chunk is one call for all views.
    if out is None and size and not squeeze_axis and num_outputs > 1:
        return tuple([copied(part) for part in torch.chunk(data, num_outputs, axis)])
    return _pieces(data, [i * size for i in range(num_outputs + 1)], axis, out, squeeze_axis)


@kernel(out="apart")
def split_v2(
    data: Tensor,
    *,
    indices: tuple[int, ...],
    axis: int,
    squeeze_axis: bool,
    sections: int,
    out: OutBuffers = None,
) -> Parts:
    """Return ``data`` split into ``sections`` of nearly equal size, or at ``indices``."""
    size = data.shape[axis]
    if sections and not size % sections:
        return slice_channel(
            data, num_outputs=sections, axis=axis, squeeze_axis=squeeze_axis, out=out
        )
    if sections:
        small, larger = divmod(size, sections)
        ends = [i * small + min(i, larger) for i in range(sections + 1)]
    else:
        ends = [*indices, size]
    return _pieces(data, ends, axis, out, squeeze_axis)
