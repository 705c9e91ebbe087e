"""Gradients to large weights of convolutions: a product of matrices, where it is to be written."""

from typing import Any

import pytest
import torch

from hy_kernels.torch import table
from hy_kernels.torch.nn.convolution import select
from hy_kernels.torch.nn.convolution._windows import gradient_of_large

GEOMETRY = [
    ((2, 5, 4, 3), (6, 5, 3, 3), (1, 1), (1, 1), (1, 1)),
    ((2, 5, 7, 6), (6, 5, 3, 2), (2, 1), (1, 2), (0, 2)),
    ((3, 5, 4, 4), (6, 5, 1, 1), (2, 2), (1, 1), (0, 0)),
    ((1, 5, 3, 3), (6, 5, 3, 3), (1, 1), (1, 1), (0, 0)),
]
"""Images, weight, stride, dilation, pad."""


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize(("images", "shape", "stride", "dilate", "pad"), GEOMETRY)
def test_it_is_the_gradient(images: Any, shape: Any, stride: Any, dilate: Any, pad: Any) -> None:
    data, weight = drawn(*images), drawn(*shape).requires_grad_()
    y = torch.conv2d(data, weight, None, stride, pad, dilate)
    dy = drawn(*y.shape)
    y.backward(dy)
    memory = torch.full(shape, torch.nan, dtype=torch.float64)
    found = gradient_of_large(dy, data, weight.detach(), (stride, dilate, pad), (memory,))
    assert found is memory
    torch.testing.assert_close(found, weight.grad)


SQUARE, POINT = (171, 171, 3, 3), (128, 256, 1, 1)
"""Weights of 32 * 8192 elements and some more, and of 128 * 256."""


@pytest.mark.parametrize(
    ("weight", "places", "groups", "dtype", "heavy"),
    [
        (SQUARE, (8, 2, 2), 1, torch.float32, True),
        (SQUARE, (8, 2, 2), 1, torch.float64, True),
        (SQUARE, (11, 1, 3), 1, torch.float32, False),
        (SQUARE, (8, 2, 2), 3, torch.float32, False),
        (SQUARE, (8, 2, 2), 1, torch.bfloat16, False),
        (SQUARE, (0, 2, 2), 1, torch.float32, False),
        (POINT, (8, 8, 2), 1, torch.float32, True),
        (POINT, (43, 1, 3), 1, torch.float32, False),
    ],
)
def test_weights_are_heavy_by_their_elements_per_place(
    monkeypatch: pytest.MonkeyPatch,
    weight: tuple[int, int, int, int],
    places: tuple[int, int, int],
    groups: int,
    dtype: torch.dtype,
    heavy: bool,
) -> None:
    monkeypatch.setattr(select, "has_fast_blas", lambda: True)
    n, *size = places
    shapes = (n, weight[0], *size), (n, weight[1], 9, 9), weight
    dy, data, told = (torch.empty(shape, dtype=dtype) for shape in shapes)
    how = (1, 1), (1, 1), (1, 1)  # padded, as products of single images are not
    assert (select.to_weight(dy, data, told, *how, groups) == "windows") is heavy


def test_the_kernel_writes_it_where_it_is_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "to_weight", lambda *_: "windows")
    record = table().find("convolution_backward_weight")
    assert record is not None
    dy, data, weight = drawn(2, 6, 4, 3), drawn(2, 5, 4, 3), drawn(6, 5, 3, 3)
    how: dict[str, Any] = {"stride": (), "dilate": (), "pad": (1, 1), "num_group": 1}
    memory = torch.empty_like(weight)
    found = record.function(dy, data, weight, **how, layout=None, out=(memory,))
    assert found is memory
    monkeypatch.undo()
    torch.testing.assert_close(found, record.function(dy, data, weight, **how, layout=None))
