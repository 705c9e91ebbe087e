"""Memory: where arrays begin; and what is kept in the process, if that is not forbidden."""

import ctypes
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from hy_kernels.numpy._array import address, aligned
from hy_kernels.numpy.runtime._memory import HostMemory, retain_memory


class Library:
    """A C library that notes what it is told."""

    def __init__(self, largest: int = 2**60) -> None:
        self.told: list[tuple[int, int]] = []
        self._largest = largest

    def mallopt(self, setting: int, value: int) -> int:
        self.told.append((setting, value))
        return int(value <= self._largest or setting != -3)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Any:
    made = Library()
    monkeypatch.setattr(ctypes, "CDLL", lambda _: made)
    return made


def test_freed_memory_is_kept(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HY_RETAIN_MEMORY", raising=False)
    assert retain_memory.__wrapped__()
    assert library.told == [(-3, 2**28), (-1, 2**29)]


def test_older_c_libraries_keep_smaller_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    older = Library(largest=2**25)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: older)
    monkeypatch.delenv("HY_RETAIN_MEMORY", raising=False)
    assert retain_memory.__wrapped__()
    assert older.told == [(-3, 2**28), (-3, 2**25), (-1, 2**29)]


def test_a_program_may_forbid_it(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HY_RETAIN_MEMORY", "0")
    assert not retain_memory.__wrapped__()
    assert library.told == []


def test_other_c_libraries_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    assert not retain_memory.__wrapped__()


@pytest.mark.parametrize("dtype", [np.float32, np.int8, ml_dtypes.bfloat16])
def test_large_arrays_begin_with_a_cache_line(dtype: type) -> None:
    values: Any = np.arange(100_000).reshape(100, 1000).astype(dtype)
    memory = HostMemory()
    for array in (
        aligned(values.shape, dtype),
        aligned(values.shape, dtype, zeros=True),
        memory.empty(values.shape, np.dtype(dtype).name),
        memory.from_numpy(values.tolist()) if dtype is np.float32 else memory.from_numpy(values),
        memory.copy(values.T),
        memory.contiguous(values.T),
    ):
        assert array.ctypes.data % 64 == 0
        assert array.flags.c_contiguous
        assert array.flags.writeable
    assert not aligned(values.shape, dtype, zeros=True).any()
    np.testing.assert_array_equal(memory.copy(values.T), values.T)


@pytest.mark.parametrize("values", [np.ones(3), np.ones(0), np.ones(3, ml_dtypes.bfloat16)])
def test_the_address_of_an_array(values: Any) -> None:
    assert address(values) == values.ctypes.data
    values.flags.writeable = False
    assert address(values) == values.ctypes.data
