"""Damaged NDArray-list files: always `FileFormatError`, never more memory than the file's size."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hy_io import (
    CSRArray,
    FileFormatError,
    RowSparseArray,
    StoredArray,
    load_ndarrays,
    loads_ndarrays,
    save_ndarrays,
)
from tests.io.ndarray_literals import (
    ARRAY_CSR,
    ARRAY_ROW_SPARSE,
    ARRAY_V0,
    ARRAY_V2,
    CPU_0,
    CSR,
    DENSE,
    EVERY_FORM,
    FLOAT32,
    INT64,
    LIST_MAGIC,
    NAMED_W_B,
    RESERVED,
    SHAPE_2,
    V1,
    V2,
    V3,
    VALUES,
    file_of,
    u64,
)

NAMED = file_of(ARRAY_V2, ARRAY_V0, names=NAMED_W_B)
HUGE = b"\xff\xff\xff\xff\xff\xff\xff\x7f"
BFLOAT16 = b"\x0c\x00\x00\x00"
BOOL = b"\x07\x00\x00\x00"


def stored_bytes(array: StoredArray) -> int:
    if isinstance(array, RowSparseArray):
        return array.data.nbytes + array.indices.nbytes
    if isinstance(array, CSRArray):
        return array.data.nbytes + array.indices.nbytes + array.indptr.nbytes
    return array.nbytes


@pytest.mark.parametrize("content", [EVERY_FORM, NAMED], ids=["every_form", "named"])
def test_truncation_at_every_byte_is_refused(content: bytes) -> None:
    loads_ndarrays(content)
    for size in range(len(content)):
        with pytest.raises(FileFormatError):
            loads_ndarrays(content[:size])


@pytest.mark.parametrize("size", [0, 1, 24, len(NAMED) - 1])
def test_truncated_file_is_refused_with_its_path(tmp_path: Path, size: int) -> None:
    path = tmp_path / "net.params"
    path.write_bytes(NAMED[:size])
    with pytest.raises(
        FileFormatError, match=r"is cut short|expected at most|the file is empty"
    ) as caught:
        load_ndarrays(path)
    assert caught.value.path == str(path)
    assert caught.value.offset <= size
    assert str(path) in str(caught.value)


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=500)
@given(st.data())
def test_random_damage_is_refused_or_read(data: st.DataObject) -> None:
    content = bytearray(data.draw(st.sampled_from([EVERY_FORM, NAMED])))
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(0, len(content) - 1))
        content[position] = data.draw(st.integers(0, 255))
    try:
        loaded = loads_ndarrays(bytes(content))
    except FileFormatError:
        return
    arrays = loaded.values() if isinstance(loaded, dict) else loaded
    assert sum(map(stored_bytes, arrays)) < len(content)


@settings(derandomize=True, deadline=None)
@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_refused(content: bytes) -> None:
    for prefix in (b"", LIST_MAGIC, LIST_MAGIC + RESERVED + u64(1)):
        try:
            loads_ndarrays(prefix + content)
        except FileFormatError:
            continue


FORGED = {
    "array count": LIST_MAGIC + RESERVED + HUGE + ARRAY_V2,
    "name count": file_of(ARRAY_V2, names=HUGE),
    "name length": file_of(ARRAY_V2, names=u64(1) + HUGE + b"w"),
    "number of axes": file_of(V2 + DENSE + b"\xff\xff\xff\x7f" + CPU_0 + FLOAT32 + VALUES),
    "size": file_of(V2 + DENSE + b"\x01\x00\x00\x00" + HUGE + CPU_0 + FLOAT32 + VALUES),
    "product of sizes": file_of(
        V2 + DENSE + b"\x03\x00\x00\x00" + HUGE * 3 + CPU_0 + FLOAT32 + VALUES
    ),
    "sizes beside a zero": file_of(
        V3 + DENSE + b"\x03\x00\x00\x00" + bytes(8) + HUGE * 2 + CPU_0 + FLOAT32 + VALUES
    ),
    "v0 size": file_of(b"\x01\x00\x00\x00\xff\xff\xff\xff" + CPU_0 + FLOAT32 + VALUES),
    "stored rows": file_of(ARRAY_ROW_SPARSE[:12] + HUGE + ARRAY_ROW_SPARSE[20:]),
    "rows of csr": file_of(ARRAY_CSR[:24] + HUGE + ARRAY_CSR[32:]),
}


@pytest.mark.parametrize("content", FORGED.values(), ids=FORGED)
def test_forged_lengths_do_not_allocate(content: bytes) -> None:
    with pytest.raises(FileFormatError):  # once before measuring: imports and caches
        loads_ndarrays(content)
    tracemalloc.start()
    try:
        with pytest.raises(FileFormatError):
            loads_ndarrays(content)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000


def dense(values: bytes, *, version: bytes = V2, shape: bytes = SHAPE_2, flag: bytes) -> bytes:
    return file_of(version + DENSE + shape + CPU_0 + flag + values)


ROW_7 = ARRAY_ROW_SPARSE[:-8] + u64(7)
FALLING = ARRAY_CSR[:-40] + u64(0) + u64(3) + u64(2) + ARRAY_CSR[-16:]
MINUS_1 = b"\xff\xff\xff\xff"
REFUSED = [  # content, offset, the message after "<bytes>: byte N: "
    (
        b"PK\x03\x04" + bytes(30),
        0,
        "format: expected arrays of MXNet .*, found a ZIP archive; unpack",
    ),
    (b'{"nodes": []}', 0, "format: .*, found a graph in JSON .*; sym.load reads it"),
    (b"\x80\x04\x95" + bytes(30), 0, "format: .*, found a Python pickle; "),
    (b"version https://git-lfs.github.com", 0, "format: .*; run `git lfs pull`"),
    (b"<!DOCTYPE html>", 0, "format: .*, found a web page; "),
    (bytes(24), 0, "magic: expected 0x112, found 0x0; it is no file of arrays"),
    (file_of(ARRAY_V2) + b"\n", 72, "end: expected .*, found 1 more bytes; .* cut .* to 72 bytes"),
    (file_of(ARRAY_V2, ARRAY_V2, names=u64(1) + u64(1) + b"w"), 104, "name count: expected 0 or 2"),
    (file_of(ARRAY_V2, ARRAY_V2, names=u64(2) + 2 * (u64(1) + b"w")), 121, "name 1: .*'w' again"),
    (file_of(ARRAY_V2, names=u64(1) + u64(2) + b"w\xff"), 81, "name 0: expected UTF-8"),
    (file_of(b"\xef\xbe\xad\xde" + bytes(40)), 24, "array 0 magic: .* found 0xdeadbeef"),
    (
        file_of(V2 + b"\x03\x00\x00\x00" + ARRAY_V2),
        28,
        "array 0 storage type: expected 0 .*found 3",
    ),
    (file_of(V3 + CSR + ARRAY_V2), 28, r"array 0 storage type: expected 0 \(dense\), found 2"),
    (file_of(V2 + DENSE + MINUS_1 + ARRAY_V2), 32, "array 0 shape: .* axes, found -1"),
    (file_of(V2 + DENSE + bytes(4)), 32, "array 0 shape: .* never given a shape; write the file"),
    (file_of(V1 + bytes(4)), 28, "array 0 shape: .* never given a shape"),
    (file_of(bytes(4)), 24, "array 0 shape: .* never given a shape"),
    (dense(VALUES, shape=b"\x01\x00\x00\x00" + b"\xff" * 8, flag=FLOAT32), 32, "shape: .*-1,"),
    (dense(VALUES, flag=b"\x0d\x00\x00\x00"), 52, "array 0 type flag: expected 0 to 12, found 13"),
    (dense(VALUES, flag=MINUS_1), 52, "array 0 type flag: expected 0 to 12, found -1"),
    (dense(b"\x01\x02", flag=BOOL), 56, "array 0 values: expected 0 and 1, found 2"),
    (file_of(ARRAY_ROW_SPARSE.replace(INT64, FLOAT32, 1)), 84, "indices type flag: expected 6"),
    (file_of(ROW_7), 24, "array 0: .* indices must be within 0..2, got 7..7"),
    (file_of(FALLING), 24, "array 0: .* indptr must rise from 0 to 2, got"),
]


@pytest.mark.parametrize(
    ("content", "offset", "message"), REFUSED, ids=[row[2].split(";")[-1] for row in REFUSED]
)
def test_message_says_where_and_what(content: bytes, offset: int, message: str) -> None:
    with pytest.raises(FileFormatError, match=message) as caught:
        loads_ndarrays(content)
    assert caught.value.offset == offset
    assert caught.value.path is None
    assert str(caught.value).startswith(f"<bytes>: byte {offset}: {caught.value.field}: expected ")


def test_failed_save_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "net.params"
    save_ndarrays(path, {"w": np.ones(3)})
    old = path.read_bytes()
    with pytest.raises(TypeError, match="complex128"):
        save_ndarrays(path, {"w": np.zeros(3), "z": np.ones(3, complex)})
    with pytest.raises(UnicodeEncodeError):  # found while writing
        save_ndarrays(path, {"\ud800": np.zeros(3)})
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]
