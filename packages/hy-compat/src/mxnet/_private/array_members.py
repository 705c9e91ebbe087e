"""Private methods of MXNet's arrays: steps of indexing, and views."""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from hy_ndarray import Context, NDArray, autograd, nd, np as mx_np
from mxnet._private.absent import Absent, Handle
from mxnet._private.arrays import _broadcast_shapes, _get_index_range, _int_to_slice
from mxnet._private.errors import CheckError, KeyOfArrayError, OperandError, ShapesError
from mxnet.base import NotSupportedForSparseNDArray, numeric_types

_Shape = tuple[int, ...]
_Slices = tuple[slice, ...]


def _ranges(key: _Slices, shape: _Shape) -> list[range]:
    if len(key) != len(shape):
        raise CheckError(f"{len(key)} slices for the {len(shape)} axes of {shape}")
    return [range(*part.indices(size)) for part, size in zip(key, shape, strict=True)]


def _full_key(array: Any, key: Any) -> tuple[Any, ...]:
    """Return a key as a tuple with an entry for every axis."""
    entries = tuple(key)
    # None adds an axis and indexes none.
    count = sum(1 for entry in entries if entry is not None)
    if count < array.ndim:
        raise ShapesError(
            f"too few indices after normalization: expected `ndim` ({array.ndim}) but got {count}; "
            "mx.nd.ndarray.indexing_key_expand_implicit_axes adds the others"
        )
    return entries


class ArrayMembers:
    """Private attributes of MXNet's ``NDArray``; ``self`` is an array."""

    shape: _Shape
    ndim: int
    dtype: Any
    context: Context

    @property
    def handle(self) -> Handle:
        """Stand-in for the pointer of MXNet's arrays."""
        return Handle(self)

    _tvm_tcode = 19

    @property
    def _tvm_handle(self) -> NoReturn:
        Absent("_tvm_handle", "hand over the array itself, or its memory by __dlpack__")()

    @property
    def _fresh_grad(self) -> int:
        """1 if a backward pass wrote the gradient since its last use, else 0."""
        array: Any = self
        return int(autograd.is_fresh(array))

    @_fresh_grad.setter
    def _fresh_grad(self, state: int) -> None:
        array: Any = self
        if not state:
            autograd.set_stale(array)
        elif not autograd.is_fresh(array):
            autograd.set_fresh(array)

    # --- views and values ---------------------------------------------------------------------

    def _at(self, idx: int) -> Any:
        """Return a view of entry ``idx`` of the first axis, with at least one axis."""
        array: Any = self
        if not self.shape:
            raise ShapesError("_at: an array of no axes has no entries")
        if not -self.shape[0] <= idx < self.shape[0]:
            raise KeyOfArrayError(f"_at: {idx} is outside the {self.shape[0]} entries of axis 0")
        view = array[_int_to_slice(idx % self.shape[0])]
        return view if self.ndim == 1 else view.reshape(self.shape[1:])

    def _slice(self, start: int | None, stop: int | None) -> Any:
        """Return the view of the entries from ``start`` to ``stop`` of the first axis."""
        array: Any = self
        first, last, _ = _get_index_range(start, stop, self.shape[0])
        if first > last:
            raise ShapesError(f"_slice: start {first} is above stop {last}")
        return array[first:last]

    def _full(self, value: Any) -> Any:
        """Fill the array with a number, and return it."""
        array: Any = self
        array[:] = value
        return array

    def _sync_copyfrom(self, source_array: Any) -> None:
        """Copy the values of another array of the same shape."""
        array: Any = self
        try:
            source = np.ascontiguousarray(source_array, dtype=self.dtype)
        except (TypeError, ValueError):
            raise OperandError(
                f"array must consist of array-like data, type {type(source_array)} is not"
            ) from None
        # A check of sizes alone would take a transposed array.
        if np.shape(source_array) != self.shape:
            raise ShapesError(
                f"Shape inconsistent: expected {np.shape(source_array)} vs got {self.shape}"
            )
        array[:] = source.reshape(self.shape)

    def _to_shared_mem(self) -> NoReturn:
        Absent("_to_shared_mem", "arrays are pickled, or handed on by a DataLoader's workers")()

    # --- keys ---------------------------------------------------------------------------------

    @staticmethod
    def _basic_indexing_key_int_to_slice(idcs: Sequence[Any]) -> tuple[tuple[Any, ...], _Shape]:
        """Return a key with integers replaced by slices, and the axes of the integers."""
        is_int = [isinstance(idx, int | np.integer) for idx in idcs]
        key = tuple(_int_to_slice(idx) if i else idx for i, idx in zip(is_int, idcs, strict=True))
        return key, tuple(axis for axis, i in enumerate(is_int) if i)

    @staticmethod
    def _basic_indexing_key_to_begin_end_step(
        idcs: Sequence[Any], shape: _Shape, keep_none: bool = True
    ) -> tuple[tuple[Any, ...], ...]:
        """Return ``begin``, ``end`` and ``step`` of ``slice`` for a key of integers and slices."""
        slices = [_int_to_slice(int(i)) if isinstance(i, int | np.integer) else i for i in idcs]
        if keep_none:
            steps = [(s.start, s.stop, s.step) for s in slices]
        else:
            steps = [s.indices(n) for s, n in zip(slices, shape, strict=False)]
        begin, end, step = zip(*steps, strict=True)
        return begin, end, step

    @staticmethod
    def _basic_indexing_slice_is_contiguous(slc_key: _Slices, shape: _Shape) -> bool:
        """Return whether slices select contiguous memory."""
        ranges = _ranges(slc_key, shape)
        is_partial = False
        # From the last axis: once one is taken in part, those in front may have one entry only.
        for taken, size in zip(reversed(ranges), reversed(shape), strict=True):
            if len(taken) > 1 and (is_partial or taken.step != 1):
                return False
            is_partial = is_partial or len(taken) != size
        return True

    @staticmethod
    def _basic_indexing_sliced_shape(slc_key: _Slices, shape: _Shape) -> _Shape:
        """Return the shape that slices select."""
        return tuple(map(len, _ranges(slc_key, shape)))

    @staticmethod
    def _basic_indexing_contiguous_flat_begin_end(
        slc_key: _Slices, shape: _Shape
    ) -> tuple[int, int]:
        """Return the first and last flat index (exclusive) of contiguous slices."""
        ranges = _ranges(slc_key, shape)
        if not all(ranges):
            return 0, 0
        first = np.ravel_multi_index([r[0] for r in ranges], shape)
        last = np.ravel_multi_index([r[-1] for r in ranges], shape)
        return int(first), int(last) + 1

    @staticmethod
    def _drop_int_axes(indexed_shape: _Shape, int_axes: Sequence[int]) -> _Shape:
        """Return a shape without the axes indexed by integers; (1,) if none is left."""
        left = tuple(n for axis, n in enumerate(indexed_shape) if axis not in int_axes)
        return left or (1,)

    @staticmethod
    def _drop_slice_none_at_end(key: Sequence[Any]) -> tuple[Any, ...]:
        """Return a key without trailing full slices."""
        entries = list(key)
        while entries and isinstance(entries[-1], slice) and entries[-1] == slice(None):
            entries.pop()
        return tuple(entries)

    @staticmethod
    def _new_axes_after_basic_indexing(axes: Sequence[int], key: Sequence[Any]) -> _Shape:
        """Return the positions of new axes, after removing the axes indexed by integers."""
        before = (sum(isinstance(entry, int | np.integer) for entry in key[:axis]) for axis in axes)
        return tuple(axis - removed for axis, removed in zip(axes, before, strict=True))

    @staticmethod
    def _new_axes_after_advanced_indexing(
        key: Sequence[Any], adv_axs: Sequence[int], bcast_adv_ndim: int, adv_are_adjacent: bool
    ) -> _Shape:
        """Return the positions of new axes in a result with ``bcast_adv_ndim`` index axes."""
        at = 0
        axes = []
        block = min(adv_axs) if adv_are_adjacent else 0
        if not adv_are_adjacent:
            # NumPy puts the axes of index arrays first where these are not side by side.
            at = bcast_adv_ndim
        for i, entry in enumerate(key):
            if i in adv_axs:
                at += bcast_adv_ndim if adv_are_adjacent and i == block else 0
                continue
            if entry is None:
                axes.append(at)
            at += 1
        return tuple(axes)

    @staticmethod
    def _advanced_index_to_array(idx: Any, ax_len: int, ctx: Context) -> NDArray:
        """Return an index as an array of ``int32`` on a device."""
        if isinstance(idx, NDArray):
            return idx.astype("int32").as_in_context(ctx)
        if isinstance(idx, slice):
            idx = range(*idx.indices(ax_len))
        if isinstance(idx, int | np.integer):
            idx = [idx]
        return nd.array(np.asarray(idx, dtype=np.int32), ctx=ctx, dtype="int32")

    @staticmethod
    def _broadcast_advanced_indices(
        arrays: Sequence[NDArray], block_axes: Sequence[int]
    ) -> tuple[NDArray, ...]:
        """Return index arrays broadcast against each other.

        Raises:
            ShapesError: The shapes cannot be broadcast.
        """
        shape = _broadcast_shapes(arrays)
        return tuple(array.broadcast_to(shape) for array in arrays)

    # --- reading and writing by key -----------------------------------------------------------

    def _get_nd_basic_indexing(self, key: Any) -> Any:
        array: Any = self
        return array[_full_key(self, key)]

    def _get_nd_advanced_indexing(self, key: Any) -> Any:
        array: Any = self
        return array[_full_key(self, key)]

    def _set_nd_basic_indexing(self, key: Any, value: Any) -> None:
        array: Any = self
        array[_full_key(self, key)] = value

    def _set_nd_advanced_indexing(self, key: Any, value: Any) -> None:
        array: Any = self
        array[_full_key(self, key)] = value

    def _get_index_nd(self, key: Any) -> tuple[NDArray, _Shape]:
        """Return the indices of ``gather_nd`` for a key with arrays, and positions of new axes."""
        entries = [entry for entry in _full_key(self, key) if entry is not None]
        while isinstance(entries[-1], slice) and entries[-1] == slice(None):
            entries.pop()
        # Grids of the indices of each axis, read by the key: NumPy itself expands slices and masks,
        # and broadcasts.
        whole = np.ogrid[tuple(slice(n) for n in self.shape[: len(entries)])]
        grids = np.broadcast_arrays(*whole)
        at = tuple(_host(entry) for entry in entries)
        indices = np.stack([grid[at] for grid in grids]).astype(np.int32)
        return nd.array(indices, ctx=self.context, dtype="int32"), ()

    def _prepare_value_nd(self, value: Any, bcast_shape: Any, squeeze_axes: Any = None) -> Any:
        """Return a value to assign, as an array of shape ``bcast_shape`` with this array's dtype.

        Args:
            value: A number, an array, or lists of numbers.
            bcast_shape: Shape of the target.
            squeeze_axes: Axes of size 1 to remove from the value.
        """
        shape = (bcast_shape,) if isinstance(bcast_shape, int) else tuple(bcast_shape)
        if isinstance(value, numeric_types):
            return nd.full(shape, value, ctx=self.context, dtype=self.dtype)
        if not isinstance(value, NDArray):
            try:
                value = nd.array(value, ctx=self.context, dtype=self.dtype)
            except Exception:
                raise OperandError(
                    f"{type(self)} does not support assignment with non-array-like object {value} "
                    f"of type {type(value)}"
                ) from None
        value = value.astype(self.dtype).as_in_context(self.context)
        # Integer indices removed these axes of the target; the value may have them with size 1.
        axes = [squeeze_axes] if isinstance(squeeze_axes, int) else list(squeeze_axes or ())
        removed = {axis % value.ndim for axis in axes if -value.ndim <= axis < value.ndim}
        left = [n for i, n in enumerate(value.shape) if i not in removed or n != 1]
        value = value.reshape(left) if left and left != list(value.shape) else value
        try:
            return value if value.shape == shape else value.broadcast_to(shape)
        except Exception as error:
            raise ShapesError(f"{value.shape} does not broadcast to {shape}") from error

    def _scatter_set_nd(self, value_nd: Any, indices: Any) -> Any:
        """Write values at the ``indices`` of ``gather_nd``, and return the array."""
        array: Any = self
        at = tuple(np.asarray(indices.asnumpy(), dtype=np.int64))
        array[at] = value_nd
        return array


def _host(entry: Any) -> Any:
    return entry.asnumpy().astype(np.int64) if isinstance(entry, NDArray) else entry


class NumpyArrayMembers:
    """Private attributes of MXNet's ``mx.np.ndarray``; ``self`` is an array."""

    shape: _Shape
    ndim: int

    def _get_np_basic_indexing(self, key: Any) -> Any:
        array: Any = self
        return array[_full_key(self, key)]

    def _get_np_advanced_indexing(self, key: Any) -> Any:
        array: Any = self
        return array[_full_key(self, key)]

    def _get_np_boolean_indexing(self, key: Any, ndim: int, shape: _Shape) -> Any:
        """Return the elements selected by a mask of ``ndim`` axes."""
        array: Any = self
        if ndim != len(shape) or tuple(self.shape[:ndim]) != tuple(key.shape):
            raise KeyOfArrayError(f"a mask {key.shape} does not fit an array {self.shape}")
        return array[key.astype("bool")]

    def _get_np_empty_tuple_indexing(self, key: Any) -> Any:
        """Return an empty array ``[0, *shape]``, the result of indexing by False."""
        del key
        return mx_np.zeros((0, *self.shape))

    def _set_np_advanced_indexing(self, key: Any, value: Any) -> None:
        array: Any = self
        array[_full_key(self, key)] = value

    def _set_np_boolean_indexing(self, key: Any, value: Any) -> None:
        array: Any = self
        if not isinstance(key, NDArray):
            raise CheckError(f"Argument mask must have NDArray type, but got {key}")
        array[key.astype("bool")] = value


class SparseMembers:
    """Private attributes of MXNet's sparse arrays; ``self`` is a sparse array."""

    stype: str

    def _at(self, idx: int) -> NoReturn:
        """Raise an error: rows of a sparse array cannot be views."""
        raise NotSupportedForSparseNDArray(SparseMembers._at, "[idx]", idx)

    def _slice(self, start: int, stop: int) -> NoReturn:
        """Raise an error, as :meth:`_at`; ``a[start:stop]`` copies rows."""
        raise NotSupportedForSparseNDArray(SparseMembers._slice, None, start, stop)

    @property
    def _num_aux(self) -> int:
        """Return the number of arrays of indices."""
        return len(_index_arrays(self))

    @property
    def _aux_types(self) -> list[Any]:
        """Return the dtypes of the index arrays."""
        return [array.dtype for array in _index_arrays(self)]

    def _aux_type(self, i: int) -> Any:
        """Return the dtype of one index array."""
        return self._aux_data(i).dtype

    def _aux_data(self, i: int) -> NDArray:
        """Copy an index array: ``indptr`` or ``indices`` of CSR, ``indices`` of row_sparse."""
        arrays = _index_arrays(self)
        if not 0 <= i < len(arrays):
            raise KeyOfArrayError(f"_aux_data: a {self.stype} array has {len(arrays)}, not {i + 1}")
        return arrays[i].copy()


def _index_arrays(array: Any) -> list[NDArray]:
    return [array.indptr, array.indices] if array.stype == "csr" else [array.indices]
