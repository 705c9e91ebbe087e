"""Reader and writer of PyTorch's files of a ``state_dict``, as numpy arrays, without PyTorch.

A file is a ZIP archive of uncompressed members: ``data.pkl`` is a pickle that describes each tensor
as a view of a storage, ``data/0``, ``data/1``, ... are the storages, and ``byteorder`` is their
byte order. The pickle is read without running code; names other than those of tensors and
dictionaries raise an error. PyTorch loads the files written here with ``weights_only=True``, also
with ``mmap=True``.
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
"""First bytes of files of PyTorch before 1.6."""
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
    """Read a ``state_dict`` that ``torch.save`` wrote.

    If the saved dictionary has a key ``state_dict``, as in training checkpoints, the arrays under
    that key are returned. Tensors that share memory in PyTorch share it here, and strides, such as
    those of transposed tensors, are kept.

    Args:
        path: The file.
        copy: True reads the arrays into memory. False returns read-only views of the mapped file,
            which read from the disk on access; ``"on_write"`` returns writable copy-on-write views,
            which do not change the file.
        check: Verify the CRC-32 of all members, which reads the whole file; PyTorch does not.
        max_expansion: Limit on the total ``nbytes`` of the arrays, in bytes beyond the size of the
            file: by strides, a tensor can show one number many times. None for the environment
            variable ``HY_MAX_FILE_EXPANSION``, or else 4 GiB.

    Returns:
        The arrays by name; bfloat16 has the dtype of ``ml_dtypes``, or is converted to float32 if
        that is not installed.

    Raises:
        FileFormatError: The file is damaged or cut short, has the format of PyTorch before 1.6, or
            contains anything but plain tensors, which the message names.
        FileLimitError: The arrays exceed the limit.

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
    """Return the ZIP members of a file by name, and the name of their common folder."""
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
    """Read the pickle and return the records of the tensors by name."""
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
    """Raise if a tensor extends past its storage, or if all together exceed the limit."""
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
    """Write arrays like ``torch.save`` of a ``state_dict``, atomically.

    As in PyTorch, the values of each array are aligned to 64 bytes in the file. Equal arrays give
    equal bytes.

    Args:
        path: The file to create or replace.
        arrays: Arrays by name.

    Raises:
        TypeError: A value is not a numpy array (convert sparse arrays to dense ones before), or has
            a dtype that PyTorch does not have.
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
