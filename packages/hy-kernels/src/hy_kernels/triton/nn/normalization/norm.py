"""Normalisation of rows (layer, group, instance, root mean square), and its gradients.

Statistics are computed in float32 (float64 for float64) from deviations, never from a difference of
squares. Float16 and bfloat16 results are rounded once.
"""

from functools import lru_cache
from math import prod
from typing import Any

import torch

from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._tensor import OutBuffers, Tensor, target_like
from hy_kernels.triton._formula import Formula, Reduction
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton._tiles import Rows, next_power, warps_for
from hy_kernels.triton.device import norm as device
from hy_kernels.triton.reduce.reductions import total_of
from hy_kernels.triton.runtime._launch import launch, runs_on

LARGEST = 1 << 13
"""Largest number of elements of a row that gradients read once."""

_TILE_COLUMNS = 1 << 12  # columns that one tile holds
# Four for each multiprocessor of an H100: parts of gamma's gradient are as many rows.
_PROGRAMS = 512  # of one launch
_SUM = Formula(1, (), (), Reduction("sum", 0))


def normalized(
    x: Tensor,
    columns: int,
    gamma: Tensor,
    beta: Tensor | None,
    eps: float,
    results: tuple[Tensor, Tensor, Tensor],
    *,
    by_column: bool = True,
    activation: str = "none",
) -> None:
    """Normalise the rows of a contiguous tensor, and write result and statistics.

    Args:
        x: The tensor, of whole rows.
        columns: Elements of a row.
        gamma: Contiguous scale of each column if ``by_column``, else of each group; row ``r`` is of
            group ``r % groups``.
        beta: Shift, as gamma; None: RMS normalisation, without mean and shift.
        eps: Added to variances.
        results: Contiguous memory for the result, the means and the deviations.
        by_column: Whether gamma and beta have an element per column.
        activation: Activation of the result: ``"none"``, ``"gelu"``, or one of ``Activation``.
    """
    rows = Rows(x.numel() // columns, columns, 1)
    grid, constants = _launch_arguments(rows, rows.vector(x, results[0]))
    launch(
        device.normalize_rows,
        grid,
        *(x, gamma, gamma if beta is None else beta, *results),
        *(rows.outer, columns, gamma.numel()),
        EPS=eps,
        BY_COLUMN=by_column,
        CENTERED=beta is not None,
        ACTIVATION=activation,
        **constants,
    )


@lru_cache(maxsize=4096)
def _launch_arguments(rows: Rows, vector: int) -> tuple[tuple[int], dict[str, Any]]:
    """Return the grid and the constants of a launch that normalises rows.

    Args:
        rows: Row layout of a contiguous tensor.
        vector: Result of :meth:`Rows.vector`.
    """
    tile_rows, tile_columns = rows.tile(vector=vector)
    whole = tile_columns >= rows.columns + vector - 1
    tile_columns = tile_columns if whole else _TILE_COLUMNS
    constants = {
        "warps": warps_for(tile_rows * tile_columns),
        "WHOLE": whole,
        "ROWS": tile_rows,
        "COLUMNS": tile_columns,
    }
    return (-(-rows.rows // tile_rows),), {**constants, **rows.alignment(vector)}


def normalized_backward(
    dy: Tensor,
    x: Tensor,
    columns: int,
    gamma: Tensor,
    statistics: tuple[Tensor, Tensor],
    results: tuple[Tensor, Tensor, Tensor],
    *,
    by_column: bool = True,
    centered: bool = True,
) -> None:
    """Write the gradients of :func:`normalized`, without an activation, to ``results``.

    Rows longer than ``LARGEST`` are read twice, and a third time for gamma and beta by column.

    Args:
        dy: Contiguous gradient of the result.
        x: Input of the normalisation.
        columns: Elements of a row.
        gamma: As for :func:`normalized`.
        statistics: Means and deviations.
        results: Contiguous memory for the gradients of x, gamma and beta.
        by_column: As for :func:`normalized`.
        centered: Whether there was a beta.
    """
    if columns > LARGEST:
        _long_backward(dy, x, columns, gamma, statistics, results, by_column, centered)
        return
    dx, dgamma, dbeta = results
    rows, tile_columns = x.numel() // columns, next_power(columns)
    layout = Rows(rows, columns, 1)
    vector = layout.vector(dy, x, dx)
    # A tile of twice the columns, for a few before the row, would hold twice the registers.
    if columns + vector - 1 > tile_columns:
        vector = 1
    programs = min(rows, _PROGRAMS)
    each = -(-rows // programs)
    programs = -(-rows // (each * vector)) * vector
    kind = accumulator(x.dtype)
    shape = (programs, columns) if by_column else (rows // gamma.numel(), gamma.numel())
    parts = [x.new_empty(shape, dtype=kind) for _ in range(2)]
    launch(
        device.normalize_rows_backward,
        (programs,),
        dy,
        x,
        gamma,
        *statistics,
        dx,
        *parts,
        rows,
        columns,
        gamma.numel(),
        each,
        warps=warps_for(tile_columns),
        BY_COLUMN=by_column,
        CENTERED=centered,
        COLUMNS=tile_columns,
        **layout.alignment(vector),
    )
    for part, result in zip(parts, (dgamma, dbeta), strict=True):
        total_of(_SUM, [part], [0], result)


def _long_backward(
    dy: Tensor,
    x: Tensor,
    columns: int,
    gamma: Tensor,
    statistics: tuple[Tensor, Tensor],
    results: tuple[Tensor, Tensor, Tensor],
    by_column: bool,
    centered: bool,
) -> None:
    """Compute :func:`normalized_backward` for rows longer than a tile."""
    dx, dgamma, dbeta = results
    rows, kind = x.numel() // columns, accumulator(x.dtype)
    vectors = Rows(rows, columns, 1).vectors(dy, x, dx)
    vector = vectors["VECTOR"]
    blocks = -(-(columns + vector - 1) // _TILE_COLUMNS)
    parts = max(min(rows, _PROGRAMS // blocks), 1) if by_column else rows // gamma.numel()
    each = -(-rows // parts)
    shape = (-(-rows // (each * vector)) * vector, columns) if by_column else (parts, gamma.numel())
    to_gamma, to_beta = (x.new_empty(shape, dtype=kind) for _ in range(2))
    launch(
        device.normalize_long_rows_backward,
        (rows,),
        *(dy, x, gamma, *statistics, dx, to_gamma, to_beta, columns, gamma.numel()),
        warps=warps_for(_TILE_COLUMNS),
        BY_COLUMN=by_column,
        CENTERED=centered,
        COLUMNS=_TILE_COLUMNS,
        **vectors,
    )
    if by_column:
        launch(
            device.normalize_long_rows_to_gamma,
            (blocks, shape[0]),
            *(dy, x, *statistics, to_gamma, to_beta, rows, columns, each),
            warps=warps_for(_TILE_COLUMNS),
            COLUMNS=_TILE_COLUMNS,
            **vectors,
        )
    for part, result in ((to_gamma, dgamma), (to_beta, dbeta)):
        total_of(_SUM, [part], [0], result)


def _supports(data: Tensor, gamma: Tensor, beta: Tensor, **_: Any) -> bool:
    own, other = data.dtype, gamma.dtype
    floats = own.is_floating_point and other.is_floating_point and beta.dtype.is_floating_point
    same = own is torch.float64 or other is not torch.float64
    return floats and same and data.numel() > 0 and runs_on(data, gamma, beta)


@overlay(supports=_supports)
def layer_norm(
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    *,
    axis: int,
    eps: float,
    output_mean_var: bool,
    out: OutBuffers = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return layer normalisation along ``axis``, with means and deviations."""
    # The kernel's rows are contiguous: another axis than the last is moved there and back.
    at = axis % data.ndim
    sizes = data.shape
    shape = (*sizes[:at], 1, *sizes[at + 1 :])
    mean, deviation = target_like(data, shape, out, 1), target_like(data, shape, out, 2)
    last = at == data.ndim - 1
    x = data.contiguous() if last else data.movedim(at, -1).contiguous()
    y = target_like(data, sizes, out, 0) if last else torch.empty_like(x)
    vectors = gamma.contiguous(), beta.contiguous()
    normalized(x, data.shape[at], *vectors, eps, (y, mean, deviation))
    return y if last else y.movedim(-1, at).contiguous(), mean, deviation


def _by_group(
    data: Tensor, gamma: Tensor, beta: Tensor, groups: int, eps: float, out: OutBuffers
) -> tuple[Tensor, Tensor, Tensor]:
    columns = prod(data.shape[1:]) // groups
    results = (
        target_like(data, tuple(data.shape), out, 0),
        target_like(data, (data.shape[0], groups), out, 1),
        target_like(data, (data.shape[0], groups), out, 2),
    )
    vectors = gamma.contiguous(), beta.contiguous()
    normalized(data.contiguous(), columns, *vectors, eps, results, by_column=False)
    return results


@overlay(supports=_supports)
def group_norm(
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    *,
    num_groups: int,
    eps: float,
    output_mean_var: bool,
    out: OutBuffers = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return group normalisation (Wu and He, 2018), with means and deviations."""
    return _by_group(data, gamma, beta, num_groups, eps, out)


@overlay(supports=_supports)
def instance_norm(
    data: Tensor, gamma: Tensor, beta: Tensor, *, eps: float, out: OutBuffers = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Return instance normalisation (Ulyanov et al., 2016), with means and deviations."""
    return _by_group(data, gamma, beta, data.shape[1], eps, out)
