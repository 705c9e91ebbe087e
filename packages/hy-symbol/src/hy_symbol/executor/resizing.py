"""Arrays reshaped within the same memory."""

from math import prod

from hy_ndarray import NDArray, autograd, nd
from hy_symbol._errors import GraphError

__all__ = ["check_reshape", "into", "resized", "shared"]


def resized(array: NDArray, shape: tuple[int, ...]) -> NDArray:
    """Return a view of an array's first elements in another shape.

    If there are too few elements, return a new array of zeros; if the shape is the same, the array
    itself.
    """
    if shape == array.shape:
        return array
    if prod(shape) > array.size:
        return nd.empty(shape, ctx=array.context, dtype=array.dtype)
    with autograd.pause():
        # A view: both arrays keep the memory alive.
        return array.reshape((-1,))[: prod(shape)].reshape(shape)


def shared(own: NDArray, other: NDArray) -> NDArray:
    """Return a view of ``other`` in the shape of ``own``, or ``own`` if it does not fit there."""
    fits = own.size <= other.size and own.dtype == other.dtype
    is_dense = own.stype == other.stype == "default"
    return resized(other, own.shape) if fits and is_dense else own


def into(target: NDArray, value: NDArray) -> NDArray:
    """Copy ``value`` into ``target``, and return ``target``."""
    with autograd.pause():
        return value.copyto(target)


def check_reshape(
    name: str, array: NDArray, shape: tuple[int, ...], may_change: bool, may_grow: bool
) -> None:
    """Raise an error if a change of an argument's shape is not allowed.

    Raises:
        GraphError: The shape may not change, or the array may not become larger.
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
