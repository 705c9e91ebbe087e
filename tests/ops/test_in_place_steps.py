"""Steps of optimizers written over their own weights: the same numbers, and no new arrays."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from hy_ndarray import NDArray, ShapeError, nd

LARGE = 40_000
"""Elements: more than a block that goes through a rule at a time."""
STEPS: dict[str, tuple[int, dict[str, Any]]] = {
    "sgd_update": (0, {"lr": 0.1, "wd": 0.01}),
    "sgd_mom_update": (1, {"lr": 0.1, "momentum": 0.9, "wd": 0.01}),
    "nag_mom_update": (1, {"lr": 0.1, "momentum": 0.9, "clip_gradient": 0.5}),
    "adam_update": (2, {"lr": 0.1, "wd": 0.01}),
    "rmsprop_update": (1, {"lr": 0.1}),
    "ftrl_update": (2, {"lr": 0.1}),
}


def drawn(count: int, size: int, dtype: str = "float32") -> list[NDArray]:
    rng = np.random.default_rng(2)
    return [nd.array(rng.uniform(0.1, 1, size), dtype=dtype) for _ in range(count)]


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("size", [7, LARGE])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_step_in_place_is_the_step(name: str, size: int, dtype: str) -> None:
    count, params = STEPS[name]
    step = getattr(nd, name)
    weight, grad, *states = drawn(2 + count, size, dtype)
    plain = [x.copy() for x in states]
    expected = step(weight, grad, *plain, **params)
    buffer, slope = weight.buffer, grad.copy()
    assert step(weight, grad, *states, out=weight, **params) is weight
    assert weight.buffer is buffer
    for found, wanted in zip((weight, grad, *states), (expected, slope, *plain), strict=True):
        np.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())


def test_several_weights_step_in_one_operator() -> None:
    sizes = [3, LARGE, 5]
    rows = [drawn(3, size) for size in sizes]
    singles = [[x.copy() for x in row] for row in rows]
    common: dict[str, Any] = {"momentum": 0.9, "rescale_grad": 0.5}
    rates, decays = [0.1, 0.2, 0.3], [0.0, 0.01, 0.1]
    for (w, g, m), lr, wd in zip(singles, rates, decays, strict=True):
        nd.sgd_mom_update(w, g, m, lr=lr, wd=wd, out=w, **common)
    arrays = [x for row in rows for x in row]
    weights = [row[0] for row in rows]
    nd.multi_sgd_mom_update(*arrays, lrs=rates, wds=decays, num_weights=3, out=weights, **common)
    for row, single in zip(rows, singles, strict=True):
        for found, wanted in zip(row, single, strict=True):
            np.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())


def test_shapes_that_differ_change_nothing() -> None:
    (w, g, m), (v, _, n) = drawn(3, 4), drawn(3, 5)
    before = w.asnumpy(), v.asnumpy()
    with pytest.raises(ShapeError):
        nd.multi_sgd_mom_update(
            w, g, m, v, g, n, lrs=[0.1, 0.1], wds=[0, 0], num_weights=2, out=[w, v]
        )
    np.testing.assert_array_equal(before[0], w.asnumpy())
    np.testing.assert_array_equal(before[1], v.asnumpy())


def test_a_view_is_written_too() -> None:
    weight, grad = drawn(2, 12)
    expected = nd.sgd_update(weight[2:8], grad[2:8], lr=0.1).asnumpy()
    part = weight[2:8]
    nd.sgd_update(part, grad[2:8], lr=0.1, out=part)
    np.testing.assert_array_equal(weight.asnumpy()[2:8], expected)


@pytest.mark.parametrize("name", ["signsgd_update", "signum_update"])
def test_a_gradient_that_is_no_number_has_the_sign_0(name: str) -> None:
    """Measured on MXNet 1.9.1."""
    weight, gradient, momentum = (nd.array([x]) for x in (1.0, float("nan"), 0.1))
    states = [momentum] if name == "signum_update" else []
    rates = {"momentum": 0.9} if states else {}
    found = getattr(nd, name)(weight, gradient, *states, lr=0.1, wd=0.01, **rates)
    np.testing.assert_allclose(found.asnumpy(), [1.0 if states else 0.999], rtol=1e-6)


def test_numbers_that_differ_from_those_of_the_last_step_count() -> None:
    weight = np.array([1.0, -2.0, 3.0])
    array, grad = nd.array(weight), np.array([4.0, -0.5, 0.25])
    every = list(product((0.0, 0.1, 1.0), (-1.0, 0.5, 2.0), (1.0, 0.5), (0.25, 0.125)))
    for decay, bound, rescale, rate in [*every, *reversed(every)]:
        array = nd.sgd_update(
            array, nd.array(grad), lr=rate, wd=decay, clip_gradient=bound, rescale_grad=rescale
        )
        step = grad * rescale if bound < 0 else np.clip(grad * rescale, -bound, bound)
        weight = weight - rate * (step + decay * weight)
        np.testing.assert_allclose(array.asnumpy(), weight, rtol=1e-4, atol=1e-5)
