"""Pointwise steps as one kernel: in turn, and as torch compiles them where that is asked for."""

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from hy_gluon import nn
from hy_kernels.torch import TorchTable, table
from hy_kernels.torch.runtime._compiled import Compiled
from hy_kernels.torch.runtime._limits import TensorLimits
from hy_ndarray import KernelError, PointwiseGroup, PointwiseStep, autograd, nd, use_kernels

pytestmark = pytest.mark.filterwarnings("ignore:Dynamo detected a call to a `functools.lru_cache`")

GROUP = PointwiseGroup(  # (x + y) * 2 and relu((x + y) * 2 - y)
    2,
    (
        PointwiseStep("broadcast_add", (0, 1), {}),
        PointwiseStep("mul_scalar", (2,), {"scalar": 2.0, "is_int": False}),
        PointwiseStep("broadcast_sub", (3, 1), {}),
        PointwiseStep("relu", (4,), {}),
    ),
    (3, 5),
    ((2, 5), "float64"),
)
COMPILED = TorchTable(compiler="aot_eager")
TABLES = pytest.mark.parametrize(
    "tested", [table(), pytest.param(COMPILED, marks=pytest.mark.slow)], ids=["in turn", "compiled"]
)


@pytest.fixture(autouse=True)
def _compiled_anew() -> Iterator[None]:
    yield
    torch.compiler.reset()


def operands() -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.linspace(-1, 1, 10, dtype=torch.float64).view(2, 5)
    return x, x.cos()


def check(results: Any) -> None:
    x, y = operands()
    doubled = (x + y) * 2
    for found, wanted in zip(results, (doubled, (doubled - y).relu()), strict=True):
        torch.testing.assert_close(found, wanted, rtol=0, atol=0)


@TABLES
def test_it_is_the_steps_in_turn(tested: TorchTable) -> None:
    kernel = tested.fuse(GROUP)
    assert kernel.name == "broadcast_add+mul_scalar+broadcast_sub+relu"
    assert isinstance(kernel.function, Compiled) == (tested is COMPILED)
    check(kernel.function(*operands()))


@TABLES
def test_results_lie_in_the_memory_that_is_given(tested: TorchTable) -> None:
    run = tested.fuse(GROUP).function
    x, y = operands()
    results = run(x, y, out=(x, y))
    assert results[0] is x
    assert results[1] is y
    check(results)
    x, y = operands()
    memory = torch.empty(30, dtype=torch.float64)  # as in an arena
    first, second, place = (memory[k : k + 10].view(2, 5) for k in (0, 10, 20))
    results = run(first.copy_(x), second.copy_(y), out=(None, place))
    assert results[1] is place
    check(results)


@pytest.mark.slow
def test_every_group_is_compiled() -> None:
    seen = []

    def backend(graph: torch.fx.GraphModule, _: Any) -> Any:
        seen.append(graph)
        return graph

    torch._dynamo.register_backend(compiler_fn=backend, name="hy_noted")
    noted = TorchTable(compiler="hy_noted")
    x, y = operands()
    for k in range(20):
        scale = PointwiseStep("mul_scalar", (2,), {"scalar": float(k), "is_int": False})
        group = PointwiseGroup(2, (GROUP.steps[0], scale), (3,), GROUP.type)
        (found,) = noted.fuse(group).function(x, y)
        torch.testing.assert_close(found, (x + y) * k)
    assert len(seen) == 20


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of inductor's own
@pytest.mark.parametrize("compiler", ["aot_eager", "inductor"])
def test_a_hybridized_block_gives_the_same(compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TensorLimits, "fusion_size", 16)
    calls = []
    call = Compiled.__call__

    def counted(self: Compiled, *tensors: Any, **how: Any) -> Any:
        calls.append(self)
        return call(self, *tensors, **how)

    monkeypatch.setattr(Compiled, "__call__", counted)

    def results(tested: TorchTable) -> list[Any]:
        with use_kernels(tested):
            block = nn.HybridLambda(lambda F, x: F.tanh(F.exp(-x * 2) + 1) * F.sigmoid(x))
            block.hybridize(static_alloc=True)
            x = nd.array(np.linspace(-1, 1, 32).reshape(4, 8))
            x.attach_grad()
            found = [block(x).asnumpy() for _ in range(3)]
            for _ in range(3):
                with autograd.record():
                    y = block(x)
                y.backward()
                assert x.grad is not None
                found += [y.asnumpy(), x.grad.asnumpy()]
            return found

    wanted = results(TorchTable())
    assert not calls
    for one, other in zip(results(TorchTable(compiler=compiler)), wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
    assert calls


@pytest.mark.slow
def test_a_compiler_that_torch_has_not_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TensorLimits, "fusion_size", 16)
    block = nn.HybridLambda(lambda F, x: F.tanh(F.exp(x) + 1))
    block.hybridize()

    def run() -> None:
        for _ in range(3):
            block(nd.ones((4, 8)))

    table = TorchTable(compiler="fastest")
    with use_kernels(table), pytest.raises(KernelError, match="Invalid backend: 'fastest'"):
        run()


@pytest.mark.slow
@pytest.mark.parametrize(("compiler", "kind"), [("", "_Fused"), ("inductor", "Compiled")])
def test_the_environment_asks_for_it(compiler: str, kind: str) -> None:
    program = """
from hy_kernels.torch import table
from tests.kernels.torch.test_torch_fusion import GROUP
print(type(table().fuse(GROUP).function).__name__)
"""
    done = subprocess.run(  # noqa: S603  # our own program
        [sys.executable, "-W", "ignore", "-c", program],
        check=True,
        timeout=120,
        capture_output=True,
        text=True,
        env={**os.environ, "HY_TORCH_COMPILE": compiler},
    )
    assert done.stdout.strip() == kind
