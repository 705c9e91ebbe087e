"""Attention without a matrix of scores gives what softmax and two products give."""

from typing import Any

import pytest
import torch

from hy_kernels.triton import table
from hy_kernels.triton._overlay import OVERLAYS
from hy_kernels.triton._philox import drawn
from hy_kernels.triton.nn.attention import steps as attention_steps
from hy_kernels.triton.nn.attention.dot_product import AttentionOptions, attended, attended_backward
from hy_kernels.triton.runtime._launch import recorded, watched
from tests.kernels.triton.parity import DEVICE, Tolerance, computed

SHAPES = [(1, 1, 1, 1, 1), (2, 3, 5, 5, 8), (1, 2, 129, 67, 33), (1, 1, 33, 40, 136)]
NEAR = {  # of the largest number that there is
    "float32": Tolerance(0, 1e-5, "sums in another order"),
    "float16": Tolerance(0, 2**-8, "weights of values and results rounded to 11 bits"),
    "bfloat16": Tolerance(0, 2**-4, "weights of values and results rounded to 8 bits"),
}
TOLERANCES = {getattr(torch, name): each.atol for name, each in NEAR.items()}


def reference(
    arrays: tuple[torch.Tensor, ...], scale: float, causal: bool, length: torch.Tensor
) -> torch.Tensor:
    q, k, v = arrays
    scores = q @ k.mT * scale
    seen = torch.arange(k.shape[2], device=q.device) < length.view(*q.shape[:3])[..., None]
    if causal:
        seen = seen & torch.ones_like(seen).tril()
    weights = torch.softmax(scores.masked_fill(~seen, -torch.inf), -1)
    return weights.nan_to_num(0.0) @ v


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("with_length", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_results_and_gradients(
    shape: tuple[int, ...], with_length: bool, causal: bool, dtype: torch.dtype
) -> None:
    batch, heads, queries, keys, size = shape
    generator = torch.Generator().manual_seed(1)
    rows = (queries, keys, keys, queries)
    q, k, v, dy = (
        torch.randn(batch, n, heads, size, generator=generator).to(DEVICE, dtype).transpose(1, 2)
        for n in rows
    )
    length = torch.randint(0, keys + 1, (batch * heads, queries), generator=generator).to(DEVICE)
    length = length if with_length else torch.full_like(length, keys)
    exact = tuple(x.double().requires_grad_() for x in (q, k, v))
    wanted = reference(exact, size**-0.5, causal, length)
    gradients = torch.autograd.grad(wanted, exact, dy.double())
    y, given = torch.empty_like(q), length if with_length else None
    results = (torch.empty_like(q), torch.empty_like(k), torch.empty_like(v))
    options = AttentionOptions(size**-0.5, causal, given)
    attended_backward(dy, (q, k, v), y, attended(q, k, v, y, options), results, options)
    for found, right in zip((y, *results), (wanted, *gradients), strict=True):
        limit = TOLERANCES[dtype] * max(float(right.detach().abs().max()), 1)
        torch.testing.assert_close(found.double(), right, rtol=0, atol=limit)


@pytest.mark.parametrize("causal", [False, True])
def test_heads_of_queries_share_those_of_keys(causal: bool) -> None:
    generator = torch.Generator().manual_seed(1)
    q, dy = (torch.randn(2, 6, 70, 40, generator=generator).to(DEVICE) for _ in range(2))
    k, v = (torch.randn(2, 2, 67, 40, generator=generator).to(DEVICE) for _ in range(2))
    exact = tuple(x.double().requires_grad_() for x in (q, k, v))
    whole = (exact[0], *(x.repeat_interleave(3, 1) for x in exact[1:]))
    length = torch.full((12, 70), 67, device=DEVICE)
    wanted = reference(whole, 0.3, causal, length)
    gradients = torch.autograd.grad(wanted, exact, dy.double())
    y, options = torch.empty_like(q), AttentionOptions(0.3, causal)
    results = (torch.empty_like(q), torch.empty_like(k), torch.empty_like(v))
    attended_backward(dy, (q, k, v), y, attended(q, k, v, y, options), results, options)
    for found, right in zip((y, *results), (wanted, *gradients), strict=True):
        torch.testing.assert_close(found.double(), right, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("with_length", [False, True])
def test_projections_side_by_side_are_read_where_they_lie(with_length: bool) -> None:
    steps, samples, heads, size = 5, 3, 2, 4
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(steps, samples, heads * 3 * size, generator=generator).to(DEVICE)
    length = torch.randint(0, steps + 1, (samples * heads, steps), generator=generator).to(DEVICE)
    given = [x, length] if with_length else [x]
    ours, theirs = (
        found.function(*given, heads=heads, with_length=with_length)
        for found in (table().find("self_attention"), OVERLAYS["self_attention"].below)
        if found is not None
    )
    with watched() as launches:
        computed("self_attention", given, {"heads": heads, "with_length": with_length})
    assert [each.name for each in launches] == ["attention_forward"]
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_shapes_that_do_not_fit_are_told() -> None:
    q = torch.zeros(1, 1, 2, 4)
    with pytest.raises(ValueError, match=r"shapes \(1, 1, 2, 4\), \(1, 1, 3, 4\), \(1, 1, 2, 4\)"):
        attended(q, torch.zeros(1, 1, 3, 4), q, q, AttentionOptions(1.0))
    z = torch.zeros(1, 1, 2, 257)
    with pytest.raises(ValueError, match="257 elements"):
        attended(z, z, z, z, AttentionOptions(1.0))


def test_there_may_be_more_heads_than_a_grid_s_other_axes_hold() -> None:
    q = torch.empty((4097, 16, 130, 64), dtype=torch.float16, device="meta")
    grads = (torch.empty_like(q), torch.empty_like(q), torch.empty_like(q))
    with recorded() as launches:
        sums = attended(q, q, q, torch.empty_like(q), AttentionOptions(1.0))
        attended_backward(q, (q, q, q), q, sums, grads, AttentionOptions(1.0))
    assert len(launches) == 4
    assert all(len(each.grid) == 1 and each.grid[0] >= 2 * 4097 * 16 for each in launches)


MASKS = ("none", "added", "where", "both")


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("rate", [0.0, 0.3])
@pytest.mark.parametrize("mask", MASKS)
def test_masks_and_dropout_are_those_of_the_operators_in_turn(
    mask: str, rate: float, dtype: torch.dtype
) -> None:
    heads = 2 if rate else 0
    generator = torch.Generator().manual_seed(3)
    q, k, v = (torch.randn(4, n, 8, generator=generator).to(DEVICE, dtype) for n in (33, 35, 35))
    more = [torch.tensor([[35] * 26 + [0, 1, 2, 3, 4, 5, 34]] * 4, device=DEVICE)]
    if mask != "none":
        drawn_ = torch.randn(4, 33, 35, generator=generator)
        drawn_ = drawn_ if mask == "added" else (drawn_ > 0) * 1.0
        drawn_[0, :3] = 0  # of these nothing is seen, unless it is added
        more.append(drawn_.to(DEVICE, dtype))
    more += [torch.tensor([2**40 + 9], device=DEVICE)] if rate else []
    options: dict[str, Any] = {"heads": heads, "scale": 0.3, "with_length": True, "mask": mask}
    options |= {"fill": -1e4, "rate": rate}
    ours, back = (OVERLAYS[name] for name in ("attention", "attention_backward"))
    assert ours.below is not None
    assert back.below is not None
    assert ours.function is attention_steps.attention
    y, sums = ours.function(q, k, v, *more, **options)
    exact = [x.double() for x in (q, k, v)]
    wide = [x.double() if x.dtype is dtype else x for x in more]
    wanted, wanted_sums = ours.below.function(*exact, *wide, **options)
    dy = torch.randn(y.shape, generator=generator).to(DEVICE, dtype)
    slopes = back.function(dy, q, k, v, y, sums, *more, **options)
    given = (dy.double(), *exact, wanted, wanted_sums, *wide)
    right = (wanted, wanted_sums, *back.below.function(*given, **options))
    for found, each in zip((y, sums, *slopes), right, strict=True):
        limit = TOLERANCES[dtype] * max(float(each.abs().max()), 1) * 4
        torch.testing.assert_close(found.double(), each.double(), rtol=0, atol=limit)


@pytest.mark.parametrize("mask", MASKS)
def test_the_operators_in_turn_have_the_gradients_of_autograd(mask: str) -> None:
    generator = torch.Generator().manual_seed(4)
    arrays = [torch.randn(2, n, 3, generator=generator).double() for n in (5, 7, 7)]
    arrays = [x.to(DEVICE).requires_grad_() for x in arrays]
    more = [] if mask == "none" else [(torch.arange(70, device=DEVICE) % 3 > 0).view(2, 5, 7) * 1.0]
    more.append(torch.tensor([5], device=DEVICE))
    options: dict[str, Any] = {"heads": 0, "scale": 0.5, "with_length": False, "mask": mask}
    options |= {"fill": -5.0, "rate": 0.25}
    below, back = (OVERLAYS[name].below for name in ("attention", "attention_backward"))
    assert below is not None
    assert back is not None
    y, sums = below.function(*arrays, *more, **options)
    dy = torch.randn(y.shape, generator=generator).double().to(DEVICE)
    wanted = torch.autograd.grad(y, arrays, dy)
    found = back.function(
        dy, *(x.detach() for x in arrays), y.detach(), sums.detach(), *more, **options
    )
    for mine, right in zip(found, wanted, strict=True):
        torch.testing.assert_close(mine, right)


@pytest.mark.parametrize("seed", [0, 2**31 - 1])
def test_torch_draws_every_number_as_often(seed: int) -> None:
    numbers = drawn(torch.tensor([seed], device=DEVICE), (64, 64))
    assert numbers.min() >= 0
    assert numbers.max() < 1
    shares = torch.histc(numbers.cpu(), 8, 0, 1) / numbers.numel()
    torch.testing.assert_close(shares, torch.full((8,), 1 / 8), rtol=0, atol=0.02)
