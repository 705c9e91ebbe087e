"""The registry of this table's kernels, filled by decorators in the modules that define them."""

from hy_kernels.record import Kernels

__all__ = ["KERNELS", "alias", "kernel"]

KERNELS = Kernels()
kernel, alias = KERNELS.kernel, KERNELS.alias
