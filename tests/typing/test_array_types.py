"""What type checkers know of arithmetic, methods and indexing on arrays and symbols."""

from typing import Any, assert_type

from hy_ndarray import NDArray, autograd, nd, np, npx
from hy_symbol import Symbol, sym


def test_arithmetic_on_arrays_gives_arrays() -> None:
    x = nd.ones((2, 3))
    assert_type(x + 1, NDArray)
    assert_type(2.0 - x, NDArray)
    assert_type(x * x, NDArray)
    assert_type(x / x, NDArray)
    assert_type(x % 2, NDArray)
    assert_type(x**2, NDArray)
    assert_type(-x, NDArray)
    assert_type(abs(x), NDArray)
    assert_type(x > 0, NDArray)
    assert_type(x >= 0, NDArray)
    x += 1
    assert_type(x, NDArray)


def test_methods_of_arrays_give_arrays() -> None:
    x = nd.ones((2, 3))
    assert_type(x[0], NDArray)
    assert_type(x[:, 1:], NDArray)
    assert_type([row for row in x], list[NDArray])  # noqa: C416  # its elements are the point
    assert_type(x.T, NDArray)
    assert_type(x.reshape((3, 2)), NDArray)
    assert_type(x.reshape(-1), NDArray)
    assert_type(x.sum(), NDArray)
    assert_type(x.flatten().expand_dims(0).squeeze(), NDArray)
    assert_type(x.astype("float64").copy().detach(), NDArray)
    assert_type(x.as_in_context(x.context), NDArray)
    assert_type(x.grad, NDArray | None)
    assert_type(nd.dot(x, x.T), NDArray)
    assert_type(nd.moveaxis(x, 0, 1), NDArray)


def test_functions_of_two_operands_give_an_array_if_one_is() -> None:
    x, y = nd.ones((2, 3)), np.ones((2, 3))
    assert_type(nd.maximum(x, 0), NDArray)
    assert_type(nd.subtract(1, x), NDArray)
    assert_type(nd.power(2, x), NDArray)
    assert_type(nd.add(y, 1), np.ndarray)
    assert_type(nd.maximum(2, 3.0), float)


def test_numpys_arrays_stay_numpys() -> None:
    x = np.ones((2, 3))
    assert_type(x, np.ndarray)
    assert_type(x + 1, np.ndarray)
    assert_type(1 / x, np.ndarray)
    assert_type(x @ x.T, np.ndarray)
    assert_type(-x, np.ndarray)
    assert_type(x > 0, np.ndarray)
    assert_type(x[0], np.ndarray)
    assert_type(x.reshape(3, 2), np.ndarray)
    assert_type(x.sum(axis=0), np.ndarray)
    assert_type(x.astype("float64").copy(), np.ndarray)
    assert_type(x.T.mean(), np.ndarray)


def test_functions_of_np_give_the_class_of_their_operands() -> None:
    x = np.ones((2, 2))
    assert_type(np.exp(x), np.ndarray)
    assert_type(np.exp(1.0), float)
    assert_type(np.add(x, 1), np.ndarray)
    assert_type(np.maximum(0, x), np.ndarray)
    assert_type(np.equal(x, x), np.ndarray)
    assert_type(np.dot(x, x), np.ndarray)
    assert_type(np.matmul(x, x), np.ndarray)
    assert_type(np.sum(x, axis=0), np.ndarray)
    assert_type(np.reshape(x, (4,)), np.ndarray)
    assert_type(np.concatenate([x, x]), np.ndarray)


def test_choosing_and_comparing_give_the_class_of_the_operands() -> None:
    x = np.ones((2, 2))
    assert_type(np.where(x > 1, x, 0), np.ndarray)
    assert_type(np.where(x, 1.0, 2.0), np.ndarray)
    assert_type(np.where(x), tuple[np.ndarray, ...])
    assert_type(x.nonzero(), tuple[np.ndarray, ...])
    assert_type(x == 1, np.ndarray)
    assert_type(x != x.T, np.ndarray)
    assert_type(np.less(1, x), np.ndarray)
    assert_type(np.einsum("ij,jk->ik", x, x), np.ndarray)


def test_parts_of_arrays_are_lists_of_arrays() -> None:
    x = np.ones((2, 2, 2))
    assert_type(np.split(x, 2), list[np.ndarray])
    assert_type(np.array_split(x, 2, axis=1), list[np.ndarray])
    assert_type(np.hsplit(x, 2), list[np.ndarray])
    assert_type(np.vsplit(x, [1]), list[np.ndarray])
    assert_type(np.dsplit(x, 2), list[np.ndarray])
    assert_type(np.append(x, x), np.ndarray)


def test_matrices_give_the_class_of_their_factors() -> None:
    x = np.array([[2, 1], [1, 2]])
    assert_type(np.linalg.inv(x), np.ndarray)
    assert_type(np.linalg.det(x), np.ndarray)
    assert_type(np.linalg.norm(x), np.ndarray)
    assert_type(np.linalg.solve(x, x), np.ndarray)
    assert_type(np.linalg.svd(x), tuple[np.ndarray, np.ndarray, np.ndarray])
    assert_type(np.linalg.eigh(x), tuple[np.ndarray, np.ndarray])


def test_what_is_counted_and_joined_has_the_class_of_the_operands() -> None:
    x = np.array([1, 2, 2])
    assert_type(np.histogram(x, bins=2, range=(0, 4)), list[np.ndarray])
    assert_type(np.unique(x), np.ndarray)
    assert_type(np.unique(x, return_counts=True), tuple[np.ndarray, ...])
    assert_type(np.unique(x, True), tuple[np.ndarray, ...])
    assert_type(np.average(x), np.ndarray)
    assert_type(np.average(x, returned=True), tuple[np.ndarray, np.ndarray])
    assert_type(np.tile(x, 2), np.ndarray)
    assert_type(np.atleast_1d(x), np.ndarray)
    assert_type(np.atleast_2d(x, x), list[np.ndarray])
    assert_type(np.atleast_3d(x, x, x), list[np.ndarray])
    assert_type(np.around(x, 1), np.ndarray)
    assert_type(np.round(1.25, 1), float)
    assert_type(np.nan_to_num(x), np.ndarray)
    assert_type(np.shares_memory(x, x), bool)
    assert_type(np.linspace(0, 1, 3), np.ndarray)
    assert_type(np.linspace(0, 1, 3, retstep=True), tuple[np.ndarray, float])
    assert_type(np.nonzero(x), tuple[np.ndarray, ...])
    assert_type(np.meshgrid(x, x), list[np.ndarray])
    assert_type(np.broadcast_arrays(x, x), list[np.ndarray])
    assert_type(npx.reshape(x, (-1,)), np.ndarray)
    assert_type(npx.nonzero(x), np.ndarray)


def test_operators_of_npx_give_arrays() -> None:
    x = np.ones((2, 3))
    assert_type(npx.relu(x), np.ndarray)
    assert_type(npx.softmax(x, axis=-1), np.ndarray)
    assert_type(npx.fully_connected(x, np.ones((4, 3)), num_hidden=4, no_bias=True), np.ndarray)
    assert_type(npx.image.to_tensor(np.ones((2, 2, 3), dtype="uint8")), np.ndarray)


def test_what_numpy_computes_on_the_host_is_typed() -> None:
    x = np.array([1, 2, 2])
    assert_type(np.allclose(x, x), bool)
    assert_type(np.array_equal(x, x), bool)
    assert_type(np.argwhere(x), np.ndarray)
    assert_type(np.union1d(x, x), np.ndarray)
    assert_type(np.unravel_index([1], (2, 2)), Any)  # of numbers, numbers
    assert_type(np.linalg.matrix_power(np.eye(2), 2), np.ndarray)
    assert_type(np.histogram2d(x, x), tuple[np.ndarray, np.ndarray, np.ndarray])
    near = np.isclose(x, x)  # a number of numpy's, if the arrays had no axes
    assert_type(near, np.ndarray | Any)


def test_gradients_are_of_the_class_of_the_variables() -> None:
    x, y = nd.ones((2,)), np.ones((2,))
    x.attach_grad()
    y.attach_grad()
    with autograd.record():
        heads = [x * 2, y * 3]
    dx = autograd.grad(heads[0], x)
    dy = autograd.grad(heads[1], [y])
    assert_type(dx, list[NDArray])
    assert_type(dy, list[np.ndarray])
    assert type(dx[0]) is NDArray
    assert type(dy[0]) is np.ndarray


def test_arithmetic_on_symbols_gives_symbols() -> None:
    x = sym.var("x")
    assert_type(x + 1, Symbol)
    assert_type(2 - x * x, Symbol)
    assert_type(-x, Symbol)
    assert_type(abs(x), Symbol)
    assert_type(x > 0, Symbol)
    assert_type(x.sum() / 2, Symbol)
