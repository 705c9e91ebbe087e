"""Softmax with a label for each row: losses, and their gradients in one pass.

``softmax_cross_entropy`` keeps no probabilities in memory; its gradient recomputes them.
``SoftmaxOutput`` returns them, and its gradient reads them. 16-bit floats are computed in float32
and rounded once.
"""

from typing import Any

import torch

from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._tensor import OutBuffers, Tensor, target, target_like
from hy_kernels.torch.nn.loss import with_classes_on_axis_1
from hy_kernels.triton._formula import Formula, Reduction, Step, literal
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton._tiles import Rows, warps_for
from hy_kernels.triton._weights import numbers_on
from hy_kernels.triton.device import softmax as device
from hy_kernels.triton.elementwise.pointwise import run
from hy_kernels.triton.nn.softmax import picked, softmax_along
from hy_kernels.triton.reduce.reductions import total_of
from hy_kernels.triton.runtime._launch import launch, runs_on

_BLOCK = 1024  # elements of a program
_TILE_COLUMNS = 1 << 12  # columns that one tile holds
_INT32_ELEMENTS = 1 << 31  # elements that 32-bit offsets reach
_LOSSES = Formula(1, (Step("negative", (0,)),), (), Reduction("sum", 1))


def _supports(data: Tensor, label: Tensor, **_: Any) -> bool:
    return data.dtype.is_floating_point and data.numel() > 0 and runs_on(data, label)


@overlay(supports=_supports)
def softmax_cross_entropy(data: Tensor, label: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return the sum of ``-log softmax(data)`` at the labels; invalid labels count 0."""
    y = target(out, (1,), data.dtype, data.device)
    # Rows are added up by a launch of its own, in a fixed order: atomic additions would end in
    # other last bits in each run.
    logarithms = data.new_empty(len(data), dtype=accumulator(data.dtype))
    picked(data, label, logarithms, data.new_empty((len(data), 2), dtype=logarithms.dtype), "none")
    total_of(_LOSSES, [logarithms], [0], y)
    return y


@overlay(
    supports=lambda dy, data, label, **_: _supports(data, label) and dy.numel() == 1 and runs_on(dy)
)
def softmax_cross_entropy_backward(
    dy: Tensor, data: Tensor, label: Tensor, *, out: OutBuffers = None
) -> Tensor:
    """Return ``dy (softmax(data) - one_hot(label))``."""
    dx, rows = target_like(data, data.shape, out), Rows.of(data, 1)
    x = data.contiguous()
    vectors = rows.vectors(x, dx)
    tile_rows, tile_columns = rows.tile(1 << 13, vectors["VECTOR"])
    whole = tile_columns >= rows.columns + vectors["VECTOR"] - 1
    tile_columns = tile_columns if whole else _TILE_COLUMNS
    launch(
        device.softmax_rows_less_labels,
        (-(-rows.rows // tile_rows),),
        *(x, label.contiguous(), dy, dx, rows.rows, rows.columns),
        warps=warps_for(tile_rows * tile_columns),
        **vectors,
        WHOLE=whole,
        ROWS=tile_rows,
        COLUMNS=tile_columns,
    )
    return dx


@overlay(supports=_supports)
def softmax_output(
    data: Tensor,
    label: Tensor,  # the gradient's
    *,
    multi_output: bool,
    preserve_shape: bool,
    out: OutBuffers = None,
    **_: Any,
) -> Tensor:
    """Return the softmax over the classes of each sample."""
    rows = with_classes_on_axis_1(data, multi_output, preserve_shape)
    y = target_like(data, data.shape, out)
    softmax_along(rows, 1, (y.view(rows.shape),))
    return y


@overlay(supports=_supports)
def softmax_output_backward(
    output: Tensor,
    label: Tensor,
    *,
    grad_scale: float,
    ignore_label: float,
    multi_output: bool,
    use_ignore: bool,
    preserve_shape: bool,
    normalization: str,
    smooth_alpha: float,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient of cross entropy, ``softmax - label``, scaled; MXNet ignores ``dy``."""
    dx = target_like(output, output.shape, out)
    if label.shape == output.shape:
        steps = (
            Step("broadcast_sub", (0, 1)),
            Step("mul_scalar", (2,), (("scalar", literal(grad_scale)),)),
        )
        run(Formula(2, steps, (3,)), [output, label], output.shape, [dx])
        return dx
    rows = Rows.of(with_classes_on_axis_1(output, multi_output, preserve_shape), 1)
    every = label.reshape(-1).contiguous()
    labels = every[: rows.rows]  # MXNet reads one a sample, of any number, and counts them all
    smooth = 0.0 if multi_output else smooth_alpha
    spread = rows.inner if multi_output else 1
    counted = normalization == "valid"
    count = _num_unignored(every, ignore_label) if counted else labels
    divisor = label.numel() if normalization == "batch" else spread
    exact = output.dtype is torch.float64  # a launch passes numbers of 32 bits
    scale = grad_scale if counted else grad_scale / max(divisor, 1)
    launch(
        device.softmax_less_labels,
        (-(-output.numel() // _BLOCK),),
        *(output.contiguous(), labels, count, dx, output.numel(), rows.columns, rows.inner),
        *(numbers_on(output.device, scale) if exact else float(scale), float(ignore_label)),
        ON=1.0 - smooth,
        OFF=smooth / max(rows.columns - 1, 1),
        HAS_IGNORED=use_ignore,
        COUNTED=counted,
        LOADED=exact,
        WIDE=output.numel() >= _INT32_ELEMENTS,
        BLOCK=_BLOCK,
    )
    return dx


def _num_unignored(labels: Tensor, ignored: float) -> Tensor:
    """Return the number of labels other than ``ignored``, int32 ``[1]`` on the device."""
    # Counted on the device: a count on the host would have to be waited for.
    counts = Step("not_equal_scalar", (0,), (("scalar", literal(ignored)),), (), "int32")
    total = labels.new_empty(1, dtype=torch.int32)
    total_of(Formula(1, (counts,), (), Reduction("sum", 1)), [labels], [0], total)
    return total
