"""Shape rules of the sliding windows of convolution and pooling."""

from collections.abc import Sequence

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.ops.record.types import PartialShape, TensorType


def channels_last(layout: str | None) -> bool:
    """Return whether the channels are the last axis of ``layout``."""
    return layout is not None and layout.endswith("C")


def channel_axis(layout: str | None) -> int:
    """Return the axis of the channels in ``layout``: 1, or -1 if they are last."""
    return -1 if channels_last(layout) else 1


def channels_first(shape: PartialShape, layout: str | None) -> PartialShape:
    """Return ``shape``, given in the order of ``layout``, in the order batch, channels, space."""
    return (shape[0], shape[-1], *shape[1:-1]) if channels_last(layout) else shape


def from_channels_first(shape: PartialShape, layout: str | None) -> PartialShape:
    """Return ``shape``, given in the order batch, channels, space, in the order of ``layout``."""
    return (shape[0], *shape[2:], shape[1]) if channels_last(layout) else shape


def full(name: str, values: Sequence[int], rank: int, default: int) -> tuple[int, ...]:
    """Return ``values``, one per spatial axis, or ``rank`` times ``default`` if it is empty.

    Raises:
        ArgumentError: There are not ``rank`` values.
    """
    if not values:
        return (default,) * rank
    if len(values) != rank:
        raise ArgumentError(f"{name}={tuple(values)} must have one value for each of {rank} axes")
    return tuple(values)


def check_rank(data: TensorType, kernel: Sequence[int], layout: str | None) -> None:
    """Raise an error unless ``data`` has a batch axis, channels, and the kernel's spatial axes.

    Raises:
        ArgumentError: The kernel does not have 1, 2 or 3 axes, or not as many as the layout.
        ShapeError: ``data`` does not have as many axes.
    """
    rank = len(kernel)
    if not 1 <= rank <= 3:
        raise ArgumentError(f"kernel={tuple(kernel)} must have 1, 2 or 3 axes")
    if layout is not None and len(layout) != rank + 2:
        raise ArgumentError(
            f"layout={layout!r} has {len(layout)} axes, but kernel={tuple(kernel)} needs {rank + 2}"
        )
    if data.rank is not None and data.rank != rank + 2:
        single = "; a single sample needs an axis for the batch: x.expand_dims(0)"
        raise ShapeError(
            f"{data!r} must have {rank + 2} axes for kernel={tuple(kernel)}, has {data.rank}"
            f"{single if data.rank == rank + 1 else ''}"
        )
    check_images(data)


def check_images(data: TensorType) -> None:
    """Raise :class:`ShapeError` if images have no channels or no pixels; a batch may be empty."""
    if data.shape is not None and 0 in data.shape[1:]:
        raise ShapeError(f"{data!r} is empty; only the batch axis may have size 0")


def check_pixels(data: TensorType) -> None:
    """Raise :class:`ShapeError` if images ``[N, C, H, W]`` have no pixels."""
    if data.shape is not None and 0 in data.shape[2:]:
        raise ShapeError(f"{data!r} is empty; its height and width must be positive")


def conv_size(size: int | None, kernel: int, stride: int, dilate: int, pad: int) -> int | None:
    """Return the output size of a convolution along one spatial axis.

    Raises:
        ShapeError: The dilated kernel is larger than the padded axis.
    """
    if size is None:
        return None
    span = dilate * (kernel - 1) + 1
    if size + 2 * pad < span:
        raise ShapeError(
            f"kernel size {span} (with dilation) exceeds the padded size {size + 2 * pad}: "
            f"data has {size}, padding {pad} on both sides"
        )
    return (size + 2 * pad - span) // stride + 1


def pool_size(size: int | None, kernel: int, stride: int, pad: int, convention: str) -> int | None:
    """Return the output size of a pooling along one spatial axis.

    Raises:
        ShapeError: The kernel is larger than the padded axis.
    """
    if size is None:
        return None
    last_start = size + 2 * pad - kernel
    if last_start < 0:
        raise ShapeError(
            f"kernel {kernel} exceeds the padded size {size + 2 * pad}: data has {size}, padding "
            f"{pad} on both sides"
        )
    # -(-a // b) is a / b rounded up.
    if convention == "same":
        return -(-(size + 2 * pad) // stride)
    return (-(-last_start // stride) if convention == "full" else last_start // stride) + 1
