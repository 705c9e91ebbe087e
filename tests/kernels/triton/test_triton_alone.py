"""The kernels as functions of PyTorch: values, gradients, torch.compile, and the example."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional

from examples.triton_block import Block, main
from hy_kernels.triton import functional as hy
from hy_kernels.triton.runtime._launch import watched
from tests.kernels.triton.parity import DEVICE

Function = Callable[..., torch.Tensor]


def drawn(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator).to(DEVICE)


def relu(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return functional.relu(functional.linear(x, weight, bias))


def rms(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return functional.rms_norm(x, (x.shape[-1],), weight, 1e-6)


def layer(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return functional.layer_norm(x, (x.shape[-1],), weight, bias)


def causal(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return functional.scaled_dot_product_attention(q, k, v, is_causal=True)


HIDDEN = torch.tensor([[1, 0, 1, 1], [1, 1, 1, 0]], device=DEVICE).bool()[:, None, None]
"""Of each of two batches the keys that are seen."""
ADDED = drawn(2, 5, 4)
INDEX = torch.tensor([[3, 0, 3], [3, 4, 0]], device=DEVICE)
CASES: dict[str, tuple[Function, Function, list[torch.Tensor]]] = {
    "attention": (
        lambda q, k, v: hy.attention(q, k, v, causal=True),
        causal,
        [drawn(2, 2, 5, k)[..., :3] for k in (3, 4, 5)],
    ),
    "attention of a mask that hides": (
        lambda q, k, v: hy.attention(q, k, v, mask=HIDDEN),
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, HIDDEN),
        [drawn(2, 2, 5, 3), drawn(2, 2, 4, 3), drawn(2, 2, 4, 3) + 1],
    ),
    "attention of a mask that is added": (
        lambda q, k, v: hy.attention(q, k, v, mask=ADDED, scale=0.3),
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, ADDED, scale=0.3),
        [drawn(2, 2, 5, 3), drawn(2, 2, 4, 3), drawn(2, 2, 4, 3) + 1],
    ),
    "attention of grouped queries": (
        lambda q, k, v: hy.attention(q, k, v, causal=True, scale=2.0),
        lambda q, k, v: functional.scaled_dot_product_attention(
            q, k, v, is_causal=True, scale=2.0, enable_gqa=True
        ),
        [drawn(2, 6, 5, 3), drawn(2, 2, 5, 3), drawn(2, 2, 5, 3) + 1],
    ),
    "cross_entropy": (
        lambda x: hy.cross_entropy(x, INDEX),
        lambda x: functional.cross_entropy(x.movedim(-1, 1), INDEX, reduction="none"),
        [drawn(2, 3, 7)],
    ),
    "cross_entropy of weighed classes": (
        hy.cross_entropy,
        lambda x, target: -(functional.log_softmax(x, -1) * target).sum(-1),
        [drawn(2, 3, 7), drawn(2, 3, 7)],
    ),
    "embedding": (
        lambda w: hy.embedding(INDEX, w),
        lambda w: functional.embedding(INDEX, w),
        [drawn(5, 3)],
    ),
    "layer_norm": (hy.layer_norm, layer, [drawn(4, 9), drawn(9), drawn(1, 9)[0]]),
    "linear": (hy.linear, functional.linear, [drawn(2, 3, 5), drawn(7, 5)]),
    "linear with relu": (
        lambda x, w, b: hy.linear(x, w, b, "relu"),
        relu,
        [drawn(4, 5), drawn(7, 5), drawn(7)],
    ),
    "rms_norm": (hy.rms_norm, rms, [drawn(4, 9), drawn(9)]),
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


def across(*shape: int) -> torch.Tensor:
    """A tensor whose rows are columns in memory."""
    return drawn(*shape[:-2], shape[-1], shape[-2]).mT.requires_grad_()


HEADED = [across(2, 1, 3, 4) for _ in range(3)]
SUMS = torch.ones(2, 3, 2, device=DEVICE)
OPERATORS: dict[str, tuple[Any, ...]] = {
    "attention": (*HEADED, None, 0.5, True),
    "attention with mask": (*HEADED, HIDDEN[..., :3], 0.5, False),
    "attention_backward": (HEADED[0], *HEADED, None, HEADED[0].contiguous(), SUMS, 0.5, True),
    "cross_entropy": (across(3, 4), INDEX[0]),
    "cross_entropy_backward": (drawn(3), across(3, 4), INDEX[0], SUMS[0]),
    "dropout": (across(3, 4), 0.5, 7),
    "embedding": (INDEX, across(5, 3)),
    "embedding_backward": (drawn(2, 3, 3), INDEX, across(5, 3)),
    "linear": (across(2, 4), across(3, 4), None, "tanh"),
    "linear with bias": (across(2, 4), across(3, 4), drawn(3), "relu"),
    "linear_backward": (across(2, 3), across(2, 4), across(3, 4), across(2, 3), "relu"),
    "norm": (across(2, 4), drawn(4), None, 1e-6),
    "norm with bias": (across(2, 4), drawn(4), drawn(4), 1e-6),
    "norm_backward": (across(2, 4), across(2, 4), drawn(4), *SUMS[:2, 0, :1].unbind(1) * 2, True),
    "softmax": (across(3, 4), 1),
    "softmax_backward": (across(3, 4), across(3, 4), 1),
    "soft_cross_entropy": (across(3, 4), across(3, 4)),
    "soft_cross_entropy_backward": (
        drawn(3),
        across(3, 4),
        across(3, 4),
        torch.ones(3, 3, device=DEVICE),
    ),
}


def test_torch_s_own_checks_are_of_every_operator() -> None:
    named = {
        str(name).removeprefix("hy_kernels::")
        for name in torch._C._dispatch_get_all_op_names()
        if name.startswith("hy_kernels::")
    }
    of_the_torch_table = {"rnn", "rnn_backward"}
    assert {name.split()[0] for name in OPERATORS} == named - of_the_torch_table


@pytest.mark.parametrize("name", OPERATORS)
def test_torch_s_own_checks_of_operators_pass(name: str) -> None:
    operator = getattr(torch.ops.hy_kernels, name.split(maxsplit=1)[0]).default
    given = OPERATORS[name]
    if "backward" in name:  # gradients of gradients there are none
        given = tuple(x.detach() if isinstance(x, torch.Tensor) else x for x in given)
    torch.library.opcheck(operator, given)


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


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor")  # torch's own, which it hides
def test_the_example_learns() -> None:
    first, *_, last = main()
    assert last < first


def test_a_query_that_sees_no_key_gives_zero_as_torch_s() -> None:
    q, k, v = drawn(1, 1, 2, 3), drawn(1, 1, 4, 3), drawn(1, 1, 4, 3) + 1
    mask = torch.tensor([[False] * 4, [True] * 4], device=DEVICE)
    found = hy.attention(q, k, v, mask=mask)
    expected = functional.scaled_dot_product_attention(q, k, v, mask)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_masks_and_groups_that_do_not_fit_are_named() -> None:
    q, k = drawn(2, 6, 5, 3), drawn(2, 4, 4, 3)
    with pytest.raises(ValueError, match=r"heads have to be a multiple .* key float32\(2, 4, 4, 3"):
        hy.attention(q, k, k)
    k = drawn(2, 3, 4, 3)
    with pytest.raises(ValueError, match=r"the mask has to broadcast to \(2, 6, 5, 4\).*mask bool"):
        hy.attention(q, k, k, mask=torch.ones(5, 3, device=DEVICE).bool())
    with pytest.raises(ValueError, match="the mask has no gradient: detach it"):
        hy.attention(q, k, k, mask=drawn(5, 4).requires_grad_())
    with pytest.raises(TypeError, match=r"takes one dtype .* mask float64\(5, 4\); cast them"):
        hy.attention(q, k, k, mask=drawn(5, 4).double())


@pytest.mark.parametrize("name", hy.__all__)
def test_functions_say_what_they_take(name: str) -> None:
    function = getattr(hy, name)
    assert inspect.isfunction(function)
    assert "Args:" in (function.__doc__ or "")
    kinds = [p.kind for p in inspect.signature(function).parameters.values()]
    assert inspect.Parameter.VAR_POSITIONAL not in kinds
    assert inspect.Parameter.VAR_KEYWORD not in kinds
