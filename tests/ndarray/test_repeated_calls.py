"""A call means the same whatever was called before: parameters are read once for equal calls."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, Context, limits, nd

CLIP: Any = nd.clip
EXPAND: Any = nd.expand_dims
POOL: Any = nd.Pooling


def test_zeros_of_either_sign_are_two_numbers() -> None:
    x = nd.ones((2,))
    for scalar in (0.0, -0.0, 0.0):
        y = nd._internal._mul_scalar(x, scalar=scalar).asnumpy()
        assert np.signbit(y).all() == np.signbit(scalar)


def test_sizes_that_are_no_integers_are_refused_after_equal_ones() -> None:
    x = nd.ones((1, 1, 4, 4))
    assert POOL(x, kernel=(2, 2), stride=(2, 2)).shape == (1, 1, 2, 2)
    with pytest.raises(ArgumentError, match="kernel"):
        POOL(x, kernel=(2.0, 2.0), stride=(2, 2))


def test_an_axis_that_is_no_integer_is_refused_after_an_equal_one() -> None:
    x = nd.ones((2, 3))
    assert EXPAND(x, axis=1).shape == (2, 1, 3)
    with pytest.raises(ArgumentError, match="axis"):
        EXPAND(x, axis=1.0)


def test_parameters_by_position_by_name_and_as_lists() -> None:
    x = nd.array([[1, -2, 3]])
    for _ in range(2):
        assert CLIP(x, -1, 1).asnumpy().tolist() == [[1, -1, 1]]
        assert CLIP(x, -1, a_max=1).asnumpy().tolist() == [[1, -1, 1]]
        assert nd.transpose(x, axes=[1, 0]).shape == nd.transpose(x, (1, 0)).shape == (3, 1)
        assert nd.sum(x, axis=(0, 1)).asnumpy().tolist() == [2]
        with pytest.raises(ArgumentError, match="a_max is given twice"):
            CLIP(x, -1, 1, a_max=1)
        with pytest.raises(ArgumentError, match="at most 3"):
            CLIP(x, -1, 1, 2)


def test_a_lower_limit_holds_for_calls_that_were_allowed() -> None:
    x, most = nd.ones((1, 4)), limits.most
    assert len(nd.split(x, num_outputs=4)) == 4
    limits.most = 3
    try:
        with pytest.raises(ArgumentError, match="num_outputs"):
            nd.split(x, num_outputs=4)
    finally:
        limits.most = most


def test_a_place_by_name_text_or_scope() -> None:
    for _ in range(2):
        assert nd._internal._zeros(shape=(2,), ctx=Context("cpu", 1)).context == Context("cpu", 1)
        assert nd._internal._zeros(shape=(2,), ctx="cpu(2)").context == Context("cpu", 2)
        with Context("cpu", 3):
            assert nd._internal._zeros(shape=(2,)).context == Context("cpu", 3)


def test_inputs_by_name_and_options_without_effect() -> None:
    x = nd.array([[1, 2]])
    for _ in range(2):
        y = nd.FullyConnected(data=x, weight=x, num_hidden=1, no_bias=True, name="layer")
        assert y.asnumpy().tolist() == [[5]]
        assert nd.FullyConnected(x, x, num_hidden=1, no_bias=True).asnumpy().tolist() == [[5]]
        assert nd.relu(x, name="layer").asnumpy().tolist() == [[1, 2]]
