"""Attention of few queries by parts of the keys, beside the kernel that loops over all of them."""

from typing import Any

import pytest
import torch

from hy_kernels.triton.nn.attention import decoding, dot_product
from hy_kernels.triton.nn.attention.dot_product import AttentionOptions, attended
from hy_kernels.triton.runtime._launch import watched
from tests.kernels.triton.parity import DEVICE

BATCH, HEADS, GROUPS, QUERIES, KEYS, SIZE = 2, 4, 2, 3, 530, 12


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(DEVICE)


def lengths(least: int) -> torch.Tensor:
    """Numbers of seen keys from ``least`` on: none, a part's, and some of several parts."""
    steps = torch.arange(BATCH * HEADS * QUERIES, device=DEVICE)
    return (least + steps * 23).clamp(max=KEYS).view(BATCH * HEADS, QUERIES).to(torch.int32)


SHOWN = (drawn(BATCH, HEADS, QUERIES, KEYS, seed=9) > 0).float()
SEED = torch.tensor([7], device=DEVICE)
OPTIONS = {
    "scale": AttentionOptions(0.3),
    "causal": AttentionOptions(0.3, causal=True, ahead=KEYS - QUERIES),
    "causal from the first key": AttentionOptions(0.3, causal=True),
    "lengths": AttentionOptions(0.3, length=lengths(0)),
    "lengths and causal": AttentionOptions(0.3, causal=True, length=lengths(200), ahead=300),
    "added mask": AttentionOptions(0.3, mask=SHOWN.log(), kind="added"),
    "filled mask": AttentionOptions(0.3, mask=SHOWN, kind="where", fill=-3.0),
    "mask that multiplies, too": AttentionOptions(0.3, mask=SHOWN * 2, kind="both", fill=-9.0),
    "mask of all heads": AttentionOptions(
        0.3, mask=SHOWN[:, :1].log().expand(-1, HEADS, -1, -1), kind="added"
    ),
    "mask that hides all": AttentionOptions(
        0.3, mask=torch.full_like(SHOWN, -torch.inf), kind="added"
    ),
    "dropout": AttentionOptions(0.3, rate=0.4, seed=SEED),
}


def computed(
    options: AttentionOptions, dtype: torch.dtype, logs: bool
) -> tuple[list[torch.Tensor], list[str]]:
    """Return result and statistics, and the names of the launches."""
    query = drawn(BATCH, QUERIES, HEADS, SIZE).to(dtype).transpose(1, 2)  # heads between
    key, value = (drawn(BATCH, GROUPS, KEYS, SIZE, seed=k).to(dtype) for k in (1, 2))
    y = torch.full_like(query, 7)
    memory = torch.full((BATCH * HEADS, QUERIES), 7.0, device=DEVICE) if logs else None
    with watched() as launches:
        sums = attended(query, key, value, y, options, memory)
    return [y, sums], [each.name for each in launches]


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("logs", [True, False])
def test_results_and_statistics_are_those_of_one_loop(
    logs: bool, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, launches = computed(OPTIONS[name], torch.float32, logs)
    assert launches == ["attention_parts", "attention_merged"]
    monkeypatch.setattr(dot_product, "is_decoding", lambda *_: False)
    wanted, launches = computed(OPTIONS[name], torch.float32, logs)
    assert launches == ["attention_forward"]
    for mine, right in zip(found, wanted, strict=True):
        torch.testing.assert_close(mine, right, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("multiprocessors", [1, 4, 1000])
def test_results_do_not_depend_on_the_number_of_parts(
    multiprocessors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted, _ = computed(OPTIONS["causal"], torch.float32, logs=True)
    monkeypatch.setattr(decoding, "multiprocessors", lambda _: multiprocessors)
    monkeypatch.setattr(decoding, "_MIN_SHARE", 16)
    found, launches = computed(OPTIONS["causal"], torch.float32, logs=True)
    assert launches == ["attention_parts", *["attention_merged"] * (multiprocessors > 2)]
    for mine, right in zip(found, wanted, strict=True):
        torch.testing.assert_close(mine, right, rtol=1e-5, atol=1e-5)


def shaped(heads: int, groups: int, queries: int, keys: int, size: int) -> tuple[Any, ...]:
    """Return queries and keys of half precision without elements in memory."""
    query = torch.empty(1, heads, queries, size, dtype=torch.float16, device="meta")
    return query, torch.empty(1, groups, keys, size, dtype=torch.float16, device="meta")


def test_heads_that_share_keys_are_rows_of_one_tile() -> None:
    assert decoding.decoding_tiles(*shaped(32, 8, 1, 4096, 128))[:2] == (16, 64)
    assert decoding.decoding_tiles(*shaped(32, 1, 1, 4096, 64))[:2] == (32, 128)
    assert decoding.decoding_tiles(*shaped(128, 1, 4, 4096, 256))[:2] == (64, 32)


def test_many_queries_or_few_keys_are_left_to_tiles_of_queries() -> None:
    assert decoding.is_decoding(*shaped(4, 4, 1, 16, 64))
    assert not decoding.is_decoding(*shaped(4, 4, 1, 15, 64))
    assert not decoding.is_decoding(*shaped(4, 4, 17, 4096, 64))
    assert not decoding.is_decoding(*shaped(4, 4, 0, 4096, 64))
