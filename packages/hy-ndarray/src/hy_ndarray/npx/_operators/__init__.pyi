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
    """Return the sum of any number of arrays.

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
        forward_stype: Storage the result should have, where an operand is sparse.

    Returns:
        ``[*batch, M, N]``.

    Example:
        >>> npx.batch_dot(np.ones((2, 3, 4)), np.ones((2, 4, 5))).shape
        (2, 3, 5)
    """
def batch_flatten(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return the array as a matrix: all axes but the first merged.

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
    """Return ``gamma (data - mean) / sqrt(variance + eps) + beta`` for each channel.

    In training mode mean and variance are those of the batch, and the moving ones are replaced by
    ``momentum · moving + (1 - momentum) · batch``; in prediction the moving ones are used.

    Args:
        data: ``[*shape]``, floating, ``C`` channels along ``axis``.
        gamma: ``[C]``.
        beta: ``[C]``.
        moving_mean: ``[C]``, auxiliary state.
        moving_var: ``[C]``, auxiliary state.
        eps: Added to the variance.
        momentum: How much of the moving statistics stays.
        fix_gamma: ``gamma`` is set to ones and gets no gradient.
        use_global_stats: Use the moving statistics in training too.
        output_mean_var: Also return the mean, and the inverse ``1 / sqrt(variance + eps)``.
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
        is_ascend: Small scores are good ones.
        threshold: Only pairs with a score above it are made; below it, with ``is_ascend``.
        topk: One less than the most pairs that are made; not limited if not above 0.

    Returns:
        ``[*batch, N]``, the column paired with each row; ``[*batch, M]``, the row paired with
        each column; -1 for none. In the dtype of ``data``.

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
    """Return the overlap of each box of one array with each of another: intersection over union.

    Args:
        lhs: ``[*A, 4]``, floating.
        rhs: ``[*B, 4]``, the dtype of ``lhs``.
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
        >>> npx.box_nms(np.ones((2, 0, 6))).shape
        (2, 0, 6)
    """
def broadcast_greater(lhs: ndarray, rhs: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """1 where ``lhs > rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.

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
        lhs_axes: The axes of ``lhs`` to repeat; with ``rhs_axes``, or all axes if both are None.
        rhs_axes: The axes of ``rhs`` whose sizes they get.

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
    """Return ``data`` in another dtype; fractions are cut off on the way to integers.

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
    """Correlate ``data`` with ``num_filter`` small kernels, in one, two or three dimensions.

    Args:
        data: ``[N, C, *space]``, or ``[N, *space, C]`` with a layout that ends in ``C``. Floating.
        weight: ``[num_filter, C / num_group, *kernel]``, with the channels last in the latter.
        bias: ``[num_filter]``; left out with ``no_bias=True``.
        kernel: Size of the window along each spatial axis.
        stride: Steps between windows; 1 by default.
        dilate: Steps between the elements of a window; 1 by default.
        pad: Zeros added on both ends of each spatial axis; none by default.
        num_filter: Number of output channels.
        num_group: Channels and filters are cut into as many groups, each convolved by itself.
        workspace: Accepted and ignored.
        no_bias: There is no bias.
        cudnn_tune: Accepted and ignored.
        cudnn_off: Accepted and ignored.
        layout: Order of the axes, ``NCW``, ``NCHW`` or ``NCDHW`` by default.

    Returns:
        ``[N, num_filter, *windows]``, or the layout's order, where along each axis there are
        ``(size + 2 pad - dilate (kernel - 1) - 1) // stride + 1`` windows.

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
    """Return the negative log probability of labels, over all alignments to the steps.

    Args:
        data: ``[T, N, C]``: for each of T steps scores of C symbols, before softmax. Floating.
        label: ``[N, L]``, symbols, L at most T; padded with 0 where the blank is first, else -1.
        data_lengths: ``[N]``, numbers of steps, with ``use_data_lengths=True``.
        label_lengths: ``[N]``, numbers of labels, with ``use_label_lengths=True``; else labels end
            before the first that is padding.
        use_data_lengths: There are ``data_lengths``.
        use_label_lengths: There are ``label_lengths``.
        blank_label: Which symbol is the blank.

    Returns:
        ``[N]``; 0, without a gradient, where the labels do not fit into the steps.

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
    """Spread each element of ``data`` over a window, times a kernel: the transpose of convolution.

    Args:
        data: ``[N, C, *space]``, or ``[N, *space, C]`` with a layout that ends in ``C``. Floating.
        weight: ``[C, num_filter / num_group, *kernel]``, with the channels last in the latter.
        bias: ``[num_filter]``; left out with ``no_bias=True``.
        kernel: Size of the window along each spatial axis.
        stride: Steps between windows; 1 by default.
        dilate: Steps between the elements of a window; 1 by default.
        pad: Elements cut off on both ends of each spatial axis; none by default.
        adj: Elements added at the end of each spatial axis, fewer than the stride; none by default.
        target_shape: Sizes of the result along the spatial axes, instead of ``pad`` and ``adj``.
        num_filter: Number of output channels.
        num_group: Channels and filters are cut into as many groups, each treated by itself.
        workspace: Accepted and ignored.
        no_bias: There is no bias.
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
    """Set elements to zero at random, and scale the others so that the mean stays.

    Args:
        data: ``[*shape]``, floating.
        p: Probability of a zero.
        mode: ``"training"``: only in training mode, else the result is ``data``; ``"always"``.
        axes: Axes along which all elements share one draw.
        cudnn_off: Accepted and ignored.

    Example:
        >>> npx.dropout(np.ones((3, 4))).shape
        (3, 4)
    """
def embedding(data: ndarray, weight: ndarray, input_dim: int, output_dim: int,
        dtype: npt.DTypeLike = "float32", sparse_grad: bool = False, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return a row of ``weight`` for every index.

    Args:
        data: ``[*I]``, any dtype; indices outside of 0 … ``input_dim`` - 1 are moved to the
            nearest end.
        weight: ``[input_dim, output_dim]``.
        input_dim: Number of rows.
        output_dim: Their length.
        dtype: Of ``weight``, where nothing else tells it.
        sparse_grad: The gradient of ``weight`` is a row_sparse array of the rows that were read,
            which a program makes of dense ones at its end.

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
        data: ``[N, *rest]``; with ``flatten=False`` ``[*batch, I]``. Floating.
        weight: ``[num_hidden, I]``, where ``I`` is the product of ``rest``.
        bias: ``[num_hidden]``; left out with ``no_bias=True``.
        num_hidden: Size of the result's last axis.
        no_bias: There is no bias.
        flatten: Treat all axes but the first as one.

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
    """Return elements, or slices, at coordinates.

    Args:
        data: ``[*sizes]``, any dtype.
        indices: ``[M, *I]``: for each element of the result its coordinates on the first ``M``
            axes of ``data``; negative ones count from the end, fractions are cut off.

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
    """Return ``gamma (data - mean) / sqrt(variance + eps) + beta`` of each channel and instance.

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
    """Return the scores of attention to another sequence: ``query · keyᵀ / sqrt(D)``.

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
    """Return the sums of attention to another sequence: values weighted by ``attention``.

    Args:
        keys_values: ``[M, N, heads * 2 * D]``, interleaved: key, value.
        attention: ``[N * heads, L, M]``, weights of the values.
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
    """Return the scores of self-attention: ``query · keyᵀ / sqrt(D)`` in each head.

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
    """Return the sums of self-attention: values weighted by ``attention`` in each head.

    Args:
        queries_keys_values: ``[L, N, heads * 3 * D]``, interleaved: query, key, value.
        attention: ``[N * heads, L, L]``, weights of the values.
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
    """Return ``gamma (data - mean) / sqrt(variance + eps) + beta`` for each vector along ``axis``.

    Args:
        data: ``[*shape]``, floating, ``C`` elements along ``axis``.
        gamma: ``[C]``.
        beta: ``[C]``.
        axis: The axis that is normalised.
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
    """Return data with negative elements scaled or saturated.

    Args:
        data: ``[*shape]``, floating.
        gamma: Slopes that are learned, for ``"prelu"``: ``[C]`` with one per element of axis 1,
            ``[1]``, or any shape that broadcasts against ``data``.
        act_type: What happens to negative elements: ``"leaky"`` slope · x, ``"prelu"`` gamma · x,
            ``"rrelu"`` x times a slope drawn from between the bounds (their mean in prediction),
            ``"elu"`` slope · (exp(x) - 1). Or one of two functions without parameters: ``"selu"``,
            a scaled elu, and ``"gelu"``, x times the normal distribution function of x.
        slope: See ``act_type``.
        lower_bound: See ``act_type``.
        upper_bound: See ``act_type``.

    Returns:
        One array of the type of ``data``; for ``"rrelu"`` also the slopes.

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
    """Return the logarithm of softmax, exact also where softmax underflows.

    Args:
        data: ``[*shape]``, floating.
        axis: Where to normalise.
        temperature: Divides ``data`` first.
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
def norm(data: ndarray, ord: int = 2, axis: int | Sequence[int] | None = None,
        out_dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
        keepdims: bool = False, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return the length of the vectors along some axes.

    Args:
        data: ``[*shape]``.
        ord: 2 for the root of the sum of squares, 1 for the sum of absolute values.
        axis: Axes that one vector runs along; ``None`` or ``()`` for all.
        out_dtype: Dtype of the result; that of ``data`` if None.
        keepdims: Keep the reduced axes, with size 1.

    Returns:
        ``data`` without the reduced axes; ``(1,)`` if none is left.

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
    """Return a vector for each index: one value at that position, another elsewhere.

    Args:
        indices: ``[*I]``, any dtype; one outside of 0 … ``depth`` - 1 gives ``off_value`` alone.
        depth: Length of the vectors.
        on_value: The value at the index.
        off_value: The value elsewhere.
        dtype: Of the result.

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
        mode: What to add: ``"constant"``, the ``"edge"`` element, or the elements next to the
            edge as a mirror at it shows them (``"reflect"``).
        pad_width: For each axis how many before and how many after.
        constant_value: What ``"constant"`` adds.

    Example:
        >>> npx.pad(np.array([[-2.0]]), mode='edge', pad_width=(2, 0, 0, 3)).round(3)
        array([[-2., -2., -2., -2.],
               [-2., -2., -2., -2.],
               [-2., -2., -2., -2.]])
    """
def pick(data: ndarray, index: ndarray, axis: int | None = -1, keepdims: bool = False,
        mode: Literal["clip", "wrap"] = "clip", *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return one element along an axis for each position of the others.

    Args:
        data: ``[*left, N, *right]`` with ``N`` at ``axis``, any dtype.
        index: ``[*left, *right]`` or ``[*left, 1, *right]``, any dtype; fractions are cut off.
        axis: The axis; negative counts from the end.
        keepdims: Keep the axis, with size 1.
        mode: Indices outside of 0 … N-1 are moved to the nearest end (``"clip"``) or counted
            around (``"wrap"``).

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
    """Reduce each window of the spatial axes to one value.

    Args:
        data: ``[N, C, *space]``, or ``[N, *space, C]`` with a layout that ends in ``C``.
        kernel: Size of the window along each spatial axis; not needed with ``global_pool=True``.
        pool_type: ``"max"``, ``"avg"``, ``"sum"``, or ``"lp"``: the ``p_value``-th root of the sum
            of powers.
        global_pool: One window that holds the whole space.
        cudnn_off: Accepted and ignored.
        pooling_convention: ``"valid"``: windows that fit; ``"full"``: also a last one that reaches
            over the edge; ``"same"``: one window for every step that starts in the padded axis.
        stride: Steps between windows; 1 by default. Of more values than axes the first ones count.
        pad: Padding on both ends of each spatial axis; none by default; as ``stride``. The largest
            element of a window that holds nothing but padding is ``-inf``.
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
    """Return ``lhs`` in the shape of ``rhs``, or with some of its axes shaped as some of those.

    Args:
        lhs: ``[*sizes]``, any dtype.
        rhs: Only its shape is used.
        lhs_begin: First axis of ``lhs`` to replace; the first one if None.
        lhs_end: Axis after the last to replace; None: up to the last one.
        rhs_begin: First axis of ``rhs`` to take.
        rhs_end: Axis after the last to take.

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
    """Run stacked recurrent layers over whole sequences.

    With ``x`` the input and ``h`` the state before, ``W x`` and ``U h`` meaning product plus bias:
    plain layers give ``f(W x + U h)``; a GRU ``(1 - z) n + z h`` with ``r``, ``z`` the sigmoids of
    such sums and ``n = tanh(W x + r · U h)``; an LSTM ``o tanh(c)`` with the memory
    ``c = f · c before + i · g``, gates ``i``, ``f``, ``o`` sigmoids and ``g`` tanh of such sums.

    Args:
        data: ``[T, N, I]``: T steps of N sequences. Floating.
        parameters: ``[...]``, all weights in one vector: for each layer and direction the matrices
            ``W``, ``U`` and that of the projection, then in the same order the biases of ``W`` and
            ``U``. Gates lie in the order i, f, g, o and r, z, n.
        state: ``[num_layers · directions, N, state_size]``, or ``projection_size`` last.
        state_cell: ``[num_layers · directions, N, state_size]``, the memory of an LSTM.
        sequence_length: ``[N]``; steps from there on change no state and give zeros.
        state_size: Number of hidden units.
        num_layers: How many layers are stacked.
        bidirectional: Also run each layer backwards in time.
        mode: The kind of cell.
        p: Dropout between layers, in training.
        state_outputs: Also return the states after the last step.
        projection_size: An LSTM's result is projected to that size.
        lstm_state_clip_min: Least value of an LSTM's memory, together with the next.
        lstm_state_clip_max: Largest value.
        lstm_state_clip_nan: Clip nan too.
        use_sequence_length: There is a ``sequence_length``.

    Returns:
        ``[T, N, directions · size]``; with ``state_outputs=True`` also state, and memory.

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
    """Return the largest element of each part of each region of interest.

    Args:
        data: ``[N, C, H, W]``, floating.
        rois: ``[R, 5]``: number of the image, left, top, right and bottom, both ends included.
        pooled_size: Rows and columns that each region is cut into; the parts overlap where they
            must. A part without elements gives zero.
        spatial_scale: Multiplies the corners, which are then rounded.

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
def round_ste(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return ``round``, through which the gradient passes unchanged.

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
    """Return the last element of every sequence.

    Args:
        data: ``[T, B, *rest]``, or ``[B, T, *rest]`` with ``axis=1``; any dtype.
        sequence_length: ``[B]``, any dtype; lengths outside of 1 … T count as the nearest.
        use_sequence_length: Whether there are lengths; without them all are ``T``.
        axis: The axis of time, 0 or 1.

    Returns:
        ``[B, *rest]``.

    Example:
        >>> npx.sequence_last(np.ones((4, 3, 2))).shape
        (3, 2)
    """
def sequence_mask(data: ndarray, sequence_length: ndarray | None = None,
        use_sequence_length: bool = False, value: float = 0.0, axis: int = 0, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return sequences with another value after their ends.

    Args:
        data: ``[T, B, *rest]``, or ``[B, T, *rest]`` with ``axis=1``; any dtype.
        sequence_length: ``[B]``, any dtype; one above ``T`` is ``T``.
        use_sequence_length: Whether there are lengths; without them nothing is masked.
        value: The value.
        axis: The axis of time, 0 or 1.

    Example:
        >>> npx.sequence_mask(np.ones((4, 3, 2))).shape
        (4, 3, 2)
    """
def sequence_reverse(data: ndarray, sequence_length: ndarray | None = None,
        use_sequence_length: bool = False, axis: int = 0, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return every sequence reversed, its padding unchanged.

    Args:
        data: ``[T, B, *rest]``, or ``[B, T, *rest]`` with ``axis=1``; any dtype.
        sequence_length: ``[B]``, any dtype; one above ``T`` is ``T``.
        use_sequence_length: Whether there are lengths; without them all are ``T``.
        axis: The axis of time, 0 or 1.

    Example:
        >>> npx.sequence_reverse(np.ones((4, 3, 2))).shape
        (4, 3, 2)
    """
def shape_array(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return the shape of ``data`` as an int64 array.

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
    """Return ``sign``, through which the gradient passes unchanged.

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
    """Return the part ``data[begin:end:step]``, as Python slices mean it.

    Args:
        data: ``[*sizes]``, any dtype.
        begin: First index along each of the leading axes; None: from the start.
        end: Index after the last one; None: up to the end.
        step: Distance between indices, negative to go backwards; 1 where None or left out.

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
        axis: The axis; negative counts from the end.
        squeeze_axis: Leave the axis out of the parts; it must have size 1 there.

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
    """Return the leading part of ``data`` that is as large as another array along some axes.

    Args:
        data: ``[*sizes]``, any dtype.
        shape_like: Only its shape is used.
        axes: The axes to cut; all of them if empty, and then both have the same number.

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
    """Return the smooth L1 loss: ``(scalar data)² / 2`` around 0, linear outside.

    ``(scalar * data)² / 2`` where ``abs(data) < 1 / scalar²``, else ``abs(data) - 0.5 / scalar²``.

    Args:
        data: ``[*shape]``, floating.
        scalar: The larger, the narrower the parabola.

    Example:
        >>> npx.smooth_l1(np.ones((4, 3)), scalar=1.0).shape
        (4, 3)
    """
def softmax(data: ndarray, length: ndarray | None = None, axis: int = -1,
        temperature: float | None = None,
        dtype: Literal["float16", "float32", "float64"] | None = None, use_length: bool = False, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return exponentials, normalised to sum to one along ``axis``.

    Args:
        data: ``[*shape]``, floating.
        length: ``shape`` without ``axis``, integers; with ``use_length=True``. Positions at or
            beyond the length count as minus infinity.
        axis: Where to normalise.
        temperature: Divides ``data`` first.
        dtype: Dtype of the result; that of ``data`` by default.
        use_length: There is a ``length``.

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
    """Return ``BatchNorm`` of axis 1; the statistics are those of one device.

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
    """Return the ``k`` largest (or smallest) elements along an axis, in order.

    Args:
        data: ``[*shape]``; nan counts as larger than every number.
        axis: The axis to search; None for the flattened array.
        k: How many to find; all of them if below 1.
        ret_typ: ``"value"`` for the elements, ``"indices"`` for their positions, ``"both"`` for
            the two, ``"mask"`` for an array like ``data`` with 1 where such an element is, else 0.
        is_ascend: Look for the smallest. Of equal elements the first is first.
        dtype: Dtype of positions.

    Returns:
        ``data`` with ``k`` elements along the axis; one axis if ``axis`` is None.

    Example:
        >>> npx.topk(np.ones((3, 5)), ret_typ='value').shape
        (3, 1)
    """
def load(file: str) -> list[ndarray] | dict[str, ndarray]:
    """Read the arrays of a file, as a list or by name, as arrays of ``mx.np``."""
def save(file: str,
        arr: ndarray | Sequence[ndarray] | Mapping[str, ndarray]) -> None:
    """Write arrays of ``mx.np`` to a file that MXNet's ``npx.load`` can read, too."""
def savez(file: str, *args: ndarray,
        **kwds: ndarray) -> None:
    """Write arrays of ``mx.np`` to an ``.npz``, as MXNet 2 does."""
