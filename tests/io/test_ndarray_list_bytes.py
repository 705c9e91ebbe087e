"""The NDArray-list format, byte by byte: hand-written files are read, and written alike."""

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from numpy.testing import assert_array_equal

from hy_io import CSRArray, RowSparseArray, StoredArray, dumps_ndarrays, loads_ndarrays
from tests.io.ndarray_literals import (
    ARRAY_CSR,
    ARRAY_ROW_SPARSE,
    ARRAY_V0,
    ARRAY_V1,
    ARRAY_V2,
    ARRAY_V3,
    CPU_0,
    DENSE,
    EVERY_FORM,
    FLOAT32,
    GPU_3,
    NAMED_W_B,
    SHAPE_2,
    V2,
    V3,
    VALUES,
    file_of,
)

PAIR = np.array([1.0, -2.5], np.float32)


def only(content: bytes) -> StoredArray:
    loaded = loads_ndarrays(content)
    assert isinstance(loaded, list)
    (array,) = loaded
    return array


def only_dense(content: bytes) -> npt.NDArray[Any]:
    array = only(content)
    assert isinstance(array, np.ndarray)
    return array


@pytest.mark.parametrize(
    "array", [ARRAY_V0, ARRAY_V1, ARRAY_V2, ARRAY_V3], ids=["v0", "V1", "V2", "V3"]
)
def test_every_version_is_read(array: bytes) -> None:
    loaded = only_dense(file_of(array))
    assert loaded.dtype == np.float32
    assert_array_equal(loaded, PAIR)


def test_versions_may_be_mixed_in_one_file() -> None:
    loaded = loads_ndarrays(EVERY_FORM)
    assert isinstance(loaded, list)
    assert [array.shape for array in loaded] == [(2,), (2,), (2,), (2,), (3, 2), (2, 3)]


def test_default_output_is_v2() -> None:
    assert dumps_ndarrays([PAIR]) == file_of(ARRAY_V2)


def test_np_shape_output_is_v3() -> None:
    assert dumps_ndarrays([PAIR], np_shape=True) == file_of(ARRAY_V3)


def test_names_are_utf8_and_keep_their_order() -> None:
    content = file_of(ARRAY_V2, ARRAY_V2, names=NAMED_W_B)
    loaded = loads_ndarrays(content)
    assert isinstance(loaded, dict)
    assert list(loaded) == ["w", "bé"]
    assert dumps_ndarrays(loaded) == content


def test_no_arrays_are_a_list() -> None:
    content = file_of()
    assert loads_ndarrays(content) == []
    assert dumps_ndarrays([]) == dumps_ndarrays({}) == content


def test_device_is_ignored() -> None:
    assert_array_equal(only_dense(file_of(V2 + DENSE + SHAPE_2 + GPU_3 + FLOAT32 + VALUES)), PAIR)


def test_array_without_axes_is_v3() -> None:
    content = file_of(V3 + DENSE + b"\x00\x00\x00\x00" + CPU_0 + FLOAT32 + b"\x00\x00\x20\x40")
    loaded = only_dense(content)
    assert loaded.shape == ()
    assert loaded == 2.5
    assert dumps_ndarrays([loaded]) == content


def test_array_without_elements_is_v3_by_default() -> None:
    shape = b"\x02\x00\x00\x00" + bytes(8) + b"\x03\x00\x00\x00\x00\x00\x00\x00"
    rest = DENSE + shape + CPU_0 + FLOAT32
    assert only_dense(file_of(V3 + rest)).shape == (0, 3)
    assert only_dense(file_of(V2 + rest)).shape == (0, 3)
    assert dumps_ndarrays([np.zeros((0, 3), np.float32)]) == file_of(V3 + rest)
    assert dumps_ndarrays([np.zeros((0, 3), np.float32)], np_shape=False) == file_of(V2 + rest)


def test_row_sparse_holds_rows_and_their_places() -> None:
    array = only(file_of(ARRAY_ROW_SPARSE))
    assert isinstance(array, RowSparseArray)
    assert array.shape == (3, 2)
    assert array.indices.tolist() == [1]
    assert_array_equal(array.data, [PAIR])
    assert_array_equal(array.to_dense(), [[0, 0], [1, -2.5], [0, 0]])
    assert dumps_ndarrays([array]) == file_of(ARRAY_ROW_SPARSE)


def test_csr_holds_elements_columns_and_row_bounds() -> None:
    array = only(file_of(ARRAY_CSR))
    assert isinstance(array, CSRArray)
    assert array.shape == (2, 3)
    assert array.indptr.tolist() == [0, 1, 2]
    assert array.indices.tolist() == [0, 2]
    assert_array_equal(array.data, PAIR)
    assert_array_equal(array.to_dense(), [[1, 0, 0], [0, 0, -2.5]])
    assert dumps_ndarrays([array]) == file_of(ARRAY_CSR)


BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
DTYPES: list[tuple[int, npt.DTypeLike, list[float], bytes]] = [
    (0, np.float32, [1.0, -2.5], b"\x00\x00\x80\x3f\x00\x00\x20\xc0"),
    (
        1,
        np.float64,
        [1.0, -2.5],
        b"\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x04\xc0",
    ),
    (2, np.float16, [1.0, -2.5], b"\x00\x3c\x00\xc1"),
    (3, np.uint8, [1, 254], b"\x01\xfe"),
    (4, np.int32, [1, -2], b"\x01\x00\x00\x00\xfe\xff\xff\xff"),
    (5, np.int8, [1, -2], b"\x01\xfe"),
    (6, np.int64, [1, -2], b"\x01\x00\x00\x00\x00\x00\x00\x00\xfe\xff\xff\xff\xff\xff\xff\xff"),
    (7, np.bool_, [True, False], b"\x01\x00"),
    (8, np.int16, [1, -2], b"\x01\x00\xfe\xff"),
    (9, np.uint16, [1, 65534], b"\x01\x00\xfe\xff"),
    (10, np.uint32, [1, 2**32 - 2], b"\x01\x00\x00\x00\xfe\xff\xff\xff"),
    (
        11,
        np.uint64,
        [1, 2**64 - 2],
        b"\x01\x00\x00\x00\x00\x00\x00\x00\xfe\xff\xff\xff\xff\xff\xff\xff",
    ),
    (12, BFLOAT16, [1.0, -2.5], b"\x80\x3f\x20\xc0"),
]


@pytest.mark.parametrize(
    ("flag", "dtype", "values", "raw"), DTYPES, ids=[np.dtype(row[1]).name for row in DTYPES]
)
@pytest.mark.parametrize("copy", [True, False])
def test_every_dtype_is_read_and_written(
    flag: int, dtype: npt.DTypeLike, values: list[float], raw: bytes, copy: bool
) -> None:
    content = file_of(V2 + DENSE + SHAPE_2 + CPU_0 + flag.to_bytes(4, "little") + raw)
    (loaded,) = loads_ndarrays(content, copy=copy)
    assert isinstance(loaded, np.ndarray)
    assert loaded.dtype == dtype
    assert_array_equal(loaded, np.array(values, dtype))
    assert dumps_ndarrays([loaded]) == content


@pytest.mark.parametrize("order", [">", "<"])
def test_byte_order_of_the_array_does_not_matter(order: str) -> None:
    assert dumps_ndarrays([PAIR.astype(f"{order}f4")]) == file_of(ARRAY_V2)


def test_memory_layout_of_the_array_does_not_matter(rng: np.random.Generator) -> None:
    array = rng.normal(size=(4, 6))
    for view in (array.T, array[::2, ::-3], np.asfortranarray(array)):
        assert dumps_ndarrays([view]) == dumps_ndarrays([view.copy("C")])


def test_copies_are_writable_and_aligned_and_views_are_neither() -> None:
    content = file_of(
        V2 + DENSE + b"\x01\x00\x00\x00\x01" + bytes(7) + CPU_0 + b"\x03\x00\x00\x00\x07", ARRAY_V2
    )
    owned = loads_ndarrays(content)
    views = loads_ndarrays(content, copy=False)
    assert isinstance(owned, list)
    assert isinstance(views, list)
    assert isinstance(owned[1], np.ndarray)
    assert isinstance(views[1], np.ndarray)
    assert owned[1].flags.writeable
    assert owned[1].flags.aligned
    assert not views[1].flags.writeable
    assert not views[1].flags.owndata
    assert_array_equal(views[1], owned[1])


def test_views_share_the_memory_that_was_given() -> None:
    content = bytearray(file_of(ARRAY_V2))
    (view,) = loads_ndarrays(content, copy=False)
    assert isinstance(view, np.ndarray)
    view[0] = -2.5
    assert content == file_of(ARRAY_V2[:-8] + VALUES[4:] * 2)


def test_single_array_is_refused_with_the_fix() -> None:
    with pytest.raises(TypeError, match="got ndarray; put a single array into a list"):
        dumps_ndarrays(PAIR)  # type: ignore[arg-type]  # the mistake under test


def test_names_must_be_text() -> None:
    with pytest.raises(TypeError, match="names must be str, got 3"):
        dumps_ndarrays({3: PAIR})  # type: ignore[dict-item]  # the mistake under test


def test_other_objects_are_refused_by_name() -> None:
    with pytest.raises(TypeError, match=r"array 'w' must be a numpy array, .*, got list"):
        dumps_ndarrays({"w": [1.0]})  # type: ignore[dict-item]  # the mistake under test


@pytest.mark.parametrize("dtype", ["complex64", "U3", "O", "datetime64[s]", "f4,i4"])
def test_dtypes_outside_the_format_are_refused(dtype: str) -> None:
    with pytest.raises(TypeError, match=r"array 0 has dtype .*, which the format cannot hold"):
        dumps_ndarrays([np.zeros(1, dtype)])


def test_array_without_axes_needs_np_shape() -> None:
    with pytest.raises(ValueError, match="array 'step' has no axes, which needs np_shape=True"):
        dumps_ndarrays({"step": np.array(1.0)}, np_shape=False)


def test_sparse_array_refuses_np_shape() -> None:
    (array,) = loads_ndarrays(file_of(ARRAY_CSR))
    assert isinstance(array, CSRArray)
    with pytest.raises(ValueError, match="array 0 is sparse, which needs np_shape=False"):
        dumps_ndarrays([array], np_shape=True)


def test_array_without_axes_cannot_join_sparse_arrays() -> None:
    (array,) = loads_ndarrays(file_of(ARRAY_CSR))
    assert isinstance(array, CSRArray)
    with pytest.raises(ValueError, match=r"array 1 has no axes, .* reshape it to \(1,\)"):
        dumps_ndarrays([array, np.array(1.0)])


def test_sparse_array_may_join_one_without_elements() -> None:
    (array,) = loads_ndarrays(file_of(ARRAY_CSR))
    assert isinstance(array, CSRArray)
    _, empty = loads_ndarrays(dumps_ndarrays([array, np.zeros((0, 2))]))
    assert isinstance(empty, np.ndarray)
    assert empty.shape == (0, 2)
