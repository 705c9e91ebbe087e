"""Resizing of images: repetition, bilinear interpolation, averages."""

import torch
from torch.nn import functional

from hy_kernels.torch._floats import with_integer_fallback
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, out_buffer, target
from hy_kernels.torch.nn._window import factor, to_storage_dtype
from hy_kernels.windows import resized_length

_aten = torch.ops.aten


def _repeated(x: Tensor, scale: int, out: OutBuffers = None) -> Tensor:
    n, c, h, w = x.shape
    result = target(out, (n, c, h * scale, w * scale), x.dtype, x.device)
    result.view(n, c, h, scale, w, scale).copy_(x[:, :, :, None, :, None])
    return result


@kernel(out="apart")
def up_sampling(
    *data: Tensor,
    scale: int,
    num_filter: int,
    sample_type: str,
    multi_input_mode: str,
    workspace: int,
    out: OutBuffers = None,
) -> Tensor:
    """Return images enlarged to ``scale`` times the height of the first, concatenated or added."""
    first = data[0]
    if sample_type == "bilinear":
        return to_storage_dtype(
            _interpolated(factor(first), factor(data[1]), scale), first.dtype, out
        )
    return _enlarged(data, first.shape[2] * scale, multi_input_mode, out)


def _interpolated(x: Tensor, weight: Tensor, scale: int) -> Tensor:
    """Return images upsampled by a transposed convolution with the kernel ``weight``."""
    # The kernel as a transposed convolution, depthwise: upsampling with learned weights.
    y = functional.conv_transpose2d(x, weight, stride=scale, groups=x.shape[1])
    margins = []
    for axis in (3, 2):  # the last one first, as torch wants them
        before = scale // 2
        # Negative margins crop.
        margins += [-before, x.shape[axis] * scale + before - y.shape[axis]]
    return functional.pad(y, margins)


def _enlarged(data: tuple[Tensor, ...], height: int, mode: str, out: OutBuffers) -> Tensor:
    """Return the images enlarged by repetition to one height, and concatenated or added."""
    scales = [height // x.shape[2] for x in data]
    if mode == "concat" and len(data) > 1:
        return torch.cat([*map(_repeated, data, scales)], 1, out=out_buffer(out))
    result = _repeated(data[0], scales[0], out)
    for image in map(_repeated, data[1:], scales[1:]):
        result += image
    return result


def _resized(data: Tensor, height: int, width: int, align_corners: bool, out: OutBuffers) -> Tensor:
    if not data.numel():
        return target(out, (*data.shape[:2], height, width), data.dtype, data.device)
    x = factor(data)
    return to_storage_dtype(
        _aten.upsample_bilinear2d(x, [height, width], align_corners), data.dtype, out
    )


@kernel(out="apart")
@with_integer_fallback()
def bilinear_resize2d(
    data: Tensor,
    like: Tensor | None = None,
    *,
    height: int,
    width: int,
    scale_height: float | None,
    scale_width: float | None,
    mode: str,
    align_corners: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return the images resized by bilinear interpolation."""
    if like is not None:
        new_height, new_width = like.shape[2:]
    else:
        new_height = resized_length(data.shape[2], mode, height, scale_height)
        new_width = resized_length(data.shape[3], mode, width, scale_width)
    return _resized(data, new_height, new_width, align_corners, out)


@kernel(out="apart")
@with_integer_fallback()
def bilinear_resize2d_backward(
    dy: Tensor, data: Tensor, *, align_corners: bool, out: OutBuffers = None
) -> Tensor:
    """Return the gradient to the images: the transposed interpolation of ``dy``."""
    if not data.numel():
        return torch.empty_like(data)
    g, size = factor(dy), list(data.shape)
    dx = _aten.upsample_bilinear2d_backward(g, list(g.shape[2:]), size, align_corners)
    return to_storage_dtype(dx, data.dtype, out)


@kernel(out="apart")
@with_integer_fallback()
def adaptive_avg_pooling2d(
    data: Tensor, *, output_size: tuple[int, ...], out: OutBuffers = None
) -> Tensor:
    """Return the means over a grid of parts of the images."""
    height, width = (output_size[0], output_size[-1]) if output_size else (1, 1)
    y = functional.adaptive_avg_pool2d(factor(data), (height, width))
    return to_storage_dtype(y, data.dtype, out)


@kernel(out="apart")
@with_integer_fallback()
def adaptive_avg_pooling2d_backward(dy: Tensor, data: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return the gradient to the images: ``dy`` of each part, distributed over its pixels."""
    g, x = factor(dy), factor(data)
    return to_storage_dtype(_aten._adaptive_avg_pool2d_backward(g, x), data.dtype, out)
