# Written by `hatch run stubs` from the operator catalogue.
import numpy.typing as npt
from collections.abc import Sequence
from typing import Any, Literal, overload
from hy_ndarray import Context
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.nd import _operators as _main

def AdaptiveAvgPooling2D(data: NDArray, output_size: int | Sequence[int] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the average over each cell of a grid on each image.

    Args:
        data: ``[N, C, H, W]``, floating.
        output_size: Rows and columns of the grid; one number for both; empty for a single cell.

    Example:
        >>> nd.contrib.AdaptiveAvgPooling2D(nd.ones((2, 2, 3, 5))).shape
        (2, 2, 1, 1)
    """
def BatchNormWithReLU(data: NDArray, gamma: NDArray, beta: NDArray, moving_mean: NDArray,
        moving_var: NDArray, eps: float = 0.001, momentum: float = 0.9, fix_gamma: bool = True,
        use_global_stats: bool = False, output_mean_var: bool = False, axis: int = 1,
        cudnn_off: bool = False, min_calib_range: float | None = None,
        max_calib_range: float | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> Any:
    """Return ``BatchNorm`` followed by ReLU.

    Example:
        >>> y = nd.contrib.BatchNormWithReLU(
        ...     nd.ones((2, 3, 4)),
        ...     nd.array([0.3, 1.2, 2.0]),
        ...     nd.array([0.3, 1.2, 2.0]),
        ...     nd.array([0.3, 1.2, 2.0]),
        ...     nd.array([0.3, 1.2, 2.0]),
        ...     fix_gamma=False,
        ... )
        >>> y.shape
        (2, 3, 4)
    """
def BilinearResize2D(data: NDArray, like: NDArray | None = None, height: int = 1, width: int = 1,
        scale_height: float | None = None, scale_width: float | None = None,
        mode: Literal["like", "odd_scale", "size", "to_even_down", "to_even_up", "to_odd_down", "to_odd_up"] = "size",
        align_corners: bool = True, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
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

    Example:
        >>> nd.contrib.BilinearResize2D(nd.ones((2, 2, 3, 4)), height=5, width=3).shape
        (2, 2, 5, 3)
    """
@overload
def DeformableConvolution(data: NDArray, offset: NDArray, weight: NDArray, bias: NDArray | None,
        kernel: int | Sequence[int], stride: int | Sequence[int], dilate: int | Sequence[int],
        pad: int | Sequence[int], num_filter: int, num_group: int = 1,
        num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
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

    Example:
        >>> y = nd.contrib.DeformableConvolution(
        ...     nd.ones((2, 3, 5, 4)),
        ...     nd.ones((2, 12, 3, 3)),
        ...     nd.ones((4, 3, 3, 2)),
        ...     nd.array([-2.0, -0.7, 0.7, 2.0]),
        ...     kernel=(3, 2),
        ...     num_filter=4,
        ...     num_deformable_group=1,
        ... )
        >>> y.shape
        (2, 4, 3, 3)
    """
@overload
def DeformableConvolution(data: NDArray, offset: NDArray, weight: NDArray,
        bias: NDArray | None = None, *, kernel: int | Sequence[int],
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), num_filter: int, num_group: int = 1,
        num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW"] | None = None,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
@overload
def DeformablePSROIPooling(data: NDArray, rois: NDArray, trans: NDArray | None,
        spatial_scale: float, output_dim: int, group_size: int, pooled_size: int,
        part_size: int = 0, sample_per_part: int = 1, trans_std: float = 0, no_trans: bool = False,
        *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
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

    Example:
        >>> y = nd.contrib.DeformablePSROIPooling(
        ...     nd.ones((2, 16, 5, 6)),
        ...     nd.array([[0.0, 1.2, 0.3, 4.9, 3.1], [1.0, -2.0, -1.0, 3.3, 9.0], [1.0, 2.0, 2.0, 2.2, 2.1]]),
        ...     nd.ones((3, 4, 2, 2)),
        ...     spatial_scale=0.9,
        ...     output_dim=4,
        ...     group_size=2,
        ...     pooled_size=2,
        ...     sample_per_part=2,
        ...     trans_std=0.11,
        ... )
        >>> y.shape
        (3, 4, 2, 2)
    """
@overload
def DeformablePSROIPooling(data: NDArray, rois: NDArray, trans: NDArray | None = None, *,
        spatial_scale: float, output_dim: int, group_size: int, pooled_size: int,
        part_size: int = 0, sample_per_part: int = 1, trans_std: float = 0, no_trans: bool = False,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
@overload
def ModulatedDeformableConvolution(data: NDArray, offset: NDArray, mask: NDArray, weight: NDArray,
        bias: NDArray | None, kernel: int | Sequence[int], stride: int | Sequence[int],
        dilate: int | Sequence[int], pad: int | Sequence[int], num_filter: int, num_group: int = 1,
        num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        im2col_step: int = 64, layout: Literal["NCDHW", "NCHW", "NCW"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
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

    Example:
        >>> y = nd.contrib.ModulatedDeformableConvolution(
        ...     nd.ones((2, 3, 5, 4)),
        ...     nd.ones((2, 12, 3, 3)),
        ...     nd.ones((2, 6, 3, 3)),
        ...     nd.ones((4, 3, 3, 2)),
        ...     nd.array([-2.0, -0.7, 0.7, 2.0]),
        ...     kernel=(3, 2),
        ...     num_filter=4,
        ...     num_deformable_group=1,
        ... )
        >>> y.shape
        (2, 4, 3, 3)
    """
@overload
def ModulatedDeformableConvolution(data: NDArray, offset: NDArray, mask: NDArray, weight: NDArray,
        bias: NDArray | None = None, *, kernel: int | Sequence[int],
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), num_filter: int, num_group: int = 1,
        num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        im2col_step: int = 64, layout: Literal["NCDHW", "NCHW", "NCW"] | None = None,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def MultiBoxDetection(cls_prob: NDArray, loc_pred: NDArray, anchor: NDArray, clip: bool = True,
        threshold: float = 0.01, background_id: int = 0, nms_threshold: float = 0.5,
        force_suppress: bool = False, variances: float | Sequence[float] = (0.1, 0.1, 0.2, 0.2),
        nms_topk: int = -1, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the detected objects: class, score and box for each anchor.

    Args:
        cls_prob: ``[N, C, A]``: probabilities of the classes; class 0 is the background.
        loc_pred: ``[N, A * 4]``: offsets from the anchors, divided by the variances.
        anchor: ``[1, A, 4]``.
        clip: Clip the boxes to the image.
        threshold: Least probability of the best class for an anchor to be an object.
        background_id: Accepted and ignored; the background is class 0.
        nms_threshold: Overlap from which an object suppresses objects of lower score. Outside of
            0 … 1 objects are neither suppressed nor sorted.
        force_suppress: Whether objects suppress objects of other classes too.
        variances: Factors of the offsets.
        nms_topk: Greatest number of objects before suppression; all, if not positive.

    Returns:
        ``[N, A, 6]``: class (minus 1, so that 0 is the first object class), score and box, by
        descending score. Suppressed objects have class -1; rows after the last object are -1.

    Example:
        >>> y = nd.contrib.MultiBoxDetection(
        ...     nd.array([[[0.1, 0.2, 0.3], [0.5, 0.3, 0.6], [0.4, 0.5, 0.1]]]),
        ...     nd.array([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]),
        ...     nd.array([[[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.5], [0.4, 0.4, 0.6, 0.7]]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[[0. , 0.6, 0.4, 0.4, 0.6, 0.7],
                [0. , 0.5, 0. , 0. , 1. , 1. ],
                [1. , 0.5, 0. , 0. , 1. , 0.5]]], dtype=float32)
    """
def MultiBoxPrior(data: NDArray, sizes: float | Sequence[float] = (1.0,),
        ratios: float | Sequence[float] = (1.0,), clip: bool = False,
        steps: float | Sequence[float] = (-1.0, -1.0),
        offsets: float | Sequence[float] = (0.5, 0.5), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return anchor boxes of several sizes and aspect ratios for each pixel of a feature map.

    There are ``K = len(sizes) + len(ratios) - 1`` anchors per pixel: all sizes with the first
    ratio, then the first size with the other ratios. An anchor of size ``s`` and ratio ``r`` has
    the height ``s / sqrt(r)`` and the width ``s sqrt(r)``, as fractions of the image's height.

    Args:
        data: ``[N, C, H, W]``: the feature map, of which only the type is used.
        sizes: Sizes, as fractions of the height.
        ratios: Aspect ratios, width over height.
        clip: Clip the boxes to the image.
        steps: Height and width of a pixel, as fractions of the image; ``1 / H`` and ``1 / W`` if
            not positive.
        offsets: Vertical and horizontal position of the center within the pixel, from 0 to 1.

    Returns:
        ``[1, H W K, 4]``, in the order of the pixels.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.contrib.MultiBoxPrior(nd.zeros((1, 3, 1, 1)), sizes=(0.5,)).asnumpy()
        array([[[0.25, 0.25, 0.75, 0.75]]], dtype=float32)
    """
def MultiBoxTarget(anchor: NDArray, label: NDArray, cls_pred: NDArray,
        overlap_threshold: float = 0.5, ignore_label: float = -1, negative_mining_ratio: float = -1,
        negative_mining_thresh: float = 0.5, minimum_negative_samples: int = 0,
        variances: float | Sequence[float] = (0.1, 0.1, 0.2, 0.2), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return the training targets of each anchor: its class, and offsets of the matched box.

    Objects and anchors are first matched greedily, the pair of the greatest overlap first. Then
    each unmatched anchor is matched with the object it overlaps most, if the overlap exceeds
    ``overlap_threshold``. All other anchors are background.

    Args:
        anchor: ``[1, A, 4]``.
        label: ``[N, O, 5 or more]``: class and box of each object; rows from the first of class
            -1 on are ignored.
        cls_pred: ``[N, C, A]``: predicted scores of the classes, before softmax; class 0 is the
            background.
        overlap_threshold: Least overlap of the second step, which is skipped if not positive.
        ignore_label: Class of anchors that are excluded from training.
        negative_mining_ratio: Number of background anchors per matched anchor that are kept for
            training: those whose background is predicted worst. All, if not positive.
        negative_mining_thresh: Anchors with at least this overlap are not kept as background.
        minimum_negative_samples: Least number of background anchors to keep.
        variances: Divisors of the offsets.

    Returns:
        ``[N, A * 4]``: offsets ``(x - X) / W, (y - Y) / H, log(w / W), log(h / H)``, divided by the
        variances; 0 for unmatched anchors. ``[N, A * 4]``: 1 for matched anchors, else 0.
        ``[N, A]``: class of the matched object plus 1, or 0 for background. In images without
        objects all classes are ``ignore_label``.
    """
def MultiProposal(cls_prob: NDArray, bbox_pred: NDArray, im_info: NDArray,
        rpn_pre_nms_top_n: int = 6000, rpn_post_nms_top_n: int = 300, threshold: float = 0.7,
        rpn_min_size: int = 16, scales: float | Sequence[float] = (4.0, 8.0, 16.0, 32.0),
        ratios: float | Sequence[float] = (0.5, 1.0, 2.0), feature_stride: int = 16,
        output_score: bool = False, iou_loss: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Return the regions of each image that most likely contain an object.

    There are ``A = len(scales) * len(ratios)`` anchors at each pixel of the feature map. Predicted
    offsets are applied to the anchors, and the boxes are clipped to the image. The best boxes
    remain after non-maximum suppression.

    Args:
        cls_prob: ``[N, 2 A, H, W]``: for each anchor the probability of background, then of an
            object.
        bbox_pred: ``[N, 4 A, H, W]``: offsets ``(x - X) / W, (y - Y) / H, log(w / W),
            log(h / H)`` of the boxes from the anchors.
        im_info: ``[N, 3]``: height, width and scale factor of the image.
        rpn_pre_nms_top_n: Number of boxes of the highest scores before suppression; all, if not
            positive.
        rpn_post_nms_top_n: Number of boxes per image after suppression.
        threshold: Overlap above which the box of the lower score is suppressed.
        rpn_min_size: Least width and height of boxes, in pixels before scaling; smaller ones rank
            last.
        scales: Sizes of the anchors, in units of ``feature_stride``.
        ratios: Aspect ratios of the anchors, height over width.
        feature_stride: Pixels of the image per pixel of the feature map.
        output_score: Also return the scores.
        iou_loss: Whether ``bbox_pred`` holds distances of the edges from those of the anchors.

    Returns:
        ``[N * rpn_post_nms_top_n, 5]``: index of the image, and edges ``x1, y1, x2, y2`` in pixels,
        by descending score; repeated if too few remain. With ``output_score`` also the scores,
        ``[N * rpn_post_nms_top_n, 1]``.

    Example:
        >>> results = nd.contrib.MultiProposal(
        ...     nd.ones((2, 12, 2, 3)),
        ...     nd.ones((2, 24, 2, 3)),
        ...     nd.array([[30.0, 40.0, 1.0], [32.0, 48.0, 1.5]]),
        ...     feature_stride=16,
        ...     scales=(1.0, 2.0),
        ...     rpn_post_nms_top_n=4,
        ...     rpn_min_size=2,
        ...     output_score=True,
        ... )
        >>> [y.shape for y in results]
        [(8, 5), (8, 1)]
    """
def PSROIPooling(data: NDArray, rois: NDArray, spatial_scale: float, output_dim: int,
        pooled_size: int, group_size: int = 0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
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

    Example:
        >>> y = nd.contrib.PSROIPooling(
        ...     nd.ones((2, 18, 5, 6)),
        ...     nd.array([[0.0, 1.2, 0.3, 4.9, 3.1], [1.0, -2.0, -1.0, 3.3, 9.0], [1.0, 2.0, 2.0, 2.2, 2.1]]),
        ...     spatial_scale=0.7,
        ...     output_dim=2,
        ...     pooled_size=3,
        ... )
        >>> y.shape
        (3, 2, 3, 3)
    """
def Proposal(cls_prob: NDArray, bbox_pred: NDArray, im_info: NDArray, rpn_pre_nms_top_n: int = 6000,
        rpn_post_nms_top_n: int = 300, threshold: float = 0.7, rpn_min_size: int = 16,
        scales: float | Sequence[float] = (4.0, 8.0, 16.0, 32.0),
        ratios: float | Sequence[float] = (0.5, 1.0, 2.0), feature_stride: int = 16,
        output_score: bool = False, iou_loss: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Return :func:`multi_proposal` of a single image.

    Example:
        >>> y = nd.contrib.Proposal(
        ...     nd.array([[[[0.5, 0.5, 0.5]], [[0.1, 0.9, 0.3]]]]),
        ...     nd.array([[[[0.0, 0.5, 0.0]], [[0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0]]]]),
        ...     nd.array([[8.0, 24.0, 1.0]]),
        ...     feature_stride=8,
        ...     scales=(1.0,),
        ...     ratios=(1.0,),
        ...     rpn_pre_nms_top_n=3,
        ...     rpn_post_nms_top_n=3,
        ...     threshold=0.5,
        ...     rpn_min_size=4,
        ... )
        >>> y.asnumpy().round(3)
        array([[ 0., 12.,  0., 19.,  7.],
               [ 0., 16.,  0., 23.,  7.],
               [ 0.,  0.,  0.,  7.,  7.]], dtype=float32)
    """
def ROIAlign(data: NDArray, rois: NDArray, pooled_size: int | Sequence[int], spatial_scale: float,
        sample_ratio: int = -1, position_sensitive: bool = False, aligned: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
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

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.arange(16).reshape((1, 1, 4, 4))
        >>> region = nd.array([[0, 0, 0, 2, 2]])
        >>> nd.contrib.ROIAlign(x, region, pooled_size=(2, 1), spatial_scale=1.0).asnumpy()
        array([[[[3.],
                 [7.]]]], dtype=float32)
    """
def RROIAlign(data: NDArray, rois: NDArray, pooled_size: int | Sequence[int], spatial_scale: float,
        sampling_ratio: int = -1, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
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

    Example:
        >>> y = nd.contrib.RROIAlign(
        ...     nd.ones((2, 3, 5, 6)),
        ...     nd.array([[0.0, 2.5, 2.0, 3.0, 2.0, 30.0], [1.0, 1.0, 3.0, 4.5, 0.5, -100.0], [1.0, 9.0, 9.0, 1.0, 1.0, 0.0]]),
        ...     pooled_size=(2, 3),
        ...     spatial_scale=1.0,
        ... )
        >>> y.shape
        (3, 3, 2, 3)
    """
def SparseEmbedding(data: NDArray, weight: NDArray, input_dim: int, output_dim: int,
        dtype: npt.DTypeLike = "float32", deterministic: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the row of ``weight`` for each index; superseded by ``Embedding``.

    Args:
        data: ``[*I]``, as in ``Embedding``.
        weight: ``[input_dim, output_dim]``.
        input_dim: Number of rows.
        output_dim: Length of a row.
        dtype: Dtype of ``weight`` if it is not known otherwise.
        deterministic: Accepted and ignored; the gradient is always deterministic.

    Example:
        >>> y = nd.contrib.SparseEmbedding(
        ...     nd.array([4, 4, 0]),
        ...     nd.ones((5, 2)),
        ...     input_dim=5,
        ...     output_dim=2,
        ... )
        >>> y.shape
        (3, 2)
    """
@overload
def SyncBatchNorm(data: NDArray, gamma: NDArray, beta: NDArray, moving_mean: NDArray,
        moving_var: NDArray, eps: float, momentum: float, fix_gamma: bool, use_global_stats: bool,
        output_mean_var: bool, ndev: int, key: str, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Return ``BatchNorm`` of axis 1; statistics are not shared between devices.

    With ``output_mean_var`` the third output is the variance.

    Example:
        >>> y = nd.contrib.SyncBatchNorm(
        ...     nd.ones((2, 3, 4)),
        ...     nd.array([0.3, 1.2, 2.0]),
        ...     nd.array([0.3, 1.2, 2.0]),
        ...     nd.array([0.3, 1.2, 2.0]),
        ...     nd.array([0.3, 1.2, 2.0]),
        ...     fix_gamma=False,
        ...     key='k',
        ... )
        >>> y.shape
        (2, 3, 4)
    """
@overload
def SyncBatchNorm(data: NDArray, gamma: NDArray, beta: NDArray, moving_mean: NDArray,
        moving_var: NDArray, eps: float = 0.001, momentum: float = 0.9, fix_gamma: bool = True,
        use_global_stats: bool = False, output_mean_var: bool = False, ndev: int = 1, *, key: str,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any: ...
def allclose(a: NDArray, b: NDArray, rtol: float = 1e-05, atol: float = 1e-08,
        equal_nan: bool = True, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return 1 if ``|a - b| <= atol + rtol * |b|`` everywhere, else 0.

    Args:
        a: ``[*shape]``.
        b: Same shape and dtype as ``a``.
        rtol: Tolerance relative to ``b``.
        atol: Absolute tolerance.
        equal_nan: Whether nan equals nan.

    Returns:
        A 0-dimensional uint8.

    Example:
        >>> nd.contrib.allclose(nd.array([-2.0, 2.0]), nd.array([-2.0, 2.0])).asnumpy()
        array(1, dtype=uint8)
    """
def arange_like(data: NDArray, start: float = 0.0, step: float = 1.0, repeat: int = 1,
        ctx: Context | str = "", axis: int | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``start``, ``start + step``, … for each element of ``data``, or along one axis.

    Args:
        data: ``[*shape]``, any dtype; the result has the same dtype.
        start: The first number.
        step: Difference between consecutive numbers.
        repeat: Number of times that each number is repeated.
        ctx: Accepted and ignored; the result is on the device of ``data``.
        axis: The axis whose size the result has; None for the shape of ``data``.

    Returns:
        ``[*shape]``, or a vector of the size of ``axis``.

    Example:
        >>> y = nd.contrib.arange_like(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[0., 1., 2.],
               [3., 4., 5.]], dtype=float32)
    """
@overload
def bipartite_matching(data: NDArray, is_ascend: bool, threshold: float, topk: int = -1, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return a greedy matching of rows with columns by score.

    Args:
        data: ``[*batch, N, M]``, floating: the score of each pair.
        is_ascend: Whether lower scores are better.
        threshold: Pairs must score above it; below it, with ``is_ascend``.
        topk: Limit of pairs: at most ``topk + 1`` are made; no limit if not positive.

    Returns:
        ``[*batch, N]``, the column matched with each row; ``[*batch, M]``, the row matched with
        each column; -1 if unmatched. In the dtype of ``data``.

    Example:
        >>> from hy_ndarray import nd
        >>> scores = nd.array([[0.5, 0.6], [0.1, 0.2], [0.3, 0.4]])
        >>> rows, columns = nd.contrib.bipartite_matching(scores, threshold=0.05)
        >>> rows.asnumpy(), columns.asnumpy()
        (array([ 1., -1.,  0.], dtype=float32), array([2., 0.], dtype=float32))
    """
@overload
def bipartite_matching(data: NDArray, is_ascend: bool = False, *, threshold: float, topk: int = -1,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]: ...
def boolean_mask(data: NDArray, index: NDArray, axis: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the slices along an axis where a mask is not 0.

    Their number depends on the values of the inputs, so shape inference leaves that size unknown.

    Args:
        data: ``[*left, N, *right]`` with ``N`` at ``axis``, any dtype.
        index: The mask, ``[N]``, any dtype.
        axis: The axis; a negative one counts from the end.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.contrib.boolean_mask(nd.array([[1], [2], [3]]), nd.array([1, 0, 1])).asnumpy()
        array([[1.],
               [3.]], dtype=float32)
    """
def box_decode(data: NDArray, anchors: NDArray, std0: float = 1, std1: float = 1, std2: float = 1,
        std3: float = 1, clip: float = -1, format: Literal["center", "corner"] = "center", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return boxes from predicted offsets and anchors: the inverse of ``box_encode``.

    Args:
        data: ``[B, N, 4]``: offsets.
        anchors: ``[1, N, 4]``.
        std0: Factor of the first offset.
        std1: Factor of the second.
        std2: Factor of the third.
        std3: Factor of the fourth.
        clip: Upper bound of the last two scaled offsets (logarithms); none if not positive.
        format: Format of ``anchors``.

    Returns:
        ``[B, N, 4]``, corners.

    Example:
        >>> y = nd.contrib.box_decode(
        ...     nd.ones((3, 4, 4)),
        ...     nd.ones((1, 4, 4)),
        ...     std0=0.1,
        ...     std1=0.2,
        ...     std2=0.3,
        ...     std3=2.0,
        ...     format='corner',
        ... )
        >>> y.shape
        (3, 4, 4)
    """
def box_encode(samples: NDArray, matches: NDArray, anchors: NDArray, refs: NDArray, means: NDArray,
        stds: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return the training targets of each anchor: normalized offsets of the matched box.

    For a box of center ``x, y`` and size ``w, h``, and an anchor ``X, Y, W, H``, the offsets are
    ``(x - X) / W``, ``(y - Y) / H``, ``log(w / W)`` and ``log(h / H)``, minus the means and divided
    by the standard deviations.

    Args:
        samples: ``[B, N]``: 1 for a matched anchor, 0 for background, -1 to ignore the anchor.
        matches: ``[B, N]``: index of the matched box in ``refs``.
        anchors: ``[B, N, 4]``, corners.
        refs: ``[B, M, 4]``, corners.
        means: ``[4]``, means of the offsets.
        stds: ``[4]``, standard deviations of the offsets.

    Returns:
        ``[B, N, 4]``, the offsets, 0 for unmatched anchors; ``[B, N, 4]``, 1 for matched anchors.

    Example:
        >>> results = nd.contrib.box_encode(
        ...     nd.array([[0.0, 1.0, -1.0]]),
        ...     nd.array([[1.0, 0.0, 1.0]]),
        ...     nd.array([[[0.0, 0.0, 1.0, 1.0], [0.25, 0.5, 0.75, 1.0], [1.0, 1.0, 2.0, 2.0]]]),
        ...     nd.array([[[-0.25, 0.25, 0.75, 0.75], [0.0, 0.0, 1.0, 1.0]]]),
        ...     nd.array([0.0, 0.0, 0.0, 0.0]),
        ...     nd.array([0.1, 0.1, 0.5, 0.5]),
        ... )
        >>> [y.shape for y in results]
        [(1, 3, 4), (1, 3, 4)]
    """
def box_iou(lhs: NDArray, rhs: NDArray, format: Literal["center", "corner"] = "corner", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the intersection over union of each pair of boxes of two arrays.

    Args:
        lhs: ``[*A, 4]``, floating.
        rhs: ``[*B, 4]``, same dtype as ``lhs``.
        format: ``"corner"`` or ``"center"``.

    Returns:
        ``[*A, *B]``; 0 where boxes do not overlap, or have no area.

    Example:
        >>> from hy_ndarray import nd
        >>> a, b = nd.array([[0, 0, 2, 2]]), nd.array([[1, 0, 3, 2], [5, 5, 6, 6]])
        >>> nd.contrib.box_iou(a, b).asnumpy().round(3)
        array([[0.333, 0.   ]], dtype=float32)
    """
def box_nms(data: NDArray, overlap_thresh: float = 0.5, valid_thresh: float = 0, topk: int = -1,
        coord_start: int = 2, score_index: int = 1, id_index: int = -1, background_id: int = -1,
        force_suppress: bool = False, in_format: Literal["center", "corner"] = "corner",
        out_format: Literal["center", "corner"] = "corner", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the boxes that remain after non-maximum suppression, best first.

    Boxes are visited by descending score; each box not yet suppressed suppresses the boxes of lower
    score that it overlaps by more than ``overlap_thresh``.

    Args:
        data: ``[*batch, N, K]``, floating: for each box its score, four coordinates, and any
            other numbers.
        overlap_thresh: Intersection over union above which a box is suppressed.
        valid_thresh: Boxes whose score is not above it are removed first.
        topk: Number of boxes of the highest scores that take part in suppression, per batch
            entry; all, if not positive.
        coord_start: Index of the first coordinate in the last axis.
        score_index: Index of the score in the last axis.
        id_index: Index of the class in the last axis; boxes suppress only boxes of their own
            class. Negative if there are no classes.
        background_id: Boxes of this class are removed first.
        force_suppress: Whether boxes suppress boxes of other classes too.
        in_format: Format of the boxes in ``data``.
        out_format: Format of the boxes in the result.

    Returns:
        ``[*batch, N, K]``: the remaining boxes by descending score, then rows of -1.

    Example:
        >>> from hy_ndarray import nd
        >>> boxes = nd.array([[0, 0.5, 0, 0, 2, 2], [0, 0.9, 0, 0, 2, 1.9], [0, 0.4, 5, 5, 6, 6]])
        >>> nd.contrib.box_nms(boxes)[:, 1].asnumpy()
        array([ 0.9,  0.4, -1. ], dtype=float32)
    """
def calibrate_entropy(hist: NDArray, hist_edges: NDArray, num_quantized_bins: int = 255, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return the clipping threshold for quantization with the least KL divergence.

    Each candidate threshold keeps the bins in the middle of the histogram, and counts the numbers
    outside of them in the outermost kept bins. The returned threshold is the one for which merging
    the kept bins into ``num_quantized_bins`` changes the distribution least.

    Args:
        hist: ``[B]``, the count of each bin; ``B`` is odd, and the bins are symmetric about zero.
        hist_edges: ``[B + 1]``, the edges of the bins.
        num_quantized_bins: Number of quantized levels, odd and at most ``B``.

    Returns:
        The threshold and its divergence, ``[1]`` each.

    Example:
        >>> results = nd.contrib.calibrate_entropy(
        ...     nd.array([900.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0, 110.0, 120.0, 130.0, 900.0]),
        ...     nd.array([-1.0, -0.8666666746139526, -0.7333333492279053, -0.6000000238418579, -0.46666666865348816, -0.3333333432674408, -0.20000000298023224, -0.06666667014360428, 0.06666667014360428, 0.20000000298023224, 0.3333333432674408, 0.46666666865348816, 0.6000000238418579, 0.7333333492279053, 0.8666666746139526, 1.0]),
        ...     num_quantized_bins=7,
        ... )
        >>> [y.shape for y in results]
        [(1,), (1,)]
    """
def count_sketch(data: NDArray, h: NDArray, s: NDArray, out_dim: int,
        processing_batch_size: int = 32, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the count sketch: element ``j`` is added to element ``h[j]`` with sign ``s[j]``.

    Args:
        data: ``[*batch, D]``.
        h: ``[1, D]``, positions below ``out_dim``.
        s: ``[1, D]``, signs: 1 or -1.
        out_dim: Size of the result's last axis.
        processing_batch_size: Accepted and ignored.

    Returns:
        ``[*batch, out_dim]``.

    Example:
        >>> y = nd.contrib.count_sketch(
        ...     nd.ones((3, 4)),
        ...     nd.array([[0.0, 2.0, 2.0, 1.0]]),
        ...     nd.array([[1.0, -1.0, 1.0, -1.0]]),
        ...     out_dim=5,
        ... )
        >>> y.shape
        (3, 5)
    """
def dequantize(data: NDArray, min_range: NDArray, max_range: NDArray,
        out_type: Literal["float32"] = "float32", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the real numbers that integers represent, the inverse of :func:`quantize_v2`.

    Args:
        data: ``[*S]``, ``int8``, ``uint8`` or ``int32``.
        min_range: ``[1]``, the least number that ``data`` can represent.
        max_range: ``[1]``, the greatest number that ``data`` can represent.
        out_type: Dtype of the result, ``float32``.

    Returns:
        ``[*S]``: ``data · r / n`` for the largest magnitude ``r`` of the range, where ``n`` is
        127.5, 255.5 or ``2³¹ - 1``.

    Example:
        >>> from hy_ndarray import nd
        >>> q = nd.array([-51, 102], dtype="int8")
        >>> nd.contrib.dequantize(q, nd.array([-1]), nd.array([1])).asnumpy().round(3)
        array([-0.4,  0.8], dtype=float32)
    """
def div_sqrt_dim(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return ``data`` divided by the square root of the size of its last axis.

    Args:
        data: ``[*shape, D]``, floating.

    Example:
        >>> nd.contrib.div_sqrt_dim(nd.ones((2, 4))).shape
        (2, 4)
    """
def fft(data: NDArray, compute_size: int = 128, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the discrete Fourier transform of real vectors.

    Args:
        data: ``[*batch, D]``, floating.
        compute_size: Accepted and ignored.

    Returns:
        ``[*batch, 2 * D]``: real and imaginary parts, interleaved.

    Example:
        >>> nd.contrib.fft(nd.array([-2.0, -0.7, 0.7, 2.0]), compute_size=1).asnumpy().round(3)
        array([ 0. ,  0. , -2.7,  2.7, -2.6,  0. , -2.7, -2.7], dtype=float32)
    """
def getnnz(data: NDArray, axis: int | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the number of elements that are not 0.

    Args:
        data: ``[M, N]``, any dtype.
        axis: Count along this axis; over all elements if None.

    Returns:
        int64: ``[N]`` for axis 0, ``[M]`` for axis 1, ``[1]`` for all elements.

    Example:
        >>> nd.contrib.getnnz(nd.array([[0.0, 1.0, 2.0], [0.0, 0.0, 3.0]])).asnumpy()
        array([3])
    """
def gradientmultiplier(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``data`` unchanged; its gradient is multiplied by ``scalar``.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The factor; a negative one reverses the gradient.
        is_int: Whether ``scalar`` is an integer.

    Example:
        >>> y = nd.contrib.gradientmultiplier(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     scalar=0.5,
        ...     is_int=False,
        ... )
        >>> y.asnumpy().round(3)
        array([[-2. , -1.2, -0.4],
               [ 0.4,  1.2,  2. ]], dtype=float32)
    """
def group_adagrad_update(weight: NDArray, grad: NDArray, history: NDArray, lr: float,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, epsilon: float = 1e-05, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """AdaGrad with one history for each row: the sum of the means of its squared gradients.

    Args:
        weight: ``[N, *rest]``, floating.
        grad: The type of ``weight``.
        history: ``[N, 1]``, overwritten; the dtype of ``weight``.
        lr: Learning rate.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        epsilon: Added to the history.

    Returns:
        The new weight.

    Example:
        >>> y = nd.contrib.group_adagrad_update(
        ...     nd.array([[0.0, 0.4, 0.8], [1.2, 1.6, 2.0]]),
        ...     nd.array([[0.0, 0.4, 0.8], [1.2, 1.6, 2.0]]),
        ...     nd.array([[0.0], [2.0]]),
        ...     lr=0.1,
        ... )
        >>> y.asnumpy().round(3)
        array([[0.   , 0.323, 0.645],
               [1.144, 1.526, 1.907]], dtype=float32)
    """
def hawkesll(lda: NDArray, alpha: NDArray, beta: NDArray, state: NDArray, lags: NDArray,
        marks: NDArray, valid_length: NDArray, max_time: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return the log likelihood of events of ``K`` kinds under Hawkes processes (1971).

    The intensity of kind ``k`` at time ``t`` is ``lda + alpha beta Σ exp(-beta (t - s))``, summed
    over the events of that kind at times ``s`` before ``t``.

    Args:
        lda: ``[N, K]``, background intensities.
        alpha: ``[K]``, branching ratios: the mean number of events that an event triggers.
        beta: ``[K]``, decay rates of the excitation.
        state: ``[N, K]``, initial value of the sum, from earlier events.
        lags: ``[N, T]``, times between consecutive events.
        marks: ``[N, T]``, int32, kinds of the events.
        valid_length: ``[N]``, numbers of valid events.
        max_time: ``[N]``, ends of the observation intervals.

    Returns:
        The log likelihood, ``[N]``; and the sum at ``max_time``, ``[N, K]``.

    Example:
        >>> results = nd.contrib.hawkesll(
        ...     nd.array([[0.2, 0.3, 0.5], [0.6, 0.8, 0.9]]),
        ...     nd.array([0.2, 0.6, 0.9]),
        ...     nd.array([0.2, 0.6, 0.9]),
        ...     nd.array([[0.6331843992741164, 0.9674359524936766, 0.6830648223096253], [0.39162483308002616, 0.18725256972009807, 0.3459606655717331]]),
        ...     nd.array([[0.33545092082438477, 0.36864202907271104, 0.8328031665348523, 0.1827243479215872, 0.6400904733690886], [0.7557044741306151, 0.2691109660299431, 0.14963196459976139, 0.3474724311154343, 0.6916897133880333]]),
        ...     nd.array([[0, 1, 0, 0, 2], [1, 2, 2, 2, 1]], dtype='int32'),
        ...     nd.array([4.0, 5.0]),
        ...     nd.array([2.6597109377226236, 2.513609549263787]),
        ... )
        >>> [y.shape for y in results]
        [(2,), (2, 3)]
    """
def ifft(data: NDArray, compute_size: int = 128, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the real part of the inverse Fourier transform, not divided by ``D``.

    Args:
        data: ``[*batch, 2 * D]``: real and imaginary parts, interleaved.
        compute_size: Accepted and ignored.

    Returns:
        ``[*batch, D]``; ``ifft(fft(x))`` is ``D * x``.

    Example:
        >>> nd.contrib.ifft(nd.array([[-2.0, 2.0]])).asnumpy().round(3)
        array([[-2.]], dtype=float32)
    """
def index_array(data: NDArray, axes: int | Sequence[int] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the index of each element along the axes.

    Args:
        data: ``[*sizes]``; only its shape is used.
        axes: The axes, in this order; negative ones count from the end. All if None.

    Returns:
        ``[*sizes, M]`` with the ``M`` coordinates of each element, int64.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.contrib.index_array(nd.zeros((2, 2))).asnumpy().tolist()
        [[[0, 0], [0, 1]], [[1, 0], [1, 1]]]
    """
def index_copy(old_tensor: NDArray, index_vector: NDArray, new_tensor: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return a copy of ``old_tensor`` with some of its slices replaced.

    Args:
        old_tensor: ``[N, *rest]``, any dtype.
        index_vector: ``[I]``, indices along the first axis; of equal ones the last takes effect.
        new_tensor: ``[I, *rest]``, the dtype of ``old_tensor``.

    Example:
        >>> from hy_ndarray import nd
        >>> x, new = nd.zeros((3, 2)), nd.array([[1, 2]])
        >>> nd.contrib.index_copy(x, nd.array([1]), new).asnumpy()
        array([[0., 0.],
               [1., 2.],
               [0., 0.]], dtype=float32)
    """
def interleaved_matmul_encdec_qk(queries: NDArray, keys_values: NDArray, heads: int, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the scores of cross-attention, ``query · keyᵀ / sqrt(D)`` for each head.

    Args:
        queries: ``[L, N, heads * D]``.
        keys_values: ``[M, N, heads * 2 * D]``, interleaved: key, value.
        heads: Number of heads.

    Returns:
        ``[N * heads, L, M]``.

    Example:
        >>> y = nd.contrib.interleaved_matmul_encdec_qk(
        ...     nd.ones((3, 2, 6)),
        ...     nd.ones((5, 2, 12)),
        ...     heads=3,
        ... )
        >>> y.shape
        (6, 3, 5)
    """
def interleaved_matmul_encdec_valatt(keys_values: NDArray, attention: NDArray, heads: int, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the output of cross-attention: ``attention · value`` for each head.

    Args:
        keys_values: ``[M, N, heads * 2 * D]``, interleaved: key, value.
        attention: ``[N * heads, L, M]``, attention weights.
        heads: Number of heads.

    Returns:
        ``[L, N, heads * D]``.

    Example:
        >>> y = nd.contrib.interleaved_matmul_encdec_valatt(
        ...     nd.ones((5, 1, 8)),
        ...     nd.ones((2, 3, 5)),
        ...     heads=2,
        ... )
        >>> y.shape
        (3, 1, 4)
    """
def interleaved_matmul_selfatt_qk(queries_keys_values: NDArray, heads: int, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the scores of self-attention, ``query · keyᵀ / sqrt(D)`` for each head.

    Args:
        queries_keys_values: ``[L, N, heads * 3 * D]``, interleaved: query, key, value.
        heads: Number of heads.

    Returns:
        ``[N * heads, L, L]``.

    Example:
        >>> nd.contrib.interleaved_matmul_selfatt_qk(nd.ones((4, 2, 18)), heads=2).shape
        (4, 4, 4)
    """
def interleaved_matmul_selfatt_valatt(queries_keys_values: NDArray, attention: NDArray, heads: int,
        *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the output of self-attention: ``attention · value`` for each head.

    Args:
        queries_keys_values: ``[L, N, heads * 3 * D]``, interleaved: query, key, value.
        attention: ``[N * heads, L, L]``, attention weights.
        heads: Number of heads.

    Returns:
        ``[L, N, heads * D]``.

    Example:
        >>> y = nd.contrib.interleaved_matmul_selfatt_valatt(
        ...     nd.ones((4, 2, 18)),
        ...     nd.ones((4, 4, 4)),
        ...     heads=2,
        ... )
        >>> y.shape
        (4, 2, 6)
    """
def quadratic(data: NDArray, a: float = 0.0, b: float = 0.0, c: float = 0.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``a * data² + b * data + c``.

    Args:
        data: ``[*shape]``, any dtype.
        a: Coefficient of ``data²``.
        b: Coefficient of ``data``.
        c: The constant term.

    Example:
        >>> y = nd.contrib.quadratic(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     a=1.5,
        ...     b=-2.0,
        ...     c=0.5,
        ... )
        >>> y.asnumpy().round(3)
        array([[10.5 ,  5.06,  1.54],
               [-0.06,  0.26,  2.5 ]], dtype=float32)
    """
def quantize(data: NDArray, min_range: NDArray, max_range: NDArray,
        out_type: Literal["int8", "uint8"] = "uint8", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return ``data`` quantized to integers over a given range.

    With ``r = max(|min_range|, |max_range|)`` the integers are ``data · 127 / r``, or for ``uint8``
    ``data · 255 / r``, rounded and clipped to the range of the dtype, so that negative numbers
    become zero in ``uint8``.

    Args:
        data: ``[*S]``, float32.
        min_range: ``[1]``, the least number to represent.
        max_range: ``[1]``, the greatest number to represent.
        out_type: Dtype of the integers.

    Returns:
        The integers ``[*S]``, and the ends of the range that they represent: ``-r`` and ``r`` for
        ``int8``, else the given ones.

    Example:
        >>> from hy_ndarray import nd
        >>> x, low, high = nd.array([-2, 0.5, 1]), nd.array([-1]), nd.array([1])
        >>> nd.contrib.quantize(x, low, high, out_type="int8")[0].asnumpy()
        array([-128,   64,  127], dtype=int8)
    """
def quantize_v2(data: NDArray, out_type: Literal["auto", "int8", "uint8"] = "int8",
        min_calib_range: float | None = None, max_calib_range: float | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return ``data`` quantized to integers, over a calibrated range or the range of ``data``.

    With the largest magnitude ``r`` of the range, the integers are ``data · 127.5 / r``, or for
    ``uint8`` ``data · 255.5 / r``, rounded and clipped to the range of the dtype.

    Args:
        data: ``[*S]``, float32.
        out_type: Dtype of the integers; ``"auto"`` is ``uint8`` if the given range has no negative
            numbers, else ``int8``.
        min_calib_range: The least number to represent; the minimum of ``data`` by default.
        max_calib_range: The greatest number to represent; the maximum of ``data`` by default.

    Returns:
        The integers ``[*S]``, and the ends of the range that they represent: ``-r`` and ``r`` for
        ``int8``, else the given or computed ones.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.contrib.quantize_v2(nd.array([-1, 0.5, 1]))[0].asnumpy()
        array([-128,   64,  127], dtype=int8)
    """
def quantized_act(data: NDArray, min_data: NDArray, max_data: NDArray,
        act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"], *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return ReLU of 8-bit integers; dtype and range do not change.

    Example:
        >>> results = nd.contrib.quantized_act(
        ...     nd.array([[], []], dtype='int8'),
        ...     nd.array([-2.0]),
        ...     nd.array([1.5]),
        ...     act_type='relu',
        ... )
        >>> [y.shape for y in results]
        [(2, 0), (1,), (1,)]
    """
def quantized_batch_norm(data: NDArray, gamma: NDArray, beta: NDArray, moving_mean: NDArray,
        moving_var: NDArray, min_data: NDArray, max_data: NDArray, eps: float = 0.001,
        momentum: float = 0.9, fix_gamma: bool = True, use_global_stats: bool = False,
        output_mean_var: bool = False, axis: int = 1, cudnn_off: bool = False,
        min_calib_range: float | None = None, max_calib_range: float | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return ``BatchNorm`` of 8-bit integers, with the moving averages as in prediction.

    Args:
        data: ``[*shape]``, ``int8`` or ``uint8``, ``C`` channels along ``axis``.
        gamma: ``[C]``, float32.
        beta: ``[C]``, float32.
        moving_mean: ``[C]``, float32, auxiliary state.
        moving_var: ``[C]``, float32, auxiliary state.
        min_data: ``[1]``, the least number that ``data`` can represent.
        max_data: ``[1]``, the greatest number that ``data`` can represent.
        eps: Added to the variance.
        momentum: Accepted and ignored.
        fix_gamma: Treat ``gamma`` as ones.
        use_global_stats: Accepted and ignored.
        output_mean_var: Accepted and ignored.
        axis: The axis of the channels.
        cudnn_off: Accepted and ignored.
        min_calib_range: The least result to represent; the minimum of the results by default.
        max_calib_range: The greatest number to represent.

    Returns:
        ``int8`` of the shape of ``data``, and the range.

    Example:
        >>> results = nd.contrib.quantized_batch_norm(
        ...     nd.array([[[120, 66, 62], [79, 19, -102]]], dtype='int8'),
        ...     nd.array([1.5, 2.0, 0.5]),
        ...     nd.array([0.10000000149011612, 0.20000000298023224, 0.30000001192092896]),
        ...     nd.array([0.0, 0.10000000149011612, 0.20000000298023224]),
        ...     nd.array([1.0, 2.0, 0.5]),
        ...     nd.array([-2.0]),
        ...     nd.array([1.5]),
        ...     axis=-1,
        ...     fix_gamma=False,
        ...     min_calib_range=-2.0,
        ...     max_calib_range=2.5,
        ... )
        >>> [y.shape for y in results]
        [(1, 2, 3), (1,), (1,)]
    """
def quantized_concat(*data: NDArray | Sequence[NDArray], num_args: int, dim: int = 1,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return the concatenation of quantized arrays, converted to a common range.

    Args:
        data: The arrays, ``int8`` or ``uint8``, then the ends of the range of each:
            ``a, b, min_a, max_a, min_b, max_b``.
        num_args: Number of arrays, not counting the ends of their ranges.
        dim: The axis; a negative one counts from the end.

    Returns:
        The concatenated array, ``uint8`` if all arrays are, else ``int8``, and the ends of a range
        that contains the ranges of all arrays.

    Example:
        >>> results = nd.contrib.quantized_concat(
        ...     nd.array([[65, -40, -21], [86, -56, -125]], dtype='int8'),
        ...     nd.array([[65], [-40]], dtype='int8'),
        ...     nd.array([-1.0]),
        ...     nd.array([1.0]),
        ...     nd.array([-2.0]),
        ...     nd.array([1.5]),
        ...     num_args=2,
        ...     dim=1,
        ... )
        >>> [y.shape for y in results]
        [(2, 4), (1,), (1,)]
    """
@overload
def quantized_conv(data: NDArray, weight: NDArray, bias: NDArray | None, min_data: NDArray | None,
        max_data: NDArray | None, min_weight: NDArray | None, max_weight: NDArray | None,
        min_bias: NDArray | None, max_bias: NDArray | None, kernel: int | Sequence[int],
        stride: int | Sequence[int], dilate: int | Sequence[int], pad: int | Sequence[int],
        num_filter: int, num_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return ``Convolution`` of 8-bit integers, accumulated in ``int32``.

    Args:
        data: ``[N, C, *space]`` or the layout's order, ``int8`` or ``uint8``.
        weight: ``[num_filter, C / num_group, *kernel]``, ``int8``.
        bias: ``[num_filter]``, ``int8``, rescaled to the unit of the accumulators.
        min_data: ``[1]``, the least number that ``data`` can represent.
        max_data: ``[1]``, the greatest number that ``data`` can represent.
        min_weight: Least number of ``weight``: ``[1]``, or ``[num_filter]`` for one per filter.
        max_weight: Greatest number of ``weight``, in the shape of ``min_weight``.
        min_bias: ``[1]``, the least number that ``bias`` can represent.
        max_bias: ``[1]``, the greatest number that ``bias`` can represent.
        kernel: Size of the window along each spatial axis.
        stride: Step between windows along each axis; 1 by default.
        dilate: Step between the elements of a window along each axis; 1 by default.
        pad: Zeros added at both ends of each spatial axis; none by default.
        num_filter: Number of output channels.
        num_group: Number of groups of channels and filters.
        workspace: Accepted and ignored.
        no_bias: Whether there is neither a bias nor a range for it.
        cudnn_tune: Accepted and ignored.
        cudnn_off: Accepted and ignored.
        layout: Order of the axes, ``NCW``, ``NCHW`` or ``NCDHW`` by default.

    Returns:
        The accumulators, ``int32``, and the ends of the range that ``int32`` represents.
    """
@overload
def quantized_conv(data: NDArray, weight: NDArray, bias: NDArray | None = None,
        min_data: NDArray | None = None, max_data: NDArray | None = None,
        min_weight: NDArray | None = None, max_weight: NDArray | None = None,
        min_bias: NDArray | None = None, max_bias: NDArray | None = None, *,
        kernel: int | Sequence[int], stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (), num_filter: int,
        num_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]: ...
def quantized_elemwise_add(lhs: NDArray, rhs: NDArray, lhs_min: NDArray, lhs_max: NDArray,
        rhs_min: NDArray, rhs_max: NDArray, min_calib_range: float | None = None,
        max_calib_range: float | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> list[NDArray]:
    """Return the sum of two quantized arrays, whose ranges may differ.

    Args:
        lhs: ``[*S]``, ``int8`` or ``uint8``.
        rhs: ``[*S]``, ``int8`` or ``uint8``.
        lhs_min: ``[1]``, the least number that ``lhs`` can represent.
        lhs_max: ``[1]``, the greatest number that ``lhs`` can represent.
        rhs_min: ``[1]``, the least number that ``rhs`` can represent.
        rhs_max: ``[1]``, the greatest number that ``rhs`` can represent.
        min_calib_range: The least sum to represent; ``int32`` sums by default.
        max_calib_range: The greatest number to represent.

    Returns:
        The sum and the ends of its range. With a calibrated range, 8-bit integers: ``uint8`` if
        both operands are, else ``int8``; by default ``int32``, over a range that holds every sum.

    Example:
        >>> results = nd.contrib.quantized_elemwise_add(
        ...     nd.array([[65, -40, -21], [86, -56, -125]], dtype='int8'),
        ...     nd.array([[65, -40, -21], [86, -56, -125]], dtype='int8'),
        ...     nd.array([-1.0]),
        ...     nd.array([1.0]),
        ...     nd.array([-2.0]),
        ...     nd.array([1.5]),
        ...     min_calib_range=-2.0,
        ...     max_calib_range=2.5,
        ... )
        >>> [y.shape for y in results]
        [(2, 3), (1,), (1,)]
    """
def quantized_elemwise_mul(lhs: NDArray, rhs: NDArray, lhs_min: NDArray, lhs_max: NDArray,
        rhs_min: NDArray, rhs_max: NDArray, min_calib_range: float | None = None,
        max_calib_range: float | None = None, enable_float_output: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Return the product of two quantized arrays, whose ranges may differ.

    Args:
        lhs: ``[*S]``, ``int8`` or ``uint8``.
        rhs: ``[*S]``, ``int8`` or ``uint8``.
        lhs_min: ``[1]``, the least number that ``lhs`` can represent.
        lhs_max: ``[1]``, the greatest number that ``lhs`` can represent.
        rhs_min: ``[1]``, the least number that ``rhs`` can represent.
        rhs_max: ``[1]``, the greatest number that ``rhs`` can represent.
        min_calib_range: The least product to represent; ``int32`` products by default.
        max_calib_range: The greatest number to represent.
        enable_float_output: Return the product as ``float32``, without a range.

    Returns:
        The product and the ends of its range. With a calibrated range, 8-bit integers: ``uint8`` if
        both operands are, else ``int8``; by default ``int32``, over the range that ``int32``
        represents. A ``float32`` product has no range.

    Example:
        >>> y = nd.contrib.quantized_elemwise_mul(
        ...     nd.array([[65, -40, -21], [86, -56, -125]], dtype='int8'),
        ...     nd.array([[65, -40, -21], [86, -56, -125]], dtype='int8'),
        ...     nd.array([-1.0]),
        ...     nd.array([1.0]),
        ...     nd.array([-2.0]),
        ...     nd.array([1.5]),
        ...     enable_float_output=True,
        ... )
        >>> y.asnumpy().round(3)
        array([[0.52 , 0.197, 0.054],
               [0.91 , 0.386, 1.922]], dtype=float32)
    """
def quantized_embedding(data: NDArray, weight: NDArray, min_weight: NDArray, max_weight: NDArray,
        input_dim: int, output_dim: int, dtype: npt.DTypeLike = "float32",
        sparse_grad: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> list[NDArray]:
    """Return the row of a quantized ``weight`` for each index; the range does not change.

    Args:
        data: ``[*I]``, any dtype; indices out of range are clipped.
        weight: ``[input_dim, output_dim]``, ``int8``.
        min_weight: ``[1]``, the least number that ``weight`` can represent.
        max_weight: ``[1]``, the greatest number that ``weight`` can represent.
        input_dim: Number of rows.
        output_dim: Length of a row.
        dtype: Accepted and ignored; rows are ``int8``.
        sparse_grad: Accepted and ignored.

    Returns:
        ``[*I, output_dim]``, and the range.

    Example:
        >>> results = nd.contrib.quantized_embedding(
        ...     nd.array([0.0, 3.0, 9.0, -1.0]),
        ...     nd.array([[65, -40, -21], [86, -56, -125], [121, -62, -28], [-15, 123, -101]], dtype='int8'),
        ...     nd.array([-2.0]),
        ...     nd.array([1.5]),
        ...     input_dim=4,
        ...     output_dim=3,
        ... )
        >>> [y.shape for y in results]
        [(4, 3), (1,), (1,)]
    """
def quantized_flatten(data: NDArray, min_data: NDArray, max_data: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return quantized ``data`` with all axes but the first flattened; the range does not change.

    Args:
        data: ``[N, *rest]``.
        min_data: ``[1]``, the least number that ``data`` can represent.
        max_data: ``[1]``, the greatest number that ``data`` can represent.

    Returns:
        ``[N, the product of rest]``, and the range.

    Example:
        >>> results = nd.contrib.quantized_flatten(
        ...     nd.array([127, 100, -94], dtype='int8'),
        ...     nd.array([-2.0]),
        ...     nd.array([1.5]),
        ... )
        >>> [y.shape for y in results]
        [(3, 1), (1,), (1,)]
    """
@overload
def quantized_fully_connected(data: NDArray, weight: NDArray, bias: NDArray | None,
        min_data: NDArray | None, max_data: NDArray | None, min_weight: NDArray | None,
        max_weight: NDArray | None, min_bias: NDArray | None, max_bias: NDArray | None,
        num_hidden: int, no_bias: bool = False, flatten: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return ``FullyConnected`` of 8-bit integers, accumulated in ``int32``.

    Args:
        data: ``[N, *rest]``, ``int8`` or ``uint8``; with ``flatten=False`` ``[*batch, I]``.
        weight: ``[num_hidden, I]``, ``int8``.
        bias: ``[num_hidden]``, ``int8``, rescaled to the unit of the accumulators.
        min_data: ``[1]``, the least number that ``data`` can represent.
        max_data: ``[1]``, the greatest number that ``data`` can represent.
        min_weight: Least number of ``weight``: ``[1]``, or ``[num_hidden]`` for one per row.
        max_weight: Greatest number of ``weight``, in the shape of ``min_weight``.
        min_bias: ``[1]``, the least number that ``bias`` can represent.
        max_bias: ``[1]``, the greatest number that ``bias`` can represent.
        num_hidden: Size of the result's last axis.
        no_bias: Whether there is neither a bias nor a range for it.
        flatten: Whether to flatten all axes but the first.

    Returns:
        The accumulators, ``int32``, and the ends of the range that ``int32`` represents.

    Example:
        >>> results = nd.contrib.quantized_fully_connected(
        ...     nd.array([[65, -40, -21], [86, -56, -125]], dtype='int8'),
        ...     nd.array([[65, -40, -21], [86, -56, -125], [121, -62, -28], [-15, 123, -101]], dtype='int8'),
        ...     nd.array([127, 100, -94, -7], dtype='int8'),
        ...     nd.array([-1.0]),
        ...     nd.array([1.0]),
        ...     nd.array([-2.0]),
        ...     nd.array([1.5]),
        ...     nd.array([-4.0]),
        ...     nd.array([3.0]),
        ...     num_hidden=4,
        ... )
        >>> [y.shape for y in results]
        [(2, 4), (1,), (1,)]
    """
@overload
def quantized_fully_connected(data: NDArray, weight: NDArray, bias: NDArray | None = None,
        min_data: NDArray | None = None, max_data: NDArray | None = None,
        min_weight: NDArray | None = None, max_weight: NDArray | None = None,
        min_bias: NDArray | None = None, max_bias: NDArray | None = None, *, num_hidden: int,
        no_bias: bool = False, flatten: bool = True, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> list[NDArray]: ...
def quantized_pooling(data: NDArray, min_data: NDArray, max_data: NDArray,
        kernel: int | Sequence[int] = (), pool_type: Literal["avg", "lp", "max", "sum"] = "max",
        global_pool: bool = False, cudnn_off: bool = False,
        pooling_convention: Literal["full", "same", "valid"] = "valid",
        stride: int | Sequence[int] = (), pad: int | Sequence[int] = (), p_value: int | None = None,
        count_include_pad: bool | None = None,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return ``Pooling`` of 8-bit integers: maxima, or rounded averages.

    The parameters are those of ``Pooling``; ``data`` is ``int8`` or ``uint8`` and keeps its range.
    """
def requantize(data: NDArray, min_range: NDArray, max_range: NDArray,
        out_type: Literal["auto", "int8", "uint8"] = "int8", min_calib_range: float | None = None,
        max_calib_range: float | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> list[NDArray]:
    """Return ``int32`` accumulators quantized to 8 bits, over a calibrated or computed range.

    Args:
        data: ``[*S]``, ``int32``.
        min_range: ``[1]``, the least number that ``data`` can represent.
        max_range: ``[1]``, the greatest number that ``data`` can represent.
        out_type: Dtype of the integers; ``"auto"`` is ``uint8`` if the given range has no negative
            numbers, else ``int8``.
        min_calib_range: The least number to represent; the minimum of ``data`` by default.
        max_calib_range: The greatest number to represent; the maximum of ``data`` by default.

    Returns:
        The integers ``[*S]``, and the ends of the range that they represent: minus the largest
        magnitude, or 0 for ``uint8``, and the largest magnitude.

    Example:
        >>> results = nd.contrib.requantize(
        ...     nd.array([[1073741824, -536870912, 1048576]], dtype='int32'),
        ...     nd.array([-1.0]),
        ...     nd.array([2.0]),
        ...     out_type='int8',
        ... )
        >>> [y.shape for y in results]
        [(1, 3), (1,), (1,)]
    """
def rms_norm(data: NDArray, gamma: NDArray, eps: float = 1e-06, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``gamma data / sqrt(mean(data²) + eps)`` for each vector along the last axis.

    Sums of 16-bit data are float32.

    Args:
        data: ``[*shape, C]``, floating.
        gamma: ``[C]``.
        eps: Added to the mean square.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.contrib.rms_norm(nd.array([[3, 4]]), nd.array([1, 5])).asnumpy().round(2)
        array([[0.85, 5.66]], dtype=float32)
    """
def rotary_embedding(data: NDArray, cos: NDArray, sin: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return vectors that are rotated: ``data cos + swapped sin``, with swapped halves of ``data``.

    With the cosines and sines of ``D / 2`` angles, twice, and the first sines negated, elements
    ``i`` and ``i + D / 2`` of a vector are rotated as a pair.

    Args:
        data: ``[*shape, D]``, floating, with an even ``D``.
        cos: ``[*, D]``, which broadcasts to the shape of ``data``.
        sin: Likewise.

    Example:
        >>> from hy_ndarray import nd
        >>> x, cos, sin = nd.array([[3, 4]]), nd.array([0, 0]), nd.array([-1, 1])
        >>> nd.contrib.rotary_embedding(x, cos, sin).asnumpy()  # by a right angle
        array([[-4.,  3.]], dtype=float32)
    """
def round_ste(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return ``data`` rounded; the gradient passes through unchanged.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> y = nd.contrib.round_ste(
        ...     nd.array([-2.5, -1.5, -0.5, -0.2, 0.0, 0.5, 1.5, 2.5, 3.49, 4503599627370497.0]),
        ... )
        >>> y.asnumpy().round(3)
        array([-3.0000000e+00, -2.0000000e+00, -1.0000000e+00, -0.0000000e+00,
                0.0000000e+00,  1.0000000e+00,  2.0000000e+00,  3.0000000e+00,
                3.0000000e+00,  4.5035996e+15], dtype=float32)
    """
def scaled_dot_product_attention(query: NDArray, key: NDArray, value: NDArray,
        bias: NDArray | None = None, causal: bool = False, scale: float | None = None,
        kv_repeat: int = 1, layout: str = "BHLD", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return ``softmax(query · keyᵀ · scale + bias) · value`` for each head.

    Args:
        query: ``[B, H, L, D]``, floating: batch, heads, positions, elements; or as in ``layout``.
        key: ``[B, G, S, D]``, the dtype of ``query``.
        value: Same shape and dtype as ``key``.
        bias: Added to the scores; same dtype as ``query``, broadcast to ``[B, H, L, S]``. Minus
            infinity masks a key for a query.
        causal: Mask keys after ``i + S - L`` for query ``i``. The last query attends to all keys,
            so that the queries may be the last ones of a sequence.
        scale: Factor of ``query · keyᵀ``; ``1 / sqrt(D)`` if None.
        kv_repeat: Number of adjacent query heads that share a head of keys and values:
            ``H = G * kv_repeat`` (grouped queries; with one group, multi-query attention).
        layout: The order of the axes of ``query``, ``key``, ``value`` and the result; ``D`` is
            last.

    Returns:
        The type of ``query``; 0 for a query with all keys masked.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([1, 2, 3]).reshape((1, 1, 3, 1))
        >>> nd.contrib.scaled_dot_product_attention(x, x, x, causal=True, scale=0).reshape(-1)
        <BLANKLINE>
        [1.  1.5 2. ]
        <NDArray 3 @cpu(0)>
    """
def sign_ste(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the sign of ``data``; the gradient passes through unchanged.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> y = nd.contrib.sign_ste(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[-1., -1., -1.],
               [ 1.,  1.,  1.]], dtype=float32)
    """

CTCLoss = _main.CTCLoss
box_non_maximum_suppression = box_nms
ctc_loss = _main.CTCLoss
