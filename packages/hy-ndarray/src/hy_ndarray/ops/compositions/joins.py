"""Compositions of joining and splitting."""

from collections.abc import Sequence
from itertools import accumulate
from math import prod
from typing import Any

from hy_ndarray.ops.compositions._terms import filled, joined, part, reshape, results, size, sizes
from hy_ndarray.ops.np import joining as np_joining
from hy_ndarray.ops.record.composition import Tracer
from hy_ndarray.ops.record.derived import composition
from hy_ndarray.ops.record.schema import OperatorFunction
from hy_ndarray.ops.shaping import joining


@composition(joining.concat, joining.rnn_param_concat)
def _concat(*data: Tracer, dim: int) -> Tracer:
    return joined(data, dim)


@composition(joining.stack, np_joining.np_stack)
def _stack(*data: Tracer, axis: int) -> Tracer:
    shape = [*data[0].shape]  # others may have more axes of one element
    i = axis % (len(shape) + 1)
    return joined([reshape(x, *shape[:i], 1, *shape[i:]) for x in data], i)


@composition(np_joining.np_vstack)
def _vstack(*data: Tracer) -> Tracer:
    return joined([x if x.ndim > 1 else reshape(x, 1, size(x)) for x in data], 0)


@composition(np_joining.np_hstack)
def _hstack(*data: Tracer, dim: int) -> Tracer:
    return joined([x if x.ndim else reshape(x, 1) for x in data], int(data[0].ndim > 1))


@composition(np_joining.np_dstack)
def _dstack(*data: Tracer, dim: int) -> Tracer:
    deep = [
        x if x.ndim > 2 else reshape(x, *((1, size(x))[x.ndim > 1 :] if x.ndim < 2 else x.shape), 1)
        for x in data
    ]
    return joined(deep, 2)


@composition(np_joining.np_column_stack)
def _column_stack(*data: Tracer) -> Tracer:
    return joined([x if x.ndim > 1 else reshape(x, size(x), 1) for x in data], 1)


def _pieces(data: Tracer, ends: Sequence[int], axis: int, shapes: Sequence[Any]) -> list[Tracer]:
    """Return the pieces that end at ``ends`` along an axis, reshaped to the given types' shapes."""
    starts = [0, *ends]
    return [
        reshape(part(data, axis, start, end), *sizes(shape))
        for start, end, shape in zip(starts, ends, shapes, strict=False)
    ]


def _split(name: OperatorFunction) -> None:
    @composition(name)
    def split(data: Tracer, **params: Any) -> list[Tracer]:
        kinds = results(name, data, **params)
        axis = params["axis"] if name is not np_joining.np_hsplit else int(data.ndim > 1)
        slab = size(data) // max(data.shape[axis], 1)
        if not slab:  # nothing tells where pieces without elements end
            return [filled(sizes(kind), 0.0, data.dtype) for kind in kinds]
        ends = [*accumulate(prod(sizes(kind)) // slab for kind in kinds)]
        return _pieces(data, ends, axis, kinds)


for _name in (joining.slice_channel, joining.split_v2, np_joining.np_hsplit):
    _split(_name)


@composition(joining.concat_backward)
def _concat_backward(dy: Tracer, *data: Tracer, dim: int, parts: int) -> list[Tracer]:
    ends = [*accumulate(x.shape[dim] for x in data)]
    return [part(dy, dim, end - x.shape[dim], end) for x, end in zip(data, ends, strict=True)]


@composition(np_joining.join_backward)
def _join_backward(dy: Tracer, *data: Tracer, axis: int | None, parts: int) -> list[Tracer]:
    at = int(dy.ndim > 1) if axis is None else axis % dy.ndim
    slab = size(dy) // dy.shape[at] if size(dy) else 0
    if not slab:
        return [filled(x.shape, 0.0, dy.dtype) for x in data]
    counts = [size(x) // slab for x in data]
    return [
        reshape(part(dy, at, end - n, end), *x.shape)
        for x, n, end in zip(data, counts, accumulate(counts), strict=True)
    ]


@composition(np_joining.join_like)
def _join_like(like: Tracer, *parts: Tracer, axis: int | None) -> Tracer:
    at = int(like.ndim > 1) if axis is None else axis % like.ndim
    slab = size(like) // like.shape[at] if size(like) else 0
    if not slab:
        return filled(like.shape, 0.0, parts[0].dtype)
    leading, back = like.shape[:at], like.shape[at + 1 :]
    return joined([reshape(x, *leading, size(x) // slab, *back) for x in parts], at)
