"""The ``device`` argument of the standard's functions."""

from typing import Any

from hy_ndarray._errors import ArgumentError
from hy_ndarray.devices._device import Device
from hy_ndarray.devices.context import Context
from hy_ndarray.foreign import kind_of
from hy_ndarray.np import ndarray


def context_of(device: Any) -> Context | None:
    """Return the context for a ``device`` argument; None for None.

    Args:
        device: An array's ``device``, a context, or a string such as ``"gpu(0)"``.

    Raises:
        ArgumentError: ``device`` is none of these.
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
    """Return the array on ``device``; unchanged if it is there already or ``device`` is None."""
    context = context_of(device)
    return x if context is None else x.as_in_context(context)
