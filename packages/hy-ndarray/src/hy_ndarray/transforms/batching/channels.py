"""Samples as further channels: their axis joined to another one, and parted from it again."""

from hy_ndarray.transforms._calls import Inner, apply, reshaped

__all__ = ["joined", "parted"]


def joined(array: Inner, axis: int) -> Inner:
    """Return ``[samples, *shape]`` with the samples joined to an axis of the shape, in front."""
    order = (*range(1, axis + 1), 0, *range(axis + 1, array.ndim))
    moved: Inner = apply("transpose", array, axes=order) if axis else array
    sizes = array.shape[1:]
    return reshaped(moved, (*sizes[:axis], array.shape[0] * sizes[axis], *sizes[axis + 1 :]))


def parted(array: Inner, axis: int, size: int) -> Inner:
    """Return the opposite: the axis of ``size`` samples is in front again."""
    sizes = array.shape
    wide = reshaped(array, (*sizes[:axis], size, sizes[axis] // size, *sizes[axis + 1 :]))
    order = (axis, *range(axis), *range(axis + 1, wide.ndim))
    result: Inner = apply("transpose", wide, axes=order) if axis else wide
    return result
