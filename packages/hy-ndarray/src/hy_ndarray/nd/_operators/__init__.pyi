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
    """
def BatchNorm(data: NDArray, gamma: NDArray, beta: NDArray, moving_mean: NDArray,
        moving_var: NDArray, eps: float = 0.001, momentum: float = 0.9, fix_gamma: bool = True,
        use_global_stats: bool = False, output_mean_var: bool = False, axis: int = 1,
        cudnn_off: bool = False, min_calib_range: float | None = None,
        max_calib_range: float | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> Any:
    """``gamma (data - mean) / sqrt(variance + eps) + beta`` for each channel.

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
    """
def BatchNorm_v1(data: NDArray, gamma: NDArray, beta: NDArray, moving_mean: NDArray,
        moving_var: NDArray, eps: float = 0.001, momentum: float = 0.9, fix_gamma: bool = True,
        use_global_stats: bool = False, output_mean_var: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """``BatchNorm`` of axis 1, under the name that old files have."""
def BilinearSampler(data: NDArray, grid: NDArray, cudnn_off: bool | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Images at given places, by linear interpolation; zero outside of them.

    Args:
        data: ``[N, C, H, W]``, floating.
        grid: ``[N, 2, height, width]``: x and y, -1 and 1 being the outermost elements.
        cudnn_off: Accepted and ignored.

    Returns:
        ``[N, C, height, width]``.
    """
def BlockGrad(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``data``, through which no gradient flows back.

    Args:
        data: ``[*shape]``, any dtype.
    """
def CTCLoss(data: NDArray, label: NDArray, data_lengths: NDArray | None = None,
        label_lengths: NDArray | None = None, use_data_lengths: bool = False,
        use_label_lengths: bool = False, blank_label: Literal["first", "last"] = "first", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Minus the log probability that steps, blanks and repetitions left out, spell the labels.

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
    """
def Cast(data: NDArray, dtype: npt.DTypeLike, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``data`` in another dtype; fractions are cut off on the way to integers.

    Args:
        data: ``[*shape]``, any dtype.
        dtype: The dtype to convert to.
    """
def Concat(*data: NDArray | Sequence[NDArray], num_args: int = ..., dim: int = 1,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Arrays one behind the other along an existing axis.

    Args:
        data: ``[*left, n_i, *right]`` with ``n_i`` at ``dim``; one dtype.
        dim: The axis; negative counts from the end.

    Returns:
        ``[*left, the sum of n_i, *right]``.
    """
@overload
def Convolution(data: NDArray, weight: NDArray, bias: NDArray | None, kernel: int | Sequence[int],
        stride: int | Sequence[int], dilate: int | Sequence[int], pad: int | Sequence[int],
        num_filter: int, num_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Correlate ``data`` with ``num_filter`` small kernels, in one, two or three dimensions.

    Args:
        data: ``[N, C, *space]``, or ``[N, *space, C]`` with a layout that ends in ``C``. Floating.
        weight: ``[num_filter, C / num_group, *kernel]``, with the channels behind in the latter.
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
    """:func:`convolution` under the name that old files have."""
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
    """Compare each patch of an image with the patches around its place in another.

    Args:
        data1: ``[N, C, H, W]``, floating.
        data2: The type of ``data1``.
        kernel_size: Height and width of a patch, an odd number.
        max_displacement: How far patches of ``data2`` are moved at most.
        stride1: Distance of the patches of ``data1``.
        stride2: Steps in which patches of ``data2`` are moved.
        pad_size: Zeros added around both images.
        is_multiply: Whether elements are multiplied, or their distances taken.

    Returns:
        ``[N, D², height, width]``, the means over patch and channels, where ``D`` is
        ``2 (max_displacement // stride2) + 1``.
    """
def Crop(*data: NDArray | Sequence[NDArray], num_args: int = ...,
        offset: int | Sequence[int] = (0, 0), h_w: int | Sequence[int] = (0, 0),
        center_crop: bool = False, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """A window of every image.

    Args:
        data: Images ``[N, C, H, W]``, and perhaps an array whose last two axes are the size of
            the window.
        offset: First row and column of the window.
        h_w: Height and width of the window, if there is no second array.
        center_crop: Take the middle of the image instead of ``offset``.

    Returns:
        ``[N, C, height, width]``.
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
    """Spread each element of ``data`` over a window, times a kernel: the transpose of convolution.

    Args:
        data: ``[N, C, *space]``, or ``[N, *space, C]`` with a layout that ends in ``C``. Floating.
        weight: ``[C, num_filter / num_group, *kernel]``, with the channels behind in the latter.
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
    """Set elements to zero at random, and scale the others so that the mean stays.

    Args:
        data: ``[*shape]``, floating.
        p: Probability of a zero.
        mode: ``"training"``: only in training mode, else the result is ``data``; ``"always"``.
        axes: Axes along which one draw serves all elements.
        cudnn_off: Accepted and ignored.
    """
def Embedding(data: NDArray, weight: NDArray, input_dim: int, output_dim: int,
        dtype: npt.DTypeLike = "float32", sparse_grad: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """A row of ``weight`` for every index.

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
    """
def Flatten(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """All axes but the first as one.

    Args:
        data: ``[N, *rest]``, any dtype.

    Returns:
        ``[N, the product of rest]``.
    """
@overload
def FullyConnected(data: NDArray, weight: NDArray, bias: NDArray | None, num_hidden: int,
        no_bias: bool = False, flatten: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``data · weightᵀ + bias``.

    Args:
        data: ``[N, *rest]``; with ``flatten=False`` ``[*batch, I]``. Floating.
        weight: ``[num_hidden, I]``, where ``I`` is the product of ``rest``.
        bias: ``[num_hidden]``; left out with ``no_bias=True``.
        num_hidden: Size of the result's last axis.
        no_bias: There is no bias.
        flatten: Treat all axes but the first as one.

    Returns:
        ``[N, num_hidden]``; with ``flatten=False`` ``[*batch, num_hidden]``.
    """
@overload
def FullyConnected(data: NDArray, weight: NDArray, bias: NDArray | None = None, *, num_hidden: int,
        no_bias: bool = False, flatten: bool = True, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def GridGenerator(data: NDArray, transform_type: Literal["affine", "warp"],
        target_shape: int | Sequence[int] = (0, 0), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Places in an image, x and y from -1 to 1, for ``BilinearSampler``.

    Args:
        data: For ``"affine"`` ``[N, 6]``, the matrix ``[[a, b, c], [d, e, f]]`` that is applied to
            ``(x, y, 1)`` of a regular grid; for ``"warp"`` ``[N, 2, H, W]``, how many elements to
            move each place of such a grid. Floating.
        transform_type: See ``data``.
        target_shape: Height and width of the grid, for ``"affine"``.

    Returns:
        ``[N, 2, H, W]``.
    """
def GroupNorm(data: NDArray, gamma: NDArray, beta: NDArray, num_groups: int = 1, eps: float = 1e-05,
        output_mean_var: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> Any:
    """``gamma (data - mean) / sqrt(variance + eps) + beta`` for each group of channels.

    Args:
        data: ``[N, C, *space]``, floating.
        gamma: ``[num_groups]``.
        beta: ``[num_groups]``.
        num_groups: How many groups the channels are cut into.
        eps: Added to the variance.
        output_mean_var: Also return mean and ``sqrt(variance + eps)``, ``[N, num_groups]``.
    """
def IdentityAttachKLSparseReg(data: NDArray, moving_avg: NDArray, sparseness_target: float = 0.1,
        penalty: float = 0.001, momentum: float = 0.9, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``data``, whose gradient also pulls the average of each feature to a small value.

    What is added to the gradient is the derivative of the Kullback-Leibler divergence between
    ``sparseness_target`` and the moving average of a feature, times ``penalty``. In training the
    moving average is updated.

    Args:
        data: ``[N, C, *space]``, activations between 0 and 1, as of ``sigmoid``.
        moving_avg: ``[C]``; ``momentum * moving_avg + (1 - momentum) * mean`` after the call,
            where the mean is over examples and places.
        sparseness_target: The average wanted.
        penalty: Factor of the divergence.
        momentum: Share of the moving average that stays.
    """
def InstanceNorm(data: NDArray, gamma: NDArray, beta: NDArray, eps: float = 0.001, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``gamma (data - mean) / sqrt(variance + eps) + beta`` for each channel of each instance.

    Args:
        data: ``[N, C, *space]``, floating.
        gamma: ``[C]``.
        beta: ``[C]``.
        eps: Added to the variance.
    """
def L2Normalization(data: NDArray, eps: float = 1e-10,
        mode: Literal["channel", "instance", "spatial"] = "instance", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Divide each vector by its length ``sqrt(sum of squares + eps)``.

    Args:
        data: ``[N, C, *space]``, floating.
        eps: Added to the squared length.
        mode: What is one vector: all of an ``"instance"``, the values of a ``"channel"`` at one
            place, that is axis 1, or those of one channel over all of the space (``"spatial"``).
    """
@overload
def LRN(data: NDArray, alpha: float, beta: float, knorm: float, nsize: int, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``data / (knorm + alpha / nsize · sum of squares of nsize channels around it) ** beta``.

    Args:
        data: ``[N, C, *space]``, floating.
        alpha: Weight of the neighbours.
        beta: The power.
        knorm: What is there without neighbours.
        nsize: How many channels count, at least 1; of an even number the sum takes one less, as
            oneDNN's does, and is divided by ``nsize`` all the same.
    """
@overload
def LRN(data: NDArray, alpha: float = 0.0001, beta: float = 0.75, knorm: float = 2.0, *, nsize: int,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def LayerNorm(data: NDArray, gamma: NDArray, beta: NDArray, axis: int = -1, eps: float = 1e-05,
        output_mean_var: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> Any:
    """``gamma (data - mean) / sqrt(variance + eps) + beta`` for each vector along ``axis``.

    Args:
        data: ``[*shape]``, floating, ``C`` elements along ``axis``.
        gamma: ``[C]``.
        beta: ``[C]``.
        axis: The axis that is normalised.
        eps: Added to the variance.
        output_mean_var: Also return mean and ``sqrt(variance + eps)``, of size 1 along ``axis``.
    """
def LeakyReLU(data: NDArray, gamma: NDArray | None = None,
        act_type: Literal["elu", "gelu", "leaky", "prelu", "rrelu", "selu"] = "leaky",
        slope: float = 0.25, lower_bound: float = 0.125, upper_bound: float = 0.334, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """Keep positive elements, and make the others small.

    Args:
        data: ``[*shape]``, floating.
        gamma: Slopes that are learned, for ``"prelu"``: ``[C]`` with one per element of axis 1,
            ``[1]``, or any shape that broadcasts against ``data``.
        act_type: What happens to negative elements: ``"leaky"`` slope · x, ``"prelu"`` gamma · x,
            ``"rrelu"`` x times a slope drawn from between the bounds (their mean in prediction),
            ``"elu"`` slope · (exp(x) - 1). Or one of two functions without parameters: ``"selu"``,
            a scaled elu, and ``"gelu"``, x times the normal distribution up to x.
        slope: See ``act_type``.
        lower_bound: See ``act_type``.
        upper_bound: See ``act_type``.

    Returns:
        One array of the type of ``data``; for ``"rrelu"`` also the slopes.
    """
def LinearRegressionOutput(data: NDArray, label: NDArray, grad_scale: float = 1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``data``; its gradient is that of half the squared distance to ``label``.

    Args:
        data: ``[N, *outputs]``, floating.
        label: The shape of ``data``; ``[N]`` where there is one output per sample.
        grad_scale: Multiplies the gradient, which is divided by the number of outputs per sample.
    """
def LogisticRegressionOutput(data: NDArray, label: NDArray, grad_scale: float = 1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``1 / (1 + exp(-data))``; its gradient is that of the cross entropy with ``label``.

    Args:
        data: ``[N, *outputs]``, floating.
        label: Probabilities in the shape of ``data``; ``[N]`` for one output per sample.
        grad_scale: Multiplies the gradient, which is divided by the number of outputs per sample.
    """
def MAERegressionOutput(data: NDArray, label: NDArray, grad_scale: float = 1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``data``; its gradient is that of the absolute distance to ``label``.

    Args:
        data: ``[N, *outputs]``, floating.
        label: The shape of ``data``; ``[N]`` where there is one output per sample.
        grad_scale: Multiplies the gradient, which is divided by the number of outputs per sample.
    """
def MakeLoss(data: NDArray, grad_scale: float = 1.0, valid_thresh: float = 0.0,
        normalization: Literal["batch", "null", "valid"] = "null", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``data``, as a loss: its gradient is ``grad_scale``, whatever comes from behind.

    Args:
        data: ``[*rows, C]``, floating.
        grad_scale: The gradient of each element.
        valid_thresh: Elements above it are valid.
        normalization: What divides the gradient: ``"batch"`` is the number of rows, which is 1 for
            data of one axis, ``"valid"`` the number of valid elements, ``"null"`` nothing.
    """
def Pad(data: NDArray, mode: Literal["constant", "edge", "reflect"], pad_width: int | Sequence[int],
        constant_value: float = 0.0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Elements added before and behind every axis.

    Args:
        data: ``[*sizes]``, any dtype.
        mode: What to add: ``"constant"``, the ``"edge"`` element, or the elements next to the
            edge as a mirror at it shows them (``"reflect"``).
        pad_width: For each axis how many before and how many behind.
        constant_value: What ``"constant"`` adds.
    """
def Pooling(data: NDArray, kernel: int | Sequence[int] = (),
        pool_type: Literal["avg", "lp", "max", "sum"] = "max", global_pool: bool = False,
        cudnn_off: bool = False, pooling_convention: Literal["full", "same", "valid"] = "valid",
        stride: int | Sequence[int] = (), pad: int | Sequence[int] = (), p_value: int | None = None,
        count_include_pad: bool | None = None,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
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
    """
def Pooling_v1(data: NDArray, kernel: int | Sequence[int] = (),
        pool_type: Literal["avg", "max", "sum"] = "max", global_pool: bool = False,
        pooling_convention: Literal["full", "valid"] = "valid", stride: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """:func:`pooling` as old files have it: what is outside of the data counts as zeros."""
@overload
def RNN(data: NDArray, parameters: NDArray, state: NDArray, state_cell: NDArray | None,
        sequence_length: NDArray | None, state_size: int, num_layers: int, bidirectional: bool,
        mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"], p: float = 0.0,
        state_outputs: bool = False, projection_size: int | None = None,
        lstm_state_clip_min: float | None = None, lstm_state_clip_max: float | None = None,
        lstm_state_clip_nan: bool = False, use_sequence_length: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """A stack of recurrent layers over whole sequences.

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
        mode: Which cell.
        p: Dropout between layers, in training.
        state_outputs: Also return the states after the last step.
        projection_size: An LSTM's result is projected to that size.
        lstm_state_clip_min: Least value of an LSTM's memory, together with the next.
        lstm_state_clip_max: Largest value.
        lstm_state_clip_nan: Clip nan too.
        use_sequence_length: There is a ``sequence_length``.

    Returns:
        ``[T, N, directions · size]``; with ``state_outputs=True`` also state, and memory.
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
    """The largest element of each part of each region of interest.

    Args:
        data: ``[N, C, H, W]``, floating.
        rois: ``[R, 5]``: number of the image, left, top, right and bottom, both ends included.
        pooled_size: Rows and columns that each region is cut into; the parts overlap where they
            must. A part without elements gives zero.
        spatial_scale: Multiplies the corners, which are then rounded.

    Returns:
        ``[R, C, *pooled_size]``.
    """
def Reshape(data: NDArray, shape: int | Sequence[int] = (), reverse: bool = False,
        target_shape: int | Sequence[int] = (), keep_highest: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The elements of ``data``, in their order, under another shape.

    Args:
        data: ``[*sizes]``, any dtype.
        shape: The new sizes. Beside positive ones: 0 copies the input's size at this place; -1
            is computed from the number of elements; -2 copies all further sizes; -3 multiplies
            two consecutive sizes; -4 divides a size into the two that follow, one of which may
            be -1.
        reverse: Match ``shape`` against the sizes from the last axis instead of the first; -4 is
            then written behind its two sizes.
        target_shape: Oldest form of ``shape``, where 0 is computed.
        keep_highest: With ``target_shape``: the first size stays.

    Returns:
        The new shape, the dtype of ``data``.
    """
def SVMOutput(data: NDArray, label: NDArray, margin: float = 1.0,
        regularization_coefficient: float = 1.0, use_linear: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``data``; its gradient is that of a support vector machine for each class.

    Args:
        data: ``[*rows, C]``, floating.
        label: ``[*rows]``, class numbers.
        margin: How far from zero the scores should be on the right side.
        regularization_coefficient: Multiplies the gradient.
        use_linear: The loss is what lacks to the margin; its square by default.
    """
def SequenceLast(data: NDArray, sequence_length: NDArray | None = None,
        use_sequence_length: bool = False, axis: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The last element of every sequence.

    Args:
        data: ``[T, B, *rest]``, or ``[B, T, *rest]`` with ``axis=1``; any dtype.
        sequence_length: ``[B]``, any dtype; lengths outside of 1 … T count as the nearest.
        use_sequence_length: Whether there are lengths; without them all are ``T``.
        axis: The axis of time, 0 or 1.

    Returns:
        ``[B, *rest]``.
    """
def SequenceMask(data: NDArray, sequence_length: NDArray | None = None,
        use_sequence_length: bool = False, value: float = 0.0, axis: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Sequences with another value behind their ends.

    Args:
        data: ``[T, B, *rest]``, or ``[B, T, *rest]`` with ``axis=1``; any dtype.
        sequence_length: ``[B]``, any dtype; one above ``T`` is ``T``.
        use_sequence_length: Whether there are lengths; without them nothing is masked.
        value: The value.
        axis: The axis of time, 0 or 1.
    """
def SequenceReverse(data: NDArray, sequence_length: NDArray | None = None,
        use_sequence_length: bool = False, axis: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Every sequence from last to first; what is behind its end stays.

    Args:
        data: ``[T, B, *rest]``, or ``[B, T, *rest]`` with ``axis=1``; any dtype.
        sequence_length: ``[B]``, any dtype; one above ``T`` is ``T``.
        use_sequence_length: Whether there are lengths; without them all are ``T``.
        axis: The axis of time, 0 or 1.
    """
def SliceChannel(data: NDArray, num_outputs: int, axis: int = 1, squeeze_axis: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """An array divided along an axis into parts of equal size.

    Args:
        data: ``[*left, C, *right]`` with ``C`` at ``axis``, any dtype.
        num_outputs: Number of parts; divides ``C``.
        axis: The axis; negative counts from the end.
        squeeze_axis: Leave the axis out of the parts; it must have size 1 there.

    Returns:
        ``num_outputs`` arrays ``[*left, C / num_outputs, *right]``.
    """
def SoftmaxActivation(data: NDArray, mode: Literal["channel", "instance"] = "instance", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Softmax along the last axis, or over the channels.

    Args:
        data: ``[N, C, *space]``, floating.
        mode: ``"instance"``: the last axis; ``"channel"``: axis 1.
    """
def SoftmaxOutput(data: NDArray, label: NDArray, grad_scale: float = 1.0,
        ignore_label: float = -1.0, multi_output: bool = False, use_ignore: bool = False,
        preserve_shape: bool = False, normalization: Literal["batch", "null", "valid"] = "null",
        out_grad: bool = False, smooth_alpha: float = 0.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Softmax of ``data``; its gradient is that of the cross entropy with ``label``.

    Args:
        data: ``[N, C]``, floating; ``[N, C, *space]`` with ``multi_output=True``; ``[*rows, C]``
            with ``preserve_shape=True``.
        label: Class numbers, ``[N]``, ``[*rows]``, or, with ``multi_output=True``,
            ``[N, *space]``, ``[N, 1, *space]`` or ``[N, positions]``; or probabilities in the shape
            of ``data``.
        grad_scale: Multiplies the gradient.
        ignore_label: Samples with this label get no gradient, with ``use_ignore=True``.
        multi_output: A class for each position; the classes are axis 1.
        use_ignore: See ``ignore_label``.
        preserve_shape: The classes are the last axis.
        normalization: What divides the gradient: ``"batch"`` the number of samples, ``"valid"`` of
            those whose label is not ``ignore_label``, ``"null"`` nothing. With ``multi_output``
            the number of positions also divides, except under ``"valid"``.
        out_grad: Multiply by the gradient of the result, which is ignored otherwise.
        smooth_alpha: How much of the label's probability goes to the other classes.
    """
@overload
def SpatialTransformer(data: NDArray, loc: NDArray, target_shape: int | Sequence[int],
        transform_type: Literal["affine"], sampler_type: Literal["bilinear"],
        cudnn_off: bool | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Images sampled at an affine map of a regular grid.

    Args:
        data: ``[N, C, H, W]``, floating.
        loc: ``[N, 6]``, the matrix ``[[a, b, c], [d, e, f]]`` for ``(x, y, 1)``.
        target_shape: Height and width of the result.
        transform_type: ``"affine"``.
        sampler_type: ``"bilinear"``.
        cudnn_off: Accepted and ignored.

    Returns:
        ``[N, C, *target_shape]``.
    """
@overload
def SpatialTransformer(data: NDArray, loc: NDArray, target_shape: int | Sequence[int] = (0, 0), *,
        transform_type: Literal["affine"], sampler_type: Literal["bilinear"],
        cudnn_off: bool | None = None, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def SwapAxis(data: NDArray, dim1: int = 0, dim2: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Two axes exchanged.

    Args:
        data: ``[*sizes]``, any dtype.
        dim1: One axis; negative counts from the end.
        dim2: The other.
    """
def UpSampling(*data: NDArray | Sequence[NDArray], num_args: int = ..., scale: int,
        num_filter: int = 0, sample_type: Literal["bilinear", "nearest"],
        multi_input_mode: Literal["concat", "sum"] = "concat", workspace: int = 512,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Make images ``scale`` times as high and wide.

    Args:
        data: ``[N, C, H, W]``, floating. For ``"nearest"`` one or more, all enlarged to the size
            that the first one gets; for ``"bilinear"`` one, and a weight ``[C, 1, K, K]`` with
            ``K = 2 scale - scale % 2``.
        scale: The factor.
        num_filter: The number of channels, for ``"bilinear"``.
        sample_type: ``"nearest"``: repeat each element; ``"bilinear"``: a transposed convolution
            of each channel, with a weight that may be learned.
        multi_input_mode: Whether several images are joined along the channels, or added.
        workspace: Accepted and ignored.
    """
def abs(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The absolute value.

    Args:
        data: ``[*shape]``, any dtype.
    """
def adam_update(weight: NDArray, grad: NDArray, mean: NDArray, var: NDArray, lr: float,
        beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-08, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Adam; the caller puts the bias correction into ``lr``.

    With ``g = grad + wd * weight`` (which is then kept within the bound):
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
    """
def add_n(*args: NDArray | Sequence[NDArray], num_args: int = ...,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The sum of any number of arrays.

    Args:
        args: At least one; all of one shape and dtype.
    """
def all_finite(data: NDArray, init_output: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Whether no element is nan or infinite.

    Args:
        data: ``[*shape]``, floating.
        init_output: Has no effect: the answer is about ``data`` alone.

    Returns:
        ``[1]``, float32: 1 if so, else 0.
    """
def amp_cast(data: NDArray, dtype: npt.DTypeLike, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``data`` in another dtype if it is floating, else as it is.

    Mixed precision puts it in front of operators that need a certain precision.

    Args:
        data: ``[*shape]``, any dtype.
        dtype: The dtype to convert to.
    """
def amp_multicast(*data: NDArray | Sequence[NDArray], num_outputs: int, cast_narrow: bool = False,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """All floating arrays in the widest of their dtypes, the others as they are.

    Args:
        data: ``num_outputs`` arrays of any shape and dtype.
        num_outputs: How many there are.
        cast_narrow: Choose the narrowest dtype instead.
    """
def arccos(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The angle in ``[0, π]`` whose cosine is ``data``; nan outside of ``[-1, 1]``.

    Args:
        data: ``[*shape]``, floating.
    """
def arccosh(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The number, not negative, whose hyperbolic cosine is ``data``; nan below 1.

    Args:
        data: ``[*shape]``, floating.
    """
def arcsin(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The angle in ``[-π/2, π/2]`` whose sine is ``data``; nan outside of ``[-1, 1]``.

    Args:
        data: ``[*shape]``, floating.
    """
def arcsinh(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The number whose hyperbolic sine is ``data``.

    Args:
        data: ``[*shape]``, floating.
    """
def arctan(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The angle in ``[-π/2, π/2]`` whose tangent is ``data``.

    Args:
        data: ``[*shape]``, floating.
    """
def arctanh(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The number whose hyperbolic tangent is ``data``; nan outside of ``[-1, 1]``.

    Args:
        data: ``[*shape]``, floating.
    """
def argmax(data: NDArray, axis: int | None = None, keepdims: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the index of the largest element along ``axis``; the first of equal ones.

    Args:
        data: ``[*shape]``, not empty along the axis.
        axis: The axis to search; with None the position is counted over all elements.
        keepdims: Keep the searched axis, with size 1.

    Returns:
        Positions, in the dtype of ``data``: ``data`` without the axis; ``(1,)`` if none is left.
    """
def argmax_channel(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``argmax`` along axis 1: the best class of each row.

    Args:
        data: ``[N, C, *rest]``.

    Returns:
        ``[N, *rest]``, in the dtype of ``data``.
    """
def argmin(data: NDArray, axis: int | None = None, keepdims: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the index of the smallest element along ``axis``; the first of equal ones.

    Args:
        data: ``[*shape]``, not empty along the axis.
        axis: The axis to search; with None the position is counted over all elements.
        keepdims: Keep the searched axis, with size 1.

    Returns:
        Positions, in the dtype of ``data``: ``data`` without the axis; ``(1,)`` if none is left.
    """
def argsort(data: NDArray, axis: int | None = -1, is_ascend: bool = True,
        dtype: Literal["float16", "float32", "float64", "int32", "int64", "uint8"] = "float32", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The positions of the elements in the order of their values.

    Args:
        data: ``[*shape]``; nan counts as larger than every number.
        axis: The axis to sort along; None for the flattened array.
        is_ascend: Smallest first; else largest first. Of equal elements the first is first.
        dtype: Dtype of the positions.

    Returns:
        Positions along the axis, in the shape of ``data``; one axis if ``axis`` is None.
    """
def batch_dot(lhs: NDArray, rhs: NDArray, transpose_a: bool = False, transpose_b: bool = False,
        forward_stype: Literal["csr", "default", "row_sparse"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The matrix product of each pair of matrices.

    Args:
        lhs: ``[*batch, M, K]``, at least one batch axis; ``[*batch, K, M]`` with ``transpose_a``.
        rhs: ``[*batch, K, N]``, the dtype of ``lhs``; ``[*batch, N, K]`` with ``transpose_b``.
        transpose_a: Take the transpose of each matrix of ``lhs``.
        transpose_b: Take the transpose of each matrix of ``rhs``.
        forward_stype: Storage the result should have, where an operand is sparse.

    Returns:
        ``[*batch, M, N]``.
    """
def batch_take(a: NDArray, indices: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """One element of every row.

    Args:
        a: ``[N, C]``, any dtype.
        indices: ``[N]``, any dtype; one outside of 0 … C-1 is moved to the nearest end.

    Returns:
        ``[N]``.
    """
def broadcast_add(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``lhs + rhs``, broadcast.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
def broadcast_axis(data: NDArray, axis: int | Sequence[int] = (), size: int | Sequence[int] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Some axes of size 1 repeated.

    Args:
        data: ``[*sizes]``, any dtype.
        axis: The axes; negative ones count from the end.
        size: For each of them how often.
    """
def broadcast_div(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``lhs / rhs``, broadcast; the quotient of integers is rounded towards 0.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
def broadcast_equal(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """1 where ``lhs`` equals ``rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
def broadcast_greater(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """1 where ``lhs > rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
def broadcast_greater_equal(lhs: NDArray, rhs: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where ``lhs >= rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
def broadcast_hypot(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Length of the hypotenuse, ``sqrt(lhs² + rhs²)``, broadcast, without overflow.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
def broadcast_lesser(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """1 where ``lhs < rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
def broadcast_lesser_equal(lhs: NDArray, rhs: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where ``lhs <= rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
def broadcast_like(lhs: NDArray, rhs: NDArray, lhs_axes: int | Sequence[int] | None = None,
        rhs_axes: int | Sequence[int] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Axes of size 1 repeated until ``lhs`` is as large as ``rhs``.

    Args:
        lhs: ``[*sizes]``, any dtype.
        rhs: Only its shape is used.
        lhs_axes: The axes of ``lhs`` to repeat; with ``rhs_axes``, or all axes if both are None.
        rhs_axes: The axes of ``rhs`` whose sizes they get.
    """
def broadcast_logical_and(lhs: NDArray, rhs: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where both are not 0, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
def broadcast_logical_or(lhs: NDArray, rhs: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where one of them is not 0, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
def broadcast_logical_xor(lhs: NDArray, rhs: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where exactly one of them is not 0, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
def broadcast_maximum(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The larger of ``lhs`` and ``rhs``, broadcast; nan if one of them is.

    The gradient of equal elements goes to ``lhs``.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
def broadcast_minimum(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The smaller of ``lhs`` and ``rhs``, broadcast; nan if one of them is.

    The gradient of equal elements goes to ``lhs``.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
def broadcast_mod(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Remainder of ``lhs / rhs`` with the sign of ``rhs``, broadcast; 0 where ``rhs`` is 0.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
def broadcast_mul(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``lhs * rhs``, broadcast.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
def broadcast_not_equal(lhs: NDArray, rhs: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 where ``lhs`` differs from ``rhs``, else 0; broadcast.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
def broadcast_power(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``lhs`` to the power of ``rhs``, broadcast.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
def broadcast_sub(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``lhs - rhs``, broadcast.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: A shape that broadcasts against it; the dtype of ``lhs``.
    """
def broadcast_to(data: NDArray, shape: int | Sequence[int] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Axes of size 1 repeated until the array has a given shape.

    Args:
        data: ``[*sizes]``, any dtype.
        shape: As many sizes; 0 keeps the input's.
    """
def cast_storage(data: NDArray, stype: Literal["default", "row_sparse", "csr"], *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``data`` in another storage; in a graph of dense arrays itself.

    Args:
        data: ``[*shape]``, any dtype; a matrix for csr.
        stype: ``"default"``, which stores all elements, ``"row_sparse"``, the rows that are not
            all zero, or ``"csr"``, the elements of a matrix that are not zero.
    """
def cbrt(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The cube root.

    Args:
        data: ``[*shape]``, floating.
    """
def ceil(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The smallest integer not below each element.

    Args:
        data: ``[*shape]``, any dtype.
    """
def clip(data: NDArray, a_min: float, a_max: float, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``data`` with elements below ``a_min`` or above ``a_max`` replaced by these.

    Args:
        data: ``[*shape]``, any dtype.
        a_min: The lower end.
        a_max: The upper end.
    """
def col2im(data: NDArray, output_size: int | Sequence[int], kernel: int | Sequence[int],
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Columns added up to images where their windows overlap.

    Args:
        data: ``[N, C * the product of kernel, the number of windows]``, any dtype.
        output_size: Sizes of the images.
        kernel: Size of the windows along each axis.
        stride: Distance between windows; 1 if empty.
        dilate: Distance between the elements of a window; 1 if empty.
        pad: Rows and columns left out on both sides; none if empty.

    Returns:
        ``[N, C, *output_size]``.
    """
def cos(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The cosine of angles in radians.

    Args:
        data: ``[*shape]``, floating.
    """
def cosh(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The hyperbolic cosine.

    Args:
        data: ``[*shape]``, floating.
    """
def cumsum(a: NDArray, axis: int | None = None,
        dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The sum of the elements up to each one.

    Args:
        a: ``[*shape]``, any dtype.
        axis: The axis to sum along; None for the flattened array.
        dtype: Dtype of the result and of the sums; that of ``a`` if None, int64 for bool.

    Returns:
        The shape of ``a``; one axis if ``axis`` is None.
    """
def degrees(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Angles in radians as degrees.

    Args:
        data: ``[*shape]``, floating.
    """
def depth_to_space(data: NDArray, block_size: int, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Channels laid out as blocks of pixels.

    Args:
        data: ``[N, B * B * C, H, W]``, any dtype.
        block_size: ``B``.

    Returns:
        ``[N, C, H * B, W * B]``.
    """
def diag(data: NDArray, k: int = 0, axis1: int = 0, axis2: int = 1, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """A diagonal of an array; of a vector the matrix that has it as its diagonal.

    Args:
        data: ``[N]`` or ``[*sizes]``, any dtype.
        k: Which diagonal: above the main one if positive, below it if negative.
        axis1: The axis of rows.
        axis2: The axis of columns.

    Returns:
        ``[N + |k|, N + |k|]``, or the axes other than those two and then the diagonal.
    """
def dot(lhs: NDArray, rhs: NDArray, transpose_a: bool = False, transpose_b: bool = False,
        forward_stype: Literal["csr", "default", "row_sparse"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The sum of products over the last axis of ``lhs`` and the first of ``rhs``.

    Args:
        lhs: ``[*I, K]``; ``[K, *I]`` with ``transpose_a``.
        rhs: ``[K, *J]``, the dtype of ``lhs``; ``[*J, K]`` with ``transpose_b``.
        transpose_a: Sum over the first axis of ``lhs`` instead of the last.
        transpose_b: Sum over the last axis of ``rhs`` instead of the first.
        forward_stype: Storage the result should have, where an operand is sparse.

    Returns:
        ``[*I, *J]``; ``(1,)`` for two vectors.
    """
def elemwise_add(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``lhs + rhs`` of one shape.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """
def elemwise_div(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``lhs / rhs`` of one shape; the quotient of integers is rounded towards 0.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """
def elemwise_mul(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``lhs * rhs`` of one shape.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """
def elemwise_sub(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``lhs - rhs`` of one shape.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """
def erf(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The error function ``2/√π ∫ exp(-t²) dt`` from 0 to ``data``.

    Args:
        data: ``[*shape]``, floating.
    """
def erfinv(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The number whose error function is ``data``; nan outside of ``[-1, 1]``.

    Args:
        data: ``[*shape]``, floating.
    """
def exp(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``e`` to the power of ``data``.

    Args:
        data: ``[*shape]``, floating.
    """
def expand_dims(data: NDArray, axis: int, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """A new axis of size 1.

    Args:
        data: ``[*sizes]``, any dtype.
        axis: Where the new axis is in the result; negative counts from its end.
    """
def expm1(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``exp(data) - 1``, exact near 0.

    Args:
        data: ``[*shape]``, floating.
    """
def fill_element_0index(lhs: NDArray, mhs: NDArray, rhs: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``lhs`` with one element of each row replaced.

    Args:
        lhs: ``[N, D]``, any dtype.
        mhs: ``[N]`` new values.
        rhs: ``[N]`` the column of each; moved to the nearest end where there is none.
    """
def fix(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Each element without its fraction; as ``trunc``.

    Args:
        data: ``[*shape]``, any dtype.
    """
def floor(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The largest integer not above each element.

    Args:
        data: ``[*shape]``, any dtype.
    """
@overload
def ftml_update(weight: NDArray, grad: NDArray, d: NDArray, v: NDArray, z: NDArray, lr: float,
        beta1: float, beta2: float, epsilon: float, t: int, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_grad: float = -1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Follow the moving leader.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        d: Scale of the last step, overwritten; the type of ``weight``.
        v: Running mean of the squared gradient, overwritten; the type of ``weight``.
        z: The leader, overwritten; the type of ``weight``.
        lr: Learning rate.
        beta1: How much of the leader is kept.
        beta2: How much of the mean square is kept.
        epsilon: Added to the root of the mean square.
        t: Number of the step, from 1.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_grad: Bound of the gradient with its decay; none if negative.

    Returns:
        The new weight.
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
    """Follow the regularised leader: steps per coordinate, and weights that become exactly 0.

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
    """
def gamma(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The gamma function, ``(data - 1)!`` for integers; nan at the negative ones.

    Args:
        data: ``[*shape]``, floating.
    """
def gammaln(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Logarithm of the absolute value of the gamma function.

    Args:
        data: ``[*shape]``, floating.
    """
def gather_nd(data: NDArray, indices: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Elements, or slices, at coordinates.

    Args:
        data: ``[*sizes]``, any dtype.
        indices: ``[M, *I]``: for each place of the result its coordinates on the first ``M``
            axes of ``data``; negative ones count from the end, fractions are cut off.

    Returns:
        ``[*I, *rest]``, where ``rest`` are the sizes of ``data`` behind the first ``M``.
    """
def hard_sigmoid(data: NDArray, alpha: float = 0.2, beta: float = 0.5, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``alpha * data + beta``, cut off below 0 and above 1.

    Args:
        data: ``[*shape]``, floating.
        alpha: The slope.
        beta: The value at 0.
    """
def identity(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``data`` itself, as an array of its own.

    Args:
        data: ``[*shape]``, any dtype.
    """
def im2col(data: NDArray, kernel: int | Sequence[int], stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The windows of an image as columns of a matrix.

    Args:
        data: ``[N, C, *sizes]``, any dtype.
        kernel: Size of the windows along each axis.
        stride: Distance between windows; 1 if empty.
        dilate: Distance between the elements of a window; 1 if empty.
        pad: Zeros added on both sides; none if empty.

    Returns:
        ``[N, C * the product of kernel, the number of windows]``.
    """
def khatri_rao(*args: NDArray | Sequence[NDArray], num_args: int = ...,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Column by column, the Kronecker product of matrices.

    Args:
        args: Matrices ``[M1, C]``, ``[M2, C]``, … of one dtype.

    Returns:
        ``[M1 * M2 * …, C]``.
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
        r1: Norm of the weight, one element; the step is plain if it is 0.
        r2: Norm of the direction, one element; the step is plain if it is 0.
        lr: Learning rate.
        lower_bound: The least ``r1``; none if negative.
        upper_bound: The largest ``r1``; none if negative.

    Returns:
        The new weight.
    """
def log(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The natural logarithm; -inf at 0, nan below.

    Args:
        data: ``[*shape]``, floating.
    """
def log10(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The logarithm to base 10.

    Args:
        data: ``[*shape]``, floating.
    """
def log1p(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``log(1 + data)``, exact near 0.

    Args:
        data: ``[*shape]``, floating.
    """
def log2(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The logarithm to base 2.

    Args:
        data: ``[*shape]``, floating.
    """
def log_softmax(data: NDArray, axis: int = -1, temperature: float | None = None,
        dtype: Literal["float16", "float32", "float64"] | None = None, use_length: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Logarithm of softmax, exact also where softmax underflows.

    Args:
        data: ``[*shape]``, floating.
        axis: Where to normalise.
        temperature: Divides ``data`` first.
        dtype: Dtype of the result; that of ``data`` by default.
        use_length: Accepted and ignored.
    """
def logical_not(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """1 where ``data`` is 0, else 0.

    Args:
        data: ``[*shape]``, any dtype, which is the dtype of the result.
    """
def make_loss(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``data`` as something to minimise: its gradient is 1, whatever follows.

    Args:
        data: ``[*shape]``, floating.
    """
def max(data: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        exclude: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The largest element along some axes; nan if there is one.

    Args:
        data: ``[*shape]``, any dtype; not empty along the axes.
        axis: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.
        exclude: Reduce all axes but ``axis``.

    Returns:
        ``data`` without the reduced axes; ``(1,)`` if none is left.
    """
def mean(data: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        exclude: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The mean of the elements along some axes.

    Args:
        data: ``[*shape]``, any dtype; the mean of integers is cut off towards zero.
        axis: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.
        exclude: Reduce all axes but ``axis``.

    Returns:
        ``data`` without the reduced axes, the dtype of ``data``; ``(1,)`` if none is left.
    """
def min(data: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        exclude: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The smallest element along some axes; nan if there is one.

    Args:
        data: ``[*shape]``, any dtype; not empty along the axes.
        axis: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.
        exclude: Reduce all axes but ``axis``.

    Returns:
        ``data`` without the reduced axes; ``(1,)`` if none is left.
    """
def moments(data: NDArray, axes: int | Sequence[int] | None = None, keepdims: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Mean and variance of the elements along some axes.

    Args:
        data: ``[*shape]``.
        axes: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.

    Returns:
        The mean, and the variance (divided by the number of elements); each is ``data`` without
        the reduced axes, ``(1,)`` if none is left.
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
        r1: Norm of the weight, one element; the step is plain if it is 0.
        r2: Norm of the direction, one element; the step is plain if it is 0.
        weight32: The weight in float32, overwritten.
        lr: Learning rate.
        lower_bound: The least ``r1``; none if negative.
        upper_bound: The largest ``r1``; none if negative.

    Returns:
        The new weight.
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
    """
def multi_all_finite(*data: NDArray | Sequence[NDArray], num_arrays: int = 1,
        init_output: bool = True, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Whether no element of any array is nan or infinite.

    Args:
        data: Arrays of any shapes and one floating dtype.
        num_arrays: How many there are.
        init_output: Has no effect: the answer is about ``data`` alone.

    Returns:
        ``[1]``, float32: 1 if so, else 0.
    """
def multi_lars(lrs: NDArray, weights_sum_sq: NDArray, grads_sum_sq: NDArray, wds: NDArray,
        eta: float, eps: float, rescale_grad: float = 1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Learning rates by layer: ``lr * eta * |weight| / (|grad| + wd * |weight| + eps)``.

    Args:
        lrs: ``[N]``, the common learning rates.
        weights_sum_sq: ``[N]``, squared norms of the weights.
        grads_sum_sq: ``[N]``, squared norms of the gradients.
        wds: ``[N]``, weight decays.
        eta: Trust in the layers.
        eps: Added to the divisor.
        rescale_grad: Factor of the gradients.

    Returns:
        ``[N]``; the common learning rate where a norm is 0.
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
    """
def multi_sum_sq(*data: NDArray | Sequence[NDArray], num_arrays: int,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The sum of the squares of each array.

    Args:
        data: Arrays of any shapes and one floating dtype.
        num_arrays: How many there are.

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
    """
def nanprod(data: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        exclude: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The product of the elements along some axes, where nan counts as 1.

    Args:
        data: ``[*shape]``, any dtype.
        axis: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.
        exclude: Reduce all axes but ``axis``.

    Returns:
        ``data`` without the reduced axes, the dtype of ``data``; ``(1,)`` if none is left.
    """
def nansum(data: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        exclude: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The sum of the elements along some axes, where nan counts as 0.

    Args:
        data: ``[*shape]``, any dtype.
        axis: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.
        exclude: Reduce all axes but ``axis``.

    Returns:
        ``data`` without the reduced axes, the dtype of ``data``; ``(1,)`` if none is left.
    """
def negative(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``-data``.

    Args:
        data: ``[*shape]``, any dtype.
    """
def norm(data: NDArray, ord: int = 2, axis: int | Sequence[int] | None = None,
        out_dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
        keepdims: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The length of the vectors along some axes.

    Args:
        data: ``[*shape]``.
        ord: 2 for the root of the sum of squares, 1 for the sum of absolute values.
        axis: Axes that one vector runs along; ``None`` or ``()`` for all.
        out_dtype: Dtype of the result; that of ``data`` if None.
        keepdims: Keep the reduced axes, with size 1.

    Returns:
        ``data`` without the reduced axes; ``(1,)`` if none is left.
    """
def one_hot(indices: NDArray, depth: int, on_value: float = 1.0, off_value: float = 0.0,
        dtype: npt.DTypeLike = "float32", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """A vector for every index: one value at that place, another everywhere else.

    Args:
        indices: ``[*I]``, any dtype; one outside of 0 … ``depth`` - 1 has no place.
        depth: Length of the vectors.
        on_value: The value at the index.
        off_value: The value elsewhere.
        dtype: Of the result.

    Returns:
        ``[*I, depth]``.
    """
def ones_like(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Ones in the shape and dtype of ``data``.

    Args:
        data: ``[*shape]``, any dtype.
    """
def pick(data: NDArray, index: NDArray, axis: int | None = -1, keepdims: bool = False,
        mode: Literal["clip", "wrap"] = "clip", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """One element along an axis for every position of the others.

    Args:
        data: ``[*left, N, *right]`` with ``N`` at ``axis``, any dtype.
        index: ``[*left, *right]`` or ``[*left, 1, *right]``, any dtype; fractions are cut off.
        axis: The axis; negative counts from the end.
        keepdims: Keep the axis, with size 1.
        mode: Indices outside of 0 … N-1 are moved to the nearest end (``"clip"``) or counted
            around (``"wrap"``).

    Returns:
        ``[*left, *right]``, or ``[*left, 1, *right]`` with ``keepdims``.
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
    """
def prod(data: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        exclude: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The product of the elements along some axes.

    Args:
        data: ``[*shape]``, any dtype; 16-bit floats are multiplied in float32.
        axis: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.
        exclude: Reduce all axes but ``axis``.

    Returns:
        ``data`` without the reduced axes, the dtype of ``data``; ``(1,)`` if none is left.
    """
def radians(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Angles in degrees as radians.

    Args:
        data: ``[*shape]``, floating.
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
    """
def random_randint(low: int, high: int, shape: int | Sequence[int] | None = None,
        ctx: Context | str = "", dtype: npt.DTypeLike | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Whole numbers of equal probability from ``low`` to ``high - 1``.

    Args:
        low: Least number.
        high: Bound of the numbers, above ``low``.
        shape: Shape of the result; one number if None.
        ctx: Where the result is; the current context if empty.
        dtype: int32 or int64; int32 if None.
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
    """
def ravel_multi_index(data: NDArray, shape: int | Sequence[int] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Flat indices of coordinates in a row-major array.

    Args:
        data: ``[M, N]``: the coordinates of each of ``N`` elements, any dtype.
        shape: The ``M`` sizes of the array; the first one does not matter.

    Returns:
        ``[N]``, the dtype of ``data``.
    """
def rcbrt(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``1 / cbrt(data)``.

    Args:
        data: ``[*shape]``, floating.
    """
def reciprocal(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``1 / data``.

    Args:
        data: ``[*shape]``, floating.
    """
def relu(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The ReLU ``max(data, 0)``; its gradient at 0 is 0.

    Args:
        data: ``[*shape]``, any dtype.
    """
def repeat(data: NDArray, repeats: int, axis: int | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Every element repeated.

    Args:
        data: ``[*sizes]``, any dtype.
        repeats: How often.
        axis: Along which axis; None: ``data`` is flattened first.
    """
def reset_arrays(*data: NDArray | Sequence[NDArray], num_arrays: int,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]:
    """Overwrite arrays with zeros.

    Args:
        data: Arrays of any types, overwritten.
        num_arrays: How many there are.
    """
def reshape_like(lhs: NDArray, rhs: NDArray, lhs_begin: int | None = None,
        lhs_end: int | None = None, rhs_begin: int | None = None, rhs_end: int | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``lhs`` in the shape of ``rhs``, or with some of its axes shaped as some of those.

    Args:
        lhs: ``[*sizes]``, any dtype.
        rhs: Only its shape is used.
        lhs_begin: First axis of ``lhs`` to replace; the first one if None.
        lhs_end: Axis behind the last to replace; None: up to the last one.
        rhs_begin: First axis of ``rhs`` to take.
        rhs_end: Axis behind the last to take.
    """
def reverse(data: NDArray, axis: int | Sequence[int], *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The elements along some axes from last to first.

    Args:
        data: ``[*sizes]``, any dtype.
        axis: The axes; negative ones count from the end.
    """
def rint(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The nearest integer; of two equally near ones the lower.

    Args:
        data: ``[*shape]``, any dtype.
    """
def rmsprop_update(weight: NDArray, grad: NDArray, n: NDArray, lr: float, gamma1: float = 0.95,
        epsilon: float = 1e-08, wd: float = 0.0, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, clip_weights: float = -1.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """RMSProp.

    With ``g = grad + wd * weight`` (which is then kept within the bound):
    ``n = gamma1 * n + (1 - gamma1) * g²``, and the result is
    ``weight - lr * g / sqrt(n + epsilon)``.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        n: Running mean of ``g²``, overwritten; the type of ``weight``.
        lr: Learning rate.
        gamma1: How much of the mean square is kept.
        epsilon: Added to the mean square.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of ``g``; none if negative.
        clip_weights: Bound of the result; none if negative.

    Returns:
        The new weight.
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
        gamma1: How much of the means is kept.
        gamma2: How much of the last step is kept.
        epsilon: Added to the variance.
        wd: Weight decay.
        rescale_grad: Factor of the gradient.
        clip_gradient: Bound of the gradient with its decay; none if negative.
        clip_weights: Bound of the result; none if negative.

    Returns:
        The new weight.
    """
def round(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The nearest integer; of two equally near ones that farther from 0.

    Args:
        data: ``[*shape]``, any dtype.
    """
def rsqrt(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``1 / sqrt(data)``.

    Args:
        data: ``[*shape]``, floating.
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
    """
def sample_multinomial(data: NDArray, shape: int | Sequence[int] = (), get_prob: bool = False,
        dtype: npt.DTypeLike = "int32", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> Any:
    """Indices drawn with given probabilities.

    Args:
        data: ``[*S, K]``: for each distribution the probabilities of 0 … K-1. Floating.
        shape: How many indices for each distribution, as a shape.
        get_prob: Also return the logarithm of the probability of each index.
        dtype: Of the indices.

    Returns:
        ``[*S, *shape]`` indices, ``[1]`` if both are empty; with ``get_prob`` a list of these
        and the logarithms.
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
    """
def scatter_nd(data: NDArray, indices: NDArray, shape: int | Sequence[int], *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Zeros with the elements, or slices, of ``data`` at coordinates.

    Args:
        data: ``[*I, *rest]``, any dtype.
        indices: ``[M, *I]``: for each slice its coordinates on the first ``M`` axes of the
            result; negative ones count from the end. Which slice is kept where several have
            the same coordinates is not said.
        shape: Shape of the result: ``M`` sizes, then ``rest``.
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
    """
def shape_array(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The shape of ``data`` as an int64 array."""
def shuffle(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The slices along the first axis in a random order.

    Args:
        data: ``[N, *rest]``, any dtype.
    """
def sigmoid(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The logistic function ``1 / (1 + exp(-data))``.

    Args:
        data: ``[*shape]``, floating.
    """
def sign(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """-1 for negative elements, 1 for positive ones, 0 for 0 and nan.

    Args:
        data: ``[*shape]``, any dtype.
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
        clip_gradient: Has no effect.

    Returns:
        The new weight.
    """
def signum_update(weight: NDArray, grad: NDArray, mom: NDArray, lr: float, momentum: float = 0.0,
        wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, wd_lh: float = 0.0,
        *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """A step of fixed size along the sign of the velocity.

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
    """
def sin(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The sine of angles in radians.

    Args:
        data: ``[*shape]``, floating.
    """
def sinh(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The hyperbolic sine.

    Args:
        data: ``[*shape]``, floating.
    """
def size_array(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The number of elements of ``data`` as an int64 array of one element."""
def slice(data: NDArray, begin: int | None | Sequence[int | None],
        end: int | None | Sequence[int | None], step: int | None | Sequence[int | None] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The part ``data[begin:end:step]``, as Python slices mean it.

    Args:
        data: ``[*sizes]``, any dtype.
        begin: First index along each of the leading axes; None: from the start.
        end: Index behind the last one; None: up to the end.
        step: Distance between indices, negative to go backwards; 1 where None or left out.
    """
def slice_axis(data: NDArray, axis: int, begin: int, end: int | None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The part from ``begin`` to before ``end`` along one axis.

    Args:
        data: ``[*sizes]``, any dtype.
        axis: The axis; negative counts from the end.
        begin: First index; negative counts from the end.
        end: Index behind the last; None: up to the end.
    """
def slice_like(data: NDArray, shape_like: NDArray, axes: int | Sequence[int] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The leading part of ``data`` that is as large as another array along some axes.

    Args:
        data: ``[*sizes]``, any dtype.
        shape_like: Only its shape is used.
        axes: The axes to cut; all of them if empty, and then both have the same number.
    """
def smooth_l1(data: NDArray, scalar: float = 1.0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """A parabola around 0, straight lines outside.

    ``(scalar * data)² / 2`` where ``abs(data) < 1 / scalar²``, else ``abs(data) - 0.5 / scalar²``.

    Args:
        data: ``[*shape]``, floating.
        scalar: The larger, the narrower the parabola.
    """
def softmax(data: NDArray, length: NDArray | None = None, axis: int = -1,
        temperature: float | None = None,
        dtype: Literal["float16", "float32", "float64"] | None = None, use_length: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Exponentials, normalised to sum to one along ``axis``.

    Args:
        data: ``[*shape]``, floating.
        length: ``shape`` without ``axis``, integers; with ``use_length=True``. Positions at or
            beyond the length count as minus infinity.
        axis: Where to normalise.
        temperature: Divides ``data`` first.
        dtype: Dtype of the result; that of ``data`` by default.
        use_length: There is a ``length``.
    """
def softmax_cross_entropy(data: NDArray, label: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The sum over all samples of ``-log softmax(data)[label]``.

    Args:
        data: ``[N, C]``, floating.
        label: ``[N]``, class numbers.

    Returns:
        ``[1]``.
    """
def softmin(data: NDArray, axis: int = -1, temperature: float | None = None,
        dtype: Literal["float16", "float32", "float64"] | None = None, use_length: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Softmax of ``-data``.

    Args:
        data: ``[*shape]``, floating.
        axis: Where to normalise.
        temperature: Divides ``data`` first.
        dtype: Dtype of the result; that of ``data`` by default.
        use_length: Accepted and ignored.
    """
def softsign(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """``data / (1 + abs(data))``.

    Args:
        data: ``[*shape]``, floating.
    """
def sort(data: NDArray, axis: int | None = -1, is_ascend: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The elements along an axis in order.

    Args:
        data: ``[*shape]``; nan counts as larger than every number.
        axis: The axis to sort along; None for the flattened array.
        is_ascend: Smallest first; else largest first.

    Returns:
        ``data`` in order; one axis if ``axis`` is None.
    """
def space_to_depth(data: NDArray, block_size: int, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Blocks of pixels laid out as channels: ``depth_to_space`` undone.

    Args:
        data: ``[N, C, H * B, W * B]``, any dtype.
        block_size: ``B``.

    Returns:
        ``[N, B * B * C, H, W]``.
    """
def sqrt(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The square root; nan for negative elements.

    Args:
        data: ``[*shape]``, floating.
    """
def square(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``data * data``.

    Args:
        data: ``[*shape]``, any dtype.
    """
def squeeze(data: NDArray, axis: int | Sequence[int] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Without axes of size 1.

    Args:
        data: ``[*sizes]``, any dtype.
        axis: The axes to remove; all of size 1 if None. One axis is always left.
    """
def stack(*data: NDArray | Sequence[NDArray], num_args: int = ..., axis: int = 0,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Arrays of one shape joined along a new axis.

    Args:
        data: ``[*sizes]`` each, one dtype. Those that differ from the first in axes of one element
            alone take its shape.
        axis: Where the new axis is in the result; negative counts from its end.
    """
def sum(data: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        exclude: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """The sum of the elements along some axes.

    Args:
        data: ``[*shape]``, any dtype; 16-bit floats are added up in float32.
        axis: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.
        exclude: Reduce all axes but ``axis``.

    Returns:
        ``data`` without the reduced axes, the dtype of ``data``; ``(1,)`` if none is left.
    """
def take(a: NDArray, indices: NDArray, axis: int = 0,
        mode: Literal["clip", "raise", "wrap"] = "clip", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Slices of an array along an axis, by index.

    Args:
        a: ``[*left, N, *right]`` with ``N`` at ``axis``, any dtype.
        indices: ``[*I]``, any dtype; fractions are cut off.
        axis: The axis; negative counts from the end.
        mode: Indices outside of 0 … N-1 are moved to the nearest end (``"clip"``), counted
            around (``"wrap"``) or an error (``"raise"``).

    Returns:
        ``[*left, *I, *right]``.
    """
def tan(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The tangent of angles in radians.

    Args:
        data: ``[*shape]``, floating.
    """
def tanh(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The hyperbolic tangent.

    Args:
        data: ``[*shape]``, floating.
    """
def tile(data: NDArray, reps: int | Sequence[int], *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The whole array repeated along its axes.

    Args:
        data: ``[*sizes]``, any dtype.
        reps: How often along each axis, matched from the last; missing ones count as 1, and
            more of them than axes make new axes in front.
    """
def topk(data: NDArray, axis: int | None = -1, k: int = 1,
        ret_typ: Literal["both", "indices", "mask", "value"] = "indices", is_ascend: bool = False,
        dtype: Literal["float16", "float32", "float64", "int32", "int64", "uint8"] = "float32", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any:
    """The ``k`` largest (or smallest) elements along an axis, in order.

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
    """
def transpose(data: NDArray, axes: int | Sequence[int] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Axes in another order.

    Args:
        data: ``[*sizes]``, any dtype.
        axes: The input axis that each axis of the result is; reversed order if empty.
    """
def trunc(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Each element without its fraction.

    Args:
        data: ``[*shape]``, any dtype.
    """
def unravel_index(data: NDArray, shape: int | Sequence[int] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Coordinates of flat indices into a row-major array.

    Args:
        data: ``[*I]`` flat indices, any dtype.
        shape: The ``M`` sizes of the array; the first one does not matter.

    Returns:
        ``[M, *I]``, the dtype of ``data``.
    """
def where(condition: NDArray, x: NDArray, y: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Elements of ``x`` where the condition holds, of ``y`` elsewhere.

    Args:
        condition: ``[*sizes]``, or ``[N]`` to choose whole rows; holds where it is not 0.
        x: ``[*sizes]`` with ``N`` in front, any dtype.
        y: The shape and dtype of ``x``.
    """
def zeros_like(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Zeros in the shape and dtype of ``data``.

    Args:
        data: ``[*shape]``, any dtype.
    """
CachedOp: Any
def load(fname: str) -> list[NDArray] | dict[str, NDArray]:
    """Read the arrays of a file, as a list or by name, each of the storage that it was saved with."""
def load_frombuffer(buf: bytes) -> list[NDArray] | dict[str, NDArray]:
    """Load like :func:`load`, from the content of a file of MXNet's or numpy's."""
np: Any
npx: Any
def save(fname: str, data: NDArray | Sequence[NDArray] | Mapping[str, NDArray]) -> None:
    """Write arrays to a file that MXNet reads too."""

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
