"""The BLAS library of numpy: its target CPU, and its number of threads.

OpenBLAS cuts one product among threads that wait for work awake, and each product waits for all of
them: where another process has a core, every product may take as long as the scheduler gives to
others. So hy cuts large products itself, and OpenBLAS has one thread meanwhile.
"""

import platform
import re
import threading
from collections.abc import Callable
from contextlib import ContextDecorator
from functools import cache
from itertools import product
from types import TracebackType
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = [
    "MAX_UNPACKED_PRODUCT",
    "MAX_UNPACKED_RESULT",
    "SingleThread",
    "has_small_kernels",
    "max_vector_product",
    "single_thread",
]

# OpenBLAS's kernels for small matrices, which do not pack the factors, take up to 100³
# multiplications. On x86 only its builds for AVX-512 have them.
MAX_UNPACKED_PRODUCT = 10**6
"""Multiplications of the largest product that OpenBLAS computes without packing the factors."""
MAX_UNPACKED_RESULT = 1200
"""Elements of the largest result of such a product whose second factor is stored transposed."""
_WITHOUT_COPIES = ("SkylakeX", "Cooperlake", "SapphireRapids")
"""OpenBLAS's names for CPUs with AVX-512."""


class _Library:
    """A BLAS library: its CPU and version, and a getter and a setter of its number of threads."""

    def __init__(self, controller: Any) -> None:
        self.count: Callable[[], int | None] = _exported(controller, "get_num_threads")
        self.limit: Callable[[int], Any] = _exported(controller, "set_num_threads")
        info = controller.info()
        self.core = str(info.get("architecture", ""))
        self.version = tuple(map(int, re.findall(r"\d+", str(info.get("version", "")))))


def _exported(controller: Any, name: str) -> Callable[..., Any]:
    """Return OpenBLAS's own function if it is exported, else threadpoolctl's."""
    if getattr(controller, "threading_layer", "") == "pthreads":
        # Wheels of numpy and scipy rename OpenBLAS's symbols, so that several copies can be loaded;
        # 64: its integers have 64 bits. Called directly it takes a tenth of threadpoolctl's time.
        for prefix, suffix in product(("", "scipy_"), ("", "64_", "_64")):
            symbol = f"{prefix}openblas_{name}{suffix}"
            function: Callable[..., Any] | None = getattr(controller.dynlib, symbol, None)
            if function is not None:
                return function
    general: Callable[..., Any] = getattr(controller, name)
    return general


@cache
def _libraries() -> tuple[_Library, ...]:
    """Return the BLAS libraries in this process."""
    import numpy.linalg  # noqa: F401, PLC0415  # loads numpy's own, so that it can be found

    result = ThreadpoolController().select(user_api="blas").lib_controllers
    return tuple(_Library(controller) for controller in result)


@cache
def has_small_kernels() -> bool:
    """Return whether BLAS computes up to ``MAX_UNPACKED_PRODUCT`` multiplications unpacked."""
    return any(library.core in _WITHOUT_COPIES for library in _libraries())


@cache
def max_vector_product() -> int:
    """Return the elements of a matrix up to which its product with a vector wakes no thread."""
    # OpenBLAS's limits, found by counting how often the system runs its threads: on x86 version
    # 0.3.31 has a higher one than those before.
    is_recent = all(library.version >= (0, 3, 31) for library in _libraries())
    return 460_799 if is_recent and platform.machine() in ("x86_64", "AMD64") else 9_215


class SingleThread(ContextDecorator):
    """Context in which BLAS uses one thread; leaving it restores the number of threads.

    It decorates kernels of many products, too: threads of BLAS that wait awake for the next one
    would have the cores that the threads of the pool need.

    The setting is one for the process, so the first who enters makes it and the last undoes it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._limited: list[tuple[_Library, int]] = []

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            # Read at each first entry, not once: the program may have set another number since.
            if self._inside == 1:
                counts = [(library, library.count() or 1) for library in _libraries()]
                self._limited = [(library, count) for library, count in counts if count > 1]
                for library, _ in self._limited:
                    library.limit(1)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            # A child of fork() may leave a scope that its parent has entered.
            if self._inside:
                self._inside -= 1
                if not self._inside:
                    self._restore()

    def reset(self) -> None:
        """Reset the count of contexts entered: a forked child lacks its parent's threads."""
        # A thread of the parent may have held the old lock, and nobody is left to release it.
        self._lock = threading.Lock()
        self._inside = 0
        self._restore()

    def _restore(self) -> None:
        for library, count in self._limited:
            library.limit(count)
        self._limited = []


single_thread = SingleThread()
"""The context of this process: the setting is global."""
