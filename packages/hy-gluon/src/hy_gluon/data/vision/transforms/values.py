"""Cast, ToTensor and Normalize: conversion of pixels to the inputs of networks."""

from collections.abc import Sequence
from numbers import Real
from typing import Any

from hy_gluon.block import HybridBlock

__all__ = ["Cast", "Normalize", "ToTensor"]


class Cast(HybridBlock):
    """Casts images to a dtype.

    Args:
        dtype: The dtype.

    Example:
        >>> Cast("int32")(nd.array([1.5])).asnumpy()
        array([1], dtype=int32)
    """

    def __init__(self, dtype: Any = "float32") -> None:
        super().__init__()
        self._dtype = dtype

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return ``x`` cast to the dtype."""
        return F.cast(x, self._dtype)


class ToTensor(HybridBlock):
    """Converts bytes ``[*N, height, width, channels]`` to floats from 0 to 1, channels first.

    Example:
        >>> ToTensor()(nd.full((1, 2, 3), 255, dtype="uint8")).shape
        (3, 1, 2)
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the images ``x``, transformed."""
        return F.image.to_tensor(x)


class Normalize(HybridBlock):
    """Normalizes images ``[*N, channels, height, width]`` as ``(x - mean) / std`` by channel.

    Args:
        mean: A number, or one for each channel.
        std: A number, or one for each channel.

    Example:
        >>> Normalize((1, 2, 3), 2)(nd.ones((3, 1, 1))).asnumpy().ravel()
        array([ 0. , -0.5, -1. ], dtype=float32)
    """

    def __init__(
        self, mean: float | Sequence[float] = 0.0, std: float | Sequence[float] = 1.0
    ) -> None:
        super().__init__()
        self._mean = _as_floats(mean)
        self._std = _as_floats(std)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the images ``x``, transformed."""
        return F.image.normalize(x, mean=self._mean, std=self._std)


def _as_floats(value: float | Sequence[float]) -> tuple[float, ...]:
    return (float(value),) if isinstance(value, int | float | Real) else tuple(map(float, value))
