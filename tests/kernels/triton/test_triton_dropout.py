"""Dropout on the Triton table: of a graph that is trained, a seed is stored in place of masks."""

from typing import Any

import numpy as np
import pytest
import torch
from torch._subclasses import FakeTensorMode

from hy_gluon import nn
from hy_kernels.torch import table as torch_table
from hy_kernels.triton import TritonTable, table
from hy_kernels.triton._overlay import OVERLAYS
from hy_kernels.triton.nn.dropout import dropped, shared_runs
from hy_kernels.triton.runtime._launch import LaunchError, watched
from hy_ndarray import NDArray, autograd, nd, random
from tests.kernels.triton.parity import DEVICE, computed, on_table

HOW: dict[str, Any] = {"mode": "training", "axes": (), "cudnn_off": False, "is_train": True}


@pytest.mark.parametrize("size", [1, 1023, 1024, 1025, 5003])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_kept_elements_are_scaled_and_the_mask_says_which(dtype: torch.dtype, size: int) -> None:
    x = torch.arange(1, size + 1, device=DEVICE).remainder(100).add(1).to(dtype)
    rng = torch_table().generator(3, DEVICE)
    y, mask = computed("dropout", [x], {**HOW, "p": 0.25, "rng": rng})
    rounding = torch.finfo(dtype).eps  # of a scale and a product, each once
    assert all(abs(n - 4 / 3) <= 4 / 3 * rounding for n in mask.unique().tolist() if n)
    exact = torch.where(mask > 0, x.double() * 4 / 3, 0).to(dtype)
    torch.testing.assert_close(y, exact, rtol=rounding, atol=0)
    if size == 5003:
        assert abs(float((mask == 0).float().mean()) - 0.25) < 0.03


def test_neighbours_are_drawn_apart() -> None:
    """The four numbers of a count, and those of counts side by side, have nothing in common."""
    y = dropped(torch.ones(1 << 14, device=DEVICE), 0.5, 7) > 0
    for apart in (1, 2, 3, 4, 1024):
        same = (y[apart:] == y[:-apart]).float().mean()
        assert abs(float(same) - 0.5) < 0.02


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((6, 5, 700), (0,)),
        ((6, 700, 5), (1,)),
        ((300, 5, 7), (1, 2)),
        ((5, 3, 40, 7), (0, 2)),
        ((20, 3, 20, 7), (1, 3)),
        ((7, 3, 5), (0, 1, 2)),
        ((7, 1, 500), (1,)),
    ],
)
def test_elements_along_axes_share_a_number(shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    rng = torch_table().generator(3, DEVICE)
    x = torch.rand(shape, device=DEVICE) + 1
    with watched() as launches:
        y, mask = computed("dropout", [x], {**HOW, "axes": axes, "p": 0.5, "rng": rng})
    assert [each.name for each in launches] == ["dropped_along"]
    assert mask.shape == tuple(1 if axis in axes else n for axis, n in enumerate(shape))
    torch.testing.assert_close(y, x * mask)
    assert set(mask.unique().tolist()) <= {0.0, 2.0}
    if mask.numel() >= 300:
        assert 0.4 < float((mask == 0).float().mean()) < 0.6


def test_axes_that_take_turns_too_often_are_torchs() -> None:
    assert shared_runs((2, 3, 4, 5, 6), (1, 3)) is None
    assert shared_runs((2, 3, 4, 5, 6), (0, 2, 4)) == (3, 4, 5, 6)


def test_all_may_be_dropped() -> None:
    rng = torch_table().generator(3, DEVICE)
    y, mask = computed("dropout", [torch.ones(9, device=DEVICE)], {**HOW, "p": 1.0, "rng": rng})
    assert not y.any()
    assert not mask.any()


def slope(x: NDArray) -> Any:
    assert x.grad is not None
    return x.grad.asnumpy()


def trained(options: dict[str, Any], axes: tuple[int, ...]) -> tuple[Any, Any, list[str]]:
    with on_table("triton"):
        random.seed(5)
        net = nn.HybridSequential()
        net.add(nn.Dropout(0.5, axes=axes))
        net.initialize()
        net.hybridize(**options)
        x = nd.ones((70, 30))
        x.attach_grad()
        with autograd.record():
            net(x).backward()  # what comes again is planned
        with watched() as launches:
            with autograd.record():
                y = net(x)
            y.backward()
        return y.asnumpy(), slope(x), [each.name for each in launches]


@pytest.mark.parametrize("options", [{}, {"static_alloc": True}])
@pytest.mark.parametrize(("axes", "kernel"), [((), "dropped"), ((1,), "dropped_along")])
def test_the_gradient_draws_the_same_again_and_no_mask_is_stored(
    options: dict[str, Any], axes: tuple[int, ...], kernel: str
) -> None:
    y, dx, launches = trained(options, axes)
    np.testing.assert_array_equal(y, dx)
    assert 0.3 < (y == 0).mean() < 0.7
    assert launches == [kernel, kernel]
    y_again, *_ = trained(options, axes)
    np.testing.assert_array_equal(y, y_again)  # as the seed of the stream was the same


def test_each_call_and_each_layer_drops_something_else() -> None:
    with on_table("triton"):
        net = nn.HybridSequential()
        net.add(nn.Dropout(0.5), nn.Dropout(0.5))
        net.hybridize()
        x = nd.ones((1000,))
        x.attach_grad()
        found = []
        for _ in range(2):
            with autograd.record():
                y = net(x)
            y.backward()
            np.testing.assert_array_equal(y.asnumpy(), slope(x))
            found.append(y.asnumpy())
    assert 0.15 < (found[0] != 0).mean() < 0.35
    assert (found[0] != found[1]).any()


def test_in_prediction_nothing_is_dropped() -> None:
    with on_table("triton"):
        net = nn.Dropout(0.5)
        net.hybridize()
        np.testing.assert_array_equal(net(nd.ones((9,))).asnumpy(), np.ones(9))


def test_a_gpu_that_cannot_run_it_draws_the_same_for_the_gradient_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise LaunchError("no such instruction")

    table().find("dropout_by_seed")
    monkeypatch.setattr("hy_kernels.triton.nn.dropout.launch", fail)
    record = OVERLAYS["dropout_by_seed"].kernel(strict=False)
    x, seed = torch.ones(99, device=DEVICE), torch.tensor([9], device=DEVICE)
    with pytest.warns(RuntimeWarning, match="dropout_by_seed: torch computes it from now on"):
        y = record.function(x, seed, p=0.5)
    torch.testing.assert_close(record.function(x, seed, p=0.5), y)
    assert sorted(set(y.tolist())) == [0.0, 2.0]
    strict = TritonTable().find("dropout_by_seed")
    assert strict is not None
    with pytest.raises(LaunchError):
        strict.function(x, seed, p=0.5)


def test_what_torch_drops_by_a_seed_does_not_wait_for_it() -> None:
    """A fake tensor has no number that could be waited for."""
    below = OVERLAYS["dropout_by_seed"].below
    assert below is not None
    with FakeTensorMode():
        x, seed = torch.empty(4, 8, device="cuda"), torch.empty(1, dtype=torch.int64, device="cuda")
        assert below.function(x, seed, p=0.5, axes=(0,)).device.type == "cuda"
    x, seed = torch.ones(64, 64), torch.tensor([5])
    once, again = (below.function(x, seed, p=0.25) for _ in range(2))
    assert torch.equal(once, again)
    assert abs(float((once == 0).double().mean()) - 0.25) < 0.05
    assert set(once.unique().tolist()) == {0.0, float(torch.tensor(1 / 0.75))}
