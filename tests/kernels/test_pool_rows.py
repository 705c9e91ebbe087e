"""Pooling along the last axis, where the rows of planes are combined as one."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.nn.pool import pooling, pooling_sum_backward

SIZES = [(5, 6), (6, 5), (8, 8), (9, 12)]


def _windows(kernel: int, stride: int, pad: int, pool_type: str) -> dict[str, Any]:
    return {
        "kernel": (kernel, kernel),
        "stride": (stride, stride),
        "pad": (pad, pad),
        "pool_type": pool_type,
        "global_pool": False,
        "pooling_convention": "valid",
        "p_value": None,
        "count_include_pad": True,
        "layout": None,
        "cudnn_off": False,
    }


def _expected(x: Array, kernel: int, stride: int, pad: int, ufunc: np.ufunc) -> Array:
    outside = -np.inf if ufunc is np.maximum else 0
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=outside)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), (2, 3))
    result: Array = ufunc.reduce(windows[:, :, ::stride, ::stride], (4, 5))
    return result


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("ufunc", [np.maximum, np.add])
def test_windows_read_only_their_own_row(size: tuple[int, int], ufunc: np.ufunc) -> None:
    x = np.random.default_rng(0).integers(-9, 10, (1, 3, *size)).astype(np.float32)
    x[0, 1, :, 0] = 100  # which must not reach the ends of other rows
    for kernel, stride in product((2, 3, 4, 5), (1, 2, 3)):
        for pad in range(kernel // 2 + 1):
            params = _windows(kernel, stride, pad, "max" if ufunc is np.maximum else "sum")
            np.testing.assert_array_equal(
                pooling(x, **params), _expected(x, kernel, stride, pad, ufunc)
            )


@pytest.mark.parametrize("size", SIZES)
def test_gradients_of_sums_reach_only_their_own_row(size: tuple[int, int]) -> None:
    random = np.random.default_rng(0)
    x = random.integers(-9, 10, (2, 3, *size)).astype(np.float32)
    for kernel, stride in product((2, 3, 4, 5), (1, 2)):
        params = _windows(kernel, stride, kernel // 2, "sum")
        y = pooling(x, **params)
        dy = random.integers(-9, 10, y.shape).astype(np.float32)
        dx = pooling_sum_backward(dy, x, **params)
        assert (dx * x).sum() == (dy * y).sum()
