"""Begin and step of ranges, for the arange kernels of all tables."""

__all__ = ["counted_in"]


def counted_in(dtype: str, start: float, step: float) -> tuple[float, float]:
    """Return begin and step of a range: whole numbers where its dtype has no others."""
    # MXNet cuts fractions off first: 1.3, 2.6, … of integers are 1, 2, … and not 1, 2, 3, 5.
    if dtype.startswith(("float", "bfloat")):
        return start, step
    return int(start), int(step)
