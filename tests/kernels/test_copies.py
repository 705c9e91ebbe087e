"""Copies of arrays whose axes are in another order, also into the memory that they lie in."""

from math import prod

import numpy as np
import pytest

from hy_kernels.numpy._copying import assign

SHAPES = [(3, 2, 2, 2), (64, 3), (5, 4, 3), (2, 1024, 512)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("is_same", [False, True])
def test_axes_are_exchanged(shape: tuple[int, ...], is_same: bool) -> None:
    memory = np.arange(prod(shape), dtype=np.float32)
    value = np.moveaxis(memory.reshape(shape), 1, -1) if shape[2:] else memory.reshape(shape).T
    expected = value.copy()
    target = memory.reshape(value.shape) if is_same else np.empty(value.shape, np.float32)
    assign(target, value)
    np.testing.assert_array_equal(target, expected)
