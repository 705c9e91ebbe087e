"""Files written by MXNet: read equal to what was saved, and written again byte for byte."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hy_io import (
    CSRArray,
    RowSparseArray,
    StoredArray,
    dialect_of,
    dumps_ndarrays,
    join_arg_aux,
    load_ndarrays,
    save_ndarrays,
    split_arg_aux,
)

DATA = Path(__file__).parent / "data"
NP_SHAPE = {"exported_np_net.params", "integers_mxnet2.nd", "np_dict.nd", "np_list.nd"}
FILES = sorted(path.name for pattern in ("*.nd", "*.params") for path in DATA.glob(pattern))


def decoded(name: str) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]]:
    with np.load(DATA / name, allow_pickle=False) as npz:
        return dict(npz)


def named(name: str) -> dict[str, StoredArray]:
    loaded = load_ndarrays(DATA / name)
    assert isinstance(loaded, dict)
    return loaded


def listed(name: str) -> list[StoredArray]:
    loaded = load_ndarrays(DATA / name)
    assert isinstance(loaded, list)
    return loaded


def assert_same(actual: StoredArray, expected: StoredArray) -> None:
    assert isinstance(actual, np.ndarray)
    assert isinstance(expected, np.ndarray)
    assert actual.dtype == expected.dtype
    assert_array_equal(actual, expected, strict=True)


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("name", FILES)
def test_file_is_written_again_byte_for_byte(tmp_path: Path, name: str, copy: bool) -> None:
    path = tmp_path / name
    save_ndarrays(path, load_ndarrays(DATA / name, copy=copy), np_shape=name in NP_SHAPE)
    assert path.read_bytes() == (DATA / name).read_bytes()


@pytest.mark.parametrize(
    "name", sorted(set(FILES) - {"exported_np_net.params", "integers_mxnet2.nd"})
)
def test_np_shape_is_chosen_as_mxnet_does_where_shapes_tell(name: str) -> None:
    assert dumps_ndarrays(load_ndarrays(DATA / name)) == (DATA / name).read_bytes()


@pytest.mark.parametrize(
    ("name", "npz"),
    [
        ("dict_all_dtypes.nd", "all_dtypes.npz"),
        ("np_dict.nd", "np.npz"),
        ("block.params", "block.npz"),
        ("shared_plain.params", "shared.npz"),
    ],
)
def test_named_arrays_are_what_was_saved(name: str, npz: str) -> None:
    loaded, saved = named(name), decoded(npz)
    assert set(loaded) == set(saved)
    for key, array in loaded.items():
        assert_same(array, saved[key])


@pytest.mark.parametrize(
    ("name", "npz", "order"),
    [
        ("list_all_dtypes.nd", "all_dtypes.npz", "float32 float64 float16 uint8 int8 int32 int64"),
        ("list_shapes.nd", "shapes.npz", "a0 a1 a2 a3 a4"),
        ("single.nd", "shapes.npz", "a1"),
        ("np_list.nd", "np.npz", "zero_dim zero_size matrix"),
        ("legacy_ndarray.v0", "legacy_ndarray.npz", "a0 a1 a2 a3 a4 a5"),
        ("empty_list.nd", "shapes.npz", ""),
    ],
)
def test_listed_arrays_are_what_was_saved(name: str, npz: str, order: str) -> None:
    loaded, saved = listed(name), decoded(npz)
    for array, key in zip(loaded, order.split(), strict=True):
        assert_same(array, saved[key])


def test_unusual_names_are_kept() -> None:
    loaded, saved = named("dict_names.nd"), decoded("shapes.npz")
    assert list(loaded) == ["arg:weight", "aux:mean", "with space/slash", "\u00e9\u4e2d"]
    for array, key in zip(loaded.values(), ["a0", "a1", "a2", "a3"], strict=True):
        assert_same(array, saved[key])


def test_shared_parameters_are_saved_once_if_deduplicated() -> None:
    loaded, saved = named("shared_dedup.params"), decoded("shared.npz")
    assert sorted(loaded) == ["last.bias", "last.weight", "second.bias", "second.weight"]
    for key, array in loaded.items():
        assert_same(array, saved[key])


def test_module_checkpoint_is_arg_and_aux() -> None:
    loaded, saved = named("module.params"), decoded("module.npz")
    assert dialect_of(loaded) == "exported"
    for key, array in loaded.items():
        assert_same(array, saved[key])
    arg, aux = split_arg_aux(loaded)
    assert sorted(aux) == ["bn1_moving_mean", "bn1_moving_var"]
    assert set(join_arg_aux(arg, aux)) == set(loaded)


def test_sparse_arrays_are_the_dense_one() -> None:
    dense = decoded("sparse.npz")["dense"]
    loaded = named("sparse_dict.nd")
    assert isinstance(loaded["csr"], CSRArray)
    assert isinstance(loaded["rsp"], RowSparseArray)
    assert_same(loaded["csr"].to_dense(), dense)
    assert_same(loaded["rsp"].to_dense(), dense)
    assert_same(loaded["dense"], dense)


def test_empty_sparse_arrays_are_zeros() -> None:
    _, _, csr, rows, wide = listed("sparse_list.nd")
    assert isinstance(csr, CSRArray)
    assert isinstance(rows, RowSparseArray)
    assert isinstance(wide, CSRArray)
    assert_same(csr.to_dense(), np.zeros((3, 4), np.float32))
    assert_same(rows.to_dense(), np.zeros((3, 4), np.float32))
    assert wide.dtype == np.float64


def test_bfloat16_and_bool_and_the_integers_of_mxnet_2() -> None:
    assert_same(named("bfloat16.nd")["w"], np.array([1, -2.5, np.inf], ml_dtypes.bfloat16))
    assert_same(listed("bool.nd")[0], np.array([True, False, True]))
    for dtype, array in named("integers_mxnet2.nd").items():
        assert_same(array, np.array([1, 2, 100], dtype))


@pytest.mark.parametrize(
    ("name", "dialect"),
    [
        ("block.params", "structural"),
        ("shared_dedup.params", "structural"),
        ("collect_params.params", "prefixed"),
        ("exported_bnnet.params", "exported"),
        ("exported_np_net.params", "exported"),
    ],
)
def test_names_tell_what_wrote_the_file(name: str, dialect: str) -> None:
    assert dialect_of(named(name)) == dialect


def test_views_outlive_the_call_and_the_file(tmp_path: Path) -> None:
    path = tmp_path / "block.params"
    path.write_bytes((DATA / "block.params").read_bytes())
    loaded, saved = load_ndarrays(path, copy=False), decoded("block.npz")
    assert isinstance(loaded, dict)
    save_ndarrays(path, {"other": np.zeros(1)})
    for key, array in loaded.items():
        assert_same(array, saved[key])


def test_views_that_are_written_leave_the_file_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.params"
    save_ndarrays(path, {"x": np.arange(4.0)})
    before = path.read_bytes()
    for _ in range(2):
        loaded = load_ndarrays(path, copy="on_write", dense=True)
        assert isinstance(loaded, dict)
        np.testing.assert_array_equal(loaded["x"], np.arange(4.0))
        assert not loaded["x"].flags.owndata
        loaded["x"][:] = 7
    assert path.read_bytes() == before
