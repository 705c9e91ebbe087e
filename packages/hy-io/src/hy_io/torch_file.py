"""PyTorch's files: the tensors of a ``state_dict`` as numpy arrays, without PyTorch.

A file is a ZIP archive whose members are stored as they are: ``data.pkl`` is a pickle that says
which numbers of which storage a tensor is, ``data/0``, ``data/1``, ... are the storages, and
``byteorder`` tells theirs. The pickle is read as plain data and nothing of it is run; where it
names anything but tensors and dictionaries, the error names it. What is written here, PyTorch loads
with ``weights_only=True``, with ``mmap=True``, too.
"""

import mmap
import os
from collections.abc import Iterable, Mapping
from math import prod
from typing import Any, Literal

import numpy as np

from hy_io._atomic import atomic_write
from hy_io._binary import BinaryReader, allocate, fill, little_endian_view, map_open
from hy_io._dtypes import as_dtype, stored_dtype
from hy_io._errors import ArgumentError
from hy_io._expecting import expecting
from hy_io._limits import check_expansion, expansion_limit
from hy_io._ndarray_format import Array
from hy_io._paths import open_file
from hy_io._pickle_machine import shown
from hy_io._torch_pickle import Storage, Tensor, TorchMachine, dump_tensors
from hy_io._transfer import Part, write_parts
from hy_io._zip import Member, check_members, check_stored, read_members, zip_parts

__all__ = ["load_torch", "save_torch"]

# The magic number 0x1950a86a20f9469cfc6c as a pickled LONG1, with which files before 1.6 begin.
_OLD = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
"""What files of PyTorch before 1.6 begin with."""
_ALIGNMENT = 64  # bytes, as PyTorch writes
Members = dict[str, Member]
Order = Literal["<", ">"]


def load_torch(
    path: str | os.PathLike[str],
    *,
    copy: bool | Literal["on_write"] = True,
    check: bool = False,
    max_expansion: int | None = None,
) -> dict[str, Array]:
    """Read the arrays of a file that ``torch.save`` made of a ``state_dict``.

    A dictionary that has one under ``state_dict``, beside numbers and texts, is read as that.
    Tensors that share memory in PyTorch share it here, and those that are turned stay so.

    Args:
        path: The file.
        copy: True gives arrays in memory. False gives read-only views of the mapped file, which
            read from the disk what is used; ``"on_write"`` such views that can be written, which
            copies their pages and leaves the file as it is.
        check: Compare the checksums of all members, which reads all of the file; PyTorch does not.
        max_expansion: How many bytes more than the file the arrays may have: a tensor can show
            one number many times. None takes ``HY_MAX_FILE_EXPANSION`` of the environment, or
            4 GiB.

    Returns:
        The arrays by name; bfloat16 has the dtype of ``ml_dtypes``, and is float32 without it.

    Raises:
        FileFormatError: The file is damaged or cut short, has the form of PyTorch before 1.6, or
            holds anything but plain tensors; the message names it.
        FileLimitError: The arrays have more than ``max_expansion``.

    Example:
        >>> save_torch("net.pt", {"0.weight": np.ones((2, 3), np.float32)})
        >>> load_torch("net.pt")
        {'0.weight': array([[1., 1., 1.],
               [1., 1., 1.]], dtype=float32)}
    """
    with expecting("torch", path):
        name = os.fspath(path)
        limit = expansion_limit(max_expansion)
        with open_file(path, buffering=0) as file:
            content = map_open(file, private=copy == "on_write")
            reader = BinaryReader(content, name)
            members, folder = _members(reader)
            if check:
                check_members(reader, list(members.values()))
            tensors = _tensors(reader, members, folder)
            _check_tensors(reader, tensors, len(content), limit)
            order = _byte_order(reader, members, folder)
            # Deduplicated: tensors that share a storage share its array here as well.
            storages = dict.fromkeys(tensor.storage for tensor in tensors.values())
            storages_by_key = {one.key: _member(reader, members, folder, one) for one in storages}
            stored = {
                key: _member_values(reader, member) for key, member in storages_by_key.items()
            }
            if copy is True and isinstance(content.obj, mmap.mmap):
                own = dict(zip(stored, allocate(list(stored.values())), strict=True))
                fill(
                    file, name, [(storages_by_key[key].offset, array) for key, array in own.items()]
                )
                stored = own
            elif copy is True:
                stored = {key: array.copy() for key, array in stored.items()}
        arrays = {}
        for key, tensor in tensors.items():
            values = _tensor_view(stored[tensor.storage.key], tensor, order)
            start = storages_by_key[tensor.storage.key].offset
            arrays[key] = as_dtype(reader, values, tensor.dtype, f"values of {shown(key)}", start)
        return arrays


def _members(reader: BinaryReader) -> tuple[Members, str]:
    """Return the members of a file, and the folder in which they are."""
    if reader.peek(len(_OLD)) == _OLD:
        raise reader.error(
            "format",
            "the ZIP archive that PyTorch writes since version 1.6",
            "its older form",
            remedy="write it anew with PyTorch: torch.save(torch.load(path), path)",
        )
    if reader.peek(4) != b"PK\3\4":
        actual = repr(reader.peek(8))
        raise reader.error("format", "a ZIP archive, which torch.save writes", actual)
    members = read_members(reader)
    # One level deep: ``archive/data.pkl``; the folder has any name.
    pickles = [name for name in members if name.count("/") == 1 and name.endswith("/data.pkl")]
    if len(pickles) != 1:
        expected = "one member FOLDER/data.pkl, as in files of torch.save"
        raise reader.error("archive", expected, f"{len(pickles)}", offset=0)
    folder = pickles[0].removesuffix("data.pkl")
    # TorchScript keeps code beside tensors; reading it as tensors would lose the program silently.
    if f"{folder}constants.pkl" in members:
        raise reader.error(
            "archive",
            "tensors",
            "a program (TorchScript)",
            offset=0,
            remedy="torch.save(torch.jit.load(path).state_dict(), other) writes its tensors",
        )
    return members, folder


def _content(reader: BinaryReader, member: Member) -> bytes:
    check_stored(reader, member)
    reader.offset = member.offset
    return reader.read(member.size, f"member {member.name!r}")


def _tensors(reader: BinaryReader, members: Members, folder: str) -> dict[str, Tensor]:
    """Return the tensors by name, out of the pickle."""
    member = members[f"{folder}data.pkl"]
    # A pickle's checksum is checked always: it decides what every byte of the file means.
    check_members(reader, [member])
    machine = TorchMachine(reader.path, member.offset)
    state = machine.read(_content(reader, member))
    if isinstance(state, dict):
        # Lightning and many training scripts save {"state_dict": ..., "epoch": ...}.
        state = state.get("state_dict", state)
    at = member.offset

    def wrong(field: str, expected: str, value: Any) -> Exception:
        kind = "a tensor" if isinstance(value, Tensor) else f"a {type(value).__name__}"
        return reader.error(field, expected, kind, offset=at, remedy=machine.remedy)

    if not isinstance(state, dict):
        raise wrong("state_dict", "tensors by name", state)
    for name, tensor in state.items():
        if not isinstance(name, str):
            raise wrong(f"name {name!r}", "a text", name)
        if not isinstance(tensor, Tensor):
            raise wrong(f"value of {shown(name)}", "a tensor", tensor)
    return state


def _check_tensors(
    reader: BinaryReader, tensors: Mapping[str, Tensor], size: int, limit: int
) -> None:
    """Refuse tensors outside of their storages, or too many numbers in all."""
    total = 0
    for name, tensor in tensors.items():
        field, shape, storage = f"tensor {shown(name)}", tensor.shape, tensor.storage
        itemsize = stored_dtype(tensor.dtype).itemsize
        numbers = storage.length if storage.dtype else storage.length // itemsize
        last = tensor.first + sum(
            (axis - 1) * step for axis, step in zip(shape, tensor.steps, strict=True)
        )
        # The last element that strides can reach must lie in the storage, or the view would read
        # past it.
        if 0 not in shape and last >= numbers:
            actual = f"shape {shape}, steps {tensor.steps} from {tensor.first} on"[:160]
            expected = f"numbers among the {numbers} of its storage"
            raise reader.error(field, expected, actual, offset=0)
        # Views count as if they were whole: a stride of 0 makes a large array of one number.
        total += prod(axis for axis in shape if axis) * itemsize
        check_expansion(reader.path, 0, f"{field} of shape {shape}"[:120], total, size, limit)


def _byte_order(reader: BinaryReader, members: Members, folder: str) -> Order:
    member = members.get(f"{folder}byteorder")
    content = b"little" if member is None else _content(reader, member)
    if content not in {b"little", b"big"}:
        actual = repr(content[:20])
        raise reader.error("byteorder", "little or big", actual, offset=0)
    return "<" if content == b"little" else ">"


def _member(reader: BinaryReader, members: Members, folder: str, storage: Storage) -> Member:
    name = f"{folder}data/{storage.key}"
    if name not in members:
        expected = f"a member {shown(name)}"
        raise reader.error(f"storage {shown(storage.key)}", expected, "none", offset=0)
    member = members[name]
    check_stored(reader, member)
    itemsize = stored_dtype(storage.dtype).itemsize if storage.dtype else 1
    if member.size != storage.length * itemsize:
        expected = f"{storage.length} numbers of {itemsize} bytes"
        raise reader.error(
            f"storage {shown(storage.key)}", expected, f"{member.size} bytes", offset=member.offset
        )
    return member


def _member_values(reader: BinaryReader, member: Member) -> Array:
    reader.offset = member.offset
    return reader.array(np.dtype(np.uint8), (member.size,), f"member {member.name!r}")


def _tensor_view(stored: Array, tensor: Tensor, order: Order) -> Array:
    dtype = stored_dtype(tensor.dtype).newbyteorder(order)
    if 0 in tensor.shape:
        return np.empty(tensor.shape, dtype)
    width = dtype.itemsize
    steps = (
        # Strides of axes of size 1 are arbitrary in PyTorch; numpy checks them, so they become 0.
        step * width * (axis > 1)
        for axis, step in zip(tensor.shape, tensor.steps, strict=True)
    )
    # `numpy.ndarray` itself checks that shape and strides stay inside the buffer.
    return np.ndarray(tensor.shape, dtype, stored.data, tensor.first * width, tuple(steps))


def save_torch(path: str | os.PathLike[str], arrays: Mapping[str, Array]) -> None:
    """Write arrays as ``torch.save`` writes a ``state_dict``, in one step.

    A crash leaves the old file or the new one. The numbers of each begin at a multiple of 64 bytes,
    as PyTorch has it. The same arrays make the same bytes.

    Args:
        path: The file to make or to replace.
        arrays: Arrays by name.

    Raises:
        TypeError: Something is no numpy array (make sparse ones dense before), or has a dtype
            that PyTorch has not.
    """
    for name, array in arrays.items():
        item: Any = (name, array)  # untyped callers pass anything
        if not isinstance(item[0], str) or not isinstance(item[1], np.ndarray):
            raise ArgumentError(
                f"save_torch: {name!r} must be the name of a numpy array, got "
                f"{type(array).__name__}; make a sparse array dense with to_dense()"
            )
    # The members that `torch.load` asks for; 3 is the version of the archive's layout.
    texts = {"data.pkl": dump_tensors(arrays), "byteorder": b"little", "version": b"3\n"}
    members: list[tuple[str, int, Iterable[Part]]]
    members = [(f"archive/{name}", len(text), [text]) for name, text in texts.items()]
    for index, array in enumerate(arrays.values()):
        members.append((f"archive/data/{index}", array.nbytes, map(little_endian_view, [array])))
    with atomic_write(path, size=sum(size for _, size, _ in members)) as file:
        write_parts(file, zip_parts(members, align=_ALIGNMENT))
