"""Maxima of windows axis by axis are those of torch's own pooling, whatever the order of axes."""

from itertools import product

import numpy as np
import pytest
import torch
from torch.nn import functional

from hy_kernels.numpy import table as numpy_table
from hy_kernels.torch import table as torch_table
from hy_kernels.torch.nn._pool_axes import maxima
from hy_kernels.torch.nn._pool_windows import windows_of

GEOMETRIES = [
    each
    for each in product((1, 2, 3, 5), (1, 2, 3), (0, 1, 2), ("valid", "full"))
    if 2 * each[2] <= each[0]
]


@pytest.mark.parametrize("is_last", [False, True])
@pytest.mark.parametrize(("kernel", "stride", "pad", "convention"), GEOMETRIES)
def test_planes(kernel: int, stride: int, pad: int, convention: str, is_last: bool) -> None:
    x = torch.randn(2, 3, 7, 6, generator=torch.Generator().manual_seed(1))
    x[1, 2, 3, 3] = torch.nan
    if is_last:
        x = x.contiguous(memory_format=torch.channels_last)
    windows = windows_of((7, 6), (kernel,) * 2, (stride,) * 2, (pad,) * 2, False, convention)
    y = maxima(x, windows)
    wanted = functional.max_pool2d(x, kernel, stride, pad, ceil_mode=convention == "full")
    counts = [slice(n) for n in wanted.shape[2:]]  # torch leaves windows of borders out
    torch.testing.assert_close(y[:, :, *counts], wanted, rtol=0, atol=0, equal_nan=True)
    assert y.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()


def test_windows_that_have_no_element_in_common() -> None:
    x = torch.tensor([[[[1.0, 3.0]]]])
    windows = windows_of((1, 2), (1, 5), (1, 3), (0, 4), False, "valid")
    assert maxima(x, windows).tolist() == [[[[1, 3]]]]


@pytest.mark.parametrize("is_last", [False, True])
def test_windows_of_large_images(is_last: bool) -> None:
    x = torch.randn(2, 17, 40, 40, generator=torch.Generator().manual_seed(1))
    if is_last:
        x = x.contiguous(memory_format=torch.channels_last)
    windows = windows_of((40, 40), (3, 3), (2, 2), (1, 1), False, "valid")
    wanted = functional.max_pool2d(x, 3, 2, 1)
    torch.testing.assert_close(maxima(x, windows), wanted, rtol=0, atol=0)


@pytest.mark.parametrize("channels", [3, 20])
@pytest.mark.parametrize("zero_pad", [False, True])
@pytest.mark.parametrize(("kernel", "stride", "pad", "convention"), GEOMETRIES)
def test_gradients_go_to_the_first_of_equals_with_few_and_many_channels(
    kernel: int, stride: int, pad: int, convention: str, zero_pad: bool, channels: int
) -> None:
    draw = np.random.default_rng(2)
    data = draw.integers(-2, 2, (2, channels, 7, 6)).astype("float32")
    how = {"kernel": (kernel,) * 2, "stride": (stride,) * 2, "pad": (pad,) * 2}
    more = {"global_pool": False, "pooling_convention": convention, "layout": None}
    size = windows_of((7, 6), *how.values(), False, convention).number
    dy = draw.integers(-9, 9, (2, channels, *size)).astype("float32")
    ours, theirs = (table.find("pooling_max_backward") for table in (torch_table(), numpy_table()))
    assert ours is not None
    assert theirs is not None
    wanted = theirs.function(dy, data, **how, **more, zero_pad=zero_pad)
    tensors = torch.from_numpy(dy), torch.from_numpy(data)
    found = ours.function(*tensors, **how, **more, zero_pad=zero_pad)
    np.testing.assert_array_equal(found.numpy(), wanted)
