"""Normalisation of batches and of rows, against float64, also where means are far from zero."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from hy_kernels.numpy.nn.normalization.norm import batch_norm
from hy_kernels.numpy.nn.normalization.norm_gradients import normalize_backward

Array = npt.NDArray[Any]
HOW: dict[str, Any] = {
    "eps": 1e-5,
    "momentum": 0.9,
    "fix_gamma": False,
    "use_global_stats": False,
    "output_mean_var": False,
    "cudnn_off": False,
    "min_calib_range": None,
    "max_calib_range": None,
    "is_train": True,
}


def moved(shape: tuple[int, ...], means: Array, axis: int, seed: int = 3) -> Array:
    """Normal numbers around a mean for each index of an axis."""
    place = [1] * len(shape)
    place[axis] = -1
    draw = np.random.default_rng(seed).normal(size=shape)
    return (draw + means.reshape(place)).astype(np.float32)


def normalised(x: Array, *, axis: int) -> tuple[Array, ...]:
    size = x.shape[axis]
    gamma, beta = np.linspace(0.5, 2, size), np.linspace(-1, 1, size)
    vectors = [v.astype(x.dtype) for v in (gamma, beta, np.zeros(size), np.ones(size))]
    return batch_norm(x, *vectors, axis=axis, **HOW)


def gradients(dy: Array, x: Array, mean: Array, deviation: Array, kind: str, axis: int) -> Any:
    gamma = np.linspace(0.5, 2, x.shape[axis]).astype(x.dtype)
    how: dict[str, Any] = {
        "kind": kind,
        "axis": axis,
        "groups": 1,
        "fix_gamma": False,
        "frozen": False,
    }
    return normalize_backward(dy, x, gamma, mean, deviation, **how)


@pytest.mark.parametrize(("shape", "axis"), [((6, 9, 9, 16), 0), ((5, 6, 40, 8), 1), ((700, 6), 1)])
def test_batch_normalisation_is_exact_for_channels_far_from_zero(
    shape: tuple[int, ...], axis: int
) -> None:
    x = moved(shape, np.array([0, 3, -5, 300, 1000, 0.1]), axis)
    wide = x.astype(np.float64)
    found, expected = normalised(x, axis=axis), normalised(wide, axis=axis)
    np.testing.assert_allclose(found[0], expected[0], atol=1e-3)  # 1000 has steps of 6e-5
    near = np.delete(np.arange(6), [3, 4])
    np.testing.assert_allclose(
        found[0].take(near, axis), expected[0].take(near, axis), rtol=2e-5, atol=2e-6
    )
    for one, other in zip(found[1:], expected[1:], strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-6)

    dy = moved(shape, np.ones(6), axis, seed=4)
    mean, inverse = found[1:3]
    slopes, data, means, inverses = (v.astype(np.float64) for v in (dy, x, mean, inverse))
    exact = gradients(slopes, data, means, inverses, "batch", axis)
    for one, other in zip(gradients(dy, x, mean, inverse, "batch", axis), exact, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-5 * np.abs(other).max())


def test_a_channel_far_from_zero_changes_nothing_beside_it() -> None:
    means = np.array([0.0, 1, 2])
    near = normalised(moved((3, 8, 8, 16), means, 0), axis=0)[0]
    means[1] = 1e5
    far = normalised(moved((3, 8, 8, 16), means, 0), axis=0)[0]
    np.testing.assert_array_equal(near[[0, 2]], far[[0, 2]])


@pytest.mark.parametrize("shape", [(3, 700), (5000, 64), (300, 1100)])
def test_gradients_of_rows_are_those_of_float64_in_any_number_of_blocks(
    shape: tuple[int, int],
) -> None:
    x, dy = moved(shape, np.array([2.0]), 1), moved(shape, np.array([0.5]), 1, seed=4)
    wide = x.astype(np.float64)
    mean, deviation = wide.mean(1, keepdims=True), wide.std(1, keepdims=True)
    narrow = mean.astype(x.dtype), deviation.astype(x.dtype)
    hat, gamma = (wide - mean) / deviation, np.linspace(0.5, 2, shape[1])
    p = dy * gamma
    dx = (p - p.mean(1, keepdims=True) - hat * (p * hat).mean(1, keepdims=True)) / deviation
    found = gradients(dy, x, *narrow, "layer", 1)
    for one, other in zip(found, (dx, (dy * hat).sum(0), dy.sum(0, dtype=float)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=3e-5 * np.abs(other).max())


def test_gradients_of_no_rows_are_zeros() -> None:
    nothing, column = np.ones((0, 5), np.float32), np.ones((0, 1), np.float32)
    dx, dgamma, dbeta = gradients(nothing, nothing, column, column, "layer", 1)
    assert dx.shape == (0, 5)
    np.testing.assert_array_equal([dgamma, dbeta], np.zeros((2, 5)))


def test_channels_whose_squares_overflow_are_normalised() -> None:
    x = np.full((2, 3, 3, 4), 1e30, np.float32)
    x[0] = 1
    found = normalised(x, axis=0)[0]
    np.testing.assert_array_equal(found[1], np.full((3, 3, 4), 1.0))
