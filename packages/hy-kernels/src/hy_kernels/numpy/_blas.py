"""The OpenBLAS that numpy's own wheels bring: its threads, and the CPU it computes for."""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

__all__ = ["Blas", "blas", "core_name"]


class Blas:
    """How many threads OpenBLAS may use: an answer, and a setting; the name of its kernels."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.count: Callable[[], int] = library.scipy_openblas_get_num_threads64_
        self.limit: Callable[[int], Any] = library.scipy_openblas_set_num_threads64_
        name = library.scipy_openblas_get_corename64_
        name.restype = ctypes.c_char_p
        self.core: str = name().decode()


@cache
def blas() -> Blas | None:
    """The library; None if numpy has another one."""
    try:
        return Blas(ctypes.CDLL(np.linalg._umath_linalg.__file__))
    except (AttributeError, OSError):
        return None


def core_name() -> str:
    """The CPU whose kernels are in use, as OpenBLAS calls it; empty with another library."""
    library = blas()
    return "" if library is None else library.core
