"""Protocols of kernels and kernel tables that other packages implement."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy.typing as npt

from hy_ndarray.devices._context import Context

__all__ = [
    "BorrowingTable",
    "Buffer",
    "BufferLike",
    "BufferType",
    "CapturingTable",
    "FusingTable",
    "Kernel",
    "KernelFunction",
    "KernelTable",
    "LenientTable",
    "LimitedTable",
    "Limits",
    "Memory",
    "Params",
    "PinningMemory",
    "PointwiseGroup",
    "PointwiseStep",
    "ServedContext",
    "ThreadedTable",
]


class BufferLike(Protocol):
    """Buffer as hy-ndarray uses it."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes by axis."""

    @property
    def dtype(self) -> Any:
        """Dtype object, equal for equal dtypes; ``Memory.dtype`` returns its name."""

    def reshape(self, shape: tuple[int, ...]) -> Any:
        """Return the elements in another shape; a view if contiguous."""

    def __getitem__(self, key: Any) -> Any:
        """Return a view of a part, by integers and slices of positive step."""

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write a part; the key may have int64 index buffers, too."""

    def __dlpack__(self, **options: Any) -> Any:
        """Return a DLPack capsule of the memory."""


Buffer: TypeAlias = Any
"""What a table computes on, a :class:`BufferLike`: ``numpy.ndarray``, ``torch.Tensor`` …"""

Params: TypeAlias = Mapping[str, Any]

KernelFunction: TypeAlias = Callable[..., Any]
"""Inputs positional, parameters by keyword; returns one buffer, or a tuple for several outputs."""

BufferType: TypeAlias = tuple[tuple[int, ...], str]
"""Shape and dtype."""

Describe: TypeAlias = Callable[[Sequence[BufferType | None], Params], str | None]
"""``(types, params)`` to a name; see :attr:`Kernel.algorithm`."""

Specialize: TypeAlias = Callable[
    [Sequence[BufferType | None] | None, Params], KernelFunction | None
]
"""``(types, params)`` to a function; see :attr:`Kernel.specialize`."""


class Packing(Protocol):
    """A form of one operand, such as a transformed weight, that a kernel computes with."""

    @property
    def operand(self) -> int:
        """Position of the operand among the inputs."""

    @property
    def fits(self) -> Callable[[Sequence[BufferType | None]], bool]:
        """Function from the types of all inputs to whether the kernel packs the operand."""

    @property
    def pack(self) -> Callable[[Buffer], Any]:
        """Function from the operand to its packed form, in memory of its own."""

    @property
    def function(self) -> KernelFunction:
        """The kernel without parameters; it takes the packed form in place of the operand.

        It returns the same as the kernel, to the last bit.
        """


class Kernel(Protocol):
    """Kernel: a function that computes an operator, with its properties.

    No result shares memory with an input that is not in ``out``, or with anything that the next
    call changes.
    """

    @property
    def name(self) -> str:
        """Name of the kernel, as in ``Operator.kernel``."""

    @property
    def function(self) -> KernelFunction:
        """Function that computes the operator."""

    @property
    def out(self) -> Literal["none", "apart", "in place"]:
        """Kind of support for ``out=``: a tuple of contiguous memory for each result.

        ``"apart"``: memory of the right types that is none of the inputs', or None for results that
        it is to make; it may return results of its own all the same. ``"in place"``: memory that
        all results are written to, and that may be inputs: of a pointwise kernel any that has the
        result's type, of an optimizer's step those that it overwrites.
        """

    @property
    def pointwise(self) -> bool:
        """Whether the kernel is pointwise, so that ``out`` may be an input.

        It may be run on parts of flat arrays of one shape; graphs use that.
        """

    @property
    def threads(self) -> int | None:
        """Return the size from which :meth:`ThreadedTable.together` is used.

        A program with such a step is run inside of that. None: it never does.
        """

    @property
    def specialize(self) -> Specialize | None:
        """Function from types and parameters to a specialised kernel, if any.

        With the types of all inputs it is for one step of a graph: it takes ``out``, and what the
        operator needs beside its parameters.

        Without types (None) it takes inputs of all types, and no ``out``. Eager calls that repeat
        the parameters call that, and steps of programs do; where there are inputs, without what the
        operator needs beside them. It gives the one visible result of a call outside of training
        that is not recorded: none that is hidden, such as a mean or a mask; so there is none for
        parameters with which a call shows several results, or overwrites an input. But that of an
        optimizer's step (``out`` in place, and not pointwise) does what the kernel does, and takes
        ``out=``, too.
        """

    @property
    def loads(self) -> Collection[str]:
        """Parameters that may be scalar buffers, which the host does not read.

        Those of a parameter that holds several numbers may be a sequence of such buffers. Steps of
        optimizers are captured where what differs from step to step is given so.
        """

    @property
    def algorithm(self) -> Describe | None:
        """Function to the name of the algorithm for given operands, if there are several.

        Nothing depends on it: explanations of graphs show it. None where there is one algorithm.
        """

    @property
    def packing(self) -> Callable[[Params], Packing | None] | None:
        """Function from parameters to the packed form of an operand, if any.

        Eager calls that repeat the parameters cache it until the operand is overwritten.
        """


class Memory(Protocol):
    """Creates, copies and converts the buffers of one or more tables."""

    def empty(self, shape: tuple[int, ...], dtype: str, device: Any) -> Buffer:
        """Return a contiguous uninitialized buffer."""

    def from_numpy(self, array: npt.NDArray[Any], device: Any) -> Buffer:
        """Return a copy of a host array on ``device``."""

    def to_numpy(self, buffer: Buffer) -> npt.NDArray[Any]:
        """Return the content on the host, perhaps shared, after pending work."""

    def from_dlpack(self, array: Any, device: Any) -> Buffer:
        """Return a buffer on another library's memory, or a copy if that cannot be shared."""

    def contiguous(self, buffer: Buffer) -> Buffer:
        """Return the buffer itself if it is contiguous, else a copy."""

    def copy(self, buffer: Buffer) -> Buffer:
        """Return a contiguous copy on the same device."""

    def write(self, target: Buffer, value: Buffer) -> None:
        """Overwrite the content of ``target`` with ``value``, broadcast and cast to fit."""

    def span(self, buffer: Buffer) -> tuple[int, int]:
        """Return the span of its memory, in bytes: buffers of overlapping spans may share it."""

    def overlap(self, one: Buffer, other: Buffer) -> bool:
        """Return whether two buffers may share memory."""

    def dtype(self, buffer: Buffer) -> str:
        """Return the dtype name of ``buffer``."""

    def retain(self) -> None:
        """Keep the memory of freed buffers for reuse from now on, if that is optional."""


class PinningMemory(Memory, Protocol):
    """Memory with page-locked host buffers for asynchronous copies."""

    def pinned(self, buffer: Buffer) -> Buffer:
        """Return the content in page-locked memory; the buffer itself if that is impossible."""

    def sent(self, buffer: Buffer, device: Any) -> Buffer:
        """Return a contiguous copy on a device, perhaps still queued from page-locked memory.

        Work that is queued on the device later finds it done.
        """


class Limits(Protocol):
    """Hardware limits of a table, by which graphs are planned."""

    @property
    def threads(self) -> int:
        """Return the number of parts of one computation that may run at once."""

    @property
    def dtypes(self) -> Collection[str]:
        """Dtypes of values that plans lay out in arenas, overwrite, and fuse."""

    @property
    def alignment(self) -> int:
        """Alignment in bytes of values in an arena, a power of 2."""

    @property
    def small_bytes(self) -> int:
        """Size in bytes up to which creating a buffer is as fast as passing one."""

    @property
    def fusion_size(self) -> int:
        """Number of elements from which pointwise steps are fused."""

    @property
    def fusion_steps(self) -> int:
        """Maximal number of fused steps."""

    @property
    def split_bytes(self) -> int:
        """Live bytes of a program above which a batch is split."""

    @property
    def split_rows(self) -> int:
        """Minimal number of samples in a part of a batch."""

    @property
    def share_bytes(self) -> int:
        """Bytes of a program's values for which one part of a batch at a time is worthwhile."""


@dataclass(frozen=True, slots=True)
class PointwiseStep:
    """Step of a :class:`PointwiseGroup`."""

    kernel: str
    """Name of a pointwise kernel that the table has."""
    operands: tuple[int, ...]
    """Numbers of the values it takes."""
    params: Params


@dataclass(frozen=True, slots=True)
class PointwiseGroup:
    """Pointwise steps as data; values are numbered: inputs, then the result of each step."""

    inputs: int
    """How many inputs it has."""
    steps: tuple[PointwiseStep, ...]
    results: tuple[int, ...]
    """Numbers of the values that are needed, each the result of a step."""
    type: BufferType
    """Shape and dtype of every value."""


@runtime_checkable
class KernelTable(Protocol):
    """Kernels that share one buffer type.

    A table is found by an entry point of group ``hy.kernels`` whose value is a function that takes
    nothing and returns the table.
    """

    @property
    def name(self) -> str:
        """Entry-point name such as ``"numpy"``, shown in error messages."""

    @property
    def device_types(self) -> tuple[str, ...]:
        """Types of device that the table supports, such as ``"cpu"`` and ``"gpu"``."""

    @property
    def fallback(self) -> str | None:
        """Name of the table that has the kernels that this one and compositions lack.

        Its buffers may be of another type: operands are then carried there and back. Generators of
        this table are handed to its kernels.
        """

    @property
    def buffer_type(self) -> type[Any]:
        """Exact type of the buffers."""

    def count(self, device_type: str) -> int:
        """Return the number of devices of that type on this machine."""

    def device(self, device_type: str, device_id: int) -> Any:
        """Return the table's own handle of a device, as kernels that create arrays take it."""

    def find(self, kernel: str) -> Kernel | None:
        """Return the kernel of that name, or None."""

    @property
    def memory(self) -> Memory:
        """Return the maker of its buffers; several tables may share one."""

    def generator(self, seed: int, device: Any) -> Any:
        """Return a random generator for kernels that draw numbers."""

    def synchronize(self, device: Any) -> None:
        """Wait until all work queued on ``device`` is done."""


class FusingTable(KernelTable, Protocol):
    """Table that fuses pointwise steps into one kernel."""

    @property
    def numbers(self) -> Collection[str]:
        """Kernels whose steps on arrays of one element are fused, too."""

    def fuse(self, group: PointwiseGroup) -> Kernel:
        """Return the kernel of a group, from its inputs to a tuple of results.

        It takes ``out=``, for each result contiguous memory or None. That may be an input's which
        no step after the one that makes the result reads.
        """


class ThreadedTable(KernelTable, Protocol):
    """Table that runs parts of one computation in parallel."""

    def together(self, tasks: Sequence[Callable[[], Any]]) -> list[Any]:
        """Run independent tasks, in parallel where that is faster; return their results.

        A single task is run so that what it calls need not share the cores with threads that an
        array library keeps. Returns what the tasks return.
        """


class BorrowingTable(KernelTable, Protocol):
    """Table that delegates some of its work to another table's kernels."""

    def borrowed(self, kernel: str, device_type: str, dtypes: Sequence[str]) -> str:
        """Return the table and reason of a delegated kernel; empty if it is the table's own.

        Args:
            kernel: One that :meth:`find` gives.
            device_type: Where the operands are.
            dtypes: Of the operands, as far as they are known.
        """


@runtime_checkable
class LenientTable(Protocol):
    """Table with a variant for programs that did not select it."""

    def lenient(self) -> KernelTable:
        """Return a variant that warns once about a failing kernel and uses its fallback.

        The table itself raises an error then.
        """


class CapturingTable(KernelTable, Protocol):
    """Table that captures work to replay it cheaply."""

    @property
    def capture_types(self) -> Collection[str]:
        """Device types that may support capture."""

    @property
    def captures_draws(self) -> bool:
        """Return whether captured work may draw random numbers, new ones in each replay."""

    def capture(
        self,
        run: Callable[[list[Buffer]], tuple[Buffer, ...]],
        inputs: Sequence[Buffer],
        fixed: Collection[int],
        lent: Collection[int],
        device: Any,
        draws: tuple[Any, Callable[[], Any]] | None = None,
    ) -> Callable[[Sequence[Buffer]], tuple[Buffer, ...]] | None:
        """Return a replayable form of ``run``; None if the device does not support it.

        It takes buffers of the types of ``inputs``; those at positions ``fixed`` are these very
        ones each time, with whatever they hold then. It gives new buffers, but at positions
        ``lent`` the same ones each time, written over. One thread at a time calls it.

        Args:
            run: Computes results from a list of inputs, which it empties; it has run before, and is
                called once here, without any effect that counts.
            inputs: What it may be called with.
            fixed: Positions of the inputs that stay the same buffers.
            lent: Positions of the results that do, too.
            device: The table's handle of the device.
            draws: Where ``run`` draws: the generator that it draws from, which nobody else has, and
                what gives the one whose next numbers each call of the result is to draw.

        Raises:
            Exception: ``run`` does something that cannot be captured; it says what.
        """


class LimitedTable(KernelTable, Protocol):
    """Table that states the limits by which graphs are planned."""

    @property
    def limits(self) -> Limits:
        """Return the hardware."""


class ServedContext(Protocol):
    """Context with its kernel table, as observers see a device."""

    @property
    def context(self) -> Context:
        """Return the stream or queue of its kernels."""

    @property
    def table(self) -> KernelTable:
        """Table whose kernels run there."""

    @property
    def memory(self) -> Memory:
        """Return the maker and converter of the table's buffers."""

    @property
    def handle(self) -> Any:
        """Table's own handle of the device."""

    @property
    def buffer_type(self) -> type[Any]:
        """Exact type of the table's buffers."""
