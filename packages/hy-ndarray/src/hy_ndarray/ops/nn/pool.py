"""Pooling and its gradients."""

from math import prod
from typing import Any, Literal, TypeAlias

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.elementwise.unary import reciprocal
from hy_ndarray.ops.indexing.take import where
from hy_ndarray.ops.nn._window import (
    channels_first,
    check_images,
    check_rank,
    from_channels_first,
    full,
    pool_size,
)
from hy_ndarray.ops.record.params import Shape
from hy_ndarray.ops.record.ranges import NonNegatives, Positives
from hy_ndarray.ops.record.rules import floating, same, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Quantized, Traits, rows_of_batch, rows_of_windows
from hy_ndarray.ops.record.types import TensorType
from hy_ndarray.ops.shaping.creation import zeros_like

Layout: TypeAlias = Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"]
Convention: TypeAlias = Literal["full", "same", "valid"]


_WINDOWS = ("kernel", "stride", "pad", "global_pool", "pooling_convention")


def _window_params(params: Params, *names: str) -> dict[str, Any]:
    return {name: params[name] for name in (*_WINDOWS, *names)}


def _grad(saved: Saved, dy: Any) -> tuple[Any]:
    (data,) = saved.inputs
    params = saved.params
    kind = params["pool_type"]
    if kind == "max":
        return (pooling_max_backward(dy, data, **_window_params(params, "layout")),)
    if kind == "lp":
        options = _window_params(params, "layout", "p_value")
        return (pooling_lp_backward(dy, data, saved.outputs[0], **options),)
    options = _window_params(params, "layout", "pool_type", "count_include_pad")
    return (pooling_sum_backward(dy, data, **options),)


def _grad_v1(saved: Saved, dy: Any) -> tuple[Any]:
    (data,) = saved.inputs
    params = saved.params
    options = _window_params(params)
    if params["pool_type"] == "max":
        return (pooling_max_backward(dy, data, zero_pad=True, **options),)
    if params["pool_type"] == "avg" and params["global_pool"]:
        return (pooling_sum_backward(dy, data, pool_type="avg", **options),)
    # Averages of Pooling_v1 divide by the kernel's size even at the border, where MXNet's later
    # operator counts the elements of the data.
    dx = pooling_sum_backward(dy, data, **options)
    return (dx * (1 / prod(params["kernel"])) if params["pool_type"] == "avg" else dx,)


def _pooled(
    data: TensorType,
    layout: str | None,
    kernel: Shape,
    stride: Shape,
    pad: Shape,
    global_pool: bool,
    convention: str,
) -> TensorType:
    if global_pool:
        if data.rank is not None and not 3 <= data.rank <= 5:
            raise ShapeError(f"{data!r} must have 3, 4 or 5 axes, has {data.rank}")
        check_images(data)
        if data.shape is None:
            return data.with_shape(None)
        batch, channels, *space = channels_first(data.shape, layout)
        pooled = (batch, channels, *(1 for _ in space))
        return data.with_shape(from_channels_first(pooled, layout))
    check_rank(data, kernel, layout)
    rank = len(kernel)
    # Of more values than axes the first ones count.
    stride = full("stride", stride[:rank], rank, 1)
    pad = full("pad", pad[:rank], rank, 0)
    if data.shape is None:
        return data.with_shape(None)
    batch, channels, *space = channels_first(data.shape, layout)
    sizes = [
        pool_size(n, k, s, p, convention)
        for n, k, s, p in zip(space, kernel, stride, pad, strict=True)
    ]
    return data.with_shape(from_channels_first((batch, channels, *sizes), layout))


def _outputs_in_files(params: Params) -> int:
    """Return the number of outputs in MXNet's files: 2 for max pooling with a workspace."""
    by_window = params["pool_type"] == "max" and not params["global_pool"]
    return 2 if by_window and params["layout"] in (None, "NCW", "NCHW", "NCDHW") else 1


_QUANTIZED = Quantized(
    "_contrib_quantized_pooling", when=lambda params: params["pool_type"] in ("avg", "max")
)


@operator(
    "Pooling",
    "_npx_pooling",
    grad=_grad,
    traits=Traits(rows=rows_of_windows, outputs_in_files=_outputs_in_files, quantized=_QUANTIZED),
)
def pooling(
    data: TensorType,
    *,
    kernel: Positives = (),
    pool_type: Literal["avg", "lp", "max", "sum"] = "max",
    global_pool: bool = False,
    cudnn_off: bool = False,
    pooling_convention: Convention = "valid",
    stride: Positives = (),
    pad: NonNegatives = (),
    p_value: int | None = None,
    count_include_pad: bool | None = None,
    layout: Layout | None = None,
) -> TensorType:
    """Return the maximum, average, sum or norm of each window of the spatial axes.

    Args:
        data: ``[N, C, *space]``; ``[N, *space, C]`` if the layout ends in ``C``.
        kernel: Size of the window along each spatial axis; not needed with ``global_pool=True``.
        pool_type: ``"max"``, ``"avg"``, ``"sum"``, or ``"lp"``: the ``p_value``-th root of the sum
            of powers.
        global_pool: Pool over one window of the whole space.
        cudnn_off: Accepted and ignored.
        pooling_convention: ``"valid"``: only windows within the padded axis; ``"full"``: also a
            last window that reaches beyond it; ``"same"``: ``ceil(padded size / stride)`` windows.
        stride: Step between windows along each axis; 1 by default. Surplus values are ignored.
        pad: Padding at both ends of each spatial axis; none by default. Surplus values are
            ignored. The maximum of a window that holds only padding is ``-inf``.
        p_value: 1, 2 or 3, for ``"lp"``.
        count_include_pad: Whether averages count the padding; they do by default.
        layout: Order of the axes, ``NCW``, ``NCHW`` or ``NCDHW`` by default.

    Raises:
        ArgumentError: Parameters are incompatible.
        ShapeError: ``data`` has other axes, or is smaller than the window.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.Pooling(nd.array([[[1, 3, 2, 4]]]), kernel=(2,), stride=(2,)).asnumpy()
        array([[[3., 4.]]], dtype=float32)
    """
    if pool_type == "lp" and p_value not in (1, 2, 3):
        raise ArgumentError(f"p_value={p_value} must be 1, 2 or 3 for pool_type='lp'")
    if pool_type in ("avg", "lp"):
        floating(data)
    return _pooled(data, layout, kernel, stride, pad, global_pool, pooling_convention)


@operator("Pooling_v1", grad=_grad_v1, traits=Traits(rows=rows_of_batch))
def pooling_v1(
    data: TensorType,
    *,
    kernel: Positives = (),
    pool_type: Literal["avg", "max", "sum"] = "max",
    global_pool: bool = False,
    pooling_convention: Literal["full", "valid"] = "valid",
    stride: Positives = (),
    pad: NonNegatives = (),
) -> TensorType:
    """Return ``Pooling`` where padding counts as zeros; the name occurs in older files of MXNet."""
    return _pooled(data, None, kernel, stride, pad, global_pool, pooling_convention)


@operator("_pooling_max_backward", grad=gradient_by("_pooling_max_select", 1))
def pooling_max_backward(
    dy: TensorType,
    data: TensorType,
    *,
    kernel: Positives = (),
    global_pool: bool = False,
    pooling_convention: Convention = "valid",
    stride: Positives = (),
    pad: NonNegatives = (),
    zero_pad: bool = False,
    layout: Layout | None = None,
) -> TensorType:
    """Return the gradient of max pooling: ``dy`` at the first maximum of each window."""
    same_dtype(dy, data)
    dy.set_shape(_pooled(data, layout, kernel, stride, pad, global_pool, pooling_convention).shape)
    return data


@operator(
    "_pooling_max_select",
    grad=gradient_by("_pooling_max_backward", 1),
    params_of=pooling_max_backward,
)
def pooling_max_select(values: TensorType, data: TensorType, **params: Any) -> TensorType:
    """Return the element of ``values`` at the first maximum of each window of ``data``."""
    same(values, data)
    return _pooled(data, params["layout"], *(params[name] for name in _WINDOWS))


@operator("_pooling_sum_backward", grad=gradient_by("Pooling"))
def pooling_sum_backward(
    dy: TensorType,
    data: TensorType,
    *,
    kernel: Positives = (),
    pool_type: Literal["avg", "sum"] = "sum",
    global_pool: bool = False,
    pooling_convention: Convention = "valid",
    stride: Positives = (),
    pad: NonNegatives = (),
    count_include_pad: bool | None = None,
    layout: Layout | None = None,
) -> TensorType:
    """Return the gradient of sum and average pooling with respect to ``data``.

    Only the type of ``data`` is used.
    """
    same_dtype(dy, data)
    dy.set_shape(_pooled(data, layout, kernel, stride, pad, global_pool, pooling_convention).shape)
    return data


def _grad_lp_backward(saved: Saved, ddata: Any) -> tuple[Any, Any, Any]:
    dy, data, output = saved.inputs
    options = {name: value for name, value in saved.params.items() if name != "p_value"}
    power = saved.params["p_value"] or 1
    if power == 1:
        return pooling(ddata, pool_type="sum", **options), None, None
    # The gradient is dy (data / output) ** (p - 1), and 0 for a window of zeros.
    inverse = where(output, reciprocal(output), zeros_like(output))
    slope = inverse if power == 2 else inverse * inverse
    weights = data if power == 2 else data * data
    along = pooling(ddata * weights, pool_type="sum", **options) * slope
    spread = pooling_sum_backward(dy * slope, data, pool_type="sum", **options) * ddata
    to_data = spread if power == 2 else spread * data * 2.0
    return along, to_data, dy * along * inverse * (1.0 - power)


@operator("_pooling_lp_backward", grad=_grad_lp_backward)
def pooling_lp_backward(
    dy: TensorType,
    data: TensorType,
    output: TensorType,
    *,
    kernel: Positives = (),
    global_pool: bool = False,
    pooling_convention: Convention = "valid",
    stride: Positives = (),
    pad: NonNegatives = (),
    p_value: int | None = None,
    layout: Layout | None = None,
) -> TensorType:
    """Return the gradient of lp pooling with respect to ``data``."""
    same(dy, output)
    same_dtype(dy, data)
    dy.set_shape(_pooled(data, layout, kernel, stride, pad, global_pool, pooling_convention).shape)
    return data
