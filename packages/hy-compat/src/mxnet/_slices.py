"""Batches on several devices: split into parts, and concatenation of outputs."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from hy_ndarray import HyError, NDArray, ShapeError, nd

__all__ = ["SliceError", "cut", "load_general", "merged", "split_input_slice"]


class SliceError(HyError, ValueError):
    """A batch cannot be split."""


def split_input_slice(batch_size: int, work_load_list: Sequence[float]) -> list[slice]:
    """Return each device's slice of a batch, in proportion to its work load.

    Args:
        batch_size: Number of samples in a batch.
        work_load_list: Relative share of each batch by device.

    Raises:
        SliceError: A device would get no samples.

    Example:
        >>> split_input_slice(10, [1, 1, 1])
        [slice(0, 3, None), slice(3, 6, None), slice(6, 10, None)]
    """
    total = sum(work_load_list)
    counts = [round(load * batch_size / total) for load in work_load_list]
    # Rounding may leave samples over, which the last device gets, as in MXNet.
    counts[-1] += max(0, batch_size - sum(counts))
    # Rounding up may hand out too many; the last devices then get fewer.
    ends = [min(end, batch_size) for end in accumulate(counts)]
    slices = [slice(a, b) for a, b in zip([0, *ends], ends, strict=False)]
    if any(part.start >= part.stop for part in slices):
        raise SliceError(
            f"Too many slices. Some splits are empty. A batch of {batch_size} cannot be shared out "
            f"as {list(work_load_list)}"
        )
    return slices


def load_general(data: Sequence[Any], targets: Sequence[Any], major_axis: Sequence[int]) -> None:
    """Copy arrays into the arrays of executors.

    Args:
        data: For each input, an array, or a list of one array per device.
        targets: For each input, an array, or a list of one slice and array per device.
        major_axis: For each input, the axis to slice; not sliced if negative.

    Raises:
        ShapeError: An array has another shape than its target.
    """
    for source, row, axis in zip(data, targets, major_axis, strict=False):
        if isinstance(row, NDArray):
            _copy(source, row)
        elif isinstance(source, list | tuple):
            for own, (_, target) in zip(source, row, strict=True):
                _copy(own, target)
        else:
            for part, target in row:
                # The part of a single device is the whole batch, which needs no slice.
                whole = axis < 0 or source.shape[axis] == part.stop - part.start
                _copy(source if whole else cut(source, part, axis), target)


def cut(source: Any, part: slice, axis: int) -> Any:
    """Return a slice of an array along an axis."""
    return source[(*(slice(None),) * axis, part)]


def _copy(source: Any, target: NDArray) -> None:
    if tuple(source.shape) != target.shape:
        raise ShapeError(f"an input of shape {tuple(source.shape)} was bound with {target.shape}")
    if isinstance(source, NDArray):
        source.copyto(target)
    else:
        target[:] = source


def merged(outputs: Sequence[Sequence[NDArray]], axes: Sequence[int]) -> list[NDArray]:
    """Return each output, concatenated over devices; the first device's if its axis is negative."""
    results = []
    for parts, axis in zip(outputs, axes, strict=True):
        if axis < 0 or len(parts) == 1 or not parts[0].shape:
            results.append(parts[0])
            continue
        # Outputs of several devices are concatenated on the first one.
        context = parts[0].context
        results.append(nd.concat(*(part.as_in_context(context) for part in parts), dim=axis))
    return results
