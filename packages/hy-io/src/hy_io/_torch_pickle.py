"""Reader and writer of the pickle in PyTorch's files: tensors by name, as views of storages.

It is read by a `PickleMachine`, which accepts only tensors, storages and ordered dictionaries and
runs no code, and written with opcodes of protocol 2.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from math import prod
from typing import Any

from hy_io._ndarray_format import Array
from hy_io._pickle_machine import Name, PickleMachine, RefusedError, as_dict, as_kind, shown

_STORAGES = {
    "BoolStorage": "bool",
    "ByteStorage": "uint8",
    "CharStorage": "int8",
    "ShortStorage": "int16",
    "IntStorage": "int32",
    "LongStorage": "int64",
    "HalfStorage": "float16",
    "BFloat16Storage": "bfloat16",
    "FloatStorage": "float32",
    "DoubleStorage": "float64",
    "ComplexFloatStorage": "complex64",
    "ComplexDoubleStorage": "complex128",
}
"""Dtype by storage class."""
_UNTYPED = ("uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2")
"""Newer dtypes without a storage class: the call that creates the tensor names the dtype."""
_CLASSES = {dtype: name for name, dtype in _STORAGES.items()}
# Storages without a dtype: the call that makes the tensor names it.
_BYTES = "torch.storage UntypedStorage"
_DICT = "collections OrderedDict"
_TYPED, _TYPED_OLD, _OTHER = (f"torch._utils _rebuild_tensor{end}" for end in ("_v2", "", "_v3"))
_PARAMETERS = tuple(f"torch._utils _rebuild_parameter{end}" for end in ("", "_with_state"))
_DTYPES = {f"torch {name}": name for name in (*_CLASSES, *_UNTYPED)}
_MAX_AXES = 64  # numpy's limit
_KNOWN = frozenset(
    (
        *(_DICT, _BYTES, _TYPED, _TYPED_OLD, _OTHER, *_PARAMETERS, *_DTYPES),
        *(f"torch {name}" for name in _STORAGES),
    )
)


@dataclass(frozen=True, slots=True)
class Storage:
    """Storage in a member ``data/key``; ``length`` in elements, in bytes if ``dtype`` is None."""

    key: str
    dtype: str | None
    length: int


@dataclass(frozen=True, slots=True)
class Tensor:
    """Tensor as a view of a storage; offset, sizes and strides count elements."""

    storage: Storage
    dtype: str
    first: int
    shape: tuple[int, ...]
    steps: tuple[int, ...]


class TorchMachine(PickleMachine):
    """Pickle machine for PyTorch's files: returns plain Python values, and tensors as `Tensor`."""

    remedy = "save the `state_dict()` of a module: torch.save(net.state_dict(), path)"

    def import_name(self, kind: str) -> Name:
        """Return the record of an imported name; only names of tensors and storages are accepted.

        Raises:
            RefusedError: The name is any other.
        """
        if kind not in _KNOWN:
            raise RefusedError("tensors, numbers and texts", shown(kind.replace(" ", ".")))
        return Name(kind)

    def call(self, kind: str, arguments: tuple[Any, ...]) -> Any:
        """Return the `Tensor` or the dictionary that a call creates."""
        if kind == _DICT:
            pairs = as_kind(list, arguments[0]) if arguments else []
            return as_dict(list(chain.from_iterable(as_kind(tuple, pair) for pair in pairs)))
        if kind in _PARAMETERS:
            return as_kind(Tensor, arguments[0])
        if kind in {_TYPED, _TYPED_OLD, _OTHER}:
            return _tensor(kind, arguments)
        raise RefusedError("a call that makes a tensor", repr(kind))

    def build(self, target: Any, state: Any) -> None:  # noqa: ARG002  # versions of layers
        """Ignore the state of an ordered dictionary: versions of layers, for PyTorch's loading."""
        # OrderedDict's state holds ``_metadata``, versions of layers that only PyTorch's loading
        # uses.
        as_kind(dict, target)

    def find_stored(self, key: Any) -> Storage:
        """Return the record of a storage from its persistent id."""
        kind, name, location, _, length = as_kind(tuple, key)
        known = as_kind(Name, name).kind
        dtype = _STORAGES.get(known.removeprefix("torch "))
        if as_kind(str, kind) != "storage" or (dtype is None and known != _BYTES):
            raise RefusedError("a storage", repr(known))
        return Storage(as_kind(str, location), dtype, _checked_count(length))


def _checked_count(value: Any) -> int:
    # ``type``, not isinstance: True would pass as 1.
    if type(value) is not int or value < 0:
        raise ValueError(f"{shown(value)} is no number of 0 or more")
    return value


def _tensor(kind: str, arguments: tuple[Any, ...]) -> Tensor:
    storage, first, shape, steps, *rest = arguments
    as_kind(Storage, storage)
    known_dtype = _DTYPES[as_kind(Name, rest[2]).kind] if kind == _OTHER else None
    # What follows is: needs gradient, hooks, metadata. Only the flags of conjugation matter.
    if any(rest[3 if kind == _OTHER else 2 :]):
        raise RefusedError("a plain tensor", "one that is conjugated or negated")
    dtype = storage.dtype if known_dtype is None else known_dtype
    if dtype is None or (known_dtype is not None and storage.dtype is not None):
        raise RefusedError("one dtype", f"a storage of {storage.dtype}, a tensor of {known_dtype}")
    sizes = tuple(map(_checked_count, as_kind(tuple, shape)))
    strides = tuple(map(_checked_count, as_kind(tuple, steps)))
    if len(sizes) > _MAX_AXES:
        raise RefusedError(f"at most {_MAX_AXES} axes", f"{len(sizes)}")
    if len(sizes) != len(strides):
        raise ValueError(f"{len(sizes)} sizes and {len(strides)} steps")
    return Tensor(storage, dtype, _checked_count(first), shape=sizes, steps=strides)


def dump_tensors(arrays: Mapping[str, Array]) -> bytes:
    """Return the pickle of a ``state_dict``; the storage of the n-th array has the key ``n``.

    Raises:
        TypeError: PyTorch does not have the dtype of an array.
    """
    # Protocol 2, an OrderedDict, then its items between a mark and ``u`` (SETITEMS).
    steps = [b"\x80\x02", _global(_DICT), b")R("]
    for index, (name, array) in enumerate(arrays.items()):
        dtype = array.dtype.name
        if dtype not in _CLASSES and dtype not in _UNTYPED:
            known = ", ".join((*_CLASSES, *_UNTYPED))
            raise TypeError(
                f"save_torch: array {name!r} has dtype {array.dtype}, which PyTorch does "
                f"not have; it has {known}"
            )
        steps += [_text(name), *_tensor_steps(str(index), array, dtype), b"R"]
    return b"".join((*steps, b"u."))


def _tensor_steps(key: str, array: Array, dtype: str) -> list[bytes]:
    typed = dtype in _CLASSES
    return [
        _global(_TYPED if typed else _OTHER),
        b"((",
        _text("storage"),
        _global(f"torch {_CLASSES[dtype]}" if typed else _BYTES),
        _text(key),
        _text("cpu"),
        _integer(array.size if typed else array.nbytes),
        b"tQ",
        _integer(0),
        _integers(array.shape),
        # Strides in elements of a contiguous array.
        _integers([prod(array.shape[axis + 1 :]) for axis in range(array.ndim)]),
        b"\x89",  # needs no gradient
        _global(_DICT),  # of hooks
        b")R",
        b"" if typed else _global(f"torch {dtype}"),
        b"t",
    ]


def _global(kind: str) -> bytes:
    return "c{}\n{}\n".format(*kind.split(" ")).encode()


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<cI", b"X", len(raw)) + raw


def _integers(values: Any) -> bytes:
    return b"(" + b"".join(map(_integer, values)) + b"t"


def _integer(value: int) -> bytes:
    # BININT has 32 bits; a LONG1 of 9 bytes holds any count of elements.
    if value < 1 << 31:
        return struct.pack("<ci", b"J", value)
    return b"\x8a\x09" + value.to_bytes(9, "little", signed=True)
