"""Where mx.np differs from MXNet's on purpose: what docs/differences.md says of it."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon

mxnp = mx.np


def gradient(function: Callable[..., Any], *values: Any) -> list[Any]:
    """Return the gradients of the sum of a function's result."""
    variables: list[Any] = [mxnp.array(value) for value in values]
    for variable in variables:
        variable.attach_grad()
    with autograd.record():
        y = function(*variables)
    y.backward()
    return [np.round(variable.grad.asnumpy(), 4).tolist() for variable in variables]


def test_integers_with_a_fraction_are_float64() -> None:
    x = mxnp.array([1], dtype="int32")
    assert (x + 0.5).tolist() == [1.5]
    assert (x + 0.5).dtype == np.float64


def test_gradients_of_spread_and_of_rank() -> None:
    assert gradient(mxnp.var, [1.0, 3.0]) == [[-1, 1]]
    assert gradient(mxnp.std, [1.0, 3.0]) == [[-0.5, 0.5]]
    assert gradient(mxnp.atleast_1d, 2.0) == [1]
    weights = mxnp.array([[1.0, 2.0]])
    assert gradient(lambda x: mxnp.rot90(x, k=1) * weights, [[1.0], [2.0]]) == [[[1], [2]]]


def test_gradients_of_functions_that_broadcast() -> None:
    rows = mxnp.ones((3, 1), dtype="bool")
    assert gradient(lambda x: mxnp.where(rows, x, 0 * x), [1.0, 2.0]) == [[3, 3]]
    slopes = gradient(mxnp.arctan2, [[0.0], [0.0]], [1.0, 2.0])
    assert slopes == [[[1.5], [1.5]], [0, 0]]
    slopes = gradient(mxnp.matmul, [[[1.0, 2.0]], [[3.0, 4.0]]], [[1.0], [1.0]])
    assert slopes[1] == [[4], [6]]


@pytest.mark.parametrize(
    ("order", "slope"),
    [
        (1, [[0, 1], [0, 1]]),
        (-1, [[1, 0], [1, 0]]),
        (np.inf, [[0, 0], [1, 1]]),
        (-np.inf, [[1, 1], [0, 0]]),
    ],
)
def test_gradients_of_norms_of_matrices(order: float, slope: list[Any]) -> None:
    x = [[1.0, 2.0], [3.0, 4.0]]
    assert gradient(lambda x: mxnp.linalg.norm(x, ord=order, axis=(0, 1)), x) == [slope]


def test_gradient_of_the_pseudoinverse() -> None:
    assert gradient(mxnp.linalg.pinv, [[2.0]]) == [[[-0.25]]]
    assert gradient(lambda x: mxnp.linalg.pinv(x, hermitian=True), [[2.0]]) == [[[-0.25]]]


def test_eigenvalues_of_any_matrix_refuse_a_gradient() -> None:
    x = mxnp.array([[1.0, 2.0], [3.0, 4.0]])
    x.attach_grad()
    with autograd.record():
        y = mxnp.linalg.eigvals(x)
    with pytest.raises(mx.MXNetError, match="eigvals"):
        y.backward()


def test_gradients_of_symmetric_eigenvalues_padding_and_tensor_equations() -> None:
    lower = [[2.0, 0.0], [0.0, 5.0]]
    assert gradient(mxnp.linalg.eigvalsh, lower) == [[[1, 0], [0, 1]]]
    assert gradient(lambda x: mxnp.linalg.eigh(x)[0], lower) == [[[1, 0], [0, 1]]]
    assert gradient(mxnp.linalg.tensorsolve, [[2.0]], [4.0])[1] == [0.5]
    for mode, slope in [("edge", [2, 2]), ("reflect", [2, 2]), ("symmetric", [2, 2])]:
        assert gradient(lambda x, mode=mode: mxnp.pad(x, 1, mode=mode), [1.0, 2.0]) == [slope]


def test_padding_writes_the_values_that_it_is_given() -> None:
    y = mxnp.pad(mxnp.array([1.0]), (1, 2), mode="constant", constant_values=7)
    assert y.tolist() == [7, 1, 7, 7]


def test_tall_matrices_a_negative_axis_and_an_empty_slice() -> None:
    u, s, v = mxnp.linalg.svd(mxnp.array([[3.0], [4.0]]))
    assert s.tolist() == [5]
    assert (u * s @ v).tolist() == [[3], [4]]
    x = mxnp.array([[1.0, 2.0], [3.0, 4.0]])
    assert mxnp.cumsum(x, axis=-1).tolist() == [[1, 3], [3, 7]]
    assert x[3:1].shape == (0, 2)


def test_parts_have_the_order_of_the_numpy_installed() -> None:
    x = np.array([5.0, 1.0, 4.0, 2.0, 3.0], np.float32)
    assert mxnp.partition(mxnp.array(x), 2).tolist() == np.partition(x, 2).tolist()
    positions = mxnp.argpartition(mxnp.array(x), 2)
    assert positions.tolist() == np.argpartition(x, 2).tolist()


def test_angles_and_operators_of_symbols() -> None:
    assert mxnp.rad2deg(mxnp.array([np.pi])).tolist() == pytest.approx([180])
    x, y = mx.sym.var("x").as_np_ndarray(), mx.sym.var("y").as_np_ndarray()
    given = {"x": mxnp.array([[6, 3]], dtype="int32"), "y": mxnp.array([[3], [5]], dtype="int32")}
    for symbol, expected in [
        (x & y, [[2, 3], [4, 1]]),
        (x | y, [[7, 3], [7, 7]]),
        (x ^ y, [[5, 0], [3, 6]]),
        (~x, [[-7, -4]]),
        (x[:, None, ::2], [[[6]]]),
    ]:
        bound = {name: given[name] for name in symbol.list_inputs()}
        assert symbol.eval(**bound)[0].asnumpy().tolist() == expected


def test_blocks_with_results_of_both_classes() -> None:
    class Both(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return x.as_np_ndarray() + 1, x.as_nd_ndarray() + 2

    net = Both()
    net.hybridize()
    for x in mx.nd.array([1.0]), mxnp.array([1.0]):
        first, second = net(x)
        assert type(first) is type(second) is type(x)
        assert [first.asnumpy().item(), second.asnumpy().item()] == [2, 3]


def test_classic_arrays_beside_those_of_numpy() -> None:
    x, y = mx.nd.array([1.0]), mxnp.array([2.0])
    assert type(x + y) is type(y + x) is mxnp.ndarray
    assert mx.nd.relu(mxnp.array([-1.0])).tolist() == [0]


@pytest.mark.parametrize("name", ["max", "min"])
def test_axes_of_an_array_without_any(name: str) -> None:
    x = mxnp.array(3.0)
    assert getattr(mxnp, name)(x, axis=0).item() == mxnp.sum(x, axis=0).item() == 3


def test_a_list_of_arrays_is_stacked() -> None:
    assert mxnp.array([mxnp.ones(2), mxnp.zeros(2)]).tolist() == [[1, 1], [0, 0]]


def test_linear_algebra_of_float16() -> None:
    x = mxnp.array([[4.0, 0.0], [0.0, 2.0]], dtype="float16")
    assert mxnp.linalg.det(x).item() == 8
    assert mxnp.linalg.inv(x).tolist() == [[0.25, 0], [0, 0.5]]
    assert mxnp.linalg.cholesky(x).dtype == np.float16
    assert mxnp.linalg.solve(x, mxnp.array([4.0, 2.0], dtype="float16")).tolist() == [1, 1]


def test_wrong_probabilities_and_nothing_to_choose_from() -> None:
    with pytest.raises(ValueError, match="pvals"):
        mxnp.random.multinomial(1, [1.5, -0.5])
    with pytest.raises(ValueError, match="choice"):
        mxnp.random.choice(0)


def test_layers_without_use_np_inside_of_it() -> None:
    class Net(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.dense = gluon.nn.Dense(1, in_units=2, use_bias=False)

        def forward(self, x: Any) -> Any:
            return self.dense(x) + 1

    net = mx.util.use_np(Net)()
    net.initialize(mx.init.One())
    assert net(mxnp.array([[1.0, 2.0]])).tolist() == [[4]]


def test_signatures_have_types() -> None:
    parameters = inspect.signature(mxnp.sum).parameters
    assert list(parameters)[:2] == ["a", "axis"]
    assert parameters["axis"].annotation is not inspect.Parameter.empty


def test_gradients_are_of_the_class_of_their_variables() -> None:
    x: Any = mx.np.array([2.0, 3.0])
    x.attach_grad()
    with mx.autograd.record():
        y = x * x
    (gradient,) = mx.autograd.grad([y], [x])
    assert type(gradient) is type(x)
    assert gradient.tolist() == [4, 6]
    assert x.grad is x.grad
