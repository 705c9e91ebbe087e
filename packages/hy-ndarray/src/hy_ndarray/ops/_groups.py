"""Groups of arrays, one for each weight, in steps on many weights."""

from collections.abc import Callable, Sequence
from typing import Any

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.record.rules import floating, numbered, same_shape
from hy_ndarray.ops.record.types import TensorType

__all__ = ["grouped_step", "one_each", "preloaded_weights_of", "weights_of"]


def _outputs(count: str) -> Callable[[Params], Sequence[str]]:
    def names(params: Params) -> tuple[str, ...]:
        n = params[count]
        return ("output",) if n == 1 else numbered(n)

    return names


def _states(count: str, group: int) -> Callable[[Params, bool], Sequence[int]]:
    """Positions of the states: all of each group but the weight and the gradient."""

    def positions(params: Params, is_train: bool) -> tuple[int, ...]:
        groups = range(0, params[count] * group, group)
        return tuple(i for start in groups for i in range(start + 2, start + group))

    return positions


def grouped_step(group: int, *, count: str = "num_weights") -> dict[str, Any]:
    """Declare a step on groups of so many arrays."""
    updates = _states(count, group) if group > 2 else None
    return {"outputs": _outputs(count), "updates": updates}


def weights_of(
    data: Sequence[TensorType], count: int, group: int, *, mixed: int = 0
) -> tuple[TensorType, ...]:
    """The types of the weights; the last ``mixed`` arrays of each group are float32.

    Raises:
        ShapeError: The number of arrays is wrong, or the shapes in a group differ.
    """
    if count < 1 or len(data) != count * group:
        raise ShapeError(f"{len(data)} arrays are given for {count} weights, {group} to each")
    weights = []
    for start in range(0, len(data), group):
        own = data[start : start + group]
        same_shape(*own)
        floating(*own[: group - mixed])
        for t in own[group - mixed :]:
            t.set_dtype("float32")
        weights.append(own[0])
    return tuple(weights)


def one_each(count: int, **numbers: Sequence[float]) -> None:
    """Refuse lists of numbers that are longer or shorter than there are weights."""
    for name, values in numbers.items():
        if len(values) != count:
            raise ArgumentError(f"parameter {name} has {len(values)} numbers for {count} weights")


def preloaded_weights_of(
    data: Sequence[TensorType], count: int, group: int, *, mixed: int = 0
) -> tuple[TensorType, ...]:
    """Return groups as :func:`weights_of` does, then learning rates and decays."""
    if len(data) < 2:
        raise ShapeError(f"{len(data)} arrays are given, the last two are lrs and wds")
    *arrays, lrs, wds = data
    lrs.set_shape((count,))
    wds.set_shape((count,))
    return weights_of(arrays, count, group, mixed=mixed)
