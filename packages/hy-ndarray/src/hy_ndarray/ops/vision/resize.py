"""Resizing of images: repetition, bilinear interpolation, averages."""

from collections.abc import Sequence
from math import isfinite
from typing import Any, Literal, TypeAlias

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.nn._window import check_pixels
from hy_ndarray.ops.nn.deconv import deconvolution_backward_data, deconvolution_backward_weight
from hy_ndarray.ops.record.params import Count
from hy_ndarray.ops.record.ranges import Positive, Positives
from hy_ndarray.ops.record.rules import expect_rank, numbered, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import PartialShape, TensorType, show
from hy_ndarray.ops.shaping.creation import zeros_like

Join: TypeAlias = Literal["concat", "sum"]
ResizeMode: TypeAlias = Literal[
    "like", "odd_scale", "size", "to_even_down", "to_even_up", "to_odd_down", "to_odd_up"
]


def _resized(data: TensorType, height: int | None, width: int | None) -> TensorType:
    expect_rank(data, 4)
    check_pixels(data)
    return data.with_shape((*(data.shape or (None, None))[:2], height, width))


def _resized_like(data: TensorType, like: TensorType) -> TensorType:
    expect_rank(like, 4)
    check_pixels(like)
    return _resized(data, *((None, None) if like.shape is None else like.shape[2:]))


# --- repetition ------------------------------------------------------------------------------


def _up_sampling_inputs(params: Params) -> tuple[str, ...]:
    return ("data", "weight") if params["sample_type"] == "bilinear" else ()


def _grad_up_sampling(saved: Saved, dy: Any) -> tuple[Any, ...]:
    params = saved.params
    if params["sample_type"] == "bilinear":
        data, weight = saved.inputs
        scale = params["scale"]
        options = {
            "stride": (scale, scale),
            "pad": (scale // 2, scale // 2),
            "num_group": params["num_filter"],
        }
        return (
            deconvolution_backward_data(dy, weight, data, **options),
            deconvolution_backward_weight(dy, data, weight, **options),
        )
    count = len(saved.inputs)
    mode = params["multi_input_mode"]
    parts = up_sampling_nearest_backward(dy, *saved.inputs, multi_input_mode=mode, parts=count)
    return (parts,) if count == 1 else tuple(parts[i] for i in range(count))


def _enlarged(data: Sequence[TensorType], size: PartialShape, mode: Join) -> TensorType:
    """Return the type of images repeated to one size, which must be a multiple of their sizes."""
    first = data[0]
    for t in data:
        expect_rank(t, 4)
        for other in data:
            batch, channels = (other.shape or (None, None))[:2]
            t.set_shape((batch, channels if mode == "sum" else None, None, None))
        if t.sizes is None or None in size:
            continue
        factors = [divmod(n or 0, max(m, 1)) for n, m in zip(size, t.sizes[2:], strict=True)]
        if any(rest for _, rest in factors) or factors[0] != factors[1]:
            raise ShapeError(
                f"{show(size)} must be the same integer multiple of {t!r} in height and width"
            )
    batch, channels, *_ = first.shape or (None, None)
    if mode == "concat":
        each = [t.shape[1] for t in data if t.shape is not None and t.shape[1] is not None]
        channels = sum(n or 0 for n in each) if len(each) == len(data) else None
    return first.with_shape((batch, channels, *size))


@operator("UpSampling", count="num_args", active=_up_sampling_inputs, grad=_grad_up_sampling)
def up_sampling(
    *data: TensorType,
    scale: Positive,
    num_filter: int = 0,
    sample_type: Literal["bilinear", "nearest"],
    multi_input_mode: Join = "concat",
    workspace: int = 512,  # memory is the kernel's business
) -> TensorType:
    """Return images enlarged by ``scale`` in height and width.

    Args:
        data: ``[N, C, H, W]``, floating. For ``"nearest"`` one or more images, all enlarged to the
            new size of the first; for ``"bilinear"`` an image, and a weight ``[C, 1, K, K]`` with
            ``K = 2 scale - scale % 2``.
        scale: The factor.
        num_filter: The number of channels, for ``"bilinear"``.
        sample_type: ``"nearest"`` repeats each element; ``"bilinear"`` is a transposed convolution
            of each channel with the weight.
        multi_input_mode: Concatenate several images along the channels, or sum them.
        workspace: Accepted and ignored.

    Raises:
        ShapeError: The images are incompatible, or the weight does not match.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.UpSampling(nd.array([[[[1, 2]]]]), scale=2, sample_type="nearest").asnumpy()
        array([[[[1., 1., 2., 2.],
                 [1., 1., 2., 2.]]]], dtype=float32)
    """
    same_dtype(*data)
    first = data[0]
    for t in data:
        expect_rank(t, 4)
    height, width = (None, None) if first.shape is None else first.shape[2:]
    size = (
        None if height is None else height * scale,
        None if width is None else width * scale,
    )
    if sample_type == "bilinear":
        kernel = 2 * scale - scale % 2
        if len(data) != 2:
            raise ArgumentError(
                f"sample_type='bilinear' needs data and a weight, got {len(data)} inputs"
            )
        first.set_shape((None, num_filter, None, None))
        data[1].set_shape((num_filter, 1, kernel, kernel))
        return _resized(first, *size)
    return _enlarged(data, size, multi_input_mode)


def _input_names(params: Params) -> tuple[str, ...]:
    return numbered(params["parts"])


def _grad_nearest_backward(saved: Saved, *dparts: Any) -> tuple[Any, ...]:
    mode = saved.params["multi_input_mode"]
    enlarged = up_sampling_like(saved.inputs[0], *dparts, multi_input_mode=mode)
    return enlarged, *[None] * (len(saved.inputs) - 1)


@operator("_up_sampling_nearest_backward", outputs=_input_names, grad=_grad_nearest_backward)
def up_sampling_nearest_backward(
    dy: TensorType, *data: TensorType, multi_input_mode: Join = "concat", parts: Count
) -> tuple[TensorType, ...]:
    """Return the gradients of ``UpSampling`` with ``"nearest"``."""
    same_dtype(dy, *data)
    _check_whole(dy, data, multi_input_mode)
    return tuple(data)


def _check_whole(whole: TensorType, data: Sequence[TensorType], mode: Join) -> None:
    expect_rank(whole, 4)
    size = (None, None) if whole.shape is None else whole.shape[2:]
    whole.set_shape(_enlarged(data, size, mode).shape)


def _grad_up_sampling_like(saved: Saved, dy: Any) -> tuple[Any, ...]:
    _, *data = saved.inputs
    mode = saved.params["multi_input_mode"]
    parts = up_sampling_nearest_backward(dy, *data, multi_input_mode=mode, parts=len(data))
    return None, *((parts,) if len(data) == 1 else (parts[i] for i in range(len(data))))


@operator("_up_sampling_like", grad=_grad_up_sampling_like)
def up_sampling_like(
    like: TensorType, *data: TensorType, multi_input_mode: Join = "concat"
) -> TensorType:
    """Return images repeated to the height and width of ``like``."""
    same_dtype(like, *data)
    _check_whole(like, data, multi_input_mode)
    return like


# --- interpolation ---------------------------------------------------------------------------


def _resize_inputs(params: Params) -> tuple[str, ...]:
    return ("data", "like") if params["mode"] == "like" else ("data",)


def _grad_resize(saved: Saved, dy: Any) -> tuple[Any, Any]:
    data, like = saved.inputs
    dx = bilinear_resize2d_backward(dy, data, align_corners=saved.params["align_corners"])
    return dx, None if like is None else zeros_like(like)


def _wanted(size: int | None, mode: str, fixed: int, scale: float | None) -> int | None:
    """Return the output size of ``BilinearResize2D`` along an axis, for a mode."""
    if mode == "size" and scale is None:
        return fixed
    if size is None:
        return None
    odd = size % 2
    if mode == "size":
        return int(size * (scale or 0))
    if mode == "odd_scale":
        factor = 1.0 if scale is None else scale
        return int((size - 1) * factor) + 1 if odd else int(size * factor)
    even = mode.startswith("to_even")
    step = (1 if mode.endswith("up") else -1) if bool(odd) == even else 0
    return size + step


@operator("_contrib_BilinearResize2D", active=_resize_inputs, grad=_grad_resize)
def bilinear_resize2d(
    data: TensorType,
    like: TensorType | None = None,
    *,
    height: Positive = 1,
    width: Positive = 1,
    scale_height: float | None = None,
    scale_width: float | None = None,
    mode: ResizeMode = "size",
    align_corners: bool = True,
) -> TensorType:
    """Return images resized by bilinear interpolation.

    Args:
        data: ``[N, C, H, W]``, floating.
        like: ``[*, *, height, width]``, of the size of the result, with ``mode="like"``.
        height: Height of the result, with ``mode="size"``.
        width: Width of the result, with ``mode="size"``.
        scale_height: Scale factor, instead of ``height``.
        scale_width: Scale factor, instead of ``width``.
        mode: The size of the result: ``"size"``, given numbers or factors; ``"like"``;
            ``"odd_scale"``, by factors that keep odd sizes odd; ``"to_even_down"`` and similar, the
            next even or odd size below or above.
        align_corners: Whether the centers of the corner pixels coincide; else their edges.

    Raises:
        ShapeError: ``data`` does not have 4 axes.
        ArgumentError: The size is not positive.
    """
    expect_rank(data, 4)
    for name, factor in (("scale_height", scale_height), ("scale_width", scale_width)):
        if factor is not None and not isfinite(factor):
            raise ArgumentError(f"{name}={factor} must be finite")
    if like is not None:
        return _resized_like(data, like)
    height_now, width_now = (None, None) if data.shape is None else data.shape[2:]
    size = (
        _wanted(height_now, mode, height, scale_height),
        _wanted(width_now, mode, width, scale_width),
    )
    if any(n is not None and n < 1 for n in size):
        raise ArgumentError(f"the output size {size} must be positive")
    return _resized(data, *size)


@operator("_bilinear_resize2d_backward", grad=gradient_by("_bilinear_resize2d_like", 0))
def bilinear_resize2d_backward(
    dy: TensorType, data: TensorType, *, align_corners: bool = True
) -> TensorType:
    """Return the gradient of ``BilinearResize2D`` with respect to ``data``.

    Only the type of ``data`` is used.
    """
    same_dtype(dy, data)
    dy.set_shape(_resized_like(data, dy).shape)
    return data


@operator("_bilinear_resize2d_like", grad=gradient_by("_bilinear_resize2d_backward", 0))
def bilinear_resize2d_like(
    data: TensorType, like: TensorType, *, align_corners: bool = True
) -> TensorType:
    """Return ``data`` resized bilinearly to the height and width of ``like``."""
    return _resized_like(data, like)


# --- averages --------------------------------------------------------------------------------


def _grad_adaptive(saved: Saved, dy: Any) -> tuple[Any]:
    return (adaptive_avg_pooling2d_backward(dy, saved.inputs[0]),)


@operator("_contrib_AdaptiveAvgPooling2D", grad=_grad_adaptive)
def adaptive_avg_pooling2d(data: TensorType, *, output_size: Positives = ()) -> TensorType:
    """Return the average over each cell of a grid on each image.

    Args:
        data: ``[N, C, H, W]``, floating.
        output_size: Rows and columns of the grid; one number for both; empty for a single cell.

    Raises:
        ShapeError: ``data`` does not have 4 axes.
        ArgumentError: ``output_size`` is not one or two positive numbers.
    """
    if len(output_size) > 2:
        raise ArgumentError(f"output_size={output_size} must have one or two numbers")
    height, width = (output_size[0], output_size[-1]) if output_size else (1, 1)
    return _resized(data, height, width)


@operator("_adaptive_avg_pooling2d_backward", grad=gradient_by("_adaptive_avg_pooling2d_like", 0))
def adaptive_avg_pooling2d_backward(dy: TensorType, data: TensorType) -> TensorType:
    """Return the gradient of ``AdaptiveAvgPooling2D``; only the type of ``data`` is used."""
    same_dtype(dy, data)
    dy.set_shape(_resized_like(data, dy).shape)
    return data


@operator("_adaptive_avg_pooling2d_like", grad=gradient_by("_adaptive_avg_pooling2d_backward", 0))
def adaptive_avg_pooling2d_like(data: TensorType, like: TensorType) -> TensorType:
    """Return averages over a grid of the height and width of ``like``."""
    return _resized_like(data, like)
