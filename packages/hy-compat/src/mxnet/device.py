"""Devices: MXNet 2's name for contexts."""

from hy_ndarray import (
    Context as Device,
    cpu,
    cpu_pinned,
    current_context as current_device,
    gpu,
    num_gpus,
)
from hy_ndarray.devices.context import gpu_memory_info

__all__ = [
    "Device",
    "cpu",
    "cpu_pinned",
    "current_device",
    "gpu",
    "gpu_memory_info",
    "num_gpus",
]
