"""Target: device and mode for which a graph is lowered."""

from dataclasses import dataclass

from hy_ndarray import Device

__all__ = ["Target"]


@dataclass(frozen=True, slots=True)
class Target:
    """Device and mode for which a graph is lowered.

    Args:
        device: The device, whose kernel table may have rewriting rules.
        is_train: Whether operators compute as in training.
    """

    device: Device
    is_train: bool = True
