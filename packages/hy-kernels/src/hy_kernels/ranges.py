"""Start and step of ranges, for the arange kernels of all tables."""

__all__ = ["counted_in"]


def counted_in(dtype: str, start: float, step: float) -> tuple[float, float]:
    """Return start and step of a range, truncated to integers if its dtype is an integer one."""
    # MXNet truncates before it counts: start and step of 1.3 give 1, 2, 3, 4, not 1, 2, 3, 5.
    if dtype.startswith(("float", "bfloat")):
        return start, step
    return int(start), int(step)
