"""Convolution with the batch innermost, as graphs are planned for few channels and small images."""

from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray._protocols import Params
from hy_ndarray.ops._params import Shape
from hy_ndarray.ops._rules import same_dtype
from hy_ndarray.ops._schema import Saved, operator
from hy_ndarray.ops._types import TensorType
from hy_ndarray.ops.nn._window import conv_size, full
from hy_ndarray.ops.nn.conv import channel_sum

__all__ = [
    "batch_last_convolution",
    "batch_last_convolution_backward_data",
    "batch_last_convolution_backward_weight",
]


def _inputs(params: Params) -> tuple[str, ...]:
    return ("data", "weight", "bias") if params["with_bias"] else ("data", "weight")


def _geometry(params: Params) -> dict[str, Any]:
    return {name: params[name] for name in ("stride", "dilate", "pad")}


def _grad(saved: Saved, dy: Any) -> tuple[Any, ...]:
    data, weight, bias = saved.inputs
    how, wants = _geometry(saved.params), saved.wants
    return (
        batch_last_convolution_backward_data(dy, weight, data, **how) if wants(0) else None,
        batch_last_convolution_backward_weight(dy, data, weight, **how) if wants(1) else None,
        channel_sum(dy, bias, axis=0) if bias is not None and wants(2) else None,
    )


@operator("_batch_last_convolution", active=_inputs, grad=_grad)
def batch_last_convolution(
    data: TensorType,
    weight: TensorType,
    bias: TensorType | None = None,
    *,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    with_bias: bool = True,
) -> TensorType:
    """A two-dimensional convolution of images that lie side by side.

    Args:
        data: ``[C, H, W, N]``.
        weight: ``[O, C, kh, kw]``.
        bias: ``[O]``.
        stride: Steps between windows.
        dilate: Distance between the elements of a window.
        pad: Zeros around the images.
        with_bias: Whether there is a bias.

    Returns:
        ``[O, H', W', N]``.

    Raises:
        ShapeError: The shapes do not fit each other.
    """
    same_dtype(data, weight, bias)
    if data.rank not in (None, 4) or weight.rank not in (None, 4):
        raise ShapeError(f"{data!r} and {weight!r} must have 4 axes")
    if data.shape is None or weight.shape is None:
        return data.with_shape(None)
    channels, *space, batch = data.shape
    filters, _, *kernel = weight.shape
    weight.set_shape((filters, channels, *kernel))
    if bias is not None:
        bias.set_shape((filters,))
    steps, spread, pads = (
        full(name, values, 2, default, min(default, 1))
        for name, values, default in (("stride", stride, 1), ("dilate", dilate, 1), ("pad", pad, 0))
    )
    if None in kernel:
        return data.with_shape((filters, None, None, batch))
    sizes = map(conv_size, space, [k or 0 for k in kernel], steps, spread, pads)
    return data.with_shape((filters, *sizes, batch))


def _grad_backward_data(saved: Saved, ddata: Any) -> tuple[Any, ...]:
    dy, weight, _ = saved.inputs
    return (
        batch_last_convolution(ddata, weight, with_bias=False, **saved.params),
        batch_last_convolution_backward_weight(dy, ddata, weight, **saved.params),
        None,
    )


@operator("_batch_last_convolution_backward_data", grad=_grad_backward_data)
def batch_last_convolution_backward_data(
    dy: TensorType,
    weight: TensorType,
    data: TensorType,
    *,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
) -> TensorType:
    """Gradient of ``_batch_last_convolution`` to ``data``, of which only the type matters."""
    same_dtype(dy, weight, data)
    return data


def _grad_backward_weight(saved: Saved, dweight: Any) -> tuple[Any, ...]:
    dy, data, _ = saved.inputs
    return (
        batch_last_convolution(data, dweight, with_bias=False, **saved.params),
        batch_last_convolution_backward_data(dy, dweight, data, **saved.params),
        None,
    )


@operator("_batch_last_convolution_backward_weight", grad=_grad_backward_weight)
def batch_last_convolution_backward_weight(
    dy: TensorType,
    data: TensorType,
    weight: TensorType,
    *,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
) -> TensorType:
    """Gradient of ``_batch_last_convolution`` to ``weight``, of which only the type matters."""
    same_dtype(dy, data, weight)
    return weight
