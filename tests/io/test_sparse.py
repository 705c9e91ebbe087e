"""Sparse arrays check that their parts fit."""

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hy_io import CSRArray, RowSparseArray, loads_ndarrays


def rows(**changes: Any) -> RowSparseArray:
    parts: dict[str, Any] = {"data": np.ones((2, 3)), "indices": np.array([0, 3]), "shape": (4, 3)}
    return RowSparseArray(**parts | changes)


def csr(**changes: Any) -> CSRArray:
    parts: dict[str, Any] = {
        "data": np.array([1.0, 2.0]),
        "indices": np.array([2, 0]),
        "indptr": np.array([0, 1, 1, 2]),
        "shape": (3, 3),
    }
    return CSRArray(**parts | changes)


def test_row_sparse_to_dense() -> None:
    assert_array_equal(rows().to_dense(), [[1, 1, 1], [0, 0, 0], [0, 0, 0], [1, 1, 1]])


def test_csr_to_dense() -> None:
    assert_array_equal(csr().to_dense(), [[0, 0, 1], [0, 0, 0], [2, 0, 0]])


def test_the_last_of_several_values_for_one_place_counts() -> None:
    assert_array_equal(
        csr(indices=np.array([1, 1]), indptr=np.array([0, 2, 2, 2])).to_dense()[0], [0, 2, 0]
    )
    data = np.array([[1.0], [2.0]])
    assert RowSparseArray(data, np.array([0, 0]), (1, 1)).to_dense() == 2.0


def test_indices_become_int64() -> None:
    assert rows(indices=np.array([0, 3], np.int32)).indices.dtype == np.int64
    assert csr(indptr=np.array([0, 1, 1, 2], np.uint8)).indptr.dtype == np.int64


def test_the_length_of_the_values_is_that_of_the_indices() -> None:
    # z = zeros("row_sparse", (3, 2)); z[:] = 3; MXNet 1.9.1 writes (0, 2) as the stored shape.
    content = bytes.fromhex(
        "120100000000000000000000000000000100000000000000c9fa93f901000000"
        "0200000000000000000000000200000000000000020000000300000000000000"
        "0200000000000000010000000000000000000000060000000100000003000000"
        "0000000000004040000040400000404000004040000040400000404000000000"
        "0000000001000000000000000200000000000000010000000000000001000000"
        "000000007a"
    )
    arrays: Any = loads_ndarrays(content)
    array = arrays["z"]
    assert isinstance(array, RowSparseArray)
    assert_array_equal(array.to_dense(), np.full((3, 2), 3))


def test_sparse_arrays_travel_between_processes() -> None:
    again: CSRArray = pickle.loads(pickle.dumps(csr()))  # noqa: S301 - our own bytes
    assert_array_equal(again.to_dense(), csr().to_dense())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"indices": np.array([[0, 3]])}, r"indices\(1, 2\) needs one axis"),
        ({"indices": np.array([0.0, 3.0])}, "indices must be integers, got float64"),
        ({"indices": np.array([0, 3], np.uint64)}, "indices must be integers, got uint64"),
        ({"indices": np.array([0])}, r"data\(2, 3\) needs 1 rows of shape\(4, 3\)"),
        ({"shape": (4, 2)}, r"data\(2, 3\) needs 2 rows of shape\(4, 2\)"),
        ({"shape": ()}, r"data\(2, 3\) needs 2 rows of shape\(\)"),
        ({"indices": np.array([0, 4])}, r"indices must be within 0\.\.3, got 0\.\.4"),
        ({"indices": np.array([-1, 0])}, r"indices must be within 0\.\.3, got -1\.\.0"),
    ],
)
def test_row_sparse_refuses_parts_that_do_not_fit(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"RowSparseArray: {message}"):
        rows(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shape": (3,)}, r"shape\(3,\) needs two axes"),
        ({"data": np.ones(3)}, r"data\(3,\) and indices\(2,\) need one axis of one length"),
        ({"indptr": np.array([0, 2])}, r"indptr\(2,\) needs rows \+ 1 = 4 entries"),
        ({"indptr": np.array([1, 1, 1, 2])}, "indptr must rise from 0 to 2"),
        ({"indptr": np.array([0, 1, 1, 3])}, "indptr must rise from 0 to 2"),
        ({"indptr": np.array([0, 2, 1, 2])}, "indptr must rise from 0 to 2"),
        ({"indices": np.array([0, 3])}, r"indices must be within 0\.\.2, got 0\.\.3"),
    ],
)
def test_csr_refuses_parts_that_do_not_fit(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"CSRArray: {message}"):
        csr(**changes)
