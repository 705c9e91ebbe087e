"""Sliding windows of images (im2col), and lengths of resized images, for all tables."""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from hy_kernels.record import Params

__all__ = [
    "Key",
    "Patches",
    "Sizes",
    "filled",
    "geometry_by_axis",
    "pooled_length",
    "pooling_windows",
    "resized_length",
    "window_counts",
    "window_offsets",
]

Sizes: TypeAlias = tuple[int, ...]
Key: TypeAlias = tuple[int | slice, ...]


def window_counts(sizes: Sizes, kernel: Sizes, stride: Sizes, dilate: Sizes, pad: Sizes) -> Sizes:
    """Return the number of windows along each axis."""
    counts = tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, d, p in zip(sizes, kernel, stride, dilate, pad, strict=True)
    )
    if min(counts, default=1) < 1:
        raise ValueError(
            f"a kernel of {tuple(kernel)} dilated by {tuple(dilate)} is larger than {tuple(sizes)} "
            f"padded by {tuple(pad)}"
        )
    return counts


def window_offsets(
    kernel: Sizes, stride: Sizes, dilate: Sizes, counts: Sizes
) -> Iterator[tuple[Key, Key]]:
    """Yield, for each kernel element, its index in the columns and that of the pixels it reads.

    The latter index is into the padded images, and covers all windows.
    """
    for offset in product(*map(range, kernel)):
        key = tuple(
            slice(i * d, i * d + s * (count - 1) + 1, s)
            for i, s, d, count in zip(offset, stride, dilate, counts, strict=True)
        )
        yield (slice(None), slice(None), *offset), (slice(None), slice(None), *key)


def filled(sizes: Sizes, default: int, rank: int) -> Sizes:
    """Return ``sizes`` or, if empty, ``default`` for each of ``rank`` axes."""
    return sizes or (default,) * rank


def geometry_by_axis(
    rank: int, stride: Sizes, dilate: Sizes, pad: Sizes
) -> tuple[Sizes, Sizes, Sizes]:
    """Return stride, dilation and padding with a number for each axis, by default 1, 1 and 0."""
    return filled(stride, 1, rank), filled(dilate, 1, rank), filled(pad, 0, rank)


def pooled_length(size: int, kernel: int, stride: int, pad: int, convention: str) -> int:
    """Return the number of windows of a pooling along an axis, by MXNet's convention."""
    # "same" differs from TensorFlow's: MXNet adds no padding, and keeps every window that begins
    # in the padded data.
    if convention == "same":
        return -(-(size + 2 * pad) // stride)
    room = size + 2 * pad - kernel
    if room < 0:
        raise ValueError(f"a window of {kernel} does not fit {size} elements with padding {pad}")
    return (-(-room // stride) if convention == "full" else room // stride) + 1


def pooling_windows(params: Params) -> tuple[Any, ...]:
    """Return what places the windows of a pooling: size, stride, padding, whole plane, rounding."""
    names = "kernel", "stride", "pad", "global_pool", "pooling_convention"
    return tuple([params[name] for name in names])


def resized_length(size: int, mode: str, fixed: int, scale: float | None) -> int:
    """Return the size of the result along an axis in a mode of MXNet's BilinearResize2D."""
    odd = size % 2
    if mode == "size":
        return fixed if scale is None else int(size * scale)
    if mode == "odd_scale":
        factor = 1.0 if scale is None else scale
        return int((size - 1) * factor) + 1 if odd else int(size * factor)
    even = mode.startswith("to_even")
    step = (1 if mode.endswith("up") else -1) if bool(odd) == even else 0
    return size + step


class Patches(NamedTuple):
    """The patches of padded images that a correlation compares."""

    kernel: int
    reach: int
    """Largest displacement of patches of the second image."""
    step: int
    """Distance between neighbouring patches."""
    pad: int
    shape: tuple[int, int]
    """Number of patches along y and x."""
    shifts: list[tuple[int, int]]
    """Displacements along y and x, by channel of the result."""

    @classmethod
    def of(cls, shape: Sizes, params: Params) -> "Patches":
        """Return the patches of images of ``shape``."""
        kernel, reach, pad = (
            params[name] for name in ("kernel_size", "max_displacement", "pad_size")
        )
        border = reach + kernel // 2
        room = [n + 2 * pad - 2 * border for n in shape[2:]]
        if min(room) < 1 or kernel % 2 == 0:
            raise ValueError(
                f"a patch of {kernel} (odd) that moves by {reach} does not fit {tuple(shape)} "
                f"padded by {pad}"
            )
        step, apart = params["stride1"], params["stride2"]
        around = reach // apart
        line = range(-around * apart, around * apart + 1, apart)
        rows, columns = (-(-n // step) for n in room)
        return cls(kernel, reach, step, pad, (rows, columns), [*product(line, line)])
