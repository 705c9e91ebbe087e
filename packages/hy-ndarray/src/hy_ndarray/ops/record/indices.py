"""Indices: which input of an operator holds them, and into what they point."""

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
    """An input that holds indices, of which kernels clip or leave out those that are out of range.

    Indices for which kernels raise errors by themselves need not be named, nor those that count
    around or from the end.

    Example:
        >>> from hy_ndarray import ops
        >>> (indices,) = ops.find("Embedding").traits.indices
        >>> indices.input, indices.count({}, {"input_dim": 10})
        ('data', 10)
    """

    input: str
    """Its name."""
    count: Callable[[Shapes, Params], int | None]
    """``(shapes of inputs, params)``: they are 0 and up to less than that; None: there are none in
    this call."""
    ignored: Callable[[Values, Others, Params], Values | None] | None = None
    """``(values, others, params)``: which of them the call is told to pass over, by parameters or
    by other inputs, which ``others`` gives by name; None: none."""
    of: str = ""
    """The operator that messages name, where this one is a part of it."""


def sized(param: str) -> Callable[[Shapes, Params], int | None]:
    """Bound of indices that a parameter states."""
    return lambda _, params: int(params[param])


def along(name: str, axis: int | str) -> Callable[[Shapes, Params], int | None]:
    """Bound of indices that is an input's size along an axis, which may be a parameter."""

    def count(shapes: Shapes, params: Params) -> int | None:
        shape = shapes[name]
        return shape[params[axis] if isinstance(axis, str) else axis]

    return count


def clips(
    count: Callable[[Shapes, Params], int | None],
) -> Callable[[Shapes, Params], int | None]:
    """The same for ``mode="clip"``; in the other modes none is clipped."""
    return lambda shapes, params: count(shapes, params) if params["mode"] == "clip" else None
