"""Sparse arrays: row_sparse arrays and csr matrices."""

from collections.abc import Sequence
from html import escape
from importlib import import_module
from typing import Any, ClassVar, Never, Self

import numpy as np
import numpy.typing as npt

from hy_ndarray._dtypes import dtype_name, numpy_type
from hy_ndarray._errors import ArgumentError, IndexingError, ShapeError
from hy_ndarray.array._arithmetic import with_number
from hy_ndarray.array.ndarray import NDArray, array_from
from hy_ndarray.core import _dispatch
from hy_ndarray.core._array import Array
from hy_ndarray.core._tape import record_function
from hy_ndarray.devices._context import Context
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._protocols import Buffer, Params
from hy_ndarray.ops import Operator, find
from hy_ndarray.sparse import _kernels
from hy_ndarray.sparse._rules import compute
from hy_ndarray.sparse._sparse_device import sparse_device_of
from hy_ndarray.sparse._storage import CSRStorage, RowSparseStorage, Storage

__all__ = [
    "BaseSparseNDArray",
    "CSRNDArray",
    "RowSparseNDArray",
    "SparseFunctionError",
    "SparseIndexError",
]


class SparseFunctionError(ArgumentError, NotImplementedError):
    """A function for dense arrays is called on a sparse one."""


class SparseIndexError(IndexingError, TypeError):
    """An assignment to a part of a sparse array."""


class BaseSparseNDArray(NDArray):
    """Base class of sparse arrays.

    Operators keep the storage type where MXNet does; otherwise they compute with a dense copy, and
    return a dense array.
    """

    __slots__ = ()
    _dense: ClassVar[bool] = False
    _data: Any

    @classmethod
    def from_buffer(cls, buffer: Buffer, device: Device) -> Self:
        """Wrap sparse storage as an array on the device of sparse arrays."""
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
        out: Any = None,
    ) -> Any:
        """Run ``op`` on operands of which some are sparse."""
        return compute(op, inputs, params, is_train, out)

    @classmethod
    def of_dense(cls, array: NDArray) -> Self:
        """Return a dense array converted to this storage type; differentiable.

        Raises:
            ShapeError: The storage type does not support the shape.
            ContextError: The array is not on the CPU.
        """
        selected = sparse_device_of(array.context)
        result = cls.from_buffer(cls._stored(array.asnumpy()), selected)
        record_function([array], [result], lambda dys: [dys[0]])
        return result

    @classmethod
    def zeros_of(cls, array: NDArray) -> NDArray:
        """Return a sparse array of zeros in the shape and dtype of another array."""
        stored = _kernels.zeros(cls.stype, array.shape, array.dtype)
        return cls.from_buffer(stored, sparse_device_of(array.context))

    @classmethod
    def _stored(cls, values: npt.NDArray[Any]) -> Storage:
        raise NotImplementedError

    @property
    def dtype(self) -> type[np.generic]:
        """Numpy scalar type of the elements."""
        kind: type[np.generic] = self._data.dtype.type
        return kind

    @property
    def data(self) -> NDArray:
        """Copy of the stored values, as a dense array."""
        return array_from(self._data.parts.data.copy(), self.context)

    @property
    def indices(self) -> NDArray:
        """Copy of the int64 indices: columns for csr, rows for row_sparse."""
        return array_from(self._data.parts.indices.copy(), self.context)

    def asnumpy(self) -> npt.NDArray[Any]:
        """Return the dense values as a numpy array."""
        values: npt.NDArray[Any] = self._data.dense()
        return values

    def asscalar(self) -> Never:
        """Refuse: sparse arrays cannot be converted to a scalar.

        Raises:
            ArgumentError: Always.
        """
        raise self._unsupported("asscalar")

    def reshape(self, *shape: Any, **kwargs: Any) -> Never:  # noqa: ARG002  # all are refused
        """Refuse: sparse arrays keep their shape.

        Raises:
            ArgumentError: Always.
        """
        raise self._unsupported("reshape")

    def as_nd_ndarray(self) -> Self:
        """Return the array itself, which is a classic array already."""
        return self

    def as_np_ndarray(self) -> Never:
        """Refuse: ``np.ndarray`` is always dense.

        Raises:
            ArgumentError: Always.
        """
        raise self._unsupported("as_np_ndarray")

    def __dlpack__(self, **options: Any) -> Never:
        raise self._unsupported("__dlpack__")

    def _unsupported(self, function: str) -> ArgumentError:
        return SparseFunctionError(
            f"{function} is not supported for a {type(self).__name__}, only for dense arrays; "
            "use tostype('default') first"
        )

    def check_format(self, full_check: bool = True) -> None:
        """Raise an error if the stored parts are inconsistent.

        Args:
            full_check: Check the indices, too, and not only the sizes.

        Raises:
            ShapeError: Parts have the wrong sizes.
            ArgumentError: Indices are out of range, repeated, or out of order.
        """
        self._data.check(full_check)

    def astype(self, dtype: object, copy: bool = True) -> Self:
        """Return the array cast to a dtype, with the same storage type."""
        kind = numpy_type("float32" if dtype is None else dtype_name(dtype))
        if not copy and kind == self.dtype:
            return self
        return self._with_storage(self._data.with_data(self._data.data.astype(kind)))

    def copy(self) -> Self:
        """Return a copy on the same device."""
        return self._with_storage(_copied(self._data))

    def _with_storage(self, storage: Storage) -> Self:
        result = self.from_buffer(storage, self._device)
        kind = dtype_name(self.dtype)
        record_function([self], [result], lambda dys: [dys[0].astype(kind, copy=False)])
        return result

    def copyto(self, other: NDArray | Context) -> NDArray:
        """Copy into a dense array or one of the same storage type, or to a context.

        Raises:
            ShapeError: The other array has a wrong shape.
            ArgumentError: The other array has the other sparse storage type.
        """
        if isinstance(other, BaseSparseNDArray) and other.stype != self.stype:
            raise ArgumentError(f"copyto: a {self.stype} array cannot be copied to {other.stype}")
        if isinstance(other, Context):
            return self._on(other)
        return super().copyto(other)

    def _on(self, context: Context) -> Self:
        result = self.from_buffer(_copied(self._data), sparse_device_of(context))
        record_function([self], [result], lambda dys: [dys[0].as_in_context(self.context)])
        return result

    def as_in_context(self, context: Context) -> Self:
        """Return the array on ``context``; the array itself if it is there already."""
        return self if context == self.context else self._on(context)

    as_in_ctx = as_in_context

    def tostype(self, stype: str) -> NDArray:
        """Return a copy in the same storage type, or dense for ``"default"``.

        Raises:
            ArgumentError: ``stype`` is the other sparse storage type, or unknown.
        """
        if stype == self.stype:
            return self.copy()
        if stype != "default":
            raise ArgumentError(f"cast_storage from {self.stype} to {stype} is not supported")
        result = array_from(self.asnumpy(), self.context)
        record_function([self], [result], lambda dys: [dys[0]])
        return result

    def _write(self, value: Array) -> None:
        # An array written to keeps its storage type and its dtype.
        data = value._data if type(value) is type(self) else self._stored(value.asnumpy())
        self._data = data.with_data(data.data.astype(self._data.dtype))

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(key, slice) or key != slice(None):
            raise SparseIndexError(
                f"only x[:] = value can be assigned to a {type(self).__name__}; use "
                "tostype('default') for other indices"
            )
        if isinstance(value, int | float) and value == 0:
            self._data = _kernels.zeros(self.stype, self.shape, self._data.dtype)
            return
        if not isinstance(value, NDArray):
            try:
                host = np.broadcast_to(np.asarray(value, self._data.dtype), self.shape)
            except ValueError as error:
                raise ShapeError(f"cannot write {value!r} into an array {self.shape}") from error
            value = array_from(host, self.context)
        self._assign_from(value)

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.shape))
        return f"\n<{type(self).__name__} {shape} @{self.context}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self).strip())}</pre>"  # no table: the dense form may be huge

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self._data, self.context)

    def __add__(self, other: Any) -> Any:
        return _elementwise("elemwise_add", "broadcast_add", "_plus_scalar", self, other)

    def __sub__(self, other: Any) -> Any:
        return _elementwise("elemwise_sub", "broadcast_sub", "_minus_scalar", self, other)

    def __mul__(self, other: Any) -> Any:
        return _elementwise("elemwise_mul", "broadcast_mul", "_mul_scalar", self, other)


def _copied(stored: Storage) -> Storage:
    """Return storage with a copy of the values; index arrays are shared."""
    # Indices are never overwritten in place, only values; see rows.write_rows.
    return stored.with_data(stored.data.copy())


def _elementwise(same: str, wider: str, scalar: str, array: NDArray, other: Any) -> Any:
    if not isinstance(other, NDArray):
        return with_number(scalar, array, other)
    op = find(same if other.shape == array.shape else wider)
    return _dispatch.invoke(op, (array, other), op.defaults, casts=True)


class CSRNDArray(BaseSparseNDArray, storage="csr"):
    """Matrix in compressed sparse row (CSR) format.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[0, 2], [0, 0], [3, 0]]).tostype("csr")
        >>> x.data.asnumpy(), x.indices.asnumpy(), x.indptr.asnumpy()
        (array([2., 3.], dtype=float32), array([1, 0]), array([0, 1, 1, 2]))
    """

    __slots__ = ()
    stype = "csr"
    _data: CSRStorage

    @classmethod
    def _stored(cls, values: npt.NDArray[Any]) -> Storage:
        return CSRStorage.of(values)

    @property
    def indptr(self) -> NDArray:
        """Copy of the int64 row pointers, ``[rows + 1]``: start of each row, then the end."""
        return array_from(self._data.parts.indptr.copy(), self.context)

    def asscipy(self) -> Any:
        """Return the matrix as a ``scipy.sparse.csr_matrix``; requires scipy."""
        stored = self._data
        return import_module("scipy.sparse").csr_matrix(
            (stored.data, stored.indices, stored.indptr), stored.shape, copy=True
        )

    def __getitem__(self, key: Any) -> "CSRNDArray":
        """Return the row ``x[i]``, of shape ``(1, columns)``, or the rows ``x[begin:end]``.

        Raises:
            IndexingError: ``key`` is neither an integer nor a slice without step, or is out of
                range.
        """
        rows = self.shape[0]
        if isinstance(key, tuple) and len(key) == 1:
            key = key[0]
        if isinstance(key, slice):
            if key.step is not None:
                raise IndexingError(
                    "a CSRNDArray can be sliced only along its rows and without a step; use "
                    "tostype('default') for other indices"
                )
            begin, end, _ = key.indices(rows)
        elif isinstance(key, int | np.integer):
            begin = int(key) + rows if key < 0 else int(key)
            end = begin + 1
            if not 0 <= begin < rows:
                raise IndexingError(f"row {key} is out of bounds for a CSRNDArray with {rows} rows")
        else:
            raise IndexingError(
                f"a CSRNDArray can be indexed only by one integer or slice, not {key!r}; use "
                "tostype('default') for other indices"
            )
        if (begin, end) == (0, rows):
            return self
        if begin < end:
            op = find("slice")
            params = {**op.defaults, "begin": (begin,), "end": (end,)}
            part: CSRNDArray = _dispatch.invoke(op, (self,), params)
            return part
        # The rule of ``slice`` would fall back to a dense array for an empty part.
        stored = _kernels.sliced(self._data, begin, begin, 0, self.shape[1])
        return self.from_buffer(stored, self._device)


class RowSparseNDArray(BaseSparseNDArray, storage="row_sparse"):
    """Array of which only some rows are stored; all others are zero.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[0, 0], [1, 2]]).tostype("row_sparse")
        >>> x.data.asnumpy(), x.indices.asnumpy()
        (array([[1., 2.]], dtype=float32), array([1]))
    """

    __slots__ = ()
    stype = "row_sparse"
    _data: RowSparseStorage

    @classmethod
    def _stored(cls, values: npt.NDArray[Any]) -> Storage:
        return RowSparseStorage.of(values)

    def __getitem__(self, key: Any) -> "RowSparseNDArray":
        """Return the array itself for ``x[:]``, the only supported index.

        Raises:
            IndexingError: ``key`` is anything else.
        """
        if isinstance(key, slice) and key == slice(None):
            return self
        raise IndexingError(
            "a RowSparseNDArray can be indexed only as x[:]; use retain to select rows"
        )

    def retain(self, indices: Any) -> "RowSparseNDArray":
        """Return the array with only the rows in ``indices``, all stored; differentiable.

        Raises:
            ArgumentError: ``indices`` are not whole numbers.
        """
        op = find("_sparse_retain")
        rows = array_from(as_indices(indices, "retain: indices").ravel(), self.context)
        retained: RowSparseNDArray = _dispatch.invoke(op, (self, rows), op.defaults)
        return retained


def as_indices(values: Any, name: str) -> npt.NDArray[np.int64]:
    """Convert whole numbers of any dtype to int64 indices.

    Raises:
        ArgumentError: A value is not a whole number.
    """
    numbers = values.asnumpy() if isinstance(values, NDArray) else np.asarray(values)
    if numbers.size and (
        numbers.dtype.kind not in "iuf" or np.any(numbers != numbers.astype(np.int64))
    ):
        raise ArgumentError(f"{name} must hold integers, got {numbers.dtype}")
    return numbers.astype(np.int64)


def _restore(cls: type[BaseSparseNDArray], storage: Storage, context: Context) -> BaseSparseNDArray:
    return cls.from_buffer(storage, sparse_device_of(context))
