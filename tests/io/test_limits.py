"""A file that asks for far more memory than it has bytes is refused, until the limit is raised."""

import gzip
import io
import pickle
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hy_io import (
    CSRArray,
    FileLimitError,
    RowSparseArray,
    dumps_ndarrays,
    load_checkpoint,
    load_ndarrays,
    load_npz,
    loads_ndarrays,
    read_expanded,
    read_pickled_states,
    save_checkpoint,
)
from hy_io.cli import main

VARIABLE = "HY_MAX_FILE_EXPANSION"


def one_row(*shape: int) -> RowSparseArray:
    return RowSparseArray(np.ones((1, *shape[1:]), np.float32), np.array([0]), shape)


def huge() -> bytes:
    """137 bytes that would be 12 TiB."""
    content = dumps_ndarrays([one_row(3, 1)])
    whole = struct.pack("<i2q", 2, 3, 1)
    assert content.count(whole) == 1
    return content.replace(whole, struct.pack("<i2q", 2, 3 << 40, 1))


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def test_a_few_bytes_cannot_ask_for_terabytes(tmp_path: Path) -> None:
    content = huge()
    assert len(content) < 140
    (tmp_path / "a.params").write_bytes(content)
    message = (
        r"array 0 of shape \(3298534883328, 1\), made dense: expected at most 4294967296 bytes"
    )
    with pytest.raises(FileLimitError, match=message) as caught:
        load_ndarrays(tmp_path / "a.params", dense=True)
    assert caught.value.path == str(tmp_path / "a.params")
    assert f"set {VARIABLE}=" in str(caught.value)
    with pytest.raises(FileLimitError, match="made dense"):
        loads_ndarrays(content, dense=True)
    (sparse,) = load_ndarrays(tmp_path / "a.params")
    assert isinstance(sparse, RowSparseArray)
    with pytest.raises(FileLimitError, match=r"RowSparseArray of shape .*max_expansion"):
        sparse.to_dense()


def test_many_arrays_count_together() -> None:
    content = dumps_ndarrays([one_row(1000, 1)] * 10)
    assert len(loads_ndarrays(content, dense=True, max_expansion=40_000)) == 10
    with pytest.raises(FileLimitError, match=r"array 8 of shape"):
        loads_ndarrays(content, dense=True, max_expansion=36_000 - len(content) - 1)


@pytest.mark.parametrize(
    "array",
    [one_row(1000, 2), CSRArray(np.ones(1), np.array([3]), np.array([0, 1]), (1, 1000))],
    ids=["row_sparse", "csr"],
)
def test_the_argument_goes_before_the_environment(
    array: RowSparseArray | CSRArray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "100")
    with pytest.raises(FileLimitError, match="at most 100 bytes more"):
        array.to_dense()
    needed = 8000 - array.nbytes
    assert array.to_dense(max_expansion=needed).sum() > 0
    with pytest.raises(FileLimitError, match=f"at most {needed - 1} bytes more"):
        array.to_dense(max_expansion=needed - 1)
    monkeypatch.setenv(VARIABLE, str(needed))
    assert array.to_dense().sum() > 0


@pytest.mark.parametrize("value", ["", "-1", "4GiB"])
def test_a_limit_is_a_number_of_bytes(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, value)
    with pytest.raises(ValueError, match=f"{VARIABLE} must be a whole number of bytes, .*{value}"):
        one_row(3, 1).to_dense()
    with pytest.raises(ValueError, match=r"max_expansion must be .* got -1"):
        one_row(3, 1).to_dense(max_expansion=-1)


def test_an_empty_array_with_endless_other_axes_is_refused() -> None:
    empty = RowSparseArray(np.ones((0, 1 << 40)), np.zeros(0, np.int64), (0, 1 << 40))
    with pytest.raises(FileLimitError):
        empty.to_dense()


def test_archives_are_measured_before_they_are_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(npz(a=np.zeros(1 << 17), b=np.zeros(1 << 17)))
    assert path.stat().st_size < 1 << 13
    with pytest.raises(FileLimitError, match=r"array 'b\.npy': expected at most 2000000 bytes"):
        load_npz(path, max_expansion=2_000_000)
    assert_array_equal(load_npz(path, max_expansion=1 << 21)["b"], np.zeros(1 << 17))


def test_members_that_share_their_bytes_count_each(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0.npy", b"\0" * 100_000)
        for i in range(1, 50):  # more names for the same place
            info = zipfile.ZipInfo(f"{i}.npy")
            for name in ("compress_type", "file_size", "compress_size", "CRC", "header_offset"):
                setattr(info, name, getattr(archive.getinfo("0.npy"), name))
            archive.filelist.append(info)
    with pytest.raises(FileLimitError, match=r"found 2100000 bytes"):
        load_npz(path, max_expansion=2_000_000)


def test_checkpoints_and_the_command_take_the_limit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_checkpoint(tmp_path / "net", 0, None, {"w": one_row(1000, 2)}, {})
    arg = load_checkpoint(tmp_path / "net", dense=True)[1]
    assert arg["w"].shape == (1000, 2)
    with pytest.raises(FileLimitError):
        load_checkpoint(tmp_path / "net", dense=True, max_expansion=10)
    path = tmp_path / "a.npz"
    path.write_bytes(npz(a=np.zeros(1 << 17)))
    assert main(["verify", str(path), "--max-expansion", "1000"]) == 1
    assert "at most 1000 bytes more" in capsys.readouterr().err
    assert main(["info", str(path), "--max-expansion", "1048576"]) == 0


def test_an_array_that_a_pickle_names_often_counts_often() -> None:
    content = pickle.dumps({0: [np.zeros(1000)] * 100})
    assert len(content) < 9000
    with pytest.raises(FileLimitError, match=r"arrays of the states.*found 800000 bytes"):
        read_pickled_states(content, max_expansion=100_000)
    assert len(read_pickled_states(content)["states"][0]) == 100


def test_streams_are_read_up_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(bytes(1 << 22)))
    stored = path.stat().st_size
    with gzip.open(path) as file:
        assert len(read_expanded(file, path, max_expansion=(1 << 22) - stored)) == 1 << 22
    monkeypatch.setenv(VARIABLE, "1000000")
    with gzip.open(path) as file:
        with pytest.raises(FileLimitError, match="unpacked content: expected at most 1000000"):
            read_expanded(file, path)
        assert file.tell() == 1 << 20, "more was read than needed"
