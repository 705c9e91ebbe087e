"""Dtypes by flag, and start and step of ranges, for the kernels that create arrays."""

__all__ = ["DTYPES_BY_FLAG", "counted_in"]

DTYPES_BY_FLAG = {
    -1: "float32",  # not known
    0: "float32",
    1: "float64",
    2: "float16",
    3: "uint8",
    4: "int32",
    5: "int8",
    6: "int64",
    7: "bool",
    12: "bfloat16",
}
"""By MXNet's flag of a dtype."""


def counted_in(dtype: str, start: float, step: float) -> tuple[float, float]:
    """Return start and step of a range, truncated to integers if its dtype is an integer one."""
    # MXNet truncates before it counts: start and step of 1.3 give 1, 2, 3, 4, not 1, 2, 3, 5.
    if dtype.startswith(("float", "bfloat")):
        return start, step
    return int(start), int(step)
