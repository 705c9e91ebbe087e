"""Questions about types that are answered alike for arrays of many sizes."""

from hy_kernels.record import Type

__all__ = ["dtype_of", "have_same_type", "is_as_large", "rank_of", "spreads_to", "width_of"]


def rank_of(type_: Type | None) -> int | None:
    """Return the number of axes of a value."""
    return None if type_ is None else len(type_[0])


def dtype_of(type_: Type | None) -> str | None:
    """Return the dtype of a value's elements."""
    return None if type_ is None else type_[1]


def width_of(type_: Type | None) -> int | None:
    """Return the length of a value's last axis; None, too, where it has no elements."""
    return None if type_ is None or 0 in type_[0] else type_[0][-1]


def have_same_type(a: Type | None, b: Type | None) -> bool:
    """Whether both are known, and the same."""
    return a is not None and a == b


def is_as_large(type_: Type | None, full: Type | None) -> bool:
    """Whether it is of the shape of another that has elements."""
    return type_ is not None and full is not None and 0 not in full[0] and type_[0] == full[0]


def spreads_to(type_: Type | None, full: Type | None) -> bool:
    """Whether it has as many axes as another that has elements, each as long as there, or 1."""
    if type_ is None or full is None or 0 in full[0] or len(type_[0]) != len(full[0]):
        return False
    return all(n in (1, m) for n, m in zip(type_[0], full[0], strict=True))
