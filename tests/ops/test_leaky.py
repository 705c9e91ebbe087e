"""Leaky units are what their definition says, whatever the slope."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import NDArray, nd

DATA = np.array([[-np.inf, -2.5, -1e-45, -0.0, 0.0, 1e-45, 2.5, np.inf, np.nan]], "float32")
SLOPES = (0.25, 0.1, 1.0, 2.0, -0.5)


def by_definition(x: Any, slope: float) -> Any:
    return np.where(x > 0, x, x * np.float32(slope))


def check(y: NDArray, expected: Any) -> None:
    np.testing.assert_array_equal(y.asnumpy(), expected)


@pytest.mark.parametrize("slope", SLOPES)
def test_one_slope(slope: float) -> None:
    check(nd.LeakyReLU(nd.array(DATA), act_type="leaky", slope=slope), by_definition(DATA, slope))


@pytest.mark.parametrize("slope", SLOPES)
def test_learned_slopes(slope: float) -> None:
    y = nd.LeakyReLU(nd.array(DATA), nd.array([slope]), act_type="prelu")
    check(y, by_definition(DATA, slope))


def test_learned_slopes_of_many_kinds() -> None:
    data = np.repeat(DATA.T, len(SLOPES), axis=1)
    y = nd.LeakyReLU(nd.array(data), nd.array(SLOPES), act_type="prelu")
    for k, slope in enumerate(SLOPES):
        check(y[:, k], by_definition(data[:, k], slope))


def test_a_slope_of_zero_keeps_infinity() -> None:
    x = nd.array([-1, 1, np.inf])
    y = nd.LeakyReLU(x, nd.array([0]), act_type="prelu")
    assert y.asnumpy().tolist() == [0, 1, np.inf]
    for slope in (0, 1e-60):  # which is 0 as a float32
        y = nd.LeakyReLU(x, act_type="leaky", slope=slope)
        assert y.asnumpy().tolist() == [0, 1, np.inf]
