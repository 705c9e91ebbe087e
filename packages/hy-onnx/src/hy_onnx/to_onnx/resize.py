"""Export of image resizing and sampling."""

import numpy as np

from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.registry import converter

__all__: list[str] = []


@converter("UpSampling")
def _up_sampling(call: Call) -> str:
    params = call.params
    scale = params["scale"]
    if params["sample_type"] == "bilinear":
        # MXNet's bilinear upsampling: kernel 2 s - s % 2, stride s.
        kernel = 2 * scale - scale % 2
        pad = [scale // 2] * 4
        options = {"kernel_shape": [kernel] * 2, "strides": [scale] * 2, "pads": pad}
        return call.op("ConvTranspose", call.x, call.name(1), group=call.size(0, 1), **options)
    images = []
    first = call.shape_of(0, (2, 3)) if len(call.names) > 1 else None
    for i in range(len(call.names)):
        factor = scale if first is None else first[0] * scale // call.size(i, 2)
        images.append(_repeated_pixels(call, call.name(i), factor))
    if len(images) == 1:
        return images[0]
    if params["multi_input_mode"] == "concat":
        return call.op("Concat", *images, axis=1)
    return call.op("Sum", *images)


def _repeated_pixels(call: Call, x: str, factor: int) -> str:
    scales = call.constant([1, 1, factor, factor], "float32")
    # Each element is repeated.
    options = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return call.op("Resize", x, None, scales, mode="nearest", **options)


@converter("_contrib_BilinearResize2D")
def _bilinear(call: Call) -> str:
    mode = "align_corners" if call.params["align_corners"] else "half_pixel"
    sizes = call.sizes_tensor(call.out_dims())
    options = {"mode": "linear", "coordinate_transformation_mode": mode}
    return call.op("Resize", call.x, None, None, sizes, **options)


@converter("_contrib_AdaptiveAvgPooling2D")
def _adaptive(call: Call) -> str:
    """Export adaptive average pooling as products with averaging matrices on both sides."""
    size = call.out_shape_of((2, 3))
    if size == (1, 1):
        return call.op("GlobalAveragePool", call.x)
    rows, columns = (_averages(n, m) for n, m in zip(call.shape_of(0, (2, 3)), size, strict=True))
    y = call.op("MatMul", call.constant(rows, call.dtype()), call.x)
    return call.op("MatMul", y, call.constant(columns.T, call.dtype()))


def _averages(size: int, parts: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return the matrix ``[parts, size]`` that averages ``size`` elements in parts."""
    matrix = np.zeros((parts, size))
    for i in range(parts):
        begin, end = i * size // parts, -(-(i + 1) * size // parts)
        matrix[i, begin:end] = 1 / (end - begin)
    return matrix


def _affine(call: Call, matrices: str) -> str:
    """Return sampling positions ``[N, 2, H, W]``, from affine maps ``[N, 6]`` of a regular grid."""
    height, width = call.params["target_shape"]
    y, x = np.meshgrid(np.linspace(-1, 1, height), np.linspace(-1, 1, width), indexing="ij")
    grid = np.stack([x.ravel(), y.ravel(), np.ones(height * width)])
    maps = call.op("Reshape", matrices, call.ints(-1, 2, 3))
    positions = call.op("MatMul", maps, call.constant(grid, call.dtype()))
    return call.op("Reshape", positions, call.ints(-1, 2, height, width))


@converter("GridGenerator")
def _grid(call: Call) -> str:
    if call.params["transform_type"] == "affine":
        return _affine(call, call.x)
    height, width = call.shape_of(0, (2, 3))
    y, x = np.meshgrid(np.arange(height), np.arange(width), indexing="ij")
    moved = call.op("Add", call.x, call.constant(np.stack([x, y])[None], call.dtype()))
    ends = np.array([max(width - 1, 1), max(height - 1, 1)]) / 2
    scaled = call.op("Div", moved, call.constant(ends[:, None, None], call.dtype()))
    return call.op("Sub", scaled, call.like(1))


@converter("BilinearSampler")
def _sampler(call: Call) -> str:
    if call.opset < 16:  # noqa: PLR2004
        raise call.refused("images sampled at given positions need opset_version=16 or later")
    # opset 20 renamed the mode.
    mode = "linear" if call.opset >= 20 else "bilinear"  # noqa: PLR2004
    positions = call.transpose(call.name(1), 0, 2, 3, 1)
    return call.op(
        "GridSample", call.x, positions, mode=mode, padding_mode="zeros", align_corners=1
    )
