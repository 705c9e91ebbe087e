"""The format of a file is known by its first bytes, and every reader says which one it met."""

import bz2
import gzip
import io
import lzma
import pickle
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hy_io
from hy_io import FileFormatError, kind_of_file, sniff


def saved(save: Callable[[Any], object]) -> bytes:
    """What a function writes into a file."""
    buffer = io.BytesIO()
    save(buffer)
    return buffer.getvalue()


def _tar(buffer: io.BytesIO) -> None:
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a"))


def _zip(buffer: io.BytesIO) -> None:
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.txt", "a")


CONTENTS: dict[str, bytes] = {
    "empty": b"",
    "params": hy_io.dumps_ndarrays({"a": np.ones(2, np.float32)}),
    "symbol": b'{\n  "nodes": []}',
    "json": b'[{"a": 1}]',
    "npz": saved(lambda file: np.savez(file, a=np.ones(2))),
    "zip": saved(_zip),
    "tar": saved(_tar),
    "gzip": gzip.compress(b"a"),
    "bzip2": bz2.compress(b"a"),
    "xz": lzma.compress(b"a"),
    "zstd": b"\x28\xb5\x2f\xfd" + bytes(9),
    "pickle": pickle.dumps({1: 2}),
    "onnx": b"\x08\x07\x12\x07pytorch" + bytes(9),
    "hdf5": b"\x89HDF\r\n\x1a\n" + bytes(9),
    "idx": bytes([0, 0, 8, 1, 0, 0, 0, 1, 7]),
    "image": b"\xff\xd8\xff\xe0" + bytes(9),
    "records": b"\x0a\x23\xd7\xce" + bytes(4),
    "lfs": b"version https://git-lfs.github.com/spec/v1\n",
    "html": b"\n<!DOCTYPE html><html>",
    "text": "grüße\n".encode() * 300,
}
READERS: dict[str, Callable[[Path], Any]] = {
    "params": hy_io.load_ndarrays,
    "npz": hy_io.load_npz,
    "safetensors": hy_io.load_safetensors,
    "torch": hy_io.load_torch,
    "idx": hy_io.load_idx,
    "records": lambda path: hy_io.MXRecordIO(str(path), "r").read(),
}
KNOWS_BETTER = {("npz", "zip"), ("torch", "zip"), ("torch", "pickle"), ("idx", "gzip"),
                ("records", "text"), ("records", "empty")}  # fmt: skip
"""Formats within another one, of which its reader says what is wrong."""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A file of each format."""
    paths = {form: tmp_path / form for form in [*CONTENTS, "safetensors", "torch"]}
    for form, content in CONTENTS.items():
        paths[form].write_bytes(content)
    hy_io.save_safetensors(paths["safetensors"], {"a": np.ones(2)})
    hy_io.save_torch(paths["torch"], {"a": np.ones(2, np.float32)})
    return paths


def test_each_format_is_recognized(files: dict[str, Path]) -> None:
    found = {form: kind_of_file(path) for form, path in files.items()}
    assert {form: kind and kind.form for form, kind in found.items()} == {f: f for f in files}


def test_what_has_no_known_beginning_has_no_kind() -> None:
    assert sniff(bytes(24)) is None
    assert sniff(bytes(range(100, 200))) is None
    assert sniff(b"\x00\x00\x00\x00{}") is None


def test_a_letter_that_is_cut_is_still_text() -> None:
    kind = sniff(("a" * 1023 + "ß").encode())
    assert kind is not None
    assert kind.form == "text"


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_says_which_other_format_a_file_has(files: dict[str, Path], reader: str) -> None:
    for form, path in files.items():
        if form == reader or (reader, form) in KNOWS_BETTER:
            continue
        with pytest.raises(FileFormatError) as caught:
            READERS[reader](path)
        kind = kind_of_file(path)
        assert kind is not None
        assert str(caught.value).startswith(f"{path}: byte 0: format: expected ")
        assert str(caught.value).endswith(f", found {kind.what}; {kind.how}")


def test_a_damaged_file_of_the_right_format_is_called_damaged(tmp_path: Path) -> None:
    path = tmp_path / "net.params"
    path.write_bytes(CONTENTS["params"][:-3])
    with pytest.raises(FileFormatError, match="name count: expected at most 0"):
        hy_io.load_ndarrays(path)


def test_content_is_recognized_as_a_file_is() -> None:
    with pytest.raises(FileFormatError, match=r"<bytes>: .*found a web page"):
        hy_io.loads_ndarrays(CONTENTS["html"])
    with pytest.raises(FileFormatError, match=r"expected a whole image, .*found arrays of MXNet"):
        hy_io.unpack_img(hy_io.pack(hy_io.IRHeader(0, 0, 0, 0), CONTENTS["params"]))
