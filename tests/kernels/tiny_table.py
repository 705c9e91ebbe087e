"""A kernel table as another package would bring it: its own buffers, few kernels, counted calls."""

from collections import Counter
from typing import Any

import numpy as np

from hy_kernels.numpy import table as numpy_table
from hy_kernels.record import Kernel
from hy_ndarray import kernel_table

__all__ = ["Block", "TinyTable", "broken", "table", "useless"]


class Block:
    """A buffer that is no numpy array; it has what hy-ndarray asks of a buffer, and no more."""

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self.values = values

    @property
    def shape(self) -> tuple[int, ...]:
        shape: tuple[int, ...] = self.values.shape
        return shape

    @property
    def dtype(self) -> np.dtype[Any]:
        dtype: np.dtype[Any] = self.values.dtype
        return dtype

    def reshape(self, shape: tuple[int, ...]) -> "Block":
        return Block(self.values.reshape(shape))

    def __getitem__(self, key: Any) -> "Block":
        return Block(self.values[_opened(key)])

    def __setitem__(self, key: Any, value: "Block") -> None:
        self.values[_opened(key)] = value.values

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()


def _opened(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(map(_opened, key))
    return key.values if isinstance(key, Block) else key


class TinyMemory:
    """Makes blocks, and counts how often it was asked to keep freed memory."""

    retained = 0

    def empty(self, shape: tuple[int, ...], dtype: str, device: Any) -> Block:  # noqa: ARG002
        return Block(np.empty(shape, dtype))

    def from_numpy(self, array: Any, device: Any) -> Block:  # noqa: ARG002
        return Block(np.array(array, order="C"))

    def to_numpy(self, buffer: Block) -> Any:
        return buffer.values

    def from_dlpack(self, array: Any, device: Any) -> Block:  # noqa: ARG002
        return Block(numpy_table().memory.from_dlpack(array))

    def contiguous(self, buffer: Block) -> Block:
        return buffer if buffer.values.flags.c_contiguous else self.copy(buffer)

    def copy(self, buffer: Block) -> Block:
        return Block(np.array(buffer.values, order="C"))

    def write(self, target: Block, value: Block) -> None:
        np.copyto(target.values, value.values, casting="unsafe")

    def span(self, buffer: Block) -> tuple[int, int]:
        return kernel_table("numpy").memory.span(buffer.values)

    def overlap(self, one: Block, other: Block) -> bool:
        return kernel_table("numpy").memory.overlap(one.values, other.values)

    def dtype(self, buffer: Block) -> str:
        return buffer.dtype.name

    def retain(self) -> None:
        self.retained += 1


class TinyTable:
    """Some kernels of the numpy table on blocks; ``calls`` counts how often each ran."""

    device_types = ("cpu",)
    buffer_type = Block
    quiet = staticmethod(numpy_table().quiet)

    def __init__(
        self, name: str = "tiny", kernels: tuple[str, ...] = (), fallback: str | None = None
    ) -> None:
        self.name = name
        self.fallback = fallback
        self.kernels = kernels
        self.calls: Counter[str] = Counter()
        self.memory = TinyMemory()

    def count(self, device_type: str) -> int:
        return int(device_type in self.device_types)

    def device(self, device_type: str, device_id: int) -> Any:
        return f"{device_type} {device_id}"

    def find(self, kernel: str) -> Kernel | None:
        found = kernel_table("numpy").find(kernel) if kernel in self.kernels else None
        if found is None:
            return None
        compute = found.function

        def run(*blocks: Block | None, **params: Any) -> Any:
            self.calls[kernel] += 1
            given = [None if block is None else block.values for block in blocks]
            result = compute(*given, **params)
            return tuple(map(Block, result)) if isinstance(result, tuple) else Block(result)

        return Kernel(kernel, run)

    def generator(self, seed: int, device: Any) -> Any:  # noqa: ARG002
        return np.random.default_rng(seed)

    def synchronize(self, device: Any) -> None:
        pass


KERNELS = (
    "add_n",
    "broadcast_add",
    "broadcast_mul",
    "copy",
    "mul_scalar",
    "ones_like",
    "sum_like",
    "take",
    "zeros_like",
)


def table() -> TinyTable:
    """The entry point ``tiny``."""
    return TinyTable(kernels=KERNELS)


def broken() -> TinyTable:
    """An entry point whose library is not there."""
    raise ImportError("libtiny.so: cannot open shared object file")


def damaged() -> TinyTable:
    """An entry point whose library fails in its own way."""
    raise AttributeError("module 'tiny' has no attribute 'jit'")


def absent() -> TinyTable:
    """An entry point of a library that is not installed."""
    raise ImportError("tiny is not installed", name="no_such_library")


def useless() -> object:
    """An entry point that gives something else."""
    return object()
