"""Memory that is kept in the process: asked for once, and only where that is not forbidden."""

import ctypes
from typing import Any

import pytest

from hy_kernels.numpy.runtime._memory import retain_memory


class Library:
    """A C library that notes what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[int, int]] = []

    def mallopt(self, setting: int, value: int) -> int:
        self.told.append((setting, value))
        return 1


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Any:
    made = Library()
    monkeypatch.setattr(ctypes, "CDLL", lambda _: made)
    return made


def test_freed_memory_is_kept(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HY_RETAIN_MEMORY", raising=False)
    assert retain_memory.__wrapped__()
    assert library.told == [(-3, 2**25), (-1, 2**29)]


def test_a_program_may_forbid_it(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HY_RETAIN_MEMORY", "0")
    assert not retain_memory.__wrapped__()
    assert library.told == []


def test_other_c_libraries_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    assert not retain_memory.__wrapped__()
