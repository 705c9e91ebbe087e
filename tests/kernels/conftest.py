"""Two threads, also on a machine with one core or a busy one."""

import pytest

from hy_kernels.numpy.runtime import _pool
from hy_kernels.numpy.runtime._pace import Pace


@pytest.fixture
def two_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work is shared by two threads, whether that saves time or not."""
    monkeypatch.setattr(_pool, "_count", 2)
    monkeypatch.setattr(Pace, "is_profitable", lambda _: True)
