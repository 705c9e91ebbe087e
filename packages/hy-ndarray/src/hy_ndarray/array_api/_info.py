"""Inspection of the namespace: its dtypes, devices and capabilities."""

from typing import Any

from hy_ndarray.array_api._devices import context_of
from hy_ndarray.array_api._promotion import DEFAULTS, KINDS, DType, as_dtype
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._selection import device_of
from hy_ndarray.devices.context import Context, current_context, num_gpus


class NamespaceInfo:
    """Object that ``__array_namespace_info__()`` returns."""

    def capabilities(self) -> dict[str, Any]:
        """Return the standard's optional features and limits, such as the rank, by name."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 32}

    def default_device(self) -> Device:
        """Return the default device of new arrays."""
        return device_of(current_context())

    def devices(self) -> tuple[Device, ...]:
        """Return the CPU, and the GPUs that the selected kernel table can use."""
        contexts = [Context("cpu"), *(Context("gpu", i) for i in range(num_gpus()))]
        return tuple([device_of(context) for context in contexts])

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """Return the default dtypes by kind, the same on all devices."""
        context_of(device)
        return {
            "real floating": as_dtype(DEFAULTS[float]),
            "complex floating": as_dtype(DEFAULTS[complex]),
            "integral": as_dtype(DEFAULTS[int]),
            "indexing": as_dtype("int64"),
        }

    def dtypes(
        self, *, device: Any = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, DType]:
        """Return the dtypes of the given kinds, or all, by name; excludes bfloat16.

        Args:
            device: Accepted and ignored; all devices have the same dtypes.
            kind: One of the standard's kinds, or several.
        """
        context_of(device)
        kinds = (kind,) if isinstance(kind, str) else kind or ("bool", "numeric")
        outside_standard = ("float16", "bfloat16")
        names = [name for one in kinds for name in KINDS[one] if name not in outside_standard]
        return {name: as_dtype(name) for name in names}


def namespace_info() -> NamespaceInfo:
    """Return the namespace's inspection object."""
    return NamespaceInfo()
