"""Softmax and its variants, by the kernels of :mod:`hy_kernels.triton.device.softmax`.

Float16 and bfloat16 are computed in float32 and rounded once: the error is half a unit of 2^-11, or
of 2^-8.
"""

import torch

from hy_kernels.torch._dtypes import accumulator, torch_type
from hy_kernels.torch._tensor import OutBuffers, Tensor, target, target_like
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton._tiles import Rows, next_power, warps_for
from hy_kernels.triton.device import softmax as device
from hy_kernels.triton.runtime._launch import launch, runs_on

# Rows beyond 16,384 columns do not fit registers; tiles of 4,096 leave room for several programs.
_TILE_COLUMNS = 1 << 12  # columns of a tile of the rows that are read in several


def _normalized(
    data: Tensor,
    length: Tensor | None,
    axis: int,
    factor: float,
    log: bool,
    dtype: str | None,
    out: OutBuffers,
) -> Tensor:
    x, rows = data.contiguous(), Rows.of(data, axis)
    result_dtype = data.dtype if dtype is None else torch_type(dtype)
    y = target(out, data.shape, result_dtype, data.device)
    vectors = rows.vectors(x, y)
    tile_rows, tile_columns = rows.tile(vector=vectors["VECTOR"])
    whole = tile_columns >= rows.columns + vectors["VECTOR"] - 1
    tile_columns = tile_columns if whole else _TILE_COLUMNS
    launch(
        device.softmax_rows,
        (-(-rows.rows // tile_rows),),
        x,
        y,
        x if length is None else length.contiguous(),
        rows.rows,
        rows.columns,
        rows.inner,
        warps=warps_for(tile_rows * tile_columns),
        FACTOR=factor,
        LOG=log,
        HAS_LENGTH=length is not None,
        WHOLE=whole,
        **vectors,
        ROWS=tile_rows,
        COLUMNS=tile_columns,
    )
    return y


def _supports(
    data: Tensor, length: Tensor | None = None, *, dtype: str | None = None, **_: object
) -> bool:
    # Such a result would be float32 in a wider coat: torch converts before it computes.
    widens = dtype == "float64" and data.dtype is not torch.float64
    return data.dtype.is_floating_point and not widens and data.numel() > 0 and runs_on(data)


def _enter(name: str, sign: int, log: bool) -> None:
    """Enter the kernel of ``softmax(sign * data)``, or of its logarithm."""

    @overlay(name, supports=_supports)
    def normalized(
        data: Tensor,
        length: Tensor | None = None,
        *,
        axis: int,
        temperature: float | None,
        dtype: str | None,
        use_length: bool,
        out: OutBuffers = None,
    ) -> Tensor:
        # By the sign of the factor: nothing is negated in memory.
        return _normalized(data, length, axis, sign / (temperature or 1.0), log, dtype, out)


SOFTMAXES: dict[str, tuple[int, bool]] = {
    "log_softmax": (1, True),
    "softmax": (1, False),
    "softmin": (-1, False),
}
"""Sign of the data of each kernel, and whether the result is a logarithm."""
for _name, _kind in SOFTMAXES.items():
    _enter(_name, *_kind)


def softmax_along(data: Tensor, axis: int, out: OutBuffers) -> Tensor:
    """Return the softmax along an axis, in the out buffer if there is one."""
    return _normalized(data, None, axis, 1.0, False, None, out)


def _supports_backward(dy: Tensor, output: Tensor, data: Tensor, **_: object) -> bool:
    floats = all(x.dtype.is_floating_point for x in (dy, output, data))
    return floats and data.numel() > 0 and runs_on(dy, output, data)


def _enter_gradient(name: str, log: bool) -> None:
    """Enter the kernel of the gradient of softmax, or of its logarithm, from the result."""

    @overlay(name, supports=_supports_backward)
    def gradient(
        dy: Tensor,
        output: Tensor,
        data: Tensor,
        *,
        axis: int,
        temperature: float | None,
        out: OutBuffers = None,
    ) -> Tensor:
        rows = Rows.of(data, axis)
        dx = target_like(data, data.shape, out)
        operands = (dy.contiguous(), output.contiguous(), dx)
        vectors = rows.vectors(*operands)
        # Two operands: half of what one may have.
        tile_rows, tile_columns = rows.tile(1 << 13, vectors["VECTOR"])
        whole = tile_columns >= rows.columns + vectors["VECTOR"] - 1
        tile_columns = tile_columns if whole else _TILE_COLUMNS
        launch(
            device.softmax_rows_backward,
            (-(-rows.rows // tile_rows),),
            *operands,
            rows.rows,
            rows.columns,
            rows.inner,
            warps=warps_for(tile_rows * tile_columns),
            FACTOR=1 / (temperature or 1.0),
            LOG=log,
            WHOLE=whole,
            **vectors,
            ROWS=tile_rows,
            COLUMNS=tile_columns,
        )
        return dx


GRADIENTS: dict[str, bool] = {"log_softmax_backward": True, "softmax_backward": False}
"""Whether each kernel is the gradient of a logarithm."""
for _name, _log in GRADIENTS.items():
    _enter_gradient(_name, _log)


def _supports_pick(data: Tensor, index: Tensor, *, mode: str, **_: object) -> bool:
    """Return whether the kernel supports the operands; it cannot report invalid indices."""
    is_standard = data.dtype.is_floating_point and data.numel() > 0 and mode in ("clip", "wrap")
    return is_standard and runs_on(data, index)


@overlay(supports=_supports_pick)
def log_softmax_pick(
    data: Tensor,
    index: Tensor,
    *,
    keepdims: bool,
    mode: str,
    negative: bool,
    out: OutBuffers = None,
) -> tuple[Tensor, Tensor]:
    """Return the picked log-softmax, or its negative, and the rows' maxima and exponential sums."""
    shape = data.shape[:-1]
    y_shape = (*shape, 1) if keepdims else tuple(shape) or (1,)
    y = target(out, y_shape, data.dtype, data.device)
    statistics = target(out, (*shape, 2), accumulator(data.dtype), data.device, 1)
    picked(data, index, y, statistics, mode, negative)
    return y, statistics


def picked(
    data: Tensor, index: Tensor, y: Tensor, statistics: Tensor, mode: str, negative: bool = False
) -> None:
    """Write the log-softmax at one index of each row to ``y``, and the rows' statistics.

    Args:
        data: ``[*, columns]``.
        index: ``[*]``.
        y: Contiguous memory for one number per row, of any floating dtype.
        statistics: Contiguous memory ``[*, 2]`` for the maximum ``m`` of each row, and the sum of
            ``exp(x - m)``.
        mode: Treatment of invalid indices: ``"clip"``, ``"wrap"``, or ``"none"``, which gives 0.
        negative: Whether to write the negative of the logarithms.
    """
    rows = Rows(index.numel(), data.shape[-1], 1)
    x = data.contiguous()
    vectors = rows.vectors(x)
    tile_rows, tile_columns = rows.tile(_TILE_COLUMNS, vectors["VECTOR"])
    launch(
        device.log_softmax_pick_rows,
        (-(-rows.rows // tile_rows),),
        x,
        index.contiguous(),
        y,
        statistics,
        rows.rows,
        rows.columns,
        warps=warps_for(tile_rows * tile_columns),
        OUTSIDE=mode,
        NEGATIVE=negative,
        **vectors,
        ROWS=tile_rows,
        COLUMNS=tile_columns,
    )


def _supports_pick_backward(
    dy: Tensor, data: Tensor, index: Tensor, statistics: Tensor, *, mode: str, **_: object
) -> bool:
    return _supports_pick(data, index, mode=mode) and dy.dtype.is_floating_point and runs_on(dy)


@overlay(supports=_supports_pick_backward)
def log_softmax_pick_backward(
    dy: Tensor,
    data: Tensor,
    index: Tensor,
    statistics: Tensor,
    *,
    keepdims: bool,
    mode: str,
    negative: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return ``dy (onehot(index) - softmax(data))``, or the negative of that."""
    columns = data.shape[-1]
    dx = target_like(data, data.shape, out)
    x = data.contiguous()
    vectors = Rows(index.numel(), columns, 1).vectors(x, dx)
    span = columns + vectors["VECTOR"] - 1
    tile_columns = min(next_power(span), _TILE_COLUMNS)
    # With the statistics known no part of a row needs another: columns are cut over programs.
    launch(
        device.log_softmax_pick_rows_backward,
        (index.numel(), -(-span // tile_columns)),
        dy.contiguous(),
        x,
        index.contiguous(),
        statistics.contiguous(),
        dx,
        columns,
        warps=warps_for(tile_columns),
        OUTSIDE=mode,
        NEGATIVE=negative,
        **vectors,
        COLUMNS=tile_columns,
    )
    return dx


def _supports_dot(*arrays: Tensor) -> bool:
    floats = all(x.dtype.is_floating_point for x in arrays)
    return floats and arrays[0].numel() > 0 and runs_on(*arrays)


@overlay(supports=lambda data, label, **_: _supports_dot(data, label))
def log_softmax_dot(
    data: Tensor, label: Tensor, *, out: OutBuffers = None
) -> tuple[Tensor, Tensor]:
    """Return ``sum(log_softmax(data) · label)``, and the statistics of each row.

    These are the maximum ``m``, the sum of ``exp(data - m)``, and the sum of the label.

    Bytes moved: those of ``data`` and ``label``, each once.
    """
    *shape, columns = data.shape
    y = target(out, (*shape, 1), data.dtype, data.device)
    statistics = target(out, (*shape, 3), accumulator(data.dtype), data.device, 1)
    rows = Rows(y.numel(), columns, 1)
    operands = (data.contiguous(), label.contiguous())
    vectors = rows.vectors(*operands)
    tile_rows, tile_columns = rows.tile(_TILE_COLUMNS, vectors["VECTOR"])
    launch(
        device.log_softmax_dot_rows,
        (-(-rows.rows // tile_rows),),
        *(*operands, y, statistics, rows.rows, rows.columns),
        warps=warps_for(tile_rows * tile_columns),
        **vectors,
        ROWS=tile_rows,
        COLUMNS=tile_columns,
    )
    return y, statistics


@overlay(
    supports=lambda dy, data, label, statistics, **_: _supports_dot(data, label, dy, statistics)
)
def log_softmax_dot_backward(
    dy: Tensor, data: Tensor, label: Tensor, statistics: Tensor, *, out: OutBuffers = None
) -> Tensor:
    """Return ``dy (label - softmax(data) · sum(label))``, the gradient to the data.

    Bytes moved: those of ``data``, ``label`` and the result, each once.
    """
    columns = data.shape[-1]
    dx = target_like(data, data.shape, out)
    operands = (data.contiguous(), label.contiguous())
    vectors = Rows(dy.numel(), columns, 1).vectors(*operands, dx)
    span = columns + vectors["VECTOR"] - 1
    tile_columns = min(next_power(span), _TILE_COLUMNS)
    launch(
        device.log_softmax_dot_rows_backward,
        (dy.numel(), -(-span // tile_columns)),
        *(dy.contiguous(), *operands, statistics.contiguous(), dx),
        columns,
        warps=warps_for(tile_columns),
        **vectors,
        COLUMNS=tile_columns,
    )
    return dx
