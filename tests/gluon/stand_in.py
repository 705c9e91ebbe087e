"""A kernel table with two GPUs that are none, for tests without one."""

from typing import Any

from hy_ndarray import kernel_table

__all__ = ["TwoGpus"]


class TwoGpus:
    """The numpy table, which says that it has two GPUs as well."""

    device_types = ("cpu", "gpu")

    def __init__(self) -> None:
        self._table = kernel_table("numpy")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def count(self, device_type: str) -> int:
        return 2 if device_type == "gpu" else 1

    def device(self, device_type: str, device_id: int) -> Any:
        return device_type, device_id
