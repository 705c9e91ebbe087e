"""Array: base class of all arrays: a buffer, its device, and its entry on the autograd tape."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray._dtypes import DTYPES
from hy_ndarray._errors import AutogradError, ShapeError
from hy_ndarray.core import _state
from hy_ndarray.devices._context import Context
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._levels import Level
from hy_ndarray.devices._protocols import Buffer, Params
from hy_ndarray.ops import Operator

Backward: TypeAlias = Callable[..., Sequence["Array | None"]]
STORAGES: dict[str, Any] = {}
"""Sparse array classes by storage type; they register themselves, so none is imported here."""


class Array:
    """Base class of arrays: a buffer of one dtype on one device, with its entry on the tape."""

    __slots__ = ("__weakref__", "_data", "_device", "_entry")

    _data: Buffer
    _device: Device
    _entry: "Entry | None"
    _dense: ClassVar[bool] = True
    """Whether the buffer holds every element; a sparse class has no kernels of its own."""
    _single: ClassVar[tuple[int, ...]] = (1,)
    """Shape of a single element that an index selects."""
    _reshaping: ClassVar[tuple[str, str]] = ("Reshape", "shape")
    """The operator that changes a shape, and its parameter."""

    @classmethod
    def from_buffer(cls, buffer: Buffer, device: Device) -> Self:
        """Wrap a buffer of the device's kernel table."""
        # numpy's functions return scalars, not arrays, for results without axes.
        if buffer.__class__ is not device.buffer_type:
            buffer = device.memory.from_numpy(buffer, device.handle)
        array = cls.__new__(cls)
        array._data = buffer
        array._device = device
        array._entry = None
        return array

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the sizes by axis."""
        return tuple(self._data.shape)

    @property
    def dtype(self) -> type[np.generic]:
        """Return the numpy scalar type of the elements."""
        return DTYPES[self._device.memory.dtype(self._data)]

    @property
    def size(self) -> int:
        """Return the number of elements."""
        count = 1
        for n in self._data.shape:
            count *= n
        return count

    @property
    def ndim(self) -> int:
        """Return the number of axes."""
        return len(self._data.shape)

    @property
    def context(self) -> Context:
        """Return the context that the array is on."""
        return self._device.context

    def asnumpy(self) -> npt.NDArray[Any]:
        """Return a copy as a numpy array on the host, after pending work has finished."""
        return np.array(self._device.memory.to_numpy(self._data), order="C")

    def detach(self) -> Self:
        """Return an array on the same memory that is not part of the recorded graph."""
        device = self._device
        if isinstance(device, Level):
            return self.from_buffer(device.detached(self._data), device)
        # Not from_buffer: the buffer is of the device's type already.
        array = self.__class__.__new__(self.__class__)
        array._data = self._data
        array._device = device
        array._entry = None
        return array

    def _live_entry(self) -> "Entry | None":
        """Return the array's entry on the tape, None if it has none or its graph was freed."""
        # in_graph and record_call, which run in each call, have this inline: a method call costs
        # more than the test. Classes are compared in place of isinstance for the same reason.
        entry = self._entry
        return None if entry.__class__ is tuple and entry[0].freed else entry

    def _write(self, value: "Array") -> None:
        """Overwrite the content by that of ``value`` without changing the tape."""
        data, device = self._data, self._device
        source, origin = value._data, value._device
        if origin is not device and origin.table is not device.table:
            if isinstance(origin, Level):
                value = origin.settled(value, self)
                origin = value._device
            if isinstance(device, Level):
                device.write(data, value._data if origin is device else device.lift(value))
                return
            if isinstance(origin, Level):
                self._write(value)
                return
            source = value._data
            host = origin.memory.to_numpy(source)
            source = device.memory.from_numpy(host, device.handle)
        # A kernel has already written this memory; only caches of its values must be invalidated.
        if source is data:
            device.wrote(source)
        else:
            device.write(data, source)

    def _assign_from(self, value: "Array") -> None:
        """Copy the content of ``value``; while recording, take over its tape entry, too."""
        # Before the content is written: if this raises, the array must be unchanged.
        entry = self._entry_from(value) if _state.scope.recording else None
        if value._data.shape != self._data.shape:
            raise ShapeError(f"cannot write an array {value.shape} into an array {self.shape}")
        self._write(value)
        if entry is not None:
            self._entry = entry

    def _entry_from(self, value: "Array") -> "Entry | None":
        """Return the tape entry that an in-place write of ``value`` gives to this array.

        Raises:
            AutogradError: This array is in a recorded graph already, or ``value`` was computed from
                it: the backward pass would read the overwritten content.
        """
        entry = value._live_entry()
        if self._live_entry() is not None or (
            # x = x * 2 in place: the recorded call would read its own result as its operand.
            isinstance(entry, tuple) and any(x is self for x in entry[0].inputs)
        ):
            raise AutogradError(
                "an array that is part of a recorded graph cannot be changed in place "
                "(+=, -=, out=, …) under autograd.record(); make a new array instead"
            )
        return entry


def refill(array: Array, value: Array) -> bool:
    """Make an array share the memory of another array of the same class, shape and dtype.

    Args:
        array: The array to change; all references to it see the new content.
        value: The array whose memory it shares from now on.

    Returns:
        Whether class, device, shape and dtype agree; if not, nothing is done.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.zeros((2,))
        >>> refill(x, nd.array([1, 2])), x.asnumpy()
        (True, array([1., 2.], dtype=float32))
    """
    same = (
        type(array) is type(value)
        and array._device is value._device
        and array.shape == value.shape
        and array.dtype == value.dtype
    )
    if same:
        array._data = value._data
    return same


class Leaf:
    """Tape entry of a variable: its gradient array, allocated on first use, and write mode.

    Args:
        grad: The gradient array, or a function that creates it.
        req: ``"write"`` or ``"add"``.
    """

    __slots__ = ("_first", "_make", "fresh", "grad", "req")

    def __init__(self, grad: "Array | Callable[[], Array]", req: str) -> None:
        self.grad: Array | None = None
        self._make: Callable[[], Array] | None = None
        if isinstance(grad, Array):
            self.grad = grad
        else:
            self._make, self._first = grad, dict[str, Array]()
        self.req = req
        self.fresh = False

    def gradient(self) -> Array:
        """Return the gradient array, allocated on first use."""
        make = self._make
        if make is not None:
            # Threads that create it at once all get the same one. There is no lock, as a process
            # forked while it is held would wait for it forever.
            self.grad = self._first.setdefault("gradient", make())
            self._make = None
        assert self.grad is not None
        return self.grad


class Node:
    """Tape node of one call: an operator with its operands, or a function with its own backward."""

    __slots__ = (
        "backward",
        "device",
        "entries",
        "freed",
        "inputs",
        "is_program",
        "is_train",
        "kind",
        "op",
        "outputs",
        "params",
        "visible",
    )

    def __init__(
        self,
        op: Operator | None,
        inputs: Sequence[Array | None],
        entries: "Sequence[Entry | None]",
        params: Params,
        outputs: Sequence[Array],
        is_train: bool,
        backward: Backward | None = None,
        is_program: bool = False,
    ) -> None:
        self.op = op
        self.inputs: tuple[Array | None, ...] = tuple(inputs)
        self.entries = entries
        self.params = params
        # Buffers, not arrays: arrays refer to the node, and a cycle would keep both alive.
        buffers: list[Buffer] = []
        for i, y in enumerate(outputs):
            buffers.append(y._data)
            y._entry = (self, i)
        self.outputs: tuple[Buffer, ...] = tuple(buffers)
        self.device: Device = outputs[0]._device
        self.kind = type(outputs[0])
        self.visible = len(outputs) if op is None or op.plain else op.num_visible(params)
        self.is_train = is_train
        self.backward = backward
        self.is_program = is_program
        self.freed = False

    @property
    def name(self) -> str:
        """Return the operator's name for messages; ``"function"`` if there is no operator."""
        return "function" if self.op is None else self.op.name

    def output(self, index: int) -> Array:
        """Return output ``index`` as an array that is part of the recorded graph."""
        array = self.kind.__new__(self.kind)
        array._data, array._device = self.outputs[index], self.device
        array._entry = (self, index)
        return array

    def free(self) -> None:
        """Drop everything saved for the backward pass; another one then raises an error."""
        self.freed = True
        self.inputs = self.entries = self.outputs = ()
        self.backward = None


Entry: TypeAlias = Leaf | tuple[Node, int]


def in_graph(arrays: Sequence[Array]) -> tuple[bool, ...]:
    """Return for each array whether it is a variable, or was computed from one while recording."""
    answers: list[bool] = []
    for x in arrays:
        entry = x._entry
        answers.append(entry is not None and not (entry.__class__ is tuple and entry[0].freed))
    return tuple(answers)


def record_call(
    op: Operator | None,
    inputs: Sequence[Array | None],
    params: Params,
    outputs: Sequence[Array],
    is_train: bool,
    backward: Backward | None = None,
    is_program: bool = False,
) -> None:
    """Record a call as a :class:`Node` if an operand is part of the graph."""
    entries: list[Entry | None] = []
    is_on_tape = False
    for x in inputs:
        entry = None if x is None else x._entry
        if entry is not None:
            if entry.__class__ is tuple and entry[0].freed:
                entry = None
            else:
                is_on_tape = True
        entries.append(entry)
    if is_on_tape:
        Node(op, inputs, entries, params, outputs, is_train, backward, is_program)
