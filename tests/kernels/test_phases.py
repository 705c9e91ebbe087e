"""Gradients of strided convolutions to the data, phase by phase."""

import numpy as np
import pytest

from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.nn.convolution import _gradients, _phases

SIZES = [
    ((9,), (4,), (2,), (1,)),
    ((9,), (2,), (3,), (0,)),
    ((8, 9), (4, 4), (2, 2), (1, 1)),
    ((8, 9), (3, 5), (2, 3), (1, 2)),
    ((7, 11), (1, 3), (1, 2), (0, 1)),
    ((12, 12), (3, 3), (4, 4), (0, 0)),
    ((5, 6, 7), (3, 2, 4), (2, 2, 3), (1, 0, 2)),
]


@pytest.mark.parametrize(("size", "kernel", "stride", "pad"), SIZES)
@pytest.mark.parametrize("groups", [1, 2])
def test_phases_are_what_columns_add_up_to(
    size: tuple[int, ...],
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    pad: tuple[int, ...],
    groups: int,
) -> None:
    random = np.random.default_rng(0)
    windows = Windows.of(size, kernel, stride, (1,) * len(size), pad)
    back = _phases.phase_windows(windows)
    assert back is not None
    dy = random.standard_normal((2, 4 * groups, *windows.number))
    weight = random.standard_normal((4 * groups, 3, *kernel))
    found = np.full((2, 3 * groups, *size), np.nan)
    wanted = found.copy()
    _phases.backward_data(dy, weight, found, windows, back, groups)
    _gradients._scatter(dy, weight, wanted, windows, groups)
    np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.parametrize(
    ("dilate", "pad"), [(2, 1), (1, 4)], ids=["dilated", "padded by more than a part of the kernel"]
)
def test_some_windows_have_no_phases(dilate: int, pad: int) -> None:
    assert _phases.phase_windows(Windows.of((9,), (3,), (2,), (dilate,), (pad,))) is None
