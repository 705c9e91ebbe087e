"""Batch normalisation with a fused pointwise epilogue, and the gradients of every normalisation.

In training the input is read twice, for statistics and for the result; in prediction once.
Gradients read dy and x twice and write dx. Fused steps add the bytes of their other operands only:
those of a gradient recompute the normalised value.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import torch

from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, target, target_like
from hy_kernels.triton._batch_formula import normalized, normalized_gradients
from hy_kernels.triton._code import inlined
from hy_kernels.triton._formula import Formula, Reduction, Step
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton._tiles import Rows, next_power, warps_for
from hy_kernels.triton.device import norm as device
from hy_kernels.triton.elementwise.pointwise import run
from hy_kernels.triton.nn.normalization.norm import normalized_backward
from hy_kernels.triton.reduce.reductions import total_of
from hy_kernels.triton.runtime._launch import launch, runs_on

_TILE = 2048  # elements
_PROGRAMS = 512  # of one launch
# Parts that a program joins: no more than a warp reads at once, as few programs are all there is.
_MAX_PARTS = 256
_VECTOR = 4  # parts of channels side by side, float32 in 16 bytes
_SUM = Formula(1, (), (), Reduction("sum", 0))
_RELU = (Step("relu", (0,)),)


class _Channels(NamedTuple):
    """Partition of a tensor ``[outer, channels, inner]`` into tiles and parts for programs."""

    rows: Rows
    high: int
    wide: int
    part: int
    parts: int

    @classmethod
    def of(cls, data: Tensor, axis: int) -> "_Channels":
        rows = Rows.of(data, axis)
        elements = rows.outer * rows.inner
        # With channels last a tile has 32 of them, 64 bytes of 16 bits, so that rows of the tile
        # are whole sectors of memory; with channels first a channel is read by itself, along its
        # planes.
        high = min(next_power(rows.columns), 32) if rows.inner == 1 else 1
        wide = min(next_power(elements), _TILE // high)
        programs = -(-rows.columns // high)
        parts = max(min(-(-elements // (4 * wide)), _PROGRAMS // max(programs, 1)), 1)
        part = -(-elements // (parts * wide)) * wide
        return cls(rows, high, wide, part, -(-elements // part))

    @property
    def grid(self) -> tuple[int, int]:
        return -(-self.rows.columns // self.high), self.parts

    @property
    def numbers(self) -> tuple[int, int, int, int]:
        rows = self.rows
        return rows.columns, rows.inner, rows.outer * rows.inner, self.part

    @property
    def constants(self) -> dict[str, int]:
        tile = self.high * self.wide
        return {"warps": warps_for(tile), "CHANNELS": self.high, "ELEMENTS": self.wide}


def _statistics(
    data: Tensor,
    moving: tuple[Tensor, Tensor],
    axis: int,
    eps: float,
    momentum: float,
    out: OutBuffers,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the means, inverse deviations, and the new moving mean and variance."""
    cut, kind = _Channels.of(data, axis), accumulator(moving[0].dtype)
    channels = cut.rows.columns
    wide = accumulator(data.dtype)
    parts = [data.new_empty((cut.parts, channels), dtype=wide) for _ in range(2)]
    launch(device.channel_statistics, cut.grid, data, *parts, *cut.numbers, **cut.constants)
    mean, inverse = (target(out, (channels,), kind, data.device, k) for k in (1, 2))
    new_mean, new_var = (torch.empty_like(mean) for _ in range(2))
    tile_parts = next_power(cut.parts)
    high = min(next_power(channels), max(_MAX_PARTS // tile_parts, _VECTOR))
    launch(
        device.channel_statistics_merged,
        (-(-channels // high),),
        *parts,
        *(each.contiguous() for each in moving),
        *(mean, inverse, new_mean, new_var),
        channels,
        cut.parts,
        cut.part,
        cut.rows.outer * cut.rows.inner,
        warps=warps_for(tile_parts * high),
        EPS=eps,
        MOMENTUM=momentum,
        PARTS=tile_parts,
        CHANNELS=high,
    )
    return mean, inverse, new_mean, new_var


def supports(data: Tensor, *others: Tensor, **_: Any) -> bool:
    """Return whether these kernels support a normalisation of the data with other operands."""
    floats = all(x.dtype.is_floating_point for x in (data, *others))
    same = data.dtype is torch.float64 or all(x.dtype is not torch.float64 for x in others)
    return floats and same and data.numel() > 0 and runs_on(data, *others)


def normalized_batch(
    arrays: Sequence[Tensor], after: tuple[Step, ...], params: Mapping[str, Any]
) -> tuple[Tensor, ...]:
    """Return the result, means, inverse deviations, and new values of the states.

    The states are gamma if it is fixed, which becomes ones, and in training the moving statistics.

    Args:
        arrays: Operands of batch normalisation, then other operands of the fused steps.
        after: Fused steps, applied to the normalised value.
        params: Parameters of batch normalisation.
    """
    data, gamma, beta, moving_mean, moving_var, *others = arrays
    out, eps, axis = params.get("out"), params["eps"], params.get("axis", 1) % data.ndim
    # MXNet writes ones over a gamma that is fixed, whatever it was.
    updates = [torch.ones_like(gamma)] if params["fix_gamma"] else []
    scale = updates[0] if updates else gamma
    data = data.contiguous()
    if params["use_global_stats"] or not params["is_train"]:
        mean = copied(moving_mean, out, 1)
        inverse = torch.rsqrt(moving_var + eps)
        inverse = copied(inverse, out, 2) if out is not None else inverse
    else:
        moving, momentum = (moving_mean, moving_var), params["momentum"]
        mean, inverse, *changed = _statistics(data, moving, axis, eps, momentum, out)
        updates += changed
    y = target_like(data, data.shape, out)
    shape = [-1 if i == axis else 1 for i in range(data.ndim)]
    vectors = [each.reshape(shape) for each in (mean, inverse, scale, beta)]
    formula = normalized(after, len(others))
    run(formula, [data, *vectors, *others], data.shape, [y])
    return y, mean, inverse, *updates


def _supports(*arrays: Tensor, **params: Any) -> bool:
    """Return :func:`supports`, but False where SyncBatchNorm returns its statistics."""
    return supports(*arrays) and not ("ndev" in params and params["output_mean_var"])


@overlay("batch_norm", "batch_norm_v1", "sync_batch_norm", supports=_supports)
def batch_norm(*arrays: Tensor, **params: Any) -> tuple[Tensor, ...]:
    """Return batch normalisation: each channel normalised, times ``gamma`` plus ``beta``."""
    return normalized_batch(arrays, (), params)


@overlay(supports=supports)
def batch_norm_with_relu(*arrays: Tensor, **params: Any) -> tuple[Tensor, ...]:
    """Return batch normalisation followed by ReLU."""
    return normalized_batch(arrays, _RELU, params)


def batch_norm_backward(
    arrays: Sequence[Tensor],
    axis: int,
    fix_gamma: bool,
    frozen: bool,
    results: Sequence[Tensor],
    beta: Tensor | None = None,
    before: tuple[Step, ...] = (),
) -> None:
    """Write the gradients to data, gamma and beta to ``results``.

    Args:
        arrays: dy, data, gamma, mean, and inverse deviation.
        axis: Axis of the channels.
        fix_gamma: Whether gamma counts as one.
        frozen: Whether the statistics are constants.
        results: Contiguous memory for the gradients.
        beta: Beta of the normalisation, needed if there are steps.
        before: Fused steps that compute the gradient of the normalised value from dy and that
            value; without steps the gradient is dy.
    """
    dy, data, gamma, mean, inverse = (x.contiguous() for x in arrays)
    dx, dgamma, dbeta = results
    cut, wide = _Channels.of(data, axis), accumulator(data.dtype)
    shape = (cut.rows.columns, cut.parts)
    parts = [data.new_empty(shape, dtype=wide) for _ in range(2)]
    scale = torch.ones_like(gamma) if fix_gamma and before else gamma
    affine = (scale, scale if beta is None else beta.contiguous())
    launch(
        device.channel_gradients,
        cut.grid,
        *(dy, data, mean, inverse, *affine, *parts),
        *cut.numbers,
        **cut.constants,
        BEFORE=inlined(before, 2) if before else None,
    )
    totals = [data.new_empty(shape[0], dtype=wide) for _ in range(2)]
    for part, total in zip(parts, totals, strict=True):
        total_of(_SUM, [part], [1], total)
    factor = inverse.to(wide) if fix_gamma else inverse.to(wide) * gamma.to(wide)
    count = cut.rows.outer * cut.rows.inner
    means = [factor if frozen else total / count for total in totals]
    spread = [-1 if i == axis else 1 for i in range(data.ndim)]
    vectors = [each.reshape(spread) for each in (factor, mean, inverse, *affine, *means)]
    run(normalized_gradients(before, frozen=frozen), [dy, data, *vectors], data.shape, [dx])
    if fix_gamma:
        dgamma.zero_()
    else:
        dgamma.copy_(totals[0])
    dbeta.copy_(totals[1])


def _supports_backward(
    dy: Tensor,
    data: Tensor,
    gamma: Tensor,
    mean: Tensor,
    deviation: Tensor,
    *,
    kind: str,
    frozen: bool,
    fix_gamma: bool,
    **_: Any,
) -> bool:
    arrays = (dy, data, gamma, mean, deviation)
    floats = all(x.dtype.is_floating_point for x in arrays)
    is_standard = floats and data.numel() > 0 and runs_on(*arrays)
    wide = data.dtype is torch.float64
    same = all((x.dtype is torch.float64) == wide for x in arrays)
    return is_standard and same and (kind == "batch" or not (frozen or fix_gamma))


@overlay(supports=_supports_backward)
def normalize_backward(
    dy: Tensor,
    data: Tensor,
    gamma: Tensor,
    mean: Tensor,
    deviation: Tensor,
    *,
    kind: str,
    axis: int,
    groups: int,
    fix_gamma: bool,
    frozen: bool,
    out: OutBuffers = None,
) -> tuple[Tensor, ...]:
    """Return the gradients to data, gamma and beta."""
    at = axis % data.ndim
    result = [target_like(x, x.shape, out, k) for k, x in enumerate((data, gamma, gamma))]
    if kind == "batch":
        batch_norm_backward((dy, data, gamma, mean, deviation), at, fix_gamma, frozen, result)
        return tuple(result)
    moves = kind == "layer" and at != data.ndim - 1
    arrays = [x.movedim(at, -1) if moves else x for x in (dy, data, mean, deviation)]
    g, x, *statistics = (each.contiguous() for each in arrays)
    count = groups if kind == "group" else data.shape[1]
    columns = data.shape[at] if kind == "layer" else prod(data.shape[1:]) // count
    dx = torch.empty_like(x) if moves else result[0]
    normalized_backward(
        g,
        x,
        columns,
        gamma.contiguous(),
        (statistics[0], statistics[1]),
        (dx, result[1], result[2]),
        by_column=kind == "layer",
    )
    if moves:
        result[0].copy_(dx.movedim(-1, at))
    return tuple(result)
