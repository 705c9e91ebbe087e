"""Quick check for GPUs, as loading a library that counts them takes a second."""

import ctypes
import sys
from functools import cache
from pathlib import Path

__all__ = ["may_have_gpus"]

_AMD = Path("/dev/kfd")
_NVIDIA = "libcuda.so.1"


@cache
def may_have_gpus() -> bool:
    """Return whether there is a driver of NVIDIA's or AMD's GPUs; True if unknown."""
    if sys.platform != "linux" or _AMD.exists():
        return True
    try:
        ctypes.CDLL(_NVIDIA)
    except OSError:
        return False
    return True
