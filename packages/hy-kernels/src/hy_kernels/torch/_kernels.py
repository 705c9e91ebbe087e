"""Registry of this table's kernels, filled when their modules are imported."""

from hy_kernels.record import Kernels

KERNELS = Kernels()
kernel, alias = KERNELS.kernel, KERNELS.alias
