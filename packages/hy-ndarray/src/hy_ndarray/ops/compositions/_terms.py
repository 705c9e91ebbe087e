"""Helpers for compositions, besides Python's operators and catalogue functions."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias

from hy_ndarray.ops.elementwise.casting import cast as cast_operator
from hy_ndarray.ops.np.axes import np_flip, np_transpose
from hy_ndarray.ops.np.creation import np_arange
from hy_ndarray.ops.np.joining import np_concatenate
from hy_ndarray.ops.np.reduce import np_sum
from hy_ndarray.ops.np.shaping import np_broadcast_to, np_reshape
from hy_ndarray.ops.record.composition import Tracer, create
from hy_ndarray.ops.record.schema import OperatorFunction
from hy_ndarray.ops.record.types import TensorType
from hy_ndarray.ops.shaping.creation import full
from hy_ndarray.ops.shaping.slicing import slice as slice_operator

Axes: TypeAlias = Sequence[int]
_HALVES = ("float16", "bfloat16")
_WHOLE = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def is_whole(x: Tracer) -> bool:
    """Return whether a value has an integer or boolean dtype."""
    return x.dtype in _WHOLE


def cast(x: Tracer, dtype: str) -> Tracer:
    """Return the value cast to a dtype; unchanged if it has that dtype."""
    return x if x.dtype == dtype else cast_operator(x, dtype=dtype)


def wide(x: Tracer) -> Tracer:
    """Return the value in its accumulation dtype: 16-bit floats as float32, others unchanged."""
    return cast(x, "float32") if x.dtype in _HALVES else x


def narrowed(function: Callable[..., Tracer], first: Tracer, *others: Tracer) -> Tracer:
    """Apply a function in :func:`wide` dtypes; return the result in the first operand's dtype."""
    return cast(function(wide(first), *map(wide, others)), first.dtype)


def in_reals(function: Callable[[Tracer], Tracer], x: Tracer) -> Tracer:
    """Apply a function in float64 for integers, else in :func:`wide` dtypes; cast back."""
    return cast(function(cast(x, "float64") if is_whole(x) else wide(x)), x.dtype)


def constant(like: Tracer, value: float, dtype: str | None = None) -> Tracer:
    """Return a number as an array that broadcasts against ``like``, in its dtype by default."""
    kind = dtype or like.dtype
    shape = (1,) * like.ndim
    if kind in _WHOLE:  # a negative number wraps around, as an integer
        return cast(filled(shape, float(int(value)), "int64"), kind)
    return filled(shape, value, kind)


def filled(shape: Sequence[int], value: float, dtype: str) -> Tracer:
    """Return an array of the given shape filled with a number.

    If the last size is 0 it broadcasts an empty range: in graphs outside of ``np_shape`` a size
    of 0 given to ``full`` would mean an unknown size.
    """
    if shape and shape[-1] == 0:
        return expanded(create(np_arange, start=0.0, stop=0.0, dtype=dtype), shape)
    return create(full, shape=tuple(shape), value=value, dtype=dtype)


def number(value: float, dtype: str) -> Tracer:
    """Return a number as an array without axes."""
    return cast(filled((), value, "float64"), dtype)


def flipped(data: Tracer, axis: int) -> Tracer:
    """Return the elements in reverse order along an axis."""
    y: Tracer = np_flip(data, axis=(axis,))
    return y


def result(op: OperatorFunction, *inputs: Tracer | None, **params: Any) -> TensorType:
    """Return the type of an operator's first output, inferred by its type rule."""
    return results(op, *inputs, **params)[0]


def results(op: OperatorFunction, *inputs: Tracer | None, **params: Any) -> tuple[TensorType, ...]:
    """Return the types of an operator's outputs, inferred by its type rule."""
    types = [None if x is None else TensorType(x.shape, x.dtype) for x in inputs]
    return op.op.infer(types, params)


def sizes(kind: TensorType) -> tuple[int, ...]:
    """Return the shape of a type, all of whose sizes are known."""
    assert kind.sizes is not None
    return kind.sizes


def sliced(x: Tracer, begin: Sequence[int | None], end: Sequence[int | None]) -> Tracer:
    """Return the slices ``begin:end`` along the leading axes."""
    result: Tracer = slice_operator(x, begin=tuple(begin), end=tuple(end))
    return result


def part(x: Tracer, axis: int, begin: int, end: int) -> Tracer:
    """Return the slice ``begin:end`` along an axis."""
    leading = (None,) * (axis % x.ndim)
    return sliced(x, (*leading, begin), (*leading, end))


def joined(pieces: Sequence[Tracer], axis: int) -> Tracer:
    """Return arrays concatenated along an axis."""
    if len(pieces) == 1:
        return pieces[0]
    result: Tracer = np_concatenate(*pieces, axis=axis)
    return result


def transposed(x: Tracer, *axes: int) -> Tracer:
    """Return the array with its axes permuted."""
    result: Tracer = np_transpose(x, axes=axes)
    return result


def expanded(x: Tracer, shape: Sequence[int]) -> Tracer:
    """Return the array broadcast to a shape."""
    result: Tracer = np_broadcast_to(x, shape=tuple(shape))
    return result


def total(data: Tracer, axes: Sequence[int] | None, *, keepdims: bool = False) -> Tracer:
    """Return the sum along axes, in the dtype of ``data``; all axes if None."""
    along = None if axes is None else tuple(axes)
    result: Tracer = np_sum(data, axis=along, keepdims=keepdims, dtype=data.dtype)
    return result


def reshape(x: Tracer, *shape: int) -> Tracer:
    """Return the elements in another shape, with -1 for an inferred size."""
    result: Tracer = np_reshape(x, newshape=shape)
    return result


def size(x: Tracer) -> int:
    """Return the number of elements."""
    return prod(x.shape)


def count(x: Tracer, y: Tracer) -> float:
    """Return the number of elements of ``x`` that are reduced to each element of ``y``."""
    return size(x) / size(y) if size(y) else 1.0
