"""Row_sparse gradients: of embeddings, added up, and differentiated again."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import NDArray, autograd, nd

WEIGHT = np.arange(10, dtype="float32").reshape(5, 2) / 10 + 0.1


def embedded(weight: NDArray, indices: Any) -> Any:
    return nd.Embedding(nd.array(indices), weight, input_dim=5, output_dim=2, sparse_grad=True)


@pytest.mark.parametrize("stype", ["default", "row_sparse"])
def test_the_gradient_of_an_embedding_has_the_rows_that_were_read(stype: str) -> None:
    weight = nd.array(WEIGHT).tostype(stype)
    weight.attach_grad(stype="row_sparse")
    with autograd.record():
        y = embedded(weight, [[1, 3], [1, 4]])
    np.testing.assert_array_equal(y.asnumpy(), WEIGHT[[[1, 3], [1, 4]]])
    y.backward(nd.arange(8).reshape(2, 2, 2))
    grad: Any = weight.grad
    assert grad.stype == "row_sparse"
    assert grad.indices.asnumpy().tolist() == [1, 3, 4]
    assert grad.data.asnumpy().tolist() == [[4, 6], [2, 3], [6, 7]]


def test_without_sparse_grad_the_gradient_is_dense() -> None:
    weight = nd.array(WEIGHT)
    weight.attach_grad()
    with autograd.record():
        y = nd.Embedding(nd.array([1]), weight, input_dim=5, output_dim=2)
        (dense,) = autograd.grad(y, [weight], retain_graph=True)
        (sparse,) = autograd.grad(embedded(weight, [1]), [weight])
    assert (dense.stype, sparse.stype) == ("default", "row_sparse")


def test_sparse_gradients_add_up_over_passes_and_over_uses() -> None:
    weight = nd.array(WEIGHT)
    weight.attach_grad("add", stype="row_sparse")
    for last in (3, 4):
        with autograd.record():
            y = embedded(weight, [1, last]) + embedded(weight, [1, 0])
        y.backward()
    grad: Any = weight.grad
    assert grad.stype == "row_sparse"
    assert grad.asnumpy()[:, 0].tolist() == [2, 4, 0, 1, 1]


def test_a_sparse_gradient_meets_a_dense_one() -> None:
    weight = nd.array(WEIGHT)
    weight.attach_grad()
    with autograd.record():
        y = embedded(weight, [1, 3]).sum() + (weight * weight).sum()
    y.backward()
    assert weight.grad is not None
    wanted = 2 * WEIGHT
    wanted[[1, 3]] += 1
    np.testing.assert_allclose(weight.grad.asnumpy(), wanted, rtol=1e-6)


def test_a_sparse_gradient_is_differentiated_again() -> None:
    weight = nd.array(WEIGHT)
    weight.attach_grad(stype="row_sparse")
    with autograd.record():
        y = (embedded(weight, [1, 3]) ** 3).sum()
        (first,) = autograd.grad(y, [weight], create_graph=True)
        z = (first * first).sum()
    z.backward()
    wanted = np.zeros_like(WEIGHT)
    wanted[[1, 3]] = 36 * WEIGHT[[1, 3]] ** 3  # of (3 w^2)^2
    assert weight.grad is not None
    np.testing.assert_allclose(weight.grad.asnumpy(), wanted, rtol=1e-5)


@pytest.mark.parametrize("stype", ["default", "row_sparse", "csr"])
def test_a_gradient_begins_as_zeros_of_its_storage(stype: str) -> None:
    for kind in ("default", "row_sparse"):
        weight = nd.array(WEIGHT).tostype(kind)
        weight.attach_grad(stype=stype)
        grad: Any = weight.grad
        assert (grad.stype, grad.shape, grad.asnumpy().any()) == (stype, (5, 2), False)


def test_a_sparse_array_is_emptied_by_zero() -> None:
    x: Any = nd.array(WEIGHT).tostype("row_sparse")
    x[:] = 0
    assert (x.data.shape, x.asnumpy().any()) == ((0, 2), False)


def test_rows_that_a_sparse_weight_does_not_store_are_read_as_zeros() -> None:
    weight: Any = nd.sparse.row_sparse_array(([[1, 2]], [3]), shape=(5, 2))
    assert embedded(weight, [[3], [4]]).asnumpy().tolist() == [[[1, 2]], [[0, 0]]]
