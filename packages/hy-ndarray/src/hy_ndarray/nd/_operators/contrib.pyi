# Written by `hatch run stubs` from the operator catalogue.
import numpy.typing as npt
from collections.abc import Sequence
from typing import Any, Literal, overload
from hy_ndarray import Context
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.nd import _operators as _main

def AdaptiveAvgPooling2D(data: NDArray, output_size: int | Sequence[int] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return averages over a grid of parts of each image.

    Args:
        data: ``[N, C, H, W]``, floating.
        output_size: Rows and columns of the grid; one number for both, nothing for one part.

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
    """Resize images by linear interpolation along rows and columns.

    Args:
        data: ``[N, C, H, W]``, floating.
        like: ``[*, *, height, width]``, whose size the result gets, with ``mode="like"``.
        height: Height of the result, with ``mode="size"``.
        width: Width of the result, with ``mode="size"``.
        scale_height: A factor instead of ``height``.
        scale_width: A factor instead of ``width``.
        mode: Where the size comes from: ``"size"``; ``"like"``; ``"odd_scale"``: the factors, such
            that odd sizes stay odd; ``"to_even_down"`` and the like: the nearest size of that kind.
        align_corners: Whether the centres of the outermost elements coincide, or their edges.

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
    """Return the convolution whose window elements are sampled at offsets.

    Args:
        data: ``[N, C, H, W]``, floating; zero outside.
        offset: ``[N, num_deformable_group * 2 * taps, *windows]``: how far down, then to the
            right, each of the ``taps`` elements of a window is shifted, in pixels.
        weight: ``[num_filter, C / num_group, *kernel]``.
        bias: ``[num_filter]``; left out with ``no_bias=True``.
        kernel: Rows and columns of the window.
        stride: Steps between windows; 1 by default.
        dilate: Steps between the elements of a window; 1 by default.
        pad: Zeros added on both ends of each spatial axis; none by default.
        num_filter: Number of output channels.
        num_group: Channels and filters are cut into as many groups, each convolved by itself.
        num_deformable_group: Channels are cut into as many groups, each with offsets of its own.
        workspace: Accepted and ignored.
        no_bias: There is no bias.
        layout: ``"NCHW"``, the only one there is.

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
    """Pool like ``PSROIPooling``, with shifted parts that are sampled between the pixels.

    Args:
        data: ``[N, output_dim * group_size ** 2, H, W]``, floating.
        rois: ``[R, 5]``: number of the image, and edges ``x1, y1, x2, y2``, which are rounded and
            belong to the region.
        trans: ``[R, 2 * K, part_size, part_size]``: shifts to the right, and down, for each of
            ``K`` classes, among which the output channels are divided; left out with
            ``no_trans=True``.
        spatial_scale: Multiplies the edges.
        output_dim: Channels of the result.
        group_size: Rows, and columns, of parts that have channels of their own.
        pooled_size: Rows, and columns, that a region is cut into.
        part_size: Rows, and columns, of parts that have shifts of their own; ``pooled_size`` if 0.
        sample_per_part: Samples along each axis of a part; those outside of the image are left out.
        trans_std: Times the size of the region, it multiplies ``trans``.
        no_trans: There are no shifts.

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
    """Return :func:`deformable_convolution` with each sample times a mask.

    Args:
        data: ``[N, C, H, W]``, floating; zero outside.
        offset: ``[N, num_deformable_group * 2 * taps, *windows]``.
        mask: ``[N, num_deformable_group * taps, *windows]``: the factors.
        weight: ``[num_filter, C / num_group, *kernel]``.
        bias: ``[num_filter]``; left out with ``no_bias=True``.
        kernel: Rows and columns of the window.
        stride: Steps between windows; 1 by default.
        dilate: Steps between the elements of a window; 1 by default.
        pad: Zeros added on both ends of each spatial axis; none by default.
        num_filter: Number of output channels.
        num_group: Channels and filters are cut into as many groups, each convolved by itself.
        num_deformable_group: Channels are cut into as many groups, each with offsets of its own.
        workspace: Accepted and ignored.
        no_bias: There is no bias.
        im2col_step: Accepted and ignored.
        layout: ``"NCHW"``, the only one there is.

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
    """Return the predicted objects: class, score and box for each anchor.

    Args:
        cls_prob: ``[N, C, A]``: probabilities of the classes; class 0 is the background.
        loc_pred: ``[N, A * 4]``: offsets from the anchors, over the variances.
        anchor: ``[1, A, 4]``.
        clip: Cut the boxes off at the edges of the image.
        threshold: Anchors whose best class is less likely have no object.
        background_id: Has no effect; the background is class 0.
        nms_threshold: Overlap from which on an object removes those of lower score. Outside of
            0 … 1 none is removed, and none is sorted.
        force_suppress: Objects of one class remove those of another, too.
        variances: Factors of the offsets.
        nms_topk: How many objects are kept at most before others are removed; all, if not above 0.

    Returns:
        ``[N, A, 6]``: class (less 1, for the background), score and box, by falling score. Class
        -1 marks what was removed; rows after the last object are -1.

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
    """Return anchors: boxes of several sizes and shapes around each pixel of a feature map.

    There are ``K = len(sizes) + len(ratios) - 1`` at each pixel: all sizes with the first ratio,
    then the first size with the other ratios. A size ``s`` and a ratio ``r`` give the height
    ``s / sqrt(r)`` and the width ``s sqrt(r)``, both as fractions of the height of the image.

    Args:
        data: ``[N, C, H, W]``: the feature map, of which only the type matters.
        sizes: Sizes, as fractions of the height.
        ratios: Width over height.
        clip: Cut the boxes off at the edges of the image.
        steps: Height and width of a pixel, as fractions of the image; not above 0: ``1 / H`` and
            ``1 / W``.
        offsets: Where in the pixel the center is: down, right.

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
    """Encode the targets of a network at each anchor: the class of an object, and its offset.

    Objects and anchors are paired by overlap, the best pair first; then each anchor left gets the
    object it overlaps most, if by more than ``overlap_threshold``. All others are background.

    Args:
        anchor: ``[1, A, 4]``.
        label: ``[N, O, 5 or more]``: class and box of each object; rows after one of class -1
            do not count.
        cls_pred: ``[N, C, A]``: predicted scores of the classes, before softmax; class 0 is the
            background.
        overlap_threshold: See above; not above 0: only paired anchors get an object.
        ignore_label: Class of anchors that do not take part in training.
        negative_mining_ratio: How many background anchors take part for each one with an object:
            those whose background is predicted worst. All, if not above 0.
        negative_mining_thresh: Anchors that overlap an object by this or more are not among them.
        minimum_negative_samples: How many there are at least.
        variances: Divisors of the offsets.

    Returns:
        ``[N, A * 4]``, offsets ``(x - X) / W, (y - Y) / H, log(w / W), log(h / H)`` over the
        variances, 0 where there is no object; ``[N, A * 4]``, 1 where there is one; ``[N, A]``,
        its class plus 1, or 0. In images without objects all classes are ``ignore_label``.
    """
def MultiProposal(cls_prob: NDArray, bbox_pred: NDArray, im_info: NDArray,
        rpn_pre_nms_top_n: int = 6000, rpn_post_nms_top_n: int = 300, threshold: float = 0.7,
        rpn_min_size: int = 16, scales: float | Sequence[float] = (4.0, 8.0, 16.0, 32.0),
        ratios: float | Sequence[float] = (0.5, 1.0, 2.0), feature_stride: int = 16,
        output_score: bool = False, iou_loss: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Return the regions of images that most likely hold an object.

    There are ``A = len(scales) * len(ratios)`` anchors at each pixel of the feature map. Their
    boxes are moved by the predicted offsets and cut off at the edges of the image; the best are
    kept, less those that overlap a better one.

    Args:
        cls_prob: ``[N, 2 A, H, W]``: probability of background, then of an object, by anchor.
        bbox_pred: ``[N, 4 A, H, W]``: offsets ``(x - X) / W, (y - Y) / H, log(w / W),
            log(h / H)`` of the boxes from the anchors.
        im_info: ``[N, 3]``: height and width of the image, and by what it was scaled.
        rpn_pre_nms_top_n: How many boxes take part in the suppression, those of the highest
            scores; all, if not above 0.
        rpn_post_nms_top_n: How many are kept of each image.
        threshold: Overlap above which the box of the lower score is removed.
        rpn_min_size: Boxes narrower or flatter than this, in pixels before scaling, come last.
        scales: Sizes of the anchors, in ``feature_stride``.
        ratios: Height over width.
        feature_stride: Pixels of the image per pixel of the feature map.
        output_score: Return the scores, too.
        iou_loss: ``bbox_pred`` are the distances of the edges from those of the anchors.

    Returns:
        ``[N * rpn_post_nms_top_n, 5]``: number of the image, and the edges ``x1, y1, x2, y2`` in
        pixels, by falling score; if too few are left, they come again. With ``output_score``
        also ``[N * rpn_post_nms_top_n, 1]``.

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
    """Return the mean over each part of each region of interest, a part read from its own channels.

    Args:
        data: ``[N, output_dim * group_size ** 2, H, W]``, floating.
        rois: ``[R, 5]``: number of the image, and edges ``x1, y1, x2, y2``, which are rounded and
            belong to the region.
        spatial_scale: Multiplies the edges.
        output_dim: Channels of the result.
        pooled_size: Rows, and columns, that a region is cut into; parts without pixels give zero.
        group_size: Rows, and columns, of parts that have channels of their own; ``pooled_size``
            if 0.

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
    """Return :func:`multi_proposal`, under the name for a single image.

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
    """Return the mean of samples in each part of each region of interest, without rounding.

    Args:
        data: ``[N, C, H, W]``, floating.
        rois: ``[R, 5]``: number of the image, and edges ``x1, y1, x2, y2``. Regions of a negative
            image give zeros.
        pooled_size: Rows and columns that each region is cut into.
        spatial_scale: Multiplies the edges.
        sample_ratio: Samples along each axis of a part; not above 0: one for each pixel.
        position_sensitive: Each part is read from channels of its own, ``C / (rows * columns)``.
        aligned: Pixels have their centers at half numbers, as they do in the image; else regions
            lie half a pixel off, and are at least one pixel large.

    Returns:
        ``[R, C, *pooled_size]``, or with the channels of a part.

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
    """Return the mean of samples in each part of each rotated region of interest.

    Args:
        data: ``[N, C, H, W]``, floating.
        rois: ``[R, 6]``: number of the image, center ``x, y``, width, height, and the angle in
            degrees by which it is turned. Regions of a negative image give zeros.
        pooled_size: Rows and columns that each region is cut into.
        spatial_scale: Multiplies centers and sizes; these are at least one pixel.
        sampling_ratio: Samples along each axis of a part; not above 0: one for each pixel.

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
    """Return a row of ``weight`` for every index; superseded by ``Embedding``.

    Args:
        data: As there.
        weight: As there.
        input_dim: As there.
        output_dim: As there.
        dtype: As there.
        deterministic: Accepted and ignored: sums are always in one order.

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
    """Return ``BatchNorm`` of axis 1; the statistics are those of one device.

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
        b: The shape and dtype of ``a``.
        rtol: Tolerance relative to ``b``.
        atol: Tolerance in units of ``b``.
        equal_nan: nan is close to nan.

    Returns:
        One uint8 without axes: 1 if so, else 0.

    Example:
        >>> nd.contrib.allclose(nd.array([-2.0, 2.0]), nd.array([-2.0, 2.0])).asnumpy()
        array(1, dtype=uint8)
    """
def arange_like(data: NDArray, start: float = 0.0, step: float = 1.0, repeat: int = 1,
        ctx: Context | str = "", axis: int | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``start``, ``start + step``, …, one for each element of ``data`` or along one axis.

    Args:
        data: ``[*shape]``, any dtype, which is the dtype of the result.
        start: The first number.
        step: From one number to the next.
        repeat: How often each number comes, in a row.
        ctx: Not used: the result is where ``data`` is.
        axis: The axis to number; None numbers all elements, in the shape of ``data``.

    Returns:
        ``[*shape]``; with an ``axis`` one axis of its size.

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
        is_ascend: Small scores are good ones.
        threshold: Only pairs with a score above it are made; below it, with ``is_ascend``.
        topk: One less than the most pairs that are made; not limited if not above 0.

    Returns:
        ``[*batch, N]``, the column paired with each row; ``[*batch, M]``, the row paired with
        each column; -1 for none. In the dtype of ``data``.

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
    """Return the slices along an axis for which a mask is not 0.

    How many these are depends on values; the size is unknown while types are inferred.

    Args:
        data: ``[*left, N, *right]`` with ``N`` at ``axis``, any dtype.
        index: ``[N]``, the mask.
        axis: The axis; negative counts from the end.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.contrib.boolean_mask(nd.array([[1], [2], [3]]), nd.array([1, 0, 1])).asnumpy()
        array([[1.],
               [3.]], dtype=float32)
    """
def box_decode(data: NDArray, anchors: NDArray, std0: float = 1, std1: float = 1, std2: float = 1,
        std3: float = 1, clip: float = -1, format: Literal["center", "corner"] = "center", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the boxes at predicted offsets from anchors: the inverse of ``box_encode``.

    Args:
        data: ``[B, N, 4]``: offsets.
        anchors: ``[1, N, 4]``.
        std0: Factor of the first offset.
        std1: Factor of the second.
        std2: Factor of the third.
        std3: Factor of the fourth.
        clip: Bound of the last two, scaled offsets, which are logarithms; none if not above 0.
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
    """Encode the targets of a network at each anchor: the offset of the box matched with it.

    With centers ``x, y`` and sizes ``w, h`` of the box, and ``X, Y, W, H`` of the anchor, these are
    ``(x - X) / W``, ``(y - Y) / H``, ``log(w / W)`` and ``log(h / H)``, less the means and divided
    by the deviations.

    Args:
        samples: ``[B, N]``: 1 for anchors with a box; -1, to be ignored, and 0, background.
        matches: ``[B, N]``: which box of ``refs``.
        anchors: ``[B, N, 4]``, corners.
        refs: ``[B, M, 4]``, corners.
        means: ``[4]``.
        stds: ``[4]``.

    Returns:
        ``[B, N, 4]``, the offsets, 0 where there is no box; ``[B, N, 4]``, 1 where there is one.

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
    """Return the overlap of each box of one array with each of another: intersection over union.

    Args:
        lhs: ``[*A, 4]``, floating.
        rhs: ``[*B, 4]``, the dtype of ``lhs``.
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
    """Return the boxes that survive non-maximum suppression, best first.

    Boxes are taken by falling score; each one that is still there removes those of lower score
    that it overlaps by more than ``overlap_thresh``.

    Args:
        data: ``[*batch, N, K]``, floating: for each box its score, its four numbers, and whatever
            else there is.
        overlap_thresh: Intersection over union above which a box is removed.
        valid_thresh: Boxes whose score is not above it are removed at once.
        topk: How many boxes of each batch entry take part, those of the highest scores; all, if
            not above 0.
        coord_start: Where the four numbers of the box begin in the last axis.
        score_index: Where the score is.
        id_index: Where the class is; boxes only remove those of their own. Negative: no classes.
        background_id: Boxes of this class are removed at once.
        force_suppress: Boxes of one class remove those of another, too.
        in_format: Format of the boxes in ``data``.
        out_format: Format of the boxes in the result.

    Returns:
        ``[*batch, N, K]``: the boxes kept by falling score, then rows of -1.

    Example:
        >>> from hy_ndarray import nd
        >>> boxes = nd.array([[0, 0.5, 0, 0, 2, 2], [0, 0.9, 0, 0, 2, 1.9], [0, 0.4, 5, 5, 6, 6]])
        >>> nd.contrib.box_nms(boxes)[:, 1].asnumpy()
        array([ 0.9,  0.4, -1. ], dtype=float32)
    """
def calibrate_entropy(hist: NDArray, hist_edges: NDArray, num_quantized_bins: int = 255, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return the magnitude at which to cut numbers off before they are quantized.

    Every threshold keeps the bins of the middle of the histogram, and what is outside of them
    counts in the outermost. The best one is where merging those bins into ``num_quantized_bins``
    changes their distribution least, by the Kullback-Leibler divergence.

    Args:
        hist: ``[B]``, how many numbers are in each bin, ``B`` odd, symmetric about zero.
        hist_edges: ``[B + 1]``, between which numbers.
        num_quantized_bins: How many different integers there are, odd and at most ``B``.

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
    """Return projected vectors: element ``j`` is added to element ``h[j]`` with sign ``s[j]``.

    Args:
        data: ``[*batch, D]``.
        h: ``[1, D]``, positions below ``out_dim``.
        s: ``[1, D]``, each 1 or -1.
        out_dim: Size of the result's last axis.
        processing_batch_size: Has no effect.

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
        min_range: ``[1]``, the range of ``data``.
        max_range: ``[1]``.
        out_type: Dtype of the result.

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
    """Return the Fourier transform of real vectors.

    Args:
        data: ``[*batch, D]``, floating.
        compute_size: Has no effect.

    Returns:
        ``[*batch, 2 * D]``: real and imaginary part of each coefficient in turn.

    Example:
        >>> nd.contrib.fft(nd.array([-2.0, -0.7, 0.7, 2.0]), compute_size=1).asnumpy().round(3)
        array([ 0. ,  0. , -2.7,  2.7, -2.6,  0. , -2.7, -2.7], dtype=float32)
    """
def getnnz(data: NDArray, axis: int | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Count the elements that are not 0.

    Args:
        data: ``[M, N]``, any dtype.
        axis: Count along this axis; over all elements if None.

    Returns:
        int64, ``[1]`` or what is left of the axes.

    Example:
        >>> nd.contrib.getnnz(nd.array([[0.0, 1.0, 2.0], [0.0, 0.0, 3.0]])).asnumpy()
        array([3])
    """
def gradientmultiplier(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``data``, whose gradient is multiplied by ``scalar`` on the way back.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The factor; negative ones reverse the gradient.
        is_int: It is an integer.

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

    The intensity of kind ``k`` is ``lda + alpha beta Σ exp(-beta (t - s))``, summed over its
    events at times ``s`` before ``t``.

    Args:
        lda: ``[N, K]``: intensity without events.
        alpha: ``[K]``: how many events an event leads to.
        beta: ``[K]``: how fast that fades.
        state: ``[N, K]``: the sum at the beginning, from events before.
        lags: ``[N, T]``: times between the events.
        marks: ``[N, T]``, int32: kinds of the events.
        valid_length: ``[N]``: how many events count.
        max_time: ``[N]``: until when events were observed.

    Returns:
        ``[N]``, the log likelihood; ``[N, K]``, the sum at ``max_time``.

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
        data: ``[*batch, 2 * D]``: real and imaginary part of each coefficient in turn.
        compute_size: Has no effect.

    Returns:
        ``[*batch, D]``; ``ifft(fft(x))`` is ``D * x``.

    Example:
        >>> nd.contrib.ifft(nd.array([[-2.0, 2.0]])).asnumpy().round(3)
        array([[-2.]], dtype=float32)
    """
def index_array(data: NDArray, axes: int | Sequence[int] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the coordinates of each element.

    Args:
        data: ``[*sizes]``; only its shape is used.
        axes: The axes to name, in this order; negative ones count from the end. All if None.

    Returns:
        ``[*sizes, M]`` with the ``M`` coordinates of each element, int64.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.contrib.index_array(nd.zeros((2, 2))).asnumpy().tolist()
        [[[0, 0], [0, 1]], [[1, 0], [1, 1]]]
    """
def index_copy(old_tensor: NDArray, index_vector: NDArray, new_tensor: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return an array with some of its slices replaced.

    Args:
        old_tensor: ``[N, *rest]``, any dtype.
        index_vector: ``[I]`` indices along the first axis; the last of equal ones counts.
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
    """Return the scores of attention to another sequence: ``query · keyᵀ / sqrt(D)``.

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
    """Return the sums of attention to another sequence: values weighted by ``attention``.

    Args:
        keys_values: ``[M, N, heads * 2 * D]``, interleaved: key, value.
        attention: ``[N * heads, L, M]``, weights of the values.
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
    """Return the scores of self-attention: ``query · keyᵀ / sqrt(D)`` in each head.

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
    """Return the sums of self-attention: values weighted by ``attention`` in each head.

    Args:
        queries_keys_values: ``[L, N, heads * 3 * D]``, interleaved: query, key, value.
        attention: ``[N * heads, L, L]``, weights of the values.
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
        a: Coefficient of the square.
        b: Coefficient of ``data``.
        c: The constant.

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
    """Return ``data`` as integers, the largest of which represents the end of the range.

    With ``r = max(|min_range|, |max_range|)`` the integers are ``data · 127 / r``, or for ``uint8``
    ``data · 255 / r``, rounded and cut off at the ends of the dtype: negative numbers become zero
    in ``uint8``.

    Args:
        data: ``[*S]``, float32.
        min_range: ``[1]``, the least number to represent.
        max_range: ``[1]``, the greatest.
        out_type: Dtype of the integers.

    Returns:
        The integers ``[*S]``, and the range they stand for: ``-r`` and ``r`` for ``int8``, else the
        given one.

    Example:
        >>> from hy_ndarray import nd
        >>> x, low, high = nd.array([-2, 0.5, 1]), nd.array([-1]), nd.array([1])
        >>> nd.contrib.quantize(x, low, high, out_type="int8")[0].asnumpy()
        array([-128,   64,  127], dtype=int8)
    """
def quantize_v2(data: NDArray, out_type: Literal["auto", "int8", "uint8"] = "int8",
        min_calib_range: float | None = None, max_calib_range: float | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return ``data`` as integers, in the calibrated range or that of the data.

    With the largest magnitude ``r`` of the range, the integers are ``data · 127.5 / r``, or for
    ``uint8`` ``data · 255.5 / r``, rounded and cut off at the ends of the dtype.

    Args:
        data: ``[*S]``, float32.
        out_type: Dtype of the integers; ``"auto"``: ``uint8`` where a range without negative
            numbers is given, else ``int8``.
        min_calib_range: The least number to represent; that of ``data`` by default.
        max_calib_range: The greatest.

    Returns:
        The integers ``[*S]``, and the range they stand for: ``-r`` and ``r`` for ``int8``, else the
        given or found one.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.contrib.quantize_v2(nd.array([-1, 0.5, 1]))[0].asnumpy()
        array([-128,   64,  127], dtype=int8)
    """
def quantized_act(data: NDArray, min_data: NDArray, max_data: NDArray,
        act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"], *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return negative integers set to zero; the dtype and the range stay.

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
    """Return ``BatchNorm`` of integers with the moving statistics, as in prediction.

    Args:
        data: ``[*shape]``, ``int8`` or ``uint8``, ``C`` channels along ``axis``.
        gamma: ``[C]``, float32.
        beta: ``[C]``, float32.
        moving_mean: ``[C]``, float32, auxiliary state.
        moving_var: ``[C]``, float32, auxiliary state.
        min_data: ``[1]``, the range of ``data``.
        max_data: ``[1]``.
        eps: Added to the variance.
        momentum: Accepted and ignored.
        fix_gamma: ``gamma`` counts as ones.
        use_global_stats: Accepted and ignored.
        output_mean_var: Accepted and ignored.
        axis: The axis of the channels.
        cudnn_off: Accepted and ignored.
        min_calib_range: The least result to represent; the least there is by default.
        max_calib_range: The greatest.

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
    """Return ``Concat`` of integers of different ranges, converted to one range.

    Args:
        data: The arrays, ``int8`` or ``uint8``, then the ends of the range of each:
            ``a, b, min_a, max_a, min_b, max_b``.
        num_args: How many arrays there are, their ranges not counted.
        dim: The axis; negative counts from the end.

    Returns:
        The arrays one after the other, ``uint8`` where all are, else ``int8``, and the range that
        holds all of theirs.

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
    """Return ``Convolution`` of integers, summed in ``int32``.

    Args:
        data: ``[N, C, *space]`` or the layout's order, ``int8`` or ``uint8``.
        weight: ``[num_filter, C / num_group, *kernel]``, ``int8``.
        bias: ``[num_filter]``, ``int8``, converted to the unit of the sums.
        min_data: ``[1]``, as all ends of ranges.
        max_data: The range of ``data``.
        min_weight: The range of ``weight``, or ``[num_filter]``, that of each filter.
        max_weight: Its other end.
        min_bias: The range of ``bias``.
        max_bias: Its other end.
        kernel: Size of the window along each spatial axis.
        stride: Steps between windows; 1 by default.
        dilate: Steps between the elements of a window; 1 by default.
        pad: Zeros added on both ends of each spatial axis; none by default.
        num_filter: Number of output channels.
        num_group: Channels and filters are cut into as many groups.
        workspace: Accepted and ignored.
        no_bias: There is no bias, nor a range of it.
        cudnn_tune: Accepted and ignored.
        cudnn_off: Accepted and ignored.
        layout: Order of the axes, ``NCW``, ``NCHW`` or ``NCDHW`` by default.

    Returns:
        The sums, ``int32``, and the range that ``int32`` stands for.
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
    """Return the sums of integers of different ranges.

    Args:
        lhs: ``[*S]``, ``int8`` or ``uint8``.
        rhs: ``[*S]``, ``int8`` or ``uint8``.
        lhs_min: ``[1]``, as all ends of ranges.
        lhs_max: The range of ``lhs``.
        rhs_min: The range of ``rhs``.
        rhs_max: Its other end.
        min_calib_range: The least sum to represent.
        max_calib_range: The greatest.

    Returns:
        The sums and their range: the given one, in ``uint8`` where both operands are, else in
        ``int8``; without one ``int32``, in the range that holds every sum.

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
    """Return the products of integers of different ranges.

    Args:
        lhs: ``[*S]``, ``int8`` or ``uint8``.
        rhs: ``[*S]``, ``int8`` or ``uint8``.
        lhs_min: ``[1]``, as all ends of ranges.
        lhs_max: The range of ``lhs``.
        rhs_min: The range of ``rhs``.
        rhs_max: Its other end.
        min_calib_range: The least product to represent.
        max_calib_range: The greatest.
        enable_float_output: Return the products as floats, and no range.

    Returns:
        The products and their range: the given one, in ``uint8`` where both operands are, else in
        ``int8``; without one ``int32``, in the range that ``int32`` stands for. Or ``float32``.

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
    """Look up a row of integers for every index; the range stays.

    Args:
        data: ``[*I]``, any dtype; indices outside are moved to the nearest end.
        weight: ``[input_dim, output_dim]``, ``int8``.
        min_weight: ``[1]``, the range of ``weight``.
        max_weight: ``[1]``.
        input_dim: Number of rows.
        output_dim: Their length.
        dtype: Accepted and ignored: rows are ``int8``.
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
    """Merge all axes but the first; the range stays.

    Args:
        data: ``[N, *rest]``.
        min_data: ``[1]``, the range of ``data``.
        max_data: ``[1]``.

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
    """Return ``FullyConnected`` of integers, summed in ``int32``.

    Args:
        data: ``[N, *rest]``, ``int8`` or ``uint8``; with ``flatten=False`` ``[*batch, I]``.
        weight: ``[num_hidden, I]``, ``int8``.
        bias: ``[num_hidden]``, ``int8``, converted to the unit of the sums.
        min_data: ``[1]``, as all ends of ranges.
        max_data: The range of ``data``.
        min_weight: The range of ``weight``, or ``[num_hidden]``, that of each row.
        max_weight: Its other end.
        min_bias: The range of ``bias``.
        max_bias: Its other end.
        num_hidden: Size of the result's last axis.
        no_bias: There is no bias, nor a range of it.
        flatten: Treat all axes but the first as one.

    Returns:
        The sums, ``int32``, and the range that ``int32`` stands for.

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
    """Return ``Pooling`` of integers: maxima, or averages rounded to the nearest integer.

    The parameters are those of ``Pooling``; ``data`` is ``int8`` or ``uint8`` and keeps its range.
    """
def requantize(data: NDArray, min_range: NDArray, max_range: NDArray,
        out_type: Literal["auto", "int8", "uint8"] = "int8", min_calib_range: float | None = None,
        max_calib_range: float | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> list[NDArray]:
    """Return ``int32`` sums as small integers, in the range given or the one they have.

    Args:
        data: ``[*S]``, ``int32``.
        min_range: ``[1]``, the range of ``data``.
        max_range: ``[1]``.
        out_type: Dtype of the integers; ``"auto"``: ``uint8`` where a range without negative
            numbers is given, else ``int8``.
        min_calib_range: The least number to represent; that of ``data`` by default.
        max_calib_range: The greatest.

    Returns:
        The integers ``[*S]``, and the range they stand for, from minus the largest magnitude, or 0
        for ``uint8``, to the largest magnitude.

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
def round_ste(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return ``round``, through which the gradient passes unchanged.

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
    """Compute ``softmax(query · keyᵀ · scale + bias) · value`` for each head.

    Args:
        query: ``[B, H, L, D]``, floating: batch, heads, positions, elements; or as ``layout`` says.
        key: ``[B, G, S, D]``, the dtype of ``query``.
        value: As ``key``.
        bias: Added to scores; the dtype of ``query``; broadcast to ``[B, H, L, S]``. Minus infinity
            hides a key from a query.
        causal: Query ``i`` sees no key after ``i + S - L``: the last query sees all keys, so that
            the queries may be the last ones of a sequence.
        scale: Of the products; ``1 / sqrt(D)`` if None.
        kv_repeat: Heads of queries, side by side, that share a head of keys and values:
            ``H = G * kv_repeat`` (grouped queries; with one group, multi-query attention).
        layout: The order of the axes of ``query``, ``key``, ``value`` and the result; ``D`` is
            last.

    Returns:
        As ``query``; 0 for a query that sees no key.

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
    """Return ``sign``, through which the gradient passes unchanged.

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
