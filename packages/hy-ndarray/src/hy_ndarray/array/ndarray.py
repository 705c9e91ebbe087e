"""NDArray: an array on a device, with MXNet's methods."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, ClassVar, Self, TypeVar, cast, overload

import numpy as np
import numpy.typing as npt

from hy_ndarray._dtypes import dtype_name
from hy_ndarray._errors import ArgumentError, ContextError, HyError, ShapeError
from hy_ndarray.array import _indexing, _printing, _reshaping
from hy_ndarray.array._arithmetic import Arithmetic
from hy_ndarray.array._conversions import Conversions
from hy_ndarray.array._handles import array_of, handle_of
from hy_ndarray.array._more_operators import MoreOperators
from hy_ndarray.array._pickled import unpickled
from hy_ndarray.array.fluent import Fluent
from hy_ndarray.core import _dispatch
from hy_ndarray.core._array import STORAGES, Array, Leaf
from hy_ndarray.core._calls import call
from hy_ndarray.core._copying import as_dtype, copied, moved, on
from hy_ndarray.core._gradients import attach, backward
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._levels import Level
from hy_ndarray.devices._protocols import Buffer, Params
from hy_ndarray.devices._selection import device_of
from hy_ndarray.devices.context import Context, current_context
from hy_ndarray.foreign import conversion, kind_of
from hy_ndarray.ops import Operator, find

__all__ = ["NDArray", "array_from", "storage_class"]


A = TypeVar("A", bound="NDArray")
_BEHAVIOURS: dict[str, type["NDArray"]] = {}
"""Subclasses by behaviour, such as ``"np"`` for the class with NumPy's semantics."""


class NDArray(Arithmetic, MoreOperators, Conversions, Fluent):
    """A multi-dimensional array of one dtype on one device.

    Arrays are created by :func:`hy_ndarray.nd.array` and the like, or by operators.

    Example:
        >>> from hy_ndarray import nd
        >>> (nd.array([[1, 2], [3, 4]]) * 2).asnumpy()
        array([[2., 4.],
               [6., 8.]], dtype=float32)
    """

    __slots__ = ()
    # numpy's operators return NotImplemented for such objects, so that this class computes
    # ``np_array + x``.
    __array_priority__ = 1000.0
    stype: ClassVar[str] = "default"
    """Storage type: ``"default"``, dense; ``"csr"`` and ``"row_sparse"`` of sparse classes."""

    def __init_subclass__(
        cls, behaviour: str | None = None, storage: str | None = None, **kwargs: Any
    ) -> None:
        """Register a subclass under the name of its behaviour or its storage."""
        super().__init_subclass__(**kwargs)
        if behaviour is not None:
            _BEHAVIOURS[behaviour] = cls
        if storage is not None:
            STORAGES[storage] = cls

    def __init__(
        self,
        *args: Any,
        writable: bool = True,  # noqa: ARG002  # programs of MXNet promise not to write
    ) -> None:
        # Unpickling an array of MXNet calls NDArray(None), then __setstate__.
        if len(args) == 1 and args[0] is None:
            return
        same = array_of(args[0]) if args else None
        if same is None:
            raise ArgumentError(
                "NDArray cannot be constructed directly; use nd.array, nd.zeros or an operator"
            )
        self._become(same)

    @property
    def _as_parameter_(self) -> int:
        """Return the integer handle of the array, for ``ctypes.cast(array, NDArrayHandle)``."""
        return handle_of(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore an array from an MXNet pickle; hy's own pickles use :meth:`__reduce__`."""
        self._become(unpickled(state))

    def _become(self, array: Any) -> None:
        """Copy all slots of an array, so that both share memory and tape entry."""
        for kind in type(array).__mro__:
            # All but __weakref__, which cannot be set: references to an object are its own.
            for slot in set(vars(kind).get("__slots__", ())) - {"__weakref__"}:
                setattr(self, slot, getattr(array, slot))

    @classmethod
    def apply_operator(
        cls,
        op: Operator,
        inputs: Sequence[Any],
        params: Params,
        is_train: bool | None = None,
        out: Any = None,
    ) -> Any:
        """Run ``op`` on arrays that its type rule accepts; part of the :class:`Operand` protocol.

        For nodes of graphs and gradients: unlike :func:`hy_ndarray.invoke` it does not check them.
        """
        return _dispatch.invoke(op, inputs, params, out=out, is_train=is_train, kind=cls)

    @classmethod
    def call_operator(
        cls,
        op: Operator,
        name: str,  # noqa: ARG003  # arrays have none
        args: Sequence[Any],
        kwargs: dict[str, Any],
    ) -> Any:
        """Run ``op`` with a program's arguments; part of the :class:`Operand` protocol."""
        return call(op, args, kwargs, cls)

    # --- what it is -------------------------------------------------------------------------

    ctx = Array.context

    @property
    def buffer(self) -> Buffer:
        """Return the kernel table's own array; both share their memory."""
        return self._data

    @property
    def device(self) -> Device:
        """Return the device: a context together with its kernel table."""
        return self._device

    @property
    def T(self) -> Self:  # noqa: N802  # MXNet's name
        """Return the transpose."""
        return self.transpose()

    @property
    def writable(self) -> bool:
        """Return True: the array can be written to."""
        return True

    # --- elements and text -----------------------------------------------------------------

    def __iter__(self) -> Iterator[Self]:
        # Not a generator function: without axes the error must come from iter(), not from next().
        return (self[i] for i in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        return bool(np.any((self == value).asnumpy()))

    def __repr__(self) -> str:
        device = self._device
        return device.shown(self) if isinstance(device, Level) else _printing.show(self)

    def _repr_html_(self) -> str:
        return _printing.html(self)

    # --- copies and conversions -------------------------------------------------------------

    def astype(self, dtype: object, copy: bool = True) -> Self:
        """Return the array cast to a dtype; with ``copy=False``, itself if it has that dtype."""
        return as_dtype(self, "float32" if dtype is None else dtype_name(dtype), copy=copy)

    def copy(self) -> Self:
        """Return a copy on the same device."""
        return copied(self)

    def copyto(self, other: "NDArray | Context") -> "NDArray":
        """Copy into another array, or to a context as a new array.

        Raises:
            ShapeError: The other array has a wrong shape.
            ArgumentError: ``other`` is neither an array nor a context.
        """
        if isinstance(other, Context):
            return moved(self, other)
        if not isinstance(other, NDArray):
            raise ArgumentError(
                "copyto: target must be an NDArray or a context, got "
                f"{kind_of(other)}{conversion(other)}"
            )
        if other is self:
            return other
        if other.shape != self.shape:
            raise ShapeError(
                f"copyto: source {self.shape} and target {other.shape} must have the same shape"
            )
        other._assign_from(self)
        return other

    def as_in_context(self, context: Context) -> Self:
        """Return the array on ``context``; the array itself if it is there already."""
        return on(self, context)

    as_in_ctx = as_in_context

    def as_nd_ndarray(self) -> "NDArray":
        """Return a classic NDArray on the same memory; the array itself if it is one."""
        return self if type(self) is NDArray else _in_class(self, NDArray)

    def as_np_ndarray(self) -> Any:
        """Return an array with NumPy's semantics, ``np.ndarray``, on the same memory.

        Gradients flow through.
        """
        return _in_class(self, _BEHAVIOURS["np"])

    def tostype(self, stype: str) -> "NDArray":
        """Return a copy in another storage type: ``"default"``, ``"row_sparse"`` or ``"csr"``.

        Raises:
            ArgumentError: ``stype`` is not one of these.
            ShapeError: ``stype`` is ``"csr"``, and the array is not a matrix.
            ContextError: The array is not on the CPU, where sparse arrays are kept.
        """
        return self.copy() if stype == "default" else storage_class(stype).of_dense(self)

    @classmethod
    def of_dense(cls, array: "NDArray") -> Self:
        """Return an array of this class with the content of a dense one; differentiable."""
        return cast("Self", _in_class(array, cls))

    @classmethod
    def zeros_of(cls, array: "NDArray") -> "NDArray":
        """Return zeros of the shape of an array, with the storage type of this class."""
        op = find("zeros_like")
        dense = array.tostype("default") if array.stype != "default" else array
        zeros: NDArray = _dispatch.invoke(op, (dense,), op.defaults)
        return zeros

    def wait_to_read(self) -> None:
        """Wait until all pending computations of the array's device are done."""
        self._device.table.synchronize(self._device.handle)

    wait_to_write = wait_to_read

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.asnumpy(), self.context)

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    # --- other shapes -----------------------------------------------------------------------

    def reshape(self, *shape: Any, **kwargs: Any) -> Self:
        """Return an array of another shape on the same memory.

        Args:
            shape: The sizes, or one tuple of them. 0 keeps the size of the input's axis, -1 is
                inferred, -2 keeps all remaining axes, -3 merges two axes, -4 splits an axis into
                the two sizes that follow.
            kwargs: ``shape``, instead of the positional form, and ``reverse``: match the special
                sizes to axes from the last one.

        Raises:
            ShapeError: The number of elements would change.
            ArgumentError: The shape is missing, or an argument is unknown.

        Example:
            >>> from hy_ndarray import nd
            >>> nd.zeros((2, 3, 4)).reshape(0, -1).shape
            (2, 12)
        """
        return _reshaping.reshape(self, shape, kwargs)

    def broadcast_to(self, shape: Sequence[int]) -> Self:
        """Return a copy broadcast to ``shape``; 0 keeps the size of an axis.

        Raises:
            ShapeError: The array does not broadcast to the shape.
        """
        return _reshaping.broadcast_to(self, shape)

    def broadcast_like(self, other: "NDArray", **kwargs: Any) -> Self:
        """Broadcast to the shape of ``other``, or only ``lhs_axes`` to its ``rhs_axes``."""
        # MXNet's operator wants equal ranks; its method does not.
        missing = 0 if kwargs else other.ndim - self.ndim
        data = _reshaping.view_as(self, (1,) * missing + self.shape) if missing > 0 else self
        result: Self = call(find("broadcast_like"), (data, other), kwargs)
        return result

    def expand_dims(self, axis: int, inplace: bool = False) -> Self:
        """Return a copy with a new axis of size 1; with ``inplace`` on the same memory."""
        if inplace:
            return _reshaping.in_place(self, "expand_dims", axis=axis)
        result: Self = call(find("expand_dims"), (self,), {"axis": axis})
        return result

    def squeeze(self, axis: int | Sequence[int] | None = None, inplace: bool = False) -> Self:
        """Return a copy without axes of size 1; with ``inplace`` on the same memory."""
        if inplace:
            return _reshaping.in_place(self, "squeeze", axis=axis)
        result: Self = call(find("squeeze"), (self,), {"axis": axis})
        return result

    def flatten(self, inplace: bool = False) -> Self:
        """Return a copy with all axes but the first merged; with ``inplace`` on the same memory."""
        if inplace:
            return _reshaping.in_place(self, "Flatten")
        result: Self = call(find("Flatten"), (self,), {})
        return result

    def diag(self, k: int = 0, **kwargs: Any) -> Self:
        """Return a diagonal of a matrix, or the matrix with a vector as its diagonal."""
        result: Self = call(find("diag"), (self,), {"k": k, **kwargs})
        return result

    def split_v2(self, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False) -> Any:
        """Split along an axis into a number of equal parts, or at the given indices.

        Raises:
            ShapeError: The axis cannot be divided into equal parts.
            ArgumentError: ``indices_or_sections`` is neither an integer nor a tuple of integers.
        """
        return _reshaping.split(self, indices_or_sections, axis, squeeze_axis)

    # --- gradients --------------------------------------------------------------------------

    def attach_grad(self, grad_req: str = "write", stype: str | None = None) -> None:
        """Mark the array as a variable: detach it from the graph, and allocate its gradient.

        The gradient is initially zero; its memory is allocated on first use.

        Args:
            grad_req: ``"write"`` replaces the gradient in each backward pass, ``"add"`` adds to
                it, ``"null"`` keeps none.
            stype: Storage type of the gradient; that of the array if None.

        Raises:
            AutogradError: ``grad_req`` is none of these.
            ArgumentError: The storage type is unknown.
        """
        kind = storage_class(self.stype if stype is None else stype)
        # Of the detached array: the zeros are then not recorded, and hold no reference cycle to
        # the variable.
        attach(self, partial(kind.zeros_of, self.detach()), grad_req)

    def drop_grad(self) -> None:
        """Detach the array and drop its gradient, so that it is no longer a variable."""
        self._entry = None

    @property
    def grad(self) -> Self | None:
        """Return the gradient array of a variable; None if the array is not a variable."""
        entry = self._entry
        return cast("Self", entry.gradient()) if isinstance(entry, Leaf) else None

    @property
    def in_graph(self) -> bool:
        """Return whether the array is a variable, or was computed from one while recording."""
        return self._live_entry() is not None

    def backward(
        self, out_grad: "NDArray | None" = None, retain_graph: bool = False, train_mode: bool = True
    ) -> None:
        """Compute gradients of this array with respect to the variables it depends on."""
        grads = None if out_grad is None else [out_grad]
        backward([self], grads, retain_graph, train_mode)

    # --- change in place --------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Self:
        return _indexing.get(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        _indexing.put(self, key, value)

    def slice_assign(
        self,
        rhs: "NDArray",
        begin: Sequence[int | None],
        end: Sequence[int | None],
        step: Sequence[int | None] = (),
    ) -> Self:
        """Write an array into the slices from ``begin`` to ``end``; return this array."""
        _indexing.put(self, _slices(begin, end, step), rhs)
        return self

    def slice_assign_scalar(
        self,
        value: float,
        begin: Sequence[int | None],
        end: Sequence[int | None],
        step: Sequence[int | None] = (),
    ) -> Self:
        """Write a number into the slices from ``begin`` to ``end``; return this array."""
        _indexing.put(self, _slices(begin, end, step), value)
        return self


def storage_class(stype: str) -> type[NDArray]:
    """Return the array class of a storage type.

    Raises:
        ArgumentError: The storage type is unknown.
    """
    kind: Any = NDArray if stype == "default" else STORAGES.get(stype)
    if kind is None:
        known = ", ".join(repr(name) for name in ("default", *STORAGES))
        raise ArgumentError(f"stype={stype!r} is not a storage type; use one of {known}")
    storage: type[NDArray] = kind
    return storage


def _slices(
    begin: Sequence[int | None], end: Sequence[int | None], step: Sequence[int | None]
) -> tuple[slice, ...]:
    steps = step or (None,) * len(begin)
    return tuple(map(slice, begin, end, steps))


@overload
def array_from(values: npt.NDArray[Any], context: Context | None) -> NDArray: ...


@overload
def array_from(values: npt.NDArray[Any], context: Context | None, cls: type[A]) -> A: ...


def array_from(
    values: npt.NDArray[Any], context: Context | None, cls: type[NDArray] = NDArray
) -> NDArray:
    """Return an array with the values of a numpy array, on ``context`` or the current one."""
    device = device_of(_context_or_current(context))
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    return cls.from_buffer(device.memory.from_numpy(values, device.handle), device)


def array_like(source: A, dtype: object, context: Context | None) -> A:
    """Return a copy cast to ``dtype`` on ``context`` or the current one; gradients flow through."""
    return on(as_dtype(source, dtype_name(dtype)), _context_or_current(context))


def _context_or_current(context: Context | None) -> Context:
    if not isinstance(context, Context | None):
        raise ContextError(f"ctx={context!r} is not a Context; write mx.cpu() or mx.gpu(0)")
    return context or current_context()


def _in_class(array: NDArray, cls: type[NDArray]) -> NDArray:
    """Return an array of another class with the same memory and tape entry."""
    if type(array) is cls:
        return array
    result = cls.from_buffer(array._data, array._device)
    result._entry = array._entry
    return result


def _restore(cls: type[NDArray], values: npt.NDArray[Any], context: Context) -> NDArray:
    try:
        return array_from(values, context, cls)
    except HyError:
        # The array was pickled on a device, such as a GPU, that this machine lacks.
        return array_from(values, Context("cpu"), cls)
