"""NDArray: an array on a device, with MXNet's methods."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from hy_ndarray import _dispatch, _indexing, _printing, _state
from hy_ndarray._dtypes import DTYPES, dtype_name
from hy_ndarray._errors import AutogradError, HyError, ShapeError
from hy_ndarray._protocols import Buffer, Params
from hy_ndarray._tables import Device, device_of
from hy_ndarray.context import Context, current_context
from hy_ndarray.ops import Operator, find

if TYPE_CHECKING:
    from hy_ndarray.autograd import Entry

__all__ = ["NDArray", "array_from"]

_NO_PARAMS: Params = {}


class NDArray:
    """A multi-dimensional array of one dtype on one device.

    Made by :func:`hy_ndarray.nd.array` and its kin, or by operators.

    Example:
        >>> from hy_ndarray import nd
        >>> (nd.array([[1, 2], [3, 4]]) * 2).asnumpy()
        array([[2., 4.],
               [6., 8.]], dtype=float32)
    """

    __slots__ = ("__weakref__", "_data", "_device", "_entry")
    __array_priority__ = 1000.0  # numpy leaves mixed arithmetic to this class

    _data: Buffer
    _device: Device
    _entry: "Entry | None"

    @classmethod
    def from_buffer(cls, buffer: Buffer, device: Device) -> Self:
        """Wrap a buffer of the device's kernel table."""
        if buffer.__class__ is not device.buffer_type:
            buffer = device.table.from_numpy(buffer, device.handle)
        array = cls.__new__(cls)
        array._data = buffer
        array._device = device
        array._entry = None
        return array

    @classmethod
    def apply_operator(
        cls,
        op: Operator,
        inputs: Sequence[Any],
        params: Params,
        is_train: bool | None = None,
    ) -> Any:
        """Run ``op``; part of the :class:`Operand` protocol."""
        return _dispatch.invoke(op, inputs, params, is_train=is_train)

    # --- what it is -------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes by axis."""
        return tuple(self._data.shape)

    @property
    def dtype(self) -> type[np.generic]:
        """Numpy scalar type of the elements."""
        return DTYPES[self._device.table.dtype(self._data)]

    @property
    def size(self) -> int:
        """Number of elements."""
        count = 1
        for n in self._data.shape:
            count *= n
        return count

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._data.shape)

    @property
    def context(self) -> Context:
        """The device it lives on."""
        return self._device.context

    ctx = context

    @property
    def buffer(self) -> Buffer:
        """The kernel table's own array; changes to it are changes to this array."""
        return self._data

    @property
    def device(self) -> Device:
        """Context and kernel table."""
        return self._device

    @property
    def stype(self) -> str:
        """Storage type: always ``"default"``, dense."""
        return "default"

    @property
    def T(self) -> Any:  # noqa: N802  # MXNet's name
        """The transpose."""
        op = find("transpose")
        return _dispatch.invoke(op, (self,), op.defaults)

    # --- conversion -------------------------------------------------------------------------

    def asnumpy(self) -> npt.NDArray[Any]:
        """A copy on the host; waits for pending work."""
        return np.array(self._device.table.to_numpy(self._data))

    def asscalar(self) -> Any:
        """The only element, as a numpy scalar.

        Raises:
            ShapeError: There is more than one element, or none.
        """
        if self.size != 1:
            raise ShapeError(f"asscalar: array {self.shape} has {self.size} elements, not 1")
        return self.asnumpy().reshape(1)[0]

    def item(self) -> Any:
        """The only element, as a Python number."""
        return self.asscalar().item()

    def tolist(self) -> Any:
        """Nested lists of Python numbers."""
        return self.asnumpy().tolist()

    def astype(self, dtype: object, copy: bool = True) -> "NDArray":
        """The array in another dtype; itself where ``copy`` is False and nothing changes."""
        name = dtype_name(dtype)
        if not copy and name == self._device.table.dtype(self._data):
            return self
        result: NDArray = _dispatch.invoke(find("Cast"), (self,), {"dtype": name})
        return result

    def copy(self) -> "NDArray":
        """A copy on the same device."""
        op = find("_copy")
        result: NDArray = _dispatch.invoke(op, (self,), op.defaults)
        return result

    def copyto(self, other: "NDArray | Context") -> "NDArray":
        """Copy into another array, or to a context as a new array.

        Raises:
            ShapeError: The other array has another shape.
        """
        if isinstance(other, Context):
            return self._moved(other)
        if other is self:
            return other
        if other.shape != self.shape:
            raise ShapeError(f"copyto: source {self.shape} and target {other.shape} differ")
        other._write(self)
        return other

    def _moved(self, context: Context) -> "NDArray":
        device = device_of(context)
        if device is self._device:
            return self.copy()
        with_numpy = self._device.table.to_numpy(self._data)
        return type(self).from_buffer(device.table.from_numpy(with_numpy, device.handle), device)

    def as_in_context(self, context: Context) -> "NDArray":
        """The array on ``context``; itself if it is there already."""
        return self if context == self.context else self._moved(context)

    as_in_ctx = as_in_context

    def as_nd_ndarray(self) -> "NDArray":
        """The array as a classic NDArray; itself."""
        return self

    def detach(self) -> "NDArray":
        """The same memory outside of the recorded graph."""
        return type(self).from_buffer(self._data, self._device)

    def wait_to_read(self) -> None:
        """Wait until the value is computed."""
        self._device.table.synchronize(self._device.handle)

    wait_to_write = wait_to_read

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        values = self._device.table.to_numpy(self._data)
        return np.array(values, dtype=dtype) if copy else np.asarray(values, dtype=dtype)

    def __dlpack__(self, **options: Any) -> Any:
        return self._data.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self._data.__dlpack_device__()
        return device

    def to_dlpack_for_read(self) -> Any:
        """A DLPack capsule over the same memory."""
        return self._data.__dlpack__()

    to_dlpack_for_write = to_dlpack_for_read

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.asnumpy(), self.context)

    def __copy__(self) -> "NDArray":
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> "NDArray":
        return self.copy()

    # --- gradients --------------------------------------------------------------------------

    def attach_grad(self, grad_req: str = "write", stype: str | None = None) -> None:
        """Make the array a variable: leave the graph it is in, and keep its gradient.

        Args:
            grad_req: ``"write"`` replaces the gradient in each backward pass, ``"add"`` adds to
                it, ``"null"`` keeps none.
            stype: Storage of the gradient; only dense is built.

        Raises:
            AutogradError: ``grad_req`` is none of these, or ``stype`` is not dense.
        """
        from hy_ndarray import autograd  # noqa: PLC0415  # autograd needs NDArray

        if stype not in (None, "default"):
            raise AutogradError(f"attach_grad: stype={stype!r}; only dense gradients are built")
        op = find("zeros_like")
        with autograd.pause():
            zeros = _dispatch.invoke(op, (self,), op.defaults)
        autograd.mark_variables(self, zeros, grad_req)

    def drop_grad(self) -> None:
        """Stop keeping a gradient."""
        self._entry = None

    @property
    def grad(self) -> "NDArray | None":
        """The gradient kept, for a variable; else None."""
        entry = self._entry
        return None if entry is None or isinstance(entry, tuple) else entry.grad

    @property
    def in_graph(self) -> bool:
        """Whether it is a variable, or was computed from one while recording."""
        return self._entry is not None

    def backward(
        self,
        out_grad: "NDArray | None" = None,
        retain_graph: bool = False,
        train_mode: bool = True,
    ) -> None:
        """Compute gradients of this array with respect to the variables it depends on."""
        from hy_ndarray import autograd  # noqa: PLC0415  # autograd needs NDArray

        grads = None if out_grad is None else [out_grad]
        autograd.backward([self], grads, retain_graph, train_mode)

    # --- change in place --------------------------------------------------------------------

    def _write(self, value: "NDArray") -> None:
        """Overwrite the content; the recorded graph is left alone."""
        device = self._device
        if value._device.table is device.table:
            source = value._data
        else:
            host = value._device.table.to_numpy(value._data)
            source = device.table.from_numpy(host, device.handle)
        device.table.write(self._data, source)

    def _become(self, value: "NDArray") -> None:
        """Take the content of ``value``, and its place in the graph while recording."""
        if _state.scope.recording:
            if self._entry is not None:
                raise AutogradError(
                    "an array that is part of a recorded graph cannot be changed in place "
                    "(+=, -=, out=, …) under autograd.record(); make a new array instead"
                )
            self._entry = value._entry
        if value.shape != self.shape:
            raise ShapeError(f"cannot write {value.shape} into an array {self.shape}")
        self._write(value)

    def __getitem__(self, key: Any) -> Any:
        return _indexing.get(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        _indexing.put(self, key, value)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        for i in range(len(self)):
            yield self[i]

    # --- scalars ----------------------------------------------------------------------------

    def __bool__(self) -> bool:
        if self.size == 0:
            return False
        if self.size > 1:
            raise ShapeError(f"the truth value of an array {self.shape} is ambiguous")
        return bool(self.asscalar())

    def __float__(self) -> float:
        return float(self.asscalar())

    def __int__(self) -> int:
        return int(self.asscalar())

    def __index__(self) -> int:
        if np.dtype(self.dtype).kind not in "iu":
            raise TypeError(f"an array of {self.dtype.__name__} is no index")
        return int(self.asscalar())

    def __hash__(self) -> int:
        return id(self) >> 4

    def __repr__(self) -> str:
        return _printing.show(self)

    # --- arithmetic -------------------------------------------------------------------------

    def __add__(self, other: Any) -> Any:
        if isinstance(other, NDArray):
            return _dispatch.invoke(_ADD, (self, other), _NO_PARAMS)
        return _scalar("_plus_scalar", self, other)

    __radd__ = __add__

    def __iadd__(self, other: Any) -> Self:
        return self._in_place(self + other)

    def __sub__(self, other: Any) -> Any:
        return _binary("broadcast_sub", "_minus_scalar", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _scalar("_rminus_scalar", self, other)

    def __isub__(self, other: Any) -> Self:
        return self._in_place(self - other)

    def __mul__(self, other: Any) -> Any:
        return _binary("broadcast_mul", "_mul_scalar", self, other)

    __rmul__ = __mul__

    def __imul__(self, other: Any) -> Self:
        return self._in_place(self * other)

    def __truediv__(self, other: Any) -> Any:
        return _binary("broadcast_div", "_div_scalar", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _scalar("_rdiv_scalar", self, other)

    def __itruediv__(self, other: Any) -> Self:
        return self._in_place(self / other)

    def __mod__(self, other: Any) -> Any:
        return _binary("broadcast_mod", "_mod_scalar", self, other)

    def __rmod__(self, other: Any) -> Any:
        return _scalar("_rmod_scalar", self, other)

    def __imod__(self, other: Any) -> Self:
        return self._in_place(self % other)

    def __pow__(self, other: Any) -> Any:
        return _binary("broadcast_power", "_power_scalar", self, other)

    def __rpow__(self, other: Any) -> Any:
        return _scalar("_rpower_scalar", self, other)

    def __neg__(self) -> Any:
        return _scalar("_mul_scalar", self, -1.0)

    def __abs__(self) -> Any:
        op = find("abs")
        return _dispatch.invoke(op, (self,), op.defaults)

    def __eq__(self, other: object) -> Any:
        return _binary("broadcast_equal", "_equal_scalar", self, other)

    def __ne__(self, other: object) -> Any:
        return _binary("broadcast_not_equal", "_not_equal_scalar", self, other)

    def __gt__(self, other: Any) -> Any:
        return _binary("broadcast_greater", "_greater_scalar", self, other)

    def __ge__(self, other: Any) -> Any:
        return _binary("broadcast_greater_equal", "_greater_equal_scalar", self, other)

    def __lt__(self, other: Any) -> Any:
        return _binary("broadcast_lesser", "_lesser_scalar", self, other)

    def __le__(self, other: Any) -> Any:
        return _binary("broadcast_lesser_equal", "_lesser_equal_scalar", self, other)

    def _in_place(self, value: "NDArray") -> Self:
        self._become(value)
        return self


_ADD = find("broadcast_add")


def _binary(array_op: str, scalar_op: str, array: NDArray, other: Any) -> Any:
    if isinstance(other, NDArray):
        return _dispatch.invoke(find(array_op), (array, other), _NO_PARAMS)
    return _scalar(scalar_op, array, other)


def _scalar(name: str, array: NDArray, value: Any) -> Any:
    """``array`` and a number; anything else is left to Python's own protocol."""
    if isinstance(value, bool | int | np.integer | np.bool_):
        params = {"scalar": float(value), "is_int": True}
    elif isinstance(value, float | np.floating):
        params = {"scalar": float(value), "is_int": False}
    else:
        return NotImplemented
    return _dispatch.invoke(find(name), (array,), params)


def array_from(
    values: npt.NDArray[Any], context: Context | None, cls: type[NDArray] = NDArray
) -> NDArray:
    """An array on ``context`` (the current one if None) with the content of a numpy array."""
    device = device_of(context or current_context())
    return cls.from_buffer(device.table.from_numpy(values, device.handle), device)


def _restore(cls: type[NDArray], values: npt.NDArray[Any], context: Context) -> NDArray:
    try:
        return array_from(values, context, cls)
    except HyError:  # the device it was on is not here
        return array_from(values, Context("cpu"), cls)


_dispatch.hooks.ndarray = NDArray
