"""NumpyTable: finds kernels by name and makes, copies and converts numpy arrays."""

import ctypes
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias

import ml_dtypes  # noqa: F401  # registers bfloat16 with numpy
import numpy as np
import numpy.typing as npt

from hy_kernels.numpy import _forks
from hy_kernels.numpy._kernels import KERNELS
from hy_kernels.numpy._memory import retain_memory
from hy_kernels.numpy._pool import num_threads, together
from hy_kernels.record import Kernel, Kernels

__all__ = ["NumpyTable", "table"]

Array: TypeAlias = npt.NDArray[Any]

_FAMILIES = (
    "adaptive_update",
    "anchors",
    "arithmetic",
    "axes",
    "broadcast",
    "casting",
    "compare",
    "coordinates",
    "creation",
    "ctc",
    "decomposition",
    "densities",
    "detection",
    "elementwise",
    "expanding",
    "exponential",
    "gathering",
    "identity",
    "image",
    "image_color",
    "image_files",
    "indexing",
    "joining",
    "linalg",
    "loss",
    "mixed_update",
    "multi_update",
    "ordering",
    "patches",
    "point_process",
    "products",
    "proposals",
    "quantization",
    "reduce",
    "rounding",
    "sampling",
    "sampling_arrays",
    "sampling_like",
    "scalar",
    "scalar_compare",
    "sequence",
    "shaping",
    "slicing",
    "special",
    "spectral",
    "squashing",
    "statistics",
    "trigonometry",
    "update",
    "nn.activation",
    "nn.attention",
    "nn.batch_last",
    "nn.channels_last",
    "nn.conv",
    "nn.cross_entropy",
    "nn.deconv",
    "nn.deformable",
    "nn.dense",
    "nn.dropout",
    "nn.local_norm",
    "nn.norm",
    "nn.pool",
    "nn.position_sensitive",
    "nn.quantized",
    "nn.region",
    "nn.resize",
    "nn.rnn",
    "nn.roi_align",
    "nn.sampler",
    "nn.softmax",
    "np.arithmetic",
    "np.axes",
    "np.choosing",
    "np.counting",
    "np.creation",
    "np.joining",
    "np.linalg",
    "np.norms",
    "np.products",
    "np.reduce",
    "np.sampling",
    "np.scalar",
    "np.shaping",
    "np.unary",
)


@cache
def _kernels() -> Kernels:
    # Overflow and division by zero give inf and nan, as on any device; numpy would also warn.
    warnings.filterwarnings(
        "ignore", category=RuntimeWarning, module=r"hy_(kernels|ndarray|symbol)\b"
    )
    for family in _FAMILIES:
        import_module(f"hy_kernels.numpy.{family}")
    return KERNELS


@cache
def _name(dtype: np.dtype[Any]) -> str:
    return dtype.name  # numpy puts it together each time


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

    def count(self, device_type: str) -> int:
        """One CPU, whatever its cores."""
        return 1 if device_type == "cpu" else 0

    def device(self, device_type: str, device_id: int) -> None:  # noqa: ARG002
        """Numpy needs no handle."""
        return

    def find(self, kernel: str) -> Kernel | None:
        """The kernel of that name, or None."""
        return _kernels().find(kernel)

    def names(self) -> tuple[str, ...]:
        """Names of all kernels, sorted."""
        return _kernels().names()

    def from_numpy(self, array: Any, device: None = None) -> Array:  # noqa: ARG002
        """A contiguous array that owns its memory; a numpy scalar becomes a 0-d array."""
        return np.array(array, order="C")

    def to_numpy(self, buffer: Array) -> Array:
        """The buffer itself."""
        return buffer

    def from_dlpack(self, array: Any, device: None = None) -> Array:  # noqa: ARG002
        """The same memory as ``array``; copied where it is read-only or not on the CPU."""
        if isinstance(array, np.ndarray):
            return array
        source = _Exporter(array)
        taken = np.from_dlpack(source)
        if taken.flags.writeable:
            return taken
        return taken.copy() if source.versioned else np.asarray(_Memory(taken))

    def contiguous(self, buffer: Array) -> Array:
        """The buffer itself where it is contiguous."""
        return buffer if buffer.flags.c_contiguous else np.array(buffer, order="C")

    def copy(self, buffer: Array) -> Array:
        """A contiguous copy."""
        return np.array(buffer, order="C")

    def write(self, target: Array, value: Array) -> None:
        """``target[...] = value``."""
        np.copyto(target, value, casting="unsafe")

    def span(self, buffer: Array) -> tuple[int, int]:
        """Addresses of the first byte, and of the one behind the last."""
        if buffer.flags.c_contiguous:
            first: int = buffer.__array_interface__["data"][0]
            return first, first + buffer.nbytes
        low, high = np.lib.array_utils.byte_bounds(buffer)
        return int(low), int(high)

    def retain_memory(self) -> None:
        """Tell the C library to keep freed memory in the process."""
        retain_memory()

    def workers(self) -> int:
        """How many parts of a computation may run at once."""
        return num_threads()

    def together(self, tasks: Sequence[Callable[[], Any]]) -> list[Any]:
        """Run tasks at once, in threads."""
        return together(tasks)

    def dtype(self, buffer: Array) -> str:
        """Dtype name."""
        return _name(buffer.dtype)

    def generator(self, seed: int, device: None = None) -> np.random.Generator:  # noqa: ARG002
        """A PCG64 generator."""
        return np.random.Generator(np.random.PCG64(seed))

    def synchronize(self, device: None = None) -> None:
        """Numpy has no queue: everything is done."""


class _Exporter:
    """An array of another library, and whether it speaks a DLPack that can say "read-only".

    Numpy takes all memory that comes without a version for read-only. But whoever cannot say it
    may not export read-only memory, so that it is writable.
    """

    def __init__(self, array: Any) -> None:
        self.array = array
        self.versioned = False

    def __dlpack__(self, **options: Any) -> Any:
        capsule = self.array.__dlpack__(**options)
        check = ctypes.pythonapi.PyCapsule_IsValid
        check.argtypes = [ctypes.py_object, ctypes.c_char_p]
        self.versioned = not check(capsule, b"dltensor")
        return capsule

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class _Memory:
    """The memory of an array, offered for writing; keeps the array alive."""

    def __init__(self, array: Array) -> None:
        self.array = array
        address, _ = array.__array_interface__["data"]
        self.__array_interface__ = {**array.__array_interface__, "data": (address, False)}


_TABLE = NumpyTable()
_forks.guard()


def table() -> NumpyTable:
    """Entry point ``hy.kernels: numpy``."""
    return _TABLE
