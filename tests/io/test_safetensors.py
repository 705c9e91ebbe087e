"""safetensors: what we write the package reads, what it writes we read, and damage is told."""

import json
import struct
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import safetensors
import safetensors.numpy
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_array_equal

from hy_io import (
    CSRArray,
    FileFormatError,
    load_ndarrays,
    load_safetensors,
    save_ndarrays,
    save_safetensors,
)

DATA = Path(__file__).parent / "data"
DTYPES = "bool uint8 int8 uint16 int16 float16 uint32 int32 float32 uint64 int64 float64"


def arrays_of_all_kinds(rng: np.random.Generator) -> dict[str, np.ndarray[Any, Any]]:
    values = rng.integers(0, 2, (3, 5))
    arrays = {name: values.astype(name) for name in DTYPES.split()}
    arrays["bfloat16"] = values.astype(ml_dtypes.bfloat16)
    return arrays | {
        "turned": rng.normal(size=(4, 3)).T,
        "none": np.zeros((0, 2)),
        "0-d": np.array(3.0),
    }


def assert_same(actual: Any, expected: Any) -> None:
    assert list(actual) == list(expected)
    for name, array in expected.items():
        assert actual[name].dtype == array.dtype
        assert_array_equal(actual[name], array, strict=True)


@pytest.mark.parametrize("copy", [True, False])
def test_package_and_we_read_what_we_write(
    tmp_path: Path, rng: np.random.Generator, copy: bool
) -> None:
    arrays, path = arrays_of_all_kinds(rng), tmp_path / "a.safetensors"
    save_safetensors(path, arrays, symbol='{"nodes": []}', metadata={"by": "é"})
    content = load_safetensors(path, copy=copy)
    assert_same(content.arrays, arrays)
    assert (content.symbol, content.np_shape) == ('{"nodes": []}', None)
    assert content.metadata == {"by": "é", "format": "np"}
    theirs = safetensors.numpy.load_file(path)
    assert_same({name: theirs[name] for name in arrays}, arrays)
    with safetensors.safe_open(path, "np") as file:
        assert file.metadata()["hy.symbol"] == '{"nodes": []}'


def test_we_read_what_the_package_writes(tmp_path: Path, rng: np.random.Generator) -> None:
    arrays, path = arrays_of_all_kinds(rng), tmp_path / "a.safetensors"
    arrays["turned"] = arrays["turned"].copy()
    safetensors.numpy.save_file(arrays, path, {"k": "v"})
    content = load_safetensors(path)
    assert isinstance(content.arrays, dict)
    assert_same({name: content.arrays[name] for name in arrays}, arrays)
    assert content.metadata == {"k": "v"}
    assert content.symbol is None


def test_views_are_aligned_and_read_only(tmp_path: Path) -> None:
    path = tmp_path / "a"
    save_safetensors(path, {"byte": np.ones(1, np.uint8), "wide": np.ones(3)})
    content = load_safetensors(path, copy=False)
    assert isinstance(content.arrays, dict)
    wide = content.arrays["wide"]
    assert list(content.arrays) == ["byte", "wide"]
    assert wide.flags.aligned
    assert not wide.flags.writeable


def test_views_that_are_written_leave_the_file_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a"
    save_safetensors(path, {"x": np.arange(3)})
    before = path.read_bytes()
    arrays: Any = load_safetensors(path, copy="on_write").arrays
    arrays["x"][:] = 7
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "name", ["list_all_dtypes.nd", "np_list.nd", "module.params", "exported_bnnet.params"]
)
def test_files_of_mxnet_come_back_byte_for_byte(tmp_path: Path, name: str) -> None:
    loaded = load_ndarrays(DATA / name)
    np_shape = name.startswith("np_")
    save_safetensors(tmp_path / "a", loaded, np_shape=np_shape)  # type: ignore[arg-type]  # dense
    content = load_safetensors(tmp_path / "a")
    save_ndarrays(tmp_path / "b", content.arrays, np_shape=content.np_shape)
    assert (tmp_path / "b").read_bytes() == (DATA / name).read_bytes()


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a"
    sparse = CSRArray(np.ones(1), np.array([0]), np.array([0, 1]), (1, 2))
    wrong: list[tuple[Any, str]] = [
        ({"s": sparse}, r"'s' must be the name of a numpy array, got CSRArray; .* to_dense\(\)"),
        ({"t": np.array(["text"])}, "array 't' has dtype <U4, which the format cannot hold"),
        (np.zeros(1), "arrays must be a mapping or a sequence of arrays, got ndarray"),
    ]
    for arrays, message in wrong:
        with pytest.raises(TypeError, match=message):
            save_safetensors(path, arrays)
    with pytest.raises(ValueError, match="no array can be called '__metadata__'"):
        save_safetensors(path, {"__metadata__": np.zeros(1)})
    with pytest.raises(ValueError, match=r"'hy\.' begins hy's own names"):
        save_safetensors(path, {}, metadata={"hy.list": "true"})
    with pytest.raises(TypeError, match="metadata must be strings"):
        save_safetensors(path, {}, metadata={"n": 3})  # type: ignore[dict-item]  # the mistake
    assert not path.exists()


def raw(header: Any, values: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + values


def entry(dtype: Any = "U8", shape: Any = (1,), begin: int = 0, end: int = 1) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


DAMAGED = [
    (b"", "byte 0: format: expected safetensors, found nothing: the file is empty"),
    (b"\xff" * 8, "byte 0: header length: expected at most 0 in the 0 bytes left"),
    (raw(b"{"), "header: expected JSON"),
    (raw(b"\xff{}"), "byte 8: header: expected JSON"),
    (raw(b"[" * 100_000), "header: expected JSON"),
    (raw(b'{"a": 1, "a": 2}'), "a name is there twice"),
    (raw([]), "header: expected arrays by name, found list"),
    (raw({"__metadata__": {"a": 1}}), "__metadata__: expected texts by name"),
    (raw({"a": {}}), "entry of 'a': expected dtype, shape and data_offsets"),
    (raw({"a": 3}), "entry of 'a'"),
    (raw({"a": entry("X")}, b"1"), "dtype of 'a': expected one of BOOL"),
    (raw({"a": entry([])}, b"1"), "dtype of 'a'"),
    (raw({"a": entry(shape=[-1])}, b"1"), "shape of 'a': expected at most 64 sizes"),
    (raw({"a": entry(shape=[True])}, b"1"), "shape of 'a'"),
    (raw({"a": entry(shape=[10**4000] * 64)}, b"1"), "shape of 'a'"),
    (raw({"a": entry(shape=[2**62] * 64)}, b"1"), "data_offsets of 'a': expected "),
    (raw({"a": entry(shape=[1] * 65)}, b"1"), "shape of 'a'"),
    (raw({"a": entry() | {"data_offsets": [0]}}, b"1"), "data_offsets of 'a': expected begin"),
    (raw({"a": entry(end=2)}, b"12"), "data_offsets of 'a': expected 1 bytes for U8"),
    (raw({"a": entry(begin=1, end=2)}, b"12"), "data_offsets of 'a': expected values from 0 on"),
    (raw({"a": entry()}), "values of 'a': expected 1 bytes, found 0; the file is cut short"),
    (raw({"a": entry()}, b"12"), "end: expected the end of the file, found 1 more"),
    (raw({"a": entry("BOOL")}, b"\x02"), "values of 'a': expected 0 and 1, found 2"),
    (raw({"a": entry(), "b": entry()}, b"1"), "data_offsets of 'b': expected values from 1 on"),
    (
        raw({"__metadata__": {"hy.order": "[1]"}, "a": entry()}, b"1"),
        "hy.order: expected the names",
    ),
]


@pytest.mark.parametrize(("content", "message"), DAMAGED, ids=[row[1][:40] for row in DAMAGED])
def test_damage_is_told(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)
    with pytest.raises(FileFormatError) as caught:
        load_safetensors(path)
    assert message in str(caught.value)
    assert caught.value.path == str(path)
    if "hy." not in message and "expected 0 and 1" not in message:  # valid to the package
        with pytest.raises((safetensors.SafetensorError, ValueError)):  # the latter is numpy's
            safetensors.numpy.load_file(path)


@pytest.mark.slow
def test_truncation_and_random_damage_are_refused_or_read(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    path = tmp_path / "a"
    save_safetensors(path, arrays_of_all_kinds(rng))
    content = path.read_bytes()
    for size in range(len(content)):
        path.write_bytes(content[:size])
        with pytest.raises(FileFormatError):
            load_safetensors(path)


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.data())
def test_random_damage_is_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = bytearray(raw({"a": entry(), "b": entry("F32", [1, 2], 1, 9)}, b"123456789"))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("safetensors") / "a"
    path.write_bytes(content)
    try:
        load_safetensors(path)
    except FileFormatError:
        return
