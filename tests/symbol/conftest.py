"""Fixtures of the tests of graphs."""

from collections.abc import Iterator

import pytest

from hy_symbol import NameManager


@pytest.fixture(autouse=True)
def fresh_names() -> Iterator[None]:
    """Automatic names begin with 0 in every test."""
    with NameManager():
        yield
