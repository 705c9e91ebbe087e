"""Convolution, its gradients, and sums over all axes but the channels."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

from hy_ndarray._errors import ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.adjoints import Bilinear, gradient_by
from hy_ndarray.ops.nn._window import (
    channel_axis,
    channels_first,
    channels_last,
    check_rank,
    conv_size,
    from_channels_first,
    full,
)
from hy_ndarray.ops.record.params import Shape
from hy_ndarray.ops.record.ranges import NonNegatives, Positive, Positives
from hy_ndarray.ops.record.rules import check_axis, expect_rank, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Quantized, Traits, rows_of_batch, rows_of_windows
from hy_ndarray.ops.record.types import PartialShape, TensorType

_QUANTIZED = Quantized(
    "_contrib_quantized_conv",
    weights=("weight", "bias"),
    by_filter=("weight",),
    sums=True,
    is_profitable=True,
)

Layout: TypeAlias = Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"]
Tune: TypeAlias = Literal["fastest", "limited_workspace", "off"]


def _inputs(params: Params) -> tuple[str, ...]:
    return ("data", "weight") if params["no_bias"] else ("data", "weight", "bias")


def geometry(params: Params) -> dict[str, Any]:
    """Return the parameters of a convolution that its gradients take too, such as ``stride``."""
    names = ("stride", "dilate", "pad", "num_group", "layout")
    return {name: params[name] for name in names}


def _output_sizes(
    data: TensorType,
    kernel: Sequence[int],
    stride: Shape,
    dilate: Shape,
    pad: Shape,
    layout: str | None,
) -> PartialShape:
    """Return the sizes of the result along the spatial axes."""
    check_rank(data, kernel, layout)
    rank = len(kernel)
    stride = full("stride", stride, rank, 1)
    dilate = full("dilate", dilate, rank, 1)
    pad = full("pad", pad, rank, 0)
    if data.shape is None:
        return (None,) * rank
    space = channels_first(data.shape, layout)[2:]
    return tuple(map(conv_size, space, kernel, stride, dilate, pad))


def _check_groups(num_filter: int, num_group: int, channels: int | None, what: str) -> None:
    if num_filter % num_group:
        raise ShapeError(f"num_filter={num_filter} is not a multiple of num_group={num_group}")
    if channels is not None and channels % num_group:
        raise ShapeError(f"{what}{channels} channels are not a multiple of num_group={num_group}")


def _grad(saved: Saved, dy: Any) -> tuple[Any, ...]:
    data, weight, bias = saved.inputs
    options = geometry(saved.params)
    axis = channel_axis(saved.params["layout"])
    wants = saved.wants
    return (
        convolution_backward_data(dy, weight, data, **options) if wants(0) else None,
        convolution_backward_weight(dy, data, weight, **options) if wants(1) else None,
        channel_sum(dy, bias, axis=axis) if bias is not None and wants(2) else None,
    )


def _hint(data: TensorType, weight: TensorType, num_group: int, layout: str | None) -> str:
    """Return an error text on mismatched channels, with advice if another layout would match."""
    if weight.sizes is None or data.sizes is None or weight.rank != data.rank:
        return ""
    first = layout is None or layout[1] == "C"
    taken = weight.sizes[1 if first else -1] * num_group
    has, other = data.sizes[1 if first else -1], data.sizes[-1 if first else 1]
    if has == taken:
        return ""
    text = f": data {data.sizes} has {has} channels, the weight takes {taken}"
    if other != taken:
        return text
    space = "DHW"[5 - len(data.sizes) :] if layout is None else layout.replace("N", "")
    space = space.replace("C", "")
    # The last axis has as many channels as the weight takes: likely the other layout.
    names = f"N{space}C", f"NC{space}"
    looks, takes = names if first else names[::-1]
    rank = len(data.sizes)
    order = (0, rank - 1, *range(1, rank - 1)) if first else (0, *range(2, rank), 1)
    other_layout = f", or make the layer with layout={looks!r}" if looks in get_args(Layout) else ""
    return (
        f"{text}; it looks like {looks} where {takes} is expected: transpose it with "
        f"x.transpose({order}){other_layout}"
    )


def _convolution(
    data: TensorType,
    weight: TensorType,
    bias: TensorType | None,
    kernel: Shape,
    stride: Shape,
    dilate: Shape,
    pad: Shape,
    num_filter: int,
    num_group: int,
    layout: str | None,
) -> TensorType:
    same_dtype(data, weight, bias)

    space = _output_sizes(data, kernel, stride, dilate, pad, layout)
    if data.shape is None:
        _check_groups(num_filter, num_group, None, data.label)
        return data.with_shape(None)
    batch, channels, *_ = channels_first(data.shape, layout)
    _check_groups(num_filter, num_group, channels, data.label)
    each = None if channels is None else channels // num_group
    try:
        weight.set_shape(from_channels_first((num_filter, each, *kernel), layout))
    except ShapeError as error:
        raise ShapeError(f"{error}{_hint(data, weight, num_group, layout)}") from None
    if bias is not None:
        bias.set_shape((num_filter,))
    return data.with_shape(from_channels_first((batch, num_filter, *space), layout))


def _infer_data(
    inputs: Sequence[TensorType], outputs: Sequence[TensorType], params: Params
) -> None:
    """Infer the shape of ``data`` from the result: the batch, and with stride 1 also the space."""
    data, known, layout = inputs[0], outputs[0].shape, params["layout"]
    if data.shape is None or known is None:
        return
    batch, _, *windows = channels_first(known, layout)
    rank = len(params["kernel"])
    stride = full("stride", params["stride"], rank, 1)
    dilate = full("dilate", params["dilate"], rank, 1)
    pad = full("pad", params["pad"], rank, 0)
    space = (
        # With a stride above 1 several sizes have the same number of windows.
        None if count is None or step > 1 else count + gap * (size - 1) - 2 * zeros
        for count, size, step, gap, zeros in zip(
            windows, params["kernel"], stride, dilate, pad, strict=True
        )
    )
    channels = channels_first(data.shape, layout)[1]
    data.set_shape(from_channels_first((batch, channels, *space), layout))


@operator(
    "Convolution",
    "_npx_convolution",
    active=_inputs,
    grad=_grad,
    back=_infer_data,
    traits=Traits(rows=rows_of_windows, quantized=_QUANTIZED),
)
def convolution(
    data: TensorType,
    weight: TensorType,
    bias: TensorType | None = None,
    *,
    kernel: Positives,
    stride: Positives = (),
    dilate: Positives = (),
    pad: NonNegatives = (),
    num_filter: Positive,
    num_group: Positive = 1,
    workspace: int = 1024,
    no_bias: bool = False,  # decides the inputs
    cudnn_tune: Tune | None = None,
    cudnn_off: bool = False,
    layout: Layout | None = None,
) -> TensorType:
    """Return the convolution (cross-correlation) of ``data``, in 1, 2 or 3 dimensions.

    Args:
        data: ``[N, C, *space]``, floating; ``[N, *space, C]`` if the layout ends in ``C``.
        weight: ``[num_filter, C / num_group, *kernel]``; channels last if the layout ends in ``C``.
        bias: ``[num_filter]``; left out with ``no_bias=True``.
        kernel: Size of the window along each spatial axis.
        stride: Step between windows along each axis; 1 by default.
        dilate: Step between the elements of a window along each axis; 1 by default.
        pad: Zeros added at both ends of each spatial axis; none by default.
        num_filter: Number of output channels.
        num_group: Number of groups of channels and filters, which are convolved separately.
        workspace: Accepted and ignored.
        no_bias: Whether there is no bias.
        cudnn_tune: Accepted and ignored.
        cudnn_off: Accepted and ignored.
        layout: Order of the axes, ``NCW``, ``NCHW`` or ``NCDHW`` by default.

    Returns:
        ``[N, num_filter, *sizes]``, or the layout's order, where along each spatial axis the size
        is ``(size + 2 pad - dilate (kernel - 1) - 1) // stride + 1``.

    Raises:
        ShapeError: The operands are incompatible, or no window fits.

    Example:
        >>> from hy_ndarray import nd
        >>> x, w = nd.array([[[1, 2, 3, 4]]]), nd.array([[[1, -1]]])
        >>> nd.Convolution(x, w, kernel=(2,), num_filter=1, no_bias=True).asnumpy()
        array([[[-1., -1., -1.]]], dtype=float32)
    """
    return _convolution(
        data, weight, bias, kernel, stride, dilate, pad, num_filter, num_group, layout
    )


@operator("Convolution_v1", active=_inputs, grad=_grad, traits=Traits(rows=rows_of_batch))
def convolution_v1(
    data: TensorType,
    weight: TensorType,
    bias: TensorType | None = None,
    *,
    kernel: Positives,
    stride: Positives = (),
    dilate: Positives = (),
    pad: NonNegatives = (),
    num_filter: Positive,
    num_group: Positive = 1,
    workspace: int = 1024,
    no_bias: bool = False,  # decides the inputs
    cudnn_tune: Tune | None = None,
    cudnn_off: bool = False,
    layout: Literal["NCDHW", "NCHW", "NDHWC", "NHWC"] | None = None,
) -> TensorType:
    """Return ``Convolution``; the name occurs in files of older versions of MXNet."""
    return _convolution(
        data, weight, bias, kernel, stride, dilate, pad, num_filter, num_group, layout
    )


_PROJECT = Bilinear()


@operator("_convolution_project", grad=_PROJECT.grad)
def convolution_project(
    data: TensorType,
    weight: TensorType,
    *,
    stride: Positives = (),
    dilate: Positives = (),
    pad: NonNegatives = (),
    num_group: Positive = 1,
    layout: Layout | None = None,
) -> TensorType:
    """Return ``Convolution`` without bias; kernel size and filters follow from ``weight``."""
    same_dtype(data, weight)
    expect_rank(weight, 3, 4, 5)
    if data.shape is None or weight.sizes is None:
        return data.with_shape(None)
    filters, *rest = weight.sizes
    kernel = tuple(rest[:-1] if channels_last(layout) else rest[1:])
    return _convolution(data, weight, None, kernel, stride, dilate, pad, filters, num_group, layout)


convolution_backward_data, convolution_backward_weight = _PROJECT.gradients_of(
    convolution_project, "convolution"
)


@operator("_channel_sum", grad=gradient_by("_channel_spread", 0))
def channel_sum(data: TensorType, like: TensorType, *, axis: int = 1) -> TensorType:
    """Return ``data`` summed over all axes except ``axis``, in the dtype of ``like``."""
    at = check_axis(axis, data)
    if data.shape is not None and at is not None:
        like.set_shape((data.shape[at],))
    return like


@operator("_channel_spread", grad=gradient_by("_channel_sum", 0))
def channel_spread(data: TensorType, like: TensorType, *, axis: int = 1) -> TensorType:
    """Return the vector ``data`` broadcast to the shape of ``like`` along ``axis``."""
    at = check_axis(axis, like)
    if like.shape is not None and at is not None:
        data.set_shape((like.shape[at],))
    return like
