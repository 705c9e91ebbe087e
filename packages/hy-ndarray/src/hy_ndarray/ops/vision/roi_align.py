"""RoIAlign (He et al., Mask R-CNN, 2017), of upright or rotated regions."""

from typing import Any

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.nn._window import check_pixels
from hy_ndarray.ops.record.params import Shape
from hy_ndarray.ops.record.ranges import Positives, Probability
from hy_ndarray.ops.record.rules import expect_rank, floating, like_result
from hy_ndarray.ops.record.schema import operator
from hy_ndarray.ops.record.types import TensorType, show


def _check_operands(
    data: TensorType, rois: TensorType, pooled_size: Shape, width: int
) -> int | None:
    """Check the operands, and return the number of regions."""
    if len(pooled_size) != 2:
        raise ArgumentError(f"pooled_size={pooled_size} must have 2 numbers")
    floating(data, rois)
    expect_rank(data, 4)
    check_pixels(data)
    expect_rank(rois, 2)
    rois.set_shape((None, width))
    return None if rois.shape is None else rois.shape[0]


@operator("_contrib_ROIAlign", grad=gradient_by("_roi_align_backward", 1, 0))
def roi_align(
    data: TensorType,
    rois: TensorType,
    *,
    pooled_size: Positives,
    spatial_scale: Probability,
    sample_ratio: int = -1,
    position_sensitive: bool = False,
    aligned: bool = False,
) -> TensorType:
    """Return the mean of bilinear samples in each bin of each region of interest.

    Args:
        data: ``[N, C, H, W]``, floating.
        rois: ``[R, 5]``: index of the image, and edges ``x1, y1, x2, y2``. Regions with a negative
            index are zero.
        pooled_size: Rows and columns of bins in each region.
        spatial_scale: Factor of the edges, from image to feature map.
        sample_ratio: Samples along each axis of a bin; one per pixel if not positive.
        position_sensitive: Each bin has its own ``C / (rows * columns)`` channels.
        aligned: Pixel centers are at half-integers, as in the image; else regions are shifted by
            half a pixel, and are at least one pixel large.

    Returns:
        ``[R, C, *pooled_size]``, or with the channels of a bin.

    Raises:
        ShapeError: The operands have wrong shapes.
        ArgumentError: ``pooled_size`` is not two positive numbers.

    Gradient:
        With respect to ``data`` only.

    Source:
        He, Gkioxari, Dollár, Girshick 2017, arXiv:1703.06870, section 3.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.arange(16).reshape((1, 1, 4, 4))
        >>> region = nd.array([[0, 0, 0, 2, 2]])
        >>> nd.contrib.ROIAlign(x, region, pooled_size=(2, 1), spatial_scale=1.0).asnumpy()
        array([[[[3.],
                 [7.]]]], dtype=float32)
    """
    count = _check_operands(data, rois, pooled_size, 5)
    channels = None if data.shape is None else data.shape[1]
    if position_sensitive and channels is not None:
        parts = pooled_size[0] * pooled_size[1]
        if channels % parts:
            raise ShapeError(
                f"{data.label}{show(data.shape)} has {channels} channels, which is not a multiple "
                f"of the {parts} bins of pooled_size={pooled_size}"
            )
        channels //= parts
    return data.with_shape((count, channels, *pooled_size))


@operator("_roi_align_backward", grad=gradient_by("_contrib_ROIAlign", 1), params_of=roi_align)
def roi_align_backward(
    dy: TensorType, rois: TensorType, data: TensorType, **params: Any
) -> TensorType:
    """Return the gradient of ``ROIAlign`` with respect to ``data``.

    Only the type of ``data`` is used.
    """
    floating(dy, data)
    like_result(dy, roi_align, data, rois, **params)
    return data


@operator("_contrib_RROIAlign")
def rroi_align(
    data: TensorType,
    rois: TensorType,
    *,
    pooled_size: Positives,
    spatial_scale: Probability,
    sampling_ratio: int = -1,
) -> TensorType:
    """Return the mean of bilinear samples in each bin of each rotated region of interest.

    Args:
        data: ``[N, C, H, W]``, floating.
        rois: ``[R, 6]``: index of the image, center ``x, y``, width, height, and rotation angle in
            degrees. Regions with a negative index are zero.
        pooled_size: Rows and columns of bins in each region.
        spatial_scale: Factor of centers and sizes; sizes are then at least one pixel.
        sampling_ratio: Samples along each axis of a bin; one per pixel if not positive.

    Returns:
        ``[R, C, *pooled_size]``.

    Raises:
        ShapeError: The operands have wrong shapes.
        ArgumentError: ``pooled_size`` is not two positive numbers.

    Source:
        Ma et al. 2018, arXiv:1703.01086; He et al. 2017, arXiv:1703.06870.
    """
    count = _check_operands(data, rois, pooled_size, 6)
    channels = None if data.shape is None else data.shape[1]
    return data.with_shape((count, channels, *pooled_size))
