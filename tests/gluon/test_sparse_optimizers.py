"""Optimizers on row_sparse gradients and weights."""

from typing import Any

import numpy as np
import pytest

from hy_gluon import optimizer
from hy_gluon.optimizer import Updater
from hy_ndarray import NDArray, nd
from hy_ndarray.nd import sparse

WEIGHT = np.arange(10, dtype="float32").reshape(5, 2) / 10 + 0.1
ROWS = [1, 3]


def gradient() -> Any:
    return sparse.row_sparse_array(([[1, 2], [3, 4]], ROWS), shape=(5, 2))


def arrays_in(state: Any) -> list[NDArray]:
    if isinstance(state, tuple):
        return [x for part in state for x in arrays_in(part)]
    return [] if state is None else [state]


# What MXNet 1.9.1 makes of the rows with a gradient, in two steps at rate 0.1.
LAZY: list[tuple[str, dict[str, Any], list[list[float]]]] = [
    ("sgd", {"wd": 0.01}, [[0.0995, -0.0006], [0.0989, -0.0012]]),
    ("sgd", {"wd": 0.01, "momentum": 0.9}, [[0.0092, -0.181], [-0.1717, -0.3619]]),
    ("adam", {"wd": 0.01}, [[0.1, 0.2], [0.5, 0.6]]),
    ("adagrad", {}, [[0.1293, 0.2293], [0.5293, 0.6293]]),
    ("groupadagrad", {}, [[0.192, 0.1841], [0.5551, 0.6069]]),
    ("nag", {"wd": 0.01}, [[0.0995, -0.0006], [0.0989, -0.0012]]),
]


@pytest.mark.parametrize("stype", ["default", "row_sparse"])
@pytest.mark.parametrize(("name", "settings", "expected"), LAZY)
def test_lazy_optimizers_change_the_rows_of_the_gradient_as_mxnet_does(
    name: str, settings: dict[str, Any], expected: list[list[float]], stype: str
) -> None:
    updater = Updater(optimizer.create(name, learning_rate=0.1, **settings))
    weight = nd.array(WEIGHT).tostype(stype)
    for _ in range(2):
        updater(0, gradient(), weight)
    wanted = WEIGHT.copy()
    wanted[ROWS] = expected
    np.testing.assert_allclose(weight.asnumpy(), wanted, atol=6e-5)
    assert {x.stype for x in [weight, *arrays_in(updater.states[0])]} == {stype}


NOT_LAZY: list[tuple[str, dict[str, Any]]] = [
    ("sgd", {"lazy_update": False, "momentum": 0.9}),
    ("adam", {"lazy_update": False}),
    ("ftrl", {}),
    ("nag", {"momentum": 0.9}),
    ("rmsprop", {}),
    ("signum", {}),
    ("lars", {}),
    ("adagrad", {}),
]


@pytest.mark.parametrize(("name", "settings"), NOT_LAZY)
def test_other_optimizers_change_all_rows_as_for_a_dense_gradient(
    name: str, settings: dict[str, Any]
) -> None:
    weights = [nd.array(WEIGHT), nd.array(WEIGHT)]
    for weight, stype in zip(weights, ("row_sparse", "default"), strict=True):
        updater = Updater(optimizer.create(name, learning_rate=0.1, wd=0.01, **settings))
        for _ in range(2):
            updater(0, gradient().tostype("default").tostype(stype), weight)
    np.testing.assert_allclose(weights[0].asnumpy(), weights[1].asnumpy(), rtol=1e-6)


def test_ftrl_is_lazy_for_row_sparse_weights() -> None:
    updater = Updater(optimizer.create("ftrl", learning_rate=0.1, wd=0.01))
    weight = nd.array(WEIGHT).tostype("row_sparse")
    for _ in range(2):
        updater(0, gradient(), weight)
    wanted = WEIGHT.copy()
    wanted[ROWS] = [[0.058, 0.1474], [0.3924, 0.4996]]
    np.testing.assert_allclose(weight.asnumpy(), wanted, atol=6e-5)


def test_states_of_row_sparse_weights_are_dense_where_updates_are_not_lazy() -> None:
    weight = nd.array(WEIGHT).tostype("row_sparse")
    for kind, settings in (("sgd", {"momentum": 0.9}), ("adam", {})):
        made = optimizer.create(kind, lazy_update=False, **settings)
        assert {x.stype for x in arrays_in(made.create_state(0, weight))} == {"default"}


def test_dense_and_sparse_gradients_are_mixed_in_one_step() -> None:
    updater = Updater(optimizer.create("sgd", learning_rate=0.1, momentum=0.9, wd=0.5))
    alone = Updater(optimizer.create("sgd", learning_rate=0.1, momentum=0.9, wd=0.5))
    together = [nd.array(WEIGHT) for _ in range(3)]
    apart = [nd.array(WEIGHT) for _ in range(3)]
    grads = [nd.ones((5, 2)), gradient(), nd.ones((5, 2)) * 2]
    for _ in range(3):
        updater([0, 1, 2], grads, together)
        for i, (grad, weight) in enumerate(zip(grads, apart, strict=True)):
            alone(i, grad, weight)
    for x, y in zip(together, apart, strict=True):
        np.testing.assert_array_equal(x.asnumpy(), y.asnumpy())


def test_a_gradient_that_turns_sparse_is_taken_as_it_is() -> None:
    updater = Updater(optimizer.create("sgd", learning_rate=1.0, wd=0.5))
    weight = nd.array(WEIGHT)
    updater(0, nd.zeros((5, 2)), weight)
    before = weight.asnumpy()
    updater(0, gradient(), weight)
    np.testing.assert_array_equal(weight.asnumpy()[[0, 2, 4]], before[[0, 2, 4]])


# What MXNet 1.9.1 makes of [[1, 2], [3, 4], [5, 6]] in two steps at rate 0.5 with decay 0.1.
HALVES: list[tuple[str, str, list[list[float]]]] = [
    ("sgd", "default", [[0.9023, 1.805], [1.732, 2.635], [4.512, 5.414]]),
    ("sgd", "row_sparse", [[0.9023, 1.805], [1.732, 2.635], [4.512, 5.414]]),
    ("nag", "default", [[0.9023, 1.805], [1.732, 2.635], [4.512, 5.414]]),
    ("adam", "default", [[1, 2], [2, 3], [5, 6]]),
    ("adam", "row_sparse", [[1, 2], [2, 3], [5, 6]]),
    ("ftrl", "row_sparse", [[1, 2], [1.015, 1.502], [5, 6]]),
]


@pytest.mark.parametrize("by_updater", [True, False])
@pytest.mark.parametrize(("name", "stype", "expected"), HALVES)
def test_half_weights_with_copies_are_lazy_where_mxnet_is(
    name: str, stype: str, expected: list[list[float]], by_updater: bool
) -> None:
    made = optimizer.create(name, learning_rate=0.5, wd=0.1, multi_precision=True)
    weight = nd.array([[1, 2], [3, 4], [5, 6]], dtype="float16").tostype(stype)
    grad = sparse.row_sparse_array(
        (nd.array([[1, 1]], dtype="float16"), [1]), shape=(3, 2), dtype="float16"
    )
    updater, state = Updater(made), made.create_state_multi_precision(1, weight)
    for _ in range(2):
        if by_updater:
            updater(0, grad, weight)
        else:
            made.update_multi_precision(1, weight, grad, state)
    np.testing.assert_allclose(weight.asnumpy(), expected, atol=2e-3)
