# Written by `hatch run stubs` from the operator catalogue.
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Literal
from typing import overload
import numpy.typing as npt
from hy_ndarray import Context
from hy_symbol.symbol import Symbol
from hy_symbol.sym._operators import elemwise_div as _Div
from hy_symbol.sym._operators import elemwise_sub as _Minus
from hy_symbol.sym._operators import elemwise_mul as _Mul
from hy_symbol.sym._operators import elemwise_add as _Plus
from hy_symbol.sym._operators import elemwise_add as _add
from hy_symbol.sym._operators import identity as _copy
from hy_symbol.sym._operators import elemwise_div as _div
from hy_symbol.sym._operators import elemwise_sub as _minus
from hy_symbol.sym._operators import elemwise_mul as _mul
from hy_symbol.sym._operators import cumsum as _np_cumsum
from hy_symbol.sym._operators import repeat as _np_repeat
from hy_symbol.sym._operators import argsort as _npi_argsort
from hy_symbol.sym._operators.contrib import boolean_mask as _npi_boolean_mask
from hy_symbol.sym._operators import Cast as _npi_cast
from hy_symbol.sym._operators import clip as _npi_clip
from hy_symbol.sym._operators import linalg_det as _npi_det
from hy_symbol.sym._operators import expand_dims as _npi_expand_dims
from hy_symbol.sym._operators import gather_nd as _npi_gather_nd
from hy_symbol.sym._operators import linalg_inverse as _npi_inv
from hy_symbol.sym._operators import broadcast_maximum as _npi_maximum
from hy_symbol.sym._operators import broadcast_minimum as _npi_minimum
from hy_symbol.sym._operators import random_randint as _npi_random_randint
from hy_symbol.sym._operators import shuffle as _npi_shuffle
from hy_symbol.sym._operators import slice as _npi_slice
from hy_symbol.sym._operators import linalg_slogdet as _npi_slogdet
from hy_symbol.sym._operators import sort as _npi_sort
from hy_symbol.sym._operators import SwapAxis as _npi_swapaxes
from hy_symbol.sym._operators import take as _npi_take
from hy_symbol.sym._operators import tile as _npi_tile
from hy_symbol.sym._operators import Activation as _npx_activation
from hy_symbol.sym._operators.contrib import arange_like as _npx_arange_like
from hy_symbol.sym._operators import batch_dot as _npx_batch_dot
from hy_symbol.sym._operators import Flatten as _npx_batch_flatten
from hy_symbol.sym._operators import BatchNorm as _npx_batch_norm
from hy_symbol.sym._operators import Cast as _npx_cast
from hy_symbol.sym._operators import Convolution as _npx_convolution
from hy_symbol.sym._operators import Deconvolution as _npx_deconvolution
from hy_symbol.sym._operators import Dropout as _npx_dropout
from hy_symbol.sym._operators import Embedding as _npx_embedding
from hy_symbol.sym._operators import erf as _npx_erf
from hy_symbol.sym._operators import erfinv as _npx_erfinv
from hy_symbol.sym._operators import gamma as _npx_gamma
from hy_symbol.sym._operators import gammaln as _npx_gammaln
from hy_symbol.sym._operators import gather_nd as _npx_gather_nd
from hy_symbol.sym._operators import LayerNorm as _npx_layer_norm
from hy_symbol.sym._operators import LeakyReLU as _npx_leaky_relu
from hy_symbol.sym._operators import log_softmax as _npx_log_softmax
from hy_symbol.sym._operators.contrib import MultiBoxDetection as _npx_multibox_detection
from hy_symbol.sym._operators.contrib import MultiBoxPrior as _npx_multibox_prior
from hy_symbol.sym._operators.contrib import MultiBoxTarget as _npx_multibox_target
from hy_symbol.sym._operators import one_hot as _npx_one_hot
from hy_symbol.sym._operators import pick as _npx_pick
from hy_symbol.sym._operators import Pooling as _npx_pooling
from hy_symbol.sym._operators import reshape_like as _npx_reshape_like
from hy_symbol.sym._operators import RNN as _npx_rnn
from hy_symbol.sym._operators import ROIPooling as _npx_roi_pooling
from hy_symbol.sym._operators import SequenceMask as _npx_sequence_mask
from hy_symbol.sym._operators import shape_array as _npx_shape_array
from hy_symbol.sym._operators import slice as _npx_slice
from hy_symbol.sym._operators import smooth_l1 as _npx_smooth_l1
from hy_symbol.sym._operators import softmax as _npx_softmax
from hy_symbol.sym._operators import topk as _npx_topk
from hy_symbol.sym._operators import elemwise_add as _plus
from hy_symbol.sym._operators import ravel_multi_index as _ravel_multi_index
from hy_symbol.sym._operators import shuffle as _shuffle
from hy_symbol.sym._operators import elemwise_sub as _sub
from hy_symbol.sym._operators import unravel_index as _unravel_index

__all__ = [
    "_Div",
    "_DivScalar",
    "_Equal",
    "_EqualScalar",
    "_Greater",
    "_GreaterEqualScalar",
    "_GreaterScalar",
    "_Greater_Equal",
    "_Hypot",
    "_HypotScalar",
    "_Lesser",
    "_LesserEqualScalar",
    "_LesserScalar",
    "_Lesser_Equal",
    "_LogicalAndScalar",
    "_LogicalOrScalar",
    "_LogicalXorScalar",
    "_Logical_And",
    "_Logical_Or",
    "_Logical_Xor",
    "_Maximum",
    "_MaximumScalar",
    "_Minimum",
    "_MinimumScalar",
    "_Minus",
    "_MinusScalar",
    "_Mod",
    "_ModScalar",
    "_Mul",
    "_MulScalar",
    "_NotEqualScalar",
    "_Not_Equal",
    "_Plus",
    "_PlusScalar",
    "_Power",
    "_PowerScalar",
    "_RDivScalar",
    "_RMinusScalar",
    "_RModScalar",
    "_RPowerScalar",
    "_activation_backward",
    "_adamw_update",
    "_adaptive_avg_pooling2d_backward",
    "_adaptive_avg_pooling2d_like",
    "_add",
    "_arange",
    "_axis_total",
    "_bilinear_resize2d_backward",
    "_bilinear_resize2d_like",
    "_bilinear_sampler_backward",
    "_boolean_mask_backward",
    "_box_nms_backward",
    "_box_nms_select",
    "_broadcast_like_of",
    "_cast_like",
    "_channel_spread",
    "_channel_sum",
    "_channel_window",
    "_concat_backward",
    "_convolution_backward_data",
    "_convolution_backward_weight",
    "_convolution_project",
    "_copy",
    "_copyto",
    "_corner_backward",
    "_correlation_backward",
    "_count_sketch_backward",
    "_crop_assign",
    "_crop_assign_scalar",
    "_crop_backward",
    "_ctc_loss_backward",
    "_cumsum_backward",
    "_deconvolution_backward_data",
    "_deconvolution_backward_weight",
    "_deconvolution_project",
    "_deformable_psroi_pooling_backward",
    "_diag_backward",
    "_digamma",
    "_div",
    "_div_scalar",
    "_dot_backward_lhs",
    "_dot_backward_rhs",
    "_equal",
    "_equal_scalar",
    "_expand_reduced",
    "_extreme_backward",
    "_extreme_sum",
    "_eye",
    "_full",
    "_fully_connected_backward_data",
    "_fully_connected_backward_weight",
    "_fully_connected_project",
    "_gather_nd_backward",
    "_grad_add",
    "_greater",
    "_greater_equal",
    "_greater_equal_scalar",
    "_greater_scalar",
    "_grid_generator_backward",
    "_grid_generator_linear",
    "_head_part",
    "_histogram",
    "_hypot",
    "_hypot_scalar",
    "_identity_with_attr_like_rhs",
    "_im2col_backward",
    "_l2_normalization_backward",
    "_l2_total",
    "_leading_backward",
    "_leading_of",
    "_leaky_relu_backward",
    "_leaky_relu_curve",
    "_lesser",
    "_lesser_equal",
    "_lesser_equal_scalar",
    "_lesser_scalar",
    "_linspace",
    "_log_softmax_backward",
    "_logical_and",
    "_logical_and_scalar",
    "_logical_or",
    "_logical_or_scalar",
    "_logical_xor",
    "_logical_xor_scalar",
    "_lrn_backward",
    "_make_loss_scaled_backward",
    "_maximum",
    "_maximum_scalar",
    "_mean_backward",
    "_minimum",
    "_minimum_scalar",
    "_minus",
    "_minus_scalar",
    "_mod",
    "_mod_scalar",
    "_mp_adamw_update",
    "_mul",
    "_mul_scalar",
    "_multi_adamw_update",
    "_multi_lamb_update",
    "_multi_mp_adamw_update",
    "_multi_mp_lamb_update",
    "_norm_backward",
    "_normalize_backward",
    "_normalize_backward_backward",
    "_normalize_statistics_backward",
    "_normalize_statistics_backward_backward",
    "_not_equal",
    "_not_equal_scalar",
    "_np_cumsum",
    "_np_repeat",
    "_npi_argsort",
    "_npi_boolean_mask",
    "_npi_cast",
    "_npi_clip",
    "_npi_copyto",
    "_npi_det",
    "_npi_expand_dims",
    "_npi_full",
    "_npi_gather_nd",
    "_npi_histogram",
    "_npi_hypot_scalar",
    "_npi_inv",
    "_npi_linspace",
    "_npi_maximum",
    "_npi_maximum_scalar",
    "_npi_minimum",
    "_npi_minimum_scalar",
    "_npi_random_randint",
    "_npi_rnn_param_concat",
    "_npi_scatter_set_nd",
    "_npi_shuffle",
    "_npi_slice",
    "_npi_slice_assign",
    "_npi_slice_assign_scalar",
    "_npi_slogdet",
    "_npi_sort",
    "_npi_split",
    "_npi_swapaxes",
    "_npi_take",
    "_npi_tile",
    "_npx_activation",
    "_npx_arange_like",
    "_npx_batch_dot",
    "_npx_batch_flatten",
    "_npx_batch_norm",
    "_npx_cast",
    "_npx_convolution",
    "_npx_deconvolution",
    "_npx_dropout",
    "_npx_embedding",
    "_npx_erf",
    "_npx_erfinv",
    "_npx_gamma",
    "_npx_gammaln",
    "_npx_gather_nd",
    "_npx_layer_norm",
    "_npx_leaky_relu",
    "_npx_log_softmax",
    "_npx_multibox_detection",
    "_npx_multibox_prior",
    "_npx_multibox_target",
    "_npx_one_hot",
    "_npx_pick",
    "_npx_pooling",
    "_npx_reshape_like",
    "_npx_rnn",
    "_npx_roi_pooling",
    "_npx_sequence_mask",
    "_npx_shape_array",
    "_npx_slice",
    "_npx_smooth_l1",
    "_npx_softmax",
    "_npx_topk",
    "_onehot_encode",
    "_ones",
    "_pad_backward",
    "_pick_backward",
    "_place_head_part",
    "_plus",
    "_plus_scalar",
    "_pooling_lp_backward",
    "_pooling_max_backward",
    "_pooling_max_select",
    "_pooling_sum_backward",
    "_power",
    "_power_scalar",
    "_prelu_backward",
    "_prelu_backward_backward",
    "_product_of_others",
    "_product_of_others_backward",
    "_psroi_pooling_backward",
    "_ravel_multi_index",
    "_rdiv_scalar",
    "_regression_backward",
    "_relu_backward",
    "_repeat_backward",
    "_replace_nan",
    "_rminus_scalar",
    "_rmod_scalar",
    "_rnn_backward",
    "_rnn_param_concat",
    "_roi_align_backward",
    "_roi_pooling_backward",
    "_roi_pooling_select",
    "_rpower_scalar",
    "_scatter_elemwise_div",
    "_scatter_minus_scalar",
    "_scatter_plus_scalar",
    "_scatter_set_nd",
    "_sequence_last_backward",
    "_shuffle",
    "_slice_assign",
    "_slice_assign_scalar",
    "_slice_axis_backward",
    "_slice_backward",
    "_softmax_backward",
    "_softmax_cross_entropy_backward",
    "_softmax_output_backward",
    "_split_v2",
    "_spread_like",
    "_square_sum",
    "_sub",
    "_sum_like",
    "_svm_output_backward",
    "_take_backward",
    "_tile_backward",
    "_trigamma",
    "_unravel_index",
    "_unspread_like",
    "_up_sampling_like",
    "_up_sampling_nearest_backward",
    "_zeros",
    "_zeros_without_dtype",
]

@overload
def _activation_backward(
    dy: Symbol | None,
    output: Symbol | None,
    act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"],
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``dy`` times the slope of ``act_type`` where it gave ``output``."""
@overload
def _activation_backward(
    *,
    dy: Symbol | None = None,
    output: Symbol | None = None,
    act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"],
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

@overload
def _adamw_update(
    weight: Symbol | None,
    grad: Symbol | None,
    mean: Symbol | None,
    var: Symbol | None,
    rescale_grad: Symbol | None,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    wd: float,
    eta: float,
    clip_gradient: float = -1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Adam with decoupled weight decay.

    As ``adam_update`` without decay in the gradient; the result is
    ``weight - eta * (lr * mean / (sqrt(var) + epsilon) + wd * weight)``. Where the factor of the
    gradient is 0, nan or infinite, because a loss scale overflowed, nothing changes.

    Args:
        weight: ``[*shape]``, floating.
        grad: The type of ``weight``.
        mean: Running mean of the gradient, overwritten; the type of ``weight``.
        var: Running mean of its square, overwritten; the type of ``weight``.
        rescale_grad: Factor of the gradient, one element.
        lr: Learning rate.
        beta1: How much of the mean is kept.
        beta2: How much of the mean square is kept.
        epsilon: Added to the root of the mean square.
        wd: Weight decay.
        eta: Factor of the whole step: the schedule.
        clip_gradient: Bound of the rescaled gradient; none if negative.

    Returns:
        The new weight.
    """
@overload
def _adamw_update(
    *,
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mean: Symbol | None = None,
    var: Symbol | None = None,
    rescale_grad: Symbol | None = None,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    eta: float,
    clip_gradient: float = -1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _adaptive_avg_pooling2d_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``AdaptiveAvgPooling2D`` to ``data``, of which only the type matters."""

def _adaptive_avg_pooling2d_like(
    data: Symbol | None = None,
    like: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Averages over as many parts as ``like`` has elements."""

def _arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    ctx: Context | str = "",
    dtype: npt.DTypeLike = "float32",
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``start``, ``start + step``, … in front of ``stop``.

    Args:
        start: The first number; the end, with 0 as the first, if ``stop`` is None.
        stop: The end, which is left out.
        step: From one number to the next; not 0.
        repeat: How often each number comes, in a row.
        infer_range: Without ``stop``: how many numbers there are follows from the use in a graph.
        ctx: Where the result is; the current context if empty.
        dtype: Its dtype.
    """

def _axis_total(
    data: Symbol | None = None,
    axis: int = -1,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The sum along ``axis`` in the place of each element."""

def _bilinear_resize2d_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    align_corners: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``BilinearResize2D`` to ``data``, of which only the type matters."""

def _bilinear_resize2d_like(
    data: Symbol | None = None,
    like: Symbol | None = None,
    align_corners: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``data`` in the height and width of ``like``."""

def _bilinear_sampler_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    grid: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradients of ``BilinearSampler`` to data and grid."""

def _boolean_mask_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    index: Symbol | None = None,
    axis: int = 0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Zeros in the shape of ``data`` with the slices of ``dy`` where the mask is not 0."""

def _box_nms_backward(
    dy: Symbol | None = None,
    index: Symbol | None = None,
    data: Symbol | None = None,
    coord_start: int = 2,
    in_format: Literal["center", "corner"] = "corner",
    out_format: Literal["center", "corner"] = "corner",
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``box_nms`` to ``data``, of which only the type matters."""

def _box_nms_select(
    data: Symbol | None = None,
    index: Symbol | None = None,
    coord_start: int = 2,
    in_format: Literal["center", "corner"] = "corner",
    out_format: Literal["center", "corner"] = "corner",
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The rows of ``data`` that ``index`` chooses, their boxes converted; zeros where it is -1."""

def _broadcast_like_of(
    data: Symbol | None = None,
    like: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``data`` broadcast to the shape of ``like``, aligned at the last axis."""

def _cast_like(
    data: Symbol | None = None,
    like: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``data`` in the dtype of ``like``, whose shape does not matter."""

def _channel_spread(
    data: Symbol | None = None,
    like: Symbol | None = None,
    axis: int = 1,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A vector repeated along all axes of ``like`` but one."""

def _channel_sum(
    data: Symbol | None = None,
    like: Symbol | None = None,
    axis: int = 1,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``data`` summed over all axes but one; a vector of the dtype of ``like``."""

@overload
def _channel_window(
    data: Symbol | None,
    nsize: int,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Sums over ``nsize`` channels around each."""
@overload
def _channel_window(
    *,
    data: Symbol | None = None,
    nsize: int,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _concat_backward(
    *dy: Symbol | Sequence[Symbol],
    dim: int,
    parts: int,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``dy`` divided along ``dim`` into parts that have the shapes of ``data``."""

def _convolution_backward_data(
    dy: Symbol | None = None,
    weight: Symbol | None = None,
    data: Symbol | None = None,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    num_group: int = 1,
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``Convolution`` to ``data``, of which only the type matters."""

def _convolution_backward_weight(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    weight: Symbol | None = None,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    num_group: int = 1,
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``Convolution`` to ``weight``, of which only the type matters."""

def _convolution_project(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    num_group: int = 1,
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``Convolution`` without bias, whose kernel and filters ``weight`` tells."""

def _copyto(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``data``, written into the array given as ``out``, which may be on another device.

    Args:
        data: ``[*shape]``, any dtype.
    """

def _corner_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Zeros in the shape of ``data`` with ``dy`` at the beginning of every axis."""

def _correlation_backward(
    dy: Symbol | None = None,
    data1: Symbol | None = None,
    data2: Symbol | None = None,
    kernel_size: int = 1,
    max_displacement: int = 1,
    stride1: int = 1,
    stride2: int = 1,
    pad_size: int = 0,
    is_multiply: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradients of ``Correlation`` to both images."""

@overload
def _count_sketch_backward(
    dy: Symbol | None,
    h: Symbol | None,
    s: Symbol | None,
    data: Symbol | None,
    out_dim: int,
    processing_batch_size: int = 32,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """For each element of ``data`` the element of ``dy`` it was added to, with its sign."""
@overload
def _count_sketch_backward(
    *,
    dy: Symbol | None = None,
    h: Symbol | None = None,
    s: Symbol | None = None,
    data: Symbol | None = None,
    out_dim: int,
    processing_batch_size: int = 32,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _crop_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    offset: int | Sequence[int] = (0, 0),
    h_w: int | Sequence[int] = (0, 0),
    center_crop: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Zeros in the shape of ``data`` with ``dy`` at the window."""

def _ctc_loss_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    label: Symbol | None = None,
    data_lengths: Symbol | None = None,
    label_lengths: Symbol | None = None,
    use_data_lengths: bool = False,
    use_label_lengths: bool = False,
    blank_label: Literal["first", "last"] = "first",
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``CTCLoss`` to ``data``."""

def _cumsum_backward(
    dy: Symbol | None = None,
    a: Symbol | None = None,
    axis: int | None = None,
    dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The sum of ``dy`` from each element to the end, in the type of ``a``."""

def _deconvolution_backward_data(
    dy: Symbol | None = None,
    weight: Symbol | None = None,
    data: Symbol | None = None,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    adj: int | Sequence[int] = (),
    target_shape: int | Sequence[int] = (),
    num_group: int = 1,
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``Deconvolution`` to ``data``, of which only the type matters."""

def _deconvolution_backward_weight(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    weight: Symbol | None = None,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    adj: int | Sequence[int] = (),
    target_shape: int | Sequence[int] = (),
    num_group: int = 1,
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``Deconvolution`` to ``weight``, of which only the type matters."""

def _deconvolution_project(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    adj: int | Sequence[int] = (),
    target_shape: int | Sequence[int] = (),
    num_group: int = 1,
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``Deconvolution`` without bias, whose kernel and filters ``weight`` tells."""

@overload
def _deformable_psroi_pooling_backward(
    dy: Symbol | None,
    data: Symbol | None,
    rois: Symbol | None,
    trans: Symbol | None,
    spatial_scale: float,
    output_dim: int,
    group_size: int,
    pooled_size: int,
    part_size: int = 0,
    sample_per_part: int = 1,
    trans_std: float = 0,
    no_trans: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradients of ``DeformablePSROIPooling`` to ``data`` and ``trans``."""
@overload
def _deformable_psroi_pooling_backward(
    *,
    dy: Symbol | None = None,
    data: Symbol | None = None,
    rois: Symbol | None = None,
    trans: Symbol | None = None,
    spatial_scale: float,
    output_dim: int,
    group_size: int,
    pooled_size: int,
    part_size: int = 0,
    sample_per_part: int = 1,
    trans_std: float = 0,
    no_trans: bool = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _diag_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    k: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Zeros in the shape of ``data`` with ``dy`` on the diagonal."""

def _digamma(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Derivative of ``gammaln``."""

def _div_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``data / scalar``; the quotient of integers is rounded towards 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

def _dot_backward_lhs(
    dy: Symbol | None = None,
    rhs: Symbol | None = None,
    lhs: Symbol | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``dot`` to ``lhs``: ``dy · rhsᵀ``."""

def _dot_backward_rhs(
    dy: Symbol | None = None,
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``dot`` to ``rhs``: ``lhsᵀ · dy``."""

def _equal(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where ``lhs`` equals ``rhs``, else 0.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: Its shape and dtype.
    """

def _equal_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where ``data`` equals ``scalar``, else 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

def _expand_reduced(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A reduced array repeated to the shape of ``data``, which it was reduced from."""

def _extreme_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    y: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``dy`` where ``data`` equals ``y``, the maximum or minimum it was reduced to; else 0."""

def _extreme_sum(
    values: Symbol | None = None,
    data: Symbol | None = None,
    y: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The sum of ``values`` where ``data`` equals ``y``, the maximum or minimum of ``data``."""

def _eye(
    N: int,
    M: int = 0,
    k: int = 0,
    ctx: Context | str = "",
    dtype: npt.DTypeLike = "float32",
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A matrix of ones on one diagonal and zeros elsewhere.

    Args:
        N: Number of rows.
        M: Number of columns; ``N`` if 0.
        k: The diagonal: 0 the main one, above 0 those over it, below 0 those under it.
        ctx: Where the result is; the current context if empty.
        dtype: Its dtype.
    """

@overload
def _full(
    shape: int | None | Sequence[int | None],
    ctx: Context | str,
    dtype: npt.DTypeLike,
    value: float,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """An array filled with one number.

    Args:
        shape: Shape of the result; None for sizes that follow from its use in a graph.
        ctx: Where the result is; the current context if empty.
        dtype: Its dtype.
        value: The number.
    """
@overload
def _full(
    *,
    shape: int | None | Sequence[int | None] = None,
    ctx: Context | str = "",
    dtype: npt.DTypeLike = "float32",
    value: float,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _fully_connected_backward_data(
    dy: Symbol | None = None,
    weight: Symbol | None = None,
    data: Symbol | None = None,
    flatten: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``FullyConnected`` to ``data``: ``dy · weight`` in the shape of ``data``."""

def _fully_connected_backward_weight(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    weight: Symbol | None = None,
    flatten: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``FullyConnected`` to ``weight``: ``dyᵀ · data``."""

def _fully_connected_project(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    flatten: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``data · weightᵀ``: ``FullyConnected`` whose number of outputs ``weight`` tells."""

def _gather_nd_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    indices: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Zeros in the shape of ``data``; every slice of ``dy`` is added where it was read."""

def _grad_add(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs + rhs``, as graphs write the sum of two gradients."""

def _greater(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where ``lhs > rhs``, else 0.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: Its shape and dtype.
    """

def _greater_equal(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where ``lhs >= rhs``, else 0.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: Its shape and dtype.
    """

def _greater_equal_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where ``data >= scalar``, else 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

def _greater_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where ``data > scalar``, else 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

@overload
def _grid_generator_backward(
    dy: Symbol | None,
    data: Symbol | None,
    transform_type: Literal["affine", "warp"],
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``GridGenerator`` to ``data``, of which only the type matters."""
@overload
def _grid_generator_backward(
    *,
    dy: Symbol | None = None,
    data: Symbol | None = None,
    transform_type: Literal["affine", "warp"],
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

@overload
def _grid_generator_linear(
    data: Symbol | None,
    like: Symbol | None,
    transform_type: Literal["affine", "warp"],
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``GridGenerator`` without its constant part, in the shape of ``like``."""
@overload
def _grid_generator_linear(
    *,
    data: Symbol | None = None,
    like: Symbol | None = None,
    transform_type: Literal["affine", "warp"],
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

@overload
def _head_part(
    data: Symbol | None,
    heads: int,
    parts: int,
    part: int,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """One of the vectors of each head: ``[N * heads, L, D]`` of ``[L, N, heads * parts * D]``."""
@overload
def _head_part(
    *,
    data: Symbol | None = None,
    heads: int,
    parts: int,
    part: int,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _histogram(
    data: Symbol | None = None,
    bins: Symbol | None = None,
    bin_cnt: int | None = None,
    range: float | Sequence[float] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """How many elements fall between consecutive edges; the last edge belongs to its bin.

    Args:
        data: ``[*sizes]``, numeric.
        bins: ``[B + 1]`` rising edges, the dtype of ``data``; instead of ``bin_cnt``.
        bin_cnt: Number of bins of equal width.
        range: First and last edge of those.

    Returns:
        ``[B]`` counts, int64, and ``[B + 1]`` edges, the dtype of ``data``.
    """

def _hypot(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Length of the hypotenuse, ``sqrt(lhs² + rhs²)``, without overflow.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """

def _hypot_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``sqrt(data² + scalar²)`` without overflow.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

def _identity_with_attr_like_rhs(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs``, whose shape is that of ``rhs``.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: ``[*shape]``; only its shape matters.
    """

@overload
def _im2col_backward(
    dy: Symbol | None,
    data: Symbol | None,
    kernel: int | Sequence[int],
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``dy`` added up to an image in the shape of ``data``."""
@overload
def _im2col_backward(
    *,
    dy: Symbol | None = None,
    data: Symbol | None = None,
    kernel: int | Sequence[int],
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _l2_normalization_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    eps: float = 1e-10,
    mode: Literal["channel", "instance", "spatial"] = "instance",
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``L2Normalization`` to ``data``."""

def _l2_total(
    data: Symbol | None = None,
    mode: Literal["channel", "instance", "spatial"] = "instance",
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The sum over each vector of ``L2Normalization`` in the place of each of its elements."""

def _leading_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    axis: int | None = -1,
    k: int = 0,
    is_ascend: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``dy`` where ``data`` has its ``k`` first elements in order, each in its place; else 0."""

def _leading_of(
    values: Symbol | None = None,
    data: Symbol | None = None,
    axis: int | None = -1,
    k: int = 0,
    is_ascend: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``values`` at the places of the ``k`` first elements of ``data`` in order."""

@overload
def _leaky_relu_backward(
    dy: Symbol | None,
    data: Symbol | None,
    act_type: Literal["elu", "gelu", "leaky", "selu"],
    slope: float = 0.25,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``dy`` times the slope of ``act_type`` at ``data``."""
@overload
def _leaky_relu_backward(
    *,
    dy: Symbol | None = None,
    data: Symbol | None = None,
    act_type: Literal["elu", "gelu", "leaky", "selu"],
    slope: float = 0.25,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

@overload
def _leaky_relu_curve(
    data: Symbol | None,
    act_type: Literal["elu", "gelu", "leaky", "selu"],
    slope: float = 0.25,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The second derivative of ``act_type``."""
@overload
def _leaky_relu_curve(
    *,
    data: Symbol | None = None,
    act_type: Literal["elu", "gelu", "leaky", "selu"],
    slope: float = 0.25,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _lesser(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where ``lhs < rhs``, else 0.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: Its shape and dtype.
    """

def _lesser_equal(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where ``lhs <= rhs``, else 0.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: Its shape and dtype.
    """

def _lesser_equal_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where ``data <= scalar``, else 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

def _lesser_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where ``data < scalar``, else 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

def _linspace(
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    ctx: Context | str = "",
    dtype: npt.DTypeLike = "float32",
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``num`` numbers at equal distances from ``start`` to ``stop``.

    Args:
        start: The first number.
        stop: The last number.
        num: How many there are.
        endpoint: ``stop`` is the last number; else it would come behind the last.
        ctx: Where the result is; the current context if empty.
        dtype: Its dtype.
    """

def _log_softmax_backward(
    dy: Symbol | None = None,
    output: Symbol | None = None,
    data: Symbol | None = None,
    axis: int = -1,
    temperature: float | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``log_softmax`` to ``data``, of which only the type matters."""

def _logical_and(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where both are not 0, else 0.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: Its shape and dtype.
    """

def _logical_and_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where both are not 0, else 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

def _logical_or(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where one of them is not 0, else 0.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: Its shape and dtype.
    """

def _logical_or_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where one of them is not 0, else 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

def _logical_xor(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where exactly one of them is not 0, else 0.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: Its shape and dtype.
    """

def _logical_xor_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where exactly one of them is not 0, else 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

@overload
def _lrn_backward(
    dy: Symbol | None,
    data: Symbol | None,
    alpha: float,
    beta: float,
    knorm: float,
    nsize: int,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``LRN`` to ``data``."""
@overload
def _lrn_backward(
    *,
    dy: Symbol | None = None,
    data: Symbol | None = None,
    alpha: float = 0.0001,
    beta: float = 0.75,
    knorm: float = 2.0,
    nsize: int,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _make_loss_scaled_backward(
    data: Symbol | None = None,
    grad_scale: float = 1.0,
    valid_thresh: float = 0.0,
    normalization: Literal["batch", "null", "valid"] = "null",
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The gradient of ``MakeLoss``."""

def _maximum(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The larger of ``lhs`` and ``rhs``; nan if one of them is.

    The gradient of equal elements goes to ``lhs``.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """

def _maximum_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The larger of ``data`` and ``scalar``.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

def _mean_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``dy`` spread evenly over the elements of ``data`` that were averaged."""

def _minimum(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The smaller of ``lhs`` and ``rhs``; nan if one of them is.

    The gradient of equal elements goes to ``lhs``.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """

def _minimum_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The smaller of ``data`` and ``scalar``.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

def _minus_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``data - scalar``.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

def _mod(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Remainder of ``lhs / rhs`` with the sign of ``rhs``; 0 where ``rhs`` is 0.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """

def _mod_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Remainder of ``data / scalar`` with the sign of ``scalar``; 0 if ``scalar`` is 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

@overload
def _mp_adamw_update(
    weight: Symbol | None,
    grad: Symbol | None,
    mean: Symbol | None,
    var: Symbol | None,
    weight32: Symbol | None,
    rescale_grad: Symbol | None,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    wd: float,
    eta: float,
    clip_gradient: float = -1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Adam with decoupled weight decay on a 16-bit weight; see ``_adamw_update``.

    Args:
        weight: ``[*shape]``, 16-bit.
        grad: The type of ``weight``.
        mean: Running mean of the gradient in float32, overwritten.
        var: Running mean of its square in float32, overwritten.
        weight32: The weight in float32, overwritten.
        rescale_grad: Factor of the gradient, one element.
        lr: Learning rate.
        beta1: How much of the mean is kept.
        beta2: How much of the mean square is kept.
        epsilon: Added to the root of the mean square.
        wd: Weight decay.
        eta: Factor of the whole step: the schedule.
        clip_gradient: Bound of the rescaled gradient; none if negative.

    Returns:
        The new weight.
    """
@overload
def _mp_adamw_update(
    *,
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mean: Symbol | None = None,
    var: Symbol | None = None,
    weight32: Symbol | None = None,
    rescale_grad: Symbol | None = None,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    eta: float,
    clip_gradient: float = -1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _mul_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``data * scalar``.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

def _multi_adamw_update(
    *data: Symbol | Sequence[Symbol],
    lrs: float | Sequence[float],
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wds: float | Sequence[float],
    etas: float | Sequence[float],
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Adam with decoupled weight decay on many weights; see ``_adamw_update``.

    Args:
        data: ``weight, grad, mean, var`` for each weight, then the factor of the gradients, one
            element; means and mean squares are overwritten.
        lrs: Learning rates, one for each weight.
        beta1: How much of the means is kept.
        beta2: How much of the mean squares is kept.
        epsilon: Added to the roots of the mean squares.
        wds: Weight decays, one for each weight.
        etas: Factors of the whole steps, one for each weight.
        clip_gradient: Bound of the rescaled gradients; none if negative.
        num_weights: How many weights there are.

    Returns:
        The new weights.
    """

def _multi_lamb_update(
    *data: Symbol | Sequence[Symbol],
    learning_rates: float | Sequence[float],
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-06,
    wds: float | Sequence[float],
    rescale_grad: float = 1.0,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    clip_gradient: float = -1.0,
    bias_correction: bool = True,
    step_count: int | Sequence[int],
    num_tensors: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """LAMB on many weights; see ``lamb_update_phase1`` and ``lamb_update_phase2``.

    Args:
        data: ``weight, grad, mean, var`` for each weight; the last two are overwritten.
        learning_rates: One for each weight.
        beta1: How much of the means is kept.
        beta2: How much of the mean squares is kept.
        epsilon: Added to the roots of the mean squares.
        wds: Weight decays, one for each weight.
        rescale_grad: Factor of the gradients.
        lower_bound: The least norm of a weight; none if negative.
        upper_bound: The largest norm of a weight; none if negative.
        clip_gradient: Bound of the rescaled gradients; none if negative.
        bias_correction: Divide the means by ``1 - beta ** t``.
        step_count: Numbers of the steps ``t``, from 1, one for each weight.
        num_tensors: How many weights there are.

    Returns:
        The new weights.
    """

def _multi_mp_adamw_update(
    *data: Symbol | Sequence[Symbol],
    lrs: float | Sequence[float],
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wds: float | Sequence[float],
    etas: float | Sequence[float],
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Adam with decoupled weight decay on many 16-bit weights; see ``_mp_adamw_update``.

    Args:
        data: ``weight, grad, mean, var, weight32`` for each weight, then the factor of the
            gradients, one element; the last three of each weight are overwritten.
        lrs: Learning rates, one for each weight.
        beta1: How much of the means is kept.
        beta2: How much of the mean squares is kept.
        epsilon: Added to the roots of the mean squares.
        wds: Weight decays, one for each weight.
        etas: Factors of the whole steps, one for each weight.
        clip_gradient: Bound of the rescaled gradients; none if negative.
        num_weights: How many weights there are.

    Returns:
        The new weights.
    """

def _multi_mp_lamb_update(
    *data: Symbol | Sequence[Symbol],
    learning_rates: float | Sequence[float],
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-06,
    wds: float | Sequence[float],
    rescale_grad: float = 1.0,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    clip_gradient: float = -1.0,
    bias_correction: bool = True,
    step_count: int | Sequence[int],
    num_tensors: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """LAMB on many 16-bit weights; see ``_multi_lamb_update``.

    Args:
        data: ``weight, grad, mean, var, weight32`` for each weight; the last three are
            overwritten.
        learning_rates: One for each weight.
        beta1: How much of the means is kept.
        beta2: How much of the mean squares is kept.
        epsilon: Added to the roots of the mean squares.
        wds: Weight decays, one for each weight.
        rescale_grad: Factor of the gradients.
        lower_bound: The least norm of a weight; none if negative.
        upper_bound: The largest norm of a weight; none if negative.
        clip_gradient: Bound of the rescaled gradients; none if negative.
        bias_correction: Divide the means by ``1 - beta ** t``.
        step_count: Numbers of the steps ``t``, from 1, one for each weight.
        num_tensors: How many weights there are.

    Returns:
        The new weights.
    """

def _norm_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    y: Symbol | None = None,
    ord: int = 2,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``dy`` times the direction of ``data``, whose length is ``y``."""

@overload
def _normalize_backward(
    dy: Symbol | None,
    data: Symbol | None,
    gamma: Symbol | None,
    mean: Symbol | None,
    deviation: Symbol | None,
    kind: Literal["batch", "group", "instance", "layer"],
    axis: int = 1,
    groups: int = 1,
    fix_gamma: bool = False,
    frozen: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradients of a normalisation to data, gamma and beta.

    Args:
        dy: Gradient of the result.
        data: What was normalised.
        gamma: Its scale.
        mean: Its means, as the normalisation gave them.
        deviation: Its deviations; for ``"batch"`` their inverses.
        kind: Which normalisation it was.
        axis: Axis of the channels (``"batch"``), or the one normalised (``"layer"``).
        groups: Number of groups (``"group"``).
        fix_gamma: ``gamma`` counts as one and gets no gradient.
        frozen: Mean and deviation did not depend on the data.
    """
@overload
def _normalize_backward(
    *,
    dy: Symbol | None = None,
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    mean: Symbol | None = None,
    deviation: Symbol | None = None,
    kind: Literal["batch", "group", "instance", "layer"],
    axis: int = 1,
    groups: int = 1,
    fix_gamma: bool = False,
    frozen: bool = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

@overload
def _normalize_backward_backward(
    ddata: Symbol | None,
    dgamma: Symbol | None,
    dbeta: Symbol | None,
    dy: Symbol | None,
    data: Symbol | None,
    gamma: Symbol | None,
    mean: Symbol | None,
    deviation: Symbol | None,
    kind: Literal["batch", "group", "instance", "layer"],
    axis: int = 1,
    groups: int = 1,
    fix_gamma: bool = False,
    frozen: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradients of :func:`normalize_backward` to dy, data and gamma."""
@overload
def _normalize_backward_backward(
    *,
    ddata: Symbol | None = None,
    dgamma: Symbol | None = None,
    dbeta: Symbol | None = None,
    dy: Symbol | None = None,
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    mean: Symbol | None = None,
    deviation: Symbol | None = None,
    kind: Literal["batch", "group", "instance", "layer"],
    axis: int = 1,
    groups: int = 1,
    fix_gamma: bool = False,
    frozen: bool = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

@overload
def _normalize_statistics_backward(
    dmean: Symbol | None,
    ddeviation: Symbol | None,
    data: Symbol | None,
    mean: Symbol | None,
    deviation: Symbol | None,
    kind: Literal["batch", "group", "instance", "layer"],
    axis: int = 1,
    groups: int = 1,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient to the data of the means and deviations that a normalisation returned."""
@overload
def _normalize_statistics_backward(
    *,
    dmean: Symbol | None = None,
    ddeviation: Symbol | None = None,
    data: Symbol | None = None,
    mean: Symbol | None = None,
    deviation: Symbol | None = None,
    kind: Literal["batch", "group", "instance", "layer"],
    axis: int = 1,
    groups: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

@overload
def _normalize_statistics_backward_backward(
    ddata: Symbol | None,
    ddeviation: Symbol | None,
    data: Symbol | None,
    mean: Symbol | None,
    deviation: Symbol | None,
    kind: Literal["batch", "group", "instance", "layer"],
    axis: int = 1,
    groups: int = 1,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradients of :func:`normalize_statistics_backward` to dmean, ddeviation and data."""
@overload
def _normalize_statistics_backward_backward(
    *,
    ddata: Symbol | None = None,
    ddeviation: Symbol | None = None,
    data: Symbol | None = None,
    mean: Symbol | None = None,
    deviation: Symbol | None = None,
    kind: Literal["batch", "group", "instance", "layer"],
    axis: int = 1,
    groups: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _not_equal(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where ``lhs`` differs from ``rhs``, else 0.

    Args:
        lhs: ``[*shape]``, any dtype, which is the dtype of the result.
        rhs: Its shape and dtype.
    """

def _not_equal_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where ``data`` differs from ``scalar``, else 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

def _onehot_encode(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 at the index of each row, 0 elsewhere.

    Args:
        lhs: ``[N]`` indices, any dtype.
        rhs: ``[N, D]``; only its shape and dtype are used.

    Returns:
        ``[N, D]``.
    """

def _ones(
    shape: int | None | Sequence[int | None] = (),
    ctx: Context | str = "",
    dtype: npt.DTypeLike = "float32",
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Ones.

    Args:
        shape: Shape of the result; None for sizes that follow from its use in a graph.
        ctx: Where the result is; the current context if empty.
        dtype: Its dtype.
    """

@overload
def _pad_backward(
    dy: Symbol | None,
    data: Symbol | None,
    mode: Literal["constant", "edge", "reflect"],
    pad_width: int | Sequence[int],
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``dy`` cut to ``data``, with the gradient of what was added put where it came from."""
@overload
def _pad_backward(
    *,
    dy: Symbol | None = None,
    data: Symbol | None = None,
    mode: Literal["constant", "edge", "reflect"],
    pad_width: int | Sequence[int],
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _pick_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    index: Symbol | None = None,
    axis: int | None = -1,
    keepdims: bool = False,
    mode: Literal["clip", "wrap"] = "clip",
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Zeros in the shape of ``data`` with ``dy`` where it was picked."""

@overload
def _place_head_part(
    y: Symbol | None,
    data: Symbol | None,
    heads: int,
    parts: int,
    part: int,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """An array like ``data`` that holds ``y`` as one of the vectors of each head, else 0."""
@overload
def _place_head_part(
    *,
    y: Symbol | None = None,
    data: Symbol | None = None,
    heads: int,
    parts: int,
    part: int,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _plus_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``data + scalar``.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

def _pooling_lp_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    output: Symbol | None = None,
    kernel: int | Sequence[int] = (),
    global_pool: bool = False,
    pooling_convention: Literal["full", "same", "valid"] = "valid",
    stride: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    p_value: int | None = None,
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of lp pooling to ``data``."""

def _pooling_max_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    kernel: int | Sequence[int] = (),
    global_pool: bool = False,
    pooling_convention: Literal["full", "same", "valid"] = "valid",
    stride: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    zero_pad: bool = False,
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Give ``dy`` to the first of the largest elements of each window of ``data``."""

def _pooling_max_select(
    values: Symbol | None = None,
    data: Symbol | None = None,
    kernel: int | Sequence[int] = (),
    global_pool: bool = False,
    pooling_convention: Literal["full", "same", "valid"] = "valid",
    stride: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    zero_pad: bool = False,
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``values`` where the first of the largest elements of each window of ``data`` is."""

def _pooling_sum_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    kernel: int | Sequence[int] = (),
    pool_type: Literal["avg", "sum"] = "sum",
    global_pool: bool = False,
    pooling_convention: Literal["full", "same", "valid"] = "valid",
    stride: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    count_include_pad: bool | None = None,
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of sum and average pooling to ``data``, of which only the type matters."""

def _power(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs`` to the power of ``rhs``, of one shape.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """

def _power_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``data`` to the power of ``scalar``.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

def _prelu_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradients of ``LeakyReLU`` with learned slopes to data and gamma."""

def _prelu_backward_backward(
    ddata: Symbol | None = None,
    dgamma: Symbol | None = None,
    dy: Symbol | None = None,
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradients of :func:`prelu_backward` to dy, data and gamma."""

def _product_of_others(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    exclude: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """For each element the product of the other ones that ``prod`` multiplies it with."""

def _product_of_others_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    exclude: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """For each element the sum, over the other ones, of ``dy`` times the product of the rest."""

@overload
def _psroi_pooling_backward(
    dy: Symbol | None,
    rois: Symbol | None,
    data: Symbol | None,
    spatial_scale: float,
    output_dim: int,
    pooled_size: int,
    group_size: int = 0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``PSROIPooling`` to ``data``, of which only the type matters."""
@overload
def _psroi_pooling_backward(
    *,
    dy: Symbol | None = None,
    rois: Symbol | None = None,
    data: Symbol | None = None,
    spatial_scale: float,
    output_dim: int,
    pooled_size: int,
    group_size: int = 0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _rdiv_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``scalar / data``; the quotient of integers is rounded towards 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

@overload
def _regression_backward(
    output: Symbol | None,
    label: Symbol | None,
    grad_scale: float,
    sign: bool,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Output less label, or only its sign, scaled."""
@overload
def _regression_backward(
    *,
    output: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float,
    sign: bool,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _relu_backward(
    dy: Symbol | None = None,
    y: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``relu``: ``dy`` where ``y`` is positive."""

@overload
def _repeat_backward(
    dy: Symbol | None,
    data: Symbol | None,
    repeats: int,
    axis: int | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``dy`` summed over the repetitions of each element."""
@overload
def _repeat_backward(
    *,
    dy: Symbol | None = None,
    data: Symbol | None = None,
    repeats: int,
    axis: int | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

@overload
def _replace_nan(
    data: Symbol | None,
    where: Symbol | None,
    value: float,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``data``, but ``value`` where ``where`` is nan."""
@overload
def _replace_nan(
    *,
    data: Symbol | None = None,
    where: Symbol | None = None,
    value: float,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _rminus_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``scalar - data``.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

def _rmod_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Remainder of ``scalar / data`` with the sign of ``data``; 0 where that is 0.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

@overload
def _rnn_backward(
    dy: Symbol | None,
    data: Symbol | None,
    parameters: Symbol | None,
    state: Symbol | None,
    reserve: Symbol | None,
    state_cell: Symbol | None,
    sequence_length: Symbol | None,
    dstate: Symbol | None,
    dstate_cell: Symbol | None,
    state_size: int,
    num_layers: int,
    bidirectional: bool,
    mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"],
    p: float = 0.0,
    state_outputs: bool = False,
    projection_size: int | None = None,
    lstm_state_clip_min: float | None = None,
    lstm_state_clip_max: float | None = None,
    lstm_state_clip_nan: bool = False,
    use_sequence_length: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradients of ``RNN`` to data, parameters, state and memory."""
@overload
def _rnn_backward(
    *,
    dy: Symbol | None = None,
    data: Symbol | None = None,
    parameters: Symbol | None = None,
    state: Symbol | None = None,
    reserve: Symbol | None = None,
    state_cell: Symbol | None = None,
    sequence_length: Symbol | None = None,
    dstate: Symbol | None = None,
    dstate_cell: Symbol | None = None,
    state_size: int,
    num_layers: int,
    bidirectional: bool = False,
    mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"],
    p: float = 0.0,
    state_outputs: bool = False,
    projection_size: int | None = None,
    lstm_state_clip_min: float | None = None,
    lstm_state_clip_max: float | None = None,
    lstm_state_clip_nan: bool = False,
    use_sequence_length: bool = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _rnn_param_concat(
    *data: Symbol | Sequence[Symbol],
    num_args: int = ...,
    dim: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``Concat`` of the flattened parameters of a recurrent network."""

@overload
def _roi_align_backward(
    dy: Symbol | None,
    rois: Symbol | None,
    data: Symbol | None,
    pooled_size: int | Sequence[int],
    spatial_scale: float,
    sample_ratio: int = -1,
    position_sensitive: bool = False,
    aligned: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``ROIAlign`` to ``data``, of which only the type matters."""
@overload
def _roi_align_backward(
    *,
    dy: Symbol | None = None,
    rois: Symbol | None = None,
    data: Symbol | None = None,
    pooled_size: int | Sequence[int],
    spatial_scale: float,
    sample_ratio: int = -1,
    position_sensitive: bool = False,
    aligned: bool = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _roi_pooling_backward(
    dy: Symbol | None = None,
    index: Symbol | None = None,
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Add each gradient to the element at its index in the flat ``data``."""

def _roi_pooling_select(
    data: Symbol | None = None,
    index: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The elements at the indices in the flat ``data``; zero where they are negative."""

def _rpower_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``scalar`` to the power of ``data``.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

def _scatter_elemwise_div(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs / rhs``, of a sparse ``lhs`` only in the rows it has; here all arrays are dense.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: Its shape and dtype.
    """

def _scatter_minus_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``data - scalar``, of a sparse array only in the rows it has; here all arrays are dense.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

def _scatter_plus_scalar(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``data + scalar``, of a sparse array only in the rows it has; here all arrays are dense.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The number.
        is_int: It is an integer.
    """

@overload
def _scatter_set_nd(
    lhs: Symbol | None,
    rhs: Symbol | None,
    indices: Symbol | None,
    shape: int | Sequence[int],
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs`` with the slices of ``rhs`` in the place of those at coordinates.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: ``[*I, *rest]``, the dtype of ``lhs``.
        indices: ``[M, *I]``, as for ``scatter_nd``.
        shape: Shape of ``lhs``.
    """
@overload
def _scatter_set_nd(
    *,
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    indices: Symbol | None = None,
    shape: int | Sequence[int],
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _sequence_last_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    sequence_length: Symbol | None = None,
    use_sequence_length: bool = False,
    axis: int = 0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Zeros in the shape of ``data`` with ``dy`` at the last element of every sequence."""

@overload
def _slice_assign(
    lhs: Symbol | None,
    rhs: Symbol | None,
    begin: int | None | Sequence[int | None],
    end: int | None | Sequence[int | None],
    step: int | None | Sequence[int | None] = (),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs`` with ``rhs`` in the place of its part ``begin:end:step``.

    Args:
        lhs: ``[*sizes]``, any dtype.
        rhs: The shape of the part, the dtype of ``lhs``.
        begin: As for ``slice``.
        end: As for ``slice``.
        step: As for ``slice``.
    """
@overload
def _slice_assign(
    *,
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    begin: int | None | Sequence[int | None],
    end: int | None | Sequence[int | None],
    step: int | None | Sequence[int | None] = (),
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

@overload
def _slice_assign_scalar(
    data: Symbol | None,
    scalar: float,
    begin: int | None | Sequence[int | None],
    end: int | None | Sequence[int | None],
    step: int | None | Sequence[int | None] = (),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``data`` with a number everywhere in its part ``begin:end:step``.

    Args:
        data: ``[*sizes]``, any dtype.
        scalar: The number.
        begin: As for ``slice``.
        end: As for ``slice``.
        step: As for ``slice``.
    """
@overload
def _slice_assign_scalar(
    *,
    data: Symbol | None = None,
    scalar: float = 0.0,
    begin: int | None | Sequence[int | None],
    end: int | None | Sequence[int | None],
    step: int | None | Sequence[int | None] = (),
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

@overload
def _slice_axis_backward(
    dy: Symbol | None,
    data: Symbol | None,
    axis: int,
    begin: int,
    end: int | None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Zeros in the shape of ``data`` with ``dy`` at the slice."""
@overload
def _slice_axis_backward(
    *,
    dy: Symbol | None = None,
    data: Symbol | None = None,
    axis: int,
    begin: int,
    end: int | None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

@overload
def _slice_backward(
    dy: Symbol | None,
    data: Symbol | None,
    begin: int | None | Sequence[int | None],
    end: int | None | Sequence[int | None],
    step: int | None | Sequence[int | None] = (),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Zeros in the shape of ``data`` with ``dy`` at the slice."""
@overload
def _slice_backward(
    *,
    dy: Symbol | None = None,
    data: Symbol | None = None,
    begin: int | None | Sequence[int | None],
    end: int | None | Sequence[int | None],
    step: int | None | Sequence[int | None] = (),
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _softmax_backward(
    dy: Symbol | None = None,
    output: Symbol | None = None,
    data: Symbol | None = None,
    axis: int = -1,
    temperature: float | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``softmax`` to ``data``, of which only the type matters."""

def _softmax_cross_entropy_backward(
    dy: Symbol | None = None,
    data: Symbol | None = None,
    label: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of ``softmax_cross_entropy`` to ``data``."""

def _softmax_output_backward(
    output: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool = False,
    use_ignore: bool = False,
    preserve_shape: bool = False,
    normalization: Literal["batch", "null", "valid"] = "null",
    smooth_alpha: float = 0.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of the cross entropy with ``label`` to what ``output`` is the softmax of."""

@overload
def _split_v2(
    data: Symbol | None,
    indices: int | Sequence[int],
    axis: int = 1,
    squeeze_axis: bool = False,
    sections: int = 0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """An array divided along an axis, at given places or into equal parts.

    Args:
        data: ``[*left, C, *right]`` with ``C`` at ``axis``, any dtype.
        indices: Where each part begins; the first one at 0.
        axis: The axis; negative counts from the end.
        squeeze_axis: Leave the axis out of the parts; it must have size 1 there.
        sections: Number of equal parts, instead of ``indices``; 0 if those are given.
    """
@overload
def _split_v2(
    *,
    data: Symbol | None = None,
    indices: int | Sequence[int],
    axis: int = 1,
    squeeze_axis: bool = False,
    sections: int = 0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _spread_like(
    data: Symbol | None = None,
    like: Symbol | None = None,
    keep: int = 0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``[*S, *last]`` repeated along new axes to the shape ``[*S, *N, *last]`` of ``like``."""

def _square_sum(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The sum of the squares along some axes.

    Args:
        data: ``[*shape]``.
        axis: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.
        exclude: Reduce all axes but ``axis``.

    Returns:
        ``data`` without the reduced axes; ``(1,)`` if none is left.
    """

def _sum_like(
    data: Symbol | None = None,
    like: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``data`` summed over the axes along which ``like`` was broadcast to its shape."""

def _svm_output_backward(
    output: Symbol | None = None,
    label: Symbol | None = None,
    margin: float = 1.0,
    regularization_coefficient: float = 1.0,
    use_linear: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradient of the hinge loss, or its square, of each class against the others."""

def _take_backward(
    dy: Symbol | None = None,
    a: Symbol | None = None,
    indices: Symbol | None = None,
    axis: int = 0,
    mode: Literal["clip", "raise", "wrap"] = "clip",
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Zeros in the shape of ``a``; every slice of ``dy`` is added where it was taken."""

@overload
def _tile_backward(
    dy: Symbol | None,
    data: Symbol | None,
    reps: int | Sequence[int],
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``dy`` summed over the repetitions."""
@overload
def _tile_backward(
    *,
    dy: Symbol | None = None,
    data: Symbol | None = None,
    reps: int | Sequence[int],
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol: ...

def _trigamma(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Derivative of ``_digamma``."""

def _unspread_like(
    data: Symbol | None = None,
    like: Symbol | None = None,
    keep: int = 0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``[*S, *N, *last]`` summed to the shape ``[*S, *last]`` of ``like``."""

def _up_sampling_like(
    *like: Symbol | Sequence[Symbol],
    multi_input_mode: Literal["concat", "sum"] = "concat",
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Images repeated to the size of another."""

def _up_sampling_nearest_backward(
    *dy: Symbol | Sequence[Symbol],
    multi_input_mode: Literal["concat", "sum"] = "concat",
    parts: int,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gradients of ``UpSampling`` by repetition to its images."""

def _zeros(
    shape: int | None | Sequence[int | None] = (),
    ctx: Context | str = "",
    dtype: npt.DTypeLike = "float32",
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Zeros.

    Args:
        shape: Shape of the result; None for sizes that follow from its use in a graph.
        ctx: Where the result is; the current context if empty.
        dtype: Its dtype.
    """

def _zeros_without_dtype(
    shape: int | None | Sequence[int | None] = None,
    ctx: Context | str = "",
    dtype: int = -1,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Zeros whose dtype may follow from their use in a graph.

    Args:
        shape: Shape of the result; None for sizes that follow from its use in a graph.
        ctx: Where the result is; the current context if empty.
        dtype: MXNet's flag of the dtype; -1 if it is not known.
    """

_DivScalar = _div_scalar
_Equal = _equal
_EqualScalar = _equal_scalar
_Greater = _greater
_GreaterEqualScalar = _greater_equal_scalar
_GreaterScalar = _greater_scalar
_Greater_Equal = _greater_equal
_Hypot = _hypot
_HypotScalar = _hypot_scalar
_Lesser = _lesser
_LesserEqualScalar = _lesser_equal_scalar
_LesserScalar = _lesser_scalar
_Lesser_Equal = _lesser_equal
_LogicalAndScalar = _logical_and_scalar
_LogicalOrScalar = _logical_or_scalar
_LogicalXorScalar = _logical_xor_scalar
_Logical_And = _logical_and
_Logical_Or = _logical_or
_Logical_Xor = _logical_xor
_Maximum = _maximum
_MaximumScalar = _maximum_scalar
_Minimum = _minimum
_MinimumScalar = _minimum_scalar
_MinusScalar = _minus_scalar
_Mod = _mod
_ModScalar = _mod_scalar
_MulScalar = _mul_scalar
_NotEqualScalar = _not_equal_scalar
_Not_Equal = _not_equal
_PlusScalar = _plus_scalar
_Power = _power
_PowerScalar = _power_scalar
_RDivScalar = _rdiv_scalar
_RMinusScalar = _rminus_scalar
_RModScalar = _rmod_scalar
_RPowerScalar = _rpower_scalar
_crop_assign = _slice_assign
_crop_assign_scalar = _slice_assign_scalar
_npi_copyto = _copyto
_npi_full = _full
_npi_histogram = _histogram
_npi_hypot_scalar = _hypot_scalar
_npi_linspace = _linspace
_npi_maximum_scalar = _maximum_scalar
_npi_minimum_scalar = _minimum_scalar
_npi_rnn_param_concat = _rnn_param_concat
_npi_scatter_set_nd = _scatter_set_nd
_npi_slice_assign = _slice_assign
_npi_slice_assign_scalar = _slice_assign_scalar
_npi_split = _split_v2
