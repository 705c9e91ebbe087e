"""``npx.save`` and ``npx.load``: the bytes MXNet 1.9.1 writes, and arrays of ``mx.np`` back."""

from pathlib import Path

import numpy as onp
import pytest

import hy_gluon  # noqa: F401  # adds save and load to npx
from hy_io import FileFormatError
from hy_ndarray import ArgumentError, nd, np, npx

# What MXNet 1.9.1 wrote for npx.save(file, {"b": np.array(3)}).
ONE_NUMBER = bytes.fromhex(
    "1201000000000000000000000000000001000000000000"
    "00cafa93f900000000000000000100000000000000000000000000404001000000000000000100000000"
    "00000062"
)


def test_the_bytes_are_mxnets(tmp_path: Path) -> None:
    file = tmp_path / "x"
    npx.save(str(file), {"b": np.array(3)})
    assert file.read_bytes() == ONE_NUMBER


def test_arrays_come_back(tmp_path: Path) -> None:
    file = str(tmp_path / "x")
    npx.save(file, [np.ones((2, 2)), np.zeros((0, 2), dtype="int8"), np.array(True)])
    first, empty, number = npx.load(file)
    assert isinstance(first, np.ndarray)
    assert (first.tolist(), empty.shape, empty.dtype) == ([[1, 1], [1, 1]], (0, 2), onp.int8)
    assert (number.shape, number.dtype) == ((), onp.float32)
    npx.save(file, np.ones(1))
    assert len(npx.load(file)) == 1


def test_files_of_nd_save_and_of_numpy_are_read(tmp_path: Path) -> None:
    file = str(tmp_path / "x")
    nd.save(file, {"w": nd.ones((2,))})
    assert repr(npx.load(file)) == "{'w': array([1., 1.])}"
    onp.savez(tmp_path / "x.npz", w=onp.arange(3))
    assert repr(npx.load(str(tmp_path / "x.npz"))) == "{'w': array([0, 1, 2], dtype=int64)}"


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    onp.savez(tmp_path / "x.npz", w=onp.arange(100))
    content = (tmp_path / "x.npz").read_bytes()
    (tmp_path / "x.npz").write_bytes(content[: len(content) // 2])
    with pytest.raises(FileFormatError, match=r"x\.npz"):
        npx.load(str(tmp_path / "x.npz"))


def test_only_arrays_of_np_are_saved(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"npx.save takes arrays of mx.np"):
        npx.save(str(tmp_path / "x"), nd.ones(2))
