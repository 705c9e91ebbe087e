"""The kernels of this table, entered by their definitions."""

from hy_kernels.record import Kernels

__all__ = ["KERNELS", "alias", "kernel"]

KERNELS = Kernels()
kernel, alias = KERNELS.kernel, KERNELS.alias
