"""Kernels that sample from distributions, made of a table's functions that draw, for all tables.

A function that draws takes a generator, the shape and dtype of the result, the parameters, numbers
or arrays that broadcast to that shape, and ``out``.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from hy_kernels._definitions import renamed

__all__ = ["OF_ARRAYS", "OF_NUMBERS", "of_arrays", "of_numbers", "size_of"]

Draw: TypeAlias = Callable[..., Any]
Shape: TypeAlias = tuple[int, ...]

OF_NUMBERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "uniform": ("low", "high"),
        "normal": ("loc", "scale"),
        "gamma": ("alpha", "beta"),
        "exponential": ("lam",),
        "poisson": ("lam",),
        "negative_binomial": ("k", "p"),
        "generalized_negative_binomial": ("mu", "alpha"),
    }
)
"""The parameters of each distribution, by its name."""
OF_ARRAYS = MappingProxyType({**OF_NUMBERS, "normal": ("mu", "sigma")})
"""Their names where they are arrays."""


def size_of(shape: Shape | None) -> Shape:
    """Return the shape of the result, ``(1,)`` by default."""
    return (1,) if shape is None else shape


def of_numbers(draw: Draw, *names: str) -> Draw:
    """Return the kernel of one distribution, with numbers called ``names`` as parameters."""

    def by_one(
        *, first: float, shape: Shape | None, dtype: str | None, rng: Any, out: Any = None
    ) -> Any:
        return draw(rng, size_of(shape), dtype or "float32", first, out)

    def by_two(
        *,
        first: float,
        second: float,
        shape: Shape | None,
        dtype: str | None,
        rng: Any,
        out: Any = None,
    ) -> Any:
        return draw(rng, size_of(shape), dtype or "float32", first, second, out)

    return renamed(by_one if len(names) == 1 else by_two, *names)


def of_arrays(draw: Draw, *names: str) -> Draw:
    """Return the kernel of many distributions, with arrays of one shape as parameters."""

    def drawn(
        parameters: tuple[Any, ...], shape: Shape, dtype: str | None, rng: Any, out: Any
    ) -> Any:
        sizes = tuple(parameters[0].shape)
        # Axes of size 1 at the end: each distribution's parameters broadcast over its draws.
        columns = [p.reshape(sizes + (1,) * len(shape)) for p in parameters]
        return draw(rng, sizes + shape, dtype or "float32", *columns, out)

    def by_one(first: Any, *, shape: Shape, dtype: str | None, rng: Any, out: Any = None) -> Any:
        return drawn((first,), shape, dtype, rng, out)

    def by_two(
        first: Any, second: Any, *, shape: Shape, dtype: str | None, rng: Any, out: Any = None
    ) -> Any:
        return drawn((first, second), shape, dtype, rng, out)

    return renamed(by_one if len(names) == 1 else by_two, *names)
