"""Checks of arguments of layers: initializers, window sizes, layouts."""

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, TypeAlias

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


def check_act_type(act_type: object) -> None:
    """Raise an error if the operator ``Activation`` does not know a function.

    Raises:
        ArgumentError: The operator's own rule refuses the name.

    Example:
        >>> check_act_type("relu")
    """
    ops.find("Activation").params["act_type"].parse("Activation", act_type)


def window_repr(
    layer: object, shape: Sequence[int], window: Mapping[str, Any], *, use_bias: bool, act: object
) -> str:
    """Return the repr of a convolution with a weight of this shape; parts by default are omitted.

    Args:
        layer: The layer.
        shape: Shape of its weight.
        window: Parameters ``kernel``, ``stride``, ``pad``, ``dilate`` and ``num_group``.
        use_bias: Whether there is a bias.
        act: The activation layer, or None.
    """
    zeros, ones = (0,) * len(window["kernel"]), (1,) * len(window["kernel"])
    parts = [
        f"{shape[1] or None} -> {shape[0]}",
        f"kernel_size={window['kernel']}",
        f"stride={window['stride']}",
    ]
    if window["pad"] != zeros:
        parts.append(f"padding={window['pad']}")
    if window["dilate"] != ones:
        parts.append(f"dilation={window['dilate']}")
    if window["num_group"] != 1:
        parts.append(f"groups={window['num_group']}")
    if not use_bias:
        parts.append("bias=False")
    if act is not None:
        parts.append(repr(act))
    return f"{type(layer).__name__}({', '.join(parts)})"
