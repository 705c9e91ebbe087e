"""Plans as large arrays get them, on small ones: for tests that compare what both compute."""

import pytest

from hy_kernels.numpy import _fusion
from hy_ndarray import cpu, device_of

__all__ = ["plan_small_arrays"]


def plan_small_arrays(patch: pytest.MonkeyPatch) -> None:
    """Write in place, fuse in blocks of three on several threads, and slice, whatever the size."""
    limits = device_of(cpu()).limits
    patch.setattr(limits, "small_bytes", 0)
    patch.setattr(limits, "fusion_size", 0)
    patch.setattr(_fusion, "_BLOCK", 3)
    patch.setattr(_fusion, "_SHARE", 6)
    patch.setattr(limits, "split_bytes", 1)
    patch.setattr(limits, "split_rows", 1)
