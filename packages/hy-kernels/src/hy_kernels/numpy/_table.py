"""NumpyTable: the kernel table of numpy arrays."""

import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, TypeAlias

import ml_dtypes  # noqa: F401  # registers bfloat16 with numpy
import numpy as np
import numpy.typing as npt

from hy_kernels.lowering import Rewriting
from hy_kernels.numbers import NUMBERS
from hy_kernels.numpy._array import quiet
from hy_kernels.numpy._fusion import fuse
from hy_kernels.numpy._index import MODULES
from hy_kernels.numpy._kernels import KERNELS
from hy_kernels.numpy.lower import rewritings
from hy_kernels.numpy.optimizer.steps import step_of
from hy_kernels.numpy.runtime import _forks
from hy_kernels.numpy.runtime._limits import HostLimits
from hy_kernels.numpy.runtime._memory import HostMemory
from hy_kernels.numpy.runtime._pool import together
from hy_kernels.pointwise import Group
from hy_kernels.record import Kernel
from hy_kernels.steps import Rule, Step

Array: TypeAlias = npt.NDArray[Any]

# Overflow and division by zero give inf and nan, as on every device; NumPy would also warn.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"hy_(kernels|ndarray|symbol)\b")


class NumpyTable:
    """Kernels over numpy arrays in host memory.

    Example:
        >>> kernel = table().find("relu")
        >>> kernel.function(np.array([-1.0, 2.0]))
        array([0., 2.])
    """

    name = "numpy"
    device_types = ("cpu",)
    fallback = None
    buffer_type = np.ndarray
    memory = HostMemory()
    limits = HostLimits()
    numbers = frozenset(NUMBERS)
    quiet = staticmethod(quiet)
    """Decorator that silences NumPy's warnings of inf and nan, which no other device gives."""

    def count(self, device_type: str) -> int:
        """Return the number of devices of a type: 1 for ``"cpu"``, whatever its cores, else 0."""
        return 1 if device_type == "cpu" else 0

    def device(self, device_type: str, device_id: int) -> None:  # noqa: ARG002
        """Return None: NumPy has no device handles."""
        return

    def find(self, kernel: str) -> Kernel | None:
        """Return the kernel called ``kernel``, or None; imports its module when first called."""
        if kernel in MODULES:
            import_module(MODULES[kernel])
        return KERNELS.find(kernel)

    def rewritings(self, *, prepares: bool) -> tuple[Rewriting, ...]:
        """Return the rewritings to the table's own operators; see :mod:`hy_kernels.numpy.lower`."""
        return rewritings(prepares=prepares)

    def fuse(self, group: Group) -> Kernel:
        """Return one kernel that runs a group of pointwise steps; see :func:`fuse`."""
        return fuse(group, self.find)

    def step(self, rule: Rule) -> Step | None:
        """Return the compiled step of an optimizer's rule, or None; see :func:`step_of`."""
        return step_of(rule, self.find)

    def names(self) -> tuple[str, ...]:
        """Return the names of all kernels, sorted."""
        return tuple(sorted(MODULES))

    def together(self, tasks: Sequence[Callable[[], Any]]) -> list[Any]:
        """Run tasks in several threads and return their results."""
        return together(tasks)

    def generator(self, seed: int, device: None = None) -> "np.random.Generator":  # noqa: ARG002
        """Return a PCG64 random generator seeded with ``seed``."""
        return np.random.Generator(np.random.PCG64(seed))

    def synchronize(self, device: None = None) -> None:
        """Do nothing: NumPy computes synchronously."""


_TABLE = NumpyTable()
_forks.guard()


def table() -> NumpyTable:
    """Return the numpy table; the entry point ``numpy`` of the group ``hy.kernels``."""
    return _TABLE
