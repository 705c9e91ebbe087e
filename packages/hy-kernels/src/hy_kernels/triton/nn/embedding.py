"""Embedding: rows by index, and their gradient, summed in the order of sorted indices.

Sums are float32, or float64 for float64, so that float16 and bfloat16 are rounded once however
often an index occurs.
"""

from typing import Any

import torch

from hy_kernels.torch._tensor import OutBuffers, Tensor, target, target_like
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton._tiles import next_power, warps_for
from hy_kernels.triton.device import embedding as device
from hy_kernels.triton.runtime._launch import launch, runs_on

_MAX_TILE_COLUMNS = 1 << 10  # columns of a program
_MAX_SIZE = 65535 * _MAX_TILE_COLUMNS
"""Largest number of columns: the second axis of a grid has 65535 programs at most."""

BLOCK = 64
"""Sorted positions of a block, in which one program sums the rows of an index."""
_ROWS = 4  # rows that a program reads at once


def taken(index: Tensor, weight: Tensor, y: Tensor) -> None:
    """Write ``weight[index]`` to ``y``; indices out of range are clipped.

    Args:
        index: Indices, of any shape and dtype.
        weight: ``[rows, columns]``, contiguous.
        y: Contiguous memory for the result.
    """
    rows, columns = weight.shape
    tile_columns = min(next_power(columns), _MAX_TILE_COLUMNS)
    launch(
        device.rows_taken,
        (index.numel(), -(-columns // tile_columns)),
        *(index.contiguous(), weight, y, rows, columns),
        warps=warps_for(tile_columns),
        COLUMNS=tile_columns,
    )


def added(dy: Tensor, index: Tensor, total: Tensor) -> None:
    """Write to ``total`` the sum of the rows of ``dy`` for each index, 0 for those without rows.

    Args:
        dy: ``[count, columns]``, contiguous.
        index: ``[count]``, integers within the rows of ``total``.
        total: ``[rows, columns]``, contiguous memory for the sums.
    """
    # Stable, so that rows of an index are added in their original order: results are deterministic.
    result, order = torch.sort(index.to(torch.int64), stable=True)
    total.zero_()
    count, columns = dy.shape
    tile_columns, blocks = min(next_power(columns), _MAX_TILE_COLUMNS), -(-count // BLOCK)
    keep = torch.promote_types(dy.dtype, torch.float32)
    parts = torch.empty((blocks, 2, columns), dtype=keep, device=dy.device)
    constants = {"BLOCK": BLOCK, "ROWS": _ROWS, "COLUMNS": tile_columns}
    constants["warps"] = warps_for(_ROWS * tile_columns)
    tiles = -(-columns // tile_columns)
    operands = (parts, total, count, columns)
    launch(device.rows_added, (count, tiles), result, order, dy, *operands, **constants)
    launch(device.parts_added, (max(blocks - 1, 0), tiles), result, *operands, **constants)


def _supports(data: Tensor, weight: Tensor, *, input_dim: int, output_dim: int, **_: Any) -> bool:
    is_standard = weight.dtype.is_floating_point and data.numel() > 0 and weight.numel() > 0
    fits = tuple(weight.shape) == (input_dim, output_dim) and output_dim <= _MAX_SIZE
    return is_standard and fits and runs_on(data, weight)


@overlay("embedding", "sparse_embedding", supports=_supports)
def embedding(data: Tensor, weight: Tensor, *, out: OutBuffers = None, **_: Any) -> Tensor:
    """Return a row of ``weight`` for every index."""
    y = target(out, (*data.shape, weight.shape[1]), weight.dtype, weight.device)
    taken(data, weight.contiguous(), y)
    return y


def _supports_backward(
    dy: Tensor, a: Tensor, indices: Tensor, *, axis: int, mode: str, **_: Any
) -> bool:
    first = a.ndim > 0 and axis % a.ndim == 0 and mode in ("clip", "wrap")
    is_standard = (
        dy.dtype.is_floating_point and dy.numel() > 0 and 0 < a.numel() <= _MAX_SIZE * len(a)
    )
    return first and is_standard and runs_on(dy, a, indices)


@overlay(supports=_supports_backward)
def take_backward(
    dy: Tensor,
    a: Tensor,
    indices: Tensor,
    *,
    axis: int,
    mode: str,
    sparse_grad: bool,  # storage is the caller's
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient of ``take``: each slice of ``dy`` added to the row it was taken from."""
    rows = a.shape[0]
    index = indices.reshape(-1).to(torch.int64)
    index = index.remainder(rows) if mode == "wrap" else index.clamp(0, rows - 1)
    total = target_like(a, a.shape, out)
    added(dy.reshape(index.numel(), -1).contiguous(), index, total.view(rows, -1))
    return total
