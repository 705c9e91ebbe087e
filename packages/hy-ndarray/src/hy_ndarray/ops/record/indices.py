"""Indices: declarations of the inputs that hold indices, and of their bounds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy.typing as npt

from hy_ndarray.devices._protocols import Params

__all__ = ["Indices", "Others", "Shapes", "Values", "along", "clips", "sized"]

Shapes: TypeAlias = Mapping[str, tuple[int, ...]]
Values: TypeAlias = npt.NDArray[Any]
Others: TypeAlias = Callable[[str], Values | None]


@dataclass(frozen=True, slots=True)
class Indices:
    """Input with indices that kernels clip or ignore when out of range.

    Inputs whose indices kernels check themselves need no declaration, nor do inputs whose indices
    wrap around or count from the end.

    Example:
        >>> from hy_ndarray import ops
        >>> (indices,) = ops.find("Embedding").traits.indices
        >>> indices.input, indices.count({}, {"input_dim": 10})
        ('data', 10)
    """

    input: str
    """Name of the input."""
    count: Callable[[Shapes, Params], int | None]
    """Function from input shapes and parameters to the exclusive upper bound of indices; it returns
    None if the call has no indices."""
    ignored: Callable[[Values, Others, Params], Values | None] | None = None
    """Function ``(values, others, params)`` that returns a mask of the indices that the call
    ignores; ``others`` returns another input's values by name. None: no indices are ignored."""
    of: str = ""
    """The operator to name in messages, if this one implements a part of it."""


def sized(param: str) -> Callable[[Shapes, Params], int | None]:
    """Return a function that gives parameter ``param`` as the bound of indices."""
    return lambda _, params: int(params[param])


def along(name: str, axis: int | str) -> Callable[[Shapes, Params], int | None]:
    """Return a function that gives the size of an input along an axis as the bound of indices."""

    def count(shapes: Shapes, params: Params) -> int | None:
        shape = shapes[name]
        return shape[params[axis] if isinstance(axis, str) else axis]

    return count


def clips(count: Callable[[Shapes, Params], int | None]) -> Callable[[Shapes, Params], int | None]:
    """Return the bound function restricted to ``mode="clip"``; other modes do not clip."""
    return lambda shapes, params: count(shapes, params) if params["mode"] == "clip" else None
