"""Protocols of kernels and kernel tables that other packages implement."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy.typing as npt

from hy_ndarray.devices._context import Context


class BufferLike(Protocol):
    """Interface of a table's arrays, as far as hy-ndarray uses it."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes by axis."""

    @property
    def dtype(self) -> Any:
        """Dtype object, equal for equal dtypes; ``Memory.dtype`` returns its name."""

    def reshape(self, shape: tuple[int, ...]) -> Any:
        """Return the elements in another shape; a view if the buffer is contiguous."""

    def __getitem__(self, key: Any) -> Any:
        """Return a view of the part at ``key``: integers and slices of positive step."""

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write a part; the key may also have int64 index buffers."""

    def __dlpack__(self, **options: Any) -> Any:
        """Return a DLPack capsule of the memory."""


Buffer: TypeAlias = Any
"""Array of a table, a :class:`BufferLike`: ``numpy.ndarray``, ``torch.Tensor`` …"""

Params: TypeAlias = Mapping[str, Any]

KernelFunction: TypeAlias = Callable[..., Any]
"""Inputs positional, parameters by keyword; returns one buffer, or a tuple for several outputs."""

BufferType: TypeAlias = tuple[tuple[int, ...], str]
"""Shape and dtype."""

Describe: TypeAlias = Callable[[Sequence[BufferType | None], Params], str | None]
"""Function from types and parameters to a name; see :attr:`Kernel.algorithm`."""

Specialize: TypeAlias = Callable[
    [Sequence[BufferType | None] | None, Params], KernelFunction | None
]
"""Function from types and parameters to a function; see :attr:`Kernel.specialize`."""


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
    """Function that computes an operator, with its properties.

    A result shares memory neither with an input, unless that is in ``out``, nor with memory that
    the next call overwrites.
    """

    @property
    def name(self) -> str:
        """Name of the kernel, as in ``Operator.kernel``."""

    @property
    def function(self) -> KernelFunction:
        """Function that computes the operator."""

    @property
    def out(self) -> Literal["none", "apart", "first", "in place"]:
        """Kind of support for ``out=``, a tuple with a contiguous out buffer for each result.

        ``"apart"``: out buffers of the right types that do not overlap inputs, or None for results
        to allocate; the kernel may still return other buffers. ``"first"``: likewise, or the first
        input, which the result is a copy of with some elements replaced; no other overlaps it.
        ``"in place"``: all results are written to the out buffers, which may be inputs: for a
        pointwise kernel any input of the result's type, for an optimizer step the inputs that it
        updates.
        """

    @property
    def pointwise(self) -> bool:
        """Whether the kernel is pointwise, so that ``out`` may be an input.

        Graphs may also run it on slices of flattened arrays of one shape.
        """

    @property
    def threads(self) -> int | None:
        """Return the number of elements from which :meth:`ThreadedTable.together` is used.

        A program with such a step runs inside ``together``. None: the kernel never uses it.
        """

    @property
    def specialize(self) -> Specialize | None:
        """Function from types and parameters to a specialised kernel, or None.

        Given the types of all inputs, the specialised kernel is for one step of a graph: it takes
        ``out``, and the operator's extra arguments such as ``rng``.

        Given None in place of types, it is for inputs of all types, and takes no ``out``: for eager
        calls with repeated parameters, and for steps of programs. If there are inputs, it gets no
        extra arguments. It returns the single visible result of an unrecorded call outside of
        training, and no hidden one such as a mean or a mask; so there is no specialised kernel for
        parameters with several visible results or updated inputs. The exception are optimizer steps
        (``out`` in place, and not pointwise), which update inputs as usual and take ``out=``.
        """

    @property
    def loads(self) -> Collection[str]:
        """Names of parameters that may be scalar buffers, so that the host need not read them.

        A parameter of several numbers may be a sequence of such buffers. Captured optimizer steps
        take the numbers that vary by step, such as the learning rate, this way.
        """

    @property
    def algorithm(self) -> Describe | None:
        """Function from types and parameters to the name of the algorithm, or None.

        Only explanations of graphs use the name. None if there is a single algorithm.
        """

    @property
    def packing(self) -> Callable[[Params], Packing | None] | None:
        """Function from parameters to the packed form of an operand, if any.

        Eager calls that repeat the parameters cache it until the operand is overwritten.
        """


class Memory(Protocol):
    """Allocation, copies and conversions of the buffers of one or more tables."""

    def empty(self, shape: tuple[int, ...], dtype: str, device: Any) -> Buffer:
        """Return a contiguous uninitialized buffer."""

    def from_numpy(self, array: npt.NDArray[Any], device: Any) -> Buffer:
        """Return a copy of a host array on ``device``."""

    def to_numpy(self, buffer: Buffer) -> npt.NDArray[Any]:
        """Return the content as a host array, possibly sharing memory, after pending work."""

    def from_dlpack(self, array: Any, device: Any) -> Buffer:
        """Return a buffer on another library's memory, or a copy if it cannot be shared."""

    def contiguous(self, buffer: Buffer) -> Buffer:
        """Return the buffer itself if it is contiguous, else a copy."""

    def copy(self, buffer: Buffer) -> Buffer:
        """Return a contiguous copy on the same device."""

    def write(self, target: Buffer, value: Buffer) -> None:
        """Overwrite the content of ``target`` with ``value``, broadcast and cast to fit."""

    def span(self, buffer: Buffer) -> tuple[int, int]:
        """Return start and end address; only buffers with overlapping spans may share memory."""

    def overlap(self, one: Buffer, other: Buffer) -> bool:
        """Return whether two buffers may share memory."""

    def dtype(self, buffer: Buffer) -> str:
        """Return the dtype name of ``buffer``."""

    def retain(self) -> None:
        """Keep freed memory for reuse from now on, if the table leaves that choice."""


class PinningMemory(Memory, Protocol):
    """Memory with page-locked host buffers for asynchronous copies."""

    def pinned(self, buffer: Buffer) -> Buffer:
        """Return a page-locked copy of the content; the buffer itself if impossible."""

    def sent(self, buffer: Buffer, device: Any) -> Buffer:
        """Return a contiguous copy on a device; from page-locked memory it is asynchronous.

        Work that is queued on the device later sees the finished copy.
        """


class Limits(Protocol):
    """Hardware limits of a table, by which graphs are planned."""

    @property
    def threads(self) -> int:
        """Return the number of parts of one computation that may run at once."""

    @property
    def dtypes(self) -> Collection[str]:
        """Dtypes of values that plans place in arenas, overwrite in place, and fuse."""

    @property
    def alignment(self) -> int:
        """Alignment in bytes of values in an arena, a power of 2."""

    @property
    def small_bytes(self) -> int:
        """Size in bytes up to which allocating a result is as fast as passing an out buffer."""

    @property
    def fusion_size(self) -> int:
        """Number of elements from which pointwise steps are fused."""

    @property
    def fusion_steps(self) -> int:
        """Maximal number of steps in a fused kernel."""

    @property
    def split_bytes(self) -> int:
        """Peak live bytes of a program above which a batch is split."""

    @property
    def split_rows(self) -> int:
        """Minimal number of samples in each part of a split batch."""

    @property
    def share_bytes(self) -> int:
        """Total bytes of a program's values from which it pays to run a batch in parts."""


@dataclass(frozen=True, slots=True)
class PointwiseStep:
    """Step of a :class:`PointwiseGroup`: a kernel, its operands and its parameters."""

    kernel: str
    """Name of a pointwise kernel that the table has."""
    operands: tuple[int, ...]
    """Indices of the operands among the group's values."""
    params: Params


@dataclass(frozen=True, slots=True)
class PointwiseGroup:
    """Pointwise steps as data; values are numbered: inputs, then the result of each step."""

    inputs: int
    """Number of inputs."""
    steps: tuple[PointwiseStep, ...]
    results: tuple[int, ...]
    """Indices of the values to return, each the result of a step."""
    type: BufferType
    """Shape and dtype of every value."""


@runtime_checkable
class KernelTable(Protocol):
    """Backend: a set of kernels that share one buffer type.

    Tables are discovered by entry points of group ``hy.kernels``, whose value is a function without
    arguments that returns the table.
    """

    @property
    def name(self) -> str:
        """Entry-point name such as ``"numpy"``, shown in error messages."""

    @property
    def device_types(self) -> tuple[str, ...]:
        """Device types that the table supports, such as ``"cpu"`` and ``"gpu"``."""

    @property
    def fallback(self) -> str | None:
        """Name of the table that provides kernels that this one and compositions lack.

        If its buffer type differs, operands and results are converted. Its kernels get this table's
        random generators.
        """

    @property
    def buffer_type(self) -> type[Any]:
        """Exact type of the buffers."""

    def count(self, device_type: str) -> int:
        """Return the number of devices of a type on this machine."""

    def device(self, device_type: str, device_id: int) -> Any:
        """Return the table's own handle of a device, for kernels that create arrays."""

    def find(self, kernel: str) -> Kernel | None:
        """Return the kernel of that name, or None."""

    @property
    def memory(self) -> Memory:
        """Return the allocator and converter of buffers; several tables may share one."""

    def generator(self, seed: int, device: Any) -> Any:
        """Return a random generator for the kernels that draw random numbers."""

    def synchronize(self, device: Any) -> None:
        """Wait until all work queued on ``device`` is done."""


class FusingTable(KernelTable, Protocol):
    """Table that fuses pointwise steps into one kernel."""

    @property
    def numbers(self) -> Collection[str]:
        """Names of kernels whose steps on arrays of one element are fused, too."""

    def fuse(self, group: PointwiseGroup) -> Kernel:
        """Return a kernel that takes the group's inputs and returns a tuple of its results.

        It takes ``out=``: for each result a contiguous out buffer, or None. An out buffer may be an
        input that no later step reads.
        """


class ThreadedTable(KernelTable, Protocol):
    """Table that runs parts of one computation in parallel threads."""

    def together(self, tasks: Sequence[Callable[[], Any]]) -> list[Any]:
        """Run independent tasks, in parallel where that is faster; return their results.

        A single task is run such that its calls do not compete for cores with an array library's
        own thread pool.
        """


class BorrowingTable(KernelTable, Protocol):
    """Table that delegates some of its calls to another table's kernels."""

    def borrowed(self, kernel: str, device_type: str, dtypes: Sequence[str]) -> str:
        """Return a note, with table and reason, if a kernel is delegated; empty if not.

        Args:
            kernel: The name of a kernel that :meth:`find` returns.
            device_type: The type of device that the operands are on.
            dtypes: The dtypes of the operands, as far as they are known.
        """


@runtime_checkable
class LenientTable(Protocol):
    """Table with a variant for programs that did not select it explicitly."""

    def lenient(self) -> KernelTable:
        """Return a variant that warns once about a failing kernel and uses its fallback.

        The table itself raises the kernel's error instead.
        """


class CapturingTable(KernelTable, Protocol):
    """Table that captures work for cheap replay, as CUDA graphs do."""

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

        It takes buffers of the types of ``inputs``; those at positions ``fixed`` must be the
        buffers given here, with any content. It returns new buffers, except at positions ``lent``,
        where each call overwrites and returns the same ones. It is not thread-safe.

        Args:
            run: Computes results from a list of inputs, which it empties. It has run before, and is
                called once here, without a lasting effect.
            inputs: Example inputs.
            fixed: Positions of the inputs that are the same buffers in each call.
            lent: Positions of the results that are the same buffers in each call.
            device: The table's handle of the device.
            draws: If ``run`` draws: the generator that it uses, exclusively, and a function that
                returns the generator from whose state each replay continues.

        Raises:
            Exception: ``run`` does something that cannot be captured; the message says what.
        """


class LimitedTable(KernelTable, Protocol):
    """Table that states hardware limits, by which graphs are planned."""

    @property
    def limits(self) -> Limits:
        """Return the hardware limits."""


class ServedContext(Protocol):
    """Device, a context with its kernel table, as observers see it."""

    @property
    def context(self) -> Context:
        """Return the context: device type and number."""

    @property
    def table(self) -> KernelTable:
        """Table whose kernels run on the device."""

    @property
    def memory(self) -> Memory:
        """Return the allocator and converter of the table's buffers."""

    @property
    def handle(self) -> Any:
        """Table's own handle of the device."""

    @property
    def buffer_type(self) -> type[Any]:
        """Exact type of the table's buffers."""
