"""Memory that programs need again and again."""

import ctypes
from functools import cache

__all__ = ["retain_memory"]

_TRIM, _MAP = -1, -3  # glibc's mallopt: M_TRIM_THRESHOLD, M_MMAP_THRESHOLD
_LARGEST = 1 << 25  # bytes; glibc's own bound for what it takes from the heap


@cache
def retain_memory() -> bool:
    """Keep freed arrays' memory in the process, for the next ones; whether that is possible here.

    By default glibc gives large freed blocks back to the system, which then fills each page of the
    next block with zeros: for arrays of some megabytes that costs more than a sum. It is set for
    the whole process, once.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # another C library
        return False
    return bool(mallopt(_MAP, _LARGEST)) and bool(mallopt(_TRIM, 1 << 29))
