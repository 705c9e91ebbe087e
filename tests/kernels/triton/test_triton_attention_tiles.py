"""Attention takes the tiles that were measured to be the fastest, and some that are safe without.

What a GPU would say is said here: which tiles are fast. Choice, file and launches are real ones.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from hy_kernels.triton.nn.attention import dot_product as attention
from hy_kernels.triton.nn.attention._tiles import tiles_for
from hy_kernels.triton.nn.attention.dot_product import AttentionOptions, attended, attended_backward
from hy_kernels.triton.runtime import _tune
from hy_kernels.triton.runtime._launch import recorded, watched
from tests.kernels.triton.parity import DEVICE

FAST = {
    "attention_forward": (64, 64, 3),
    "attention_backward_keys": (64, 64, 2),
    "attention_backward_queries": (64, 64, 2),
}
"""Queries, keys and stages."""
KINDS = ("forward", "keys", "queries")


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A GPU that need not be there; the folder of its file."""
    monkeypatch.setenv("HY_AUTOTUNE_DIR", str(tmp_path))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "Some GPU")
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: False)

    def choose(*given: Any, device: torch.device, **named: Any) -> str:
        assert device.type == DEVICE.type
        return _tune.choose(*given, device=torch.device("cuda", 0), **named)

    monkeypatch.setattr(attention, "choose", choose)
    _tune.forget()
    yield tmp_path
    _tune.forget()


def taken(launch: Any) -> tuple[int, int, int]:
    return launch.constants["QUERIES"], launch.constants["KEYS"], launch.stages


def clock(call: Callable[[], Any]) -> float:
    with watched() as launches:
        call()
    (launch,) = launches
    return float(taken(launch) != FAST[launch.name])


def stopped(call: Callable[[], Any]) -> float:
    raise AssertionError("it is known")


def step() -> dict[str, tuple[int, int, int]]:
    """Numbers are those of the formula; the tiles of the last launch of each function."""
    generator = torch.Generator().manual_seed(1)
    q, k, v, dy = (
        torch.randn(1, 2, n, 40, generator=generator).to(DEVICE, torch.float16)
        for n in (70, 67, 67, 70)
    )
    exact = tuple(x.double().requires_grad_() for x in (q, k, v))
    wanted = torch.softmax(exact[0] @ exact[1].mT * 0.2, -1) @ exact[2]
    slopes = torch.autograd.grad(wanted, exact, dy.double())
    y, results = torch.empty_like(q), (torch.empty_like(q), torch.empty_like(k), v.clone())
    with watched() as launches:
        sums = attended(q, k, v, y, AttentionOptions(0.2))
        attended_backward(dy, (q, k, v), y, sums, results, AttentionOptions(0.2))
    for found, right in zip((y, *results), (wanted, *slopes), strict=True):
        limit = 2**-8 * max(float(right.detach().abs().max()), 1)
        torch.testing.assert_close(found.double(), right, rtol=0, atol=limit)
    return {each.name: taken(each) for each in launches if each.name in FAST}


def unmeasured() -> dict[str, tuple[int, int, int]]:
    q = torch.empty(1, 2, 70, 40, dtype=torch.float16)
    first = [AttentionOptions(0.2).tiles(q, kind)[0] for kind in KINDS]
    return dict(zip(FAST, [(x.queries, x.keys, x.stages) for x in first], strict=True))


def test_tiles_are_measured_once_and_the_next_process_reads_which(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HY_AUTOTUNE", "full")
    _tune.forget()
    monkeypatch.setattr("triton.testing.do_bench", clock)
    assert step() == FAST
    (file,) = folder.iterdir()
    ways = json.loads(file.read_text("utf-8"))["ways"]
    own = "torch.float16 wide False False none False 2x96x96x48"
    assert set(ways) == {f"attention {kind} {own}" for kind in KINDS}
    monkeypatch.setattr("triton.testing.do_bench", stopped)
    assert step() == FAST
    _tune.forget()
    for mode in ("full", "cached"):
        monkeypatch.setenv("HY_AUTOTUNE", mode)
        _tune.forget()
        assert step() == FAST


@pytest.mark.parametrize("mode", ["off", "cached"])
def test_where_nothing_is_measured_tiles_are_safe_ones(
    mode: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HY_AUTOTUNE", mode)
    _tune.forget()
    monkeypatch.setattr("triton.testing.do_bench", stopped)
    assert step() == unmeasured() != FAST
    assert not list(folder.iterdir())


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("size", [64, 128, 192, 256])
def test_products_for_a_hopper_gpu_have_the_rows_of_its_instruction(
    size: int, masked: bool
) -> None:
    for kind in KINDS:
        query = torch.empty(1, size, dtype=torch.float16)
        with recorded(90):
            found = tiles_for(query, kind, masked=masked, exact=False)
        assert found
        assert all((x.keys if kind == "keys" else x.queries) >= 64 for x in found)
        with recorded(80):
            older = tiles_for(query, kind, masked=masked, exact=False)
        assert set(found) != set(older)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_there_is_a_choice_of_16_bits_alone(kind: str, masked: bool) -> None:
    for size in (1, 64, 65, 128, 129, 256):
        query = torch.empty(1, size, dtype=torch.bfloat16)
        found = tiles_for(query, kind, masked=masked, exact=False)
        assert len({each.name for each in found}) == len(found)
        assert len(found) > 1 or 64 < size <= 128
        assert len(tiles_for(query.float(), kind, masked=masked, exact=False)) == 1
        exact = tiles_for(query.float(), kind, masked=masked, exact=True)
        assert [each.keys for each in exact] == [16]
