"""The registry of this table's kernels, filled by decorators in the modules that define them."""

from hy_kernels.record import Kernels

KERNELS = Kernels()
kernel, alias = KERNELS.kernel, KERNELS.alias
