"""Convolutions that are too small for oneDNN: the numbers of torch's function for all sizes."""

import itertools
from typing import Any

import pytest
import torch

from hy_kernels.torch.nn.convolution import select
from tests.kernels.torch.convolutions import REST, drawn, how, record

SIZES = list(
    itertools.product(
        [(2, 1, 6, 6), (7, 3, 5, 8)],
        [(3, 3), (1, 2)],
        [(1, 1), (2, 1)],
        [(0, 0), (1, 2)],
    )
)


@pytest.mark.parametrize(("shape", "kernel", "stride", "pad"), SIZES)
def test_numbers_are_those_of_all_sizes(shape: Any, kernel: Any, stride: Any, pad: Any) -> None:
    x, w, b = drawn(*shape), drawn(4, shape[1], *kernel), drawn(4)
    assert select.first(x, w, stride, (), pad, 1) == "small"
    params = {"kernel": kernel, "num_filter": 4, **how(stride, pad), **REST}
    wanted = torch.conv2d(x, w, b, stride, pad)
    convolution = record("convolution")
    assert convolution.specialize is not None
    bound = convolution.specialize(None, params)
    assert bound is not None
    for found in (convolution.function(x, w, b, **params), bound(x, w, b)):
        assert found.is_contiguous()
        torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(bound(x, w), torch.conv2d(x, w, None, stride, pad))


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("kernel", [(1, 1), (3, 3)])
@pytest.mark.parametrize("pad", [(), (0, 0), (1, 0)])
def test_fewer_images_than_the_minimum_are_convolved_by_torch(
    groups: int, kernel: Any, pad: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(select, "has_fast_blas", lambda: True)
    minimum = select.min_images(kernel, pad, groups)
    algorithms = {}
    for images, side in itertools.product((1, 2), (6, 200)):
        x, w = drawn(images, 2, side, side), drawn(4, 2 // groups, *kernel)
        algorithms[images, side] = select.first(x, w, (1, 1), (), pad, groups)
    for (images, _), algorithm in algorithms.items():
        assert images >= minimum or algorithm == "torch"
    assert (minimum > 2) is ({*algorithms.values()} == {"torch"})


@pytest.mark.parametrize(("shape", "kernel", "stride", "pad"), SIZES)
def test_gradients_are_those_of_all_sizes(shape: Any, kernel: Any, stride: Any, pad: Any) -> None:
    x, w = drawn(*shape).requires_grad_(), drawn(4, shape[1], *kernel).requires_grad_()
    y = torch.conv2d(x, w, None, stride, pad)
    dy = drawn(*y.shape)
    to_data, to_weight = torch.autograd.grad(y, (x, w), dy)
    x, w = x.detach(), w.detach()
    found = record("convolution_backward_data").function(dy, w, x, **how(stride, pad))
    torch.testing.assert_close(found, to_data, rtol=1e-5, atol=1e-5)
    memory = torch.full_like(w, 7)
    backward = record("convolution_backward_weight").function
    found = backward(dy, x, w, **how(stride, pad), out=(memory,))
    assert found is memory
    torch.testing.assert_close(found, to_weight, rtol=1e-5, atol=1e-4)


def test_channels_behind_the_space_are_turned() -> None:
    x, w = drawn(3, 5, 6, 2), drawn(4, 3, 3, 2)
    dy = drawn(3, 3, 4, 4)
    backward = record("convolution_backward_data").function
    found = backward(dy, w, x, **how((), (), "NHWC"))
    turned = [each.movedim(-1, 1).contiguous() for each in (dy, w, x)]
    wanted = backward(*turned, **how((), ()))
    assert found.is_contiguous()
    torch.testing.assert_close(found.movedim(-1, 1), wanted)


@pytest.mark.parametrize(
    ("data", "weight"),
    [
        (drawn(1, 3, 6, 6), drawn(4, 3, 3, 3)),  # of one sample torch decides itself
        (drawn(32, 8, 16, 16), drawn(8, 8, 3, 3)),
        (drawn(2, 3, 6, 6).double(), drawn(4, 3, 3, 3).double()),
        (drawn(2, 3, 6), drawn(4, 3, 3)),
        (drawn(2, 4, 6, 6), drawn(4, 2, 3, 3)),  # two groups
        (drawn(2, 0, 6, 6), drawn(4, 0, 3, 3)),
    ],
)
def test_others_are_not_small(data: torch.Tensor, weight: torch.Tensor) -> None:
    assert select.first(data, weight, (1, 1), (), (0, 0), 1) != "small"


def test_what_does_not_fit_is_refused() -> None:
    convolution = record("convolution").function
    params = {"kernel": (3, 3), "num_filter": 2, **how((), ()), **REST}
    with pytest.raises(RuntimeError, match="Kernel size"):
        convolution(drawn(2, 3, 2, 2), drawn(2, 3, 3, 3), drawn(2), **params)
    with pytest.raises(RuntimeError, match=r"size\[0\] == 2"):
        convolution(drawn(2, 3, 4, 4), drawn(2, 3, 3, 3), drawn(5), **params)
