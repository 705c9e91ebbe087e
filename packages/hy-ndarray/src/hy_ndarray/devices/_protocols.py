"""Protocols that other packages provide to hy-ndarray: kernels, in tables. No implementation."""

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
    "Step",
    "StepFormula",
    "StepRule",
    "SteppingTable",
    "ThreadedTable",
]


class BufferLike(Protocol):
    """Buffer as hy-ndarray needs it; kernels and the table's memory may need more."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes by axis."""

    @property
    def dtype(self) -> Any:
        """The dtype, equal where two buffers have the same; ``Memory.dtype`` gives its name."""

    def reshape(self, shape: tuple[int, ...]) -> Any:
        """The elements in another shape; shares memory where it is contiguous."""

    def __getitem__(self, key: Any) -> Any:
        """A part, by integers and slices of positive step; shares memory."""

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write a part; the key may have buffers of int64 indices, too."""

    def __dlpack__(self, **options: Any) -> Any:
        """Return the capsule by which other libraries take the memory over."""


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


class Kernel(Protocol):
    """A function that computes an operator, and what may be done with it; a plain record will do.

    No result shares memory with an input that is not in ``out``, or with anything that the next
    call changes.
    """

    @property
    def name(self) -> str:
        """That of the operator's record, ``Operator.kernel``."""

    @property
    def function(self) -> KernelFunction:
        """Return the function that computes."""

    @property
    def out(self) -> Literal["none", "apart", "in place"]:
        """Return the kind of ``out=``: a tuple with contiguous memory for each result.

        ``"apart"``: memory of the right types that is none of the inputs', or None for results that
        it is to make; it may return results of its own all the same. ``"in place"``: memory that
        all results are written to, and that may be inputs: of a pointwise kernel any that has the
        result's type, of an optimizer's step those that it overwrites.
        """

    @property
    def pointwise(self) -> bool:
        """Whether each element follows from those at its place; it then takes ``out`` in place.

        It may be run on parts of flat arrays of one shape; graphs use that.
        """

    @property
    def threads(self) -> int | None:
        """Elements of an input or a result from which it may call :meth:`ThreadedTable.together`.

        A program with such a step is run inside of that. None: it never does.
        """

    @property
    def specialize(self) -> Specialize | None:
        """Gives the function for these parameters alone, which is called without them, if any.

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
        """Parameters whose numbers may be buffers without axes, which the host never reads then.

        Those of a parameter that holds several numbers may be a sequence of such buffers. Steps of
        optimizers are captured where what differs from step to step is given so.
        """

    @property
    def algorithm(self) -> Describe | None:
        """Names the algorithm that computes a step with such operands, where there are several.

        Nothing depends on it: explanations of graphs show it. None where there is one algorithm.
        """


class Memory(Protocol):
    """Makes, copies and converts the buffers of a table, or of several that share a buffer type."""

    def empty(self, shape: tuple[int, ...], dtype: str, device: Any) -> Buffer:
        """A contiguous buffer of any values, for results that are written to it."""

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
        """Return the span of its memory, in bytes: buffers of overlapping spans may share it."""

    def overlap(self, one: Buffer, other: Buffer) -> bool:
        """Whether two buffers may share memory: what their spans say, or more exactly."""

    def dtype(self, buffer: Buffer) -> str:
        """Dtype name of ``buffer``."""

    def retain(self) -> None:
        """Keep the memory of freed buffers for later ones from now on, where that is a choice."""


class PinningMemory(Memory, Protocol):
    """A memory with page-locked buffers on the host, which a device reads while programs go on."""

    def pinned(self, buffer: Buffer) -> Buffer:
        """The content in page-locked memory; the buffer itself if it is there, or if none helps."""

    def sent(self, buffer: Buffer, device: Any) -> Buffer:
        """A contiguous copy on a device; from page-locked memory it may be queued, not yet done.

        Work that is queued on the device later finds it done.
        """


class Limits(Protocol):
    """Hardware of a table; graphs are planned by it."""

    @property
    def threads(self) -> int:
        """Return the number of parts of one computation that may run at once."""

    @property
    def dtypes(self) -> Collection[str]:
        """Dtypes of the values that graphs lay out in memory, write over operands, and fuse."""

    @property
    def alignment(self) -> int:
        """Bytes: where values that are laid out in one memory begin, a power of 2."""

    @property
    def small_bytes(self) -> int:
        """Bytes of a buffer up to which making a new one costs no more than passing one."""

    @property
    def fusion_size(self) -> int:
        """Elements of arrays from which pointwise steps are fused."""

    @property
    def fusion_steps(self) -> int:
        """Steps that are fused at most."""

    @property
    def split_bytes(self) -> int:
        """Bytes that live inside a program from which a batch is predicted in parts."""

    @property
    def split_rows(self) -> int:
        """Samples of such a part, at least."""

    @property
    def share_bytes(self) -> int:
        """Bytes of all values inside a program that are worth a part of the batch at once."""


@dataclass(frozen=True, slots=True)
class PointwiseStep:
    """One step of a :class:`PointwiseGroup`."""

    kernel: str
    """Name of a pointwise kernel that the table has."""
    operands: tuple[int, ...]
    """Numbers of the values it takes."""
    params: Params


@dataclass(frozen=True, slots=True)
class PointwiseGroup:
    """Pointwise steps as data; values are numbered, inputs first, then the result of each step."""

    inputs: int
    """How many inputs it has."""
    steps: tuple[PointwiseStep, ...]
    results: tuple[int, ...]
    """Numbers of the values that are needed, each the result of a step."""
    type: BufferType
    """Shape and dtype of every value."""


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
        """Name of the table to ask for kernels that neither this one nor compositions give.

        Its buffers may be of another type: operands are then carried there and back. Generators of
        this table are handed to its kernels.
        """

    @property
    def buffer_type(self) -> type[Any]:
        """The exact type of its buffers."""

    def count(self, device_type: str) -> int:
        """Return the number of devices of that type on this machine."""

    def device(self, device_type: str, device_id: int) -> Any:
        """The table's own handle of a device, handed to kernels that create arrays."""

    def find(self, kernel: str) -> Kernel | None:
        """The kernel of that name, or ``None``."""

    @property
    def memory(self) -> Memory:
        """Return the maker of its buffers; several tables may share one."""

    def generator(self, seed: int, device: Any) -> Any:
        """A random generator for kernels that draw numbers."""

    def synchronize(self, device: Any) -> None:
        """Wait until all work queued on ``device`` is done."""


class FusingTable(KernelTable, Protocol):
    """A table that makes one kernel of several pointwise steps; without one they run in turn."""

    @property
    def numbers(self) -> Collection[str]:
        """Kernels of which steps on arrays of one element are fused, too."""

    def fuse(self, group: PointwiseGroup) -> Kernel:
        """The kernel of a group: it takes the inputs and returns a tuple of the results.

        It takes ``out=``, for each result contiguous memory or None. That may be an input's which
        no step behind the one that makes the result reads.
        """


class StepFormula(Protocol):
    """Computation of an optimizer's rule; values are numbered as in a :class:`PointwiseGroup`."""

    @property
    def inputs(self) -> int:
        """Weight, gradient and states."""

    @property
    def steps(self) -> Sequence[PointwiseStep]:
        """Parameters are numbers, or have a ``constant``: the number of the one that is meant."""

    @property
    def results(self) -> Sequence[int]:
        """Numbers of the new weight and the new states; may be inputs."""

    @property
    def constants(self) -> Callable[..., tuple[Any, ...]]:
        """Computes the constants from the rule's numbers, or from buffers that hold these."""

    @property
    def is_pointwise(self) -> bool:
        """Whether all steps are of pointwise kernels."""


class StepRule(Protocol):
    """A rule by which an optimizer changes a weight and its states."""

    @property
    def name(self) -> str:
        """That of its operator on one weight."""

    @property
    def arrays(self) -> Sequence[str]:
        """Weight, gradient and states."""

    @property
    def numbers(self) -> Sequence[str]:
        """Names of its numbers."""

    @property
    def guard(self) -> str:
        """The number with which nothing changes where it is 0 or not finite; "": there is none."""

    @property
    def phases(self) -> Sequence["StepRule"]:
        """The rules it is made of, if it is."""

    def formula(self, numbers: Sequence[Any], *, narrow: bool = False) -> StepFormula:
        """Return the formula for such numbers; of absent ones nothing is left.

        Args:
            numbers: Python's, or buffers without axes.
            narrow: Whether the weight of 16 bits is among the inputs, as the last.
        """


class Step(Protocol):
    """Step that a table makes of a rule."""

    @property
    def loads(self) -> bool:
        """Whether numbers may be buffers without axes."""

    def __call__(
        self, rows: Sequence[tuple[Buffer, ...]], numbers: Sequence[tuple[Any, ...]]
    ) -> None:
        """Overwrite weights and states, all of them without gaps.

        Args:
            rows: Of each weight itself, its gradient, and its states, all of one shape; behind
                them, if there is one, the weight of 16 bits that gets the new weight, too.
            numbers: Of each weight, in the order of the rule.
        """

    def single(self, numbers: tuple[Any, ...]) -> Callable[[tuple[Buffer, ...]], None] | None:
        """Return what steps one row by these numbers; None: there is no shorter way for one.

        It is made once for the numbers of repeated calls. All arrays of the row are of one dtype.
        """


class SteppingTable(KernelTable, Protocol):
    """A table that steps weights as a whole; without one the rule's operators run in turn."""

    def step(self, rule: StepRule) -> Step | None:
        """Return the step of a rule; None: its operators are to run in turn."""


class ThreadedTable(KernelTable, Protocol):
    """A table that runs parts of one computation at once; without one they run in turn."""

    def together(self, tasks: Sequence[Callable[[], Any]]) -> list[Any]:
        """Run tasks that do not depend on each other, at once where that is faster.

        A single task is run so that what it calls need not share the cores with threads that an
        array library keeps. Returns what the tasks return.
        """


class BorrowingTable(KernelTable, Protocol):
    """A table that leaves some of its work to another's kernels; without one all is its own."""

    def borrowed(self, kernel: str, device_type: str, dtypes: Sequence[str]) -> str:
        """Whose kernel computes instead, and where; empty if it is the table's own.

        Args:
            kernel: One that :meth:`find` gives.
            device_type: Where the operands are.
            dtypes: Of the operands, as far as they are known.
        """


@runtime_checkable
class LenientTable(Protocol):
    """A table that is another one for those who did not choose it; without one it is the same."""

    def lenient(self) -> KernelTable:
        """A table that tells of a kernel that does not work, once, and leaves it to its fallback.

        The table itself raises an error then.
        """


class CapturingTable(KernelTable, Protocol):
    """A table that runs the same work again at less cost; without one it is done anew each time."""

    @property
    def capture_types(self) -> Collection[str]:
        """The device types of which some devices can do that."""

    @property
    def captures_draws(self) -> bool:
        """Whether that may be work that draws random numbers, others each time."""

    def capture(
        self,
        run: Callable[[list[Buffer]], tuple[Buffer, ...]],
        inputs: Sequence[Buffer],
        fixed: Collection[int],
        lent: Collection[int],
        device: Any,
        draws: tuple[Any, Callable[[], Any]] | None = None,
    ) -> Callable[[Sequence[Buffer]], tuple[Buffer, ...]] | None:
        """A function that does what ``run`` does; None where the device has no such thing.

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
    """A table that says by which sizes graphs are planned; without one they are not."""

    @property
    def limits(self) -> Limits:
        """Return the hardware."""


class ServedContext(Protocol):
    """A context and the kernel table that serves it: what an observer sees of a device."""

    @property
    def context(self) -> Context:
        """Return the stream or queue of its kernels."""

    @property
    def table(self) -> KernelTable:
        """Whose kernels run there."""

    @property
    def memory(self) -> Memory:
        """Return the maker and converter of the table's buffers."""

    @property
    def handle(self) -> Any:
        """The table's own handle of the device."""

    @property
    def buffer_type(self) -> type[Any]:
        """The exact type of the table's buffers."""
