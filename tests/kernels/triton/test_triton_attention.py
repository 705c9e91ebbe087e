"""Attention without a matrix of scores gives what softmax and two products give."""

from typing import Any

import numpy as np
import pytest
import torch

from hy_gluon import HybridBlock
from hy_kernels.torch import table as torch_table
from hy_kernels.triton import table
from hy_kernels.triton._launch import recorded, watched
from hy_kernels.triton.attention import attended, attended_backward
from hy_ndarray import nd, use_kernels
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


class Products(HybridBlock):
    """Attention as two products with a softmax between them."""

    def __init__(self, scaled: str) -> None:
        super().__init__()
        self.scaled = scaled

    def hybrid_forward(self, F: Any, query: Any, key: Any, value: Any) -> Any:
        scores = F.batch_dot(query, key, transpose_b=True)
        if self.scaled == "*":
            scores = scores * 0.5
        elif self.scaled == "/":
            scores = scores / 4
        return F.batch_dot(F.softmax(scores), value)


@pytest.mark.parametrize("scaled", ["", "*", "/"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_two_products_and_a_softmax_are_one_step(scaled: str, dtype: str) -> None:
    rng = np.random.default_rng(1)
    arrays = [rng.uniform(-1, 1, (2, n, 8)).astype(dtype) for n in (5, 7, 7)]
    found = []
    for name in ("triton", "numpy"):
        with use_kernels(name):
            net = Products(scaled)
            net.hybridize(backend="channels_last")
            given = [nd.array(x, dtype=dtype) for x in arrays]
            net(*given)
            with watched() as launches:
                found.append(net(*given).asnumpy())
        if name == "triton":
            assert [each.name for each in launches] == ["attention_forward"]
    tolerance = TOLERANCES[getattr(torch, dtype)]
    ours, theirs = found
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("sizes", [(300, 300), (8, 6)])
def test_vectors_that_do_not_suit_stay_two_products(sizes: tuple[int, int]) -> None:
    shapes = [(2, 5, sizes[0]), (2, 7, sizes[0]), (2, 7, sizes[1])]
    with use_kernels("triton"):
        net = Products("*")
        net.hybridize(backend="channels_last")
        given = [nd.ones(shape) for shape in shapes]
        with watched() as launches:
            net(*given).asnumpy()
    assert "attention_forward" not in [each.name for each in launches]
