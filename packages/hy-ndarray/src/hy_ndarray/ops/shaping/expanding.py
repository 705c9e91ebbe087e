"""Repeating, padding and broadcasting of arrays."""

from collections.abc import Sequence
from typing import Any, Literal

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.adjoints import Linear
from hy_ndarray.ops.elementwise.broadcast import sum_like
from hy_ndarray.ops.record.params import Shape
from hy_ndarray.ops.record.ranges import NonNegative, NonNegatives
from hy_ndarray.ops.record.rules import check_axis
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Traits
from hy_ndarray.ops.record.types import PartialShape, TensorType, show


def _multiplied(size: int | None, count: int) -> int | None:
    return None if size is None else size * count


def _tiled(data: TensorType, reps: Shape) -> PartialShape | None:
    if data.shape is None:
        return None
    rank = max(len(reps), len(data.shape))
    counts = (1,) * (rank - len(reps)) + reps
    sizes = (1,) * (rank - len(data.shape)) + data.shape
    return tuple(_multiplied(n, k) for n, k in zip(sizes, counts, strict=True))


_TILE = Linear()


@operator("tile", "_npi_tile", grad=_TILE.grad)
def tile(data: TensorType, *, reps: NonNegatives) -> TensorType:
    """Return the array tiled: repeated as a whole along its axes.

    Args:
        data: ``[*sizes]``, any dtype.
        reps: Number of repetitions along each axis, aligned at the last axis. Missing ones are 1;
            surplus ones add leading axes.

    Raises:
        ShapeError: A number in ``reps`` is negative.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.tile(nd.array([1, 2]), reps=(2, 2)).asnumpy()
        array([[1., 2., 1., 2.],
               [1., 2., 1., 2.]], dtype=float32)
    """
    return data.with_shape(_tiled(data, reps))


tile_backward = _TILE.gradient_of(tile, "tile_backward")


def _repeated_type(data: TensorType, repeats: int, axis: int | None) -> PartialShape | None:
    if axis is None:
        size: int | None = repeats
        for n in data.shape or (None,):
            size = None if size is None or n is None else size * n
        return (size,)
    at = check_axis(axis, data)
    if data.shape is None or at is None:
        return None
    return (*data.shape[:at], _multiplied(data.shape[at], repeats), *data.shape[at + 1 :])


_REPEAT = Linear()


@operator("repeat", "_np_repeat", grad=_REPEAT.grad)
def repeat(data: TensorType, *, repeats: NonNegative, axis: int | None = None) -> TensorType:
    """Return the array with each element repeated along an axis.

    Args:
        data: ``[*sizes]``, any dtype.
        repeats: Number of times.
        axis: The axis; None flattens ``data`` first.

    Raises:
        ShapeError: ``repeats`` is negative, or there is no such axis.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.repeat(nd.array([[1, 2]]), repeats=2, axis=1).asnumpy()
        array([[1., 1., 2., 2.]], dtype=float32)
    """
    return data.with_shape(_repeated_type(data, repeats, axis))


repeat_backward = _REPEAT.gradient_of(repeat, "repeat_backward")


Mode = Literal["constant", "edge", "reflect"]


def _padded(data: TensorType, mode: str, pad_width: Shape) -> PartialShape | None:
    if len(pad_width) % 2 or (data.rank is not None and data.rank * 2 != len(pad_width)):
        raise ShapeError(
            f"pad_width={pad_width} must have two numbers for each axis "
            f"of {data.label}{show(data.shape)}"
        )
    if data.shape is None:
        return None
    pairs = tuple(zip(pad_width[::2], pad_width[1::2], strict=True))
    for n, pair in zip(data.shape, pairs, strict=True):
        if n is not None and mode == "reflect" and max(pair) >= max(n, 1):
            raise ShapeError(
                f"cannot reflect {max(pair)} elements of an axis of size {n}; pad_width must be "
                "less than the size"
            )
        if n == 0 and mode == "edge" and max(pair):
            raise ShapeError("cannot pad an axis of size 0 with mode='edge'")
    return tuple(
        None if n is None else n + a + b for n, (a, b) in zip(data.shape, pairs, strict=True)
    )


_PAD = Linear()


@operator("Pad", "pad", grad=_PAD.grad)
def pad(
    data: TensorType, *, mode: Mode, pad_width: NonNegatives, constant_value: float = 0.0
) -> TensorType:
    """Return the array padded before and after each axis.

    Args:
        data: ``[*sizes]``, any dtype.
        mode: The padding: ``"constant"``; the ``"edge"`` element; or ``"reflect"``, the mirror
            image without the edge element.
        pad_width: For each axis the number of elements before and after.
        constant_value: The value for ``"constant"``.

    Raises:
        ShapeError: ``pad_width`` does not have two numbers per axis, or exceeds the size of the
            mirror image.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[1, 2, 3]])
        >>> nd.pad(x, mode="reflect", pad_width=(0, 0, 1, 2)).asnumpy()
        array([[2., 1., 2., 3., 2., 1.]], dtype=float32)
    """
    return data.with_shape(_padded(data, mode, pad_width))


pad_backward = _PAD.gradient_of(pad, "pad_backward", left_out=("constant_value",))


def _grad_broadcast(saved: Saved, dy: Any) -> tuple[Any]:
    return (sum_like(dy, saved.inputs[0]),)


def _stretched(data: TensorType, target: Sequence[int | None]) -> PartialShape:
    """Return ``target`` after checking that ``data`` broadcasts to it."""
    shape = data.shape
    assert shape is not None
    for have, want in zip(shape, target, strict=True):
        if have not in (1, None, want) and want is not None:
            raise ShapeError(
                f"{data.label}{show(shape)} cannot be broadcast to {show(tuple(target))}"
            )
    return tuple(target)


@operator("broadcast_to", grad=_grad_broadcast, traits=Traits(identity=True))
def broadcast_to(data: TensorType, *, shape: Shape = ()) -> TensorType:
    """Return the array broadcast to a shape.

    Args:
        data: ``[*sizes]``, any dtype.
        shape: Shape of the result, of the same rank; 0 keeps the size of ``data``.

    Raises:
        ShapeError: A size of ``data`` is neither 1 nor that in ``shape``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.broadcast_to(nd.array([[1], [2]]), shape=(0, 3)).asnumpy()
        array([[1., 1., 1.],
               [2., 2., 2.]], dtype=float32)
    """
    if data.shape is None:
        return data.with_shape(None)
    if len(data.shape) != len(shape):
        raise ShapeError(
            f"{data.label}{show(data.shape)} and shape={shape} must have the same number of axes"
        )
    wanted = [have if want == 0 else want for have, want in zip(data.shape, shape, strict=True)]
    return data.with_shape(_stretched(data, wanted))


@operator("broadcast_axis", "broadcast_axes", grad=_grad_broadcast, traits=Traits(identity=True))
def broadcast_axis(data: TensorType, *, axis: Shape = (), size: Shape = ()) -> TensorType:
    """Return the array broadcast along some axes of size 1.

    Args:
        data: ``[*sizes]``, any dtype.
        axis: The axes; negative ones count from the end.
        size: The new size of each.

    Raises:
        ShapeError: An axis does not exist or is not of size 1.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.broadcast_axis(nd.zeros((1, 2, 1)), axis=(0, 2), size=(3, 4)).shape
        (3, 2, 4)
    """
    if len(axis) != len(size):
        raise ShapeError(f"axis={axis} and size={size} must have the same length")
    if data.shape is None:
        return data.with_shape(None)
    sizes = list(data.shape)
    for i, n in zip(axis, size, strict=True):
        at = check_axis(i, data)
        assert at is not None
        if sizes[at] not in (1, None):
            raise ShapeError(
                f"axis {i} of {data.label}{show(data.shape)} must have size 1 to be broadcast"
            )
        sizes[at] = n
    return data.with_shape(sizes)


def _grad_broadcast_like(saved: Saved, dy: Any) -> tuple[Any, None]:
    return sum_like(dy, saved.inputs[0]), None


@operator("broadcast_like", grad=_grad_broadcast_like, traits=Traits(identity=True))
def broadcast_like(
    lhs: TensorType,
    rhs: TensorType,
    *,
    lhs_axes: Shape | None = None,
    rhs_axes: Shape | None = None,
) -> TensorType:
    """Return ``lhs`` broadcast to the shape of ``rhs``.

    Args:
        lhs: ``[*sizes]``, any dtype.
        rhs: Only its shape is used.
        lhs_axes: The axes of ``lhs`` to broadcast; with ``rhs_axes``, or all axes if both are None.
        rhs_axes: The corresponding axes of ``rhs``.

    Raises:
        ShapeError: A size of ``lhs`` is neither 1 nor that of ``rhs``, or there is no such axis.

    Example:
        >>> from hy_ndarray import nd
        >>> x, like = nd.zeros((1, 3)), nd.zeros((5, 6))
        >>> nd.broadcast_like(x, like, lhs_axes=(0,), rhs_axes=(1,)).shape
        (6, 3)
    """
    if lhs.shape is None or rhs.shape is None:
        return lhs.with_shape(None)
    if lhs_axes is None or rhs_axes is None:
        if len(lhs.shape) != len(rhs.shape):
            raise ShapeError(
                f"lhs {show(lhs.shape)} and rhs {show(rhs.shape)} must have the same number of "
                "axes, unless lhs_axes and rhs_axes are given"
            )
        return lhs.with_shape(_stretched(lhs, rhs.shape))
    if len(lhs_axes) != len(rhs_axes) or not lhs_axes:
        what = "differ in length" if lhs_axes or rhs_axes else "name no axis"
        raise ShapeError(f"lhs_axes={lhs_axes} and rhs_axes={rhs_axes} {what}")
    sizes = list(lhs.shape)
    for i, j in zip(lhs_axes, rhs_axes, strict=True):
        at, other = check_axis(i, lhs), check_axis(j, rhs)
        assert at is not None
        assert other is not None
        sizes[at] = rhs.shape[other]
    return lhs.with_shape(_stretched(lhs, sizes))
