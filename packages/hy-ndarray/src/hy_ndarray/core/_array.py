"""Array: base of all arrays, a buffer on a device with an entry on the tape."""

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

__all__ = [
    "STORAGES",
    "Array",
    "Backward",
    "Entry",
    "Leaf",
    "Node",
    "in_graph",
    "record_call",
    "refill",
]

Backward: TypeAlias = Callable[..., Sequence["Array | None"]]
STORAGES: dict[str, Any] = {}
"""Classes of sparse arrays by storage type; they enter themselves, so that none is imported."""


class Array:
    """A buffer of one dtype on one device, with its entry on the tape; users have subclasses."""

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
        """Return a copy as a numpy array on the host; waits for pending work."""
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
        """Return the array's entry on the tape, None if its graph was freed."""
        # in_graph and record_call, which run in each call, have this inline: a method call costs
        # more than the test. Classes are compared in place of isinstance for the same reason.
        entry = self._entry
        return None if entry.__class__ is tuple and entry[0].freed else entry

    def _write(self, value: "Array") -> None:
        """Overwrite the content without changing the tape."""
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
        # A kernel has computed the value in this memory; only caches of it have to hear of that.
        if source is data:
            device.wrote(source)
        else:
            device.write(data, source)

    def _assign_from(self, value: "Array") -> None:
        """Copy the content of ``value``, and while recording its entry on the tape."""
        # Before the content is written: what raises must leave the array as it was.
        entry = self._entry_from(value) if _state.scope.recording else None
        if value._data.shape != self._data.shape:
            raise ShapeError(f"cannot write {value.shape} into an array {self.shape}")
        self._write(value)
        if entry is not None:
            self._entry = entry

    def _entry_from(self, value: "Array") -> "Entry | None":
        """Return the entry of ``value``, for an array that is overwritten while recording.

        Raises:
            AutogradError: The old content is still needed for a backward pass.
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
    """Replace the content of an array by the memory of another one of its class.

    Args:
        array: The array whose holders are to see the content.
        value: The array with the content.

    Returns:
        Whether it is of the same class, device, shape and dtype; if not, nothing is done.

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
    """Variable: an array with a gradient, which is allocated on first use.

    Args:
        grad: The gradient, or what makes it.
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
        """Return the gradient, allocated on first use."""
        make = self._make
        if make is not None:
            # Of threads that make it at once all get the same one; a lock would be held by nobody
            # in a process that is forked meanwhile.
            self.grad = self._first.setdefault("gradient", make())
            self._make = None
        assert self.grad is not None
        return self.grad


class Node:
    """One recorded call: an operator with its operands, or a function with its own backward."""

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
        """Return the name of the operator in messages."""
        return "function" if self.op is None else self.op.name

    def output(self, index: int) -> Array:
        """Return output ``index`` as an array, part of the graph."""
        array = self.kind.__new__(self.kind)
        array._data, array._device = self.outputs[index], self.device
        array._entry = (self, index)
        return array

    def free(self) -> None:
        """Release everything that was saved; a second backward pass then raises."""
        self.freed = True
        self.inputs = self.entries = self.outputs = ()
        self.backward = None


Entry: TypeAlias = Leaf | tuple[Node, int]


def in_graph(arrays: Sequence[Array]) -> tuple[bool, ...]:
    """Return for each array whether it is a variable or was computed from one while recording."""
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
    """Record a call on the tape if an operand is part of the graph; see :class:`Node`."""
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
