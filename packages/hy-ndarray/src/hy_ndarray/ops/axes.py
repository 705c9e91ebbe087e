"""Axes in another order, elements of an axis in another order, blocks moved between axes."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray._protocols import Params
from hy_ndarray.ops._params import Shape
from hy_ndarray.ops._rules import check_axis
from hy_ndarray.ops._schema import Saved, operator
from hy_ndarray.ops._types import PartialShape, TensorType, show

__all__ = ["reverse", "swapaxes", "transpose"]


def _order(axes: Shape, data: TensorType, rank: int) -> tuple[int, ...]:
    """Which input axis each output axis is."""
    if not axes:
        return tuple(range(rank))[::-1]
    order = tuple(axis % rank if -rank <= axis < rank else axis for axis in axes)
    if sorted(order) != list(range(rank)):
        raise ShapeError(f"axes={axes} is not an order of {rank} axes")
    return order


def _permuted(shape: PartialShape, order: Sequence[int]) -> PartialShape:
    return tuple(shape[i] for i in order)


def _inverse(order: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def _back_transpose(
    inputs: Sequence[TensorType], outputs: Sequence[TensorType], params: Params
) -> None:
    shape = outputs[0].shape
    if shape is not None:
        order = _order(params["axes"], inputs[0], len(shape))
        inputs[0].set_shape(_permuted(shape, _inverse(order)))


def _grad_transpose(saved: Saved, dy: Any) -> tuple[Any]:
    axes = saved.params["axes"]
    return (transpose(dy, axes=_inverse([axis % len(axes) for axis in axes])),)


@operator("transpose", grad=_grad_transpose, back=_back_transpose)
def transpose(data: TensorType, *, axes: Shape = ()) -> TensorType:
    """Axes in another order.

    Args:
        data: ``[*sizes]``, any dtype.
        axes: The input axis that each axis of the result is; reversed order if empty.

    Raises:
        ShapeError: ``axes`` does not name every axis once.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.transpose(nd.zeros((2, 3, 4)), axes=(1, 0, 2)).shape
        (3, 2, 4)
    """
    if data.shape is None:
        return data.with_shape([None] * len(axes) if axes else None)
    return data.with_shape(_permuted(data.shape, _order(axes, data, len(data.shape))))


def _swapped(shape: PartialShape, dim1: int, dim2: int, data: TensorType) -> PartialShape:
    sizes = list(shape)
    rank = len(sizes)
    for dim in (dim1, dim2):
        if not -rank <= dim < rank:
            raise ShapeError(f"axis {dim} is outside the {rank} axes of {data.label}{show(shape)}")
    sizes[dim1], sizes[dim2] = sizes[dim2], sizes[dim1]
    return tuple(sizes)


def _back_swapaxes(
    inputs: Sequence[TensorType], outputs: Sequence[TensorType], params: Params
) -> None:
    if outputs[0].shape is not None:
        inputs[0].set_shape(_swapped(outputs[0].shape, params["dim1"], params["dim2"], outputs[0]))


def _grad_swapaxes(saved: Saved, dy: Any) -> tuple[Any]:
    return (swapaxes(dy, **saved.params),)


@operator("SwapAxis", "swapaxes", "_npi_swapaxes", grad=_grad_swapaxes, back=_back_swapaxes)
def swapaxes(data: TensorType, *, dim1: int = 0, dim2: int = 0) -> TensorType:
    """Two axes exchanged.

    Args:
        data: ``[*sizes]``, any dtype.
        dim1: One axis; negative counts from the end.
        dim2: The other.

    Raises:
        ShapeError: There is no such axis.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.swapaxes(nd.zeros((2, 3, 4)), dim1=0, dim2=2).shape
        (4, 3, 2)
    """
    if data.shape is None:
        return data.with_shape(None)
    return data.with_shape(_swapped(data.shape, dim1, dim2, data))


def _grad_reverse(saved: Saved, dy: Any) -> tuple[Any]:
    return (reverse(dy, axis=saved.params["axis"]),)


@operator("reverse", "flip", grad=_grad_reverse)
def reverse(data: TensorType, *, axis: Shape) -> TensorType:
    """The elements along some axes from last to first.

    Args:
        data: ``[*sizes]``, any dtype.
        axis: The axes; negative ones count from the end.

    Raises:
        ShapeError: There is no such axis.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.flip(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy()
        array([[2., 1.],
               [4., 3.]], dtype=float32)
    """
    for i in axis:
        check_axis(i, data)
    return data
