"""Reads MXNet's pickles: classes in an allow-list become records, any other is refused."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hy_io._binary import BinaryReader
from hy_io._ndarray_format import StoredArray
from hy_io._ndarray_reader import read_single
from hy_io._pickle_machine import Name, PickleMachine, RefusedError, as_kind, shown

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
    for rest in ("multiarray _reconstruct", "multiarray scalar", "numeric _frombuffer")
) | {"numpy dtype", "numpy ndarray"}
_OTHER_CLASSES = frozenset(("_codecs encode", "copy_reg _reconstructor", "copyreg _reconstructor"))
_CLASSES = ("mxnet.optimizer.", "mxnet.lr_scheduler")  # modules whose objects become records
# No "O": a dtype of objects would let a pickle hide pointers in an array's bytes.
_DTYPES = frozenset(("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"))


@dataclass(slots=True)
class PickledObject:
    """Record of an object in a pickle: its class and its state, without the class being imported.

    Args:
        kind: Module and name of the class, separated by a space.
        values: Attributes of the object.
    """

    kind: str
    values: dict[Any, Any] = field(default_factory=dict)
    array: StoredArray | None = None


def read_pickle(
    content: bytes, path: str | None = None, classes: Collection[str] = frozenset()
) -> Any:
    """Read a pickle of MXNet without running it, and return its value.

    Args:
        content: The pickle, of any protocol.
        path: The file of the pickle, for messages.
        classes: Further classes to accept, whose objects become records: module and name, separated
            by a space.

    Returns:
        Numbers, strings, bytes, lists, tuples and dictionaries; arrays; and `PickledObject` for
        optimizers and schedules.

    Raises:
        FileFormatError: The pickle is damaged, or would import or call anything else.
    """
    machine = _StatesMachine(path)
    machine.classes = classes
    return machine.read(content)


class _StatesMachine(PickleMachine):
    remedy = "only optimizer states as MXNet writes them are read"
    classes: Collection[str] = frozenset()

    def import_name(self, kind: str) -> Name:
        # An allow-list, not a deny-list: an unknown global of a pickle is arbitrary code.
        known = kind in _ARRAYS | _BYTES | _NUMPY | _OTHER_CLASSES or kind == "builtins object"
        known = known or kind in self.classes
        if not known and not (kind.startswith(_CLASSES) and kind.count(" ") == 1):
            raise RefusedError(f"a name of MXNet's states, not {shown(kind)}")
        return Name(kind)

    def call(self, kind: str, arguments: tuple[Any, ...]) -> Any:
        return _called_class(kind, arguments)

    def build(self, target: Any, state: Any) -> None:
        if isinstance(target, PickledObject):
            self._build(target, state)
        else:
            raise RefusedError("states of arrays, optimizers and schedules only")

    def inside(self, record: Any) -> Sequence[Any]:
        return (record.values,) if isinstance(record, PickledObject) else ()

    def finish(self, value: Any) -> Any:
        return _finished(value)

    def _build(self, target: PickledObject, state: Any) -> None:
        if target.kind in _ARRAYS:
            handle = as_kind(dict, state).get("handle")
            if handle is not None:
                reader = BinaryReader(as_kind(bytes, handle), self.path)
                target.array = read_single(reader)
        elif target.kind == "numpy dtype":
            # Element 1 of a dtype's state is its byte order. A tuple, not a set: the hash of a
            # nested value that a pickle made may take forever.
            if as_kind(tuple, state)[1] not in ("<", "|", None):
                raise RefusedError("little-endian numbers", shown(state[1]))
        elif target.kind == "numpy ndarray":
            _, shape, dtype, fortran, raw = as_kind(tuple, state)
            target.array = _numpy_array(shape, dtype, raw, fortran=bool(fortran))
        else:
            for part in state if isinstance(state, tuple) else (state,):
                # State of objects with slots is a pair of dictionaries.
                target.values.update(as_kind(dict, part) if part is not None else {})


def _called_class(kind: str, arguments: tuple[Any, ...]) -> Any:
    """Return the value of a call in a pickle: a record of a class, a number or bytes."""
    if kind.endswith(" _reconstructor"):
        return PickledObject(as_kind(Name, arguments[0]).kind)
    if kind in _NUMPY:
        return _new_of_numpy(kind, arguments)
    # Protocols 0 to 2 have no bytes: pickle writes them as text that is encoded as latin-1.
    if kind == "_codecs encode" or (kind in _BYTES and len(arguments) > 1):  # in protocols 0 to 2
        text, coding = arguments
        if as_kind(str, coding) not in {"latin1", "latin-1"}:
            raise RefusedError("bytes as latin1", shown(coding))
        return as_kind(str, text).encode("latin-1")
    if kind in _BYTES:
        (content,) = arguments or (b"",)
        return as_kind(bytes, content)
    return PickledObject(kind)


def _new_of_numpy(kind: str, arguments: tuple[Any, ...]) -> Any:
    if kind.endswith("multiarray scalar"):
        dtype, raw = arguments
        (value,) = np.frombuffer(as_kind(bytes, raw), _stored_dtype(dtype))
        return value.item()
    if kind == "numpy dtype":
        return PickledObject(kind, {"name": as_kind(str, arguments[0])})
    pickled = PickledObject("numpy ndarray")
    # Protocol 5 rebuilds arrays from a buffer, others by `_reconstruct` and a state.
    if kind.endswith("_frombuffer"):  # in protocol 5
        raw, dtype, shape, order = arguments
        pickled.array = _numpy_array(shape, dtype, raw, fortran=as_kind(str, order) == "F")
    return pickled


def _stored_dtype(value: Any) -> np.dtype[Any]:
    name = as_kind(PickledObject, value).values.get("name")
    if value.kind != "numpy dtype" or name not in _DTYPES:
        raise RefusedError("numbers of numpy", shown(name))
    dtype: np.dtype[Any] = np.dtype(name).newbyteorder("<")
    return dtype


_MAX_AXES = 64  # numpy's limit


def _numpy_array(shape: Any, dtype: Any, raw: Any, *, fortran: bool) -> Any:
    sizes = as_kind(tuple, shape)
    if len(sizes) > _MAX_AXES or any(type(size) is not int or size < 0 for size in sizes):
        raise RefusedError(f"at most {_MAX_AXES} sizes of 0 or more")
    array = np.frombuffer(as_kind(bytes, raw), _stored_dtype(dtype))
    # Copied: `frombuffer` is read-only, and updates write into states.
    return array.reshape(sizes, order="F" if fortran else "C").copy()


def _finished(value: Any) -> Any:
    """Return a value with the records of arrays replaced by arrays, recursively."""
    if isinstance(value, Name):
        raise RefusedError("values, not names")
    # Arrays replace their records; optimizers and schedules stay records with their values.
    if isinstance(value, PickledObject):
        if value.kind in _ARRAYS or value.kind.startswith("numpy "):
            return value.array
        return PickledObject(value.kind, _finished(value.values))
    if isinstance(value, dict):
        return {key: _finished(x) for key, x in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_finished(x) for x in value)
    return value
