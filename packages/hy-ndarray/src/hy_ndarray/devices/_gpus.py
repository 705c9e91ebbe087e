"""Whether this machine can have GPUs at all: a library that counts them takes a second to load."""

import ctypes
import sys
from functools import cache
from pathlib import Path

__all__ = ["may_have_gpus"]

_AMD = Path("/dev/kfd")
_NVIDIA = "libcuda.so.1"


@cache
def may_have_gpus() -> bool:
    """Whether there is a driver of GPUs, NVIDIA's or AMD's; where that is not known, True."""
    if sys.platform != "linux" or _AMD.exists():
        return True
    try:
        ctypes.CDLL(_NVIDIA)
    except OSError:
        return False
    return True
