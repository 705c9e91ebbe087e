"""Arrays in files: ``nd.save`` and ``nd.load``."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hy_gluon.cached_op import CachedOp
from hy_io import (
    CSRArray,
    RowSparseArray,
    StoredArray,
    load_ndarrays,
    loads_ndarrays,
    save_ndarrays,
)
from hy_ndarray import ArgumentError, NDArray, namespaces, nd

__all__ = ["array_of", "load", "load_frombuffer", "save"]


def save(fname: str, data: NDArray | Sequence[NDArray] | Mapping[str, NDArray]) -> None:
    """Write arrays to a file that MXNet reads too.

    Args:
        fname: The file; replaced in one step, so a crash leaves the old one or the new one.
        data: An array, a list of arrays, or arrays by name.

    Raises:
        ArgumentError: ``data`` is something else.
    """
    if isinstance(data, NDArray):
        data = [data]
    values = data.values() if isinstance(data, Mapping) else data
    if not isinstance(data, Mapping | list | tuple) or not all(
        isinstance(value, NDArray) for value in values
    ):
        raise ArgumentError(f"save takes NDArrays, in a list or by name, not {type(data).__name__}")
    if isinstance(data, Mapping):
        save_ndarrays(fname, {name: array.asnumpy() for name, array in data.items()})
    else:
        save_ndarrays(fname, [array.asnumpy() for array in data])


def load(fname: str) -> list[NDArray] | dict[str, NDArray]:
    """Read the arrays of a file, as a list or by name.

    Raises:
        FileFormatError: The file is damaged; says where.
        OSError: It cannot be read.
    """
    return _wrapped(load_ndarrays(fname))


def load_frombuffer(buf: bytes) -> list[NDArray] | dict[str, NDArray]:
    """As :func:`load`, from the content of a file."""
    return _wrapped(loads_ndarrays(buf))


def _wrapped(loaded: Any) -> list[NDArray] | dict[str, NDArray]:
    if isinstance(loaded, dict):
        return {name: array_of(value) for name, value in loaded.items()}
    return [array_of(value) for value in loaded]


def array_of(value: StoredArray) -> NDArray:
    """The array that hy-io read from a file, dense."""
    dense = value.to_dense() if isinstance(value, CSRArray | RowSparseArray) else np.asarray(value)
    return nd.array(dense, dtype=dense.dtype)


namespaces.extend("nd", save=save, load=load, load_frombuffer=load_frombuffer, CachedOp=CachedOp)
