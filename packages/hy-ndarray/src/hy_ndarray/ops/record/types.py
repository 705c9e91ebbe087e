"""TensorType: the partly known shape and dtype of an operand during type inference."""

from collections.abc import Iterable, Sequence
from math import prod
from operator import attrgetter
from typing import Any, TypeAlias, cast

from hy_ndarray._errors import DTypeError, HyError, ShapeError

__all__ = ["PartialShape", "TensorType", "element_count", "merge_shapes", "show"]

PartialShape: TypeAlias = tuple[int | None, ...]
"""Shape of known rank; ``None`` is an unknown size."""


# Mutable cells that types may share: completing a shape completes it in all types that share it.
class _Shape:
    __slots__ = ("value",)
    value: PartialShape | None


class _DType:
    __slots__ = ("value",)
    value: str | None


# Cells are made without __init__, and read by attrgetter: a net's first call makes dozens of types
# and reads them hundreds of times.
_new: Any = object.__new__


def merge_shapes(a: PartialShape | None, b: PartialShape | None) -> PartialShape | None:
    """Return the unification of two partial shapes.

    Raises:
        ShapeError: The shapes contradict each other.

    Example:
        >>> merge_shapes((2, None), (None, 3))
        (2, 3)
    """
    if a is None or a == b:
        return b
    if b is None:
        return a
    if len(a) != len(b):
        raise ShapeError(f"{show(a)} has {len(a)} axes, {show(b)} has {len(b)}")
    merged = []
    for x, y in zip(a, b, strict=True):
        if x is not None and y is not None and x != y:
            raise ShapeError(f"{show(a)} and {show(b)} differ")
        merged.append(y if x is None else x)
    return tuple(merged)


def element_count(shape: Sequence[int | None]) -> int | None:
    """Return the number of elements; None if a size is unknown."""
    return None if None in shape else prod(n for n in shape if n is not None)


def show(shape: PartialShape | None) -> str:
    """Return a shape as text for messages, with ``?`` for unknown sizes."""
    if shape is None:
        return "(?)"
    inner = ", ".join("?" if size is None else str(size) for size in shape)
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


def _read(path: str, doc: str) -> Any:
    """Return a read-only property of the attribute at ``path``, read without a Python frame."""
    return property(attrgetter(path), doc=doc)


class TensorType:
    """Partly known shape and dtype of one operand; unknown parts are ``None``.

    A type rule reads the known parts and completes others. Types that it returns may share their
    shape or dtype with an input (:meth:`with_dtype`, :meth:`with_shape`, or the input itself);
    known parts of the output then complete the input.

    Example:
        >>> data = TensorType((2, None), "float32", name="data")
        >>> data.set_shape((None, 3))
        >>> data
        data (2, 3) float32
    """

    __slots__ = ("_dtype", "_shape", "failure", "name")

    def __init__(
        self, shape: Iterable[int | None] | None = None, dtype: str | None = None, name: str = ""
    ) -> None:
        self.name = name
        self._shape: _Shape = _new(_Shape)
        if shape is not None:
            shape = tuple(shape)
            for n in shape:
                if n is not None and n < 0:
                    raise ShapeError(f"shape {shape} has a negative size")
        self._shape.value = shape
        self._dtype: _DType = _new(_DType)
        self._dtype.value = dtype
        self.failure: HyError | None = None
        """Error of a user-defined rule on partly known types, which it may not support."""

    shape: PartialShape | None = _read(
        "_shape.value", "Sizes by axis, ``None`` for unknown ones; ``None`` if the rank is unknown."
    )
    dtype: str | None = _read("_dtype.value", "Name of the dtype, or ``None`` if it is unknown.")

    @property
    def rank(self) -> int | None:
        """Return the number of axes, or ``None`` if it is unknown."""
        return None if self._shape.value is None else len(self._shape.value)

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """Return the shape if all sizes are known, else ``None``."""
        shape = self._shape.value
        return None if shape is None or None in shape else cast("tuple[int, ...]", shape)

    def set_shape(self, shape: Sequence[int | None] | None) -> None:
        """Unify the shape with ``shape``; raise a :class:`ShapeError` if they contradict."""
        if shape is None or self._shape.value == shape:
            return
        try:
            self._shape.value = merge_shapes(self._shape.value, tuple(shape))
        except ShapeError:
            expected = show(tuple(shape))
            raise ShapeError(f"{self.label}{show(self.shape)} must be {expected}") from None

    def replace_shape(self, shape: Sequence[int | None] | None) -> None:
        """Replace the shape, without unification."""
        self._shape.value = None if shape is None else tuple(shape)

    def set_dtype(self, dtype: str | None) -> None:
        """Set the dtype; raise a :class:`DTypeError` if a different one is known."""
        if dtype is None or self._dtype.value == dtype:
            return
        if self._dtype.value is not None:
            raise DTypeError(
                f"{self.label}{self._dtype.value} must be {dtype}; cast it with astype"
            )
        self._dtype.value = dtype

    def with_dtype(self, dtype: str | None) -> "TensorType":
        """Return a type that shares this shape and has the given dtype."""
        other = TensorType(None, dtype)
        other._shape = self._shape
        return other

    def with_shape(self, shape: Iterable[int | None] | None) -> "TensorType":
        """Return a type that shares this dtype and has the given shape."""
        other = TensorType(shape)
        other._dtype = self._dtype
        return other

    @property
    def label(self) -> str:
        """Return the operand's name followed by a space, or ``""`` without a name."""
        return f"{self.name} " if self.name else ""

    def __repr__(self) -> str:
        return f"{self.label}{show(self.shape)} {self.dtype or '?'}"
