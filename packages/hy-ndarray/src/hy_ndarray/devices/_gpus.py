"""Quick check for GPU drivers; loading a library that counts GPUs takes a second."""

import ctypes
import sys
from functools import cache
from pathlib import Path

_AMD = Path("/dev/kfd")
_NVIDIA = "libcuda.so.1"


@cache
def may_have_gpus() -> bool:
    """Return whether a driver for NVIDIA or AMD GPUs is installed; True if unknown."""
    if sys.platform != "linux" or _AMD.exists():
        return True
    # Loaded, not initialized: CUDA cannot be used in a child forked after its initialization.
    try:
        ctypes.CDLL(_NVIDIA)
    except OSError:
        return False
    return True
