"""An executor computes gradients in the arrays that it is given for them, where that is right."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import NDArray, cpu, nd
from hy_symbol import sym

X, W = sym.var("x"), sym.var("w")
NET = sym.sum(sym.square(sym.dot(X, W)))
SHAPES = {"x": (3, 4), "w": (4, 5)}


def drawn() -> dict[str, NDArray]:
    draw = np.random.default_rng(3)
    return {name: nd.array(draw.normal(size=shape)) for name, shape in SHAPES.items()}


def by_hand(args: dict[str, NDArray]) -> dict[str, Any]:
    x, w = (args[name].asnumpy().astype(np.float64) for name in ("x", "w"))
    y = 2 * (x @ w)
    return {"x": y @ w.T, "w": x.T @ y}


def check(found: NDArray, wanted: Any) -> None:
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5)


@pytest.mark.parametrize("times", [1, 3])
def test_gradients_replace_what_their_arrays_held(times: int) -> None:
    args = drawn()
    grads = {name: nd.full(shape, 7) for name, shape in SHAPES.items()}
    executor = NET.bind(cpu(), args, grads)
    buffers = {name: array.buffer for name, array in grads.items()}
    for _ in range(times):
        executor.forward(is_train=True)
        executor.backward(nd.ones((1,)))
    for name, wanted in by_hand(args).items():
        check(grads[name], wanted)
        assert grads[name].buffer is buffers[name]


def test_gradients_are_added_where_that_is_asked_for() -> None:
    args = drawn()
    grads = {name: nd.full(shape, 7) for name, shape in SHAPES.items()}
    executor = NET.bind(cpu(), args, grads, {"x": "add", "w": "write"})
    for _ in range(2):
        executor.forward(is_train=True)
        executor.backward(nd.ones((1,)))
    wanted = by_hand(args)
    check(grads["x"], 7 + 2 * wanted["x"])
    check(grads["w"], wanted["w"])


def test_an_argument_may_be_the_array_of_its_own_gradient() -> None:
    args = drawn()
    wanted = by_hand(args)
    grads = {"x": args["x"], "w": args["w"]}
    executor = NET.bind(cpu(), args, grads)
    executor.forward(is_train=True)
    executor.backward(nd.ones((1,)))
    for name, value in wanted.items():
        check(grads[name], value)


def test_a_gradient_may_be_kept_in_another_dtype() -> None:
    args = drawn()
    grads = {name: nd.zeros(shape, dtype="float64") for name, shape in SHAPES.items()}
    executor = NET.bind(cpu(), args, grads)
    executor.forward(is_train=True)
    executor.backward(nd.ones((1,)))
    for name, wanted in by_hand(args).items():
        assert grads[name].dtype == np.float64
        check(grads[name], wanted)


def test_losses_need_no_head() -> None:
    args = {"x": nd.array([[1, 2]]), "label": nd.array([1])}
    grads = {"x": nd.full((1, 2), 7)}
    executor = sym.SoftmaxOutput(X, sym.var("label")).bind(cpu(), args, grads)
    executor.forward(is_train=True)
    executor.backward()
    e = np.exp(1.0)
    check(grads["x"], [[1 / (1 + e), -1 / (1 + e)]])
