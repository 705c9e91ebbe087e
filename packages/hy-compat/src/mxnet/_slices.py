"""Batches on several devices: which gets what part, and the parts joined again."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from hy_ndarray import Context, HyError, NDArray, ShapeError, nd

__all__ = [
    "GroupsError",
    "SliceError",
    "cut",
    "group_contexts",
    "load_general",
    "merged",
    "split_input_slice",
]


class SliceError(HyError, ValueError):
    """A batch cannot be shared out."""


class GroupsError(HyError, AssertionError):
    """Contexts of groups do not fit the devices."""


def split_input_slice(batch_size: int, work_load_list: Sequence[float]) -> list[slice]:
    """The samples of each device, in proportion to its work load.

    Args:
        batch_size: Samples of a batch.
        work_load_list: A number for each device.

    Raises:
        SliceError: A device would get none.

    Example:
        >>> split_input_slice(10, [1, 1, 1])
        [slice(0, 3, None), slice(3, 6, None), slice(6, 10, None)]
    """
    total = sum(work_load_list)
    counts = [round(load * batch_size / total) for load in work_load_list]
    counts[-1] += max(0, batch_size - sum(counts))
    ends = [min(end, batch_size) for end in accumulate(counts)]
    found = [slice(a, b) for a, b in zip([0, *ends], ends, strict=False)]
    if any(part.start >= part.stop for part in found):
        raise SliceError(
            f"Too many slices. Some splits are empty. A batch of {batch_size} cannot be shared out "
            f"as {list(work_load_list)}"
        )
    return found


def load_general(data: Sequence[Any], targets: Sequence[Any], major_axis: Sequence[int]) -> None:
    """Copy arrays into the arrays of executors.

    Args:
        data: An array for each input, or a list of one for each device.
        targets: For each input an array, or a list of a slice and an array for each device.
        major_axis: For each input, the axis that is sliced; all of it if negative.

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
                whole = axis < 0 or source.shape[axis] == part.stop - part.start
                _copy(source if whole else cut(source, part, axis), target)


def cut(source: Any, part: slice, axis: int) -> Any:
    """Some samples of an array."""
    return source[(*(slice(None),) * axis, part)]


def _copy(source: Any, target: NDArray) -> None:
    if tuple(source.shape) != target.shape:
        raise ShapeError(f"an input of shape {tuple(source.shape)} was bound with {target.shape}")
    if isinstance(source, NDArray):
        source.copyto(target)
    else:
        target[:] = source


def merged(outputs: Sequence[Sequence[NDArray]], axes: Sequence[int]) -> list[NDArray]:
    """Each output of all devices joined along its axis of samples; the first's if it has none."""
    found = []
    for parts, axis in zip(outputs, axes, strict=True):
        if axis < 0 or len(parts) == 1 or not parts[0].shape:
            found.append(parts[0])
            continue
        context = parts[0].context
        found.append(nd.concat(*(part.as_in_context(context) for part in parts), dim=axis))
    return found


def group_contexts(group2ctxs: Any, count: int) -> list[dict[str, Context] | None]:
    """Where the parts of a graph run, for each device.

    Args:
        group2ctxs: A dictionary for each device; or one whose values are a context, or a list of
            one or of one for each device; or None.
        count: How many devices there are.

    Raises:
        GroupsError: It is something else, or of another length.
    """
    if group2ctxs is None:
        return [None] * count
    if isinstance(group2ctxs, list):
        if len(group2ctxs) != count:
            raise GroupsError(f"length of group2ctxs should be {count}, not {len(group2ctxs)}")
        return list(group2ctxs)
    if not isinstance(group2ctxs, dict):
        raise GroupsError(
            "group2ctxs should be list of dict of str to context, or dict of str to context or "
            f"list of context, not {group2ctxs!r}"
        )
    return [
        {name: _of(value, i, count) for name, value in group2ctxs.items()} for i in range(count)
    ]


def _of(contexts: Any, i: int, count: int) -> Context:
    if isinstance(contexts, Context):
        return contexts
    if len(contexts) == 1:
        contexts = list(contexts) * count
    if len(contexts) != count:
        raise GroupsError(f"length of a list of contexts should be {count}, not {len(contexts)}")
    found: Context = contexts[i]
    return found
