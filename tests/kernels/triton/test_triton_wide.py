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
from hy_kernels.triton._convolve import Geometry, by_tiles, tiles_for
from hy_kernels.triton._launch import watched
from hy_kernels.triton.attention import Weighing, attended
from hy_kernels.triton.dropout import dropped, dropped_along
from hy_kernels.triton.matmul import product
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
    pick.function(x, index, keepdims=False, mode="clip", out=(y, statistics))
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
    assert_last(y[0, -2048:], weight[-1, -2048:])


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
    attended(given[0], given[1], given[2], given[3], Weighing(0.125))
    weights = (q[-1].float() @ k.float().T * 0.125).softmax(-1)
    assert_last(y[-1], weights @ v.float())


def test_convolution() -> None:
    flat = rows()
    x, y = flat.view(ROWS, 8, 8, 64).movedim(-1, 1), reserved(ROWS, 8, 8, 8).movedim(-1, 1)
    weight = torch.randn(8, 64, 3, 3, generator=torch.Generator().manual_seed(5)).half()
    geometry = Geometry.of(weight.unsqueeze(2), (1, 1), (1, 1), (1, 1), 1)
    tiles = tiles_for(torch.float16)[0]
    by_tiles(tiles, x.unsqueeze(2), weight.unsqueeze(2), y.unsqueeze(2), geometry)
    wanted = functional.conv2d(x[-1:].float(), weight.float(), None, 1, 1)
    assert_last(y[-1:], wanted)
