"""Helpers for type rules, which unify or check shapes and dtypes."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from hy_ndarray._errors import DTypeError, ShapeError
from hy_ndarray.ops.record.types import PartialShape, TensorType, show

__all__ = [
    "broadcast",
    "broadcast_shapes",
    "check_axis",
    "expect_axes",
    "expect_rank",
    "floating",
    "like_result",
    "normalized_axes",
    "numbered",
    "reduced",
    "same",
    "same_dtype",
    "same_shape",
]


@lru_cache(maxsize=64)
def numbered(count: int) -> tuple[str, ...]:
    """Return the names of ``count`` outputs: ``output0``, ``output1``, …."""
    return tuple(f"output{i}" for i in range(count))


def same_shape(*types: TensorType) -> None:
    """Unify the shapes of all operands."""
    first = types[0]
    # Two passes: the first collects the known sizes of all operands, the second distributes them.
    for other in types[1:]:
        first.set_shape(other.shape)
    for other in types[1:]:
        other.set_shape(first.shape)


def same_dtype(*types: TensorType | None) -> str | None:
    """Unify the dtypes of all operands and return the dtype; ``None`` operands are skipped."""
    dtype = None
    for t in types:
        if t is not None and t.dtype is not None:
            dtype = t.dtype
            break
    for t in types:
        if t is not None and t.dtype != dtype:
            t.set_dtype(dtype)
    return dtype


def floating(*types: TensorType) -> str | None:
    """Unify the dtypes of all operands, which must be floating, and return the dtype.

    Raises:
        DTypeError: The dtypes differ, or are not floating.
    """
    dtype = same_dtype(*types)
    if dtype is not None and "float" not in dtype:
        raise DTypeError(f"{types[0].label}{dtype} must be floating; cast it with astype")
    return dtype


def same(*types: TensorType) -> TensorType:
    """Unify the shapes and dtypes of all operands, and return the first operand's type."""
    same_shape(*types)
    same_dtype(*types)
    return types[0]


def like_result(dy: TensorType, forward: Any, *inputs: TensorType | None, **params: Any) -> None:
    """Unify the shape of ``dy`` with the result shape of operator ``forward`` on ``inputs``."""
    result = forward.op.rule(*inputs, **params)
    dy.set_shape((result[0] if isinstance(result, tuple) else result).shape)


def broadcast_shapes(a: PartialShape | None, b: PartialShape | None) -> PartialShape | None:
    """Return the shape that two shapes broadcast to; ``None`` if a rank is unknown.

    Raises:
        ShapeError: Two sizes differ and neither is 1.
    """
    if a is None or b is None:
        return None
    rank = max(len(a), len(b))
    left = (1,) * (rank - len(a)) + a
    right = (1,) * (rank - len(b)) + b
    result: list[int | None] = []
    for x, y in zip(left, right, strict=True):
        if x in (1, y):
            result.append(y)
        elif y == 1:
            result.append(x)
        # If one size is known and above 1, the unknown one must be equal or 1. If both are unknown,
        # so is the result.
        elif x is None or y is None:
            result.append(x or y)
        else:
            raise ShapeError(f"{show(a)} and {show(b)} cannot be broadcast: {x} against {y}")
    return tuple(result)


def broadcast(lhs: TensorType, rhs: TensorType) -> TensorType:
    """Unify the dtypes of two operands, and return the type that they broadcast to."""
    same_dtype(lhs, rhs)
    return lhs.with_shape(broadcast_shapes(lhs.shape, rhs.shape))


def expect_rank(data: TensorType, *ranks: int) -> None:
    """Raise a :class:`ShapeError` unless the rank of ``data`` is unknown or one of ``ranks``."""
    shape = data.shape
    if shape is not None and len(shape) not in ranks:
        wanted = " or ".join(map(str, ranks))
        raise ShapeError(f"{data.label}{show(shape)} must have {wanted} axes, has {len(shape)}")


def expect_axes(data: TensorType, min_rank: int) -> None:
    """Raise a :class:`ShapeError` if the rank of ``data`` is known and below ``min_rank``."""
    shape = data.shape
    if shape is not None and len(shape) < min_rank:
        raise ShapeError(
            f"{data.label}{show(shape)} must have at least {min_rank} axes, has {len(shape)}"
        )


def check_axis(axis: int, data: TensorType) -> int | None:
    """Return ``axis`` as a non-negative number; ``None`` if the rank is unknown.

    Raises:
        ShapeError: The operand has no such axis.
    """
    if data.rank is None:
        return None
    if not -data.rank <= axis < data.rank:
        raise ShapeError(
            f"axis={axis} is outside the {data.rank} axes of {data.label}{show(data.shape)}"
        )
    return axis % data.rank


def normalized_axes(
    axes: Sequence[int] | None, data: TensorType, *, exclude: bool = False
) -> tuple[int, ...] | None:
    """Return axes as sorted non-negative numbers; ``None`` if the rank is unknown.

    ``axes`` of ``None`` or ``()`` means all axes. With ``exclude``, and axes given, the other axes
    are returned.
    """
    if data.rank is None:
        return None
    selected = {check_axis(axis, data) for axis in axes} if axes else set(range(data.rank))
    if axes and len(selected) < len(axes):
        raise ShapeError(f"axis={tuple(axes)} repeats an axis of {data.label}{show(data.shape)}")
    if axes and exclude:
        selected = set(range(data.rank)) - selected
    return tuple(sorted(axis for axis in selected if axis is not None))


def reduced(
    data: TensorType, axes: Sequence[int] | None, *, keepdims: bool = False, exclude: bool = False
) -> TensorType:
    """Return the type of ``data`` reduced over axes; the shape is ``(1,)`` if no axis is left."""
    reduced_axes = normalized_axes(axes, data, exclude=exclude)
    if reduced_axes is None or data.shape is None:
        return data.with_shape(None)
    if keepdims:
        return data.with_shape(1 if i in reduced_axes else n for i, n in enumerate(data.shape))
    left = tuple(n for i, n in enumerate(data.shape) if i not in reduced_axes)
    return data.with_shape(left or (1,))
