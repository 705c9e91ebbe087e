# Written by `hatch run stubs` from the operator catalogue.
import numpy.typing as npt
from collections.abc import Sequence
from typing import Any, Literal, overload
from hy_ndarray import Context
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.nd import _operators as _main

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
    "_cvcopyMakeBorder",
    "_cvimdecode",
    "_cvimread",
    "_cvimresize",
    "_deconvolution_backward_data",
    "_deconvolution_backward_weight",
    "_deconvolution_project",
    "_deformable_convolution_backward",
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
    "_hawkesll_backward",
    "_head_part",
    "_histogram",
    "_hypot",
    "_hypot_scalar",
    "_identity_with_attr_like_rhs",
    "_im2col_backward",
    "_join_head_parts",
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
    "_log_softmax_dot",
    "_log_softmax_dot_backward",
    "_log_softmax_pick",
    "_log_softmax_pick_backward",
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
    "_modulated_deformable_convolution_backward",
    "_mp_adamw_update",
    "_mul",
    "_mul_scalar",
    "_multi_adam_update",
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
    "_preloaded_multi_adam_update",
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
    "_rms_norm_backward",
    "_rnn_backward",
    "_rnn_param_concat",
    "_roi_align_backward",
    "_roi_pooling_backward",
    "_roi_pooling_select",
    "_rpower_scalar",
    "_scaled_dot_product_attention_backward",
    "_scatter_elemwise_div",
    "_scatter_minus_scalar",
    "_scatter_plus_scalar",
    "_scatter_set_nd",
    "_sequence_last_backward",
    "_set_slices",
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

def _activation_backward(dy: NDArray, output: NDArray,
        act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"], *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
@overload
def _adamw_update(weight: NDArray, grad: NDArray, mean: NDArray, var: NDArray,
        rescale_grad: NDArray, lr: float, beta1: float, beta2: float, epsilon: float, wd: float,
        eta: float, clip_gradient: float = -1.0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
@overload
def _adamw_update(weight: NDArray, grad: NDArray, mean: NDArray, var: NDArray,
        rescale_grad: NDArray, lr: float, beta1: float = 0.9, beta2: float = 0.999,
        epsilon: float = 1e-08, wd: float = 0.0, *, eta: float, clip_gradient: float = -1.0,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _adaptive_avg_pooling2d_backward(dy: NDArray, data: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _adaptive_avg_pooling2d_like(data: NDArray, like: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _arange(start: float, stop: float | None = None, step: float = 1.0, repeat: int = 1,
        infer_range: bool = False, ctx: Context | str = "", dtype: npt.DTypeLike = "float32", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _axis_total(data: NDArray, axis: int = -1, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _bilinear_resize2d_backward(dy: NDArray, data: NDArray, align_corners: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _bilinear_resize2d_like(data: NDArray, like: NDArray, align_corners: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _bilinear_sampler_backward(dy: NDArray, data: NDArray, grid: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]: ...
def _boolean_mask_backward(dy: NDArray, data: NDArray, index: NDArray, axis: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _box_nms_backward(dy: NDArray, index: NDArray, data: NDArray, coord_start: int = 2,
        in_format: Literal["center", "corner"] = "corner",
        out_format: Literal["center", "corner"] = "corner", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _box_nms_select(data: NDArray, index: NDArray, coord_start: int = 2,
        in_format: Literal["center", "corner"] = "corner",
        out_format: Literal["center", "corner"] = "corner", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _broadcast_like_of(data: NDArray, like: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _cast_like(data: NDArray, like: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _channel_spread(data: NDArray, like: NDArray, axis: int = 1, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _channel_sum(data: NDArray, like: NDArray, axis: int = 1, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _channel_window(data: NDArray, nsize: int, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _concat_backward(*dy: NDArray | Sequence[NDArray], dim: int, parts: int,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any: ...
def _convolution_backward_data(dy: NDArray, weight: NDArray, data: NDArray,
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), num_group: int = 1,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _convolution_backward_weight(dy: NDArray, data: NDArray, weight: NDArray,
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), num_group: int = 1,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _convolution_project(data: NDArray, weight: NDArray, stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (), num_group: int = 1,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _copyto(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _corner_backward(dy: NDArray, data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _correlation_backward(dy: NDArray, data1: NDArray, data2: NDArray, kernel_size: int = 1,
        max_displacement: int = 1, stride1: int = 1, stride2: int = 1, pad_size: int = 0,
        is_multiply: bool = True, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> list[NDArray]: ...
def _count_sketch_backward(dy: NDArray, h: NDArray, s: NDArray, data: NDArray, out_dim: int,
        processing_batch_size: int = 32, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _crop_backward(dy: NDArray, data: NDArray, offset: int | Sequence[int] = (0, 0),
        h_w: int | Sequence[int] = (0, 0), center_crop: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _ctc_loss_backward(dy: NDArray, data: NDArray, label: NDArray,
        data_lengths: NDArray | None = None, label_lengths: NDArray | None = None,
        use_data_lengths: bool = False, use_label_lengths: bool = False,
        blank_label: Literal["first", "last"] = "first", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _cumsum_backward(dy: NDArray, a: NDArray, axis: int | None = None,
        dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _cvcopyMakeBorder(src: NDArray, top: int, bot: int, left: int, right: int, type: int = 0,
        value: float = 0.0, values: float | Sequence[float] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _cvimdecode(buf: NDArray, flag: int = 1, to_rgb: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _cvimread(filename: str, flag: int = 1, to_rgb: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _cvimresize(src: NDArray, w: int, h: int, interp: int = 1, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _deconvolution_backward_data(dy: NDArray, weight: NDArray, data: NDArray,
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), adj: int | Sequence[int] = (),
        target_shape: int | Sequence[int] = (), num_group: int = 1,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _deconvolution_backward_weight(dy: NDArray, data: NDArray, weight: NDArray,
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), adj: int | Sequence[int] = (),
        target_shape: int | Sequence[int] = (), num_group: int = 1,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _deconvolution_project(data: NDArray, weight: NDArray, stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (),
        adj: int | Sequence[int] = (), target_shape: int | Sequence[int] = (), num_group: int = 1,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _deformable_convolution_backward(dy: NDArray, data: NDArray, offset: NDArray, weight: NDArray,
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), num_group: int = 1, num_deformable_group: int = 1, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]: ...
@overload
def _deformable_psroi_pooling_backward(dy: NDArray, data: NDArray, rois: NDArray,
        trans: NDArray | None, spatial_scale: float, output_dim: int, group_size: int,
        pooled_size: int, part_size: int = 0, sample_per_part: int = 1, trans_std: float = 0,
        no_trans: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> Any: ...
@overload
def _deformable_psroi_pooling_backward(dy: NDArray, data: NDArray, rois: NDArray,
        trans: NDArray | None = None, *, spatial_scale: float, output_dim: int, group_size: int,
        pooled_size: int, part_size: int = 0, sample_per_part: int = 1, trans_std: float = 0,
        no_trans: bool = False, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> Any: ...
def _diag_backward(dy: NDArray, data: NDArray, k: int = 0, axis1: int = 0, axis2: int = 1, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _digamma(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _div_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _dot_backward_lhs(dy: NDArray, rhs: NDArray, lhs: NDArray, transpose_a: bool = False,
        transpose_b: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _dot_backward_rhs(dy: NDArray, lhs: NDArray, rhs: NDArray, transpose_a: bool = False,
        transpose_b: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _equal(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _equal_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _expand_reduced(dy: NDArray, data: NDArray, axis: int | Sequence[int] | None = None,
        keepdims: bool = False, exclude: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _extreme_backward(dy: NDArray, data: NDArray, y: NDArray,
        axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _extreme_sum(values: NDArray, data: NDArray, y: NDArray,
        axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _eye(N: int, M: int = 0, k: int = 0, ctx: Context | str = "", dtype: npt.DTypeLike = "float32",
        *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
@overload
def _full(shape: int | None | Sequence[int | None], ctx: Context | str, dtype: npt.DTypeLike,
        value: float, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
@overload
def _full(shape: int | None | Sequence[int | None] = None, ctx: Context | str = "",
        dtype: npt.DTypeLike = "float32", *, value: float,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _fully_connected_backward_data(dy: NDArray, weight: NDArray, data: NDArray,
        flatten: bool = True, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _fully_connected_backward_weight(dy: NDArray, data: NDArray, weight: NDArray,
        flatten: bool = True, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _fully_connected_project(data: NDArray, weight: NDArray, flatten: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _gather_nd_backward(dy: NDArray, data: NDArray, indices: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _grad_add(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _greater(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _greater_equal(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _greater_equal_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _greater_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _grid_generator_backward(dy: NDArray, data: NDArray, transform_type: Literal["affine", "warp"],
        *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _grid_generator_linear(data: NDArray, like: NDArray, transform_type: Literal["affine", "warp"],
        *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _hawkesll_backward(dy: NDArray, lda: NDArray, alpha: NDArray, beta: NDArray, state: NDArray,
        lags: NDArray, marks: NDArray, valid_length: NDArray, max_time: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]: ...
def _head_part(data: NDArray, heads: int, parts: int, part: int, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _histogram(data: NDArray, bins: NDArray | None = None, bin_cnt: int | None = None,
        range: float | Sequence[float] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]: ...
def _hypot(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _hypot_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _identity_with_attr_like_rhs(lhs: NDArray, rhs: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _im2col_backward(dy: NDArray, data: NDArray, kernel: int | Sequence[int],
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _join_head_parts(*data: NDArray | Sequence[NDArray], parts: int = ..., heads: int,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _l2_normalization_backward(dy: NDArray, data: NDArray, eps: float = 1e-10,
        mode: Literal["channel", "instance", "spatial"] = "instance", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _l2_total(data: NDArray, mode: Literal["channel", "instance", "spatial"] = "instance", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _leading_backward(dy: NDArray, data: NDArray, axis: int | None = -1, k: int = 0,
        is_ascend: bool = True, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _leading_of(values: NDArray, data: NDArray, axis: int | None = -1, k: int = 0,
        is_ascend: bool = True, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _leaky_relu_backward(dy: NDArray, data: NDArray,
        act_type: Literal["elu", "gelu", "leaky", "selu"], slope: float = 0.25, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _leaky_relu_curve(data: NDArray, act_type: Literal["elu", "gelu", "leaky", "selu"],
        slope: float = 0.25, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _lesser(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _lesser_equal(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _lesser_equal_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _lesser_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _linspace(start: float, stop: float, num: int, endpoint: bool = True, ctx: Context | str = "",
        dtype: npt.DTypeLike = "float32", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _log_softmax_backward(dy: NDArray, output: NDArray, data: NDArray, axis: int = -1,
        temperature: float | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _log_softmax_dot(data: NDArray, label: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _log_softmax_dot_backward(dy: NDArray, data: NDArray, label: NDArray, statistics: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _log_softmax_pick(data: NDArray, index: NDArray, keepdims: bool = False,
        mode: Literal["clip", "wrap"] = "clip", negative: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _log_softmax_pick_backward(dy: NDArray, data: NDArray, index: NDArray, statistics: NDArray,
        keepdims: bool = False, mode: Literal["clip", "wrap"] = "clip", negative: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _logical_and(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _logical_and_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _logical_or(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _logical_or_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _logical_xor(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _logical_xor_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
@overload
def _lrn_backward(dy: NDArray, data: NDArray, alpha: float, beta: float, knorm: float, nsize: int,
        *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
@overload
def _lrn_backward(dy: NDArray, data: NDArray, alpha: float = 0.0001, beta: float = 0.75,
        knorm: float = 2.0, *, nsize: int, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _make_loss_scaled_backward(data: NDArray, grad_scale: float = 1.0, valid_thresh: float = 0.0,
        normalization: Literal["batch", "null", "valid"] = "null", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _maximum(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _maximum_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _mean_backward(dy: NDArray, data: NDArray, axis: int | Sequence[int] | None = None,
        keepdims: bool = False, exclude: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _minimum(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _minimum_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _minus_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _mod(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _mod_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _modulated_deformable_convolution_backward(dy: NDArray, data: NDArray, offset: NDArray,
        mask: NDArray, weight: NDArray, stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (), num_group: int = 1,
        num_deformable_group: int = 1, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> list[NDArray]: ...
@overload
def _mp_adamw_update(weight: NDArray, grad: NDArray, mean: NDArray, var: NDArray, weight32: NDArray,
        rescale_grad: NDArray, lr: float, beta1: float, beta2: float, epsilon: float, wd: float,
        eta: float, clip_gradient: float = -1.0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
@overload
def _mp_adamw_update(weight: NDArray, grad: NDArray, mean: NDArray, var: NDArray, weight32: NDArray,
        rescale_grad: NDArray, lr: float, beta1: float = 0.9, beta2: float = 0.999,
        epsilon: float = 1e-08, wd: float = 0.0, *, eta: float, clip_gradient: float = -1.0,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _mul_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _multi_adam_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float],
        wds: float | Sequence[float], beta1: float = 0.9, beta2: float = 0.999,
        epsilon: float = 1e-08, rescale_grad: float = 1.0, clip_gradient: float = -1.0,
        num_weights: int = 1, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> Any: ...
def _multi_adamw_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float],
        beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-08,
        wds: float | Sequence[float], etas: float | Sequence[float], clip_gradient: float = -1.0,
        num_weights: int = 1, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> Any: ...
def _multi_lamb_update(*data: NDArray | Sequence[NDArray], learning_rates: float | Sequence[float],
        beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-06,
        wds: float | Sequence[float], rescale_grad: float = 1.0, lower_bound: float = -1.0,
        upper_bound: float = -1.0, clip_gradient: float = -1.0, bias_correction: bool = True,
        step_count: int | Sequence[int], num_tensors: int = 1,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any: ...
def _multi_mp_adamw_update(*data: NDArray | Sequence[NDArray], lrs: float | Sequence[float],
        beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-08,
        wds: float | Sequence[float], etas: float | Sequence[float], clip_gradient: float = -1.0,
        num_weights: int = 1, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> Any: ...
def _multi_mp_lamb_update(*data: NDArray | Sequence[NDArray],
        learning_rates: float | Sequence[float], beta1: float = 0.9, beta2: float = 0.999,
        epsilon: float = 1e-06, wds: float | Sequence[float], rescale_grad: float = 1.0,
        lower_bound: float = -1.0, upper_bound: float = -1.0, clip_gradient: float = -1.0,
        bias_correction: bool = True, step_count: int | Sequence[int], num_tensors: int = 1,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any: ...
def _norm_backward(dy: NDArray, data: NDArray, y: NDArray, ord: int = 2,
        axis: int | Sequence[int] | None = None, keepdims: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _normalize_backward(dy: NDArray, data: NDArray, gamma: NDArray, mean: NDArray,
        deviation: NDArray, kind: Literal["batch", "group", "instance", "layer"], axis: int = 1,
        groups: int = 1, fix_gamma: bool = False, frozen: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]: ...
def _normalize_backward_backward(ddata: NDArray, dgamma: NDArray, dbeta: NDArray, dy: NDArray,
        data: NDArray, gamma: NDArray, mean: NDArray, deviation: NDArray,
        kind: Literal["batch", "group", "instance", "layer"], axis: int = 1, groups: int = 1,
        fix_gamma: bool = False, frozen: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]: ...
def _normalize_statistics_backward(dmean: NDArray, ddeviation: NDArray, data: NDArray,
        mean: NDArray, deviation: NDArray, kind: Literal["batch", "group", "instance", "layer"],
        axis: int = 1, groups: int = 1, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _normalize_statistics_backward_backward(ddata: NDArray, ddeviation: NDArray, data: NDArray,
        mean: NDArray, deviation: NDArray, kind: Literal["batch", "group", "instance", "layer"],
        axis: int = 1, groups: int = 1, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> list[NDArray]: ...
def _not_equal(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _not_equal_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _onehot_encode(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _ones(shape: int | None | Sequence[int | None] = (), ctx: Context | str = "",
        dtype: npt.DTypeLike = "float32", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _pad_backward(dy: NDArray, data: NDArray, mode: Literal["constant", "edge", "reflect"],
        pad_width: int | Sequence[int], *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _pick_backward(dy: NDArray, data: NDArray, index: NDArray, axis: int | None = -1,
        keepdims: bool = False, mode: Literal["clip", "wrap"] = "clip", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _place_head_part(y: NDArray, data: NDArray, heads: int, parts: int, part: int, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _plus_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _pooling_lp_backward(dy: NDArray, data: NDArray, output: NDArray,
        kernel: int | Sequence[int] = (), global_pool: bool = False,
        pooling_convention: Literal["full", "same", "valid"] = "valid",
        stride: int | Sequence[int] = (), pad: int | Sequence[int] = (), p_value: int | None = None,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _pooling_max_backward(dy: NDArray, data: NDArray, kernel: int | Sequence[int] = (),
        global_pool: bool = False, pooling_convention: Literal["full", "same", "valid"] = "valid",
        stride: int | Sequence[int] = (), pad: int | Sequence[int] = (), zero_pad: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _pooling_max_select(values: NDArray, data: NDArray, kernel: int | Sequence[int] = (),
        global_pool: bool = False, pooling_convention: Literal["full", "same", "valid"] = "valid",
        stride: int | Sequence[int] = (), pad: int | Sequence[int] = (), zero_pad: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _pooling_sum_backward(dy: NDArray, data: NDArray, kernel: int | Sequence[int] = (),
        pool_type: Literal["avg", "sum"] = "sum", global_pool: bool = False,
        pooling_convention: Literal["full", "same", "valid"] = "valid",
        stride: int | Sequence[int] = (), pad: int | Sequence[int] = (),
        count_include_pad: bool | None = None,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _power(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _power_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _preloaded_multi_adam_update(*data: NDArray | Sequence[NDArray], beta1: float = 0.9,
        beta2: float = 0.999, epsilon: float = 1e-08, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, num_weights: int = 1,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any: ...
def _prelu_backward(dy: NDArray, data: NDArray, gamma: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]: ...
def _prelu_backward_backward(ddata: NDArray, dgamma: NDArray, dy: NDArray, data: NDArray,
        gamma: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]: ...
def _product_of_others(data: NDArray, axis: int | Sequence[int] | None = None,
        exclude: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _product_of_others_backward(dy: NDArray, data: NDArray, axis: int | Sequence[int] | None = None,
        exclude: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _psroi_pooling_backward(dy: NDArray, rois: NDArray, data: NDArray, spatial_scale: float,
        output_dim: int, pooled_size: int, group_size: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _rdiv_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _regression_backward(output: NDArray, label: NDArray, grad_scale: float, sign: bool, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _relu_backward(dy: NDArray, y: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _repeat_backward(dy: NDArray, data: NDArray, repeats: int, axis: int | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _replace_nan(data: NDArray, where: NDArray, value: float, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _rminus_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _rmod_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _rms_norm_backward(dy: NDArray, data: NDArray, gamma: NDArray, inverse: NDArray,
        eps: float = 1e-06, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> list[NDArray]: ...
@overload
def _rnn_backward(dy: NDArray, data: NDArray, parameters: NDArray, state: NDArray, reserve: NDArray,
        state_cell: NDArray | None, sequence_length: NDArray | None, dstate: NDArray | None,
        dstate_cell: NDArray | None, state_size: int, num_layers: int, bidirectional: bool,
        mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"], p: float = 0.0,
        state_outputs: bool = False, projection_size: int | None = None,
        lstm_state_clip_min: float | None = None, lstm_state_clip_max: float | None = None,
        lstm_state_clip_nan: bool = False, use_sequence_length: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any: ...
@overload
def _rnn_backward(dy: NDArray, data: NDArray, parameters: NDArray, state: NDArray, reserve: NDArray,
        state_cell: NDArray | None = None, sequence_length: NDArray | None = None,
        dstate: NDArray | None = None, dstate_cell: NDArray | None = None, *, state_size: int,
        num_layers: int, bidirectional: bool = False,
        mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"], p: float = 0.0,
        state_outputs: bool = False, projection_size: int | None = None,
        lstm_state_clip_min: float | None = None, lstm_state_clip_max: float | None = None,
        lstm_state_clip_nan: bool = False, use_sequence_length: bool = False,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any: ...
def _rnn_param_concat(*data: NDArray | Sequence[NDArray], num_args: int = ..., dim: int = 1,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _roi_align_backward(dy: NDArray, rois: NDArray, data: NDArray, pooled_size: int | Sequence[int],
        spatial_scale: float, sample_ratio: int = -1, position_sensitive: bool = False,
        aligned: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _roi_pooling_backward(dy: NDArray, index: NDArray, data: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _roi_pooling_select(data: NDArray, index: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _rpower_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _scaled_dot_product_attention_backward(dy: NDArray, query: NDArray, key: NDArray,
        value: NDArray, output: NDArray, sums: NDArray, bias: NDArray | None = None,
        causal: bool = False, scale: float | None = None, kv_repeat: int = 1, layout: str = "BHLD",
        *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]: ...
def _scatter_elemwise_div(lhs: NDArray, rhs: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _scatter_minus_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _scatter_plus_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _scatter_set_nd(lhs: NDArray, rhs: NDArray, indices: NDArray, shape: int | Sequence[int], *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _sequence_last_backward(dy: NDArray, data: NDArray, sequence_length: NDArray | None = None,
        use_sequence_length: bool = False, axis: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _set_slices(data: NDArray, values: NDArray, indices: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _slice_assign(lhs: NDArray, rhs: NDArray, begin: int | None | Sequence[int | None],
        end: int | None | Sequence[int | None], step: int | None | Sequence[int | None] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
@overload
def _slice_assign_scalar(data: NDArray, scalar: float, begin: int | None | Sequence[int | None],
        end: int | None | Sequence[int | None], step: int | None | Sequence[int | None] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
@overload
def _slice_assign_scalar(data: NDArray, scalar: float = 0.0, *,
        begin: int | None | Sequence[int | None], end: int | None | Sequence[int | None],
        step: int | None | Sequence[int | None] = (),
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _slice_axis_backward(dy: NDArray, data: NDArray, axis: int, begin: int, end: int | None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _slice_backward(dy: NDArray, data: NDArray, begin: int | None | Sequence[int | None],
        end: int | None | Sequence[int | None], step: int | None | Sequence[int | None] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _softmax_backward(dy: NDArray, output: NDArray, data: NDArray, axis: int = -1,
        temperature: float | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _softmax_cross_entropy_backward(dy: NDArray, data: NDArray, label: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _softmax_output_backward(output: NDArray, label: NDArray, grad_scale: float = 1.0,
        ignore_label: float = -1.0, multi_output: bool = False, use_ignore: bool = False,
        preserve_shape: bool = False, normalization: Literal["batch", "null", "valid"] = "null",
        smooth_alpha: float = 0.0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _split_v2(data: NDArray, indices: int | Sequence[int], axis: int = 1,
        squeeze_axis: bool = False, sections: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any: ...
def _spread_like(data: NDArray, like: NDArray, keep: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _square_sum(data: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        exclude: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _sum_like(data: NDArray, like: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _svm_output_backward(output: NDArray, label: NDArray, margin: float = 1.0,
        regularization_coefficient: float = 1.0, use_linear: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _take_backward(dy: NDArray, a: NDArray, indices: NDArray, axis: int = 0,
        mode: Literal["clip", "raise", "wrap"] = "clip", sparse_grad: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _tile_backward(dy: NDArray, data: NDArray, reps: int | Sequence[int], *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _trigamma(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _unspread_like(data: NDArray, like: NDArray, keep: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _up_sampling_like(*like: NDArray | Sequence[NDArray],
        multi_input_mode: Literal["concat", "sum"] = "concat",
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _up_sampling_nearest_backward(*dy: NDArray | Sequence[NDArray],
        multi_input_mode: Literal["concat", "sum"] = "concat", parts: int,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any: ...
def _zeros(shape: int | None | Sequence[int | None] = (), ctx: Context | str = "",
        dtype: npt.DTypeLike = "float32", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _zeros_without_dtype(shape: int | None | Sequence[int | None] = None, ctx: Context | str = "",
        dtype: int = -1, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...

_Div = _main.elemwise_div
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
_Minus = _main.elemwise_sub
_MinusScalar = _minus_scalar
_Mod = _mod
_ModScalar = _mod_scalar
_Mul = _main.elemwise_mul
_MulScalar = _mul_scalar
_NotEqualScalar = _not_equal_scalar
_Not_Equal = _not_equal
_Plus = _main.elemwise_add
_PlusScalar = _plus_scalar
_Power = _power
_PowerScalar = _power_scalar
_RDivScalar = _rdiv_scalar
_RMinusScalar = _rminus_scalar
_RModScalar = _rmod_scalar
_RPowerScalar = _rpower_scalar
_add = _main.elemwise_add
_copy = _main.identity
_crop_assign = _slice_assign
_crop_assign_scalar = _slice_assign_scalar
_div = _main.elemwise_div
_minus = _main.elemwise_sub
_mul = _main.elemwise_mul
_plus = _main.elemwise_add
_ravel_multi_index = _main.ravel_multi_index
_shuffle = _main.shuffle
_sub = _main.elemwise_sub
_unravel_index = _main.unravel_index
