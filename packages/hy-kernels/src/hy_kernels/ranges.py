"""Ranges of numbers, of which all tables make arrays."""

__all__ = ["counted_in"]


def counted_in(dtype: str, start: float, step: float) -> tuple[float, float]:
    """Return begin and step of a range: whole numbers where its dtype has no others.

    The fractions are cut off first, as in MXNet: ``1.3, 2.6, …`` of integers are ``1, 2, …``.
    """
    if dtype.startswith(("float", "bfloat")):
        return start, step
    return int(start), int(step)
