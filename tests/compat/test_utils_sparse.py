"""``mx.test_utils``: random sparse arrays, with the draws of MXNet 1.9.1, and comparisons."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import test_utils as tu


@pytest.fixture(autouse=True)
def seed() -> None:
    np.random.seed(3)


def test_rows_of_a_share_are_stored() -> None:
    array, (data, indices) = tu.rand_sparse_ndarray((4, 3), "row_sparse", density=0.5)
    assert array.stype == "row_sparse"
    assert array.indices.asnumpy().tolist() == indices.tolist() == [2]
    np.testing.assert_array_equal(array.data.asnumpy(), data)
    np.testing.assert_allclose(data, [[0.892947, 0.896293, 0.125585]], rtol=1e-5)
    assert tu.rand_ndarray((4, 3), "row_sparse", density=0).data.shape == (0, 3)
    assert tu.rand_ndarray((4, 3), "row_sparse", density=1).data.shape == (4, 3)


def test_elements_of_a_share_are_stored() -> None:
    array = tu.rand_ndarray((4, 3), "csr", density=0.5, dtype="float64")
    array.check_format()
    assert array.dtype is np.float64
    assert array.indptr.asnumpy().tolist() == [0, 1, 3, 5, 6]
    assert array.indices.asnumpy().tolist() == [1, 0, 1, 0, 1, 2]
    wanted = [0.051467, 0.44081, 0.207243, 0.029876, 0.649144, 0.456833]
    np.testing.assert_allclose(array.data.asnumpy(), wanted, rtol=1e-4)


def test_a_powerlaw_doubles_from_row_to_row() -> None:
    array = tu.rand_ndarray((8, 9), "csr", density=0.3, distribution="powerlaw")
    assert np.diff(array.indptr.asnumpy()).tolist() == [2, 4, 8, 3, 1, 1, 1, 1]
    assert array.indices.asnumpy()[:6].tolist() == [0, 1, 0, 1, 2, 3]
    np.testing.assert_allclose(array.data.asnumpy()[:3], [2.102, 1.104, 2.417], atol=1e-3)
    with pytest.raises(ValueError, match="not supported for this density"):
        tu.rand_ndarray((10, 10), "csr", density=0.05, distribution="powerlaw")


@pytest.mark.parametrize("stype", ["row_sparse", "csr"])
def test_values_are_set_or_modified(stype: str) -> None:
    constant = tu.create_sparse_array((4, 3), stype, data_init=2.5)
    assert set(constant.asnumpy().ravel()) == {0, 2.5}
    doubled = tu.rand_sparse_ndarray((4, 3), stype, 0.9, data_init=2, modifier_func=lambda x: 2 * x)
    assert set(doubled[0].asnumpy().ravel()) <= {0, 4}
    assert (
        tu.rand_ndarray((4, 3), stype, dtype="int32", modifier_func=lambda x: 7).dtype is np.int32
    )


def test_rows_are_chosen() -> None:
    array: Any = tu.create_sparse_array((4, 3), "row_sparse", data_init=0.5, rsp_indices=[3, 0])
    assert array.indices.asnumpy().tolist() == [0, 3]
    none: Any = tu.create_sparse_array_zd((4, 3), "row_sparse", density=0, rsp_indices=[1])
    assert none.indices.shape == (0,)
    one: Any = tu.create_sparse_array_zd((4, 3), "row_sparse", density=0.5, rsp_indices=[1])
    assert one.indices.asnumpy().tolist() == [1]


def test_columns_are_shuffled_within_their_rows() -> None:
    array = tu.rand_ndarray((2, 8), "csr", density=0.8)
    shuffled = tu.shuffle_csr_column_indices(array)
    np.testing.assert_array_equal(shuffled.asnumpy(), array.asnumpy())
    assert shuffled.indices.asnumpy().tolist() != array.indices.asnumpy().tolist()
    drawn = tu.rand_ndarray((2, 8), "csr", density=0.9, shuffle_csr_indices=True)
    with pytest.raises(TypeError, match="indices must increase"):
        drawn.check_format()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"stype": "foo"}, "unknown storage type 'foo'"),
        ({"stype": "csr", "distribution": "foo"}, "Distribution not supported: foo"),
        ({"stype": "row_sparse", "distribution": "powerlaw"}, "not supported for row_sparse"),
        ({"stype": "csr", "density": 1.5}, "density must be from 0 to 1"),
        ({"stype": "csr", "shape": (2, 3, 4)}, "a csr array has two axes"),
    ],
)
def test_unknown_storage_is_an_assertion(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        tu.rand_ndarray(**{"shape": (4, 3), **arguments})


def test_sparse_arrays_are_compared_by_their_elements() -> None:
    array = tu.rand_ndarray((4, 3), "csr", density=0.5)
    tu.assert_almost_equal(array, array.asnumpy())
    tu.assert_almost_equal(array.tostype("default"), array)
    with pytest.raises(AssertionError, match="exceeds tolerance"):
        tu.assert_almost_equal(array, array.tostype("default") + 1)


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_optimizers_are_compared_on_sparse_gradients(name: str) -> None:
    one, other = (mx.optimizer.create(name, learning_rate=0.1, wd=0.1) for _ in range(2))
    for w_stype in ("row_sparse", "default"):
        tu.compare_optimizer(one, other, (4, 3), "float32", w_stype=w_stype, g_stype="row_sparse")
    lazy = mx.optimizer.create(name, learning_rate=0.1, wd=0.1)
    full = mx.optimizer.create(name, learning_rate=0.1, wd=0.1, lazy_update=False)
    with pytest.raises(AssertionError):
        tu.compare_optimizer(lazy, full, (40, 3), "float32", g_stype="row_sparse")


def test_gradients_of_sparse_graphs_are_checked() -> None:
    lhs = tu.rand_ndarray((4, 5), "csr", density=0.5)
    rhs = tu.rand_ndarray((5, 3))
    product = mx.sym.sparse.dot(mx.sym.var("x", stype="csr"), mx.sym.var("w"))
    location = {"x": lhs, "w": rhs}
    tu.check_symbolic_forward(product, location, [lhs.asnumpy() @ rhs.asnumpy()])
    head = np.ones((4, 3), "float32")
    grads = tu.check_symbolic_backward(
        product,
        location,
        [head],
        {"w": lhs.asnumpy().T @ head},
        grad_req={"w": "write"},
        grad_stypes={"w": "row_sparse"},
    )
    assert grads["w"].stype == "row_sparse"
    for stypes in (None, {"w": "row_sparse"}):
        tu.check_numeric_gradient(
            product, location, grad_nodes=["w"], grad_stype_dict=stypes, rtol=0.01, atol=1e-3
        )
    wrong = mx.sym.BlockGrad(product) + 0 * product
    with pytest.raises(AssertionError, match="BACKWARD_w"):
        tu.check_numeric_gradient(wrong, location, grad_nodes=["w"])
