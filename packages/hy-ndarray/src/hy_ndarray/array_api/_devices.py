"""Devices as arguments of the standard's functions."""

from typing import Any

from hy_ndarray._errors import ArgumentError
from hy_ndarray.devices._device import Device
from hy_ndarray.devices.context import Context
from hy_ndarray.foreign import kind_of
from hy_ndarray.np import ndarray

__all__ = ["context_of", "moved"]


def context_of(device: Any) -> Context | None:
    """Return the context that an argument ``device`` names, None for None.

    Args:
        device: What an array has as its device, a context, or a text such as ``"gpu(0)"``.

    Raises:
        ArgumentError: It is something else.
        ContextError: There is no such type of device.
    """
    if isinstance(device, Device):
        return device.context
    if device is None or isinstance(device, Context):
        return device
    if isinstance(device, str):
        return Context.parse(device)
    raise ArgumentError(f"device is {kind_of(device)}; give x.device, mx.cpu() or 'gpu(0)'")


def moved(x: ndarray, device: Any) -> ndarray:
    """Return the array on a device, unchanged if it is there or ``device`` is None."""
    context = context_of(device)
    return x if context is None else x.as_in_context(context)
