"""Plans as large arrays get them, on small ones: for tests that compare what both compute."""

import pytest

from hy_kernels.numpy import _fusion
from hy_symbol import fusing, planning, slicing

__all__ = ["plan_small_arrays"]


def plan_small_arrays(patch: pytest.MonkeyPatch) -> None:
    """Write in place, fuse in blocks of three on several threads, and slice, whatever the size."""
    patch.setattr(planning, "SMALL", 0)
    patch.setattr(fusing, "LARGE", 0)
    patch.setattr(_fusion, "_BLOCK", 3)
    patch.setattr(_fusion, "_SHARE", 6)
    patch.setattr(slicing, "LARGE", 1)
    patch.setattr(slicing, "FEWEST", 1)
