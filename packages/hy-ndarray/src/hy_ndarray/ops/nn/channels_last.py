"""Convolution with the channels innermost, as graphs are planned for prediction."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from hy_ndarray._errors import ShapeError
from hy_ndarray._protocols import Params
from hy_ndarray.ops._params import Shape
from hy_ndarray.ops._rules import expect_axes
from hy_ndarray.ops._schema import operator
from hy_ndarray.ops._traits import Traits
from hy_ndarray.ops._types import PartialShape, TensorType
from hy_ndarray.ops.nn._window import conv_size, full

__all__ = ["channels_last_convolution", "channels_last_pair", "channels_last_weight"]

Method: TypeAlias = Literal["depthwise", "direct", "minimal2", "minimal4"]
_PLANES = {"minimal2": 16, "minimal4": 36}


def _prepared(weight: PartialShape | None, method: str) -> PartialShape | None:
    """The shape a method keeps a weight ``[O, C, kh, kw]`` in."""
    if weight is None:
        return None
    filters, channels, high, wide = weight
    if method == "direct":
        if channels is None or high is None or wide is None:
            return (None, filters)
        return (channels * high * wide, filters)
    if method == "depthwise":
        return (high, wide, filters)
    return (_PLANES[method], channels, filters)


@operator("_channels_last_weight")
def channels_last_weight(weight: TensorType, *, method: Method) -> TensorType:
    """A convolution's weight, prepared for a method of ``_channels_last_convolution``.

    Args:
        weight: ``[O, C, kh, kw]``.
        method: ``direct``: a matrix; ``depthwise``: each channel by itself; ``minimal2`` and
            ``minimal4``: transformed for tiles of 2 by 2 and 4 by 4 results.

    Raises:
        ShapeError: The weight is not that of a two-dimensional convolution.
    """
    if weight.rank not in (None, 4):
        raise ShapeError(f"weight {weight.shape} is not [filters, channels, height, width]")
    return weight.with_shape(_prepared(weight.shape, method))


def _inputs(params: Params) -> tuple[str, ...]:
    more = (name for name in ("bias", "addend") if params[f"with_{name}"])
    return ("data", "weight", *more)


def _rows(params: Params, axis: int, ranks: Sequence[int]) -> Sequence[int]:
    if axis > 0:
        return ()
    return (0, len(ranks) - 1) if params["with_addend"] else (0,)


@operator("_channels_last_convolution", active=_inputs, traits=Traits(rows=_rows))
def channels_last_convolution(
    data: TensorType,
    weight: TensorType,
    bias: TensorType | None = None,
    addend: TensorType | None = None,
    *,
    kernel: Shape,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    method: Method = "direct",
    with_bias: bool = True,
    with_addend: bool = False,
    rectify: bool = False,
) -> TensorType:
    """A convolution for prediction with what follows it, ``max(0, data * weight + bias + addend)``.

    Args:
        data: ``[N, H, W, C]``.
        weight: As ``_channels_last_weight`` gives it.
        bias: ``[O]``.
        addend: The type of the result.
        kernel: Height and width of the windows.
        stride: Steps between windows.
        dilate: Distance between the elements of a window.
        pad: Zeros around the images.
        method: How it is computed.
        with_bias: Whether there is a bias.
        with_addend: Whether there is an addend.
        rectify: Negative results become 0.

    Returns:
        ``[N, H', W', O]``.

    Raises:
        ShapeError: The shapes do not fit each other.
    """
    result = _convolved(data, weight, kernel, stride, dilate, pad)
    if bias is not None:
        bias.set_shape(result.shape and result.shape[-1:])
    if addend is not None:
        addend.set_shape(result.shape)
    return result


def _convolved(
    data: TensorType, weight: TensorType, kernel: Shape, stride: Shape, dilate: Shape, pad: Shape
) -> TensorType:
    shape = data.shape
    if data.rank not in (None, 4):
        raise ShapeError(f"data {shape} is not [batch, height, width, channels]")
    expect_axes(weight, 1)
    batch, *space, _ = shape or (None,) * 4
    steps, spread, pads = (
        full(name, values, 2, default, min(default, 1))
        for name, values, default in (("stride", stride, 1), ("dilate", dilate, 1), ("pad", pad, 0))
    )
    sizes = map(conv_size, space, kernel, steps, spread, pads)
    filters = None if weight.shape is None else weight.shape[-1]
    return data.with_shape((batch, *sizes, filters))


def _pair_inputs(params: Params) -> tuple[str, ...]:
    names = ("data", "weight", "bias", "then_weight", "then_bias")
    return (*names, "addend") if params["with_addend"] else names


@operator("_channels_last_pair", active=_pair_inputs, traits=Traits(rows=_rows))
def channels_last_pair(
    data: TensorType,
    weight: TensorType,
    bias: TensorType,
    then_weight: TensorType,
    then_bias: TensorType,
    addend: TensorType | None = None,
    *,
    kernel: Shape,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    method: Method = "direct",
    rectify_between: bool = False,
    with_addend: bool = False,
    rectify: bool = False,
) -> TensorType:
    """A convolution for prediction and one with 1 by 1 kernels behind it, in one step.

    Args:
        data: ``[N, H, W, C]``.
        weight: As ``_channels_last_weight`` gives it, of the first.
        bias: ``[M]``, of the first.
        then_weight: As ``_channels_last_weight`` gives it for ``direct``, of the second.
        then_bias: ``[O]``, of the second.
        addend: The type of the result.
        kernel: Height and width of the first one's windows.
        stride: Steps between windows.
        dilate: Distance between the elements of a window.
        pad: Zeros around the images.
        method: How the first is computed.
        rectify_between: Negative results of the first become 0.
        with_addend: Whether there is an addend.
        rectify: Negative results become 0.

    Returns:
        ``[N, H', W', O]``.

    Raises:
        ShapeError: The shapes do not fit each other.
    """
    middle = _convolved(data, weight, kernel, stride, dilate, pad)
    bias.set_shape(middle.shape and middle.shape[-1:])
    result = _convolved(middle, then_weight, (1, 1), (), (), ())
    then_bias.set_shape(result.shape and result.shape[-1:])
    if addend is not None:
        addend.set_shape(result.shape)
    return result
