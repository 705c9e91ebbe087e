"""Predicates of types for :meth:`Graph.ask`, which hold for arrays of many sizes."""

from hy_kernels.record import Type


def rank_of(type_: Type | None) -> int | None:
    """Return the number of axes of a value."""
    return None if type_ is None else len(type_[0])


def dtype_of(type_: Type | None) -> str | None:
    """Return the dtype of a value's elements."""
    return None if type_ is None else type_[1]


def width_of(type_: Type | None) -> int | None:
    """Return the length of a value's last axis, or None if the value has no elements."""
    return None if type_ is None or 0 in type_[0] else type_[0][-1]


def have_same_type(a: Type | None, b: Type | None) -> bool:
    """Return whether both types are known and equal."""
    return a is not None and a == b


def is_as_large(type_: Type | None, full: Type | None) -> bool:
    """Return whether a type has the same shape as another, which is not empty."""
    return type_ is not None and full is not None and 0 not in full[0] and type_[0] == full[0]


def spreads_to(type_: Type | None, full: Type | None) -> bool:
    """Return whether a shape broadcasts to another of the same rank, which is not empty."""
    if type_ is None or full is None or 0 in full[0] or len(type_[0]) != len(full[0]):
        return False
    return all(n in (1, m) for n, m in zip(type_[0], full[0], strict=True))
