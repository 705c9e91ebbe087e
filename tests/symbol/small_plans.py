"""Plans as large arrays get them, on small ones: for tests that compare what both compute."""

import pytest

from hy_ndarray import cpu, device_of
from tests.changed_costs import change_costs

__all__ = ["plan_small_arrays"]


def plan_small_arrays(patch: pytest.MonkeyPatch) -> None:
    """Write in place, fuse in blocks of three on several threads, and slice, whatever the size."""
    limits = device_of(cpu()).limits
    patch.setattr(limits, "small_bytes", 0)
    patch.setattr(limits, "fusion_size", 0)
    change_costs(patch, blocks={"pointwise": 3}, threads={"pointwise": 6})
    patch.setattr(limits, "split_bytes", 1)
    patch.setattr(limits, "split_rows", 1)
