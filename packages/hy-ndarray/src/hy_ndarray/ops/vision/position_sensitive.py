"""Position-sensitive pooling of regions of interest (Dai et al., R-FCN, 2016)."""

from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.nn._window import check_pixels
from hy_ndarray.ops.record.ranges import NonNegative, Positive, Probability
from hy_ndarray.ops.record.rules import expect_rank, floating, like_result, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Traits
from hy_ndarray.ops.record.types import TensorType, show


def _check_operands(
    data: TensorType, rois: TensorType, output_dim: int, pooled_size: int, group_size: int
) -> TensorType:
    same_dtype(data, rois)
    expect_rank(data, 4)
    check_pixels(data)
    expect_rank(rois, 2)
    rois.set_shape((None, 5))
    data.set_shape((None, output_dim * group_size**2, None, None))
    count = None if rois.shape is None else rois.shape[0]
    return data.with_shape((count, output_dim, pooled_size, pooled_size))


@operator("_contrib_PSROIPooling", grad=gradient_by("_psroi_pooling_backward", 1, 0))
def psroi_pooling(
    data: TensorType,
    rois: TensorType,
    *,
    spatial_scale: Probability,
    output_dim: Positive,
    pooled_size: Positive,
    group_size: NonNegative = 0,
) -> TensorType:
    """Return the mean over each bin of each region; every bin has its own channels.

    Args:
        data: ``[N, output_dim * group_size ** 2, H, W]``, floating.
        rois: ``[R, 5]``: index of the image, and edges ``x1, y1, x2, y2``, which are rounded and
            inclusive.
        spatial_scale: Factor of the edges, from image to feature map.
        output_dim: Number of channels of the result.
        pooled_size: Number of rows and of columns of bins in a region; bins without pixels are 0.
        group_size: Number of rows and of columns of groups of channels; ``pooled_size`` if 0.

    Returns:
        ``[R, output_dim, pooled_size, pooled_size]``.

    Raises:
        ShapeError: The operands have wrong shapes.

    Gradient:
        With respect to ``data`` only.

    Source:
        Dai, Li, He, Sun 2016, arXiv:1605.06409, eq. 1.
    """
    return _check_operands(data, rois, output_dim, pooled_size, group_size or pooled_size)


@operator(
    "_psroi_pooling_backward", grad=gradient_by("_contrib_PSROIPooling", 1), params_of=psroi_pooling
)
def psroi_pooling_backward(
    dy: TensorType, rois: TensorType, data: TensorType, **params: Any
) -> TensorType:
    """Return the gradient of ``PSROIPooling`` with respect to ``data``.

    Only the type of ``data`` is used.
    """
    same_dtype(dy, data)
    like_result(dy, psroi_pooling, data, rois, **params)
    return data


def _grad_deformable(saved: Saved, dy: Any) -> tuple[Any, ...]:
    data, rois, trans = saved.inputs
    gradients = deformable_psroi_pooling_backward(dy, data, rois, trans, **saved.params)
    return (gradients, None, None) if trans is None else (gradients[0], None, gradients[1])


@operator(
    "_contrib_DeformablePSROIPooling",
    active=lambda params: ("data", "rois") if params["no_trans"] else ("data", "rois", "trans"),
    grad=_grad_deformable,
    traits=Traits(outputs_in_files=2),
)
def deformable_psroi_pooling(
    data: TensorType,
    rois: TensorType,
    trans: TensorType | None = None,
    *,
    spatial_scale: Probability,
    output_dim: Positive,
    group_size: Positive,
    pooled_size: Positive,
    part_size: NonNegative = 0,
    sample_per_part: Positive = 1,
    trans_std: Probability = 0,
    no_trans: bool = False,  # decides the inputs
) -> TensorType:
    """Return position-sensitive pooling with shifted bins, sampled bilinearly.

    Args:
        data: ``[N, output_dim * group_size ** 2, H, W]``, floating.
        rois: ``[R, 5]``: index of the image, and edges ``x1, y1, x2, y2``, which are rounded and
            inclusive.
        trans: ``[R, 2 * K, part_size, part_size]``: shifts to the right, and down, for each of
            ``K`` classes, among which the output channels are divided; left out with
            ``no_trans=True``.
        spatial_scale: Factor of the edges, from image to feature map.
        output_dim: Number of channels of the result.
        group_size: Number of rows and of columns of groups of channels.
        pooled_size: Number of rows and of columns of bins in a region.
        part_size: Number of rows and of columns of shifts; ``pooled_size`` if 0.
        sample_per_part: Number of samples along each axis of a bin; samples outside of the image
            are ignored.
        trans_std: Factor of ``trans``, together with the size of the region.
        no_trans: Whether ``trans`` is left out.

    Returns:
        ``[R, output_dim, pooled_size, pooled_size]``.

    Raises:
        ShapeError: The operands have wrong shapes.

    Gradient:
        With respect to ``data`` and ``trans``.

    Source:
        Dai et al. 2017, arXiv:1703.06211, section 2.2.
    """
    same_dtype(data, trans)
    pooled = _check_operands(data, rois, output_dim, pooled_size, group_size)
    if trans is not None:
        expect_rank(trans, 4)
        parts = part_size or pooled_size
        trans.set_shape((None if pooled.shape is None else pooled.shape[0], None, parts, parts))
        assert trans.shape is not None
        shifts = trans.shape[1]
        if shifts is not None and (shifts < 2 or shifts % 2 or output_dim % (shifts // 2)):
            raise ShapeError(
                f"{trans.label}{show(trans.shape)} must have 2 K channels (x and y for each of K "
                f"classes), where K divides output_dim={output_dim}"
            )
    return pooled


@operator(
    "_deformable_psroi_pooling_backward",
    outputs=lambda params: ("data",) if params["no_trans"] else ("data", "trans"),
    params_of=deformable_psroi_pooling,
)
def deformable_psroi_pooling_backward(
    dy: TensorType,
    data: TensorType,
    rois: TensorType,
    trans: TensorType | None = None,
    **params: Any,
) -> TensorType | tuple[TensorType, TensorType]:
    """Return the gradients of ``DeformablePSROIPooling`` with respect to ``data`` and ``trans``."""
    floating(dy, data)
    like_result(dy, deformable_psroi_pooling, data, rois, trans, **params)
    return data if trans is None else (data, trans)
