"""Arrays in other shapes, in the same memory."""

from math import prod

from hy_ndarray import NDArray, autograd, nd

__all__ = ["resized"]


def resized(array: NDArray, shape: tuple[int, ...]) -> NDArray:
    """The first elements of an array in another shape, in its memory; zeros if they are too few."""
    if prod(shape) > array.size:
        return nd.empty(shape, ctx=array.context, dtype=array.dtype)
    with autograd.pause():
        return array.reshape((-1,))[: prod(shape)].reshape(shape)
