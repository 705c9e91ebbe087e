"""Tensors of more than 2^31 elements: offsets in kernels have 64 bits.

They lie in memory that is reserved and never filled; of each launch the last program alone runs,
which reads and writes behind element 2^31.
"""

import mmap
from collections.abc import Callable
from math import prod
from typing import Any

import pytest
import torch
from torch.nn import functional
from triton.runtime import interpreter

from hy_kernels.triton import table
from hy_kernels.triton.device import decoding, norm as device
from hy_kernels.triton.linalg.matmul import product
from hy_kernels.triton.nn._convolve import (
    TILES as ALL_TILES,
    Convolution,
    Geometry,
    by_channel,
    by_channel_to_weight,
    by_tiles,
    by_tiles_to_weight,
)
from hy_kernels.triton.nn.attention.dot_product import AttentionOptions, attended
from hy_kernels.triton.nn.dropout import dropped, dropped_along
from hy_kernels.triton.runtime._launch import Launch, launch, watched
from tests.kernels.triton.parity import DEVICE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(DEVICE.type == "cuda", reason="a GPU's memory cannot be reserved unfilled"),
]

_NORESERVE = 0x4000  # Linux's; Python has no name for it yet
ROWS, COLUMNS = (1 << 19) + 1, 1 << 12


@pytest.fixture(autouse=True)
def _last_programs_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results are written where they are to be, so that nothing is copied back."""
    executor, builder = interpreter.GridExecutor, type(interpreter.interpreter_builder)
    whole = executor.__call__

    def call(self: Any, *args: Any, **kwargs: Any) -> None:
        grid = (*self.grid, 1, 1)[:3]
        last = tuple(n - 1 for n in grid)
        with monkeypatch.context() as patch:
            patch.setattr(builder, "set_grid_dim", lambda b, *_: setattr(b, "grid_dim", grid))
            patch.setattr(builder, "set_grid_idx", lambda b, *_: setattr(b, "grid_idx", last))
            self.grid = (1, 1, 1)
            whole(self, *args, **kwargs)

    monkeypatch.setattr(executor, "__call__", call)
    monkeypatch.setattr(executor, "_restore_args_dev", lambda *_: None)


def reserved(*shape: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
    """Zeros that take no memory until they are written."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE
    memory = mmap.mmap(-1, prod(shape) * dtype.itemsize, flags=flags)
    return torch.frombuffer(memory, dtype=dtype).view(shape)


def rows(count: int = ROWS, columns: int = COLUMNS) -> torch.Tensor:
    """Zeros but for the last row."""
    x = reserved(count, columns)
    generator = torch.Generator().manual_seed(1)
    x[-1] = torch.randn(columns, generator=generator)
    return x


def assert_last(found: torch.Tensor, wanted: torch.Tensor) -> None:
    assert wanted.count_nonzero()
    torch.testing.assert_close(found.float(), wanted.float(), rtol=2**-9, atol=2**-9)


SOFTMAX: dict[str, Any] = {"axis": -1, "temperature": None, "dtype": None, "use_length": False}
REDUCED: dict[str, Any] = {"axis": (1,), "keepdims": False, "exclude": False}
BY_ROW: dict[str, tuple[dict[str, Any], Callable[[torch.Tensor], torch.Tensor]]] = {
    "softmax": (SOFTMAX, lambda x: x.softmax(-1)),
    "log_softmax": (SOFTMAX, lambda x: x.log_softmax(-1)),
    "tanh": ({}, torch.tanh),
    "sum": (REDUCED, lambda x: x.sum(-1)),
    "max": (REDUCED, lambda x: x.amax(-1)),
}


@pytest.mark.parametrize("name", BY_ROW)
def test_of_the_last_row(name: str) -> None:
    params, theirs = BY_ROW[name]
    x = rows()
    wanted = theirs(x[-1].float())
    record = table().find(name)
    assert record is not None
    y = reserved(*((ROWS,) if wanted.ndim == 0 else (ROWS, COLUMNS)))
    with watched() as launches:
        record.function(x, **params, out=(y,))
    assert len(launches) == 1
    assert_last(y[-1][-1000:] if wanted.ndim else y[-1], wanted[-1000:] if wanted.ndim else wanted)


def test_normalisation() -> None:
    x, ones = rows(), torch.ones(COLUMNS, dtype=torch.float16)
    record = table().find("layer_norm")
    assert record is not None
    results = (reserved(ROWS, COLUMNS), reserved(ROWS, 1), reserved(ROWS, 1))
    how: dict[str, Any] = {"axis": -1, "eps": 1e-5, "output_mean_var": False}
    record.function(x, ones, ones, **how, out=results)
    assert_last(results[0][-1], functional.layer_norm(x[-1].float(), (COLUMNS,)) + 1)


def test_places_and_picks() -> None:
    x, y = rows(), reserved(ROWS, dtype=torch.float16)
    argmax, pick = (table().find(name) for name in ("argmax", "log_softmax_pick"))
    assert argmax is not None
    assert pick is not None
    argmax.function(x, axis=1, keepdims=False, out=(y,))
    assert_last(y[-1], x[-1].argmax().half())
    index, statistics = reserved(ROWS, dtype=torch.int32), reserved(ROWS, 2, dtype=torch.float32)
    index[-1] = 7
    pick.function(x, index, keepdims=False, mode="clip", negative=False, out=(y, statistics))
    assert_last(y[-1], x[-1].float().log_softmax(-1)[7])


def test_dropout() -> None:
    x, y = rows(), reserved(ROWS, COLUMNS)
    dropped(x, 0.5, 3, y)
    found, given = y[-1, -1024:], x[-1, -1024:]
    assert 0.4 < float((found == 0).float().mean()) < 0.6
    assert torch.equal(found[found != 0], 2 * given[found != 0])


def test_dropout_of_columns() -> None:
    x, y, runs = rows(), reserved(ROWS, COLUMNS), (COLUMNS, 1, 1, 1)
    dropped_along(x, 0.5, 3, runs, y)
    of_a_row = dropped_along(torch.ones(COLUMNS), 0.5, 3, runs)
    assert_last(y[-1, -1024:], x[-1, -1024:] * of_a_row[-1024:])


def test_rows_of_a_large_weight() -> None:
    weight, index = rows(), torch.tensor([ROWS - 1])
    record = table().find("embedding")
    assert record is not None
    y = record.function(index, weight, input_dim=ROWS, output_dim=COLUMNS)
    assert_last(y[0, -1024:], weight[-1, -1024:])


def test_products() -> None:
    x, b = rows(), torch.randn(COLUMNS, 16, generator=torch.Generator().manual_seed(2)).half()
    y = reserved(ROWS, 16)
    product(x, b, y=y)
    assert_last(y[-1], x[-1].float() @ b.float())


def test_attention() -> None:
    q = rows((1 << 25) + 1, 64)
    k, v = (torch.randn(16, 64, generator=torch.Generator().manual_seed(n)).half() for n in (3, 4))
    y = reserved(*q.shape)
    given = [each[None, None] for each in (q, k, v, y)]
    attended(given[0], given[1], given[2], given[3], AttentionOptions(0.125))
    weights = (q[-1].float() @ k.float().T * 0.125).softmax(-1)
    assert_last(y[-1], weights @ v.float())


def test_attention_of_a_token() -> None:
    batch, keys = 513, (1 << 16) + 64
    q = torch.randn(batch, 1, 1, 64, generator=torch.Generator().manual_seed(5)).half()
    k, v = (reserved(batch, 1, keys, 64) for _ in range(2))
    for x in (k, v):
        x[-1, :, -16:] = torch.randn(16, 64, generator=torch.Generator().manual_seed(6)).half()
    y, mask = torch.zeros_like(q), torch.zeros(1, 1, 1, keys)
    mask[..., :-16] = -torch.inf
    shown = mask.expand(batch, 1, 1, keys)
    with watched() as launches:
        attended(q, k, v, y, AttentionOptions(0.125, mask=shown, kind="added"))
    assert [each.name for each in launches] == ["attention_parts"]
    weights = (q[-1, 0].float() @ k[-1, 0, -16:].float().T * 0.125).softmax(-1)
    assert_last(y[-1, 0], weights @ v[-1, 0, -16:].float())


def test_merge_of_the_parts_of_attention() -> None:
    parts, size = 64, 64
    values = reserved(ROWS, parts, size, dtype=torch.float32)
    peaks, y = reserved(ROWS, 2, parts, dtype=torch.float32), reserved(1, ROWS, 1, size)
    values[-1] = torch.randn(parts, size, generator=torch.Generator().manual_seed(7))
    peaks[-1, 0] = torch.arange(float(parts)) / 16
    peaks[-1, 1] = 1
    sums = reserved(ROWS, 1, dtype=torch.float32)
    launch(
        decoding.attention_merged,
        (ROWS,),
        *(values, peaks, y, sums, ROWS, 1, size, *y.stride()[:3]),
        LOGS=True,
        PARTS=parts,
        SIZE=size,
    )
    weights = torch.exp2(peaks[-1, 0]) / torch.exp2(peaks[-1, 0]).sum()
    assert_last(y[0, -1, 0], weights @ values[-1])


def test_convolution() -> None:
    flat = rows()
    x, y = flat.view(ROWS, 8, 8, 64).movedim(-1, 1), reserved(ROWS, 8, 8, 8).movedim(-1, 1)
    weight = torch.randn(8, 64, 3, 3, generator=torch.Generator().manual_seed(5)).half()
    a, b, c = (each.unsqueeze(2) for each in (x, weight, y))
    geometry = Geometry.of(b.shape, (1, 1), (1, 1), (1, 1), 1)
    by_tiles(ALL_TILES[0], Convolution.of(a, b, c, geometry), a, b, c)
    wanted = functional.conv2d(x[-1:].float(), weight.float(), None, 1, 1)
    assert_last(y[-1:], wanted)


IMAGES = (1 << 19) + 1
"""Of 64 by 64 elements of one channel: every place is a row of a product."""


def last_image(*shape: int) -> torch.Tensor:
    """Images that are zeros but for the last one."""
    return rows(shape[0], prod(shape[1:])).view(shape)


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(5)).half()


ONE = Geometry.of((1, 1, 1, 3, 3), (1, 1), (1, 1), (1, 1), 1)
TILES = ALL_TILES[0]


@pytest.mark.parametrize("back", [False, True])
def test_convolution_of_one_channel(back: bool) -> None:
    x, y = last_image(IMAGES, 1, 1, 64, 64), reserved(IMAGES, 1, 1, 64, 64)
    weight = drawn(1, 1, 1, 3, 3)
    by_tiles(TILES, Convolution.of(x, weight, y, ONE, back=back), x, weight, y)
    convolve = functional.conv_transpose2d if back else functional.conv2d
    wanted = convolve(x[-1:, 0].float(), weight[:, 0].float(), None, 1, 1)
    assert_last(y[-1, 0, 0, -1], wanted[0, 0, -1])  # the last program has one row of the image


def last_part(call: Callable[[], Any], k: int) -> tuple[torch.Tensor, Launch]:
    """What the last program of a call's first launch gives its argument ``k``; and the launch."""
    with watched() as launches:
        call()
    memory: torch.Tensor = launches[0].arguments[k]
    return memory, launches[0]


@pytest.mark.parametrize("channels", [1, 2])
def test_gradients_to_weights(channels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hy_kernels.triton.nn._convolve._parts", lambda *_: ((IMAGES - 1) << 12, 2))
    images = IMAGES
    dy, x = (last_image(images, channels, 1, 64, 64) for _ in range(2))
    weight = drawn(channels, 1, 1, 3, 3)
    geometry = Geometry.of(weight.shape, (1, 1), (1, 1), (1, 1), channels)
    problem = Convolution.of(x, weight, dy, geometry)
    if channels > 1:
        found, _ = last_part(lambda: by_channel_to_weight(problem, dy, x), 2)
    else:
        found, _ = last_part(lambda: by_tiles_to_weight(TILES, problem, dy, x), 2)
    wanted = torch.nn.grad.conv2d_weight(
        x[-1:, :, 0].float(), weight[:, :, 0].shape, dy[-1:, :, 0].float(), 1, 1, 1, channels
    )
    assert_last(found[-1][-1, -1, -1, -1, -1], wanted[-1, -1, -1, -1])  # the last program's tap


def test_convolution_by_channel() -> None:
    x, y = last_image(IMAGES // 2, 2, 1, 64, 64), reserved(IMAGES // 2, 2, 1, 64, 64)
    weight = drawn(2, 1, 1, 3, 3)
    geometry = Geometry.of(weight.shape, (1, 1), (1, 1), (1, 1), 2)
    by_channel(Convolution.of(x, weight, y, geometry), x, weight, y)
    wanted = functional.conv2d(x[-1:, :, 0].float(), weight[:, :, 0].float(), None, 1, 1, 1, 2)
    assert_last(y[-1, -1, 0, -4:], wanted[0, -1, -4:])


POOL: dict[str, Any] = {"kernel": (3, 3), "stride": (1, 1), "pad": (1, 1), "layout": None}
POOL |= {"global_pool": False, "pooling_convention": "valid"}
SEEN: dict[str, Any] = {"cudnn_off": False, "p_value": None, "count_include_pad": True}
BACK: dict[str, dict[str, Any]] = {
    "max": {"zero_pad": False},
    "sum": {"pool_type": "avg", "count_include_pad": True},
}


@pytest.mark.parametrize("kind", BACK)
def test_pooling_and_its_gradient(kind: str) -> None:
    x = last_image(IMAGES, 1, 64, 64)
    given = x[-1:].float().requires_grad_()
    pool, back = (table().find(name) for name in ("pooling", f"pooling_{kind}_backward"))
    assert pool is not None
    assert back is not None
    pooled = functional.max_pool2d if kind == "max" else functional.avg_pool2d
    wanted = pooled(given, 3, 1, 1)
    y = pool.function(x, **POOL, **SEEN, pool_type="max" if kind == "max" else "avg")
    assert_last(y[-1, 0, -4:], wanted[0, 0, -4:].detach())  # a program has four rows of an image
    (slope,) = torch.autograd.grad(wanted, given, x[-1:].float())
    dx = back.function(x, x, **POOL, **BACK[kind])
    assert_last(dx[-1, 0, -2:], slope[0, 0, -2:])


def test_batch_normalisation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hy_kernels.triton.nn.normalization.batch_norm._PROGRAMS", 1 << 17)
    x = last_image(IMAGES, 1, 64, 64)
    vector = torch.ones(1)
    how: dict[str, Any] = {"eps": 1e-5, "momentum": 0.9, "fix_gamma": False, "axis": 1}
    how |= {"use_global_stats": False, "is_train": True}
    norm, back = (table().find(name) for name in ("batch_norm", "normalize_backward"))
    assert norm is not None
    assert back is not None
    means, first = last_part(lambda: norm.function(x, *[vector] * 4, **how), 1)
    whole = first.arguments[6]
    part = x.numel() - whole * (len(means) - 1)
    assert_last(means[-1, 0], x.view(-1)[-part:].float().mean())
    slope: dict[str, Any] = {"kind": "batch", "axis": 1, "groups": 1, "fix_gamma": False}
    slope |= {"frozen": False}
    found, _ = last_part(lambda: back.function(x, x, *[vector] * 3, **slope), 6)
    tail = x.view(-1)[-part:].float()
    assert_last(found[0, -1], (tail * (tail - 1)).sum())


def test_gradients_of_normalisation() -> None:
    x, ones = rows(), torch.ones(COLUMNS, dtype=torch.float16)
    back = table().find("normalize_backward")
    assert back is not None
    how: dict[str, Any] = {"kind": "layer", "axis": -1, "groups": 1}
    how |= {"fix_gamma": False, "frozen": False}
    mean, deviation = (torch.full((ROWS, 1), float(n)) for n in (0, 1))
    dx = reserved(ROWS, COLUMNS)
    back.function(x, x, ones, mean, deviation, **how, out=(dx, None, None))
    y, dy = x[-1].float(), x[-1].float()
    assert_last(dx[-1], dy - y * (dy * y).mean() - dy.mean())


def test_gradient_to_gamma_of_a_row() -> None:
    x = rows()
    parts = [reserved(ROWS, COLUMNS, dtype=torch.float32) for _ in range(2)]
    launch(
        device.normalize_long_rows_to_gamma,
        (ROWS, 1),
        *(x, x, torch.zeros(1), torch.ones(1), *parts, 1, x.numel(), 1),
        COLUMNS=COLUMNS,
        ALIGN=1,
        VECTOR=1,
    )
    assert_last(parts[0][-1], x[-1].float().square())
