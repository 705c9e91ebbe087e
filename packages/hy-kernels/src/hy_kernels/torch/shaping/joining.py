"""Concatenation, stacking and splitting of arrays."""

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import torch

from hy_kernels.record import Function, by_params
from hy_kernels.torch._kernels import alias, kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, out_buffer


def _check_dtype(data: Sequence[Tensor]) -> None:
    """Refuse several dtypes, which torch would promote: operands of gradients are not checked."""
    for x in data:
        if x.dtype is not data[0].dtype:
            raise TypeError(f"cannot join {data[0].dtype} and {x.dtype}: cast them to one dtype")


def _fast_path(params: Mapping[str, Any], _: Function) -> Function:
    """Return a fast path of ``concat``, without parameters to look up."""
    dim = params["dim"]

    def joined(*data: Tensor) -> Tensor:
        _check_dtype(data)
        return torch.cat(data, dim)

    return joined


@kernel(out="apart", specialize=by_params(_fast_path))
def concat(*data: Tensor, dim: int, out: OutBuffers = None) -> Tensor:
    """Return the arrays concatenated along ``dim``."""
    _check_dtype(data)
    return torch.cat(data, dim, out=out_buffer(out))


rnn_param_concat = alias("rnn_param_concat", concat)

Parts = Tensor | tuple[Tensor, ...]
"""One output is an array, several are a tuple."""


def _pieces(
    data: Tensor, bounds: Sequence[int], axis: int, out: OutBuffers, squeeze: bool = False
) -> Parts:
    """Return copies of the parts between consecutive ``bounds`` along an axis."""
    front = (slice(None),) * (axis % data.ndim)
    views = [data[(*front, slice(a, b))] for a, b in pairwise(bounds)]
    if squeeze:
        views = [view.squeeze(axis) for view in views]
    parts = tuple([copied(view, out, k) for k, view in enumerate(views)])
    return parts[0] if len(parts) == 1 else parts


@kernel(out="apart")
def concat_backward(
    dy: Tensor, *data: Tensor, dim: int, parts: int, out: OutBuffers = None
) -> Parts:
    """Return the gradient of ``concat``: ``dy`` split to the sizes of the inputs."""
    return _pieces(dy, list(accumulate((x.shape[dim] for x in data), initial=0)), dim, out)


def _fast_stack(params: Mapping[str, Any], general: Function) -> Function:
    """Return a fast path of ``stack`` for arrays of one shape."""
    axis = params["axis"]

    def stacked(*data: Tensor) -> Tensor:
        _check_dtype(data)
        try:
            return torch.stack(data, axis)
        except RuntimeError:
            return general(*data)

    return stacked


@kernel(out="apart", specialize=by_params(_fast_stack))
def stack(*data: Tensor, axis: int, out: OutBuffers = None) -> Tensor:
    """Return the arrays stacked along a new axis, in the shape of the first."""
    shape = data[0].shape
    _check_dtype(data)
    same = [x.reshape(shape) for x in data]
    return torch.stack(same, axis, out=out_buffer(out))


@kernel(out="apart")
def slice_channel(
    data: Tensor, *, num_outputs: int, axis: int, squeeze_axis: bool, out: OutBuffers = None
) -> Parts:
    """Return ``data`` split into equal parts along an axis."""
    size = data.shape[axis] // num_outputs
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
