"""What other packages provide to hy-ndarray, and what operators accept; no implementation."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

import numpy.typing as npt

if TYPE_CHECKING:
    from hy_ndarray.ops._schema import Operator

__all__ = ["Buffer", "Kernel", "KernelTable", "Operand", "Params"]

Buffer: TypeAlias = Any
"""What a table computes on: ``numpy.ndarray``, ``torch.Tensor`` …

hy-ndarray asks little of it: ``shape`` and ``dtype``; ``__dlpack__``; ``reshape(shape)``, which
shares memory if it is contiguous; ``buffer[key]`` for integers and slices of positive step, which
shares memory; and ``buffer[key] = buffer``, where the key may have buffers of int64 indices, too.
"""

Params: TypeAlias = Mapping[str, Any]

Kernel: TypeAlias = Callable[..., Any]
"""Inputs positional, parameters by keyword; returns one buffer, or a tuple for several outputs.

A kernel of an optimizer's step may take ``out=``, a tuple of buffers to write its results to
instead; they are of the right types, contiguous, and may be its inputs. So does a kernel with the
attribute ``elementwise = True`` (and any numpy ufunc): it computes each element from those at its
place, so that it may be run on parts of flat arrays of one shape; graphs use that. Another kernel
may take ``into=``, a tuple with memory for each of its results, or None for those it is to make: of
the right types, contiguous, and none of its inputs; it may return results of its own all the same.
No result shares memory with an input, or with anything that the next call changes. A kernel with
``threaded = n`` may call :meth:`KernelTable.together` where an operand or a result has ``n``
elements or more, and a program with such a step is run inside of that. The attribute ``planned`` is
a function of the types of its inputs, pairs of shape and dtype or None, and of its parameters; what
that returns, if not None, is the kernel for these alone, which a graph calls without parameters.
"""


class Operand(Protocol):
    """What an operator accepts: an array (hy-ndarray) or a node of a graph (hy-symbol)."""

    @classmethod
    def apply_operator(
        cls, op: "Operator", inputs: Sequence[Any], params: Params, is_train: bool | None = None
    ) -> Any:
        """Run or record ``op`` on ``inputs`` (``None`` where an optional input is left out)."""


@runtime_checkable
class KernelTable(Protocol):
    """Kernels that share one buffer type; hy-kernels has some, other packages may add more.

    A table is found by an entry point of group ``hy.kernels`` whose value is a function that takes
    nothing and returns the table.
    """

    @property
    def name(self) -> str:
        """Entry-point name, for example ``"numpy"``; appears in error messages."""

    @property
    def device_types(self) -> tuple[str, ...]:
        """The kinds of device it runs on, such as ``"cpu"`` and ``"gpu"``."""

    @property
    def fallback(self) -> str | None:
        """Name of the table to ask for kernels this one lacks; it shares the buffer type."""

    @property
    def buffer_type(self) -> type[Any]:
        """The exact type of its buffers."""

    def count(self, device_type: str) -> int:
        """How many devices of that type this machine has."""

    def device(self, device_type: str, device_id: int) -> Any:
        """The table's own handle of a device, handed to kernels that create arrays."""

    def find(self, kernel: str) -> Kernel | None:
        """The kernel of that name, or ``None``."""

    def from_numpy(self, array: npt.NDArray[Any], device: Any) -> Buffer:
        """Copy a host array to ``device``."""

    def to_numpy(self, buffer: Buffer) -> npt.NDArray[Any]:
        """The buffer's content on the host; may share memory with it. Waits for pending work."""

    def from_dlpack(self, array: Any, device: Any) -> Buffer:
        """Take over an array of another library, without a copy where both use the same memory."""

    def contiguous(self, buffer: Buffer) -> Buffer:
        """The buffer itself if its elements lie in row-major order without gaps, else a copy."""

    def copy(self, buffer: Buffer) -> Buffer:
        """A contiguous copy on the same device."""

    def write(self, target: Buffer, value: Buffer) -> None:
        """Overwrite the content of ``target`` with ``value``, broadcast and cast to fit."""

    def span(self, buffer: Buffer) -> tuple[int, int]:
        """Where its memory begins and ends, in bytes: buffers whose spans overlap may share it."""

    def retain_memory(self) -> None:
        """Keep the memory of freed buffers for later ones from now on, where that is a choice."""

    def workers(self) -> int:
        """How many parts of one computation may run at once; 1 if a kernel uses all of a device."""

    def together(self, tasks: Sequence[Callable[[], Any]]) -> list[Any]:
        """Run tasks that do not depend on each other, at once where that is faster.

        A single task is run so that what it calls need not share the cores with threads that an
        array library keeps. Returns what the tasks return.
        """

    def dtype(self, buffer: Buffer) -> str:
        """Dtype name of ``buffer``."""

    def generator(self, seed: int, device: Any) -> Any:
        """A random generator for kernels that draw numbers."""

    def synchronize(self, device: Any) -> None:
        """Wait until all work queued on ``device`` is done."""
