"""Optimizer and trainer states as files of numbers and strings only.

A file is an NDArray list. Its first array is UTF-8 text, JSON that says how the others belong
together: ``{"array": name}``, ``{"tuple": [...]}``, ``{"dict": [[key, value], ...]}``, lists,
numbers, strings, null, and ``{"schedule": class, "values": ...}`` for a learning-rate schedule. The
name of this array, ``hy.optimizer_states:0123abcd``, ends in the checksum of everything else. A
trainer's states are ``{"states": {index: ...}, "optimizer": {"name": ..., "values": {...}}}``. hy's
trainer writes and reads these files, too.

MXNet writes pickles, which can run any code; `convert_pickled_states` turns them into this form
without doing so.
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
    """A learning-rate schedule.

    Args:
        name: Its class.
        values: Its attributes.
    """

    name: str
    values: dict[str, Any]


def save_states(path: str | os.PathLike[str], value: Any) -> None:
    """Write states, in one step: a crash leaves the old file or the new one.

    Args:
        path: The file to make or to replace.
        value: Arrays, numbers, strings, None and `Schedule`, in lists, tuples and dictionaries.
            Sparse arrays are made dense.

    Raises:
        TypeError: There is something else; names where.
        FileLimitError: A sparse array is too large to be dense.

    Example:
        >>> save_states("sgd.states", {"states": {0: np.ones(2)}, "optimizer": None})
        >>> load_states("sgd.states")
        {'states': {0: array([1., 1.])}, 'optimizer': None}
    """
    save_ndarrays(path, _packed(value, "save_states: states"))


def dumps_states(value: Any) -> bytes:
    """Return the bytes that `save_states` writes.

    Args:
        value: As for `save_states`.

    Raises:
        TypeError: As for `save_states`.

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
    """Read what `save_states` or a trainer of hy wrote.

    Raises:
        FileFormatError: The file is damaged or something else.
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
    """Read states from bytes; otherwise as `load_states`.

    Raises:
        FileFormatError: As for `load_states`.
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
    """Return the states in a pickle of MXNet (of ``Trainer.save_states``, or of ``Module``).

    Nothing of the pickle is run. It is followed step by step by a machine that knows only arrays,
    numbers, strings and the optimizers and schedules of MXNet, of which it makes records.

    Args:
        content: The pickle.
        path: Where it came from, for messages.
        max_expansion: How many bytes more than the pickle the arrays may take, sparse ones made
            dense; None takes ``HY_MAX_FILE_EXPANSION`` of the environment, or 4 GiB.
        classes: Optimizers and schedules besides MXNet's: module and name of each, with a space
            between them.

    Returns:
        What `save_states` takes: ``states`` by index, and ``optimizer`` with ``name`` and
        ``values``, or None if it was not saved. All arrays are dense.

    Raises:
        FileFormatError: The pickle is damaged, or names anything else.
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
    """Yield every array of a tree, as often as it occurs there."""
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
    """Convert a file of states that MXNet pickled into one of numbers and strings only.

    The trainer of hy reads it with ``load_states``.

    Args:
        path: The pickle.
        target: The file to make or to replace.
        max_expansion: As for `read_pickled_states`.

    Raises:
        FileFormatError: As for `read_pickled_states`.
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
