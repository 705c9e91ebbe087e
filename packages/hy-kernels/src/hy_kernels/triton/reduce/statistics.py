"""Moments of a tensor; sums of squares and finiteness of many tensors.

For many tensors one launch reads all of them, in blocks, and another reduces the blocks.
"""

from typing import Any

import torch

from hy_kernels.torch._tensor import OutBuffers, Tensor, target
from hy_kernels.triton._formula import Formula, Reduction, Step
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton._weights import ALL, Weights
from hy_kernels.triton.device import totals as device
from hy_kernels.triton.reduce.np_reduce import spread_of
from hy_kernels.triton.reduce.reductions import axes_of, shape_of, total_of
from hy_kernels.triton.runtime._launch import launch, runs_on

Axis = tuple[int, ...] | None
_PARTS = 1024  # partial sums
_FINITE = Formula(1, (Step("np_isfinite", (0,), (), (), "int1"),), (), Reduction("product", 1))
_ALL = Formula(1, (), (), Reduction("min", 0))


def _supports(data: Tensor, *, axes: Axis, **_: Any) -> bool:
    valid = all(-data.ndim <= i < data.ndim for i in axes or ())
    return valid and data.numel() > 0 and runs_on(data)


@overlay(supports=_supports)
def moments(
    data: Tensor, *, axes: Axis, keepdims: bool, out: OutBuffers = None
) -> tuple[Tensor, Tensor]:
    """Return mean and variance over axes."""
    selected = axes_of(axes, data.ndim)
    shape = shape_of(data.shape, selected, keepdims)
    mean, variance = (target(out, shape, data.dtype, data.device, k) for k in range(2))
    centre = spread_of(data, selected, variance)
    return mean.copy_(centre.reshape(shape)), variance


@overlay(supports=lambda data, **_: data.numel() > 0 and runs_on(data))
def all_finite(data: Tensor, *, init_output: bool, out: OutBuffers = None) -> Tensor:
    """Return 1 if every element is finite, else 0."""
    y = target(out, (1,), torch.float32, data.device)
    total_of(_FINITE, [data], range(data.ndim), y)
    return y


def _supports_many(*data: Tensor, num_arrays: int, **_: Any) -> bool:
    same = all(x.dtype is data[0].dtype for x in data) and data[0].dtype in ALL
    is_standard = len(data) == num_arrays and same and any(x.numel() for x in data)
    return is_standard and runs_on(*data)


def _block_table(data: tuple[Tensor, ...], finite: bool) -> tuple[Tensor, Tensor, int]:
    """Return the sum of squares, or finiteness, of each block; the weight table; the block size."""
    rows = [(x.contiguous(),) for x in data]
    entries, owners, constants = Weights(rows, rows, mixed=False).table()
    parts = data[0].new_empty(owners.shape, dtype=torch.float32)
    launch(
        device.block_totals,
        owners.shape,
        *(entries, owners, parts),
        FINITE=finite,
        TYPE=constants["TYPE"],
        ALIGNED=constants["ALIGNED"],
        BLOCK=constants["BLOCK"],
        warps=constants["warps"],
    )
    return parts, entries, constants["BLOCK"]


@overlay(supports=_supports_many)
def multi_sum_sq(*data: Tensor, num_arrays: int, out: OutBuffers = None) -> Tensor:
    """Return the sum of squares of each array."""
    y = target(out, (num_arrays,), torch.float32, data[0].device)
    parts, entries, block = _block_table(data, finite=False)
    launch(device.array_totals, (num_arrays,), entries, parts, y, BLOCK=block, PARTS=_PARTS)
    return y


@overlay(supports=_supports_many)
def multi_all_finite(
    *data: Tensor, num_arrays: int, init_output: bool, out: OutBuffers = None
) -> Tensor:
    """Return 1 if every element of every array is finite, else 0."""
    y = target(out, (1,), torch.float32, data[0].device)
    parts, *_ = _block_table(data, finite=True)
    total_of(_ALL, [parts], [0], y)
    return y
