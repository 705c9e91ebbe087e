"""Merging of the sample axis with another axis, and the inverse."""

from hy_ndarray.transforms._calls import Inner, apply, reshaped

__all__ = ["merged", "split"]


def merged(array: Inner, axis: int) -> Inner:
    """Return ``[samples, *shape]`` as ``shape`` with ``samples * size`` elements along ``axis``."""
    order = (*range(1, axis + 1), 0, *range(axis + 1, array.ndim))
    moved: Inner = apply("transpose", array, axes=order) if axis else array
    sizes = array.shape[1:]
    return reshaped(moved, (*sizes[:axis], array.shape[0] * sizes[axis], *sizes[axis + 1 :]))


def split(array: Inner, axis: int, size: int) -> Inner:
    """Return the inverse of :func:`merged`: ``[size, *shape]``."""
    sizes = array.shape
    wide = reshaped(array, (*sizes[:axis], size, sizes[axis] // size, *sizes[axis + 1 :]))
    order = (axis, *range(axis), *range(axis + 1, wide.ndim))
    return apply("transpose", wide, axes=order) if axis else wide
