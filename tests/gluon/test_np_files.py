"""``npx.save`` and ``npx.load``: the bytes MXNet 1.9.1 writes, and arrays of ``mx.np`` back."""

from pathlib import Path
from typing import Any

import numpy as onp
import pytest

import hy_gluon  # adds save and load to npx
from hy_io import (
    CSRArray,
    FileFormatError,
    FileLimitError,
    RowSparseArray,
    load_ndarrays,
    save_ndarrays,
)
from hy_ndarray import ArgumentError, ShapeError, nd, np, npx

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
    loaded = npx.load(file)
    assert isinstance(loaded, list)
    first, empty, number = loaded
    assert isinstance(first, np.ndarray)
    kinds = (first.tolist(), empty.shape, empty.dtype)
    assert kinds == ([[1, 1], [1, 1]], (0, 2), onp.dtype("int8"))
    assert (number.shape, number.dtype) == ((), onp.dtype("float32"))
    npx.save(file, np.ones(1))
    assert len(npx.load(file)) == 1


def test_files_of_nd_save_and_of_numpy_are_read(tmp_path: Path) -> None:
    file = str(tmp_path / "x")
    nd.save(file, {"w": nd.ones((2,))})
    assert repr(npx.load(file)) == "{'w': array([1., 1.])}"
    onp.savez(tmp_path / "x.npz", w=onp.arange(3))
    assert repr(npx.load(str(tmp_path / "x.npz"))) == "{'w': array([0, 1, 2], dtype=int64)}"


def test_numpys_single_arrays_are_read(tmp_path: Path) -> None:
    onp.save(tmp_path / "x.npy", onp.ones(2, onp.float32))
    assert repr(npx.load(str(tmp_path / "x.npy"))) == "{'array': array([1., 1.])}"
    onp.savez(tmp_path / "x.npz")
    assert npx.load(str(tmp_path / "x.npz")) == {}


def test_texts_of_numpy_are_refused(tmp_path: Path) -> None:
    onp.savez(tmp_path / "x.npz", w=onp.array(["a"]))
    with pytest.raises(FileFormatError, match=r"array 'w\.npy': expected .* an array of numbers"):
        npx.load(str(tmp_path / "x.npz"))


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_sparse_arrays_are_saved_and_loaded_as_such(tmp_path: Path, stype: str) -> None:
    file = str(tmp_path / "x")
    x: Any = nd.array([[0, 2, 0], [0, 0, 0], [1, 0, 0]], dtype="float64").tostype(stype)
    nd.save(file, {"x": x, "dense": nd.ones((2,))})
    for found in (nd.load(file), nd.load_frombuffer((tmp_path / "x").read_bytes())):
        assert isinstance(found, dict)
        twin: Any = found["x"]
        assert type(twin) is type(x)
        assert twin.dtype is x.dtype
        assert found["dense"].stype == "default"
        onp.testing.assert_array_equal(twin.data.asnumpy(), x.data.asnumpy())
        onp.testing.assert_array_equal(twin.indices.asnumpy(), x.indices.asnumpy())
        onp.testing.assert_array_equal(twin.asnumpy(), x.asnumpy())
    assert stored_kinds(file) == {"x": stype, "dense": "default"}


def stored_kinds(file: str) -> dict[str, str]:
    """The storage of each array in a file."""
    names = {CSRArray: "csr", RowSparseArray: "row_sparse", onp.ndarray: "default"}
    found: Any = load_ndarrays(file)
    return {name: names[type(value)] for name, value in found.items()}


def test_sparse_arrays_are_made_dense_within_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(tmp_path / "x")
    rows = RowSparseArray(onp.ones((1, 2), onp.float32), onp.array([1]), (100, 2))
    save_ndarrays(file, {"w": rows})
    loaded = npx.load(file)
    assert isinstance(loaded, dict)
    assert loaded["w"].shape == (100, 2)
    monkeypatch.setenv("HY_MAX_FILE_EXPANSION", "100")
    with pytest.raises(FileLimitError, match=r"set HY_MAX_FILE_EXPANSION="):
        npx.load(file)
    block = hy_gluon.nn.Embedding(100, 2)
    with pytest.raises(FileLimitError):
        block.load_parameters(file)


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    onp.savez(tmp_path / "x.npz", w=onp.arange(100))
    content = (tmp_path / "x.npz").read_bytes()
    (tmp_path / "x.npz").write_bytes(content[: len(content) // 2])
    with pytest.raises(FileFormatError, match=r"x\.npz"):
        npx.load(str(tmp_path / "x.npz"))


def test_only_arrays_of_np_are_saved(tmp_path: Path) -> None:
    classic: Any = nd.ones(2)
    with pytest.raises(ArgumentError, match=r"npx.save takes arrays of mx.np"):
        npx.save(str(tmp_path / "x"), classic)


V2, V3 = b"\xc9\xfa\x93\xf9", b"\xca\xfa\x93\xf9"


def form(file: Path) -> bytes:
    """How the first array of a list begins."""
    return file.read_bytes()[24:28]


@pytest.mark.parametrize(("numpy", "wanted"), [(False, V2), (True, V3)])
def test_files_have_the_form_of_the_semantics_in_force(
    tmp_path: Path, numpy: bool, wanted: bytes
) -> None:
    with npx.np_shape(numpy), npx.np_array(numpy):
        net = hy_gluon.nn.Dense(2, in_units=3)
        net.initialize()
        net.hybridize()
        net((np if numpy else nd).ones((1, 3)))
        net.save_parameters(str(tmp_path / "a"))
        net.collect_params().save(str(tmp_path / "b"))
        net.export(str(tmp_path / "c"))
        net.save(str(tmp_path / "d"))
        nd.save(str(tmp_path / "e"), {"x": nd.ones((2,))})
        nd.save(str(tmp_path / "f"), [nd.ones((2,))])
        nd.save(str(tmp_path / "sparse"), [nd.ones((2, 2)).tostype("csr")])
    for name in ("a", "b", "c-0000.params", "d-model.params", "e", "f"):
        assert form(tmp_path / name) == wanted, name
    assert form(tmp_path / "sparse") == V2
    again = hy_gluon.nn.Dense(2, in_units=3)
    again.load_parameters(str(tmp_path / "a"))
    onp.testing.assert_array_equal(again.weight.data().asnumpy(), net.weight.data().asnumpy())


@pytest.mark.parametrize("shape", [(), (0, 2)])
def test_nd_load_refuses_open_shapes_of_np_shape_as_mxnet_does(
    tmp_path: Path, shape: tuple[int, ...]
) -> None:
    file = str(tmp_path / "x")
    with npx.np_shape(True):
        nd.save(file, [np.ones(shape)])
        loaded: Any = nd.load(file)
    assert loaded[0].shape == shape
    with pytest.raises(ShapeError, match=r"was saved under np_shape and has an array \("):
        nd.load(file)
    again: Any = npx.load(file)
    assert again[0].shape == shape


def test_a_buffer_is_bytes_of_any_kind() -> None:
    read: Any = nd.load_frombuffer
    for buffer in (ONE_NUMBER, bytearray(ONE_NUMBER), memoryview(ONE_NUMBER)):
        assert {name: x.asscalar() for name, x in read(buffer).items()} == {"b": 3}
    for wrong in ("text", None, 3):
        with pytest.raises(ArgumentError, match="load_frombuffer: buf must be bytes, not of type"):
            read(wrong)
