"""Reads the pickles that MXNet wrote: the names in a list become records, any other is refused."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hy_io._binary import BinaryReader
from hy_io._ndarray_format import StoredArray
from hy_io._ndarray_reader import read_single
from hy_io._pickle_machine import MARK, Name, PickleMachine, RefusedError, as_kind

__all__ = ["PickledObject", "read_pickle"]

_ARRAYS = frozenset(
    (
        "mxnet.ndarray.ndarray NDArray",
        "mxnet.ndarray.sparse CSRNDArray",
        "mxnet.ndarray.sparse RowSparseNDArray",
        "mxnet.numpy.multiarray ndarray",
    )
)
_BYTES = frozenset(("builtins bytearray", "__builtin__ bytearray", "builtins bytes"))
_NUMPY = frozenset(
    f"{package}.{rest}"
    for package in ("numpy.core", "numpy._core")
    for rest in ("multiarray _reconstruct", "multiarray scalar")
) | {"numpy dtype", "numpy ndarray"}
_OTHER = frozenset(("_codecs encode", "copy_reg _reconstructor", "copyreg _reconstructor"))
_CLASSES = ("mxnet.optimizer.", "mxnet.lr_scheduler")  # modules whose objects become records
_FEW_VALUES = 1000  # that any file may have
_DTYPES = frozenset(("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"))


@dataclass(slots=True)
class PickledObject:
    """An object of a class, as a record.

    Args:
        kind: Module and name of the class.
        values: Its attributes.
    """

    kind: str
    values: dict[Any, Any] = field(default_factory=dict)
    array: StoredArray | None = None


def read_pickle(
    content: bytes, path: str | None = None, classes: Collection[str] = frozenset()
) -> Any:
    """The value that a pickle of MXNet holds.

    Args:
        content: The pickle, of any protocol.
        path: Where it came from, for messages.
        classes: Classes besides MXNet's whose objects become records: module and name, with a
            space between them.

    Returns:
        Numbers, strings, bytes, lists, tuples and dictionaries; arrays; and `PickledObject` for
        optimizers and schedules.

    Raises:
        FileFormatError: The pickle is damaged, or would import or call anything else.
    """
    machine = _StatesMachine(path)
    machine.classes = classes
    machine.most = _FEW_VALUES + 4 * len(content)
    return machine.read(content)


class _StatesMachine(PickleMachine):
    remedy = "only optimizer states as MXNet writes them are read"
    most = 0  # values, each as often as it is named
    classes: Collection[str] = frozenset()

    def import_name(self, kind: str) -> Name:
        known = kind in _ARRAYS | _BYTES | _NUMPY | _OTHER or kind == "builtins object"
        known = known or kind in self.classes
        if not known and not (kind.startswith(_CLASSES) and kind.count(" ") == 1):
            raise RefusedError(f"a name of MXNet's states, not {kind[:80]!r}")
        return Name(kind)

    def call(self, kind: str, arguments: tuple[Any, ...]) -> Any:
        return _new(kind, arguments)

    def build(self, target: Any, state: Any) -> None:
        if isinstance(target, PickledObject):
            self._build(target, state)
        else:
            raise RefusedError("states of arrays, optimizers and schedules only")

    def finish(self, value: Any) -> Any:
        return _finished(value, self.most)

    def _build(self, target: PickledObject, state: Any) -> None:
        if target.kind in _ARRAYS:
            handle = as_kind(dict, state).get("handle")
            if handle is not None:
                reader = BinaryReader(as_kind(bytes, handle), self.path)
                target.array = read_single(reader)
        elif target.kind == "numpy dtype":
            if as_kind(tuple, state)[1] not in {"<", "|", None}:
                raise RefusedError("little-endian numbers")
        elif target.kind == "numpy ndarray":
            target.array = _numpy_array(as_kind(tuple, state))
        else:
            for part in state if isinstance(state, tuple) else (state,):
                target.values.update(as_kind(dict, part) if part is not None else {})


_SCALAR_PARTS = 2


def _new(kind: str, arguments: tuple[Any, ...]) -> Any:
    """What a call becomes."""
    if kind.endswith(" _reconstructor"):
        return PickledObject(as_kind(Name, arguments[0]).kind)
    if kind in _NUMPY:
        return _new_of_numpy(kind, arguments)
    if kind == "_codecs encode":  # how protocols 0 to 2 write bytes
        text, coding = arguments
        if coding != "latin1":
            raise RefusedError("bytes as latin1")
        return as_kind(str, text).encode("latin-1")
    if kind in _BYTES:
        return _bytes(arguments)
    return PickledObject(kind)


def _new_of_numpy(kind: str, arguments: tuple[Any, ...]) -> Any:
    if kind.endswith("multiarray scalar"):
        dtype, raw = arguments
        (value,) = np.frombuffer(as_kind(bytes, raw), _dtype(dtype))
        return value.item()
    if kind == "numpy dtype":
        return PickledObject(kind, {"name": as_kind(str, arguments[0])})
    return PickledObject("numpy ndarray")


def _bytes(arguments: tuple[Any, ...]) -> bytes:
    if not arguments:
        return b""
    if len(arguments) == _SCALAR_PARTS and isinstance(arguments[0], str):
        if arguments[1] not in {"latin-1", "latin1"}:
            raise RefusedError("bytes as latin1")
        return arguments[0].encode("latin-1")
    (content,) = arguments
    value: bytes = as_kind(bytes, content)
    return value


def _dtype(value: Any) -> np.dtype[Any]:
    name = as_kind(PickledObject, value).values.get("name")
    if name not in _DTYPES:
        raise RefusedError(f"numbers of numpy, not {str(name)[:20]!r}")
    dtype: np.dtype[Any] = np.dtype(name).newbyteorder("<")
    return dtype


def _numpy_array(state: tuple[Any, ...]) -> Any:
    _, shape, dtype, fortran, raw = state
    array = np.frombuffer(as_kind(bytes, raw), _dtype(dtype))
    sizes = tuple(int(size) for size in as_kind(tuple, shape))
    if any(size < 0 for size in sizes):
        raise ValueError("sizes below 0")
    return array.reshape(sizes, order="F" if fortran else "C").copy()


def _finished(value: Any, most: int) -> Any:
    """Arrays for the records of arrays, in a structure that is a tree of bounded size."""
    left = [most]

    def walk(item: Any, depth: int) -> Any:
        left[0] -= 1
        if left[0] < 0 or depth > _DEEPEST:
            raise RefusedError("values that are not nested in themselves")
        if isinstance(item, Name | type(MARK)):
            raise RefusedError("values, not names")
        if isinstance(item, PickledObject):
            if item.kind in _ARRAYS or item.kind.startswith("numpy "):
                return item.array
            return PickledObject(item.kind, walk(item.values, depth + 1))
        if isinstance(item, dict):
            return {key: walk(x, depth + 1) for key, x in item.items()}
        if isinstance(item, list | tuple):
            return type(item)(walk(x, depth + 1) for x in item)
        return item

    return walk(value, 0)


_DEEPEST = 50
