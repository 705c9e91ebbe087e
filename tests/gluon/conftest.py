"""Fixtures of tests of blocks."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture
def _short_turns() -> Iterator[None]:
    """Threads take turns every microsecond, so that what races shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
