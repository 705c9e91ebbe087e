"""Two threads, also on a machine with one core."""

from collections.abc import Iterator

import pytest

from hy_kernels.numpy import _threads
from hy_kernels.numpy._blas import blas


@pytest.fixture
def two_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Work is split among two threads."""
    library = blas()
    monkeypatch.setattr(_threads, "_allowed", lambda: 2)
    if library is None:
        yield
        return
    before = library.count()
    library.limit(2)
    yield
    library.limit(before)
