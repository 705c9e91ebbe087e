"""Writer of MXNet's NDArray-list format, byte for byte like MXNet 1.9.1."""

import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hy_io._dtypes import name_of
from hy_io._errors import ArgumentError
from hy_io._ndarray_format import (
    CPU,
    CSR,
    DENSE,
    LIST_MAGIC,
    ROW_SPARSE,
    TYPE_FLAGS,
    V2,
    V3,
    Array,
    StoredArray,
)
from hy_io.sparse import CSRArray, RowSparseArray


def list_parts(
    arrays: Mapping[str, StoredArray] | Sequence[StoredArray], *, np_shape: bool | None
) -> Iterator[bytes | memoryview]:
    """Return an iterator over the parts of a file; arguments and errors as of `save_ndarrays`.

    All arrays are checked at the call, before the first part is requested.
    """
    names, values = _names_and_values(arrays)
    labels = [f"array {name!r}" for name in names or range(len(values))]
    for label, array in zip(labels, values, strict=True):
        # Before the first part is written: `atomic_write` must not replace a file by half of one.
        _check_writable(label, array)
    version = V3 if _choose_np_shape(labels, values, np_shape) else V2
    return _encode(names, values, version)


def _names_and_values(
    arrays: Mapping[str, StoredArray] | Sequence[StoredArray],
) -> tuple[list[str], list[StoredArray]]:
    untyped: Any = arrays  # untyped callers pass anything
    if isinstance(untyped, Mapping):
        for name in untyped:
            if not isinstance(name, str):
                raise ArgumentError(f"save_ndarrays: names must be str, got {name!r}")
        return list(untyped), list(untyped.values())
    if not isinstance(untyped, Sequence) or isinstance(untyped, (str, bytes)):
        raise ArgumentError(
            "save_ndarrays: arrays must be a mapping or a sequence of arrays, "
            f"got {type(untyped).__name__}; put a single array into a list"
        )
    return [], list(untyped)


def _check_writable(label: str, array: Any) -> None:
    if not isinstance(array, (np.ndarray, RowSparseArray, CSRArray)):
        raise ArgumentError(
            f"save_ndarrays: {label} must be a numpy array, a RowSparseArray or a CSRArray, "
            f"got {type(array).__name__}"
        )
    if name_of(array.dtype) not in TYPE_FLAGS:
        raise ArgumentError(
            f"save_ndarrays: {label} has dtype {array.dtype}, which the format cannot hold; "
            f"it holds {', '.join(TYPE_FLAGS)}"
        )


def _choose_np_shape(
    labels: Sequence[str], values: Sequence[StoredArray], np_shape: bool | None
) -> bool:
    dense = [array for array in values if isinstance(array, np.ndarray)]
    all_dense = len(dense) == len(values)
    # MXNet reads 0 axes or a size of 0 as "unknown" in V2, so such arrays need V3.
    if np_shape is None:
        np_shape = all_dense and any(array.ndim == 0 or array.size == 0 for array in dense)
    for label, array in zip(labels, values, strict=True):
        is_dense = isinstance(array, np.ndarray)
        if np_shape and not is_dense:
            raise ArgumentError(
                f"save_ndarrays: {label} is sparse, which needs np_shape=False: "
                "the form for numpy semantics has no sparse arrays"
            )
        if not np_shape and is_dense and len(array.shape) == 0:
            raise ArgumentError(
                f"save_ndarrays: {label} has no axes, which "
                + (
                    "needs np_shape=True"
                    if all_dense
                    else "cannot be in one file with sparse arrays: reshape it to (1,)"
                )
            )
    return np_shape


def _encode(
    names: Sequence[str], values: Sequence[StoredArray], version: int
) -> Iterator[bytes | memoryview]:
    yield struct.pack("<QQQ", LIST_MAGIC, 0, len(values))
    for array in values:
        if isinstance(array, RowSparseArray):
            yield from _encode_sparse(ROW_SPARSE, array, [array.indices])
        elif isinstance(array, CSRArray):
            yield from _encode_sparse(CSR, array, [array.indptr, array.indices])
        else:
            yield struct.pack("<Ii", version, DENSE)
            yield _shape_bytes(array.shape) + CPU + _type_flag(array)
            yield _byte_view(array)
    yield struct.pack("<Q", len(names))
    for name in names:
        encoded = name.encode()
        yield struct.pack("<Q", len(encoded)) + encoded


def _encode_sparse(
    storage: int, array: RowSparseArray | CSRArray, index: Sequence[Array]
) -> Iterator[bytes | memoryview]:
    yield struct.pack("<Ii", V2, storage)
    yield _shape_bytes(array.data.shape) + _shape_bytes(array.shape) + CPU + _type_flag(array.data)
    for part in index:
        yield _type_flag(part) + _shape_bytes(part.shape)
    for part in (array.data, *index):
        yield _byte_view(part)


def _shape_bytes(shape: tuple[int, ...]) -> bytes:
    return struct.pack(f"<i{len(shape)}q", len(shape), *shape)


def _type_flag(array: Array) -> bytes:
    return struct.pack("<i", TYPE_FLAGS[name_of(array.dtype)])


def _byte_view(array: Array) -> memoryview:
    flat = np.ascontiguousarray(array).reshape(-1)
    # numpy has no bfloat16 of its own in `astype`; its bits are copied as integers.
    if name_of(flat.dtype) == "bfloat16":
        flat = flat.view(np.uint16)
    # `astype(copy=False)` returns the array itself on little-endian machines.
    return flat.astype(flat.dtype.newbyteorder("<"), copy=False).view(np.uint8).data
