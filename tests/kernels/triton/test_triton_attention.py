"""Attention without a matrix of scores gives what softmax and two products give."""

import pytest
import torch

from hy_kernels.torch import table as torch_table
from hy_kernels.triton import table
from hy_kernels.triton._launch import recorded, watched
from hy_kernels.triton.attention import attended, attended_backward
from tests.kernels.triton.parity import DEVICE, computed

SHAPES = [(1, 1, 1, 1, 1), (2, 3, 5, 5, 8), (1, 2, 129, 67, 33)]
TOLERANCES = {
    torch.float32: 1e-5,  # sums in another order
    torch.float16: 2**-8,  # weights and results rounded to 11 bits
    torch.bfloat16: 2**-4,  # to 8 bits, by the interpreter cut off
}


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
    log = attended(q, k, v, y, scale=size**-0.5, causal=causal, length=given)
    how = {"scale": size**-0.5, "causal": causal, "length": given}
    attended_backward(dy, (q, k, v), y, log, results, **how)
    for found, right in zip((y, *results), (wanted, *gradients), strict=True):
        limit = TOLERANCES[dtype] * max(float(right.detach().abs().max()), 1)
        torch.testing.assert_close(found.double(), right, rtol=0, atol=limit)


@pytest.mark.parametrize("with_length", [False, True])
def test_projections_side_by_side_are_read_where_they_lie(with_length: bool) -> None:
    steps, samples, heads, size = 5, 3, 2, 4
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(steps, samples, heads * 3 * size, generator=generator).to(DEVICE)
    length = torch.randint(0, steps + 1, (samples * heads, steps), generator=generator).to(DEVICE)
    given = [x, length] if with_length else [x]
    ours, theirs = (
        found.function(*given, heads=heads, with_length=with_length)
        for found in (table().find("self_attention"), torch_table().find("self_attention"))
        if found is not None
    )
    with watched() as launches:
        computed("self_attention", given, {"heads": heads, "with_length": with_length})
    assert [each.name for each in launches] == ["attention_forward"]
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_shapes_that_do_not_fit_are_told() -> None:
    q = torch.zeros(1, 1, 2, 4)
    with pytest.raises(ValueError, match=r"shapes \(1, 1, 2, 4\), \(1, 1, 3, 4\), \(1, 1, 2, 4\)"):
        attended(q, torch.zeros(1, 1, 3, 4), q, q, scale=1.0)
    with pytest.raises(ValueError, match="257 elements"):
        attended(*[torch.zeros(1, 1, 2, 257)] * 4, scale=1.0)


def test_there_may_be_more_heads_than_a_grid_s_other_axes_hold() -> None:
    q = torch.empty((4097, 16, 130, 64), dtype=torch.float16, device="meta")
    grads = (torch.empty_like(q), torch.empty_like(q), torch.empty_like(q))
    with recorded() as launches:
        log = attended(q, q, q, torch.empty_like(q), scale=1.0)
        attended_backward(q, (q, q, q), q, log, grads, scale=1.0)
    assert len(launches) == 4
    assert all(len(each.grid) == 1 and each.grid[0] >= 2 * 4097 * 16 for each in launches)
