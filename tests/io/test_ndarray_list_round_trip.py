"""Whatever the format can hold comes back as it was: content, dtype, shape, names, order."""

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as nps

from hy_io import (
    CSRArray,
    RowSparseArray,
    StoredArray,
    dumps_ndarrays,
    join_arg_aux,
    loads_ndarrays,
    split_arg_aux,
)

DTYPES = [
    *("float16", "float32", "float64", "bool"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
]
SHAPES = nps.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


def dense_arrays() -> st.SearchStrategy[npt.NDArray[Any]]:
    plain = st.sampled_from(DTYPES).flatmap(lambda name: nps.arrays(np.dtype(name), SHAPES))
    bfloat16 = nps.arrays(np.uint16, SHAPES).map(lambda bits: bits.view(ml_dtypes.bfloat16))
    return plain | bfloat16


@st.composite
def sparse_arrays(draw: st.DrawFn) -> RowSparseArray | CSRArray:
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    dense = draw(nps.arrays(np.float32, (rows, columns), elements=st.sampled_from([0.0, 1.5])))
    if draw(st.booleans()):
        kept = np.flatnonzero(dense.any(axis=1))
        return RowSparseArray(dense[kept], kept, (rows, columns))
    places = np.nonzero(dense)
    indptr = np.concatenate([[0], np.cumsum((dense != 0).sum(axis=1))])
    return CSRArray(dense[places], places[1], indptr, (rows, columns))


def assert_identical(actual: StoredArray, expected: StoredArray) -> None:
    assert type(actual) is type(expected)
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    for array in (actual, expected):
        assert isinstance(array, (np.ndarray, RowSparseArray, CSRArray))
    left = actual if isinstance(actual, np.ndarray) else actual.to_dense()
    right = expected if isinstance(expected, np.ndarray) else expected.to_dense()
    assert left.tobytes() == right.tobytes()  # NaNs and signed zeros, too


@settings(derandomize=True, deadline=None)
@given(st.dictionaries(NAMES, dense_arrays(), min_size=1, max_size=4), st.booleans())
def test_named_dense_arrays_round_trip(arrays: dict[str, npt.NDArray[Any]], copy: bool) -> None:
    loaded = loads_ndarrays(dumps_ndarrays(arrays), copy=copy)
    assert isinstance(loaded, dict)
    assert list(loaded) == list(arrays)
    for name, array in arrays.items():
        assert_identical(loaded[name], array)


@settings(derandomize=True, deadline=None)
@given(st.lists(sparse_arrays() | nps.arrays(np.float64, (2, 3)), max_size=4))
def test_listed_sparse_and_dense_arrays_round_trip(arrays: list[StoredArray]) -> None:
    loaded = loads_ndarrays(dumps_ndarrays(arrays))
    assert isinstance(loaded, list)
    for actual, expected in zip(loaded, arrays, strict=True):
        assert_identical(actual, expected)


@settings(derandomize=True, deadline=None)
@given(st.lists(dense_arrays(), max_size=4))
def test_writing_again_gives_the_same_bytes(arrays: list[StoredArray]) -> None:
    content = dumps_ndarrays(arrays)
    assert dumps_ndarrays(loads_ndarrays(content)) == content


@settings(derandomize=True, deadline=None)
@given(st.dictionaries(NAMES, st.integers()), st.dictionaries(NAMES, st.integers()))
def test_arg_and_aux_round_trip(arg: dict[str, int], aux: dict[str, int]) -> None:
    assert split_arg_aux(join_arg_aux(arg, aux)) == (arg, aux)
