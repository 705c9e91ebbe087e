"""Target: device and mode that a graph is lowered for."""

from dataclasses import dataclass

from hy_ndarray import Device

__all__ = ["Target"]


@dataclass(frozen=True, slots=True)
class Target:
    """Device and mode for which a graph is compiled, with permitted changes.

    Args:
        device: The device, whose kernel table may have rules of its own.
        is_train: The mode of operators that differ between training and prediction.
    """

    device: Device
    is_train: bool = True
