"""Files of optimizer and trainer states that contain only arrays, numbers and strings.

A file is an NDArray list. Its first array is JSON in UTF-8 that describes the structure of the
states and refers to the other arrays: ``{"array": name}``, ``{"tuple": [...]}``, ``{"dict": [[key,
value], ...]}``, lists, numbers, strings, null, and ``{"schedule": class, "values": ...}`` for a
learning-rate schedule. The name of this array, ``hy.optimizer_states:0123abcd``, ends in the CRC-32
of everything else. The states of a trainer are ``{"states": {index: ...}, "optimizer": {"name":
..., "values": {...}}}``. hy's trainer writes and reads these files.

MXNet writes pickles, which can run any code when loaded; `convert_pickled_states` converts them to
this format without running code.
"""

import json
import os
import sys
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from hy_io._dtypes import name_of
from hy_io._errors import ArgumentError, FileFormatError
from hy_io._limits import check_expansion, expansion_limit
from hy_io._mxnet_pickle import PickledObject, read_pickle
from hy_io._ndarray_format import Array
from hy_io._paths import open_file, read_file
from hy_io.ndarray_list import (
    StoredArray,
    dumps_ndarrays,
    load_ndarrays,
    loads_ndarrays,
    save_ndarrays,
)
from hy_io.sparse import CSRArray, RowSparseArray

__all__ = [
    "Schedule",
    "convert_pickled_states",
    "dumps_states",
    "load_states",
    "loads_states",
    "read_pickled_states",
    "save_states",
]

_HEADER = "hy.optimizer_states"
_MAX_DEPTH = 60  # levels of nesting


@dataclass(frozen=True, slots=True)
class Schedule:
    """Record of a learning-rate schedule: its class and attributes.

    Args:
        name: Name of the class.
        values: Attributes by name.
    """

    name: str
    values: dict[str, Any]


def save_states(path: str | os.PathLike[str], value: Any) -> None:
    """Write states to a file, atomically.

    Args:
        path: The file to create or replace.
        value: Arrays, numbers, strings, None and `Schedule` in nested lists, tuples and
            dictionaries. Sparse arrays are converted to dense ones.

    Raises:
        TypeError: ``value`` contains something else; the message says where.
        FileLimitError: A sparse array is too large to be dense.

    Example:
        >>> save_states("sgd.states", {"states": {0: np.ones(2)}, "optimizer": None})
        >>> load_states("sgd.states")
        {'states': {0: array([1., 1.])}, 'optimizer': None}
    """
    save_ndarrays(path, _packed(value, "save_states: states"))


def dumps_states(value: Any) -> bytes:
    """Serialize states to the bytes that `save_states` writes.

    Args:
        value: See `save_states`.

    Raises:
        TypeError: See `save_states`.

    Example:
        >>> loads_states(dumps_states({0: (np.ones(2), None)}))
        {0: (array([1., 1.]), None)}
    """
    return dumps_ndarrays(_packed(value, "dumps_states: states"))


def _packed(value: Any, where: str) -> dict[str, Array]:
    arrays: dict[str, Array] = {}
    text = json.dumps(_encoded(value, arrays, where)).encode()
    header = f"{_HEADER}:{_checksum(text, arrays):08x}"
    return {header: np.frombuffer(text, np.uint8), **arrays}


def _checksum(text: bytes, arrays: Mapping[str, Array]) -> int:
    """Return the CRC-32 of the text and of all arrays with their names, dtypes and shapes."""
    # Sorted by name, so that the order of the arrays in the file does not count.
    # Without it, a damaged number in a state would pass as a number.
    total = zlib.crc32(text)
    for name in sorted(arrays):
        array = arrays[name]
        total = zlib.crc32(f"{name} {name_of(array.dtype)} {array.shape}".encode(), total)
        total = zlib.crc32(array.tobytes(), total)
    return total


def _encoded(value: Any, arrays: dict[str, Array], where: str) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    # numpy's scalars become Python's, which JSON can hold.
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, RowSparseArray | CSRArray):
        value = value.to_dense()
    if isinstance(value, np.ndarray):
        name = str(len(arrays))
        arrays[name] = value
        return {"array": name}
    if isinstance(value, list | tuple):
        items = [_encoded(x, arrays, f"{where}[{i}]") for i, x in enumerate(value)]
        return items if isinstance(value, list) else {"tuple": items}
    if isinstance(value, dict) and all(isinstance(key, int | str) for key in value):
        return {"dict": [[k, _encoded(x, arrays, f"{where}[{k!r}]")] for k, x in value.items()]}
    if isinstance(value, Schedule):
        return {"schedule": value.name, "values": _encoded(value.values, arrays, where)}
    raise ArgumentError(
        f"{where} is a {type(value).__name__}; only arrays, numbers, strings, None and "
        "schedules can be saved, in lists, tuples and dictionaries with numbers or strings as keys"
    )


def load_states(path: str | os.PathLike[str]) -> Any:
    """Read states from a file that `save_states` or hy's trainer wrote.

    Raises:
        FileFormatError: The file is damaged or of another format.
    """
    name = os.fspath(path)
    try:
        arrays = load_ndarrays(path)
    except FileFormatError as error:
        # A pickle gets its own advice; both errors mean that the magic was another.
        if error.field in ("format", "magic") and _is_pickle(path):
            raise FileFormatError(
                name,
                0,
                "format",
                expected="states of an optimizer",
                found="a Python pickle",
                remedy=f"`hy-io convert --allow-pickle {name} NEW` reads states of MXNet",
            ) from None
        raise
    return _checked_states(arrays, name)


def loads_states(data: bytes | bytearray | memoryview) -> Any:
    """Read states from the bytes of a file, like `load_states`.

    Raises:
        FileFormatError: See `load_states`.
    """
    return _checked_states(loads_ndarrays(data), None)


def _checked_states(
    arrays: Mapping[str, StoredArray] | Sequence[StoredArray], name: str | None
) -> Any:
    dense = {
        key: x
        for key, x in (arrays.items() if isinstance(arrays, Mapping) else ())
        if isinstance(x, np.ndarray)
    }
    header = next((key for key in dense if key.startswith(f"{_HEADER}:")), None)
    if header is None or len(dense) < len(arrays):
        raise FileFormatError(
            name, 0, "names", expected=f"{_HEADER!r} among them", found="none", remedy="no states"
        )
    text = dense.pop(header).tobytes()
    actual = f"{_HEADER}:{_checksum(text, dense):08x}"
    if actual != header:
        raise FileFormatError(
            name, 0, "checksum", expected=header, found=actual, remedy="the file is damaged"
        )
    try:
        return _restored(json.loads(text.decode()), dense, 0)
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise FileFormatError(
            name,
            0,
            _HEADER,
            expected="the structure of states",
            found=f"{type(error).__name__}: {error}"[:120],
        ) from None


def _is_pickle(path: str | os.PathLike[str]) -> bool:
    with open_file(path) as file:
        # First opcodes of pickles: PROTO of protocols 2 and above, MARK, EMPTY_DICT, GLOBAL of
        # older ones.
        return file.read(1) in {b"\x80", b"(", b"}", b"c"}


def _restored(item: Any, arrays: dict[str, Array], depth: int) -> Any:
    if depth > _MAX_DEPTH:
        raise ValueError("nested too deeply")
    if isinstance(item, list):
        return [_restored(x, arrays, depth + 1) for x in item]
    if not isinstance(item, dict):
        return item
    if "array" in item:
        # Each array is referenced once: references to one array could multiply its memory.
        return arrays.pop(item["array"])
    if "tuple" in item:
        return tuple(_restored(x, arrays, depth + 1) for x in item["tuple"])
    if "dict" in item:
        pairs = item["dict"]
        if not all(isinstance(key, int | str) for key, _ in pairs):
            raise TypeError("keys are numbers or strings")
        return {key: _restored(x, arrays, depth + 1) for key, x in pairs}
    values = _restored(item["values"], arrays, depth + 1)
    if not isinstance(values, dict) or not isinstance(item["schedule"], str):
        raise TypeError("a schedule has a name and values")
    return Schedule(item["schedule"], values)


def read_pickled_states(
    content: bytes,
    path: str | None = None,
    *,
    max_expansion: int | None = None,
    classes: Collection[str] = frozenset(),
) -> dict[str, Any]:
    """Read the states in a pickle of MXNet's ``Trainer.save_states`` or ``Module``.

    No code of the pickle is run: a restricted interpreter accepts only arrays, numbers, strings and
    MXNet's optimizers and schedules, for which it creates records.

    Args:
        content: The bytes of the pickle.
        path: The file of the pickle, for messages.
        max_expansion: Limit on the memory of the arrays, sparse ones as dense, in bytes beyond the
            size of the pickle; None for the environment variable ``HY_MAX_FILE_EXPANSION``, or else
            4 GiB.
        classes: Further classes of optimizers and schedules to accept: module and name, separated
            by a space.

    Returns:
        A dictionary that `save_states` accepts: ``states`` by index, and ``optimizer`` with
        ``name`` and ``values``, or None if it was not saved. All arrays are dense.

    Raises:
        FileFormatError: The pickle is damaged, or refers to any other class or function.
        FileLimitError: The arrays would take more than ``max_expansion``.
    """
    value = read_pickle(content, path, classes)
    limit = expansion_limit(max_expansion)
    # All arrays together, before any is copied or made dense.
    total = sum(
        prod(size for size in array.shape if size) * array.dtype.itemsize
        for array in _arrays_in(value)
    )
    check_expansion(path, 0, "arrays of the states", total, len(content), limit)
    # MXNet pickles the states alone, or with ``dump_optimizer`` a pair.
    states, optimizer = value if isinstance(value, tuple) and len(value) == _PAIR else (value, None)
    if not isinstance(states, dict) or not isinstance(optimizer, PickledObject | None):
        actual = type(states).__name__
        raise FileFormatError(path, 0, "pickle", expected="states by index", found=actual)
    record = None
    if optimizer is not None:
        name = optimizer.kind.rpartition(" ")[2].lower()
        record = {"name": name, "values": _to_dense(optimizer.values, path, classes)}
    return {"states": _to_dense(states, path, classes), "optimizer": record}


_PAIR = 2  # entries of a state with its parameters


def _arrays_in(value: Any) -> Iterator[StoredArray]:
    """Yield all arrays in nested containers, each as often as it occurs."""
    if isinstance(value, np.ndarray | RowSparseArray | CSRArray):
        yield value
    elif isinstance(value, PickledObject):
        yield from _arrays_in(value.values)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _arrays_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _arrays_in(item)


def _to_dense(value: Any, path: str | None, classes: Collection[str]) -> Any:
    if isinstance(value, RowSparseArray | CSRArray):
        return value.to_dense(max_expansion=sys.maxsize)  # all together are within the limit
    if isinstance(value, PickledObject):
        module, _, name = value.kind.rpartition(" ")
        if not module.startswith("mxnet.lr_scheduler") and value.kind not in classes:
            expected = "arrays, numbers, strings and schedules"
            raise FileFormatError(path, 0, "pickle", expected=expected, found=value.kind)
        return Schedule(name, _to_dense(value.values, path, classes))
    if isinstance(value, dict):
        return {key: _to_dense(item, path, classes) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_to_dense(item, path, classes) for item in value)
    return value


def convert_pickled_states(
    path: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    max_expansion: int | None = None,
) -> None:
    """Convert a file of MXNet's pickled states to the format of this module.

    hy's trainer reads the new file with ``load_states``.

    Args:
        path: The file of the pickle.
        target: The file to create or replace.
        max_expansion: See `read_pickled_states`.

    Raises:
        FileFormatError: See `read_pickled_states`.
    """
    content = read_file(path)
    value = read_pickled_states(content, os.fspath(path), max_expansion=max_expansion)
    try:
        save_states(target, value)
    except TypeError as error:
        actual = str(error).removeprefix("save_states: ")
        expected = "arrays, numbers, strings and schedules"
        raise FileFormatError(
            os.fspath(path), 0, "pickle", expected=expected, found=actual
        ) from None
