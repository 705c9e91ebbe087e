"""Contexts: devices of arrays, the current context, and information about GPUs."""

from hy_ndarray.devices import _driver
from hy_ndarray.devices._context import (
    Context,
    cpu,
    cpu_pinned,
    current_context,
    gpu,
    set_default_context,
)
from hy_ndarray.devices._selection import gpu_count
from hy_ndarray.suggestion import suggest_members as _suggest_members

__all__ = [
    "Context",
    "cpu",
    "cpu_pinned",
    "current_context",
    "gpu",
    "gpu_compute_capability",
    "gpu_memory_info",
    "num_gpus",
    "set_default_context",
]


def num_gpus() -> int:
    """Return the number of GPUs that the selected kernel table can use; 0 without a GPU table."""
    return gpu_count()


def gpu_memory_info(device_id: int = 0) -> tuple[int, int]:
    """Return free and total memory of an NVIDIA GPU in bytes.

    Raises:
        ContextError: There is no such GPU, or no driver.
    """
    return _driver.memory_info(device_id)


def gpu_compute_capability(device_id: int = 0) -> int:
    """Return the compute capability of an NVIDIA GPU times ten: 90 for 9.0.

    Raises:
        ContextError: There is no such GPU, or no driver.
    """
    return _driver.compute_capability(device_id)


_suggest_members(globals())
