"""Rows of any length are read in whole vectors; neighbours are neither used nor overwritten.

Lengths are odd: each row begins at another place of a vector.
"""

import linecache
from collections.abc import Callable
from typing import Any

import pytest
import torch

from hy_kernels.triton import table
from hy_kernels.triton._tiles import Rows
from hy_kernels.triton.nn.normalization.norm import normalized_backward
from hy_kernels.triton.runtime._launch import watched
from tests.kernels.triton.parity import DEVICE

HOW: dict[str, Any] = {"axis": -1, "temperature": None, "dtype": None, "use_length": False}
COLUMNS = (257, 263, 4099, 17001)


def rows(columns: int, dtype: torch.dtype) -> torch.Tensor:
    generator = torch.Generator().manual_seed(columns)
    return torch.randn(3, columns, generator=generator).to(DEVICE, dtype)


def called(name: str, *tensors: torch.Tensor, **params: Any) -> Any:
    record = table().find(name)
    assert record is not None
    with watched() as launches:
        result = record.function(*tensors, **params)
    assert launches[0].constants["VECTOR"] == 16 // tensors[0].itemsize
    return result


def near(found: torch.Tensor, wanted: torch.Tensor) -> None:
    limit = 2e-5 if found.dtype is torch.float32 else 1e-2
    torch.testing.assert_close(found.double(), wanted.double(), rtol=limit, atol=limit)


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_softmax_and_its_gradient(dtype: torch.dtype, columns: int) -> None:
    x, dy = rows(columns, dtype), rows(columns, dtype) * 0.5
    memory = torch.full((5, columns), 7.0, dtype=dtype, device=DEVICE)
    for name, exact in (("softmax", torch.softmax), ("log_softmax", torch.log_softmax)):
        given = x.double().requires_grad_()
        wanted = exact(given, -1)
        near(called(name, x, **HOW, out=(memory[:3],)), wanted)
        assert bool((memory[3:] == 7).all()), "of other rows"
        (slope,) = torch.autograd.grad(wanted, given, dy.double())
        y = wanted.detach().to(dtype)
        near(called(f"{name}_backward", dy, y, x, axis=-1, temperature=None), slope)


@pytest.mark.parametrize("columns", COLUMNS)
def test_losses_of_classes(columns: int) -> None:
    x, label = rows(columns, torch.float32), torch.tensor([0, columns - 1, 5], device=DEVICE)
    given = x.double().requires_grad_()
    wanted = torch.log_softmax(given, -1).gather(1, label[:, None])
    how: dict[str, Any] = {"keepdims": True, "mode": "clip", "negative": False}
    y, statistics = called("log_softmax_pick", x, label, **how)
    near(y, wanted)
    dy = torch.full_like(y, 0.5)
    (slope,) = torch.autograd.grad(wanted, given, dy.double())
    near(called("log_softmax_pick_backward", dy, x, label, statistics, **how)[0], slope[0])


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_layer_norm(dtype: torch.dtype, columns: int) -> None:
    x, (gamma, beta, _) = rows(columns, dtype), rows(columns, dtype).unbind(0)
    how: dict[str, Any] = {"axis": -1, "eps": 1e-5, "output_mean_var": False}
    y, mean, deviation = called("layer_norm", x + 3, gamma, beta, **how)
    exact = (x + 3).double()
    centered = exact - exact.mean(-1, keepdim=True)
    wide = (centered.square().mean(-1, keepdim=True) + 1e-5).sqrt()
    near(y, centered / wide * gamma.double() + beta.double())
    near(mean, exact.mean(-1, keepdim=True))
    near(deviation, wide)


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_gradients_of_layer_norm(dtype: torch.dtype, columns: int) -> None:
    generator = torch.Generator().manual_seed(columns)
    x, dy = (torch.randn(11, columns, generator=generator).to(DEVICE, dtype) for _ in range(2))
    gamma = torch.randn(columns, generator=generator).to(DEVICE, dtype)
    given = [each.double().requires_grad_() for each in (x, gamma)]
    center = given[0] - given[0].mean(-1, keepdim=True)
    deviation = (center.square().mean(-1, keepdim=True) + 1e-5).sqrt()
    wanted = torch.autograd.grad(center / deviation * given[1], given, dy.double())
    mean = x.double().mean(-1, keepdim=True)
    statistics = mean.to(dtype), deviation.detach().to(dtype)
    results = torch.empty_like(x), torch.empty_like(gamma), torch.empty_like(gamma)
    with watched() as launches:
        normalized_backward(dy, x, columns, gamma, statistics, results)
    assert launches[0].constants["VECTOR"] == 16 // x.itemsize
    for found, right in zip(results, (*wanted, dy.double().sum(0)), strict=True):
        limit = (2e-5 if dtype is torch.float32 else 1e-2) * max(1, float(right.abs().max()))
        torch.testing.assert_close(found.double(), right, rtol=0, atol=limit)


@pytest.mark.parametrize("columns", [1023, 8191])
def test_tiles_of_norms_do_not_grow_for_vectors(columns: int) -> None:
    x, vector = rows(columns, torch.float32), torch.ones(columns, device=DEVICE)
    statistics = torch.zeros(3, device=DEVICE), torch.ones(3, device=DEVICE)
    results = torch.empty_like(x), torch.empty_like(vector), torch.empty_like(vector)
    with watched() as launches:
        normalized_backward(x, x, columns, vector, statistics, results)
    assert launches[0].constants["VECTOR"] == 1
    assert launches[0].constants["COLUMNS"] == columns + 1
    near(results[2], x.double().sum(0))


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("kind", ["max", "sum"])
def test_reductions_of_rows(kind: str, dtype: torch.dtype, columns: int) -> None:
    x = rows(columns, dtype)
    how: dict[str, Any] = {"axis": (1,), "keepdims": False, "exclude": False}
    record = table().find(kind)
    assert record is not None
    wanted = x.double().amax(1) if kind == "max" else x.double().sum(1)
    with watched() as launches:
        found = record.function(x[:2], **how)  # what lies behind belongs to another row
    assert "load_row" in source(launches[0])
    near(found, wanted[:2])
    x[1] = torch.nan
    near(record.function(x, **how)[::2], wanted[::2])


@pytest.mark.parametrize("change", [torch.t, lambda x: x[:, 1:]])
def test_reductions_of_other_rows_are_read_where_they_lie(
    change: Callable[[torch.Tensor], torch.Tensor],
) -> None:
    x = change(torch.arange(300.0 * 257, device=DEVICE).view(300, 257))
    record = table().find("mean")
    assert record is not None
    with watched() as launches:
        found = record.function(x, axis=(1,), keepdims=False, exclude=False)
    assert "load_row" not in source(launches[0])
    near(found, x.double().mean(1))


def source(launch: Any) -> str:
    """Code that a reduction was generated as."""
    return "".join(linecache.getlines(launch.kernel.fn.__code__.co_filename))


def _unaligned(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([x.new_zeros(1), x.flatten()])[1:].view(x.shape)


@pytest.mark.parametrize(
    ("columns", "change", "wanted"),
    [
        (257, torch.clone, {"ALIGN": 1, "VECTOR": 8}),
        (1000, torch.clone, {"ALIGN": 8, "VECTOR": 1}),
        (99, torch.clone, {"ALIGN": 1, "VECTOR": 1}),
        (257, _unaligned, {"ALIGN": 1, "VECTOR": 1}),
    ],
)
def test_tiles_begin_before_rows_where_addresses_and_lengths_ask_for_it(
    columns: int, change: Callable[[torch.Tensor], torch.Tensor], wanted: dict[str, int]
) -> None:
    x = change(torch.zeros(3, columns, dtype=torch.float16))
    assert Rows.of(x, -1).vectors(x) == wanted
