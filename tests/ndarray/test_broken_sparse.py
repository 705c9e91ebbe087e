"""Sparse arrays whose places lead outside: made as in MXNet, and refused wherever they are read."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_ndarray import HyError, NDArray, autograd, nd

CSR = {
    "column too large": ([1, 2], [0, 4], [0, 1, 2]),
    "column below zero": ([1, 2], [0, -1], [0, 1, 2]),
    "pointers fall": ([1, 2, 3], [0, 1, 2], [0, 5, 3]),
    "last pointer too large": ([1, 2], [0, 1], [0, 2, 3]),
    "first pointer above zero": ([1, 2], [0, 1], [1, 1, 2]),
    "too few pointers": ([1, 2], [0, 1], [0, 2]),
}
USES: dict[str, Callable[[Any], Any]] = {
    "asnumpy": lambda x: x.asnumpy(),
    "dense": lambda x: x.tostype("default"),
    "copy": lambda x: x.copy(),
    "sum": lambda x: x + x,
    "number": lambda x: x * 2,
    "sine": nd.sin,
    "product": lambda x: nd.dot(x, nd.ones((4, 2))),
    "transposed product": lambda x: nd.dot(x, nd.ones((2, 2)), transpose_a=True),
    "assignment": lambda x: nd.zeros((2, 4)).__setitem__(slice(None), x),
    "full check": lambda x: x.check_format(),
}


def broken(what: str) -> NDArray:
    return nd.sparse.csr_matrix(CSR[what], shape=(2, 4))


@pytest.mark.parametrize("what", CSR)
def test_a_broken_csr_matrix_can_be_looked_at_and_not_be_read(what: str) -> None:
    array: Any = broken(what)
    data, indices, indptr = CSR[what]
    assert (array.shape, array.stype, array.dtype) == ((2, 4), "csr", np.float32)
    assert array.data.asnumpy().tolist() == data
    assert array.indices.asnumpy().tolist() == indices
    assert array.indptr.asnumpy().tolist() == indptr
    for use in USES.values():
        with pytest.raises(HyError, match=r"csr array \(2, 4\): "):
            use(array)


@pytest.mark.parametrize("row", [3, -1])
def test_a_row_outside_can_be_looked_at_and_not_be_read(row: int) -> None:
    array: Any = nd.sparse.row_sparse_array(([[1], [2]], [0, row]), shape=(3, 1))
    assert array.indices.asnumpy().tolist() == [0, row]
    for use in (nd.abs, lambda x: x.asnumpy(), lambda x: x.retain([0]), lambda x: x.check_format()):
        with pytest.raises(HyError, match=r"indices must be from 0 to 2"):
            use(array)


def test_sizes_alone_are_looked_at_where_that_is_asked() -> None:
    broken("pointers fall").check_format(full_check=False)  # type: ignore[attr-defined]
    with pytest.raises(HyError, match="indptr must have rows"):
        broken("too few pointers").check_format(full_check=False)  # type: ignore[attr-defined]


def test_a_step_by_a_broken_gradient_changes_nothing() -> None:
    weight = nd.ones((3, 1))
    gradient = nd.sparse.row_sparse_array(([[1], [2]], [0, 7]), shape=(3, 1))
    with autograd.pause(), pytest.raises(HyError, match=r"indices must be from 0 to 2"):
        nd.sgd_update(weight, gradient, lr=1, out=weight)
    assert weight.asnumpy().tolist() == [[1], [1], [1]]


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_a_sparse_array_is_written_into_a_dense_one(stype: str) -> None:
    source = nd.array([[1, 0], [0, 2]]).tostype(stype)
    for key in (slice(None), Ellipsis, slice(0, 2)):
        target = nd.ones((2, 2))
        target[key] = source
        assert target.asnumpy().tolist() == [[1, 0], [0, 2]]
