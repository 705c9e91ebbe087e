"""Contexts: the device an array lives on, the current one, and how many there are."""

from hy_ndarray.devices._context import Context, cpu, cpu_pinned, current_context, gpu
from hy_ndarray.devices._tables import gpu_count

__all__ = ["Context", "cpu", "cpu_pinned", "current_context", "gpu", "num_gpus"]


def num_gpus() -> int:
    """How many GPUs the installed kernel tables can use; 0 where no table runs on GPUs."""
    return gpu_count()
