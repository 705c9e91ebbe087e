"""Saving and loading arrays: ``nd.save``, ``nd.load``, ``npx.save``, ``npx.load``."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from hy_gluon.execution.cached_op import CachedOp
from hy_io import (
    CSRArray,
    RowSparseArray,
    load_arrays,
    loads_ndarrays,
    loads_npz,
    save_ndarrays,
    save_npz,
)
from hy_ndarray import (
    ArgumentError,
    DTypeError,
    NDArray,
    ShapeError,
    cpu,
    current_context,
    device_of,
    dtype_name,
    is_np_shape,
    namespaces,
    nd,
    np as mxnp,
)
from hy_ndarray.foreign import conversion, kind_of

__all__ = [
    "array_of",
    "arrays_of",
    "contents_of",
    "load",
    "load_frombuffer",
    "load_np",
    "np_shape_of",
    "save",
    "save_np",
    "savez",
]


def save(fname: str, data: NDArray | Sequence[NDArray] | Mapping[str, NDArray]) -> None:
    """Write arrays to a file that MXNet can also read.

    Args:
        fname: The file; replaced atomically.
        data: An array, a list of arrays, or arrays by name.

    Raises:
        ArgumentError: ``data`` is of another type.
    """
    if isinstance(data, NDArray):
        data = [data]
    values: list[Any] = [data]
    if isinstance(data, Mapping | list | tuple):
        values = list(data.values()) if isinstance(data, Mapping) else list(data)
    wrong = next((value for value in values if not isinstance(value, NDArray)), None)
    if wrong is not None:
        raise ArgumentError(
            f"save takes NDArrays, in a list or by name, not {kind_of(wrong)}{conversion(wrong)}"
        )
    contents = [_content(array) for array in values]
    whole = dict(zip(data, contents, strict=True)) if isinstance(data, Mapping) else contents
    save_ndarrays(fname, whole, np_shape=np_shape_of(contents))


def np_shape_of(contents: Iterable[Any]) -> bool | None:
    """Return the value of ``np_shape`` with which :func:`hy_io.save_ndarrays` saves arrays.

    MXNet loads a file only under the semantics of shapes it was saved with, and has sparse arrays
    only under the legacy semantics.
    """
    dense = all(isinstance(content, np.ndarray) for content in contents)
    return True if is_np_shape() and dense else None


def _content(array: NDArray) -> Any:
    """Return the numpy or sparse array that files store for an array."""
    if isinstance(array, nd.sparse.CSRNDArray):
        # MXNet writes a sparse array as its data and its auxiliary arrays.
        aux = array.indices.asnumpy(), array.indptr.asnumpy()
        return CSRArray(array.data.asnumpy(), *aux, array.shape)
    if isinstance(array, nd.sparse.RowSparseNDArray):
        return RowSparseArray(array.data.asnumpy(), array.indices.asnumpy(), array.shape)
    return np.asarray(array)  # shared, not copied, where numpy can


def contents_of(arrays: Mapping[str, NDArray]) -> dict[str, Any]:
    """Return the numpy or sparse arrays that parameter files store for arrays.

    Sparse arrays keep their storage, unless an array has no axes: no file format holds both.

    Args:
        arrays: Arrays by name.

    Example:
        >>> rows = nd.sparse.row_sparse_array(([[1.0]], [2]), shape=(3, 1))
        >>> contents_of({"rows": rows})["rows"].indices
        array([2])
    """
    if not all(array.shape for array in arrays.values()):
        return {name: np.asarray(array) for name, array in arrays.items()}
    return {name: _content(array) for name, array in arrays.items()}


def load(fname: str) -> list[NDArray] | dict[str, NDArray]:
    """Return the arrays of a file, as a list or by name, with their saved storage types.

    Args:
        fname: A file of MXNet or hy, or of another format that :func:`hy_io.known_formats` lists:
            safetensors, PyTorch's and numpy's.

    Raises:
        FileFormatError: The file is damaged; says where.
        ShapeError: The file was saved under ``np_shape``, which is off, and has an array without
            axes or elements, whose shape means "unknown" without ``np_shape``.
        OSError: The file cannot be read.
    """
    contents = load_arrays(fname)
    loaded = _wrapped(contents.arrays)
    arrays = loaded.values() if isinstance(loaded, dict) else loaded
    # Under the legacy semantics () and 0 mean an unknown shape, so that such arrays cannot exist.
    open_shape = next((x.shape for x in arrays if not x.shape or 0 in x.shape), None)
    if contents.np_shape and open_shape is not None and not is_np_shape():
        raise ShapeError(
            f"{fname}: was saved under np_shape and has an array {open_shape}; load it with "
            "npx.load, or after npx.set_np()"
        )
    return loaded


_OF_NUMPY = (b"PK\x03\x04", b"PK\x05\x06", b"\x93NUMPY")
"""How archives begin, those that are empty, and single arrays."""


def load_frombuffer(buf: bytes) -> list[NDArray] | dict[str, NDArray]:
    """Return the arrays in the bytes of a file of MXNet or numpy.

    Raises:
        ArgumentError: ``buf`` holds no bytes.
        FileFormatError: The bytes are of another format, or damaged.
    """
    if not isinstance(buf, bytes | bytearray | memoryview):
        raise ArgumentError(f"load_frombuffer: buf must be bytes, not of type {type(buf).__name__}")
    buf = bytes(buf)
    return _wrapped(loads_npz(buf) if buf.startswith(_OF_NUMPY) else loads_ndarrays(buf))


def _wrapped(loaded: Any) -> list[NDArray] | dict[str, NDArray]:
    # On a CPU the array takes over the memory that was read, without a copy.
    share = current_context().device_type != "gpu"
    if isinstance(loaded, dict):
        return dict(zip(loaded, arrays_of(loaded.values(), share=share), strict=True))
    return arrays_of(loaded, share=share)


def arrays_of(values: Iterable[Any], *, share: bool = False) -> list[NDArray]:
    """Return NDArrays from values read from a file, with the same dtypes.

    Args:
        values: Values read by hy-io, or NDArrays.
        share: Use the memory of writable aligned arrays, which nothing else may use.
    """
    context = current_context()
    device = device_of(cpu() if context.device_type == "gpu" else context)
    arrays: list[NDArray] = []
    for value in values:
        if isinstance(value, NDArray):
            array = value
        elif isinstance(value, CSRArray):
            array = nd.sparse.csr_matrix((value.data, value.indices, value.indptr), value.shape)
        elif isinstance(value, RowSparseArray):
            array = nd.sparse.row_sparse_array((value.data, value.indices), value.shape)
        else:
            dense = np.asarray(value)
            if dense.dtype in _WIDER:
                dense = _cast_to_wider(dense)
            name = dtype_name(dense.dtype)
            # Aligned, contiguous and writable; other memory is copied.
            if share and dense.flags.carray:
                buffer = device.memory.from_dlpack(dense, device.handle)
                array = NDArray.from_buffer(buffer, device)
            else:
                array = nd.array(dense, dtype=name)
        arrays.append(array)
    return arrays


def array_of(value: Any) -> NDArray:
    """Return an NDArray from a value read from a file, with the same dtype."""
    return arrays_of([value])[0]


_WIDER = {
    np.dtype(np.int16): np.int32,
    np.dtype(np.uint16): np.int32,
    np.dtype(np.uint32): np.int64,
    np.dtype(np.uint64): np.int64,
}
"""Integers that MXNet 2 has and 1.9 has not, and those that hold their values."""


def _cast_to_wider(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array cast to a dtype that NDArrays support and that holds its values.

    Raises:
        DTypeError: Some values need more than 63 bits.
    """
    if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
        raise DTypeError(
            f"an array of uint64 holds {array.max()}, which int64 does not; numpy.load or "
            "hy_io.load_arrays gives it as it is"
        )
    return array.astype(_WIDER[array.dtype])


def save_np(
    file: str, arr: mxnp.ndarray | Sequence[mxnp.ndarray] | Mapping[str, mxnp.ndarray]
) -> None:
    """Write arrays of ``mx.np`` to a file that MXNet's ``npx.load`` can also read.

    Args:
        file: The file; replaced atomically.
        arr: An array, a list of arrays, or arrays by name.

    Raises:
        ArgumentError: ``arr`` is of another type.

    Example:
        >>> from hy_ndarray import np
        >>> save_np("x.npx", {"x": np.ones((2,)), "number": np.array(3)})
        >>> load_np("x.npx")
        {'x': array([1., 1.]), 'number': array(3.)}
    """
    arrays: Any = [arr] if isinstance(arr, mxnp.ndarray) else arr
    values = arrays.values() if isinstance(arrays, Mapping) else arrays
    if not isinstance(arrays, Mapping | list | tuple) or not all(
        isinstance(value, mxnp.ndarray) for value in values
    ):
        raise ArgumentError(
            f"npx.save takes arrays of mx.np, in a list or by name, not {type(arr).__name__}"
        )
    if isinstance(arrays, Mapping):
        content: Any = {name: np.asarray(array) for name, array in arrays.items()}
    else:
        content = [np.asarray(array) for array in arrays]
    save_ndarrays(file, content, np_shape=True)


def savez(file: str, *args: mxnp.ndarray, **kwds: mxnp.ndarray) -> None:
    """Write arrays of ``mx.np`` to an ``.npz``, as MXNet 2 does.

    Args:
        file: The file; replaced atomically. No ``.npz`` is appended.
        args: Arrays that are called ``arr_0``, ``arr_1`` and so on.
        kwds: Arrays by name.

    Raises:
        ArgumentError: An argument is no array, or two arrays would have the same name.

    Example:
        >>> from hy_ndarray import np
        >>> savez("x.npz", np.ones((2,)), number=np.array(3))
        >>> load_np("x.npz")
        {'arr_0': array([1., 1.]), 'number': array(3.)}
    """
    arrays = {f"arr_{i}": array for i, array in enumerate(args)}
    twice = sorted(arrays.keys() & kwds.keys())
    if twice:
        raise ArgumentError(f"npx.savez: two arrays are called {twice[0]!r}; rename one")
    for name, array in (arrays := {**arrays, **kwds}).items():
        if not isinstance(array, mxnp.ndarray):
            raise ArgumentError(
                f"npx.savez takes arrays of mx.np, not {kind_of(array)} as {name!r}"
            )
    save_npz(file, {name: np.asarray(array) for name, array in arrays.items()})


def load_np(file: str) -> list[mxnp.ndarray] | dict[str, mxnp.ndarray]:
    """Read the arrays of a file, as a list or by name, as arrays of ``mx.np``.

    Args:
        file: A file of ``npx.save``, ``nd.save`` or ``np.savez``; or a ``.npy`` file, which is read
            as an array named ``array``.

    Raises:
        FileFormatError: The file is damaged, or holds strings or Python objects; says where.
        FileLimitError: Sparse arrays, made dense, would take 4 GiB more than the file, or whatever
            ``HY_MAX_FILE_EXPANSION`` of the environment allows, in bytes.
        OSError: The file cannot be read.
    """
    arrays = load_arrays(file, dense=True).arrays
    if isinstance(arrays, Mapping):
        return {name: array_of(value).as_np_ndarray() for name, value in arrays.items()}
    return [array_of(value).as_np_ndarray() for value in arrays]


namespaces.register("npx", save=save_np, savez=savez, load=load_np)
namespaces.register("nd", save=save, load=load, load_frombuffer=load_frombuffer, CachedOp=CachedOp)
