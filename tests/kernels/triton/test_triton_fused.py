"""Operators that broadcast, and a reduction behind them, are one launch on the Triton table."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from hy_gluon import nn
from hy_kernels.triton import table
from hy_kernels.triton._overlay import OVERLAYS
from hy_kernels.triton.elementwise.fused import Call, FusedCalls
from hy_kernels.triton.runtime._launch import LaunchError, watched
from hy_ndarray import autograd, nd, use_kernels
from tests.kernels.triton.parity import DEVICE

Body = Callable[[Any, Any, Any], Any]


def _less_its_sum(F: Any, x: Any) -> Any:
    return F.broadcast_sub(x, F.sum(x, axis=1, keepdims=True))


BODIES: dict[str, tuple[Body, list[str]]] = {
    "sum of rows": (
        lambda F, x, row: F.sum(F.exp(F.broadcast_mul(x, row) * 0.5), axis=1),
        ["fused"],
    ),
    "sum of columns, kept": (
        lambda F, x, row: F.sum(F.broadcast_mul(F.tanh(x), row), axis=0, keepdims=True),
        ["fused"],
    ),
    "mean of all but an axis": (
        lambda F, x, row: F.mean(F.square(F.broadcast_sub(x, row)), axis=1, exclude=True),
        ["fused"],
    ),
    "largest of all": (lambda F, x, row: F.max(F.abs(F.broadcast_add(x, row))), ["fused"]),
    "smallest": (lambda F, x, row: F.min(F.broadcast_sub(row, x), axis=-1), ["fused"]),
    "operands that broadcast": (
        lambda F, x, row: F.relu(F.broadcast_add(F.broadcast_mul(x, row), row)),
        ["fused"],
    ),
    "activations": (
        lambda F, x, row: F.LeakyReLU(F.broadcast_add(x, row), act_type="gelu"),
        ["fused"],
    ),
    "sums of several": (
        lambda F, x, row: F.add_n(F.broadcast_mul(x, row), F.broadcast_add(x, row), x),
        ["fused"],
    ),
    "one operator alone": (lambda F, x, row: F.broadcast_add(x, row), ["fused"]),
    "a value that is used twice": (
        lambda F, x, row: _less_its_sum(F, F.exp(F.broadcast_mul(x, row))),
        ["fused", "fused", "fused"],
    ),
}


class Net(nn.HybridBlock):
    def __init__(self, body: Body) -> None:
        super().__init__()
        self.body = body

    def hybrid_forward(self, F: Any, x: Any, row: Any) -> Any:
        return self.body(F, x, row)


def run(name: str, body: Body, options: dict[str, Any]) -> tuple[list[Any], list[str]]:
    """Result and gradients, and what was launched for a prediction."""
    generator = np.random.default_rng(1)
    with use_kernels(name):
        net = Net(body)
        net.hybridize(**options)
        x, row = (nd.array(generator.uniform(-1, 1, s), dtype="float32") for s in ((5, 7), (1, 7)))
        with watched() as launches:
            predicted = net(x, row).asnumpy()
        for each in (x, row):
            each.attach_grad()
        with autograd.record():
            y = net(x, row)
        y.backward()
        slopes = [each.grad.asnumpy() for each in (x, row) if each.grad is not None]
    return [predicted, y.asnumpy(), *slopes], [each.name for each in launches]


@pytest.mark.parametrize("name", BODIES)
def test_they_are_one_launch_and_give_what_they_give_in_turn(name: str) -> None:
    body, kernels = BODIES[name]
    ours, launches = run("triton", body, {"static_alloc": True})
    assert launches == kernels
    wanted, _ = run("numpy", body, {})
    for mine, theirs in zip(ours, wanted, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)


def _squares(*, exclude: bool = False) -> FusedCalls:
    params = (("axis", (0,)), ("keepdims", False), ("exclude", exclude))
    steps = (Call("broadcast_sub", (0, 1), ()), Call("square", (2,), ()))
    return FusedCalls(steps, Call("mean", (3,), params), 2)


def test_where_triton_cannot_torch_computes_them_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise LaunchError("no such instruction")

    found = table().find("fused_pointwise")
    assert found is not None
    x, row = torch.arange(6.0, device=DEVICE).view(2, 3), torch.ones(1, 3, device=DEVICE)
    right = ((x - 1) ** 2).mean(0)
    torch.testing.assert_close(found.function(x, row, calls=_squares()), right)
    monkeypatch.setattr("hy_kernels.triton.elementwise.pointwise.launch", fail)
    record = OVERLAYS["fused_pointwise"].kernel(strict=False)
    with pytest.warns(RuntimeWarning, match="fused_pointwise: torch computes it from now on"):
        y = record.function(x, row, calls=_squares())
    torch.testing.assert_close(y, right)
    with pytest.raises(LaunchError):
        found.function(x, row, calls=_squares())


def test_float16_is_rounded_once() -> None:
    found = table().find("fused_pointwise")
    assert found is not None
    x = torch.full((300, 1), 200.0, device=DEVICE, dtype=torch.float16)
    zero = torch.zeros(1, 1, device=DEVICE, dtype=torch.float16)
    y = found.function(x, zero, calls=_squares())  # 40,000 times 300 is no float16
    assert y.tolist() == [40000.0]
