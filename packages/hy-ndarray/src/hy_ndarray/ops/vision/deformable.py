"""Deformable convolution: window elements are sampled at learned, fractional offsets."""

from typing import Any, Literal, TypeAlias

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.nn._window import check_images, conv_size, full
from hy_ndarray.ops.nn.conv import channel_sum
from hy_ndarray.ops.record.ranges import NonNegatives, Positive, Positives
from hy_ndarray.ops.record.rules import expect_rank, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import TensorType

Layout: TypeAlias = Literal["NCDHW", "NCHW", "NCW"]


def _inputs(params: Params) -> tuple[str, ...]:
    return ("data", "offset", "weight") if params["no_bias"] else (*_inputs({"no_bias": 1}), "bias")


def _modulated_inputs(params: Params) -> tuple[str, ...]:
    data, offset, *rest = _inputs(params)
    return (data, offset, "mask", *rest)


def _geometry(params: Params) -> dict[str, Any]:
    names = ("stride", "dilate", "pad", "num_group", "num_deformable_group")
    return {name: params[name] for name in names}


def _convolution(
    data: TensorType,
    offset: TensorType,
    mask: TensorType | None,
    weight: TensorType,
    bias: TensorType | None,
    params: Params,
) -> TensorType:
    same_dtype(data, offset, mask, weight, bias)
    kernel, filters = params["kernel"], params["num_filter"]
    groups, deformable = params["num_group"], params["num_deformable_group"]
    if len(kernel) != 2:
        raise ArgumentError(f"kernel={kernel} must have 2 numbers")
    if params["layout"] not in (None, "NCHW"):
        raise ArgumentError(f"layout={params['layout']!r} must be 'NCHW'")
    if filters % groups:
        raise ArgumentError(f"num_group={groups} must divide num_filter={filters}")
    for operand in (data, offset, weight):
        expect_rank(operand, 4)
    check_images(data)
    stride = full("stride", params["stride"], 2, 1)
    dilate = full("dilate", params["dilate"], 2, 1)
    pad = full("pad", params["pad"], 2, 0)
    batch, channels, *space = data.shape or (None,) * 4
    number = tuple(map(conv_size, space, kernel, stride, dilate, pad))
    for name, count in (("num_group", groups), ("num_deformable_group", deformable)):
        if channels is not None and channels % count:
            raise ShapeError(
                f"{data!r} has {channels} channels, which is not a multiple of {name}={count}"
            )
    weight.set_shape((filters, None if channels is None else channels // groups, *kernel))
    taps = kernel[0] * kernel[1] * deformable
    offset.set_shape((batch, 2 * taps, *number))
    if mask is not None:
        mask.set_shape((batch, taps, *number))
    if bias is not None:
        bias.set_shape((filters,))
    return data.with_shape((batch, filters, *number))


def _check_backward(
    dy: TensorType,
    data: TensorType,
    offset: TensorType,
    mask: TensorType | None,
    weight: TensorType,
    params: Params,
) -> None:
    """Check that ``dy`` has the type of the forward result."""
    same_dtype(dy, data, offset, mask, weight)
    expect_rank(weight, 4)
    if weight.sizes is not None:
        options = {
            **params,
            "kernel": weight.sizes[2:],
            "num_filter": weight.sizes[0],
            "layout": None,
        }
        dy.set_shape(_convolution(data, offset, mask, weight, None, options).shape)


def _grad(saved: Saved, dy: Any) -> tuple[Any, ...]:
    data, offset, weight, bias = saved.inputs
    gradients = deformable_convolution_backward(dy, data, offset, weight, **_geometry(saved.params))
    return (*gradients, None if bias is None else channel_sum(dy, bias))


@operator("_contrib_DeformableConvolution", active=_inputs, grad=_grad)
def deformable_convolution(
    data: TensorType,
    offset: TensorType,
    weight: TensorType,
    bias: TensorType | None = None,
    *,
    kernel: Positives,
    stride: Positives = (),
    dilate: Positives = (),
    pad: NonNegatives = (),
    num_filter: Positive,
    num_group: Positive = 1,
    num_deformable_group: Positive = 1,
    workspace: int = 1024,
    no_bias: bool = False,  # decides the inputs
    layout: Layout | None = None,
) -> TensorType:
    """Return the convolution of ``data`` sampled at positions shifted by offsets.

    Args:
        data: ``[N, C, H, W]``, floating; treated as zero outside.
        offset: ``[N, num_deformable_group * 2 * taps, *windows]``: shifts down, then right, in
            pixels, of each of the ``taps`` elements of a window.
        weight: ``[num_filter, C / num_group, *kernel]``.
        bias: ``[num_filter]``; left out with ``no_bias=True``.
        kernel: Rows and columns of the window.
        stride: Step between windows along each axis; 1 by default.
        dilate: Step between the elements of a window along each axis; 1 by default.
        pad: Zeros added at both ends of each spatial axis; none by default.
        num_filter: Number of output channels.
        num_group: Number of groups of channels and filters, which are convolved separately.
        num_deformable_group: Number of groups of channels that have offsets of their own.
        workspace: Accepted and ignored.
        no_bias: Whether there is no bias.
        layout: Only ``"NCHW"``.

    Returns:
        ``[N, num_filter, *windows]``, as for ``Convolution``.

    Raises:
        ShapeError: The operands are incompatible, or no window fits.
        ArgumentError: There are not two numbers in ``kernel``, or groups do not divide the filters.

    Source:
        Dai et al. 2017, arXiv:1703.06211, section 2.1.
    """
    params = {
        "kernel": kernel, "stride": stride, "dilate": dilate, "pad": pad, "num_filter": num_filter,
        "num_group": num_group, "num_deformable_group": num_deformable_group, "layout": layout,
    }  # fmt: skip
    return _convolution(data, offset, None, weight, bias, params)


@operator("_deformable_convolution_backward", outputs=("data", "offset", "weight"))
def deformable_convolution_backward(
    dy: TensorType,
    data: TensorType,
    offset: TensorType,
    weight: TensorType,
    *,
    stride: Positives = (),
    dilate: Positives = (),
    pad: NonNegatives = (),
    num_group: Positive = 1,
    num_deformable_group: Positive = 1,
) -> tuple[TensorType, TensorType, TensorType]:
    """Return the gradients of ``DeformableConvolution``."""
    options = {
        "stride": stride, "dilate": dilate, "pad": pad, "num_group": num_group,
        "num_deformable_group": num_deformable_group,
    }  # fmt: skip
    _check_backward(dy, data, offset, None, weight, options)
    return data, offset, weight


def _grad_modulated(saved: Saved, dy: Any) -> tuple[Any, ...]:
    data, offset, mask, weight, bias = saved.inputs
    gradients = modulated_deformable_convolution_backward(
        dy, data, offset, mask, weight, **_geometry(saved.params)
    )
    return (*gradients, None if bias is None else channel_sum(dy, bias))


@operator(
    "_contrib_ModulatedDeformableConvolution",
    active=_modulated_inputs,
    grad=_grad_modulated,
)
def modulated_deformable_convolution(
    data: TensorType,
    offset: TensorType,
    mask: TensorType,
    weight: TensorType,
    bias: TensorType | None = None,
    *,
    kernel: Positives,
    stride: Positives = (),
    dilate: Positives = (),
    pad: NonNegatives = (),
    num_filter: Positive,
    num_group: Positive = 1,
    num_deformable_group: Positive = 1,
    workspace: int = 1024,
    no_bias: bool = False,  # decides the inputs
    im2col_step: int = 64,
    layout: Layout | None = None,
) -> TensorType:
    """Return the deformable convolution with each sample multiplied by a mask.

    Args:
        data: ``[N, C, H, W]``, floating; treated as zero outside.
        offset: ``[N, num_deformable_group * 2 * taps, *windows]``.
        mask: ``[N, num_deformable_group * taps, *windows]``: factors of the samples.
        weight: ``[num_filter, C / num_group, *kernel]``.
        bias: ``[num_filter]``; left out with ``no_bias=True``.
        kernel: Rows and columns of the window.
        stride: Step between windows along each axis; 1 by default.
        dilate: Step between the elements of a window along each axis; 1 by default.
        pad: Zeros added at both ends of each spatial axis; none by default.
        num_filter: Number of output channels.
        num_group: Number of groups of channels and filters, which are convolved separately.
        num_deformable_group: Number of groups of channels that have offsets of their own.
        workspace: Accepted and ignored.
        no_bias: Whether there is no bias.
        im2col_step: Accepted and ignored.
        layout: Only ``"NCHW"``.

    Returns:
        ``[N, num_filter, *windows]``, as for ``Convolution``.

    Raises:
        ShapeError: The operands are incompatible, or no window fits.
        ArgumentError: There are not two numbers in ``kernel``, or groups do not divide the filters.

    Source:
        Zhu et al. 2018, arXiv:1811.11168, section 3.2.
    """
    params = {
        "kernel": kernel, "stride": stride, "dilate": dilate, "pad": pad, "num_filter": num_filter,
        "num_group": num_group, "num_deformable_group": num_deformable_group, "layout": layout,
    }  # fmt: skip
    return _convolution(data, offset, mask, weight, bias, params)


@operator(
    "_modulated_deformable_convolution_backward",
    outputs=("data", "offset", "mask", "weight"),
    params_of=deformable_convolution_backward,
)
def modulated_deformable_convolution_backward(
    dy: TensorType,
    data: TensorType,
    offset: TensorType,
    mask: TensorType,
    weight: TensorType,
    **params: Any,
) -> tuple[TensorType, TensorType, TensorType, TensorType]:
    """Return the gradients of ``ModulatedDeformableConvolution``."""
    _check_backward(dy, data, offset, mask, weight, params)
    return data, offset, mask, weight
