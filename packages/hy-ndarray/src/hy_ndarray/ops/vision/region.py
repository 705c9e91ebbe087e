"""Max pooling of regions of interest, and correlation of two images."""

from typing import Any

import numpy as np

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.nn._window import check_pixels
from hy_ndarray.ops.record.indices import Indices, Others, Values, along
from hy_ndarray.ops.record.ranges import NonNegative, Positive, Positives, Probability
from hy_ndarray.ops.record.rules import (
    expect_rank,
    floating,
    like_result,
    same,
    same_dtype,
    same_shape,
)
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Traits
from hy_ndarray.ops.record.types import TensorType


def _grad_roi(saved: Saved, dy: Any) -> tuple[Any, None]:
    return roi_pooling_backward(dy, saved.outputs[1], saved.inputs[0]), None


def _no_images(values: Values, others: Others, params: Params) -> Values:
    """Return a mask of the numbers in ``rois`` that are not image indices, or are negative."""
    ignored = np.ones(values.shape, np.bool_)
    ignored[:, 0] = values[:, 0] < 0
    return ignored


@operator(
    "ROIPooling",
    "_npx_roi_pooling",
    outputs=("output", "index"),
    visible=1,
    grad=_grad_roi,
    traits=Traits(indices=(Indices("rois", count=along("data", 0), ignored=_no_images),)),
)
def roi_pooling(
    data: TensorType, rois: TensorType, *, pooled_size: Positives, spatial_scale: Probability
) -> tuple[TensorType, TensorType]:
    """Return the maximum over each bin of each region of interest.

    Args:
        data: ``[N, C, H, W]``, floating.
        rois: ``[R, 5]``: index of the image, and left, top, right and bottom edges, inclusive.
        pooled_size: Rows and columns of bins in each region; bins overlap in small regions, and
            are zero without elements.
        spatial_scale: Factor of the edges, which are then rounded.

    Returns:
        ``[R, C, *pooled_size]``.

    Raises:
        ShapeError: The operands have wrong shapes.
        ArgumentError: ``pooled_size`` is not two positive numbers.

    Source:
        Girshick, Fast R-CNN, 2015.
    """
    if len(pooled_size) != 2:
        raise ArgumentError(f"pooled_size={pooled_size} must have 2 numbers")
    floating(data, rois)
    expect_rank(data, 4)
    check_pixels(data)
    expect_rank(rois, 2)
    rois.set_shape((None, 5))
    count = None if rois.shape is None else rois.shape[0]
    channels = None if data.shape is None else data.shape[1]
    pooled = data.with_shape((count, channels, *pooled_size))
    return pooled, pooled.with_dtype("int64")


@operator("_roi_pooling_backward", grad=gradient_by("_roi_pooling_select", 1))
def roi_pooling_backward(dy: TensorType, index: TensorType, data: TensorType) -> TensorType:
    """Return the gradient of ``ROIPooling``: ``dy`` added to ``data``'s flat ``index``."""
    same_dtype(dy, data)
    same_shape(dy, index)
    return data


@operator("_roi_pooling_select", grad=gradient_by("_roi_pooling_backward", 1, 0))
def roi_pooling_select(data: TensorType, index: TensorType) -> TensorType:
    """Return the elements of the flat ``data`` at ``index``; 0 for negative indices."""
    return index.with_dtype(data.dtype)


def _grad_correlation(saved: Saved, dy: Any) -> tuple[Any, Any]:
    ddata1, ddata2 = correlation_backward(dy, *saved.inputs, **saved.params)
    return ddata1, ddata2


@operator("Correlation", grad=_grad_correlation, traits=Traits(outputs_in_files=3))
def correlation(
    data1: TensorType,
    data2: TensorType,
    *,
    kernel_size: Positive = 1,
    max_displacement: NonNegative = 1,
    stride1: Positive = 1,
    stride2: Positive = 1,
    pad_size: NonNegative = 0,
    is_multiply: bool = True,
) -> TensorType:
    """Return the correlation of patches of one image with displaced patches of another.

    Args:
        data1: ``[N, C, H, W]``, floating.
        data2: Same type as ``data1``.
        kernel_size: Height and width of a patch, odd.
        max_displacement: Greatest displacement of patches of ``data2``.
        stride1: Step between patches of ``data1``.
        stride2: Step between displacements.
        pad_size: Zeros added around both images.
        is_multiply: Whether elements are multiplied; else their absolute differences are taken.

    Returns:
        ``[N, D², height, width]``, means over patch and channels, where ``D`` is
        ``2 (max_displacement // stride2) + 1``.

    Raises:
        ShapeError: The images differ in shape, or no patch fits.
        ArgumentError: A parameter is out of range.

    Source:
        Dosovitskiy et al., FlowNet: Learning Optical Flow with Convolutional Networks, 2015.
    """
    if kernel_size % 2 == 0:
        raise ArgumentError(f"kernel_size={kernel_size} must be odd")
    floating(data1, data2)
    same(data1, data2)
    expect_rank(data1, 4)
    channels = (2 * (max_displacement // stride2) + 1) ** 2
    if data1.shape is None:
        return data1.with_shape((None, channels, None, None))
    border = max_displacement + kernel_size // 2
    sizes: list[int | None] = []
    for n in data1.shape[2:]:
        room = None if n is None else n + 2 * pad_size - 2 * border
        if room is not None and room < 1:
            raise ShapeError(
                f"{data1!r} with pad_size={pad_size} is too small for kernel_size={kernel_size} "
                f"and max_displacement={max_displacement}"
            )
        sizes.append(None if room is None else -(-room // stride1))
    return data1.with_shape((data1.shape[0], channels, *sizes))


@operator("_correlation_backward", outputs=("data1", "data2"), params_of=correlation)
def correlation_backward(
    dy: TensorType, data1: TensorType, data2: TensorType, **params: Any
) -> tuple[TensorType, TensorType]:
    """Return the gradients of ``Correlation`` with respect to both images."""
    same_dtype(dy, data1)
    like_result(dy, correlation, data1, data2, **params)
    return data1, data2
