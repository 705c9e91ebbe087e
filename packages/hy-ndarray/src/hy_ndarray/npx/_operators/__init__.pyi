# Written by `hatch run stubs` from the operator catalogue.
import numpy.typing as npt
from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload
from hy_ndarray import Context
from hy_ndarray.np.multiarray import ndarray

def activation(data: ndarray, act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"],
        *, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Apply the activation function ``act_type`` to each element.

    Args:
        data: ``[*shape]``, floating.
        act_type: ``"relu"`` max(x, 0), ``"sigmoid"`` 1 / (1 + exp(-x)), ``"softrelu"``
            log(1 + exp(x)), ``"softsign"`` x / (1 + |x|), or ``"tanh"``.

    Example:
        >>> npx.activation(np.ones((3, 5)), act_type='relu').shape
        (3, 5)
    """
def add_n(*args: ndarray | Sequence[ndarray], num_args: int = ...,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the element-wise sum of any number of arrays.

    Args:
        args: At least one; all of one shape and dtype.

    Example:
        >>> npx.add_n(np.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).round(3)
        array([[-2. , -1.2, -0.4],
               [ 0.4,  1.2,  2. ]])
    """
def arange_like(data: ndarray, start: float = 0.0, step: float = 1.0, repeat: int = 1,
        ctx: Context | str = "", axis: int | None = None, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
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
        >>> npx.arange_like(np.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).round(3)
        array([[0., 1., 2.],
               [3., 4., 5.]])
    """
def batch_dot(lhs: ndarray, rhs: ndarray, transpose_a: bool = False, transpose_b: bool = False,
        forward_stype: Literal["csr", "default", "row_sparse"] | None = None, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the matrix product of each pair of matrices.

    Args:
        lhs: ``[*batch, M, K]``, at least one batch axis; ``[*batch, K, M]`` with ``transpose_a``.
        rhs: ``[*batch, K, N]``, the dtype of ``lhs``; ``[*batch, N, K]`` with ``transpose_b``.
        transpose_a: Take the transpose of each matrix of ``lhs``.
        transpose_b: Take the transpose of each matrix of ``rhs``.
        forward_stype: Storage format of the result if an operand is sparse.

    Returns:
        ``[*batch, M, N]``.

    Example:
        >>> npx.batch_dot(np.ones((2, 3, 4)), np.ones((2, 4, 5))).shape
        (2, 3, 5)
    """
def batch_flatten(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return the array as a matrix, with all axes except the first merged.

    Args:
        data: ``[N, *rest]``, any dtype.

    Returns:
        ``[N, the product of rest]``.

    Example:
        >>> npx.batch_flatten(np.array([-2.0, -1.0, 0.0, 1.0, 2.0])).round(3)
        array([[-2.],
               [-1.],
               [ 0.],
               [ 1.],
               [ 2.]])
    """
def batch_norm(data: ndarray, gamma: ndarray, beta: ndarray, moving_mean: ndarray,
        moving_var: ndarray, eps: float = 0.001, momentum: float = 0.9, fix_gamma: bool = True,
        use_global_stats: bool = False, output_mean_var: bool = False, axis: int = 1,
        cudnn_off: bool = False, min_calib_range: float | None = None,
        max_calib_range: float | None = None, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> Any:
    """Return batch normalization, ``gamma (data - mean) / sqrt(variance + eps) + beta``.

    Mean and variance are per channel. In training mode they are those of the batch, and the moving
    averages are updated to ``momentum · moving + (1 - momentum) · batch``; in prediction mode the
    moving averages are used.

    Args:
        data: ``[*shape]``, floating, ``C`` channels along ``axis``.
        gamma: ``[C]``.
        beta: ``[C]``.
        moving_mean: ``[C]``, auxiliary state.
        moving_var: ``[C]``, auxiliary state.
        eps: Added to the variance.
        momentum: Weight of the old moving averages in the update.
        fix_gamma: Set ``gamma`` to ones, with a zero gradient.
        use_global_stats: Use the moving averages in training mode too.
        output_mean_var: Also return the mean and ``1 / sqrt(variance + eps)``.
        axis: The axis of the channels.
        cudnn_off: Accepted and ignored.
        min_calib_range: Accepted and ignored.
        max_calib_range: Accepted and ignored.

    Example:
        >>> y = npx.batch_norm(
        ...     np.ones((4, 3)),
        ...     np.array([0.3, 1.2, 2.0]),
        ...     np.array([0.3, 1.2, 2.0]),
        ...     np.array([0.3, 1.2, 2.0]),
        ...     np.array([0.3, 1.2, 2.0]),
        ...     fix_gamma=False,
        ... )
        >>> y.shape
        (4, 3)
    """
@overload
def bipartite_matching(data: ndarray, is_ascend: bool, threshold: float, topk: int = -1, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> list[ndarray]:
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
        >>> results = npx.bipartite_matching(
        ...     np.array([[0.5, 0.6, 0.0], [0.1, 0.2, 0.9], [0.3, 0.8, 0.7], [0.95, 0.1, 0.1]]),
        ...     threshold=0.2,
        ... )
        >>> [y.shape for y in results]
        [(4,), (3,)]
    """
@overload
def bipartite_matching(data: ndarray, is_ascend: bool = False, *, threshold: float, topk: int = -1,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> list[ndarray]: ...
def box_decode(data: ndarray, anchors: ndarray, std0: float = 1, std1: float = 1, std2: float = 1,
        std3: float = 1, clip: float = -1, format: Literal["center", "corner"] = "center", *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
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
        >>> y = npx.box_decode(
        ...     np.ones((3, 4, 4)),
        ...     np.ones((1, 4, 4)),
        ...     std0=0.1,
        ...     std1=0.2,
        ...     std2=0.3,
        ...     std3=2.0,
        ...     format='corner',
        ... )
        >>> y.shape
        (3, 4, 4)
    """
def box_encode(samples: ndarray, matches: ndarray, anchors: ndarray, refs: ndarray, means: ndarray,
        stds: ndarray, *, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> list[ndarray]:
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
        >>> results = npx.box_encode(
        ...     np.array([[0.0, 1.0, -1.0]]),
        ...     np.array([[1.0, 0.0, 1.0]]),
        ...     np.array([[[0.0, 0.0, 1.0, 1.0], [0.25, 0.5, 0.75, 1.0], [1.0, 1.0, 2.0, 2.0]]]),
        ...     np.array([[[-0.25, 0.25, 0.75, 0.75], [0.0, 0.0, 1.0, 1.0]]]),
        ...     np.array([0.0, 0.0, 0.0, 0.0]),
        ...     np.array([0.1, 0.1, 0.5, 0.5]),
        ... )
        >>> [y.shape for y in results]
        [(1, 3, 4), (1, 3, 4)]
    """
def box_iou(lhs: ndarray, rhs: ndarray, format: Literal["center", "corner"] = "corner", *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the intersection over union of each pair of boxes of two arrays.

    Args:
        lhs: ``[*A, 4]``, floating.
        rhs: ``[*B, 4]``, same dtype as ``lhs``.
        format: ``"corner"`` or ``"center"``.

    Returns:
        ``[*A, *B]``; 0 where boxes do not overlap, or have no area.

    Example:
        >>> y = npx.box_iou(
        ...     np.array([[0.2, 0.5, 0.7, 1.0]]),
        ...     np.ones((7, 4)),
        ...     format='center',
        ... )
        >>> y.shape
        (1, 7)
    """
def box_nms(data: ndarray, overlap_thresh: float = 0.5, valid_thresh: float = 0, topk: int = -1,
        coord_start: int = 2, score_index: int = 1, id_index: int = -1, background_id: int = -1,
        force_suppress: bool = False, in_format: Literal["center", "corner"] = "corner",
        out_format: Literal["center", "corner"] = "corner", *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
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
        >>> npx.box_nms(np.ones((2, 0, 6))).shape
        (2, 0, 6)
    """
def broadcast_greater(lhs: ndarray, rhs: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """1 where ``lhs > rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype; the result has the same dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> y = npx.broadcast_greater(
        ...     np.array([[0.0], [1.0], [2.0]]),
        ...     np.array([[1.0, 0.0, 2.0, 5.0]]),
        ... )
        >>> y.round(3)
        array([[0., 0., 0., 0.],
               [0., 1., 0., 0.],
               [1., 1., 0., 0.]])
    """
def broadcast_like(lhs: ndarray, rhs: ndarray, lhs_axes: int | Sequence[int] | None = None,
        rhs_axes: int | Sequence[int] | None = None, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return ``lhs`` broadcast to the shape of ``rhs``.

    Args:
        lhs: ``[*sizes]``, any dtype.
        rhs: Only its shape is used.
        lhs_axes: The axes of ``lhs`` to broadcast; with ``rhs_axes``, or all axes if both are None.
        rhs_axes: The corresponding axes of ``rhs``.

    Example:
        >>> y = npx.broadcast_like(
        ...     np.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     np.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ... )
        >>> y.round(3)
        array([[-2. , -1.2, -0.4],
               [ 0.4,  1.2,  2. ]])
    """
def cast(data: ndarray, dtype: npt.DTypeLike, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return ``data`` converted to another dtype; conversion to integers truncates fractions.

    Args:
        data: ``[*shape]``, any dtype.
        dtype: The dtype to convert to.

    Example:
        >>> npx.cast(np.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]), dtype='float64').round(3)
        array([[-2. , -1.2, -0.4],
               [ 0.4,  1.2,  2. ]], dtype=float64)
    """
@overload
def convolution(data: ndarray, weight: ndarray, bias: ndarray | None, kernel: int | Sequence[int],
        stride: int | Sequence[int], dilate: int | Sequence[int], pad: int | Sequence[int],
        num_filter: int, num_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the convolution (cross-correlation) of ``data``, in 1, 2 or 3 dimensions.

    Args:
        data: ``[N, C, *space]``, floating; ``[N, *space, C]`` if the layout ends in ``C``.
        weight: ``[num_filter, C / num_group, *kernel]``; channels last if the layout ends in ``C``.
        bias: ``[num_filter]``; left out with ``no_bias=True``.
        kernel: Size of the window along each spatial axis.
        stride: Step between windows along each axis; 1 by default.
        dilate: Step between the elements of a window along each axis; 1 by default.
        pad: Zeros added at both ends of each spatial axis; none by default.
        num_filter: Number of output channels.
        num_group: Number of groups of channels and filters, which are convolved separately.
        workspace: Accepted and ignored.
        no_bias: Whether there is no bias.
        cudnn_tune: Accepted and ignored.
        cudnn_off: Accepted and ignored.
        layout: Order of the axes, ``NCW``, ``NCHW`` or ``NCDHW`` by default.

    Returns:
        ``[N, num_filter, *sizes]``, or the layout's order, where along each spatial axis the size
        is ``(size + 2 pad - dilate (kernel - 1) - 1) // stride + 1``.

    Example:
        >>> y = npx.convolution(
        ...     np.array([[[[-2.0]]]]),
        ...     np.array([[[[-2.0]]]]),
        ...     np.array([-2.0]),
        ...     kernel=(1, 1),
        ...     num_filter=1,
        ...     no_bias=False,
        ... )
        >>> y.round(3)
        array([[[[2.]]]])
    """
@overload
def convolution(data: ndarray, weight: ndarray, bias: ndarray | None = None, *,
        kernel: int | Sequence[int], stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (), num_filter: int,
        num_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray: ...
def ctc_loss(data: ndarray, label: ndarray, data_lengths: ndarray | None = None,
        label_lengths: ndarray | None = None, use_data_lengths: bool = False,
        use_label_lengths: bool = False, blank_label: Literal["first", "last"] = "first", *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the negative log probability of label sequences, summed over all alignments.

    Args:
        data: ``[T, N, C]``, floating: scores of C symbols at T steps, before softmax.
        label: ``[N, L]``, symbols, L at most T; padded with 0 if the blank is first, else with -1.
        data_lengths: ``[N]``, numbers of steps, with ``use_data_lengths=True``.
        label_lengths: ``[N]``, numbers of labels, with ``use_label_lengths=True``; by default
            labels end at the first padding.
        use_data_lengths: Whether ``data_lengths`` is given.
        use_label_lengths: Whether ``label_lengths`` is given.
        blank_label: Whether symbol 0 (``"first"``) or the last symbol is the blank.

    Returns:
        ``[N]``; 0 with a zero gradient if there are too few steps for the labels.

    Example:
        >>> npx.ctc_loss(np.array([[[-2.0, 2.0]]]), np.array([[1.0]])).round(3)
        array([0.018])
    """
@overload
def deconvolution(data: ndarray, weight: ndarray, bias: ndarray | None, kernel: int | Sequence[int],
        stride: int | Sequence[int], dilate: int | Sequence[int], pad: int | Sequence[int],
        adj: int | Sequence[int], target_shape: int | Sequence[int], num_filter: int,
        num_group: int = 1, workspace: int = 512, no_bias: bool = True,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the transposed convolution of ``data``, in 1, 2 or 3 dimensions.

    Args:
        data: ``[N, C, *space]``, floating; ``[N, *space, C]`` if the layout ends in ``C``.
        weight: ``[C, num_filter / num_group, *kernel]``; channels last if the layout ends in ``C``.
        bias: ``[num_filter]``; left out with ``no_bias=True``.
        kernel: Size of the window along each spatial axis.
        stride: Step between windows along each axis; 1 by default.
        dilate: Step between the elements of a window along each axis; 1 by default.
        pad: Elements removed at both ends of each spatial axis; none by default.
        adj: Elements added at the end of each spatial axis, fewer than the stride; none by default.
        target_shape: Sizes of the result along the spatial axes, instead of ``pad`` and ``adj``.
        num_filter: Number of output channels.
        num_group: Number of groups of channels and filters, which are treated separately.
        workspace: Accepted and ignored.
        no_bias: Whether there is no bias.
        cudnn_tune: Accepted and ignored.
        cudnn_off: Accepted and ignored.
        layout: Order of the axes, ``NCW``, ``NCHW`` or ``NCDHW`` by default.

    Returns:
        ``[N, num_filter, *sizes]``, or the layout's order, where along each axis the size is
        ``stride (size - 1) + dilate (kernel - 1) + 1 - 2 pad + adj``.

    Example:
        >>> y = npx.deconvolution(
        ...     np.array([[[-2.0]]]),
        ...     np.array([[[-2.0]]]),
        ...     np.array([-2.0]),
        ...     kernel=(1,),
        ...     num_filter=1,
        ...     no_bias=False,
        ... )
        >>> y.round(3)
        array([[[2.]]])
    """
@overload
def deconvolution(data: ndarray, weight: ndarray, bias: ndarray | None = None, *,
        kernel: int | Sequence[int], stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (),
        adj: int | Sequence[int] = (), target_shape: int | Sequence[int] = (), num_filter: int,
        num_group: int = 1, workspace: int = 512, no_bias: bool = True,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray: ...
@overload
def deformable_convolution(data: ndarray, offset: ndarray, weight: ndarray, bias: ndarray | None,
        kernel: int | Sequence[int], stride: int | Sequence[int], dilate: int | Sequence[int],
        pad: int | Sequence[int], num_filter: int, num_group: int = 1,
        num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW"] | None = None, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
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
        >>> y = npx.deformable_convolution(
        ...     np.ones((2, 3, 5, 4)),
        ...     np.ones((2, 12, 3, 3)),
        ...     np.ones((4, 3, 3, 2)),
        ...     np.array([-2.0, -0.7, 0.7, 2.0]),
        ...     kernel=(3, 2),
        ...     num_filter=4,
        ...     num_deformable_group=1,
        ... )
        >>> y.shape
        (2, 4, 3, 3)
    """
@overload
def deformable_convolution(data: ndarray, offset: ndarray, weight: ndarray,
        bias: ndarray | None = None, *, kernel: int | Sequence[int],
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), num_filter: int, num_group: int = 1,
        num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW"] | None = None,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray: ...
def dropout(data: ndarray, p: float = 0.5, mode: Literal["always", "training"] = "training",
        axes: int | Sequence[int] = (), cudnn_off: bool | None = False, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return ``data`` with random elements set to zero, and the others scaled by ``1 / (1 - p)``.

    Args:
        data: ``[*shape]``, floating.
        p: Probability that an element is set to zero.
        mode: ``"training"``: only in training mode, else return ``data``; or ``"always"``.
        axes: Axes along which all elements share one random mask.
        cudnn_off: Accepted and ignored.

    Example:
        >>> npx.dropout(np.ones((3, 4))).shape
        (3, 4)
    """
def embedding(data: ndarray, weight: ndarray, input_dim: int, output_dim: int,
        dtype: npt.DTypeLike = "float32", sparse_grad: bool = False, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the row of ``weight`` for each index.

    Args:
        data: ``[*I]``, any dtype; indices are clipped to 0 … ``input_dim`` - 1.
        weight: ``[input_dim, output_dim]``.
        input_dim: Number of rows.
        output_dim: Length of a row.
        dtype: Dtype of ``weight`` if it is not known otherwise.
        sparse_grad: Make the gradient of ``weight`` a row_sparse array of the rows that were read.

    Returns:
        ``[*I, output_dim]``.

    Example:
        >>> y = npx.embedding(
        ...     np.array([[1.0, 0.0, 1.0], [-1.0, 4.0, 8.0]]),
        ...     np.ones((5, 4)),
        ...     input_dim=5,
        ...     output_dim=4,
        ... )
        >>> y.shape
        (2, 3, 4)
    """
def erf(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """The error function ``2/√π ∫ exp(-t²) dt`` from 0 to ``data``.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> npx.erf(np.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).round(3)
        array([[-0.995, -0.91 , -0.428],
               [ 0.428,  0.91 ,  0.995]])
    """
def erfinv(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """The number whose error function is ``data``; nan outside of ``[-1, 1]``.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> npx.erfinv(np.ones((2, 3))).shape
        (2, 3)
    """
@overload
def fully_connected(data: ndarray, weight: ndarray, bias: ndarray | None, num_hidden: int,
        no_bias: bool = False, flatten: bool = True, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return ``data · weightᵀ + bias``.

    Args:
        data: ``[N, *rest]``, floating; ``[*batch, I]`` with ``flatten=False``.
        weight: ``[num_hidden, I]``, where ``I`` is the product of ``rest``.
        bias: ``[num_hidden]``; left out with ``no_bias=True``.
        num_hidden: Size of the result's last axis.
        no_bias: Whether there is no bias.
        flatten: Whether to flatten all axes but the first.

    Returns:
        ``[N, num_hidden]``; with ``flatten=False`` ``[*batch, num_hidden]``.

    Example:
        >>> y = npx.fully_connected(
        ...     np.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     np.ones((4, 3)),
        ...     np.array([-2.0, -0.7, 0.7, 2.0]),
        ...     num_hidden=4,
        ... )
        >>> y.shape
        (2, 4)
    """
@overload
def fully_connected(data: ndarray, weight: ndarray, bias: ndarray | None = None, *, num_hidden: int,
        no_bias: bool = False, flatten: bool = True, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray: ...
def gamma(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """The gamma function, ``(data - 1)!`` for integers; nan at the negative ones.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> npx.gamma(np.array([[0.5, 1.2, 1.9], [2.6, 3.3, 4.0]])).round(3)
        array([[1.772, 0.918, 0.962],
               [1.43 , 2.683, 6.   ]])
    """
def gammaln(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Logarithm of the absolute value of the gamma function.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> y = npx.gammaln(
        ...     np.array([0.1, 0.5, 1.0, 1.4616321449683622, 2.5, 9.999, 10.0, 40.3, -0.5, -3.7]),
        ... )
        >>> y.round(3)
        array([  2.253,   0.572,   0.   ,  -0.121,   0.285,  12.8  ,  12.802,
               107.736,   1.266,  -1.38 ])
    """
def gather_nd(data: ndarray, indices: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return the elements or slices of ``data`` at the given coordinates.

    Args:
        data: ``[*sizes]``, any dtype.
        indices: ``[M, *I]``: for each element of the result its coordinates on the first ``M``
            axes of ``data``; negative ones count from the end, fractions are truncated.

    Returns:
        ``[*I, *rest]``, where ``rest`` are the sizes of ``data`` after the first ``M``.

    Example:
        >>> y = npx.gather_nd(
        ...     np.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     np.array([[0.0, 1.0, -1.0], [2.0, 0.0, 2.0]]),
        ... )
        >>> y.round(3)
        array([-0.4,  0.4,  2. ])
    """
def instance_norm(data: ndarray, gamma: ndarray, beta: ndarray, eps: float = 0.001, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return instance normalization: batch normalization of each sample on its own.

    Args:
        data: ``[N, C, *space]``, floating.
        gamma: ``[C]``.
        beta: ``[C]``.
        eps: Added to the variance.

    Example:
        >>> y = npx.instance_norm(
        ...     np.ones((2, 3, 5)),
        ...     np.array([-2.0, 0.0, 2.0]),
        ...     np.array([-2.0, 0.0, 2.0]),
        ... )
        >>> y.shape
        (2, 3, 5)
    """
def interleaved_matmul_encdec_qk(queries: ndarray, keys_values: ndarray, heads: int, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the scores of cross-attention, ``query · keyᵀ / sqrt(D)`` for each head.

    Args:
        queries: ``[L, N, heads * D]``.
        keys_values: ``[M, N, heads * 2 * D]``, interleaved: key, value.
        heads: Number of heads.

    Returns:
        ``[N * heads, L, M]``.

    Example:
        >>> y = npx.interleaved_matmul_encdec_qk(
        ...     np.ones((3, 2, 6)),
        ...     np.ones((5, 2, 12)),
        ...     heads=3,
        ... )
        >>> y.shape
        (6, 3, 5)
    """
def interleaved_matmul_encdec_valatt(keys_values: ndarray, attention: ndarray, heads: int, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the output of cross-attention: ``attention · value`` for each head.

    Args:
        keys_values: ``[M, N, heads * 2 * D]``, interleaved: key, value.
        attention: ``[N * heads, L, M]``, attention weights.
        heads: Number of heads.

    Returns:
        ``[L, N, heads * D]``.

    Example:
        >>> y = npx.interleaved_matmul_encdec_valatt(
        ...     np.ones((5, 1, 8)),
        ...     np.ones((2, 3, 5)),
        ...     heads=2,
        ... )
        >>> y.shape
        (3, 1, 4)
    """
def interleaved_matmul_selfatt_qk(queries_keys_values: ndarray, heads: int, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the scores of self-attention, ``query · keyᵀ / sqrt(D)`` for each head.

    Args:
        queries_keys_values: ``[L, N, heads * 3 * D]``, interleaved: query, key, value.
        heads: Number of heads.

    Returns:
        ``[N * heads, L, L]``.

    Example:
        >>> npx.interleaved_matmul_selfatt_qk(np.ones((4, 2, 18)), heads=2).shape
        (4, 4, 4)
    """
def interleaved_matmul_selfatt_valatt(queries_keys_values: ndarray, attention: ndarray, heads: int,
        *, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the output of self-attention: ``attention · value`` for each head.

    Args:
        queries_keys_values: ``[L, N, heads * 3 * D]``, interleaved: query, key, value.
        attention: ``[N * heads, L, L]``, attention weights.
        heads: Number of heads.

    Returns:
        ``[L, N, heads * D]``.

    Example:
        >>> y = npx.interleaved_matmul_selfatt_valatt(
        ...     np.ones((4, 2, 18)),
        ...     np.ones((4, 4, 4)),
        ...     heads=2,
        ... )
        >>> y.shape
        (4, 2, 6)
    """
def layer_norm(data: ndarray, gamma: ndarray, beta: ndarray, axis: int = -1, eps: float = 1e-05,
        output_mean_var: bool = False, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> Any:
    """Return layer normalization, ``gamma (data - mean) / sqrt(variance + eps) + beta``.

    Args:
        data: ``[*shape]``, floating, ``C`` elements along ``axis``.
        gamma: ``[C]``.
        beta: ``[C]``.
        axis: The axis over which mean and variance are computed.
        eps: Added to the variance.
        output_mean_var: Also return mean and ``sqrt(variance + eps)``, of size 1 along ``axis``.

    Example:
        >>> y = npx.layer_norm(
        ...     np.ones((3, 5)),
        ...     np.array([-2.0, -1.0, 0.0, 1.0, 2.0]),
        ...     np.array([-2.0, -1.0, 0.0, 1.0, 2.0]),
        ... )
        >>> y.shape
        (3, 5)
    """
def leaky_relu(data: ndarray, gamma: ndarray | None = None,
        act_type: Literal["elu", "gelu", "leaky", "prelu", "rrelu", "selu"] = "leaky",
        slope: float = 0.25, lower_bound: float = 0.125, upper_bound: float = 0.334, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> Any:
    """Return a leaky ReLU or a related activation function of ``data``.

    Args:
        data: ``[*shape]``, floating.
        gamma: Learned slopes, for ``"prelu"``: ``[C]``, one per channel (axis 1),
            ``[1]``, or any shape that broadcasts against ``data``.
        act_type: The function of a negative x: ``"leaky"`` slope · x, ``"prelu"`` gamma · x,
            ``"rrelu"`` x times a slope drawn from between the bounds (their mean in prediction),
            ``"elu"`` slope · (exp(x) - 1). Or one of two functions without parameters: ``"selu"``,
            a scaled elu, and ``"gelu"``, x times the normal distribution function of x.
        slope: Factor for ``"leaky"`` and ``"elu"``.
        lower_bound: Least random slope, for ``"rrelu"``.
        upper_bound: Greatest random slope, for ``"rrelu"``.

    Returns:
        An array of the type of ``data``; for ``"rrelu"`` also the slopes used.

    Example:
        >>> y = npx.leaky_relu(
        ...     np.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     np.array([-2.0]),
        ...     act_type='prelu',
        ... )
        >>> y.round(3)
        array([[4. , 2.4, 0.8],
               [0.4, 1.2, 2. ]])
    """
def log_softmax(data: ndarray, axis: int = -1, temperature: float | None = None,
        dtype: Literal["float16", "float32", "float64"] | None = None, use_length: bool = False, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the logarithm of the softmax along ``axis``, exact also where softmax underflows.

    Args:
        data: ``[*shape]``, floating.
        axis: The axis to normalize.
        temperature: Divisor of ``data`` before the exponential.
        dtype: Dtype of the result; that of ``data`` by default.
        use_length: Accepted and ignored.

    Example:
        >>> npx.log_softmax(np.ones((2, 3, 4))).shape
        (2, 3, 4)
    """
@overload
def modulated_deformable_convolution(data: ndarray, offset: ndarray, mask: ndarray, weight: ndarray,
        bias: ndarray | None, kernel: int | Sequence[int], stride: int | Sequence[int],
        dilate: int | Sequence[int], pad: int | Sequence[int], num_filter: int, num_group: int = 1,
        num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        im2col_step: int = 64, layout: Literal["NCDHW", "NCHW", "NCW"] | None = None, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
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
        >>> y = npx.modulated_deformable_convolution(
        ...     np.ones((2, 3, 5, 4)),
        ...     np.ones((2, 12, 3, 3)),
        ...     np.ones((2, 6, 3, 3)),
        ...     np.ones((4, 3, 3, 2)),
        ...     np.array([-2.0, -0.7, 0.7, 2.0]),
        ...     kernel=(3, 2),
        ...     num_filter=4,
        ...     num_deformable_group=1,
        ... )
        >>> y.shape
        (2, 4, 3, 3)
    """
@overload
def modulated_deformable_convolution(data: ndarray, offset: ndarray, mask: ndarray, weight: ndarray,
        bias: ndarray | None = None, *, kernel: int | Sequence[int],
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), num_filter: int, num_group: int = 1,
        num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        im2col_step: int = 64, layout: Literal["NCDHW", "NCHW", "NCW"] | None = None,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray: ...
def multibox_detection(cls_prob: ndarray, loc_pred: ndarray, anchor: ndarray, clip: bool = True,
        threshold: float = 0.01, background_id: int = 0, nms_threshold: float = 0.5,
        force_suppress: bool = False, variances: float | Sequence[float] = (0.1, 0.1, 0.2, 0.2),
        nms_topk: int = -1, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
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
        >>> y = npx.multibox_detection(
        ...     np.array([[[0.1, 0.2, 0.3], [0.5, 0.3, 0.6], [0.4, 0.5, 0.1]]]),
        ...     np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]),
        ...     np.array([[[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.5], [0.4, 0.4, 0.6, 0.7]]]),
        ... )
        >>> y.round(3)
        array([[[0. , 0.6, 0.4, 0.4, 0.6, 0.7],
                [0. , 0.5, 0. , 0. , 1. , 1. ],
                [1. , 0.5, 0. , 0. , 1. , 0.5]]])
    """
def multibox_prior(data: ndarray, sizes: float | Sequence[float] = (1.0,),
        ratios: float | Sequence[float] = (1.0,), clip: bool = False,
        steps: float | Sequence[float] = (-1.0, -1.0),
        offsets: float | Sequence[float] = (0.5, 0.5), *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
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
        >>> y = npx.multibox_prior(
        ...     np.array([[[[-2.0, 2.0]]]]),
        ...     sizes=(0.3,),
        ...     steps=(0.2, 0.4),
        ...     offsets=(0.1, 0.7),
        ... )
        >>> y.round(3)
        array([[[ 0.205, -0.13 ,  0.355,  0.17 ],
                [ 0.605, -0.13 ,  0.755,  0.17 ]]])
    """
def multibox_target(anchor: ndarray, label: ndarray, cls_pred: ndarray,
        overlap_threshold: float = 0.5, ignore_label: float = -1, negative_mining_ratio: float = -1,
        negative_mining_thresh: float = 0.5, minimum_negative_samples: int = 0,
        variances: float | Sequence[float] = (0.1, 0.1, 0.2, 0.2), *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> list[ndarray]:
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
def norm(data: ndarray, ord: int = 2, axis: int | Sequence[int] | None = None,
        out_dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
        keepdims: bool = False, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return the L1 or L2 norm of the vectors along some axes.

    Args:
        data: ``[*shape]``.
        ord: 2 for the L2 norm, 1 for the L1 norm.
        axis: Axes of a vector; ``None`` or ``()`` for all.
        out_dtype: Dtype of the result; that of ``data`` if None.
        keepdims: Keep the reduced axes, with size 1.

    Returns:
        The shape of ``data`` without the reduced axes; ``(1,)`` if no axis is left.

    Example:
        >>> y = npx.norm(
        ...     np.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     out_dtype='float16',
        ... )
        >>> y.round(3)
        array([3.346], dtype=float16)
    """
def one_hot(indices: ndarray, depth: int, on_value: float = 1.0, off_value: float = 0.0,
        dtype: npt.DTypeLike = "float32", *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return a one-hot vector for each index.

    Args:
        indices: ``[*I]``, any dtype; the vector of an index out of range is all ``off_value``.
        depth: Length of the vectors.
        on_value: The value at the position of the index.
        off_value: The value elsewhere.
        dtype: Dtype of the result.

    Returns:
        ``[*I, depth]``.

    Example:
        >>> npx.one_hot(np.array([1.0, 2.9000000953674316, 3.0, -1.0]), depth=3).round(3)
        array([[0., 1., 0.],
               [0., 0., 1.],
               [0., 0., 0.],
               [0., 0., 0.]])
    """
def pad(data: ndarray, mode: Literal["constant", "edge", "reflect"], pad_width: int | Sequence[int],
        constant_value: float = 0.0, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return the array padded before and after each axis.

    Args:
        data: ``[*sizes]``, any dtype.
        mode: The padding: ``"constant"``; the ``"edge"`` element; or ``"reflect"``, the mirror
            image without the edge element.
        pad_width: For each axis the number of elements before and after.
        constant_value: The value for ``"constant"``.

    Example:
        >>> npx.pad(np.array([[-2.0]]), mode='edge', pad_width=(2, 0, 0, 3)).round(3)
        array([[-2., -2., -2., -2.],
               [-2., -2., -2., -2.],
               [-2., -2., -2., -2.]])
    """
def pick(data: ndarray, index: ndarray, axis: int | None = -1, keepdims: bool = False,
        mode: Literal["clip", "wrap"] = "clip", *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return the element at ``index`` along an axis, for each position of the other axes.

    Args:
        data: ``[*left, N, *right]`` with ``N`` at ``axis``, any dtype.
        index: ``[*left, *right]`` or ``[*left, 1, *right]``, any dtype; fractions are truncated.
        axis: The axis; a negative one counts from the end.
        keepdims: Keep the axis, with size 1.
        mode: Whether indices outside of 0 … N-1 are clipped (``"clip"``) or taken modulo N
            (``"wrap"``).

    Returns:
        ``[*left, *right]``, or ``[*left, 1, *right]`` with ``keepdims``.

    Example:
        >>> y = npx.pick(
        ...     np.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     np.array([[0], [2]], dtype='int32'),
        ... )
        >>> y.round(3)
        array([-2.,  2.])
    """
def pooling(data: ndarray, kernel: int | Sequence[int] = (),
        pool_type: Literal["avg", "lp", "max", "sum"] = "max", global_pool: bool = False,
        cudnn_off: bool = False, pooling_convention: Literal["full", "same", "valid"] = "valid",
        stride: int | Sequence[int] = (), pad: int | Sequence[int] = (), p_value: int | None = None,
        count_include_pad: bool | None = None,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the maximum, average, sum or norm of each window of the spatial axes.

    Args:
        data: ``[N, C, *space]``; ``[N, *space, C]`` if the layout ends in ``C``.
        kernel: Size of the window along each spatial axis; not needed with ``global_pool=True``.
        pool_type: ``"max"``, ``"avg"``, ``"sum"``, or ``"lp"``: the ``p_value``-th root of the sum
            of powers.
        global_pool: Pool over one window of the whole space.
        cudnn_off: Accepted and ignored.
        pooling_convention: ``"valid"``: only windows within the padded axis; ``"full"``: also a
            last window that reaches beyond it; ``"same"``: ``ceil(padded size / stride)`` windows.
        stride: Step between windows along each axis; 1 by default. Surplus values are ignored.
        pad: Padding at both ends of each spatial axis; none by default. Surplus values are
            ignored. The maximum of a window that holds only padding is ``-inf``.
        p_value: 1, 2 or 3, for ``"lp"``.
        count_include_pad: Whether averages count the padding; they do by default.
        layout: Order of the axes, ``NCW``, ``NCHW`` or ``NCDHW`` by default.

    Example:
        >>> npx.pooling(np.array([[[-2.0]]]), kernel=(1,), pool_type='max').round(3)
        array([[[-2.]]])
    """
def relu(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """The ReLU ``max(data, 0)``; its gradient at 0 is 0.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> npx.relu(np.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).round(3)
        array([[0. , 0. , 0. ],
               [0.4, 1.2, 2. ]])
    """
def reshape_like(lhs: ndarray, rhs: ndarray, lhs_begin: int | None = None,
        lhs_end: int | None = None, rhs_begin: int | None = None, rhs_end: int | None = None, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return ``lhs`` in the shape of ``rhs``, or with some axes reshaped to some axes of ``rhs``.

    Args:
        lhs: ``[*sizes]``, any dtype.
        rhs: Only its shape is used.
        lhs_begin: First axis of ``lhs`` to replace; 0 if None.
        lhs_end: End of the axes to replace, exclusive; None for all following axes.
        rhs_begin: First axis of ``rhs`` to use; 0 if None.
        rhs_end: End of the axes to use, exclusive; None for all following axes.

    Example:
        >>> y = npx.reshape_like(
        ...     np.array([-2.0, -1.2, -0.4, 0.4, 1.2, 2.0]),
        ...     np.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ... )
        >>> y.round(3)
        array([[-2. , -1.2, -0.4],
               [ 0.4,  1.2,  2. ]])
    """
def rms_norm(data: ndarray, gamma: ndarray, eps: float = 1e-06, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return ``gamma data / sqrt(mean(data²) + eps)`` for each vector along the last axis.

    Sums of 16-bit data are float32.

    Args:
        data: ``[*shape, C]``, floating.
        gamma: ``[C]``.
        eps: Added to the mean square.

    Example:
        >>> y = npx.rms_norm(
        ...     np.array([-2.0, -1.0, 0.0, 1.0, 2.0]),
        ...     np.array([-2.0, -1.0, 0.0, 1.0, 2.0]),
        ...     eps=0.1,
        ... )
        >>> y.round(3)
        array([2.76, 0.69, 0.  , 0.69, 2.76])
    """
@overload
def rnn(data: ndarray, parameters: ndarray, state: ndarray, state_cell: ndarray | None,
        sequence_length: ndarray | None, state_size: int, num_layers: int, bidirectional: bool,
        mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"], p: float = 0.0,
        state_outputs: bool = False, projection_size: int | None = None,
        lstm_state_clip_min: float | None = None, lstm_state_clip_max: float | None = None,
        lstm_state_clip_nan: bool = False, use_sequence_length: bool = False, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> Any:
    """Return the outputs of stacked recurrent layers over whole sequences.

    Let ``x`` be the input, ``h`` the previous state, and ``W x`` and ``U h`` products with a bias
    added. Plain layers compute ``f(W x + U h)``. A GRU computes ``(1 - z) n + z h``, with gates
    ``r`` and ``z`` of the form ``sigmoid(W x + U h)`` and ``n = tanh(W x + r · U h)``. An LSTM
    computes ``o tanh(c)`` with the cell state ``c = f · c + i · g``, gates ``i``, ``f`` and ``o``
    of the form ``sigmoid(W x + U h)`` and ``g = tanh(W x + U h)``; each gate has its own ``W`` and
    ``U``.

    Args:
        data: ``[T, N, I]``, floating: T steps of N sequences.
        parameters: ``[...]``, all weights in one vector: for each layer and direction the matrices
            ``W``, ``U`` and the projection, then in the same order the biases of ``W`` and
            ``U``. The order of gates is i, f, g, o (LSTM) and r, z, n (GRU).
        state: ``[num_layers · directions, N, state_size]``, or last size ``projection_size``.
        state_cell: ``[num_layers · directions, N, state_size]``, the cell state of an LSTM.
        sequence_length: ``[N]``, numbers of steps; later steps leave the state, and return zeros.
        state_size: Number of hidden units.
        num_layers: Number of stacked layers.
        bidirectional: Also run each layer in reverse over the sequence.
        mode: The type of layer.
        p: Probability of dropout between layers, in training mode.
        state_outputs: Also return the states after the last step.
        projection_size: Size to which the output of an LSTM is projected; None for no projection.
        lstm_state_clip_min: Lower bound of the cell state; takes effect with the upper bound.
        lstm_state_clip_max: Upper bound of the cell state.
        lstm_state_clip_nan: Clip nan too.
        use_sequence_length: Whether ``sequence_length`` is given.

    Returns:
        ``[T, N, directions · size]``; with ``state_outputs=True`` also the last state, and for an
        LSTM the last cell state.

    Example:
        >>> results = npx.rnn(
        ...     np.ones((3, 2, 2)),
        ...     np.ones((21,)),
        ...     np.array([[[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]]),
        ...     state_size=3,
        ...     num_layers=1,
        ...     mode='rnn_relu',
        ...     bidirectional=False,
        ...     state_outputs=True,
        ...     projection_size=None,
        ...     use_sequence_length=False,
        ... )
        >>> [y.shape for y in results]
        [(3, 2, 3), (1, 2, 3)]
    """
@overload
def rnn(data: ndarray, parameters: ndarray, state: ndarray, state_cell: ndarray | None = None,
        sequence_length: ndarray | None = None, *, state_size: int, num_layers: int,
        bidirectional: bool = False, mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"],
        p: float = 0.0, state_outputs: bool = False, projection_size: int | None = None,
        lstm_state_clip_min: float | None = None, lstm_state_clip_max: float | None = None,
        lstm_state_clip_nan: bool = False, use_sequence_length: bool = False,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> Any: ...
def roi_pooling(data: ndarray, rois: ndarray, pooled_size: int | Sequence[int],
        spatial_scale: float, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return the maximum over each bin of each region of interest.

    Args:
        data: ``[N, C, H, W]``, floating.
        rois: ``[R, 5]``: index of the image, and left, top, right and bottom edges, inclusive.
        pooled_size: Rows and columns of bins in each region; bins overlap in small regions, and
            are zero without elements.
        spatial_scale: Factor of the edges, which are then rounded.

    Returns:
        ``[R, C, *pooled_size]``.

    Example:
        >>> y = npx.roi_pooling(
        ...     np.ones((2, 1, 5, 6)),
        ...     np.array([[0.0, 0.0, 0.0, 3.0, 3.0], [1.0, 0.6, 1.4, 2.5, 4.0]]),
        ...     pooled_size=(1, 1),
        ...     spatial_scale=0.5,
        ... )
        >>> y.shape
        (2, 1, 1, 1)
    """
def rotary_embedding(data: ndarray, cos: ndarray, sin: ndarray, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return vectors that are rotated: ``data cos + swapped sin``, with swapped halves of ``data``.

    With the cosines and sines of ``D / 2`` angles, twice, and the first sines negated, elements
    ``i`` and ``i + D / 2`` of a vector are rotated as a pair.

    Args:
        data: ``[*shape, D]``, floating, with an even ``D``.
        cos: ``[*, D]``, which broadcasts to the shape of ``data``.
        sin: Likewise.

    Example:
        >>> y = npx.rotary_embedding(
        ...     np.array([-2.0, 2.0]),
        ...     np.array([-2.0, 2.0]),
        ...     np.array([-2.0, 2.0]),
        ... )
        >>> y.round(3)
        array([0., 0.])
    """
def round_ste(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return ``data`` rounded; the gradient passes through unchanged.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> y = npx.round_ste(
        ...     np.array([-2.5, -1.5, -0.5, -0.2, 0.0, 0.5, 1.5, 2.5, 3.49, 4503599627370497.0]),
        ... )
        >>> y.round(3)
        array([-3.0000000e+00, -2.0000000e+00, -1.0000000e+00, -0.0000000e+00,
                0.0000000e+00,  1.0000000e+00,  2.0000000e+00,  3.0000000e+00,
                3.0000000e+00,  4.5035996e+15])
    """
def sequence_last(data: ndarray, sequence_length: ndarray | None = None,
        use_sequence_length: bool = False, axis: int = 0, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the last element of each sequence.

    Args:
        data: ``[T, B, *rest]``, or ``[B, T, *rest]`` with ``axis=1``; any dtype.
        sequence_length: ``[B]``, any dtype; lengths are clipped to 1 … T.
        use_sequence_length: Whether ``sequence_length`` is given; else all lengths are ``T``.
        axis: The time axis, 0 or 1.

    Returns:
        ``[B, *rest]``.

    Example:
        >>> npx.sequence_last(np.ones((4, 3, 2))).shape
        (3, 2)
    """
def sequence_mask(data: ndarray, sequence_length: ndarray | None = None,
        use_sequence_length: bool = False, value: float = 0.0, axis: int = 0, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return sequences with the elements after their ends replaced by ``value``.

    Args:
        data: ``[T, B, *rest]``, or ``[B, T, *rest]`` with ``axis=1``; any dtype.
        sequence_length: ``[B]``, any dtype; lengths above ``T`` are treated as ``T``.
        use_sequence_length: Whether ``sequence_length`` is given; else nothing is masked.
        value: The replacement.
        axis: The time axis, 0 or 1.

    Example:
        >>> npx.sequence_mask(np.ones((4, 3, 2))).shape
        (4, 3, 2)
    """
def sequence_reverse(data: ndarray, sequence_length: ndarray | None = None,
        use_sequence_length: bool = False, axis: int = 0, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return each sequence reversed up to its length; padding stays in place.

    Args:
        data: ``[T, B, *rest]``, or ``[B, T, *rest]`` with ``axis=1``; any dtype.
        sequence_length: ``[B]``, any dtype; lengths above ``T`` are treated as ``T``.
        use_sequence_length: Whether ``sequence_length`` is given; else all lengths are ``T``.
        axis: The time axis, 0 or 1.

    Example:
        >>> npx.sequence_reverse(np.ones((4, 3, 2))).shape
        (4, 3, 2)
    """
def shape_array(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return the shape of ``data`` as an int64 vector.

    Example:
        >>> npx.shape_array(np.ones((2, 0, 3))).shape
        (3,)
    """
def sigmoid(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """The logistic function ``1 / (1 + exp(-data))``.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> npx.sigmoid(np.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).round(3)
        array([[0.119, 0.231, 0.401],
               [0.599, 0.769, 0.881]])
    """
def sign_ste(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return the sign of ``data``; the gradient passes through unchanged.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> npx.sign_ste(np.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).round(3)
        array([[-1., -1., -1.],
               [ 1.,  1.,  1.]])
    """
def slice(data: ndarray, begin: int | None | Sequence[int | None],
        end: int | None | Sequence[int | None], step: int | None | Sequence[int | None] = (), *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return ``data[begin:end:step]``, with the meaning of Python slices.

    Args:
        data: ``[*sizes]``, any dtype.
        begin: Start index along each of the leading axes; None for the default.
        end: End index along each of them, exclusive; None for the default.
        step: Step along each of them, which may be negative; 1 if None or omitted.

    Example:
        >>> npx.slice(np.ones((4, 3)), begin=(1, None), end=(3, -1)).shape
        (2, 2)
    """
def slice_channel(data: ndarray, num_outputs: int, axis: int = 1, squeeze_axis: bool = False, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> Any:
    """Return an array split along an axis into equal parts.

    Args:
        data: ``[*left, C, *right]`` with ``C`` at ``axis``, any dtype.
        num_outputs: Number of parts; divides ``C``.
        axis: The axis; a negative one counts from the end.
        squeeze_axis: Remove the axis from the parts, where it must have size 1.

    Returns:
        ``num_outputs`` arrays ``[*left, C / num_outputs, *right]``.

    Example:
        >>> y = npx.slice_channel(
        ...     np.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     num_outputs=1,
        ... )
        >>> y.round(3)
        array([[-2. , -1.2, -0.4],
               [ 0.4,  1.2,  2. ]])
    """
def slice_like(data: ndarray, shape_like: ndarray, axes: int | Sequence[int] = (), *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return ``data`` cut to the sizes of ``shape_like`` along some axes.

    Args:
        data: ``[*sizes]``, any dtype.
        shape_like: Only its shape is used.
        axes: The axes to cut; if empty, all axes, of which both arrays have equally many.

    Example:
        >>> y = npx.slice_like(
        ...     np.ones((4, 5)),
        ...     np.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ... )
        >>> y.shape
        (2, 3)
    """
def smooth_l1(data: ndarray, scalar: float = 1.0, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return the smooth L1 loss: quadratic near 0, linear elsewhere.

    The loss is ``(scalar * data)² / 2`` where ``abs(data) < 1 / scalar²``, else
    ``abs(data) - 0.5 / scalar²``.

    Args:
        data: ``[*shape]``, floating.
        scalar: Inverse width of the quadratic part.

    Example:
        >>> npx.smooth_l1(np.ones((4, 3)), scalar=1.0).shape
        (4, 3)
    """
def softmax(data: ndarray, length: ndarray | None = None, axis: int = -1,
        temperature: float | None = None,
        dtype: Literal["float16", "float32", "float64"] | None = None, use_length: bool = False, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the softmax along ``axis``: exponentials normalized to sum to 1.

    Args:
        data: ``[*shape]``, floating.
        length: ``shape`` without ``axis``, integers; with ``use_length=True``. Positions from
            ``length`` on are treated as minus infinity.
        axis: The axis to normalize.
        temperature: Divisor of ``data`` before the exponential.
        dtype: Dtype of the result; that of ``data`` by default.
        use_length: Whether ``length`` is given.

    Example:
        >>> npx.softmax(np.array([[-2.0], [0.0], [2.0]])).round(3)
        array([[1.],
               [1.],
               [1.]])
    """
def softsign(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """``data / (1 + abs(data))``.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> npx.softsign(np.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).round(3)
        array([[-0.667, -0.545, -0.286],
               [ 0.286,  0.545,  0.667]])
    """
@overload
def sync_batch_norm(data: ndarray, gamma: ndarray, beta: ndarray, moving_mean: ndarray,
        moving_var: ndarray, eps: float, momentum: float, fix_gamma: bool, use_global_stats: bool,
        output_mean_var: bool, ndev: int, key: str, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> Any:
    """Return ``BatchNorm`` of axis 1; statistics are not shared between devices.

    With ``output_mean_var`` the third output is the variance.

    Example:
        >>> y = npx.sync_batch_norm(
        ...     np.ones((2, 3, 4)),
        ...     np.array([0.3, 1.2, 2.0]),
        ...     np.array([0.3, 1.2, 2.0]),
        ...     np.array([0.3, 1.2, 2.0]),
        ...     np.array([0.3, 1.2, 2.0]),
        ...     fix_gamma=False,
        ...     key='k',
        ... )
        >>> y.shape
        (2, 3, 4)
    """
@overload
def sync_batch_norm(data: ndarray, gamma: ndarray, beta: ndarray, moving_mean: ndarray,
        moving_var: ndarray, eps: float = 0.001, momentum: float = 0.9, fix_gamma: bool = True,
        use_global_stats: bool = False, output_mean_var: bool = False, ndev: int = 1, *, key: str,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> Any: ...
def topk(data: ndarray, axis: int | None = -1, k: int = 1,
        ret_typ: Literal["both", "indices", "mask", "value"] = "indices", is_ascend: bool = False,
        dtype: Literal["float16", "float32", "float64", "int32", "int64", "uint8"] = "float32", *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> Any:
    """Return the ``k`` largest (or smallest) elements along an axis, sorted.

    Args:
        data: ``[*shape]``; nan is ordered after every number.
        axis: The axis to search; None for the flattened array.
        k: Number of elements; all of them if below 1.
        ret_typ: ``"value"`` for the elements, ``"indices"`` for their indices, ``"both"`` for
            the two, ``"mask"`` for an array like ``data`` with 1 where such an element is, else 0.
        is_ascend: Return the smallest elements instead. Of equal elements the first ones are taken.
        dtype: Dtype of the indices.

    Returns:
        The shape of ``data`` with ``k`` elements along the axis; flat if ``axis`` is None.

    Example:
        >>> npx.topk(np.ones((3, 5)), ret_typ='value').shape
        (3, 1)
    """
def load(file: str) -> list[ndarray] | dict[str, ndarray]:
    """Read the arrays of a file, as a list or by name, as arrays of ``mx.np``."""
def save(file: str,
        arr: ndarray | Sequence[ndarray] | Mapping[str, ndarray]) -> None:
    """Write arrays of ``mx.np`` to a file that MXNet's ``npx.load`` can also read."""
def savez(file: str, *args: ndarray,
        **kwds: ndarray) -> None:
    """Write arrays of ``mx.np`` to an ``.npz``, as MXNet 2 does."""
