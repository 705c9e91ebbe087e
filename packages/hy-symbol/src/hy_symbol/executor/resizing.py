"""Arrays reshaped within the same memory."""

from math import prod

from hy_ndarray import NDArray, autograd, nd
from hy_symbol._errors import GraphError

__all__ = ["check_reshape", "into", "resized", "shared"]


def resized(array: NDArray, shape: tuple[int, ...]) -> NDArray:
    """Return the first elements of an array in another shape, as a view.

    Zeros of their own if there are too few elements; the array itself if it has the shape.
    """
    if shape == array.shape:
        return array
    if prod(shape) > array.size:
        return nd.empty(shape, ctx=array.context, dtype=array.dtype)
    with autograd.pause():
        # A view: both arrays keep the memory alive.
        return array.reshape((-1,))[: prod(shape)].reshape(shape)


def shared(own: NDArray, other: NDArray) -> NDArray:
    """Return memory of ``other`` for an array, or the array itself if it does not fit."""
    fits = own.size <= other.size and own.dtype == other.dtype
    is_dense = own.stype == other.stype == "default"
    return resized(other, own.shape) if fits and is_dense else own


def into(target: NDArray, value: NDArray) -> NDArray:
    """Copy a value into an array; return that array."""
    with autograd.pause():
        return value.copyto(target)


def check_reshape(
    name: str, array: NDArray, shape: tuple[int, ...], may_change: bool, may_grow: bool
) -> None:
    """Refuse a change of an argument's shape that was not requested.

    Raises:
        GraphError: The argument is not named, or becomes larger, without leave to.
    """
    if not may_change:
        raise GraphError(
            f"reshape: argument '{name}' would change from {array.shape} to {shape}; "
            "pass partial_shaping=True to allow that"
        )
    if prod(shape) > array.size and not may_grow:
        raise GraphError(
            f"reshape: argument '{name}' would grow from {array.shape} to {shape}; "
            "pass allow_up_sizing=True to allow that"
        )
