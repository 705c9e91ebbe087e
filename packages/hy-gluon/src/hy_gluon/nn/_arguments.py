"""Checks of arguments of layers: initializers, window sizes, layouts."""

from collections.abc import Sequence
from numbers import Integral
from typing import TypeAlias

from hy_gluon._errors import LayerError
from hy_gluon.initializer import Initializer
from hy_ndarray import ops

Init: TypeAlias = Initializer | str | None
"""An initializer, its name, or None for the one that ``initialize`` is given."""

Sizes: TypeAlias = int | Sequence[int]
"""One number for every spatial axis, or one for each."""


def sizes(value: Sizes, ndim: int, name: str) -> tuple[int, ...]:
    """Return ``value`` as a tuple of ``ndim`` numbers; an int applies to every axis.

    Raises:
        LayerError: ``value`` has another length, or is not a number.

    Example:
        >>> sizes(3, 2, "kernel_size"), sizes([1, 2], 2, "strides")
        ((3, 3), (1, 2))
    """
    numbers = (value,) * ndim if isinstance(value, Integral) else value
    if not isinstance(numbers, Sequence) or not all(isinstance(n, Integral) for n in numbers):
        raise LayerError(f"{name} must be an int or {ndim} ints, not {value!r}")
    if len(numbers) != ndim:
        raise LayerError(f"{name} must be an int or {ndim} ints, but {value!r} has {len(numbers)}")
    return tuple(int(n) for n in numbers)


def check_layout(layout: str, allowed: Sequence[str]) -> None:
    """Raise an error if a layout is not in ``allowed``.

    Raises:
        LayerError: The layout is not in ``allowed``.
    """
    if layout not in allowed:
        known = " and ".join(repr(name) for name in allowed)
        raise LayerError(f"layout {layout!r} is not supported here, only {known}")


def check_parameter(operator: str, name: str, value: object) -> None:
    """Raise an error if the operator of a layer does not accept the value of a parameter.

    Args:
        operator: The operator that the layer calls.
        name: Name of the operator's parameter.
        value: Value of the layer's argument.

    Raises:
        ArgumentError: The operator's own rule refuses the value.

    Example:
        >>> check_parameter("Activation", "act_type", "relu")
    """
    ops.find(operator).params[name].parse(operator, value)
