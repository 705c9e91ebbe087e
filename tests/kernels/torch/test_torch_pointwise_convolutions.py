"""Convolutions with kernels of one element are products, with the numbers that torch's have."""

from typing import Any

import pytest
import torch

from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.nn.convolution import _pointwise as pointwise, select
from tests.changed_costs import change_costs
from tests.kernels.torch.convolutions import REST, drawn, how, record

SIZES = [
    ((1, 8, 53, 49), 6, (1, 1)),
    ((1, 8, 53, 50), 6, (2, 3)),
    ((1, 8, 3000), 6, (2,)),
    ((1, 8, 14, 15, 16), 6, (1, 2, 2)),
    ((3, 4, 9, 8), 5, (1, 1)),
    ((3, 4, 9, 8), 5, (2, 2)),
    ((5, 300, 4, 4), 200, (1, 1)),
]
_CONVOLUTIONS: Any = {1: torch.conv1d, 2: torch.conv2d, 3: torch.conv3d}


@pytest.fixture(autouse=True)
def _with_a_fast_blas(monkeypatch: pytest.MonkeyPatch) -> None:
    """On every CPU; small ones are not computed sample by sample."""
    monkeypatch.setattr(select, "has_fast_blas", lambda: True)
    change_costs(monkeypatch, COSTS, convolution={"native_products": 0})


def made(shape: tuple[int, ...], filters: int) -> tuple[torch.Tensor, torch.Tensor]:
    return drawn(*shape), drawn(filters, shape[1], *(1,) * (len(shape) - 2))


@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize(("shape", "filters", "stride"), SIZES)
def test_numbers_are_torchs(shape: Any, filters: int, stride: Any, biased: bool) -> None:
    x, w = made(shape, filters)
    b = drawn(filters) if biased else None
    assert select.first(x, w, stride, (), (), 1) == "product"
    params = {"kernel": w.shape[2:], "num_filter": filters, **how(stride), **REST}
    convolution = record("convolution")
    wanted = _CONVOLUTIONS[len(stride)](x, w, b, stride)
    ways = [convolution.function(x, w, b, **params)]
    assert convolution.specialize is not None
    if (bound := convolution.specialize(None, params)) is not None:
        ways.append(bound(x, w, b))
    assert len(ways) == 1 + (len(stride) == 2)
    for found in ways:
        assert found.is_contiguous()
        torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("most", [0, 1 << 20])
@pytest.mark.parametrize(("shape", "filters", "stride"), SIZES)
def test_gradients_are_torchs(
    shape: Any, filters: int, stride: Any, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_costs(monkeypatch, COSTS, convolution={"product_gradients": most})
    x, w = (each.requires_grad_() for each in made(shape, filters))
    y = _CONVOLUTIONS[len(stride)](x, w, None, stride)
    dy = drawn(*y.shape)
    to_data, to_weight = torch.autograd.grad(y, (x, w), dy)
    x, w = x.detach(), w.detach()
    found = record("convolution_backward_data").function(dy, w, x, **how(stride))
    torch.testing.assert_close(found, to_data, rtol=1e-5, atol=1e-4)
    memory = torch.full_like(w, 7)
    found = record("convolution_backward_weight").function(dy, x, w, **how(stride), out=(memory,))
    assert found is memory
    torch.testing.assert_close(found, to_weight, rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize(
    ("shape", "filters", "kernel", "dtype"),
    [
        ((1, 8, 53, 49), 6, (1, 2), torch.float32),
        ((1, 8, 53, 49), 6, (1, 1), torch.float64),
        ((1, 8, 5, 4), 6, (1, 1), torch.float32),  # torch does these by itself
        ((2, 1024, 2, 2), 512, (1, 1), torch.float32),  # each image would read all weights
        ((0, 8, 53, 49), 6, (1, 1), torch.float32),
        ((2, 8, 53, 49), 0, (1, 1), torch.float32),
    ],
)
def test_others_are_none(shape: Any, filters: int, kernel: Any, dtype: torch.dtype) -> None:
    x, w = torch.zeros(shape, dtype=dtype), torch.zeros(filters, shape[1], *kernel, dtype=dtype)
    assert select.first(x, w, (1, 1), (), (), 1) != "product"


def test_padding_is_none() -> None:
    x, w = made((3, 4, 9, 8), 5)
    assert select.first(x, w, (1, 1), (), (0, 1), 1) != "product"


def test_a_bias_is_not_spread() -> None:
    x, w = made((3, 4, 9, 8), 5)
    with pytest.raises(ValueError, match=r"bias \(1,\) does not fit 5 filters"):
        pointwise.product_of(x, w, torch.zeros(1), (1, 1))
