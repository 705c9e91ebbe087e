"""Indices: the inputs of an operator that hold indices, and their bounds."""

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
    """An input of indices that kernels clip or ignore where they are out of range.

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
    """``(shapes of inputs, params)`` to the bound, which indices are below; None: this call has no
    indices."""
    ignored: Callable[[Values, Others, Params], Values | None] | None = None
    """``(values, others, params)`` to a mask of indices that the call ignores by its parameters or
    other inputs, which ``others`` returns by name; None: it ignores none."""
    of: str = ""
    """The operator that messages name, if this one is a part of it."""


def sized(param: str) -> Callable[[Shapes, Params], int | None]:
    """Return a bound that is a parameter."""
    return lambda _, params: int(params[param])


def along(name: str, axis: int | str) -> Callable[[Shapes, Params], int | None]:
    """Return a bound that is an input's size along an axis, which may be a parameter."""

    def count(shapes: Shapes, params: Params) -> int | None:
        shape = shapes[name]
        return shape[params[axis] if isinstance(axis, str) else axis]

    return count


def clips(count: Callable[[Shapes, Params], int | None]) -> Callable[[Shapes, Params], int | None]:
    """Return a bound for ``mode="clip"`` alone; other modes clip nothing."""
    return lambda shapes, params: count(shapes, params) if params["mode"] == "clip" else None
