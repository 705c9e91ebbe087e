"""Optimizer steps overwrite their states, and the weight where it is given as out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, DTypeError, HyError, ShapeError, nd


def test_states_are_overwritten_and_the_weight_is_not() -> None:
    weight, grad, mom = nd.array([1.0, 2.0]), nd.array([0.5, 1.0]), nd.array([1.0, 0.0])
    new = nd.sgd_mom_update(weight, grad, mom, lr=0.5, momentum=0.5)
    np.testing.assert_allclose(mom.asnumpy(), [0.25, -0.5])
    np.testing.assert_allclose(new.asnumpy(), [1.25, 1.5])
    np.testing.assert_allclose(weight.asnumpy(), [1.0, 2.0])


def test_out_overwrites_the_weight() -> None:
    weight, grad = nd.array([1.0, 2.0]), nd.array([1.0, 1.0])
    mean, var = nd.zeros((2,)), nd.zeros((2,))
    assert nd.adam_update(weight, grad, mean, var, lr=0.1, out=weight) is weight
    np.testing.assert_allclose(mean.asnumpy(), [0.1, 0.1], rtol=1e-6)
    np.testing.assert_allclose(var.asnumpy(), [0.001, 0.001], rtol=1e-5)
    np.testing.assert_allclose(weight.asnumpy(), [1 - 0.1**0.5, 2 - 0.1**0.5], rtol=1e-5)


@pytest.mark.parametrize("dtype", ["int32", "bool"])
def test_steps_are_taken_on_floats_alone(dtype: str) -> None:
    # MXNet 1.9.1 refuses both, too; with integers learning rates would become 0.
    weight, grad = nd.ones((2, 3), dtype=dtype), nd.ones((2, 3), dtype=dtype)
    mean, var = nd.ones((2, 3), dtype=dtype), nd.ones((2, 3), dtype=dtype)
    calls: list[Callable[[], Any]] = [
        lambda: nd.sgd_update(weight, grad, lr=0.1),
        lambda: nd.adam_update(weight, grad, mean, var, lr=0.1),
        lambda: nd.contrib.group_adagrad_update(weight, grad, nd.ones((2, 1), dtype=dtype), lr=0.1),
    ]
    for call in calls:
        with pytest.raises(DTypeError, match=f"weight {dtype} must be floating"):
            call()
    assert weight.asnumpy().tolist() == [[1, 1, 1]] * 2


def test_many_weights_at_once() -> None:
    arrays = [nd.array([1.0]), nd.array([2.0]), nd.array([0.5]),
              nd.array([[3.0]]), nd.array([[1.0]]), nd.array([[0.0]])]  # fmt: skip
    weights = [arrays[0], arrays[3]]
    nd.multi_sgd_mom_update(
        *arrays, lrs=(0.5, 1.0), wds=(0.0, 0.0), momentum=0.5, num_weights=2, out=weights
    )
    got = [x.asscalar().item() for x in arrays]
    assert got == [0.25, 2.0, -0.75, 2.0, 1.0, -1.0]


def test_a_16_bit_weight_follows_its_float32_twin() -> None:
    weight, twin = nd.array([1.0], dtype="float16"), nd.array([1.0])
    grad = nd.array([1.0], dtype="float16")
    for _ in range(4):
        nd.mp_sgd_update(weight, grad, twin, lr=1e-4, out=weight)
    np.testing.assert_allclose(twin.asnumpy(), [0.9996], rtol=1e-6)
    np.testing.assert_array_equal(weight.asnumpy(), twin.asnumpy().astype(np.float16))


@pytest.mark.parametrize("scale", [0.0, float("inf"), float("nan")])
def test_adamw_changes_nothing_when_the_loss_scale_overflowed(scale: float) -> None:
    weight, mean, var = nd.array([1.0]), nd.array([2.0]), nd.array([3.0])
    factor = nd.array([scale])
    new = nd._internal._adamw_update(weight, weight, mean, var, factor, lr=0.1, eta=1.0)
    assert [x.asscalar() for x in (new, mean, var)] == [1.0, 2.0, 3.0]


def test_reset_arrays() -> None:
    a, b = nd.ones((2, 3)), nd.ones((4,), dtype="int32")
    assert nd.reset_arrays(a, b, num_arrays=2) == []
    assert not a.asnumpy().any()
    assert not b.asnumpy().any()


def test_errors_name_what_does_not_fit() -> None:
    one, two = nd.ones((1,)), nd.ones((2,))
    with pytest.raises(ShapeError, match=r"sgd_update: .*\(1,\).*\(2,\)"):
        nd.sgd_update(one, two, lr=0.1)
    with pytest.raises(ShapeError, match="2 weights need 2 arrays each, got 3"):
        nd.multi_sgd_update(one, one, one, lrs=(0.1, 0.1), wds=(0.0, 0.0), num_weights=2)
    with pytest.raises(ArgumentError, match="parameter lrs has 1 numbers for 2 weights"):
        nd.multi_sgd_update(one, one, two, two, lrs=(0.1,), wds=(0.0, 0.0), num_weights=2)
    how: Any = {"lrs": (0.1, 0.1), "wds": (0.0,), "num_weights": 2, "out": [one, two]}
    with pytest.raises(ArgumentError, match="parameter wds has 1 numbers for 2 weights"):
        nd.multi_sgd_update(one, one, two, two, **how)
    assert (one.asscalar(), two.sum().asscalar()) == (1, 2)


@pytest.mark.usefixtures("_on_numpy")  # other tables may compute with them
@pytest.mark.parametrize("dtype", ["int8", "int32"])
def test_weights_of_integers_are_refused(dtype: str) -> None:
    weight = nd.array([8, -4], dtype=dtype)
    steps: list[Callable[[], Any]] = [
        lambda: nd.sgd_update(weight, weight, lr=0.1, out=weight),
        lambda: nd.sgd_mom_update(weight, weight, weight.copy(), lr=0.1, out=weight),
    ]
    for step in steps:
        with pytest.raises(HyError, match="update"):
            step()
        assert weight.asnumpy().tolist() == [8, -4]
