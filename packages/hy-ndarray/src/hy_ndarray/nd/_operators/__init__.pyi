# Written by `hatch run stubs` from the operator catalogue.
import numpy.typing as npt
from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload
from hy_ndarray import Context
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.nd._operators import linalg as _linalg
from hy_ndarray.nd._operators import random as _random

def Activation(data: NDArray, act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"],
        *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Apply the activation function ``act_type`` to each element.

    Args:
        data: ``[*shape]``, floating.
        act_type: ``"relu"`` max(x, 0), ``"sigmoid"`` 1 / (1 + exp(-x)), ``"softrelu"``
            log(1 + exp(x)), ``"softsign"`` x / (1 + |x|), or ``"tanh"``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.Activation(nd.array([-1, 0, 2]), act_type="relu").asnumpy()
        array([0., 0., 2.], dtype=float32)
    """
def BatchNorm(data: NDArray, gamma: NDArray, beta: NDArray, moving_mean: NDArray,
        moving_var: NDArray, eps: float = 0.001, momentum: float = 0.9, fix_gamma: bool = True,
        use_global_stats: bool = False, output_mean_var: bool = False, axis: int = 1,
        cudnn_off: bool = False, min_calib_range: float | None = None,
        max_calib_range: float | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
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
        >>> from hy_ndarray import autograd, nd
        >>> one, zero = nd.array([1]), nd.array([0])
        >>> with autograd.train_mode():
        ...     y = nd.BatchNorm(nd.array([[1], [3]]), one, zero, zero.copy(), one.copy())
        >>> y.asnumpy().round(2)
        array([[-1.],
               [ 1.]], dtype=float32)
    """
def BatchNorm_v1(data: NDArray, gamma: NDArray, beta: NDArray, moving_mean: NDArray,
        moving_var: NDArray, eps: float = 0.001, momentum: float = 0.9, fix_gamma: bool = True,
        use_global_stats: bool = False, output_mean_var: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Return ``BatchNorm`` of axis 1; the name occurs in files of older versions of MXNet.

    Example:
        >>> y = nd.BatchNorm_v1(
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
def BilinearSampler(data: NDArray, grid: NDArray, cudnn_off: bool | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return images sampled bilinearly at the points of a grid; zero outside.

    Args:
        data: ``[N, C, H, W]``, floating.
        grid: ``[N, 2, height, width]``: x and y; -1 and 1 are the outermost elements.
        cudnn_off: Accepted and ignored.

    Returns:
        ``[N, C, height, width]``.

    Example:
        >>> nd.BilinearSampler(nd.ones((2, 3, 4, 5)), nd.ones((2, 2, 3, 2))).shape
        (2, 3, 3, 2)
    """
def BlockGrad(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return ``data`` unchanged and stop the gradient.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> from hy_ndarray import autograd, nd
        >>> x = nd.array([3.0])
        >>> x.attach_grad()
        >>> with autograd.record():
        ...     y = x * nd.BlockGrad(x)
        >>> y.backward()
        >>> x.grad.asnumpy()
        array([3.], dtype=float32)
    """
def CTCLoss(data: NDArray, label: NDArray, data_lengths: NDArray | None = None,
        label_lengths: NDArray | None = None, use_data_lengths: bool = False,
        use_label_lengths: bool = False, blank_label: Literal["first", "last"] = "first", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
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
        >>> from hy_ndarray import nd
        >>> nd.CTCLoss(nd.array([[[0, 0]]]), nd.array([[1]])).asnumpy().round(4)
        array([0.6931], dtype=float32)
    """
def Cast(data: NDArray, dtype: npt.DTypeLike, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return ``data`` converted to another dtype; conversion to integers truncates fractions.

    Args:
        data: ``[*shape]``, any dtype.
        dtype: The dtype to convert to.

    Example:
        >>> y = nd.Cast(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     dtype='float64',
        ... )
        >>> y.asnumpy().round(3)
        array([[-2. , -1.2, -0.4],
               [ 0.4,  1.2,  2. ]])
    """
def Concat(*data: NDArray | Sequence[NDArray], num_args: int = ..., dim: int = 1,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the arrays concatenated along an existing axis.

    Args:
        data: ``[*left, n_i, *right]`` with ``n_i`` at ``dim``; all of one dtype.
        dim: The axis; a negative one counts from the end.

    Returns:
        ``[*left, the sum of n_i, *right]``.

    Example:
        >>> nd.Concat(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[-2. , -1.2, -0.4],
               [ 0.4,  1.2,  2. ]], dtype=float32)
    """
@overload
def Convolution(data: NDArray, weight: NDArray, bias: NDArray | None, kernel: int | Sequence[int],
        stride: int | Sequence[int], dilate: int | Sequence[int], pad: int | Sequence[int],
        num_filter: int, num_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
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
        >>> from hy_ndarray import nd
        >>> x, w = nd.array([[[1, 2, 3, 4]]]), nd.array([[[1, -1]]])
        >>> nd.Convolution(x, w, kernel=(2,), num_filter=1, no_bias=True).asnumpy()
        array([[[-1., -1., -1.]]], dtype=float32)
    """
@overload
def Convolution(data: NDArray, weight: NDArray, bias: NDArray | None = None, *,
        kernel: int | Sequence[int], stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (), num_filter: int,
        num_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
@overload
def Convolution_v1(data: NDArray, weight: NDArray, bias: NDArray | None,
        kernel: int | Sequence[int], stride: int | Sequence[int], dilate: int | Sequence[int],
        pad: int | Sequence[int], num_filter: int, num_group: int = 1, workspace: int = 1024,
        no_bias: bool = False,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False, layout: Literal["NCDHW", "NCHW", "NDHWC", "NHWC"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``Convolution``; the name occurs in files of older versions of MXNet.

    Example:
        >>> y = nd.Convolution_v1(
        ...     nd.ones((2, 3, 5, 6)),
        ...     nd.ones((4, 3, 3, 2)),
        ...     nd.array([-2.0, -0.7, 0.7, 2.0]),
        ...     kernel=(3, 2),
        ...     num_filter=4,
        ...     no_bias=False,
        ... )
        >>> y.shape
        (2, 4, 3, 5)
    """
@overload
def Convolution_v1(data: NDArray, weight: NDArray, bias: NDArray | None = None, *,
        kernel: int | Sequence[int], stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (), num_filter: int,
        num_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False, layout: Literal["NCDHW", "NCHW", "NDHWC", "NHWC"] | None = None,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def Correlation(data1: NDArray, data2: NDArray, kernel_size: int = 1, max_displacement: int = 1,
        stride1: int = 1, stride2: int = 1, pad_size: int = 0, is_multiply: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
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

    Example:
        >>> nd.Correlation(nd.ones((2, 2, 6, 5)), nd.ones((2, 2, 6, 5)), pad_size=1).shape
        (2, 9, 6, 5)
    """
def Crop(*data: NDArray | Sequence[NDArray], num_args: int = ...,
        offset: int | Sequence[int] = (0, 0), h_w: int | Sequence[int] = (0, 0),
        center_crop: bool = False, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return a window of each image.

    Args:
        data: Images ``[N, C, H, W]``, and optionally an array whose last two sizes are those of
            the window.
        offset: First row and column of the window.
        h_w: Height and width of the window, if no second array is given.
        center_crop: Center the window in the image instead of using ``offset``.

    Returns:
        ``[N, C, height, width]``.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[[[1, 2, 3], [4, 5, 6]]]])
        >>> nd.Crop(x, h_w=(1, 2), offset=(1, 0)).asnumpy()
        array([[[[4., 5.]]]], dtype=float32)
    """
@overload
def Deconvolution(data: NDArray, weight: NDArray, bias: NDArray | None, kernel: int | Sequence[int],
        stride: int | Sequence[int], dilate: int | Sequence[int], pad: int | Sequence[int],
        adj: int | Sequence[int], target_shape: int | Sequence[int], num_filter: int,
        num_group: int = 1, workspace: int = 512, no_bias: bool = True,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
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
        >>> from hy_ndarray import nd
        >>> x, w = nd.array([[[1, 2]]]), nd.array([[[1, 10]]])
        >>> nd.Deconvolution(x, w, kernel=(2,), stride=(2,), num_filter=1).asnumpy()
        array([[[ 1., 10.,  2., 20.]]], dtype=float32)
    """
@overload
def Deconvolution(data: NDArray, weight: NDArray, bias: NDArray | None = None, *,
        kernel: int | Sequence[int], stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (),
        adj: int | Sequence[int] = (), target_shape: int | Sequence[int] = (), num_filter: int,
        num_group: int = 1, workspace: int = 512, no_bias: bool = True,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def Dropout(data: NDArray, p: float = 0.5, mode: Literal["always", "training"] = "training",
        axes: int | Sequence[int] = (), cudnn_off: bool | None = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``data`` with random elements set to zero, and the others scaled by ``1 / (1 - p)``.

    Args:
        data: ``[*shape]``, floating.
        p: Probability that an element is set to zero.
        mode: ``"training"``: only in training mode, else return ``data``; or ``"always"``.
        axes: Axes along which all elements share one random mask.
        cudnn_off: Accepted and ignored.

    Example:
        >>> from hy_ndarray import autograd, nd
        >>> x = nd.array([1, 2, 3, 4])
        >>> nd.Dropout(x, p=0.5).asnumpy()
        array([1., 2., 3., 4.], dtype=float32)
        >>> with autograd.train_mode():
        ...     set(nd.Dropout(x, p=0.5).asnumpy().tolist()) <= {0.0, 2.0, 4.0, 6.0, 8.0}
        True
    """
def Embedding(data: NDArray, weight: NDArray, input_dim: int, output_dim: int,
        dtype: npt.DTypeLike = "float32", sparse_grad: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
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
        >>> from hy_ndarray import nd
        >>> w = nd.array([[1, 2], [3, 4], [5, 6]])
        >>> nd.Embedding(nd.array([2, 0]), w, input_dim=3, output_dim=2).asnumpy()
        array([[5., 6.],
               [1., 2.]], dtype=float32)
    """
def Flatten(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the array as a matrix, with all axes except the first merged.

    Args:
        data: ``[N, *rest]``, any dtype.

    Returns:
        ``[N, the product of rest]``.

    Example:
        >>> nd.Flatten(nd.array([-2.0, -1.0, 0.0, 1.0, 2.0])).asnumpy().round(3)
        array([[-2.],
               [-1.],
               [ 0.],
               [ 1.],
               [ 2.]], dtype=float32)
    """
@overload
def FullyConnected(data: NDArray, weight: NDArray, bias: NDArray | None, num_hidden: int,
        no_bias: bool = False, flatten: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
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
        >>> from hy_ndarray import nd
        >>> x, w, b = nd.array([[1, 2]]), nd.array([[3, 4], [5, 6]]), nd.array([1, 1])
        >>> nd.FullyConnected(x, w, b, num_hidden=2).asnumpy()
        array([[12., 18.]], dtype=float32)
    """
@overload
def FullyConnected(data: NDArray, weight: NDArray, bias: NDArray | None = None, *, num_hidden: int,
        no_bias: bool = False, flatten: bool = True, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def GridGenerator(data: NDArray, transform_type: Literal["affine", "warp"],
        target_shape: int | Sequence[int] = (0, 0), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return a sampling grid of x and y coordinates for ``BilinearSampler``.

    Args:
        data: Floating. For ``"affine"`` ``[N, 6]``, the matrix ``[[a, b, c], [d, e, f]]`` that is
            applied to ``(x, y, 1)`` of a regular grid; for ``"warp"`` ``[N, 2, H, W]``, the
            displacement in pixels of each point of a regular grid.
        transform_type: ``"affine"`` or ``"warp"``.
        target_shape: Height and width of the grid, for ``"affine"``.

    Returns:
        ``[N, 2, H, W]``; -1 and 1 are the outermost elements.

    Example:
        >>> y = nd.GridGenerator(
        ...     nd.ones((2, 6)),
        ...     transform_type='affine',
        ...     target_shape=(3, 4),
        ... )
        >>> y.shape
        (2, 2, 3, 4)
    """
def GroupNorm(data: NDArray, gamma: NDArray, beta: NDArray, num_groups: int = 1, eps: float = 1e-05,
        output_mean_var: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> Any:
    """Return group normalization, ``gamma (data - mean) / sqrt(variance + eps) + beta``.

    Mean and variance are per sample and group of channels.

    Args:
        data: ``[N, C, *space]``, floating.
        gamma: ``[num_groups]``.
        beta: ``[num_groups]``.
        num_groups: Number of groups of channels.
        eps: Added to the variance.
        output_mean_var: Also return mean and ``sqrt(variance + eps)``, ``[N, num_groups]``.

    Example:
        >>> y = nd.GroupNorm(
        ...     nd.ones((2, 4, 3)),
        ...     nd.array([-2.0, 2.0]),
        ...     nd.array([-2.0, 2.0]),
        ...     num_groups=2,
        ... )
        >>> y.shape
        (2, 4, 3)
    """
def IdentityAttachKLSparseReg(data: NDArray, moving_avg: NDArray, sparseness_target: float = 0.1,
        penalty: float = 0.001, momentum: float = 0.9, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``data``, with a sparsity penalty added to its gradient.

    The gradient of each feature is increased by ``penalty`` times the derivative of the
    Kullback-Leibler divergence between ``sparseness_target`` and the feature's moving average.
    The moving average is updated in training mode only.

    Args:
        data: ``[N, C, *space]``, activations between 0 and 1, as of ``sigmoid``.
        moving_avg: ``[C]``, updated in place to ``momentum * moving_avg + (1 - momentum) * mean``,
            where ``mean`` is taken over examples and positions.
        sparseness_target: The desired average activation.
        penalty: Factor of the divergence.
        momentum: Weight of the old moving average in the update.

    Example:
        >>> nd.IdentityAttachKLSparseReg(nd.ones((4, 3)), nd.array([0.1, 0.5, 0.9])).shape
        (4, 3)
    """
def InstanceNorm(data: NDArray, gamma: NDArray, beta: NDArray, eps: float = 0.001, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return instance normalization: batch normalization of each sample on its own.

    Args:
        data: ``[N, C, *space]``, floating.
        gamma: ``[C]``.
        beta: ``[C]``.
        eps: Added to the variance.

    Example:
        >>> y = nd.InstanceNorm(
        ...     nd.ones((2, 3, 5)),
        ...     nd.array([-2.0, 0.0, 2.0]),
        ...     nd.array([-2.0, 0.0, 2.0]),
        ... )
        >>> y.shape
        (2, 3, 5)
    """
def L2Normalization(data: NDArray, eps: float = 1e-10,
        mode: Literal["channel", "instance", "spatial"] = "instance", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return each vector divided by its length, ``sqrt(sum of squares + eps)``.

    Args:
        data: ``[N, C, *space]``, floating.
        eps: Added to the squared length.
        mode: The axes of a vector: ``"instance"``, all but the first; ``"channel"``, axis 1; or
            ``"spatial"``, all axes after it.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.L2Normalization(nd.array([[3, 4]])).asnumpy()
        array([[0.6, 0.8]], dtype=float32)
    """
@overload
def LRN(data: NDArray, alpha: float, beta: float, knorm: float, nsize: int, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``data / (knorm + alpha / nsize · s) ** beta``, with ``s`` the sum of squares nearby.

    Args:
        data: ``[N, C, *space]``, floating.
        alpha: Weight of the sum of squares over neighbouring channels.
        beta: The exponent.
        knorm: The constant term.
        nsize: Number of channels in the sum, at least 1. An even number sums one channel less,
            as in oneDNN, but still divides by ``nsize``.

    Example:
        >>> nd.LRN(nd.ones((2, 5, 2, 3)), nsize=3, alpha=0.5, beta=0.75, knorm=2.0).shape
        (2, 5, 2, 3)
    """
@overload
def LRN(data: NDArray, alpha: float = 0.0001, beta: float = 0.75, knorm: float = 2.0, *, nsize: int,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def LayerNorm(data: NDArray, gamma: NDArray, beta: NDArray, axis: int = -1, eps: float = 1e-05,
        output_mean_var: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
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
        >>> from hy_ndarray import nd
        >>> nd.LayerNorm(nd.array([[1, 3]]), nd.array([1, 1]), nd.array([0, 5])).asnumpy().round(2)
        array([[-1.,  6.]], dtype=float32)
    """
def LeakyReLU(data: NDArray, gamma: NDArray | None = None,
        act_type: Literal["elu", "gelu", "leaky", "prelu", "rrelu", "selu"] = "leaky",
        slope: float = 0.25, lower_bound: float = 0.125, upper_bound: float = 0.334, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
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
        >>> from hy_ndarray import nd
        >>> nd.LeakyReLU(nd.array([-4, 2]), act_type="leaky", slope=0.5).asnumpy()
        array([-2.,  2.], dtype=float32)
    """
def LinearRegressionOutput(data: NDArray, label: NDArray, grad_scale: float = 1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``data``; the gradient is that of ``(data - label)² / 2``.

    Args:
        data: ``[N, *outputs]``, floating.
        label: Numbers in the shape of ``data``; ``[N]`` if there is one output per sample.
        grad_scale: Multiplies the gradient, which is divided by the number of outputs per sample.

    Example:
        >>> y = nd.LinearRegressionOutput(
        ...     nd.array([[-2.0, -1.2], [-0.4, 0.4], [1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2], [-0.4, 0.4], [1.2, 2.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[-2. , -1.2],
               [-0.4,  0.4],
               [ 1.2,  2. ]], dtype=float32)
    """
def LogisticRegressionOutput(data: NDArray, label: NDArray, grad_scale: float = 1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``sigmoid(data)``; the gradient is that of its cross entropy with ``label``.

    Args:
        data: ``[N, *outputs]``, floating.
        label: Probabilities in the shape of ``data``; ``[N]`` if there is one output per sample.
        grad_scale: Multiplies the gradient, which is divided by the number of outputs per sample.

    Example:
        >>> y = nd.LogisticRegressionOutput(
        ...     nd.array([[-2.0], [0.0], [2.0]]),
        ...     nd.array([-2.0, 0.0, 2.0]),
        ... )
        >>> y.asnumpy().round(3)
        array([[0.119],
               [0.5  ],
               [0.881]], dtype=float32)
    """
def MAERegressionOutput(data: NDArray, label: NDArray, grad_scale: float = 1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``data``; the gradient is that of ``|data - label|``.

    Args:
        data: ``[N, *outputs]``, floating.
        label: Numbers in the shape of ``data``; ``[N]`` if there is one output per sample.
        grad_scale: Multiplies the gradient, which is divided by the number of outputs per sample.

    Example:
        >>> y = nd.MAERegressionOutput(
        ...     nd.array([[-2.0, -1.2], [-0.4, 0.4], [1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2], [-0.4, 0.4], [1.2, 2.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[-2. , -1.2],
               [-0.4,  0.4],
               [ 1.2,  2. ]], dtype=float32)
    """
def MakeLoss(data: NDArray, grad_scale: float = 1.0, valid_thresh: float = 0.0,
        normalization: Literal["batch", "null", "valid"] = "null", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``data`` as a loss: its gradient is ``grad_scale``, divided as specified.

    Args:
        data: ``[*rows, C]``, floating.
        grad_scale: The gradient of each element.
        valid_thresh: Elements above it are valid.
        normalization: Divisor of the gradient: ``"batch"``, the number of rows, which is 1 for
            data of one axis; ``"valid"``, the number of valid elements; ``"null"``, 1.

    Example:
        >>> nd.MakeLoss(nd.ones((3, 4))).shape
        (3, 4)
    """
def Pad(data: NDArray, mode: Literal["constant", "edge", "reflect"], pad_width: int | Sequence[int],
        constant_value: float = 0.0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the array padded before and after each axis.

    Args:
        data: ``[*sizes]``, any dtype.
        mode: The padding: ``"constant"``; the ``"edge"`` element; or ``"reflect"``, the mirror
            image without the edge element.
        pad_width: For each axis the number of elements before and after.
        constant_value: The value for ``"constant"``.

    Example:
        >>> nd.Pad(nd.array([[-2.0]]), mode='edge', pad_width=(2, 0, 0, 3)).asnumpy().round(3)
        array([[-2., -2., -2., -2.],
               [-2., -2., -2., -2.],
               [-2., -2., -2., -2.]], dtype=float32)
    """
def Pooling(data: NDArray, kernel: int | Sequence[int] = (),
        pool_type: Literal["avg", "lp", "max", "sum"] = "max", global_pool: bool = False,
        cudnn_off: bool = False, pooling_convention: Literal["full", "same", "valid"] = "valid",
        stride: int | Sequence[int] = (), pad: int | Sequence[int] = (), p_value: int | None = None,
        count_include_pad: bool | None = None,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
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
        >>> from hy_ndarray import nd
        >>> nd.Pooling(nd.array([[[1, 3, 2, 4]]]), kernel=(2,), stride=(2,)).asnumpy()
        array([[[3., 4.]]], dtype=float32)
    """
def Pooling_v1(data: NDArray, kernel: int | Sequence[int] = (),
        pool_type: Literal["avg", "max", "sum"] = "max", global_pool: bool = False,
        pooling_convention: Literal["full", "valid"] = "valid", stride: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return ``Pooling`` where padding counts as zeros; the name occurs in older files of MXNet.

    Example:
        >>> nd.Pooling_v1(nd.ones((2, 2, 6, 4)), kernel=(2, 2), stride=(2, 2)).shape
        (2, 2, 3, 2)
    """
@overload
def RNN(data: NDArray, parameters: NDArray, state: NDArray, state_cell: NDArray | None,
        sequence_length: NDArray | None, state_size: int, num_layers: int, bidirectional: bool,
        mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"], p: float = 0.0,
        state_outputs: bool = False, projection_size: int | None = None,
        lstm_state_clip_min: float | None = None, lstm_state_clip_max: float | None = None,
        lstm_state_clip_nan: bool = False, use_sequence_length: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
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
        >>> results = nd.RNN(
        ...     nd.ones((3, 2, 2)),
        ...     nd.ones((21,)),
        ...     nd.array([[[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]]),
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
def RNN(data: NDArray, parameters: NDArray, state: NDArray, state_cell: NDArray | None = None,
        sequence_length: NDArray | None = None, *, state_size: int, num_layers: int,
        bidirectional: bool = False, mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"],
        p: float = 0.0, state_outputs: bool = False, projection_size: int | None = None,
        lstm_state_clip_min: float | None = None, lstm_state_clip_max: float | None = None,
        lstm_state_clip_nan: bool = False, use_sequence_length: bool = False,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any: ...
def ROIPooling(data: NDArray, rois: NDArray, pooled_size: int | Sequence[int], spatial_scale: float,
        *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
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
        >>> y = nd.ROIPooling(
        ...     nd.ones((2, 1, 5, 6)),
        ...     nd.array([[0.0, 0.0, 0.0, 3.0, 3.0], [1.0, 0.6, 1.4, 2.5, 4.0]]),
        ...     pooled_size=(1, 1),
        ...     spatial_scale=0.5,
        ... )
        >>> y.shape
        (2, 1, 1, 1)
    """
def Reshape(data: NDArray, shape: int | Sequence[int] = (), reverse: bool = False,
        target_shape: int | Sequence[int] = (), keep_highest: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``data`` reshaped; negative codes and 0 in ``shape`` refer to the sizes of ``data``.

    Args:
        data: ``[*sizes]``, any dtype.
        shape: The new sizes, positive or codes: 0 copies the input's size of this axis; -1 is
            inferred from the number of elements; -2 copies all remaining sizes; -3 merges two
            consecutive axes; -4 splits an axis into the two sizes that follow, one of which may
            be -1.
        reverse: Match ``shape`` against the input sizes from the last axis on; -4 is then written
            after its two sizes.
        target_shape: Older form of ``shape``, where 0 is inferred.
        keep_highest: With ``target_shape``, keep the first size of the input.

    Returns:
        The new shape, the dtype of ``data``.

    Example:
        >>> y = nd.Reshape(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     target_shape=(2, 0),
        ...     keep_highest=True,
        ... )
        >>> y.asnumpy().round(3)
        array([[-2. , -1.2, -0.4],
               [ 0.4,  1.2,  2. ]], dtype=float32)
    """
def SVMOutput(data: NDArray, label: NDArray, margin: float = 1.0,
        regularization_coefficient: float = 1.0, use_linear: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``data``; the gradient is that of one-vs-rest hinge losses, squared by default.

    Args:
        data: ``[*rows, C]``, floating.
        label: ``[*rows]``, class numbers.
        margin: Distance of a score from zero, on the correct side, from which there is no loss.
        regularization_coefficient: Multiplies the gradient.
        use_linear: Use the hinge loss; the squared hinge loss by default.

    Example:
        >>> nd.SVMOutput(nd.ones((3, 4)), nd.array([1.0, 0.0, 2.0])).shape
        (3, 4)
    """
def SequenceLast(data: NDArray, sequence_length: NDArray | None = None,
        use_sequence_length: bool = False, axis: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the last element of each sequence.

    Args:
        data: ``[T, B, *rest]``, or ``[B, T, *rest]`` with ``axis=1``; any dtype.
        sequence_length: ``[B]``, any dtype; lengths are clipped to 1 … T.
        use_sequence_length: Whether ``sequence_length`` is given; else all lengths are ``T``.
        axis: The time axis, 0 or 1.

    Returns:
        ``[B, *rest]``.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[1, 2], [3, 4]])
        >>> nd.SequenceLast(x, nd.array([1, 2]), use_sequence_length=True).asnumpy()
        array([1., 4.], dtype=float32)
    """
def SequenceMask(data: NDArray, sequence_length: NDArray | None = None,
        use_sequence_length: bool = False, value: float = 0.0, axis: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return sequences with the elements after their ends replaced by ``value``.

    Args:
        data: ``[T, B, *rest]``, or ``[B, T, *rest]`` with ``axis=1``; any dtype.
        sequence_length: ``[B]``, any dtype; lengths above ``T`` are treated as ``T``.
        use_sequence_length: Whether ``sequence_length`` is given; else nothing is masked.
        value: The replacement.
        axis: The time axis, 0 or 1.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[1, 2], [3, 4]])
        >>> nd.SequenceMask(x, nd.array([1, 2]), use_sequence_length=True).asnumpy()
        array([[1., 2.],
               [0., 4.]], dtype=float32)
    """
def SequenceReverse(data: NDArray, sequence_length: NDArray | None = None,
        use_sequence_length: bool = False, axis: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return each sequence reversed up to its length; padding stays in place.

    Args:
        data: ``[T, B, *rest]``, or ``[B, T, *rest]`` with ``axis=1``; any dtype.
        sequence_length: ``[B]``, any dtype; lengths above ``T`` are treated as ``T``.
        use_sequence_length: Whether ``sequence_length`` is given; else all lengths are ``T``.
        axis: The time axis, 0 or 1.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[1, 2], [3, 4], [5, 6]])
        >>> nd.SequenceReverse(x, nd.array([2, 3]), use_sequence_length=True).asnumpy()
        array([[3., 6.],
               [1., 4.],
               [5., 2.]], dtype=float32)
    """
def SliceChannel(data: NDArray, num_outputs: int, axis: int = 1, squeeze_axis: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Return an array split along an axis into equal parts.

    Args:
        data: ``[*left, C, *right]`` with ``C`` at ``axis``, any dtype.
        num_outputs: Number of parts; divides ``C``.
        axis: The axis; a negative one counts from the end.
        squeeze_axis: Remove the axis from the parts, where it must have size 1.

    Returns:
        ``num_outputs`` arrays ``[*left, C / num_outputs, *right]``.

    Example:
        >>> y = nd.SliceChannel(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     num_outputs=1,
        ... )
        >>> y.asnumpy().round(3)
        array([[-2. , -1.2, -0.4],
               [ 0.4,  1.2,  2. ]], dtype=float32)
    """
def SoftmaxActivation(data: NDArray, mode: Literal["channel", "instance"] = "instance", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the softmax along the last axis, or along the channels.

    Args:
        data: ``[N, C, *space]``, floating.
        mode: ``"instance"`` for the last axis, ``"channel"`` for axis 1.

    Example:
        >>> nd.SoftmaxActivation(nd.ones((2, 3, 4))).shape
        (2, 3, 4)
    """
def SoftmaxOutput(data: NDArray, label: NDArray, grad_scale: float = 1.0,
        ignore_label: float = -1.0, multi_output: bool = False, use_ignore: bool = False,
        preserve_shape: bool = False, normalization: Literal["batch", "null", "valid"] = "null",
        out_grad: bool = False, smooth_alpha: float = 0.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the softmax of ``data``; the gradient is that of the cross entropy with ``label``.

    Args:
        data: ``[N, C]``, floating; ``[N, C, *space]`` with ``multi_output=True``; ``[*rows, C]``
            with ``preserve_shape=True``.
        label: Class numbers, ``[N]``, ``[*rows]``, or, with ``multi_output=True``,
            ``[N, *space]``, ``[N, 1, *space]`` or ``[N, positions]``; or probabilities in the shape
            of ``data``.
        grad_scale: Multiplies the gradient.
        ignore_label: Samples with this label have a zero gradient, with ``use_ignore=True``.
        multi_output: Whether there is a label for each position, and the classes are axis 1.
        use_ignore: Whether ``ignore_label`` has an effect.
        preserve_shape: Whether the classes are the last axis, and all other axes samples.
        normalization: Divisor of the gradient: ``"batch"``, the number of samples; ``"valid"``, the
            number of labels that are not ignored; ``"null"``, 1. With ``multi_output`` the gradient
            is also divided by the number of positions, except for ``"valid"``.
        out_grad: Multiply by the gradient of the output, which is ignored otherwise.
        smooth_alpha: Label smoothing: the probability that is given to the other classes.

    Example:
        >>> nd.SoftmaxOutput(nd.ones((3, 4)), nd.array([1.0, 0.0, 2.0])).shape
        (3, 4)
    """
@overload
def SpatialTransformer(data: NDArray, loc: NDArray, target_shape: int | Sequence[int],
        transform_type: Literal["affine"], sampler_type: Literal["bilinear"],
        cudnn_off: bool | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return images sampled at an affine transformation of a regular grid.

    Args:
        data: ``[N, C, H, W]``, floating.
        loc: ``[N, 6]``, the matrix ``[[a, b, c], [d, e, f]]`` that is applied to ``(x, y, 1)``.
        target_shape: Height and width of the result.
        transform_type: Only ``"affine"``.
        sampler_type: Only ``"bilinear"``.
        cudnn_off: Accepted and ignored.

    Returns:
        ``[N, C, *target_shape]``.

    Example:
        >>> y = nd.SpatialTransformer(
        ...     nd.ones((2, 3, 4, 5)),
        ...     nd.ones((2, 6)),
        ...     transform_type='affine',
        ...     target_shape=(3, 4),
        ...     sampler_type='bilinear',
        ... )
        >>> y.shape
        (2, 3, 3, 4)
    """
@overload
def SpatialTransformer(data: NDArray, loc: NDArray, target_shape: int | Sequence[int] = (0, 0), *,
        transform_type: Literal["affine"], sampler_type: Literal["bilinear"],
        cudnn_off: bool | None = None, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def SwapAxis(data: NDArray, dim1: int = 0, dim2: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the array with two axes exchanged.

    Args:
        data: ``[*sizes]``, any dtype.
        dim1: One axis; a negative one counts from the end.
        dim2: The other axis; a negative one counts from the end.

    Example:
        >>> nd.SwapAxis(nd.array([[-2.0], [2.0]]), dim1=1, dim2=1).asnumpy().round(3)
        array([[-2.],
               [ 2.]], dtype=float32)
    """
def UpSampling(*data: NDArray | Sequence[NDArray], num_args: int = ..., scale: int,
        num_filter: int = 0, sample_type: Literal["bilinear", "nearest"],
        multi_input_mode: Literal["concat", "sum"] = "concat", workspace: int = 512,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
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

    Example:
        >>> from hy_ndarray import nd
        >>> nd.UpSampling(nd.array([[[[1, 2]]]]), scale=2, sample_type="nearest").asnumpy()
        array([[[[1., 1., 2., 2.],
                 [1., 1., 2., 2.]]]], dtype=float32)
    """
def abs(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The absolute value.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> nd.abs(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[2. , 1.2, 0.4],
               [0.4, 1.2, 2. ]], dtype=float32)
    """
def adam_update(weight: NDArray, grad: NDArray, mean: NDArray, var: NDArray, lr: float,
        beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-08, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Adam; the caller puts the bias correction into ``lr``.

    With ``g = grad + wd * weight``, clipped to the bound:
    ``mean = beta1 * mean + (1 - beta1) * g``, ``var = beta2 * var + (1 - beta2) * g²``, and the
    result is ``weight - lr * mean / (sqrt(var) + epsilon)``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        mean: Running mean of ``g``, overwritten; the type of ``weight``.
        var: Running mean of ``g²``, overwritten; the type of ``weight``.
        lr: Learning rate.
        beta1: How much of the mean is kept.
        beta2: How much of the mean square is kept.
        epsilon: Added to the root of the mean square.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of ``g``; none if negative.
        lazy_update: Has no effect on dense gradients.

    Returns:
        The new weight.

    Example:
        >>> y = nd.adam_update(
        ...     nd.array([[0.0, 0.4, 0.8], [1.2, 1.6, 2.0]]),
        ...     nd.array([[0.0, 0.4, 0.8], [1.2, 1.6, 2.0]]),
        ...     nd.array([[0.0, 0.4, 0.8], [1.2, 1.6, 2.0]]),
        ...     nd.array([[0.0, 0.4, 0.8], [1.2, 1.6, 2.0]]),
        ...     lr=0.1,
        ...     wd=0.1,
        ...     rescale_grad=0.5,
        ...     clip_gradient=0.4,
        ... )
        >>> y.asnumpy().round(3)
        array([[0.   , 0.339, 0.715],
               [1.098, 1.483, 1.87 ]], dtype=float32)
    """
def add_n(*args: NDArray | Sequence[NDArray], num_args: int = ...,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the element-wise sum of any number of arrays.

    Args:
        args: At least one; all of one shape and dtype.

    Example:
        >>> nd.add_n(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[-2. , -1.2, -0.4],
               [ 0.4,  1.2,  2. ]], dtype=float32)
    """
def all_finite(data: NDArray, init_output: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return 1 if all elements are finite, else 0.

    Args:
        data: ``[*shape]``, floating.
        init_output: Accepted and ignored.

    Returns:
        ``[1]``, float32.

    Example:
        >>> nd.all_finite(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([1.], dtype=float32)
    """
def amp_cast(data: NDArray, dtype: npt.DTypeLike, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return ``data`` converted to another dtype if it is floating, else ``data`` unchanged.

    Automatic mixed precision inserts it before operators that need a certain precision.

    Args:
        data: ``[*shape]``, any dtype.
        dtype: The dtype to convert to.

    Example:
        >>> y = nd.amp_cast(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     dtype='float64',
        ... )
        >>> y.asnumpy().round(3)
        array([[-2. , -1.2, -0.4],
               [ 0.4,  1.2,  2. ]])
    """
def amp_multicast(*data: NDArray | Sequence[NDArray], num_outputs: int, cast_narrow: bool = False,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Return the floating arrays converted to the widest of their dtypes; others stay unchanged.

    Args:
        data: ``num_outputs`` arrays of any shape and dtype.
        num_outputs: Number of arrays.
        cast_narrow: Convert to the narrowest of the dtypes instead.

    Example:
        >>> results = nd.amp_multicast(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([0.5, -1.5, 3.0]),
        ...     nd.array([-3, 0, 8], dtype='int32'),
        ...     num_outputs=3,
        ... )
        >>> [y.shape for y in results]
        [(2, 3), (3,), (3,)]
    """
def arccos(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The angle in ``[0, π]`` whose cosine is ``data``; nan outside of ``[-1, 1]``.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.arccos(nd.array([[-0.9, -0.5, -0.2], [0.2, 0.5, 0.9]])).asnumpy().round(3)
        array([[2.691, 2.094, 1.772],
               [1.369, 1.047, 0.451]], dtype=float32)
    """
def arccosh(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The number, not negative, whose hyperbolic cosine is ``data``; nan below 1.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.arccosh(nd.array([[1.2, 1.4, 1.5], [1.7, 1.8, 2.0]])).asnumpy().round(3)
        array([[0.622, 0.867, 0.962],
               [1.123, 1.193, 1.317]], dtype=float32)
    """
def arcsin(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The angle in ``[-π/2, π/2]`` whose sine is ``data``; nan outside of ``[-1, 1]``.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.arcsin(nd.array([[-0.9, -0.5, -0.2], [0.2, 0.5, 0.9]])).asnumpy().round(3)
        array([[-1.12 , -0.524, -0.201],
               [ 0.201,  0.524,  1.12 ]], dtype=float32)
    """
def arcsinh(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The number whose hyperbolic sine is ``data``.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.arcsinh(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[-1.444, -1.016, -0.39 ],
               [ 0.39 ,  1.016,  1.444]], dtype=float32)
    """
def arctan(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The angle in ``[-π/2, π/2]`` whose tangent is ``data``.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.arctan(nd.array([[-2.0]])).asnumpy().round(3)
        array([[-1.107]], dtype=float32)
    """
def arctanh(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The number whose hyperbolic tangent is ``data``; nan outside of ``[-1, 1]``.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.arctanh(nd.array([[-0.9, -0.5, -0.2], [0.2, 0.5, 0.9]])).asnumpy().round(3)
        array([[-1.472, -0.549, -0.203],
               [ 0.203,  0.549,  1.472]], dtype=float32)
    """
def argmax(data: NDArray, axis: int | None = None, keepdims: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the index of the largest element along ``axis``; of equal elements the first.

    Args:
        data: ``[*shape]``, not empty along the axis.
        axis: The axis to search; None searches the flattened array.
        keepdims: Keep the searched axis, with size 1.

    Returns:
        Indices in the dtype of ``data``, in its shape without ``axis``; ``(1,)`` if that is empty.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.argmax(nd.array([[1, 3, 2], [4, 0, 0]]), axis=1).asnumpy()
        array([1., 0.], dtype=float32)
    """
def argmax_channel(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return ``argmax`` along axis 1, as of the scores of classes.

    Args:
        data: ``[N, C, *rest]``.

    Returns:
        ``[N, *rest]``, in the dtype of ``data``.

    Example:
        >>> nd.argmax_channel(nd.ones((2, 4, 3))).shape
        (2, 3)
    """
def argmin(data: NDArray, axis: int | None = None, keepdims: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the index of the smallest element along ``axis``; of equal elements the first.

    Args:
        data: ``[*shape]``, not empty along the axis.
        axis: The axis to search; None searches the flattened array.
        keepdims: Keep the searched axis, with size 1.

    Returns:
        Indices in the dtype of ``data``, in its shape without ``axis``; ``(1,)`` if that is empty.

    Example:
        >>> nd.argmin(nd.array([[1.0, 3.0, 3.0], [2.0, 2.0, 1.0]]), axis=1).asnumpy().round(3)
        array([0., 2.], dtype=float32)
    """
def argsort(data: NDArray, axis: int | None = -1, is_ascend: bool = True,
        dtype: Literal["float16", "float32", "float64", "int32", "int64", "uint8"] = "float32", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the indices that would sort ``data`` along an axis.

    Args:
        data: ``[*shape]``; nan is ordered after every number.
        axis: The axis to sort along; None for the flattened array.
        is_ascend: Sort in ascending order, else in descending order. The sort is stable.
        dtype: Dtype of the indices.

    Returns:
        Indices along the axis, in the shape of ``data``; flat if ``axis`` is None.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.argsort(nd.array([3, 1, 2])).asnumpy()
        array([1., 2., 0.], dtype=float32)
    """
def batch_dot(lhs: NDArray, rhs: NDArray, transpose_a: bool = False, transpose_b: bool = False,
        forward_stype: Literal["csr", "default", "row_sparse"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
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
        >>> from hy_ndarray import nd
        >>> nd.batch_dot(nd.ones((5, 2, 3)), nd.ones((5, 3, 4))).shape
        (5, 2, 4)
    """
def batch_take(a: NDArray, indices: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return one element of each row: ``a[i, indices[i]]``.

    Args:
        a: ``[N, C]``, any dtype.
        indices: ``[N]``, any dtype; clipped to 0 … C-1.

    Returns:
        ``[N]``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.batch_take(nd.array([[1, 2], [3, 4]]), nd.array([1, 0])).asnumpy()
        array([2., 3.], dtype=float32)
    """
def broadcast_add(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``lhs + rhs``, broadcast.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.broadcast_add(nd.array([[1], [2]]), nd.array([[10, 20]])).asnumpy()
        array([[11., 21.],
               [12., 22.]], dtype=float32)
    """
def broadcast_axis(data: NDArray, axis: int | Sequence[int] = (), size: int | Sequence[int] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the array broadcast along some axes of size 1.

    Args:
        data: ``[*sizes]``, any dtype.
        axis: The axes; negative ones count from the end.
        size: The new size of each.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.broadcast_axis(nd.zeros((1, 2, 1)), axis=(0, 2), size=(3, 4)).shape
        (3, 2, 4)
    """
def broadcast_div(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``lhs / rhs``, broadcast; the quotient of integers is rounded towards 0.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> y = nd.broadcast_div(
        ...     nd.array([[-7, -5, 5, 7]], dtype='int32'),
        ...     nd.array([[3], [-3]], dtype='int32'),
        ... )
        >>> y.asnumpy()
        array([[-2, -1,  1,  2],
               [ 2,  1, -1, -2]], dtype=int32)
    """
def broadcast_equal(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """1 where ``lhs`` equals ``rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype; the result has the same dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> y = nd.broadcast_equal(
        ...     nd.array([[0.0], [1.0], [2.0]]),
        ...     nd.array([[1.0, 0.0, 2.0, 5.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[0., 1., 0., 0.],
               [1., 0., 0., 0.],
               [0., 0., 1., 0.]], dtype=float32)
    """
def broadcast_greater(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """1 where ``lhs > rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype; the result has the same dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> y = nd.broadcast_greater(
        ...     nd.array([[0.0], [1.0], [2.0]]),
        ...     nd.array([[1.0, 0.0, 2.0, 5.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[0., 0., 0., 0.],
               [0., 1., 0., 0.],
               [1., 1., 0., 0.]], dtype=float32)
    """
def broadcast_greater_equal(lhs: NDArray, rhs: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where ``lhs >= rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype; the result has the same dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> y = nd.broadcast_greater_equal(
        ...     nd.array([[0.0], [1.0], [2.0]]),
        ...     nd.array([[1.0, 0.0, 2.0, 5.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[0., 1., 0., 0.],
               [1., 1., 0., 0.],
               [1., 1., 1., 0.]], dtype=float32)
    """
def broadcast_hypot(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Length of the hypotenuse, ``sqrt(lhs² + rhs²)``, broadcast, without overflow.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> y = nd.broadcast_hypot(
        ...     nd.array([[[-2.0, -1.2, -0.4]], [[0.4, 1.2, 2.0]]]),
        ...     nd.array([[[-2.0], [-0.7], [0.7], [2.0]]]),
        ... )
        >>> y.shape
        (2, 4, 3)
    """
def broadcast_lesser(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """1 where ``lhs < rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype; the result has the same dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> y = nd.broadcast_lesser(
        ...     nd.array([[0.0], [1.0], [2.0]]),
        ...     nd.array([[1.0, 0.0, 2.0, 5.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[1., 0., 1., 1.],
               [0., 0., 1., 1.],
               [0., 0., 0., 1.]], dtype=float32)
    """
def broadcast_lesser_equal(lhs: NDArray, rhs: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where ``lhs <= rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype; the result has the same dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> y = nd.broadcast_lesser_equal(
        ...     nd.array([[0.0], [1.0], [2.0]]),
        ...     nd.array([[1.0, 0.0, 2.0, 5.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[1., 1., 1., 1.],
               [1., 0., 1., 1.],
               [0., 0., 1., 1.]], dtype=float32)
    """
def broadcast_like(lhs: NDArray, rhs: NDArray, lhs_axes: int | Sequence[int] | None = None,
        rhs_axes: int | Sequence[int] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``lhs`` broadcast to the shape of ``rhs``.

    Args:
        lhs: ``[*sizes]``, any dtype.
        rhs: Only its shape is used.
        lhs_axes: The axes of ``lhs`` to broadcast; with ``rhs_axes``, or all axes if both are None.
        rhs_axes: The corresponding axes of ``rhs``.

    Example:
        >>> from hy_ndarray import nd
        >>> x, like = nd.zeros((1, 3)), nd.zeros((5, 6))
        >>> nd.broadcast_like(x, like, lhs_axes=(0,), rhs_axes=(1,)).shape
        (6, 3)
    """
def broadcast_logical_and(lhs: NDArray, rhs: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where both are not 0, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype; the result has the same dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> y = nd.broadcast_logical_and(
        ...     nd.array([[0.0], [1.0], [2.0]]),
        ...     nd.array([[1.0, 0.0, 2.0, 5.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[0., 0., 0., 0.],
               [1., 0., 1., 1.],
               [1., 0., 1., 1.]], dtype=float32)
    """
def broadcast_logical_or(lhs: NDArray, rhs: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where one of them is not 0, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype; the result has the same dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> y = nd.broadcast_logical_or(
        ...     nd.array([[0.0], [1.0], [2.0]]),
        ...     nd.array([[1.0, 0.0, 2.0, 5.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[1., 0., 1., 1.],
               [1., 1., 1., 1.],
               [1., 1., 1., 1.]], dtype=float32)
    """
def broadcast_logical_xor(lhs: NDArray, rhs: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where exactly one of them is not 0, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype; the result has the same dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> y = nd.broadcast_logical_xor(
        ...     nd.array([[0.0], [1.0], [2.0]]),
        ...     nd.array([[1.0, 0.0, 2.0, 5.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[1., 0., 1., 1.],
               [0., 1., 0., 0.],
               [0., 1., 0., 0.]], dtype=float32)
    """
def broadcast_maximum(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The larger of ``lhs`` and ``rhs``, broadcast; nan if one of them is.

    The gradient of equal elements goes to ``lhs``.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> y = nd.broadcast_maximum(
        ...     nd.array([[[-2.0, -1.2, -0.4]], [[0.4, 1.2, 2.0]]]),
        ...     nd.array([[[-2.0], [-0.7], [0.7], [2.0]]]),
        ... )
        >>> y.shape
        (2, 4, 3)
    """
def broadcast_minimum(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The smaller of ``lhs`` and ``rhs``, broadcast; nan if one of them is.

    The gradient of equal elements goes to ``lhs``.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> y = nd.broadcast_minimum(
        ...     nd.array([[[-2.0, -1.2, -0.4]], [[0.4, 1.2, 2.0]]]),
        ...     nd.array([[[-2.0], [-0.7], [0.7], [2.0]]]),
        ... )
        >>> y.shape
        (2, 4, 3)
    """
def broadcast_mod(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Remainder of ``lhs / rhs`` with the sign of ``rhs``, broadcast; 0 where ``rhs`` is 0.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> y = nd.broadcast_mod(
        ...     nd.array([[-7, -5, 5, 7]], dtype='int32'),
        ...     nd.array([[3], [-3]], dtype='int32'),
        ... )
        >>> y.asnumpy()
        array([[ 2,  1,  2,  1],
               [-1, -2, -1, -2]], dtype=int32)
    """
def broadcast_mul(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``lhs * rhs``, broadcast.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> y = nd.broadcast_mul(
        ...     nd.array([[[-2.0, -1.2, -0.4]], [[0.4, 1.2, 2.0]]]),
        ...     nd.array([[[-2.0], [-0.7], [0.7], [2.0]]]),
        ... )
        >>> y.shape
        (2, 4, 3)
    """
def broadcast_not_equal(lhs: NDArray, rhs: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where ``lhs`` differs from ``rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype; the result has the same dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> y = nd.broadcast_not_equal(
        ...     nd.array([[0.0], [1.0], [2.0]]),
        ...     nd.array([[1.0, 0.0, 2.0, 5.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[1., 0., 1., 1.],
               [0., 1., 1., 1.],
               [1., 1., 0., 1.]], dtype=float32)
    """
def broadcast_power(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``lhs`` to the power of ``rhs``, broadcast.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> y = nd.broadcast_power(
        ...     nd.array([[[0.5, 0.8, 1.1]], [[1.4, 1.7, 2.0]]]),
        ...     nd.array([[[0.5], [1.0], [1.5], [2.0]]]),
        ... )
        >>> y.shape
        (2, 4, 3)
    """
def broadcast_sub(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``lhs - rhs``, broadcast.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against that of ``lhs``; same dtype as ``lhs``.

    Example:
        >>> y = nd.broadcast_sub(
        ...     nd.array([[[-2.0, -1.2, -0.4]], [[0.4, 1.2, 2.0]]]),
        ...     nd.array([[-2.0], [-0.7], [0.7], [2.0]]),
        ... )
        >>> y.shape
        (2, 4, 3)
    """
def broadcast_to(data: NDArray, shape: int | Sequence[int] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the array broadcast to a shape.

    Args:
        data: ``[*sizes]``, any dtype.
        shape: Shape of the result, of the same rank; 0 keeps the size of ``data``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.broadcast_to(nd.array([[1], [2]]), shape=(0, 3)).asnumpy()
        array([[1., 1., 1.],
               [2., 2., 2.]], dtype=float32)
    """
def cast_storage(data: NDArray, stype: Literal["default", "row_sparse", "csr"], *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``data`` in another storage format; within a graph of dense arrays, unchanged.

    Args:
        data: ``[*shape]``, any dtype; a matrix for csr.
        stype: ``"default"`` (dense), ``"row_sparse"``, which stores only the rows that are not
            all zero, or ``"csr"``, which stores only the elements of a matrix that are not zero.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.cast_storage(nd.array([[0, 0], [1, 0]]), stype="row_sparse").indices.asnumpy()
        array([1])
    """
def cbrt(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The cube root.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.cbrt(nd.array([[0.5, 0.8, 1.1], [1.4, 1.7, 2.0]])).asnumpy().round(3)
        array([[0.794, 0.928, 1.032],
               [1.119, 1.193, 1.26 ]], dtype=float32)
    """
def ceil(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The smallest integer not below each element.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> y = nd.ceil(
        ...     nd.array([-2.5, -1.5, -0.5, -0.2, 0.0, 0.5, 1.5, 2.5, 3.49, 4503599627370497.0]),
        ... )
        >>> y.asnumpy().round(3)
        array([-2.0000000e+00, -1.0000000e+00, -0.0000000e+00, -0.0000000e+00,
                0.0000000e+00,  1.0000000e+00,  2.0000000e+00,  3.0000000e+00,
                4.0000000e+00,  4.5035996e+15], dtype=float32)
    """
def clip(data: NDArray, a_min: float, a_max: float, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``data`` with elements clipped to the interval from ``a_min`` to ``a_max``.

    Args:
        data: ``[*shape]``, any dtype.
        a_min: The lower bound.
        a_max: The upper bound.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.clip(nd.array([-2, 1, 5]), a_min=0, a_max=3).asnumpy()
        array([0., 1., 3.], dtype=float32)
    """
def col2im(data: NDArray, output_size: int | Sequence[int], kernel: int | Sequence[int],
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return images to which columns are added at the positions of their windows.

    Args:
        data: ``[N, C * the product of kernel, the number of windows]``, any dtype.
        output_size: Sizes of the images.
        kernel: Size of the windows along each axis.
        stride: Step between windows; 1 if empty.
        dilate: Step between the elements of a window; 1 if empty.
        pad: Elements removed at both ends of each axis; none if empty.

    Returns:
        ``[N, C, *output_size]``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.col2im(nd.ones((1, 4, 2)), output_size=(2, 3), kernel=(2, 2)).asnumpy()
        array([[[[1., 2., 1.],
                 [1., 2., 1.]]]], dtype=float32)
    """
def cos(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The cosine of angles in radians.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.cos(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[-0.416,  0.362,  0.921],
               [ 0.921,  0.362, -0.416]], dtype=float32)
    """
def cosh(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The hyperbolic cosine.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.cosh(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[3.762, 1.811, 1.081],
               [1.081, 1.811, 3.762]], dtype=float32)
    """
def cumsum(a: NDArray, axis: int | None = None,
        dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the cumulative sum along an axis.

    Args:
        a: ``[*shape]``, any dtype.
        axis: The axis to sum along; None for the flattened array.
        dtype: Dtype of the result and of the sums; that of ``a`` if None, int64 for bool.

    Returns:
        The shape of ``a``; flat if ``axis`` is None.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.cumsum(nd.array([1, 2, 3])).asnumpy()
        array([1., 3., 6.], dtype=float32)
    """
def degrees(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Angles in radians as degrees.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.degrees(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[-114.592,  -68.755,  -22.918],
               [  22.918,   68.755,  114.592]], dtype=float32)
    """
def depth_to_space(data: NDArray, block_size: int, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return channels rearranged to blocks of pixels, of height and width ``B``.

    Args:
        data: ``[N, B * B * C, H, W]``, any dtype.
        block_size: ``B``, the height and width of a block.

    Returns:
        ``[N, C, H * B, W * B]``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.depth_to_space(nd.array([[[[1]], [[2]], [[3]], [[4]]]]), block_size=2).asnumpy()
        array([[[[1., 2.],
                 [3., 4.]]]], dtype=float32)
    """
def diag(data: NDArray, k: int = 0, axis1: int = 0, axis2: int = 1, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return a diagonal of an array, or a matrix with a vector on a diagonal.

    Args:
        data: ``[N]`` or ``[*sizes]``, any dtype.
        k: The diagonal: above the main one if positive, below it if negative.
        axis1: The axis of rows.
        axis2: The axis of columns.

    Returns:
        ``[N + |k|, N + |k|]`` for a vector; else the other axes of ``data``, then the diagonal.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.diag(nd.array([[1, 2], [3, 4]])).asnumpy(), nd.diag(nd.array([1, 2])).asnumpy()
        (array([1., 4.], dtype=float32), array([[1., 0.],
               [0., 2.]], dtype=float32))
    """
def dot(lhs: NDArray, rhs: NDArray, transpose_a: bool = False, transpose_b: bool = False,
        forward_stype: Literal["csr", "default", "row_sparse"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the sum of products over the last axis of ``lhs`` and the first axis of ``rhs``.

    Args:
        lhs: ``[*I, K]``; ``[K, *I]`` with ``transpose_a``.
        rhs: ``[K, *J]``, the dtype of ``lhs``; ``[*J, K]`` with ``transpose_b``.
        transpose_a: Sum over the first axis of ``lhs`` instead of the last.
        transpose_b: Sum over the last axis of ``rhs`` instead of the first.
        forward_stype: Storage format of the result if an operand is sparse.

    Returns:
        ``[*I, *J]``; ``(1,)`` for two vectors.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.dot(nd.array([[1, 2], [3, 4]]), nd.array([[1, 0], [1, 1]])).asnumpy()
        array([[3., 2.],
               [7., 4.]], dtype=float32)
    """
def elemwise_add(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``lhs + rhs`` of one shape.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Same shape and dtype as ``lhs``.

    Example:
        >>> y = nd.elemwise_add(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[-4. , -2.4, -0.8],
               [ 0.8,  2.4,  4. ]], dtype=float32)
    """
def elemwise_div(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``lhs / rhs`` of one shape; the quotient of integers is rounded towards 0.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Same shape and dtype as ``lhs``.

    Example:
        >>> y = nd.elemwise_div(
        ...     nd.array([[0.5, 0.8, 1.1], [1.4, 1.7, 2.0]]),
        ...     nd.array([[0.5, 0.8, 1.1], [1.4, 1.7, 2.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[1., 1., 1.],
               [1., 1., 1.]], dtype=float32)
    """
def elemwise_mul(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``lhs * rhs`` of one shape.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Same shape and dtype as ``lhs``.

    Example:
        >>> y = nd.elemwise_mul(
        ...     nd.array([[[-2.0, -1.2, -0.4]], [[0.4, 1.2, 2.0]]]),
        ...     nd.array([[[-2.0, -1.2, -0.4]], [[0.4, 1.2, 2.0]]]),
        ... )
        >>> y.shape
        (2, 1, 3)
    """
def elemwise_sub(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``lhs - rhs`` of one shape.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Same shape and dtype as ``lhs``.

    Example:
        >>> y = nd.elemwise_sub(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[0., 0., 0.],
               [0., 0., 0.]], dtype=float32)
    """
def erf(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The error function ``2/√π ∫ exp(-t²) dt`` from 0 to ``data``.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.erf(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[-0.995, -0.91 , -0.428],
               [ 0.428,  0.91 ,  0.995]], dtype=float32)
    """
def erfinv(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The number whose error function is ``data``; nan outside of ``[-1, 1]``.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.erfinv(nd.ones((2, 3))).shape
        (2, 3)
    """
def exp(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``e`` to the power of ``data``.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.exp(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[0.135, 0.301, 0.67 ],
               [1.492, 3.32 , 7.389]], dtype=float32)
    """
def expand_dims(data: NDArray, axis: int, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the array with a new axis of size 1.

    Args:
        data: ``[*sizes]``, any dtype.
        axis: Position of the new axis in the result; a negative one counts from the end.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.expand_dims(nd.zeros((2, 3)), axis=1).shape
        (2, 1, 3)
    """
def expm1(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``exp(data) - 1``, exact near 0.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.expm1(nd.ones((7,))).shape
        (7,)
    """
def fill_element_0index(lhs: NDArray, mhs: NDArray, rhs: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``lhs`` with one element of each row replaced: ``lhs[i, rhs[i]] = mhs[i]``.

    Args:
        lhs: ``[N, D]``, any dtype.
        mhs: ``[N]``, the new values.
        rhs: ``[N]``, the column of each new value; clipped to 0 … D-1.

    Example:
        >>> from hy_ndarray import nd
        >>> x, values, columns = nd.zeros((2, 2)), nd.array([5, 6]), nd.array([1, 0])
        >>> nd.fill_element_0index(x, values, columns).asnumpy()
        array([[0., 5.],
               [6., 0.]], dtype=float32)
    """
def fix(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Each element without its fraction; as ``trunc``.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> y = nd.fix(
        ...     nd.array([-2.5, -1.5, -0.5, -0.2, 0.0, 0.5, 1.5, 2.5, 3.49, 4503599627370497.0]),
        ... )
        >>> y.asnumpy().round(3)
        array([-2.0000000e+00, -1.0000000e+00, -0.0000000e+00, -0.0000000e+00,
                0.0000000e+00,  0.0000000e+00,  1.0000000e+00,  2.0000000e+00,
                3.0000000e+00,  4.5035996e+15], dtype=float32)
    """
def floor(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The largest integer not above each element.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> y = nd.floor(
        ...     nd.array([-2.5, -1.5, -0.5, -0.2, 0.0, 0.5, 1.5, 2.5, 3.49, 4503599627370497.0]),
        ... )
        >>> y.asnumpy().round(3)
        array([-3.0000000e+00, -2.0000000e+00, -1.0000000e+00, -1.0000000e+00,
                0.0000000e+00,  0.0000000e+00,  1.0000000e+00,  2.0000000e+00,
                3.0000000e+00,  4.5035996e+15], dtype=float32)
    """
@overload
def ftml_update(weight: NDArray, grad: NDArray, d: NDArray, v: NDArray, z: NDArray, lr: float,
        beta1: float, beta2: float, epsilon: float, t: int, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_grad: float = -1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """FTML (follow the moving leader), an adaptive method.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        d: Scale of the last step, overwritten; the type of ``weight``.
        v: Running mean of the squared gradient, overwritten; the type of ``weight``.
        z: Accumulated linear term, overwritten; the type of ``weight``.
        lr: Learning rate.
        beta1: Decay rate of ``z`` and ``d``.
        beta2: How much of the mean square is kept.
        epsilon: Added to the root of the mean square.
        t: Number of the step, from 1.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_grad: Bound of the gradient with weight decay; none if negative.

    Returns:
        The new weight.

    Example:
        >>> y = nd.ftml_update(
        ...     nd.array([[0.1, 0.5, 0.9], [1.2, 1.6, 2.0]]),
        ...     nd.array([[0.1, 0.5, 0.9], [1.2, 1.6, 2.0]]),
        ...     nd.array([[0.1, 0.5, 0.9], [1.2, 1.6, 2.0]]),
        ...     nd.array([[0.1, 0.5, 0.9], [1.2, 1.6, 2.0]]),
        ...     nd.array([[0.1, 0.5, 0.9], [1.2, 1.6, 2.0]]),
        ...     lr=0.1,
        ...     t=3,
        ...     wd=0.1,
        ... )
        >>> y.asnumpy().round(3)
        array([[0.098, 0.493, 0.89 ],
               [1.187, 1.582, 1.978]], dtype=float32)
    """
@overload
def ftml_update(weight: NDArray, grad: NDArray, d: NDArray, v: NDArray, z: NDArray, lr: float,
        beta1: float = 0.6, beta2: float = 0.999, epsilon: float = 1e-08, *, t: int,
        wd: float = 0.0, rescale_grad: float = 1.0, clip_grad: float = -1.0,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def ftrl_update(weight: NDArray, grad: NDArray, z: NDArray, n: NDArray, lr: float,
        lamda1: float = 0.01, beta: float = 1.0, wd: float = 0.0, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Follow the regularised leader: per-coordinate learning rates, and exactly sparse weights.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        z: The leader, overwritten; the type of ``weight``.
        n: Sum of the squared gradients, overwritten; the type of ``weight``.
        lr: Learning rate.
        lamda1: Strength of the pull to 0.
        beta: Added to the root of the sum.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.

    Returns:
        The new weight.

    Example:
        >>> y = nd.ftrl_update(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[1.5, 0.5, 2.0], [1.0, 3.0, 0.25]]),
        ...     lr=0.1,
        ...     wd=0.1,
        ... )
        >>> y.asnumpy().round(3)
        array([[-0.548, -0.242,  0.023],
               [-0.023,  0.067,  0.886]], dtype=float32)
    """
def gamma(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The gamma function, ``(data - 1)!`` for integers; nan at the negative ones.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.gamma(nd.array([[0.5, 1.2, 1.9], [2.6, 3.3, 4.0]])).asnumpy().round(3)
        array([[1.772, 0.918, 0.962],
               [1.43 , 2.683, 6.   ]], dtype=float32)
    """
def gammaln(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Logarithm of the absolute value of the gamma function.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> y = nd.gammaln(
        ...     nd.array([0.1, 0.5, 1.0, 1.4616321449683622, 2.5, 9.999, 10.0, 40.3, -0.5, -3.7]),
        ... )
        >>> y.asnumpy().round(3)
        array([  2.253,   0.572,   0.   ,  -0.121,   0.285,  12.8  ,  12.802,
               107.736,   1.266,  -1.38 ], dtype=float32)
    """
def gather_nd(data: NDArray, indices: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the elements or slices of ``data`` at the given coordinates.

    Args:
        data: ``[*sizes]``, any dtype.
        indices: ``[M, *I]``: for each element of the result its coordinates on the first ``M``
            axes of ``data``; negative ones count from the end, fractions are truncated.

    Returns:
        ``[*I, *rest]``, where ``rest`` are the sizes of ``data`` after the first ``M``.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[1, 2], [3, 4]])
        >>> nd.gather_nd(x, nd.array([[0, 1], [1, 0]])).asnumpy()
        array([2., 3.], dtype=float32)
    """
def hard_sigmoid(data: NDArray, alpha: float = 0.2, beta: float = 0.5, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``alpha * data + beta`` clipped to 0 and 1.

    Args:
        data: ``[*shape]``, floating.
        alpha: The slope of the linear part.
        beta: The offset, which is the result for ``data`` = 0.

    Example:
        >>> nd.hard_sigmoid(nd.array([[-4.0, -2.4, -0.8], [0.8, 2.4, 4.0]])).asnumpy().round(3)
        array([[0.  , 0.02, 0.34],
               [0.66, 0.98, 1.  ]], dtype=float32)
    """
def identity(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return a copy of ``data``.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> nd.identity(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[-2. , -1.2, -0.4],
               [ 0.4,  1.2,  2. ]], dtype=float32)
    """
def im2col(data: NDArray, kernel: int | Sequence[int], stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the sliding windows of an image as columns of a matrix.

    Args:
        data: ``[N, C, *sizes]``, any dtype.
        kernel: Size of the windows along each axis.
        stride: Step between windows; 1 if empty.
        dilate: Step between the elements of a window; 1 if empty.
        pad: Zeros added at both ends of each axis; none if empty.

    Returns:
        ``[N, C * the product of kernel, the number of windows]``.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[[[1, 2, 3], [4, 5, 6]]]])
        >>> nd.im2col(x, kernel=(2, 2)).asnumpy()
        array([[[1., 2.],
                [2., 3.],
                [4., 5.],
                [5., 6.]]], dtype=float32)
    """
def khatri_rao(*args: NDArray | Sequence[NDArray], num_args: int = ...,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the Khatri-Rao product: the column-wise Kronecker product.

    Args:
        args: Matrices ``[M1, C]``, ``[M2, C]``, … of one dtype.

    Returns:
        ``[M1 * M2 * …, C]``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.khatri_rao(nd.array([[1], [2]]), nd.array([[3], [4]])).asnumpy().ravel()
        array([3., 4., 6., 8.], dtype=float32)
    """
@overload
def lamb_update_phase1(weight: NDArray, grad: NDArray, mean: NDArray, var: NDArray, beta1: float,
        beta2: float, epsilon: float, t: int, bias_correction: bool, wd: float,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The direction of LAMB's step: Adam's, plus ``wd * weight``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        mean: Running mean of the gradient, overwritten; the type of ``weight``.
        var: Running mean of its square, overwritten; the type of ``weight``.
        beta1: How much of the mean is kept.
        beta2: How much of the mean square is kept.
        epsilon: Added to the root of the mean square.
        t: Number of the step, from 1.
        bias_correction: Divide the means by ``1 - beta ** t``.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.

    Returns:
        The direction, in the type of ``weight``.

    Example:
        >>> y = nd.lamb_update_phase1(
        ...     nd.array([[0.0, 0.4, 0.8], [1.2, 1.6, 2.0]]),
        ...     nd.array([[0.0, 0.4, 0.8], [1.2, 1.6, 2.0]]),
        ...     nd.array([[0.0, 0.4, 0.8], [1.2, 1.6, 2.0]]),
        ...     nd.array([[0.0, 0.4, 0.8], [1.2, 1.6, 2.0]]),
        ...     t=2,
        ...     wd=0.1,
        ...     rescale_grad=0.5,
        ...     clip_gradient=0.4,
        ... )
        >>> y.asnumpy().round(3)
        array([[0.   , 0.181, 0.28 ],
               [0.361, 0.435, 0.506]], dtype=float32)
    """
@overload
def lamb_update_phase1(weight: NDArray, grad: NDArray, mean: NDArray, var: NDArray,
        beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-06, *, t: int,
        bias_correction: bool = True, wd: float, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def lamb_update_phase2(weight: NDArray, g: NDArray, r1: NDArray, r2: NDArray, lr: float,
        lower_bound: float = -1.0, upper_bound: float = -1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """LAMB's step along ``g``: ``weight - lr * (r1 / r2) * g``.

    Args:
        weight: ``[*shape]``, floating.
        g: The direction; the type of ``weight``.
        r1: Norm of the weight, one element; the factor ``r1 / r2`` is 1 if it is 0.
        r2: Norm of the direction, one element; the factor ``r1 / r2`` is 1 if it is 0.
        lr: Learning rate.
        lower_bound: The least ``r1``; none if negative.
        upper_bound: The largest ``r1``; none if negative.

    Returns:
        The new weight.

    Example:
        >>> y = nd.lamb_update_phase2(
        ...     nd.array([[0.5, 0.8, 1.1], [1.4, 1.7, 2.0]]),
        ...     nd.array([[0.5, 0.8, 1.1], [1.4, 1.7, 2.0]]),
        ...     nd.array([0.5]),
        ...     nd.array([0.5]),
        ...     lr=0.1,
        ... )
        >>> y.asnumpy().round(3)
        array([[0.45, 0.72, 0.99],
               [1.26, 1.53, 1.8 ]], dtype=float32)
    """
def log(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The natural logarithm; -inf at 0, nan below.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.log(nd.array([[0.5, 0.8, 1.1], [1.4, 1.7, 2.0]])).asnumpy().round(3)
        array([[-0.693, -0.223,  0.095],
               [ 0.336,  0.531,  0.693]], dtype=float32)
    """
def log10(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The logarithm to base 10.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.log10(nd.array([[0.5, 0.8, 1.1], [1.4, 1.7, 2.0]])).asnumpy().round(3)
        array([[-0.301, -0.097,  0.041],
               [ 0.146,  0.23 ,  0.301]], dtype=float32)
    """
def log1p(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``log(1 + data)``, exact near 0.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.log1p(nd.array([[-0.5, 0.0, 0.5], [1.0, 1.5, 2.0]])).asnumpy().round(3)
        array([[-0.693,  0.   ,  0.405],
               [ 0.693,  0.916,  1.099]], dtype=float32)
    """
def log2(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The logarithm to base 2.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.log2(nd.array([[0.5, 0.8, 1.1], [1.4, 1.7, 2.0]])).asnumpy().round(3)
        array([[-1.   , -0.322,  0.138],
               [ 0.485,  0.766,  1.   ]], dtype=float32)
    """
def log_softmax(data: NDArray, axis: int = -1, temperature: float | None = None,
        dtype: Literal["float16", "float32", "float64"] | None = None, use_length: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the logarithm of the softmax along ``axis``, exact also where softmax underflows.

    Args:
        data: ``[*shape]``, floating.
        axis: The axis to normalize.
        temperature: Divisor of ``data`` before the exponential.
        dtype: Dtype of the result; that of ``data`` by default.
        use_length: Accepted and ignored.

    Example:
        >>> nd.log_softmax(nd.ones((2, 3, 4))).shape
        (2, 3, 4)
    """
def logical_not(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return 1 where ``data`` is 0, else 0.

    Args:
        data: ``[*shape]``, any dtype; the result has the same dtype.

    Example:
        >>> nd.logical_not(nd.array([3, 0, 1, 2], dtype='int32')).asnumpy()
        array([0, 1, 0, 0], dtype=int32)
    """
def make_loss(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return ``data`` as a loss to minimise: the gradient of each element is 1.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.make_loss(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[-2. , -1.2, -0.4],
               [ 0.4,  1.2,  2. ]], dtype=float32)
    """
def max(data: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        exclude: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The largest element along some axes; nan if there is one.

    Args:
        data: ``[*shape]``, any dtype; not empty along the axes.
        axis: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.
        exclude: Reduce all axes except ``axis``.

    Returns:
        The shape of ``data`` without the reduced axes; ``(1,)`` if no axis is left.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.max(nd.array([[1, 2], [4, 3]]), axis=1).asnumpy()
        array([2., 4.], dtype=float32)
    """
def mean(data: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        exclude: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The mean of the elements along some axes.

    Args:
        data: ``[*shape]``, any dtype; the mean of integers is cut off towards zero.
        axis: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.
        exclude: Reduce all axes except ``axis``.

    Returns:
        The shape of ``data`` without the reduced axes, or ``(1,)``; the dtype of ``data``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.mean(nd.array([[1, 2], [3, 4]]), axis=0).asnumpy()
        array([2., 3.], dtype=float32)
    """
def min(data: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        exclude: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The smallest element along some axes; nan if there is one.

    Args:
        data: ``[*shape]``, any dtype; not empty along the axes.
        axis: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.
        exclude: Reduce all axes except ``axis``.

    Returns:
        The shape of ``data`` without the reduced axes; ``(1,)`` if no axis is left.

    Example:
        >>> y = nd.min(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     axis=(),
        ...     keepdims=True,
        ...     exclude=True,
        ... )
        >>> y.asnumpy().round(3)
        array([[-2.]], dtype=float32)
    """
def moments(data: NDArray, axes: int | Sequence[int] | None = None, keepdims: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Return the mean and variance of the elements along some axes.

    Args:
        data: ``[*shape]``.
        axes: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.

    Returns:
        The mean, and the variance (divided by the number of elements), each in the shape of
        ``data`` without the reduced axes; ``(1,)`` if no axis is left.

    Example:
        >>> from hy_ndarray import nd
        >>> mean, variance = nd.moments(nd.array([1, 3]), axes=0)
        >>> mean.asscalar().item(), variance.asscalar().item()
        (2.0, 1.0)
    """
@overload
def mp_lamb_update_phase1(weight: NDArray, grad: NDArray, mean: NDArray, var: NDArray,
        weight32: NDArray, beta1: float, beta2: float, epsilon: float, t: int,
        bias_correction: bool, wd: float, rescale_grad: float = 1.0, clip_gradient: float = -1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The direction of LAMB's step on a 16-bit weight; see ``lamb_update_phase1``.

    Args:
        weight: ``[*shape]``, 16-bit.
        grad: The type of ``weight``.
        mean: Running mean of the gradient, overwritten; float32.
        var: Running mean of its square, overwritten; float32.
        weight32: The weight in float32.
        beta1: How much of the mean is kept.
        beta2: How much of the mean square is kept.
        epsilon: Added to the root of the mean square.
        t: Number of the step, from 1.
        bias_correction: Divide the means by ``1 - beta ** t``.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.

    Returns:
        The direction, float32.

    Example:
        >>> y = nd.mp_lamb_update_phase1(
        ...     nd.array([[-1.20703125, -0.019256591796875, -1.498046875], [-0.0770263671875, 0.14501953125, 1.0966796875]]),
        ...     nd.array([[-0.42529296875, -1.921875, 0.11102294921875], [-1.1787109375, 0.96484375, -0.4453125]]),
        ...     nd.array([[-0.4781073331832886, 1.6378183364868164, -0.4281182289123535], [-0.6045936942100525, -0.6079210638999939, -0.0769377201795578]]),
        ...     nd.array([[1.6268315315246582, 0.18698963522911072, 1.685709834098816], [0.25168827176094055, 0.9756408333778381, 1.7885626554489136]]),
        ...     nd.array([[1.3684614896774292, 0.976025402545929, 1.2526549100875854], [1.2805562019348145, -0.9849792122840881, -0.07214780896902084]]),
        ...     t=2,
        ...     wd=0.1,
        ... )
        >>> y.asnumpy().round(3)
        array([[ 0.05 ,  0.789,  0.057],
               [-0.182, -0.206, -0.027]], dtype=float32)
    """
@overload
def mp_lamb_update_phase1(weight: NDArray, grad: NDArray, mean: NDArray, var: NDArray,
        weight32: NDArray, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-06, *,
        t: int, bias_correction: bool = True, wd: float, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def mp_lamb_update_phase2(weight: NDArray, g: NDArray, r1: NDArray, r2: NDArray, weight32: NDArray,
        lr: float, lower_bound: float = -1.0, upper_bound: float = -1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """LAMB's step along ``g`` on a 16-bit weight; see ``lamb_update_phase2``.

    Args:
        weight: ``[*shape]``, 16-bit.
        g: The direction; float32.
        r1: Norm of the weight, one element; the factor ``r1 / r2`` is 1 if it is 0.
        r2: Norm of the direction, one element; the factor ``r1 / r2`` is 1 if it is 0.
        weight32: The weight in float32, overwritten.
        lr: Learning rate.
        lower_bound: The least ``r1``; none if negative.
        upper_bound: The largest ``r1``; none if negative.

    Returns:
        The new weight.

    Example:
        >>> y = nd.mp_lamb_update_phase2(
        ...     nd.array([[-0.62890625, -0.953125, 0.2861328125], [-0.728515625, 0.474609375, 0.32958984375]]),
        ...     nd.array([[-1.5824041366577148, -0.23032939434051514, -0.4405805170536041], [0.8266096711158752, -1.6474685668945312, -1.324167251586914]]),
        ...     nd.array([1.268896222114563]),
        ...     nd.array([1.1068905591964722]),
        ...     nd.array([[0.6613867282867432, -0.668573260307312, -1.2111248970031738], [1.727381706237793, -1.0244140625, -1.4117428064346313]]),
        ...     lr=0.1,
        ... )
        >>> y.asnumpy().round(3)
        array([[ 0.843, -0.642, -1.161],
               [ 1.633, -0.836, -1.26 ]], dtype=float32)
    """
def mp_nag_mom_update(weight: NDArray, grad: NDArray, mom: NDArray, weight32: NDArray, lr: float,
        momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Nesterov's accelerated gradient on a 16-bit weight; see ``nag_mom_update``.

    Args:
        weight: ``[*shape]``, 16-bit.
        grad: The type of ``weight``.
        mom: Velocity, overwritten; float32.
        weight32: The weight in float32, overwritten.
        lr: Learning rate.
        momentum: How much of the velocity is kept.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.

    Returns:
        The new weight.

    Example:
        >>> y = nd.mp_nag_mom_update(
        ...     nd.array([[0.73095703125, 1.2802734375, -0.28564453125], [1.03515625, 1.513671875, -1.5908203125]]),
        ...     nd.array([[1.3994140625, -0.42431640625, -0.08123779296875], [-1.4150390625, 0.7939453125, -0.83203125]]),
        ...     nd.array([[1.4845565557479858, -0.8985024690628052, 0.2472388744354248], [-0.4013751149177551, 0.45163795351982117, -1.2134430408477783]]),
        ...     nd.array([[-1.2788498401641846, 0.9874415397644043, 1.0088937282562256], [0.26791149377822876, 1.6843186616897583, -1.176899790763855]]),
        ...     lr=0.1,
        ...     momentum=0.9,
        ...     wd=0.1,
        ... )
        >>> y.asnumpy().round(3)
        array([[-0.318,  0.322,  1.205],
               [ 0.207,  1.867, -1.979]], dtype=float32)
    """
def mp_sgd_mom_update(weight: NDArray, grad: NDArray, mom: NDArray, weight32: NDArray, lr: float,
        momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, lazy_update: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Gradient descent with momentum on a 16-bit weight; see ``sgd_mom_update``.

    Args:
        weight: ``[*shape]``, 16-bit.
        grad: The type of ``weight``.
        mom: Velocity, overwritten; float32.
        weight32: The weight in float32, overwritten.
        lr: Learning rate.
        momentum: How much of the velocity is kept.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        lazy_update: Has no effect on dense gradients.

    Returns:
        The new weight.

    Example:
        >>> y = nd.mp_sgd_mom_update(
        ...     nd.array([[0.78466796875, -0.8291015625, -1.994140625], [1.8935546875, -0.80615234375, -0.744140625]]),
        ...     nd.array([[1.56640625, 0.340576171875, -0.11474609375], [1.0927734375, -1.87890625, 0.82763671875]]),
        ...     nd.array([[-0.5030246376991272, -1.6365891695022583, 0.6420002579689026], [1.7258554697036743, -1.1712353229522705, 0.5203608274459839]]),
        ...     nd.array([[-0.8073476552963257, 0.9670267105102539, 0.8886592388153076], [-1.125138282775879, 1.3195475339889526, 0.630608856678009]]),
        ...     lr=0.1,
        ...     momentum=0.9,
        ... )
        >>> y.asnumpy().round(3)
        array([[-1.417, -0.54 ,  1.478],
               [ 0.319,  0.453,  1.016]], dtype=float32)
    """
def mp_sgd_update(weight: NDArray, grad: NDArray, weight32: NDArray, lr: float, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Gradient descent on a 16-bit weight; see ``sgd_update``.

    Args:
        weight: ``[*shape]``, 16-bit.
        grad: The type of ``weight``.
        weight32: The weight in float32, overwritten.
        lr: Learning rate.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        lazy_update: Has no effect on dense gradients.

    Returns:
        The new weight.

    Example:
        >>> y = nd.mp_sgd_update(
        ...     nd.array([[-1.6572265625, -1.052734375, 1.205078125], [0.32861328125, -1.623046875, -0.267578125]]),
        ...     nd.array([[-0.08380126953125, -1.361328125, 0.9384765625], [-1.544921875, -0.43505859375, 0.06695556640625]]),
        ...     nd.array([[-0.2774879038333893, 0.34719428420066833, 0.9513511657714844], [1.8250690698623657, -0.8631953597068787, 0.5941888093948364]]),
        ...     lr=0.1,
        ...     wd=0.1,
        ... )
        >>> y.asnumpy().round(3)
        array([[-0.266,  0.48 ,  0.848],
               [ 1.961, -0.811,  0.582]], dtype=float32)
    """
def multi_all_finite(*data: NDArray | Sequence[NDArray], num_arrays: int = 1,
        init_output: bool = True, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return 1 if all elements of all arrays are finite, else 0.

    Args:
        data: Arrays of any shapes and one floating dtype.
        num_arrays: Number of arrays.
        init_output: Accepted and ignored.

    Returns:
        ``[1]``, float32.
    """
def multi_lars(lrs: NDArray, weights_sum_sq: NDArray, grads_sum_sq: NDArray, wds: NDArray,
        eta: float, eps: float, rescale_grad: float = 1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``lr * eta * |weight| / (|grad| + wd * |weight| + eps)``, the rate of each layer.

    Args:
        lrs: ``[N]``, the common learning rates.
        weights_sum_sq: ``[N]``, squared norms of the weights.
        grads_sum_sq: ``[N]``, squared norms of the gradients.
        wds: ``[N]``, weight decays.
        eta: The trust coefficient.
        eps: Added to the divisor.
        rescale_grad: Factor of the gradients.

    Returns:
        ``[N]``; the common learning rate where a norm is 0.

    Example:
        >>> y = nd.multi_lars(
        ...     nd.array([-2.0, 0.0, 2.0]),
        ...     nd.array([1.0, 0.0, 4.0]),
        ...     nd.array([2.0, 3.0, 0.0]),
        ...     nd.array([-2.0, 0.0, 2.0]),
        ...     eta=0.1,
        ...     eps=0.01,
        ... )
        >>> y.asnumpy().round(3)
        array([0.347, 0.   , 2.   ], dtype=float32)
    """
def multi_mp_sgd_mom_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float],
        wds: float | Sequence[float], momentum: float = 0.0, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, num_weights: int = 1,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Gradient descent with momentum on many 16-bit weights; see ``sgd_mom_update``.

    Args:
        data: ``weight, grad, mom, weight32`` for each weight, of which all but the gradient are
            overwritten.
        lrs: Learning rate, one for each weight.
        wds: Weight decay, one for each weight.
        momentum: How much of the velocity is kept.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        num_weights: How many weights there are.

    Returns:
        The new weights.

    Example:
        >>> results = nd.multi_mp_sgd_mom_update(
        ...     nd.array([[-0.47119140625, 0.63818359375, -1.3544921875], [-0.05133056640625, 0.64013671875, 0.88330078125]]),
        ...     nd.array([[-1.951171875, 1.2431640625, -0.26318359375], [-0.2568359375, 0.2493896484375, -0.87939453125]]),
        ...     nd.array([[1.5468870401382446, -1.1514581441879272, 0.1708689033985138], [-1.3278331756591797, 0.46446532011032104, 1.6076265573501587]]),
        ...     nd.array([[1.5305465459823608, -1.461279273033142, 0.49947500228881836], [1.570209264755249, -1.198898434638977, -0.3410351276397705]]),
        ...     nd.array([[0.8525390625, 0.95263671875, -0.1953125], [0.5546875, 0.67578125, -0.58740234375]]),
        ...     nd.array([[0.6083984375, 0.3095703125, 0.78955078125], [0.04656982421875, -0.654296875, -0.262451171875]]),
        ...     nd.array([[1.689845323562622, -1.2497788667678833, -1.40678870677948], [-1.9513884782791138, 1.4085856676101685, 1.9545925855636597]]),
        ...     nd.array([[-1.0541319847106934, -0.9356077909469604, -1.20651113986969], [0.40076982975006104, -0.059566378593444824, 1.2823045253753662]]),
        ...     lrs=(0.1, 0.2),
        ...     wds=(0.0, 0.02),
        ...     num_weights=2,
        ...     momentum=0.9,
        ... )
        >>> [y.shape for y in results]
        [(2, 3), (2, 3)]
    """
def multi_mp_sgd_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float],
        wds: float | Sequence[float], rescale_grad: float = 1.0, clip_gradient: float = -1.0,
        num_weights: int = 1, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> Any:
    """Gradient descent on many 16-bit weights; see ``sgd_update``.

    Args:
        data: ``weight, grad, weight32`` for each weight, of which all but the gradient are
            overwritten.
        lrs: Learning rate, one for each weight.
        wds: Weight decay, one for each weight.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        num_weights: How many weights there are.

    Returns:
        The new weights.

    Example:
        >>> results = nd.multi_mp_sgd_update(
        ...     nd.array([[-0.88037109375, -0.64111328125, -1.099609375], [0.145263671875, 1.748046875, -1.49609375]]),
        ...     nd.array([[-0.33935546875, 0.6728515625, 1.5390625], [1.9990234375, -1.42578125, 0.149169921875]]),
        ...     nd.array([[1.5248020887374878, -1.7878812551498413, 0.35317263007164], [-1.3043545484542847, 1.0713210105895996, 1.7505241632461548]]),
        ...     nd.array([[0.1531982421875, -1.9638671875, -1.7431640625], [-0.337158203125, 1.3896484375, -1.052734375]]),
        ...     nd.array([[0.6767578125, -0.378662109375, -0.939453125], [0.8154296875, -0.76708984375, -0.5126953125]]),
        ...     nd.array([[1.0612412691116333, -0.019200365990400314, 1.135674238204956], [0.06520212441682816, -1.3601133823394775, -0.22520869970321655]]),
        ...     lrs=(0.1, 0.2),
        ...     wds=(0.0, 0.02),
        ...     num_weights=2,
        ... )
        >>> [y.shape for y in results]
        [(2, 3), (2, 3)]
    """
def multi_sgd_mom_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float],
        wds: float | Sequence[float], momentum: float = 0.0, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, num_weights: int = 1,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Gradient descent with momentum on many weights; see ``sgd_mom_update``.

    Args:
        data: ``weight, grad, mom`` for each weight, of which all but the gradient are
            overwritten.
        lrs: Learning rate, one for each weight.
        wds: Weight decay, one for each weight.
        momentum: How much of the velocity is kept.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        num_weights: How many weights there are.

    Returns:
        The new weights.

    Example:
        >>> results = nd.multi_sgd_mom_update(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([-2.0, -0.7, 0.7, 2.0]),
        ...     nd.array([-2.0, -0.7, 0.7, 2.0]),
        ...     nd.array([-2.0, -0.7, 0.7, 2.0]),
        ...     lrs=(0.1, 0.2),
        ...     wds=(0.0, 0.02),
        ...     num_weights=2,
        ...     momentum=0.9,
        ... )
        >>> [y.shape for y in results]
        [(2, 3), (4,)]
    """
def multi_sgd_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float],
        wds: float | Sequence[float], rescale_grad: float = 1.0, clip_gradient: float = -1.0,
        num_weights: int = 1, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> Any:
    """Gradient descent on many weights; see ``sgd_update``.

    Args:
        data: ``weight, grad`` for each weight, of which all but the gradient are
            overwritten.
        lrs: Learning rate, one for each weight.
        wds: Weight decay, one for each weight.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        num_weights: How many weights there are.

    Returns:
        The new weights.

    Example:
        >>> y = nd.multi_sgd_update(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     lrs=(0.5,),
        ...     wds=(0.0,),
        ... )
        >>> y.asnumpy().round(3)
        array([[-1. , -0.6, -0.2],
               [ 0.2,  0.6,  1. ]], dtype=float32)
    """
def multi_sum_sq(*data: NDArray | Sequence[NDArray], num_arrays: int,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the sum of squares of each array.

    Args:
        data: Arrays of any shapes and one floating dtype.
        num_arrays: Number of arrays.

    Returns:
        ``[num_arrays]``, float32.
    """
def nag_mom_update(weight: NDArray, grad: NDArray, mom: NDArray, lr: float, momentum: float = 0.0,
        wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Nesterov's accelerated gradient.

    With ``g = lr * (grad + wd * weight)``: ``mom = momentum * mom - g``, and the result is
    ``weight + momentum * mom - g``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        mom: Velocity, overwritten; the type of ``weight``.
        lr: Learning rate.
        momentum: How much of the velocity is kept.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.

    Returns:
        The new weight.

    Example:
        >>> y = nd.nag_mom_update(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     lr=0.1,
        ...     momentum=0.9,
        ...     wd=0.1,
        ...     rescale_grad=0.5,
        ...     clip_gradient=0.4,
        ... )
        >>> y.asnumpy().round(3)
        array([[-3.506, -2.073, -0.678],
               [ 0.678,  2.073,  3.506]], dtype=float32)
    """
def nanprod(data: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        exclude: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The product of the elements along some axes, where nan counts as 1.

    Args:
        data: ``[*shape]``, any dtype.
        axis: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.
        exclude: Reduce all axes except ``axis``.

    Returns:
        The shape of ``data`` without the reduced axes, or ``(1,)``; the dtype of ``data``.

    Example:
        >>> y = nd.nanprod(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     axis=(),
        ...     keepdims=True,
        ...     exclude=True,
        ... )
        >>> y.asnumpy().round(3)
        array([[-0.922]], dtype=float32)
    """
def nansum(data: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        exclude: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The sum of the elements along some axes, where nan counts as 0.

    Args:
        data: ``[*shape]``, any dtype.
        axis: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.
        exclude: Reduce all axes except ``axis``.

    Returns:
        The shape of ``data`` without the reduced axes, or ``(1,)``; the dtype of ``data``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.nansum(nd.array([1, float("nan"), 2])).asnumpy()
        array([3.], dtype=float32)
    """
def negative(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``-data``.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> nd.negative(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[ 2. ,  1.2,  0.4],
               [-0.4, -1.2, -2. ]], dtype=float32)
    """
def norm(data: NDArray, ord: int = 2, axis: int | Sequence[int] | None = None,
        out_dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
        keepdims: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
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
        >>> from hy_ndarray import nd
        >>> nd.norm(nd.array([[3, 4], [6, 8]]), axis=1).asnumpy()
        array([ 5., 10.], dtype=float32)
    """
def one_hot(indices: NDArray, depth: int, on_value: float = 1.0, off_value: float = 0.0,
        dtype: npt.DTypeLike = "float32", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
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
        >>> from hy_ndarray import nd
        >>> nd.one_hot(nd.array([1, 0]), depth=3).asnumpy()
        array([[0., 1., 0.],
               [1., 0., 0.]], dtype=float32)
    """
def ones_like(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return ones in the shape and dtype of ``data``.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> nd.ones_like(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[1., 1., 1.],
               [1., 1., 1.]], dtype=float32)
    """
def pick(data: NDArray, index: NDArray, axis: int | None = -1, keepdims: bool = False,
        mode: Literal["clip", "wrap"] = "clip", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
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
        >>> from hy_ndarray import nd
        >>> nd.pick(nd.array([[1, 2], [3, 4]]), nd.array([1, 0])).asnumpy()
        array([2., 3.], dtype=float32)
    """
def preloaded_multi_mp_sgd_mom_update(*data: NDArray | Sequence[NDArray], momentum: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Gradient descent with momentum on many 16-bit weights, with learning rates and weight decays in arrays; see ``sgd_mom_update``.

    Args:
        data: ``weight, grad, mom, weight32`` for each weight, of which all but the gradient are
            overwritten, then learning rates and decays ``[num_weights]``.
        momentum: How much of the velocity is kept.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        num_weights: How many weights there are.

    Returns:
        The new weights.

    Example:
        >>> results = nd.preloaded_multi_mp_sgd_mom_update(
        ...     nd.array([[1.833984375, -1.6611328125, -1.71484375], [1.037109375, -0.0172576904296875, -0.300048828125]]),
        ...     nd.array([[0.5341796875, 1.0419921875, -1.720703125], [1.84765625, 1.83203125, -0.33349609375]]),
        ...     nd.array([[-0.12174602597951889, -0.9107994437217712, 0.34993863105773926], [-1.179408073425293, 0.13842926919460297, 1.6173369884490967]]),
        ...     nd.array([[0.02472967654466629, 1.3083552122116089, -1.2832287549972534], [1.5340704917907715, -1.5072335004806519, -1.148553729057312]]),
        ...     nd.array([[0.880859375, -0.7919921875, -1.5244140625], [-1.65234375, 1.1728515625, -1.9208984375]]),
        ...     nd.array([[-1.7744140625, 1.7822265625, 1.12890625], [-0.51806640625, -1.23046875, 1.46875]]),
        ...     nd.array([[1.1505814790725708, 0.6740787029266357, 0.12153604626655579], [0.10107196122407913, 1.9117546081542969, 0.08916210383176804]]),
        ...     nd.array([[-1.6638749837875366, -1.7008203268051147, 0.38221511244773865], [0.9307162165641785, 0.5129682421684265, 0.971275806427002]]),
        ...     nd.array([0.10000000149011612, 0.20000000298023224]),
        ...     nd.array([0.0, 0.019999999552965164]),
        ...     num_weights=2,
        ...     momentum=0.9,
        ... )
        >>> [y.shape for y in results]
        [(2, 3), (2, 3)]
    """
def preloaded_multi_mp_sgd_update(*data: NDArray | Sequence[NDArray], rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, num_weights: int = 1,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Gradient descent on many 16-bit weights, with learning rates and weight decays in arrays; see ``sgd_update``.

    Args:
        data: ``weight, grad, weight32`` for each weight, of which all but the gradient are
            overwritten, then learning rates and decays ``[num_weights]``.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        num_weights: How many weights there are.

    Returns:
        The new weights.

    Example:
        >>> results = nd.preloaded_multi_mp_sgd_update(
        ...     nd.array([[1.7763671875, -1.8173828125, 1.7529296875], [-0.66796875, 0.908203125, -1.9873046875]]),
        ...     nd.array([[-0.2109375, 0.7109375, 0.51318359375], [1.2255859375, -1.38671875, -0.395263671875]]),
        ...     nd.array([[0.454761803150177, -1.8850829601287842, 1.3426364660263062], [-0.3350491523742676, -1.0156854391098022, -1.1101500988006592]]),
        ...     nd.array([[0.603515625, -1.80859375, -1.0224609375], [-0.7841796875, -0.9658203125, 0.92236328125]]),
        ...     nd.array([[0.36962890625, 1.6162109375, 0.8037109375], [-0.822265625, -0.703125, -1.5068359375]]),
        ...     nd.array([[-1.0298259258270264, 0.41848018765449524, 0.9239854216575623], [-0.8164100050926208, -0.6230797171592712, 1.2115724086761475]]),
        ...     nd.array([0.10000000149011612, 0.20000000298023224]),
        ...     nd.array([0.0, 0.019999999552965164]),
        ...     num_weights=2,
        ... )
        >>> [y.shape for y in results]
        [(2, 3), (2, 3)]
    """
def preloaded_multi_sgd_mom_update(*data: NDArray | Sequence[NDArray], momentum: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Gradient descent with momentum on many weights, with learning rates and weight decays in arrays; see ``sgd_mom_update``.

    Args:
        data: ``weight, grad, mom`` for each weight, of which all but the gradient are
            overwritten, then learning rates and decays ``[num_weights]``.
        momentum: How much of the velocity is kept.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        num_weights: How many weights there are.

    Returns:
        The new weights.

    Example:
        >>> results = nd.preloaded_multi_sgd_mom_update(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([-2.0, -0.7, 0.7, 2.0]),
        ...     nd.array([-2.0, -0.7, 0.7, 2.0]),
        ...     nd.array([-2.0, -0.7, 0.7, 2.0]),
        ...     nd.array([-2.0, 2.0]),
        ...     nd.array([-2.0, 2.0]),
        ...     num_weights=2,
        ...     momentum=0.9,
        ... )
        >>> [y.shape for y in results]
        [(2, 3), (4,)]
    """
def preloaded_multi_sgd_update(*data: NDArray | Sequence[NDArray], rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, num_weights: int = 1,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Gradient descent on many weights, with learning rates and weight decays in arrays; see ``sgd_update``.

    Args:
        data: ``weight, grad`` for each weight, of which all but the gradient are
            overwritten, then learning rates and decays ``[num_weights]``.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        num_weights: How many weights there are.

    Returns:
        The new weights.

    Example:
        >>> results = nd.preloaded_multi_sgd_update(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([-2.0, -0.7, 0.7, 2.0]),
        ...     nd.array([-2.0, -0.7, 0.7, 2.0]),
        ...     nd.array([-2.0, 2.0]),
        ...     nd.array([-2.0, 2.0]),
        ...     num_weights=2,
        ... )
        >>> [y.shape for y in results]
        [(2, 3), (4,)]
    """
def prod(data: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        exclude: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The product of the elements along some axes.

    Args:
        data: ``[*shape]``, any dtype; 16-bit floats are multiplied in float32.
        axis: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.
        exclude: Reduce all axes except ``axis``.

    Returns:
        The shape of ``data`` without the reduced axes, or ``(1,)``; the dtype of ``data``.

    Example:
        >>> y = nd.prod(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     axis=(),
        ...     keepdims=True,
        ...     exclude=True,
        ... )
        >>> y.asnumpy().round(3)
        array([[-0.922]], dtype=float32)
    """
def radians(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Angles in degrees as radians.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.radians(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[-0.035, -0.021, -0.007],
               [ 0.007,  0.021,  0.035]], dtype=float32)
    """
def random_exponential(lam: float = 1.0, shape: int | Sequence[int] | None = None,
        ctx: Context | str = "", dtype: npt.DTypeLike | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Numbers of an exponential distribution.

    Args:
        lam: Its rate, positive; the mean is ``1 / lam``.
        shape: Shape of the result; one number if None.
        ctx: Where the result is; the current context if empty.
        dtype: A floating one; float32 if None.

    Example:
        >>> nd.random_exponential(lam=2, shape=(3, 0)).shape
        (3, 0)
    """
def random_gamma(alpha: float = 1.0, beta: float = 1.0, shape: int | Sequence[int] | None = None,
        ctx: Context | str = "", dtype: npt.DTypeLike | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Numbers of a gamma distribution.

    Args:
        alpha: Its shape, positive.
        beta: Its scale, positive; the mean is ``alpha * beta``.
        shape: Shape of the result; one number if None.
        ctx: Where the result is; the current context if empty.
        dtype: A floating one; float32 if None.

    Example:
        >>> nd.random_gamma(alpha=2, beta=3, shape=(3,)).shape
        (3,)
    """
def random_generalized_negative_binomial(mu: float = 1.0, alpha: float = 1.0,
        shape: int | Sequence[int] | None = None, ctx: Context | str = "",
        dtype: npt.DTypeLike | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Whole numbers of a negative binomial distribution given by its mean.

    Args:
        mu: Its mean, not negative.
        alpha: Its dispersion, not negative; 0 is the Poisson distribution.
        shape: Shape of the result; one number if None.
        ctx: Where the result is; the current context if empty.
        dtype: A floating one; float32 if None.

    Example:
        >>> nd.random_generalized_negative_binomial(mu=2, alpha=0).shape
        (1,)
    """
def random_negative_binomial(k: int = 1, p: float = 1.0, shape: int | Sequence[int] | None = None,
        ctx: Context | str = "", dtype: npt.DTypeLike | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Draw the number of failed trials before the ``k``-th success, in a floating dtype.

    Args:
        k: Number of successes, not negative.
        p: Probability of a success, above 0; one above 1 is 1.
        shape: Shape of the result; one number if None.
        ctx: Where the result is; the current context if empty.
        dtype: A floating one; float32 if None.

    Example:
        >>> nd.random_negative_binomial(k=2, p=0.5, shape=(3,)).shape
        (3,)
    """
def random_normal(loc: float = 0.0, scale: float = 1.0, shape: int | Sequence[int] | None = None,
        ctx: Context | str = "", dtype: npt.DTypeLike | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Numbers of a normal distribution.

    Args:
        loc: Its mean.
        scale: Its standard deviation, not negative.
        shape: Shape of the result; one number if None.
        ctx: Where the result is; the current context if empty.
        dtype: A floating one; float32 if None.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.random_normal(0, 1, shape=(2, 3)).shape
        (2, 3)
    """
def random_poisson(lam: float = 1.0, shape: int | Sequence[int] | None = None,
        ctx: Context | str = "", dtype: npt.DTypeLike | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Whole numbers of a Poisson distribution, in a floating dtype.

    Args:
        lam: Its mean, not negative.
        shape: Shape of the result; one number if None.
        ctx: Where the result is; the current context if empty.
        dtype: A floating one; float32 if None.

    Example:
        >>> nd.random_poisson(lam=0, shape=(3,), dtype='bfloat16').shape
        (3,)
    """
def random_randint(low: int, high: int, shape: int | Sequence[int] | None = None,
        ctx: Context | str = "", dtype: npt.DTypeLike | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return integers drawn uniformly from ``low`` to ``high - 1``.

    Args:
        low: The least integer.
        high: Upper bound, exclusive; above ``low``.
        shape: Shape of the result; one number if None.
        ctx: Context of the result; the current context if empty.
        dtype: int32 or int64; int32 if None.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.random_randint(2, 5, shape=(100,)).asnumpy()
        >>> sorted({int(n) for n in x})
        [2, 3, 4]
    """
def random_uniform(low: float = 0.0, high: float = 1.0, shape: int | Sequence[int] | None = None,
        ctx: Context | str = "", dtype: npt.DTypeLike | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Numbers of equal probability from ``low`` up to ``high``.

    Args:
        low: Least number.
        high: Bound of the numbers, not below ``low``.
        shape: Shape of the result; one number if None.
        ctx: Where the result is; the current context if empty.
        dtype: A floating one; float32 if None.

    Example:
        >>> nd.random_uniform(low=-1, high=2, shape=(2, 3)).shape
        (2, 3)
    """
def ravel_multi_index(data: NDArray, shape: int | Sequence[int] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return flat indices of coordinates in a row-major array.

    Args:
        data: ``[M, N]``: the coordinates of each of ``N`` elements, any dtype.
        shape: The ``M`` sizes of the array; the first one is not used.

    Returns:
        ``[N]``, the dtype of ``data``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.ravel_multi_index(nd.array([[1, 2], [3, 4]]), shape=(7, 6)).asnumpy()
        array([ 9., 16.], dtype=float32)
    """
def rcbrt(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``1 / cbrt(data)``.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.rcbrt(nd.array([[0.5, 0.8, 1.1], [1.4, 1.7, 2.0]])).asnumpy().round(3)
        array([[1.26 , 1.077, 0.969],
               [0.894, 0.838, 0.794]], dtype=float32)
    """
def reciprocal(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``1 / data``.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.reciprocal(nd.array([[0.5, 0.8, 1.1], [1.4, 1.7, 2.0]])).asnumpy().round(3)
        array([[2.   , 1.25 , 0.909],
               [0.714, 0.588, 0.5  ]], dtype=float32)
    """
def relu(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The ReLU ``max(data, 0)``; its gradient at 0 is 0.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.relu(nd.array([-1, 0, 2])).asnumpy()
        array([0., 0., 2.], dtype=float32)
    """
def repeat(data: NDArray, repeats: int, axis: int | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the array with each element repeated along an axis.

    Args:
        data: ``[*sizes]``, any dtype.
        repeats: Number of times.
        axis: The axis; None flattens ``data`` first.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.repeat(nd.array([[1, 2]]), repeats=2, axis=1).asnumpy()
        array([[1., 1., 2., 2.]], dtype=float32)
    """
def reset_arrays(*data: NDArray | Sequence[NDArray], num_arrays: int,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Overwrite arrays with zeros.

    Args:
        data: Arrays of any types, overwritten.
        num_arrays: The number of arrays.

    Example:
        >>> results = nd.reset_arrays(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([-2.0, -0.7, 0.7, 2.0]),
        ...     num_arrays=2,
        ... )
        >>> [y.shape for y in results]
        []
    """
def reshape_like(lhs: NDArray, rhs: NDArray, lhs_begin: int | None = None,
        lhs_end: int | None = None, rhs_begin: int | None = None, rhs_end: int | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``lhs`` in the shape of ``rhs``, or with some axes reshaped to some axes of ``rhs``.

    Args:
        lhs: ``[*sizes]``, any dtype.
        rhs: Only its shape is used.
        lhs_begin: First axis of ``lhs`` to replace; 0 if None.
        lhs_end: End of the axes to replace, exclusive; None for all following axes.
        rhs_begin: First axis of ``rhs`` to use; 0 if None.
        rhs_end: End of the axes to use, exclusive; None for all following axes.

    Example:
        >>> from hy_ndarray import nd
        >>> x, like = nd.zeros((6, 5)), nd.zeros((2, 3, 4))
        >>> nd.reshape_like(x, like, lhs_end=1, rhs_end=2).shape
        (2, 3, 5)
    """
def reverse(data: NDArray, axis: int | Sequence[int], *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the elements in reverse order along some axes.

    Args:
        data: ``[*sizes]``, any dtype.
        axis: The axes; negative ones count from the end. One that is listed twice is reversed
            twice, as in MXNet.

    Example:
        >>> nd.reverse(nd.array([[-2.0], [0.0], [2.0]]), axis=(-2,)).asnumpy().round(3)
        array([[ 2.],
               [ 0.],
               [-2.]], dtype=float32)
    """
def rint(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The nearest integer; of two equally near ones the lower.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> y = nd.rint(
        ...     nd.array([-2.5, -1.5, -0.5, -0.2, 0.0, 0.5, 1.5, 2.5, 3.49, 4503599627370497.0]),
        ... )
        >>> y.asnumpy().round(3)
        array([-3.0000000e+00, -2.0000000e+00, -1.0000000e+00, -0.0000000e+00,
                0.0000000e+00,  0.0000000e+00,  1.0000000e+00,  2.0000000e+00,
                3.0000000e+00,  4.5035996e+15], dtype=float32)
    """
def rmsprop_update(weight: NDArray, grad: NDArray, n: NDArray, lr: float, gamma1: float = 0.95,
        epsilon: float = 1e-08, wd: float = 0.0, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, clip_weights: float = -1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """RMSProp.

    With ``g = grad + wd * weight``, clipped to the bound:
    ``n = gamma1 * n + (1 - gamma1) * g²``, and the result is
    ``weight - lr * g / sqrt(n + epsilon)``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        n: Running mean of ``g²``, overwritten; the type of ``weight``.
        lr: Learning rate.
        gamma1: Decay rate of the mean square.
        epsilon: Added to the mean square.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of ``g``; none if negative.
        clip_weights: Bound of the result; none if negative.

    Returns:
        The new weight.

    Example:
        >>> y = nd.rmsprop_update(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[1.5, 0.5, 2.0], [1.0, 3.0, 0.25]]),
        ...     lr=0.1,
        ...     wd=0.1,
        ... )
        >>> y.asnumpy().round(3)
        array([[-1.83 , -1.024, -0.368],
               [ 0.355,  1.123,  1.682]], dtype=float32)
    """
def rmspropalex_update(weight: NDArray, grad: NDArray, n: NDArray, g: NDArray, delta: NDArray,
        lr: float, gamma1: float = 0.95, gamma2: float = 0.9, epsilon: float = 1e-08,
        wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0,
        clip_weights: float = -1.0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """RMSProp with the variance of the gradient in place of its mean square, and momentum.

    ``delta = gamma2 * delta - lr * grad / sqrt(n - g² + epsilon)``; the result is
    ``weight + delta``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        n: Running mean of the squared gradient, overwritten; the type of ``weight``.
        g: Running mean of the gradient, overwritten; the type of ``weight``.
        delta: The last step, overwritten; the type of ``weight``.
        lr: Learning rate.
        gamma1: Decay rate of the means.
        gamma2: Momentum: the factor of the last step.
        epsilon: Added to the variance.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the gradient with weight decay; none if negative.
        clip_weights: Bound of the result; none if negative.

    Returns:
        The new weight.

    Example:
        >>> y = nd.rmspropalex_update(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[5.5, 4.5, 6.0], [5.0, 7.0, 4.25]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     lr=0.1,
        ... )
        >>> y.asnumpy().round(3)
        array([[-3.632, -2.21 , -0.743],
               [ 0.741,  2.228,  3.39 ]], dtype=float32)
    """
def round(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The nearest integer; of two equally near ones that farther from 0.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> y = nd.round(
        ...     nd.array([-2.5, -1.5, -0.5, -0.2, 0.0, 0.5, 1.5, 2.5, 3.49, 4503599627370497.0]),
        ... )
        >>> y.asnumpy().round(3)
        array([-3.0000000e+00, -2.0000000e+00, -1.0000000e+00, -0.0000000e+00,
                0.0000000e+00,  1.0000000e+00,  2.0000000e+00,  3.0000000e+00,
                3.0000000e+00,  4.5035996e+15], dtype=float32)
    """
def rsqrt(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``1 / sqrt(data)``.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.rsqrt(nd.array([[0.5, 0.8, 1.1], [1.4, 1.7, 2.0]])).asnumpy().round(3)
        array([[1.414, 1.118, 0.953],
               [0.845, 0.767, 0.707]], dtype=float32)
    """
def sample_exponential(lam: NDArray, shape: int | Sequence[int] = (),
        dtype: npt.DTypeLike | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Numbers of exponential distributions, some for each.

    Args:
        lam: ``[*S]``, the rates.
        shape: How many numbers for each distribution, as a shape.
        dtype: A floating one; float32 if None.

    Returns:
        ``[*S, *shape]``.

    Example:
        >>> nd.sample_exponential(nd.ones((1,)), shape=(2, 2), dtype='float64').shape
        (1, 2, 2)
    """
def sample_gamma(alpha: NDArray, beta: NDArray, shape: int | Sequence[int] = (),
        dtype: npt.DTypeLike | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Numbers of gamma distributions, some for each.

    Args:
        alpha: ``[*S]``, the shapes.
        beta: The scales, of the same shape and dtype.
        shape: How many numbers for each distribution, as a shape.
        dtype: A floating one; float32 if None.

    Returns:
        ``[*S, *shape]``.

    Example:
        >>> nd.sample_gamma(nd.ones((2,)), nd.ones((2,)), shape=(0, 2)).shape
        (2, 0, 2)
    """
def sample_generalized_negative_binomial(mu: NDArray, alpha: NDArray,
        shape: int | Sequence[int] = (), dtype: npt.DTypeLike | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Whole numbers of negative binomial distributions given by their means, some for each.

    Args:
        mu: ``[*S]``, the means.
        alpha: The dispersions, of the same shape and dtype.
        shape: How many numbers for each distribution, as a shape.
        dtype: A floating one; float32 if None.

    Returns:
        ``[*S, *shape]``.

    Example:
        >>> nd.sample_generalized_negative_binomial(nd.ones((2, 1)), nd.ones((2, 1))).shape
        (2, 1)
    """
def sample_multinomial(data: NDArray, shape: int | Sequence[int] = (), get_prob: bool = False,
        dtype: npt.DTypeLike = "int32", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> Any:
    """Return indices drawn from categorical distributions.

    Args:
        data: ``[*S, K]``, floating: for each distribution the probabilities of 0 … K-1.
        shape: Shape of the indices drawn from each distribution.
        get_prob: Also return the log probability of each index.
        dtype: Dtype of the indices.

    Returns:
        Indices ``[*S, *shape]``, or ``[1]`` if ``S`` and ``shape`` are empty; with ``get_prob`` a
        list of the indices and the log probabilities.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.sample_multinomial(nd.array([[0, 1], [1, 0]]), shape=3).asnumpy()
        array([[1, 1, 1],
               [0, 0, 0]], dtype=int32)
    """
def sample_negative_binomial(k: NDArray, p: NDArray, shape: int | Sequence[int] = (),
        dtype: npt.DTypeLike | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Numbers of failures before the ``k``-th success, some for each.

    Args:
        k: ``[*S]``, the numbers of successes.
        p: The probabilities of a success, of the same shape and dtype.
        shape: How many numbers for each distribution, as a shape.
        dtype: A floating one; float32 if None.

    Returns:
        ``[*S, *shape]``.

    Example:
        >>> nd.sample_negative_binomial(nd.ones((2,)), nd.ones((2,)), shape=(3,)).shape
        (2, 3)
    """
def sample_normal(mu: NDArray, sigma: NDArray, shape: int | Sequence[int] = (),
        dtype: npt.DTypeLike | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Numbers of normal distributions, some for each.

    Args:
        mu: ``[*S]``, the means.
        sigma: The standard deviations, of the same shape and dtype.
        shape: How many numbers for each distribution, as a shape.
        dtype: A floating one; float32 if None.

    Returns:
        ``[*S, *shape]``.

    Example:
        >>> nd.sample_normal(nd.array([3.0]), nd.array([0.0])).asnumpy().round(3)
        array([3.], dtype=float32)
    """
def sample_poisson(lam: NDArray, shape: int | Sequence[int] = (),
        dtype: npt.DTypeLike | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Whole numbers of Poisson distributions, some for each.

    Args:
        lam: ``[*S]``, the means.
        shape: How many numbers for each distribution, as a shape.
        dtype: A floating one; float32 if None.

    Returns:
        ``[*S, *shape]``.

    Example:
        >>> nd.sample_poisson(nd.array([0.0, 0.0]), shape=(3,)).asnumpy().round(3)
        array([[0., 0., 0.],
               [0., 0., 0.]], dtype=float32)
    """
def sample_uniform(low: NDArray, high: NDArray, shape: int | Sequence[int] = (),
        dtype: npt.DTypeLike | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Numbers of equal probability, some for each.

    Args:
        low: ``[*S]``, the least numbers.
        high: The bounds of the numbers, of the same shape and dtype.
        shape: How many numbers for each distribution, as a shape.
        dtype: A floating one; float32 if None.

    Returns:
        ``[*S, *shape]``.

    Example:
        >>> nd.sample_uniform(nd.array([2]), nd.array([2])).asnumpy().round(3)
        array([2.], dtype=float32)
    """
def scatter_nd(data: NDArray, indices: NDArray, shape: int | Sequence[int], *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return zeros with the elements or slices of ``data`` written at coordinates.

    Args:
        data: ``[*I, *rest]``, any dtype.
        indices: ``[M, *I]``: for each slice its coordinates on the first ``M`` axes of the
            result; negative ones count from the end. If several slices have the same coordinates,
            it is unspecified which one is kept.
        shape: Shape of the result: ``M`` sizes, then ``rest``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.scatter_nd(nd.array([5, 6]), nd.array([[0, 1], [1, 0]]), shape=(2, 2)).asnumpy()
        array([[0., 5.],
               [6., 0.]], dtype=float32)
    """
def sgd_mom_update(weight: NDArray, grad: NDArray, mom: NDArray, lr: float, momentum: float = 0.0,
        wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0,
        lazy_update: bool = True, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Gradient descent with momentum.

    ``mom = momentum * mom - lr * (grad + wd * weight)``; the result is ``weight + mom``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        mom: Velocity, overwritten; the type of ``weight``.
        lr: Learning rate.
        momentum: How much of the velocity is kept.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        lazy_update: Has no effect on dense gradients.

    Returns:
        The new weight.

    Example:
        >>> y = nd.sgd_mom_update(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     lr=0.1,
        ...     momentum=0.9,
        ...     wd=0.1,
        ... )
        >>> y.asnumpy().round(3)
        array([[-3.58 , -2.148, -0.716],
               [ 0.716,  2.148,  3.58 ]], dtype=float32)
    """
def sgd_update(weight: NDArray, grad: NDArray, lr: float, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Gradient descent: ``weight - lr * (grad + wd * weight)``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        lr: Learning rate.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        lazy_update: Has no effect on dense gradients.

    Returns:
        The new weight.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.sgd_update(nd.array([1]), nd.array([2]), lr=0.25).asnumpy()
        array([0.5], dtype=float32)
    """
def shape_array(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the shape of ``data`` as an int64 vector.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.shape_array(nd.zeros((2, 3))).asnumpy()
        array([2, 3])
    """
def shuffle(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the slices along the first axis in random order.

    Args:
        data: ``[N, *rest]``, any dtype.

    Example:
        >>> nd.shuffle(nd.ones((3, 2))).shape
        (3, 2)
    """
def sigmoid(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The logistic function ``1 / (1 + exp(-data))``.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.sigmoid(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[0.119, 0.231, 0.401],
               [0.599, 0.769, 0.881]], dtype=float32)
    """
def sign(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """-1 for negative elements, 1 for positive ones, 0 for 0 and nan.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> nd.sign(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[-1., -1., -1.],
               [ 1.,  1.,  1.]], dtype=float32)
    """
def signsgd_update(weight: NDArray, grad: NDArray, lr: float, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """A step of fixed size against the sign of the gradient.

    ``weight - lr * (sign(grad) + wd * weight)``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        lr: Learning rate.
        wd: Weight decay.
        rescale_grad: Factor of the gradient; only its sign matters.
        clip_gradient: Accepted and ignored.

    Returns:
        The new weight.

    Example:
        >>> y = nd.signsgd_update(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     lr=0.1,
        ... )
        >>> y.asnumpy().round(3)
        array([[-1.9, -1.1, -0.3],
               [ 0.3,  1.1,  1.9]], dtype=float32)
    """
def signum_update(weight: NDArray, grad: NDArray, mom: NDArray, lr: float, momentum: float = 0.0,
        wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, wd_lh: float = 0.0,
        *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Step of fixed size by the sign of the momentum.

    ``mom = momentum * mom - (1 - momentum) * (grad + wd * weight)``; the result is
    ``weight * (1 - lr * wd_lh) + lr * sign(mom)``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        mom: Velocity, overwritten; the type of ``weight``.
        lr: Learning rate.
        momentum: How much of the velocity is kept.
        wd: Weight decay that goes into the velocity.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the rescaled gradient; none if negative.
        wd_lh: Weight decay that acts on the weight itself.

    Returns:
        The new weight.

    Example:
        >>> y = nd.signum_update(
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]]),
        ...     lr=0.1,
        ...     momentum=0.9,
        ...     wd_lh=0.1,
        ... )
        >>> y.asnumpy().round(3)
        array([[-2.08 , -1.288, -0.496],
               [ 0.496,  1.288,  2.08 ]], dtype=float32)
    """
def sin(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The sine of angles in radians.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.sin(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[-0.909, -0.932, -0.389],
               [ 0.389,  0.932,  0.909]], dtype=float32)
    """
def sinh(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The hyperbolic sine.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.sinh(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[-3.627, -1.509, -0.411],
               [ 0.411,  1.509,  3.627]], dtype=float32)
    """
def size_array(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the number of elements of ``data`` as an int64 vector of length 1.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.size_array(nd.zeros((2, 3))).asnumpy()
        array([6])
    """
def slice(data: NDArray, begin: int | None | Sequence[int | None],
        end: int | None | Sequence[int | None], step: int | None | Sequence[int | None] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``data[begin:end:step]``, with the meaning of Python slices.

    Args:
        data: ``[*sizes]``, any dtype.
        begin: Start index along each of the leading axes; None for the default.
        end: End index along each of them, exclusive; None for the default.
        step: Step along each of them, which may be negative; 1 if None or omitted.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[1, 2, 3], [4, 5, 6]])
        >>> nd.slice(x, begin=(0, 1), end=(None, 3)).asnumpy()
        array([[2., 3.],
               [5., 6.]], dtype=float32)
    """
def slice_axis(data: NDArray, axis: int, begin: int, end: int | None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the slice ``begin:end`` along one axis.

    Args:
        data: ``[*sizes]``, any dtype.
        axis: The axis; a negative one counts from the end.
        begin: Start index; a negative one counts from the end.
        end: End index, exclusive; None for the end of the axis.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.slice_axis(nd.array([[1, 2, 3]]), axis=1, begin=1, end=None).asnumpy()
        array([[2., 3.]], dtype=float32)
    """
def slice_like(data: NDArray, shape_like: NDArray, axes: int | Sequence[int] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``data`` cut to the sizes of ``shape_like`` along some axes.

    Args:
        data: ``[*sizes]``, any dtype.
        shape_like: Only its shape is used.
        axes: The axes to cut; if empty, all axes, of which both arrays have equally many.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.slice_like(nd.zeros((3, 4)), nd.zeros((2, 3)), axes=(0,)).shape
        (2, 4)
    """
def smooth_l1(data: NDArray, scalar: float = 1.0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the smooth L1 loss: quadratic near 0, linear elsewhere.

    The loss is ``(scalar * data)² / 2`` where ``abs(data) < 1 / scalar²``, else
    ``abs(data) - 0.5 / scalar²``.

    Args:
        data: ``[*shape]``, floating.
        scalar: Inverse width of the quadratic part.

    Example:
        >>> nd.smooth_l1(nd.ones((4, 3)), scalar=1.0).shape
        (4, 3)
    """
def softmax(data: NDArray, length: NDArray | None = None, axis: int = -1,
        temperature: float | None = None,
        dtype: Literal["float16", "float32", "float64"] | None = None, use_length: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
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
        >>> from hy_ndarray import nd
        >>> nd.softmax(nd.array([[1, 1, 1, 1], [9, 0, 0, 0]])).asnumpy().round(2)
        array([[0.25, 0.25, 0.25, 0.25],
               [1.  , 0.  , 0.  , 0.  ]], dtype=float32)
    """
def softmax_cross_entropy(data: NDArray, label: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the sum over all samples of ``-log softmax(data)[label]``.

    Args:
        data: ``[N, C]``, floating.
        label: ``[N]``, class numbers.

    Returns:
        ``[1]``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.softmax_cross_entropy(nd.array([[0, 0]]), nd.array([1])).asnumpy().round(4)
        array([0.6931], dtype=float32)
    """
def softmin(data: NDArray, axis: int = -1, temperature: float | None = None,
        dtype: Literal["float16", "float32", "float64"] | None = None, use_length: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the softmax of ``-data``.

    Args:
        data: ``[*shape]``, floating.
        axis: The axis to normalize.
        temperature: Divisor of ``data`` before the exponential.
        dtype: Dtype of the result; that of ``data`` by default.
        use_length: Accepted and ignored.

    Example:
        >>> nd.softmin(nd.ones((2, 3, 4))).shape
        (2, 3, 4)
    """
def softsign(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``data / (1 + abs(data))``.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.softsign(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[-0.667, -0.545, -0.286],
               [ 0.286,  0.545,  0.667]], dtype=float32)
    """
def sort(data: NDArray, axis: int | None = -1, is_ascend: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``data`` sorted along an axis.

    Args:
        data: ``[*shape]``; nan is ordered after every number.
        axis: The axis to sort along; None for the flattened array.
        is_ascend: Sort in ascending order; else in descending order.

    Returns:
        The sorted array, in the shape of ``data``; flat if ``axis`` is None.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.sort(nd.array([3, 1, 2])).asnumpy()
        array([1., 2., 3.], dtype=float32)
    """
def space_to_depth(data: NDArray, block_size: int, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return blocks of pixels rearranged to channels; the inverse of ``depth_to_space``.

    Args:
        data: ``[N, C, H * B, W * B]``, any dtype.
        block_size: ``B``, the height and width of a block.

    Returns:
        ``[N, B * B * C, H, W]``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.space_to_depth(nd.zeros((1, 2, 4, 6)), block_size=2).shape
        (1, 8, 2, 3)
    """
def sqrt(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The square root; nan for negative elements.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.sqrt(nd.array([[0.5, 0.8, 1.1], [1.4, 1.7, 2.0]])).asnumpy().round(3)
        array([[0.707, 0.894, 1.049],
               [1.183, 1.304, 1.414]], dtype=float32)
    """
def square(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``data * data``.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> nd.square(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[4.  , 1.44, 0.16],
               [0.16, 1.44, 4.  ]], dtype=float32)
    """
def squeeze(data: NDArray, axis: int | Sequence[int] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the array with axes of size 1 removed.

    Args:
        data: ``[*sizes]``, any dtype.
        axis: The axes to remove; None for all of size 1. At least one axis is kept.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.squeeze(nd.zeros((1, 3, 1))).shape, nd.squeeze(nd.zeros((1, 3, 1)), axis=0).shape
        ((3,), (3, 1))
    """
def stack(*data: NDArray | Sequence[NDArray], num_args: int = ..., axis: int = 0,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return arrays of one shape stacked along a new axis.

    Args:
        data: ``[*sizes]`` each, of one dtype. Arrays whose shape differs from the first only in
            axes of size 1 are reshaped.
        axis: Position of the new axis in the result; a negative one counts from the end.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.stack(nd.array([1, 2]), nd.array([3, 4]), axis=1).asnumpy()
        array([[1., 3.],
               [2., 4.]], dtype=float32)
    """
def sum(data: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        exclude: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The sum of the elements along some axes.

    Args:
        data: ``[*shape]``, any dtype; 16-bit floats are added up in float32.
        axis: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.
        exclude: Reduce all axes except ``axis``.

    Returns:
        The shape of ``data`` without the reduced axes, or ``(1,)``; the dtype of ``data``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.sum(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy()
        array([3., 7.], dtype=float32)
    """
def take(a: NDArray, indices: NDArray, axis: int = 0,
        mode: Literal["clip", "raise", "wrap"] = "clip", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the slices of ``a`` at the given indices along an axis.

    Args:
        a: ``[*left, N, *right]`` with ``N`` at ``axis``, any dtype.
        indices: ``[*I]``, any dtype; fractions are truncated.
        axis: The axis; a negative one counts from the end.
        mode: Whether indices outside of 0 … N-1 are clipped (``"clip"``), taken modulo N
            (``"wrap"``) or an error (``"raise"``).

    Returns:
        ``[*left, *I, *right]``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.take(nd.array([[1, 2], [3, 4]]), nd.array([1, 0, 1])).asnumpy()
        array([[3., 4.],
               [1., 2.],
               [3., 4.]], dtype=float32)
    """
def tan(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The tangent of angles in radians.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.tan(nd.array([[-1.0, -0.6, -0.2], [0.2, 0.6, 1.0]])).asnumpy().round(3)
        array([[-1.557, -0.684, -0.203],
               [ 0.203,  0.684,  1.557]], dtype=float32)
    """
def tanh(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The hyperbolic tangent.

    Args:
        data: ``[*shape]``, floating.

    Example:
        >>> nd.tanh(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[-0.964, -0.834, -0.38 ],
               [ 0.38 ,  0.834,  0.964]], dtype=float32)
    """
def tile(data: NDArray, reps: int | Sequence[int], *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the array tiled: repeated as a whole along its axes.

    Args:
        data: ``[*sizes]``, any dtype.
        reps: Number of repetitions along each axis, aligned at the last axis. Missing ones are 1;
            surplus ones add leading axes.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.tile(nd.array([1, 2]), reps=(2, 2)).asnumpy()
        array([[1., 2., 1., 2.],
               [1., 2., 1., 2.]], dtype=float32)
    """
def topk(data: NDArray, axis: int | None = -1, k: int = 1,
        ret_typ: Literal["both", "indices", "mask", "value"] = "indices", is_ascend: bool = False,
        dtype: Literal["float16", "float32", "float64", "int32", "int64", "uint8"] = "float32", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
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
        >>> from hy_ndarray import nd
        >>> nd.topk(nd.array([3, 1, 4, 2]), k=2, ret_typ="value").asnumpy()
        array([4., 3.], dtype=float32)
    """
def transpose(data: NDArray, axes: int | Sequence[int] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the array with its axes permuted.

    Args:
        data: ``[*sizes]``, any dtype.
        axes: The axis of ``data`` for each axis of the result; reversed order if empty.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.transpose(nd.zeros((2, 3, 4)), axes=(1, 0, 2)).shape
        (3, 2, 4)
    """
def trunc(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Each element without its fraction.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> y = nd.trunc(
        ...     nd.array([-2.5, -1.5, -0.5, -0.2, 0.0, 0.5, 1.5, 2.5, 3.49, 4503599627370497.0]),
        ... )
        >>> y.asnumpy().round(3)
        array([-2.0000000e+00, -1.0000000e+00, -0.0000000e+00, -0.0000000e+00,
                0.0000000e+00,  0.0000000e+00,  1.0000000e+00,  2.0000000e+00,
                3.0000000e+00,  4.5035996e+15], dtype=float32)
    """
def unravel_index(data: NDArray, shape: int | Sequence[int] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the coordinates of flat indices into a row-major array.

    Args:
        data: ``[*I]`` flat indices, any dtype.
        shape: The ``M`` sizes of the array; the first one is not used.

    Returns:
        ``[M, *I]``, the dtype of ``data``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.unravel_index(nd.array([9, 16]), shape=(7, 6)).asnumpy()
        array([[1., 2.],
               [3., 4.]], dtype=float32)
    """
def where(condition: NDArray, x: NDArray, y: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return elements of ``x`` where the condition is not 0, else elements of ``y``.

    Args:
        condition: ``[*sizes]``, or ``[N]``, where ``N`` is the first size of ``x``, to choose rows.
        x: ``[*sizes]``, any dtype.
        y: Same shape and dtype as ``x``.

    Example:
        >>> from hy_ndarray import nd
        >>> x, y = nd.array([[1, 2], [3, 4]]), nd.array([[5, 6], [7, 8]])
        >>> nd.where(nd.array([1, 0]), x, y).asnumpy()
        array([[1., 2.],
               [7., 8.]], dtype=float32)
    """
def zeros_like(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return zeros in the shape and dtype of ``data``.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> nd.zeros_like(nd.array([[-2.0, -1.2, -0.4], [0.4, 1.2, 2.0]])).asnumpy().round(3)
        array([[0., 0., 0.],
               [0., 0., 0.]], dtype=float32)
    """
CachedOp: Any
def load(fname: str) -> list[NDArray] | dict[str, NDArray]:
    """Return the arrays of a file, as a list or by name, with their saved storage types."""
def load_frombuffer(buf: bytes) -> list[NDArray] | dict[str, NDArray]:
    """Return the arrays in the bytes of a file of MXNet or numpy."""
np: Any
npx: Any
def save(fname: str, data: NDArray | Sequence[NDArray] | Mapping[str, NDArray]) -> None:
    """Write arrays to a file that MXNet can also read."""

ElementWiseSum = add_n
Softmax = SoftmaxOutput
broadcast_axes = broadcast_axis
broadcast_minus = broadcast_sub
broadcast_plus = broadcast_add
cast = Cast
choose_element_0index = pick
concat = Concat
crop = slice
ctc_loss = CTCLoss
flatten = Flatten
flip = reverse
linalg_det = _linalg.det
linalg_extractdiag = _linalg.extractdiag
linalg_extracttrian = _linalg.extracttrian
linalg_gelqf = _linalg.gelqf
linalg_gemm = _linalg.gemm
linalg_gemm2 = _linalg.gemm2
linalg_inverse = _linalg.inverse
linalg_makediag = _linalg.makediag
linalg_maketrian = _linalg.maketrian
linalg_potrf = _linalg.potrf
linalg_potri = _linalg.potri
linalg_slogdet = _linalg.slogdet
linalg_sumlogdiag = _linalg.sumlogdiag
linalg_syrk = _linalg.syrk
linalg_trmm = _linalg.trmm
linalg_trsm = _linalg.trsm
max_axis = max
min_axis = min
normal = random_normal
pad = Pad
random_pdf_dirichlet = _random.pdf_dirichlet
random_pdf_exponential = _random.pdf_exponential
random_pdf_gamma = _random.pdf_gamma
random_pdf_generalized_negative_binomial = _random.pdf_generalized_negative_binomial
random_pdf_negative_binomial = _random.pdf_negative_binomial
random_pdf_normal = _random.pdf_normal
random_pdf_poisson = _random.pdf_poisson
random_pdf_uniform = _random.pdf_uniform
reshape = Reshape
split = SliceChannel
stop_gradient = BlockGrad
sum_axis = sum
swapaxes = SwapAxis
uniform = random_uniform
