"""The BLAS library of numpy: its target CPU, and its number of threads.

OpenBLAS splits each product among busy-waiting threads and waits for all of them: if another
process runs on one of the cores, every product may take as long as that process's time slice. So hy
splits large products itself, and limits OpenBLAS to one thread meanwhile.
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

# OpenBLAS's kernels for small matrices, which do not pack the factors, take up to 100³
# multiplications. On x86 only its builds for AVX-512 have them.
MAX_UNPACKED_PRODUCT = 10**6
"""Multiplications of the largest product that OpenBLAS computes without packing the factors."""
MAX_UNPACKED_RESULT = 1200
"""Elements of the largest result of such a product whose second factor is stored transposed."""
_WITHOUT_COPIES = ("SkylakeX", "Cooperlake", "SapphireRapids")
"""OpenBLAS's names for CPUs with AVX-512."""


class _Library:
    """A BLAS library: its target CPU, its version, and functions to get and set its threads."""

    def __init__(self, controller: Any) -> None:
        self.count: Callable[[], int | None] = _exported(controller, "get_num_threads")
        self.limit: Callable[[int], Any] = _exported(controller, "set_num_threads")
        info = controller.info()
        self.core = str(info.get("architecture", ""))
        self.version = tuple(map(int, re.findall(r"\d+", str(info.get("version", "")))))


def _exported(controller: Any, name: str) -> Callable[..., Any]:
    """Return OpenBLAS's function ``openblas_<name>`` if it is exported, else threadpoolctl's."""
    if getattr(controller, "threading_layer", "") == "pthreads":
        # Wheels of numpy and scipy rename OpenBLAS's symbols, so that several copies can be loaded;
        # 64 marks 64-bit integers. A direct call takes a tenth of the time of threadpoolctl's.
        for prefix, suffix in product(("", "scipy_"), ("", "64_", "_64")):
            symbol = f"{prefix}openblas_{name}{suffix}"
            function: Callable[..., Any] | None = getattr(controller.dynlib, symbol, None)
            if function is not None:
                return function
    general: Callable[..., Any] = getattr(controller, name)
    return general


@cache
def _libraries() -> tuple[_Library, ...]:
    """Return the BLAS libraries loaded in this process."""
    import numpy.linalg  # noqa: F401, PLC0415  # loads numpy's own, so that it can be found

    result = ThreadpoolController().select(user_api="blas").lib_controllers
    return tuple(_Library(controller) for controller in result)


@cache
def has_small_kernels() -> bool:
    """Return whether BLAS computes small products, see above, without packing the factors."""
    return any(library.core in _WITHOUT_COPIES for library in _libraries())


@cache
def max_vector_product() -> int:
    """Return the largest matrix, in elements, whose product with a vector BLAS does not split."""
    # OpenBLAS's limits, found by counting how often the system runs its threads: on x86, version
    # 0.3.31 has a higher one than earlier versions.
    is_recent = all(library.version >= (0, 3, 31) for library in _libraries())
    return 460_799 if is_recent and platform.machine() in ("x86_64", "AMD64") else 9_215


class SingleThread(ContextDecorator):
    """Context manager and decorator that limits BLAS to one thread, and restores it on exit.

    Kernels of many products are decorated with it: BLAS threads that busy-wait for the next product
    would occupy the cores that the pool's threads need.

    The setting is global to the process, so the first thread to enter sets it and the last to leave
    restores it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._limited: list[tuple[_Library, int]] = []

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            # Read at each first entry: the program may have changed the number since.
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
            # A child of fork() may leave a context that its parent entered.
            if self._inside:
                self._inside -= 1
                if not self._inside:
                    self._restore()

    def reset(self) -> None:
        """Reset the lock and the count of entries in a forked child, which has one thread."""
        # A thread of the parent may have held the old lock, and does not exist here to release it.
        self._lock = threading.Lock()
        self._inside = 0
        self._restore()

    def _restore(self) -> None:
        for library, count in self._limited:
            library.limit(count)
        self._limited = []


single_thread = SingleThread()
"""The only instance of this process, as the setting is global."""
