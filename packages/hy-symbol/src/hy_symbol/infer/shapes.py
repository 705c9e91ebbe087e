"""Conversion of MXNet's shapes, with 0, -1 or ``()`` for unknown, and declared types."""

import operator
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from hy_ndarray import ArgumentError, DTypeError, dtype_name, is_np_shape
from hy_ndarray.ops import PartialShape
from hy_symbol._errors import GraphError, brief
from hy_symbol.graph.node import Node

__all__ = [
    "MXShape",
    "declared_dtype",
    "declared_shape",
    "from_partial",
    "is_complete",
    "known_shape",
    "to_partial",
]

MXShape: TypeAlias = tuple[int, ...] | None
"""A shape in MXNet's form; None in numpy semantics if the shape is unknown."""

# Python 2 wrote long integers as ``2L``. At most 18 digits, which always fit into 64 bits.
_SIZE = re.compile(r"-?\d{1,18}L?|None")
_FLAG = re.compile(r"\d{1,3}")


def to_partial(shape: Sequence[int | None] | None) -> PartialShape | None:
    """Convert a shape from MXNet's form to one with None for unknown sizes.

    In classic semantics 0 and ``()`` mean unknown; in numpy semantics
    (:func:`hy_ndarray.set_np_shape`) -1 does, while 0 and ``()`` are ordinary.

    Raises:
        ArgumentError: ``shape`` is not a tuple or list of integers, or a size is below -1.

    Example:
        >>> to_partial((2, 0)), to_partial(())
        ((2, None), None)
    """
    if shape is None:
        return None
    try:
        sizes = tuple(None if n is None else operator.index(n) for n in shape)
    except TypeError:
        raise ArgumentError(f"a shape must be a tuple of integers, not {brief(shape)}") from None
    if any(n is not None and n < -1 for n in sizes):
        raise ArgumentError(f"shape {sizes}: sizes must be 0 or more, or -1 where one is unknown")
    numpy_semantics = is_np_shape()
    if not sizes and not numpy_semantics:
        return None
    # In classic semantics 0 means unknown, so no array can have a size of 0 there.
    lowest = 0 if numpy_semantics else 1
    return tuple(None if n is None or n < lowest else n for n in sizes)


def from_partial(shape: PartialShape | None) -> MXShape:
    """Convert a shape to MXNet's form: 0 and ``()`` are unknown, in numpy semantics -1 and None."""
    if is_np_shape():
        return None if shape is None else tuple(-1 if n is None else n for n in shape)
    return () if shape is None else tuple(0 if n is None else n for n in shape)


def is_complete(shape: PartialShape | None) -> bool:
    """Return whether every size of a shape is known."""
    return shape is not None and None not in shape


def declared_shape(node: Node) -> PartialShape | None:
    """Return the shape that a variable's attributes declare, with None for unknown sizes.

    Raises:
        GraphError: The attribute is not a shape; names the variable.
    """
    text = node.attrs.get("__shape__")
    if text is None or text == "None":
        return None
    sizes = _parsed_sizes(text)
    if sizes is None:
        raise GraphError(
            f"variable '{node.name}': attribute __shape__={brief(text)} is not a shape"
        )
    return to_partial(sizes)


def known_shape(node: Node, shape: PartialShape | None) -> PartialShape | None:
    """Return a variable's shape: the sizes of ``shape``, and declared ones for its open sizes.

    A size of ``shape`` takes the place of another one that the variable declares, as in MXNet.

    Args:
        node: A variable.
        shape: Its shape, with None for unknown sizes; None if nothing is known.

    Raises:
        GraphError: The declared shape is not a shape; names the variable.
    """
    if shape is not None and None not in shape:
        return shape
    declared = declared_shape(node)
    if shape is None:
        return declared
    if declared is None or len(declared) != len(shape):
        return shape
    return tuple([theirs if n is None else n for n, theirs in zip(shape, declared, strict=True)])


@lru_cache(maxsize=1024)
def _parsed_sizes(text: str) -> tuple[int | None, ...] | None:
    """Parse a shape such as ``(2, 3)``; return None if the text is not a shape."""
    sizes = [size for size in re.split(r"[\s,]+", text.strip("()[] ")) if size]
    if not all(_SIZE.fullmatch(size) for size in sizes):
        return None
    return tuple(None if size == "None" else int(size.rstrip("L")) for size in sizes)


def declared_dtype(node: Node) -> str | None:
    """Return the dtype that a variable's attributes declare, or None.

    Raises:
        GraphError: The attribute is not a dtype; names the variable.
    """
    flag: Any = node.attrs.get("__dtype__")
    # -1 is MXNet's number of an unknown dtype.
    if flag is None or flag in ("-1", "None"):
        return None
    try:
        return dtype_name(int(flag) if _FLAG.fullmatch(flag) else flag)
    except DTypeError:
        raise GraphError(
            f"variable '{node.name}': attribute __dtype__={brief(flag)} is not a dtype"
        ) from None
