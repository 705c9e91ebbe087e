"""The kernels as functions of PyTorch: values, gradients, torch.compile, and the example."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional

from examples.triton_block import Block, main
from hy_kernels.triton import functional as hy
from hy_kernels.triton._launch import watched
from tests.kernels.triton.parity import DEVICE

Function = Callable[..., torch.Tensor]


def drawn(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator).to(DEVICE)


def _relu(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return functional.relu(functional.linear(x, weight, bias))


def _rms(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return functional.rms_norm(x, (x.shape[-1],), weight, 1e-6)


def _layer(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return functional.layer_norm(x, (x.shape[-1],), weight, bias)


def _causal(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return functional.scaled_dot_product_attention(q, k, v, is_causal=True)


INDEX = torch.tensor([[3, 0, 3], [3, 4, 0]], device=DEVICE)
CASES: dict[str, tuple[Function, Function, list[torch.Tensor]]] = {
    "attention": (
        lambda q, k, v: hy.attention(q, k, v, causal=True),
        _causal,
        [drawn(2, 2, 5, k)[..., :3] for k in (3, 4, 5)],
    ),
    "cross_entropy": (
        lambda x: hy.cross_entropy(x, INDEX),
        lambda x: functional.cross_entropy(x.movedim(-1, 1), INDEX, reduction="none"),
        [drawn(2, 3, 7)],
    ),
    "embedding": (
        lambda w: hy.embedding(INDEX, w),
        lambda w: functional.embedding(INDEX, w),
        [drawn(5, 3)],
    ),
    "layer_norm": (hy.layer_norm, _layer, [drawn(4, 9), drawn(9), drawn(1, 9)[0]]),
    "linear": (hy.linear, functional.linear, [drawn(2, 3, 5), drawn(7, 5)]),
    "linear with relu": (
        lambda x, w, b: hy.linear(x, w, b, "relu"),
        _relu,
        [drawn(4, 5), drawn(7, 5), drawn(7)],
    ),
    "rms_norm": (hy.rms_norm, _rms, [drawn(4, 9), drawn(9)]),
    "softmax": (lambda x: hy.softmax(x, 1), lambda x: x.softmax(1), [drawn(2, 3, 4)]),
}


def with_gradients(function: Function, arrays: list[torch.Tensor]) -> list[torch.Tensor]:
    given = [x.detach().clone().requires_grad_() for x in arrays]
    y = function(*given)
    gradients = torch.autograd.grad(y, given, drawn(*y.shape))
    return [y.detach(), *gradients]


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_are_torch_s(name: str) -> None:
    ours, theirs, arrays = CASES[name]
    with watched() as launches:
        found = with_gradients(ours, arrays)
    assert len(launches) >= 2
    for mine, right in zip(found, with_gradients(theirs, arrays), strict=True):
        torch.testing.assert_close(mine, right, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_torch_s_own_checks_of_operators_pass(name: str) -> None:
    operators: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "softmax": (hy.softmax, (drawn(3, 4).requires_grad_(), 1)),
        "embedding": (hy.embedding, (INDEX, drawn(5, 3).requires_grad_())),
        "rms_norm": (hy._norm, (drawn(2, 4), drawn(4), None, 1e-6)),
        "linear": (hy._linear, (drawn(2, 4), drawn(3, 4), None, "tanh")),
    }
    if name in operators:
        operator, arguments = operators[name]
        torch.library.opcheck(operator, arguments, test_utils=("test_schema", "test_faketensor"))


def test_dropout_draws_the_same_for_its_gradient() -> None:
    x = torch.ones(5000, device=DEVICE, requires_grad=True)
    y = hy.dropout(x, 0.25, 7)
    (dx,) = torch.autograd.grad(y.sum(), x)
    assert torch.equal(dx, y)
    assert abs(float((y == 0).float().mean()) - 0.25) < 0.03
    assert y.unique().tolist() == pytest.approx([0.0, 4 / 3])
    assert not torch.equal(y, hy.dropout(x, 0.25, 8))


@pytest.mark.slow
def test_a_compiled_module_gives_the_same() -> None:
    torch.manual_seed(0)
    block, x = Block(8, 2).to(DEVICE), drawn(2, 3, 8)
    compiled = torch.compile(block, backend="aot_eager", fullgraph=True)
    found = with_gradients(compiled, [x])
    for mine, right in zip(found, with_gradients(block, [x]), strict=True):
        torch.testing.assert_close(mine, right)


def test_the_example_learns() -> None:
    first, *_, last = main()
    assert last < first


def test_wrong_arguments_are_told() -> None:
    with pytest.raises(ValueError, match="'swish'"):
        hy.linear(drawn(2, 3), drawn(4, 3), None, "swish")
    with pytest.raises(ValueError, match=r"weight of \(4,\)"):
        hy.rms_norm(drawn(2, 3), drawn(4))
    with pytest.raises(ValueError, match=r"rate is 1\.0"):
        hy.dropout(drawn(3), 1.0, 0)
    with pytest.raises(ValueError, match="on meta"):
        hy._check("x", torch.empty(1, device="meta"))
