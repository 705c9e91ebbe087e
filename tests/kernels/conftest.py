"""Two threads, also on a machine with one core."""

from collections.abc import Iterator

import pytest

from hy_kernels.numpy import _threads


@pytest.fixture
def two_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Work is split among two threads."""
    blas = _threads._blas()
    monkeypatch.setattr(_threads, "_allowed", lambda: 2)
    if blas is None:
        yield
        return
    before = blas.count()
    blas.limit(2)
    yield
    blas.limit(before)
