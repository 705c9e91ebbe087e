"""Reads the pickles that MXNet wrote as plain data: no code runs and no module is imported.

A pickle is a program for a small machine. Here `pickletools` of the standard library splits it into
steps, and a machine that knows no calls follows them: what a pickle would import is looked up in a
list of names, all of which become records; any other name is refused.
"""

import pickletools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hy_io._binary import BinaryReader
from hy_io._errors import FileFormatError
from hy_io._ndarray_format import StoredArray
from hy_io._ndarray_reader import read_single

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
_MOST_VALUES = 2_000_000  # in one file
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


@dataclass(frozen=True, slots=True)
class _Name:
    kind: str


class _Mark:
    pass


_MARK = _Mark()


class _RefusedError(Exception):
    """What the pickle does at the present step is outside the list."""


def read_pickle(content: bytes, path: str | None = None) -> Any:
    """The value that a pickle of MXNet holds.

    Args:
        content: The pickle, of any protocol.
        path: Where it came from, for messages.

    Returns:
        Numbers, strings, bytes, lists, tuples and dictionaries; arrays; and `PickledObject` for
        optimizers and schedules.

    Raises:
        FileFormatError: The pickle is damaged, or would import or call anything else.
    """
    machine = _Machine(path)
    offset = 0
    try:
        for code, argument, position in pickletools.genops(content):
            offset = position or 0
            machine.step(code.name, argument)
            machine.check_size()
        return machine.result(_FEW_VALUES + 4 * len(content))
    except FileFormatError:
        raise
    except _RefusedError as error:
        remedy = "only optimizer states as MXNet writes them are read"
        raise FileFormatError(path, offset, "pickle", str(error), "another step", remedy) from None
    except (
        ValueError,
        KeyError,
        IndexError,
        TypeError,
        AttributeError,
        UnicodeError,
        OverflowError,
        RecursionError,
    ) as error:
        found = f"{type(error).__name__}: {error}"[:120]
        raise FileFormatError(path, offset, "pickle", "a whole pickle", found) from None


class _Machine:
    def __init__(self, path: str | None) -> None:
        self.path = path
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def result(self, most: int) -> Any:
        (value,) = self.stack
        return _finished(value, most)

    def check_size(self) -> None:
        if len(self.memo) + len(self.stack) > _MOST_VALUES:
            raise _RefusedError(f"at most {_MOST_VALUES} values")

    def step(self, name: str, argument: Any) -> None:
        if name in _IGNORED:
            return
        if name in _PUSHED:
            self.stack.append(_number(argument))
        elif name in _CONSTANTS:
            made = _CONSTANTS[name]
            self.stack.append(made() if callable(made) else made)
        elif name in _MEMO_PUTS:
            self.memo[len(self.memo) if argument is None else int(argument)] = self.stack[-1]
        elif name in _MEMO_GETS:
            self.stack.append(self.memo[int(argument)])
        else:
            work = getattr(self, f"do_{name.lower()}", None)
            if work is None:
                raise _RefusedError(f"no {name}")
            work(argument)

    def _popped(self) -> list[Any]:
        """Everything above the last mark."""
        at = len(self.stack) - 1
        while self.stack[at] is not _MARK:
            at -= 1
            if at < 0:
                raise ValueError("no mark")
        items = self.stack[at + 1 :]
        del self.stack[at:]
        return items

    def do_tuple(self, _: Any) -> None:
        self.stack.append(tuple(self._popped()))

    def do_tuple1(self, _: Any) -> None:
        self.stack[-1:] = [(self.stack[-1],)]

    def do_tuple2(self, _: Any) -> None:
        self.stack[-2:] = [(self.stack[-2], self.stack[-1])]

    def do_tuple3(self, _: Any) -> None:
        self.stack[-3:] = [(self.stack[-3], self.stack[-2], self.stack[-1])]

    def do_list(self, _: Any) -> None:
        self.stack.append(self._popped())

    def do_dict(self, _: Any) -> None:
        self.stack.append(_dict(self._popped()))

    def do_append(self, _: Any) -> None:
        value = self.stack.pop()
        _as(list, self.stack[-1]).append(value)

    def do_appends(self, _: Any) -> None:
        items = self._popped()
        _as(list, self.stack[-1]).extend(items)

    def do_setitem(self, _: Any) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        _as(dict, self.stack[-1]).update(_dict([key, value]))

    def do_setitems(self, _: Any) -> None:
        items = self._popped()
        _as(dict, self.stack[-1]).update(_dict(items))

    def do_pop(self, _: Any) -> None:
        self.stack.pop()

    def do_dup(self, _: Any) -> None:
        self.stack.append(self.stack[-1])

    def do_global(self, argument: Any) -> None:
        self.stack.append(_name(argument))

    def do_stack_global(self, _: Any) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        self.stack.append(_name(f"{_as(str, module)} {_as(str, name)}"))

    def do_newobj(self, _: Any) -> None:
        arguments, name = self.stack.pop(), self.stack.pop()
        self.stack.append(_new(_as(_Name, name).kind, _as(tuple, arguments)))

    def do_reduce(self, _: Any) -> None:
        arguments, name = self.stack.pop(), self.stack.pop()
        self.stack.append(_new(_as(_Name, name).kind, _as(tuple, arguments)))

    def do_build(self, _: Any) -> None:
        state = self.stack.pop()
        target = self.stack[-1]
        if isinstance(target, PickledObject):
            self._build(target, state)
        else:
            raise _RefusedError("states of arrays, optimizers and schedules only")

    def _build(self, target: PickledObject, state: Any) -> None:
        if target.kind in _ARRAYS:
            handle = _as(dict, state).get("handle")
            if handle is not None:
                reader = BinaryReader(_as(bytes, handle), self.path)
                target.array = read_single(reader)
        elif target.kind == "numpy dtype":
            if _as(tuple, state)[1] not in {"<", "|", None}:
                raise _RefusedError("little-endian numbers")
        elif target.kind == "numpy ndarray":
            target.array = _numpy_array(_as(tuple, state))
        else:
            for part in state if isinstance(state, tuple) else (state,):
                target.values.update(_as(dict, part) if part is not None else {})


_IGNORED = frozenset(("PROTO", "FRAME", "STOP"))
_PUSHED = frozenset(
    (
        "INT",
        "BININT",
        "BININT1",
        "BININT2",
        "LONG",
        "LONG1",
        "LONG4",
        "FLOAT",
        "BINFLOAT",
        "STRING",
        "BINSTRING",
        "SHORT_BINSTRING",
        "UNICODE",
        "BINUNICODE",
        "SHORT_BINUNICODE",
        "BINUNICODE8",
        "BINBYTES",
        "SHORT_BINBYTES",
        "BINBYTES8",
        "BYTEARRAY8",
    )
)
_CONSTANTS: dict[str, Any] = {
    "NONE": None,
    "NEWTRUE": True,
    "NEWFALSE": False,
    "EMPTY_TUPLE": (),
    "EMPTY_LIST": list,
    "EMPTY_DICT": dict,
    "MARK": _MARK,
}
_MEMO_PUTS = frozenset(("PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"))
_MEMO_GETS = frozenset(("GET", "BINGET", "LONG_BINGET"))
_SCALAR_PARTS = 2
_LONGEST_NUMBER = 64  # bits


def _number(value: Any) -> Any:
    if isinstance(value, int) and value.bit_length() > _LONGEST_NUMBER:
        raise _RefusedError("numbers of at most 64 bits")
    return bytes(value) if isinstance(value, bytearray) else value


def _as(kind: type[Any], value: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"needs a {kind.__name__}, not a {type(value).__name__}")
    return value


def _dict(items: list[Any]) -> dict[Any, Any]:
    keys, values = items[::2], items[1::2]
    if not all(isinstance(key, int | str) for key in keys):
        raise TypeError("keys must be numbers and strings")
    return dict(zip(keys, values, strict=True))


def _name(kind: str) -> _Name:
    kind = kind.replace("\n", " ")
    known = kind in _ARRAYS | _BYTES | _NUMPY | _OTHER or kind == "builtins object"
    if not known and not (kind.startswith(_CLASSES) and kind.count(" ") == 1):
        raise _RefusedError(f"a name of MXNet's states, not {kind[:80]!r}")
    return _Name(kind)


def _new(kind: str, arguments: tuple[Any, ...]) -> Any:
    """What a call becomes."""
    if kind.endswith(" _reconstructor"):
        return PickledObject(_as(_Name, arguments[0]).kind)
    if kind in _NUMPY:
        return _new_of_numpy(kind, arguments)
    if kind == "_codecs encode":  # how protocols 0 to 2 write bytes
        text, coding = arguments
        if coding != "latin1":
            raise _RefusedError("bytes as latin1")
        return _as(str, text).encode("latin-1")
    if kind in _BYTES:
        return _bytes(arguments)
    return PickledObject(kind)


def _new_of_numpy(kind: str, arguments: tuple[Any, ...]) -> Any:
    if kind.endswith("multiarray scalar"):
        dtype, raw = arguments
        (value,) = np.frombuffer(_as(bytes, raw), _dtype(dtype))
        return value.item()
    if kind == "numpy dtype":
        return PickledObject(kind, {"name": _as(str, arguments[0])})
    return PickledObject("numpy ndarray")


def _bytes(arguments: tuple[Any, ...]) -> bytes:
    if not arguments:
        return b""
    if len(arguments) == _SCALAR_PARTS and isinstance(arguments[0], str):
        if arguments[1] not in {"latin-1", "latin1"}:
            raise _RefusedError("bytes as latin1")
        return arguments[0].encode("latin-1")
    (content,) = arguments
    value: bytes = _as(bytes, content)
    return value


def _dtype(value: Any) -> np.dtype[Any]:
    name = _as(PickledObject, value).values.get("name")
    if name not in _DTYPES:
        raise _RefusedError(f"numbers of numpy, not {str(name)[:20]!r}")
    dtype: np.dtype[Any] = np.dtype(name).newbyteorder("<")
    return dtype


def _numpy_array(state: tuple[Any, ...]) -> Any:
    _, shape, dtype, fortran, raw = state
    array = np.frombuffer(_as(bytes, raw), _dtype(dtype))
    sizes = tuple(int(size) for size in _as(tuple, shape))
    if any(size < 0 for size in sizes):
        raise ValueError("sizes below 0")
    return array.reshape(sizes, order="F" if fortran else "C").copy()


def _finished(value: Any, most: int) -> Any:
    """Arrays for the records of arrays, in a structure that is a tree of bounded size."""
    left = [most]

    def walk(item: Any, depth: int) -> Any:
        left[0] -= 1
        if left[0] < 0 or depth > _DEEPEST:
            raise _RefusedError("values that are not nested in themselves")
        if isinstance(item, _Name | _Mark):
            raise _RefusedError("values, not names")
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
