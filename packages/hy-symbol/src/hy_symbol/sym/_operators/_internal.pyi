# Written by `hatch run stubs` from the operator catalogue.
import numpy.typing as npt
from collections.abc import Mapping, Sequence
from typing import Literal, overload
from hy_ndarray import Context
from hy_symbol.symbol.symbol import Symbol
from hy_symbol.sym import _operators as _main

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

@overload
def _activation_backward(dy: Symbol, output: Symbol,
        act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"], *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _activation_backward(dy: Symbol | None = None, output: Symbol | None = None, *,
        act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"],
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _adamw_update(weight: Symbol, grad: Symbol, mean: Symbol, var: Symbol, rescale_grad: Symbol,
        lr: float, beta1: float, beta2: float, epsilon: float, wd: float, eta: float,
        clip_gradient: float = -1.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _adamw_update(weight: Symbol | None = None, grad: Symbol | None = None,
        mean: Symbol | None = None, var: Symbol | None = None, rescale_grad: Symbol | None = None,
        *, lr: float, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-08,
        wd: float = 0.0, eta: float, clip_gradient: float = -1.0, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _adaptive_avg_pooling2d_backward(dy: Symbol | None = None, data: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _adaptive_avg_pooling2d_like(data: Symbol | None = None, like: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _arange(start: float, stop: float | None = None, step: float = 1.0, repeat: int = 1,
        infer_range: bool = False, ctx: Context | str = "", dtype: npt.DTypeLike = "float32", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _axis_total(data: Symbol | None = None, axis: int = -1, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _bilinear_resize2d_backward(dy: Symbol | None = None, data: Symbol | None = None,
        align_corners: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _bilinear_resize2d_like(data: Symbol | None = None, like: Symbol | None = None,
        align_corners: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _bilinear_sampler_backward(dy: Symbol | None = None, data: Symbol | None = None,
        grid: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _boolean_mask_backward(dy: Symbol | None = None, data: Symbol | None = None,
        index: Symbol | None = None, axis: int = 0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _box_nms_backward(dy: Symbol | None = None, index: Symbol | None = None,
        data: Symbol | None = None, coord_start: int = 2,
        in_format: Literal["center", "corner"] = "corner",
        out_format: Literal["center", "corner"] = "corner", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _box_nms_select(data: Symbol | None = None, index: Symbol | None = None, coord_start: int = 2,
        in_format: Literal["center", "corner"] = "corner",
        out_format: Literal["center", "corner"] = "corner", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _broadcast_like_of(data: Symbol | None = None, like: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _cast_like(data: Symbol | None = None, like: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _channel_spread(data: Symbol | None = None, like: Symbol | None = None, axis: int = 1, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _channel_sum(data: Symbol | None = None, like: Symbol | None = None, axis: int = 1, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _channel_window(data: Symbol, nsize: int, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _channel_window(data: Symbol | None = None, *, nsize: int, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _concat_backward(*dy: Symbol | Sequence[Symbol], dim: int, parts: int, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _convolution_backward_data(dy: Symbol | None = None, weight: Symbol | None = None,
        data: Symbol | None = None, stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (), num_group: int = 1,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _convolution_backward_weight(dy: Symbol | None = None, data: Symbol | None = None,
        weight: Symbol | None = None, stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (), num_group: int = 1,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _convolution_project(data: Symbol | None = None, weight: Symbol | None = None,
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), num_group: int = 1,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _copyto(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _corner_backward(dy: Symbol | None = None, data: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _correlation_backward(dy: Symbol | None = None, data1: Symbol | None = None,
        data2: Symbol | None = None, kernel_size: int = 1, max_displacement: int = 1,
        stride1: int = 1, stride2: int = 1, pad_size: int = 0, is_multiply: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _count_sketch_backward(dy: Symbol, h: Symbol, s: Symbol, data: Symbol, out_dim: int,
        processing_batch_size: int = 32, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _count_sketch_backward(dy: Symbol | None = None, h: Symbol | None = None,
        s: Symbol | None = None, data: Symbol | None = None, *, out_dim: int,
        processing_batch_size: int = 32, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _crop_backward(dy: Symbol | None = None, data: Symbol | None = None,
        offset: int | Sequence[int] = (0, 0), h_w: int | Sequence[int] = (0, 0),
        center_crop: bool = False, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _ctc_loss_backward(dy: Symbol | None = None, data: Symbol | None = None,
        label: Symbol | None = None, data_lengths: Symbol | None = None,
        label_lengths: Symbol | None = None, use_data_lengths: bool = False,
        use_label_lengths: bool = False, blank_label: Literal["first", "last"] = "first", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _cumsum_backward(dy: Symbol | None = None, a: Symbol | None = None, axis: int | None = None,
        dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _cvcopyMakeBorder(src: Symbol, top: int, bot: int, left: int, right: int, type: int = 0,
        value: float = 0.0, values: float | Sequence[float] = (), *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _cvcopyMakeBorder(src: Symbol | None = None, *, top: int, bot: int, left: int, right: int,
        type: int = 0, value: float = 0.0, values: float | Sequence[float] = (),
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _cvimdecode(buf: Symbol | None = None, flag: int = 1, to_rgb: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _cvimread(filename: str, flag: int = 1, to_rgb: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _cvimresize(src: Symbol, w: int, h: int, interp: int = 1, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _cvimresize(src: Symbol | None = None, *, w: int, h: int, interp: int = 1,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _deconvolution_backward_data(dy: Symbol | None = None, weight: Symbol | None = None,
        data: Symbol | None = None, stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (),
        adj: int | Sequence[int] = (), target_shape: int | Sequence[int] = (), num_group: int = 1,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _deconvolution_backward_weight(dy: Symbol | None = None, data: Symbol | None = None,
        weight: Symbol | None = None, stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (),
        adj: int | Sequence[int] = (), target_shape: int | Sequence[int] = (), num_group: int = 1,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _deconvolution_project(data: Symbol | None = None, weight: Symbol | None = None,
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), adj: int | Sequence[int] = (),
        target_shape: int | Sequence[int] = (), num_group: int = 1,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _deformable_convolution_backward(dy: Symbol | None = None, data: Symbol | None = None,
        offset: Symbol | None = None, weight: Symbol | None = None,
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), num_group: int = 1, num_deformable_group: int = 1, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _deformable_psroi_pooling_backward(dy: Symbol, data: Symbol, rois: Symbol, trans: Symbol | None,
        spatial_scale: float, output_dim: int, group_size: int, pooled_size: int,
        part_size: int = 0, sample_per_part: int = 1, trans_std: float = 0, no_trans: bool = False,
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _deformable_psroi_pooling_backward(dy: Symbol | None = None, data: Symbol | None = None,
        rois: Symbol | None = None, trans: Symbol | None = None, *, spatial_scale: float,
        output_dim: int, group_size: int, pooled_size: int, part_size: int = 0,
        sample_per_part: int = 1, trans_std: float = 0, no_trans: bool = False,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _diag_backward(dy: Symbol | None = None, data: Symbol | None = None, k: int = 0, axis1: int = 0,
        axis2: int = 1, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _digamma(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _div_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _dot_backward_lhs(dy: Symbol | None = None, rhs: Symbol | None = None,
        lhs: Symbol | None = None, transpose_a: bool = False, transpose_b: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _dot_backward_rhs(dy: Symbol | None = None, lhs: Symbol | None = None,
        rhs: Symbol | None = None, transpose_a: bool = False, transpose_b: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _equal(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _equal_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _expand_reduced(dy: Symbol | None = None, data: Symbol | None = None,
        axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _extreme_backward(dy: Symbol | None = None, data: Symbol | None = None, y: Symbol | None = None,
        axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _extreme_sum(values: Symbol | None = None, data: Symbol | None = None, y: Symbol | None = None,
        axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _eye(N: int, M: int = 0, k: int = 0, ctx: Context | str = "", dtype: npt.DTypeLike = "float32",
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _full(shape: int | None | Sequence[int | None], ctx: Context | str, dtype: npt.DTypeLike,
        value: float, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _full(shape: int | None | Sequence[int | None] = None, ctx: Context | str = "",
        dtype: npt.DTypeLike = "float32", *, value: float, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _fully_connected_backward_data(dy: Symbol | None = None, weight: Symbol | None = None,
        data: Symbol | None = None, flatten: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _fully_connected_backward_weight(dy: Symbol | None = None, data: Symbol | None = None,
        weight: Symbol | None = None, flatten: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _fully_connected_project(data: Symbol | None = None, weight: Symbol | None = None,
        flatten: bool = True, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _gather_nd_backward(dy: Symbol | None = None, data: Symbol | None = None,
        indices: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _grad_add(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _greater(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _greater_equal(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _greater_equal_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _greater_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _grid_generator_backward(dy: Symbol, data: Symbol, transform_type: Literal["affine", "warp"], *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _grid_generator_backward(dy: Symbol | None = None, data: Symbol | None = None, *,
        transform_type: Literal["affine", "warp"], name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _grid_generator_linear(data: Symbol, like: Symbol, transform_type: Literal["affine", "warp"], *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _grid_generator_linear(data: Symbol | None = None, like: Symbol | None = None, *,
        transform_type: Literal["affine", "warp"], name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _hawkesll_backward(dy: Symbol | None = None, lda: Symbol | None = None,
        alpha: Symbol | None = None, beta: Symbol | None = None, state: Symbol | None = None,
        lags: Symbol | None = None, marks: Symbol | None = None, valid_length: Symbol | None = None,
        max_time: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _head_part(data: Symbol, heads: int, parts: int, part: int, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _head_part(data: Symbol | None = None, *, heads: int, parts: int, part: int,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _histogram(data: Symbol | None = None, bins: Symbol | None = None, bin_cnt: int | None = None,
        range: float | Sequence[float] | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _hypot(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _hypot_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _identity_with_attr_like_rhs(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _im2col_backward(dy: Symbol, data: Symbol, kernel: int | Sequence[int],
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _im2col_backward(dy: Symbol | None = None, data: Symbol | None = None, *,
        kernel: int | Sequence[int], stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (), name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _join_head_parts(*data: Symbol | Sequence[Symbol], parts: int = ..., heads: int,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _l2_normalization_backward(dy: Symbol | None = None, data: Symbol | None = None,
        eps: float = 1e-10, mode: Literal["channel", "instance", "spatial"] = "instance", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _l2_total(data: Symbol | None = None,
        mode: Literal["channel", "instance", "spatial"] = "instance", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _leading_backward(dy: Symbol | None = None, data: Symbol | None = None, axis: int | None = -1,
        k: int = 0, is_ascend: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _leading_of(values: Symbol | None = None, data: Symbol | None = None, axis: int | None = -1,
        k: int = 0, is_ascend: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _leaky_relu_backward(dy: Symbol, data: Symbol,
        act_type: Literal["elu", "gelu", "leaky", "selu"], slope: float = 0.25, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _leaky_relu_backward(dy: Symbol | None = None, data: Symbol | None = None, *,
        act_type: Literal["elu", "gelu", "leaky", "selu"], slope: float = 0.25,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _leaky_relu_curve(data: Symbol, act_type: Literal["elu", "gelu", "leaky", "selu"],
        slope: float = 0.25, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _leaky_relu_curve(data: Symbol | None = None, *,
        act_type: Literal["elu", "gelu", "leaky", "selu"], slope: float = 0.25,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _lesser(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _lesser_equal(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _lesser_equal_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _lesser_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _linspace(start: float, stop: float, num: int, endpoint: bool = True, ctx: Context | str = "",
        dtype: npt.DTypeLike = "float32", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _log_softmax_backward(dy: Symbol | None = None, output: Symbol | None = None,
        data: Symbol | None = None, axis: int = -1, temperature: float | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _log_softmax_dot(data: Symbol | None = None, label: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _log_softmax_dot_backward(dy: Symbol | None = None, data: Symbol | None = None,
        label: Symbol | None = None, statistics: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _log_softmax_pick(data: Symbol | None = None, index: Symbol | None = None,
        keepdims: bool = False, mode: Literal["clip", "wrap"] = "clip", negative: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _log_softmax_pick_backward(dy: Symbol | None = None, data: Symbol | None = None,
        index: Symbol | None = None, statistics: Symbol | None = None, keepdims: bool = False,
        mode: Literal["clip", "wrap"] = "clip", negative: bool = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _logical_and(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _logical_and_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _logical_or(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _logical_or_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _logical_xor(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _logical_xor_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _lrn_backward(dy: Symbol, data: Symbol, alpha: float, beta: float, knorm: float, nsize: int, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _lrn_backward(dy: Symbol | None = None, data: Symbol | None = None, alpha: float = 0.0001,
        beta: float = 0.75, knorm: float = 2.0, *, nsize: int, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _make_loss_scaled_backward(data: Symbol | None = None, grad_scale: float = 1.0,
        valid_thresh: float = 0.0, normalization: Literal["batch", "null", "valid"] = "null", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _maximum(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _maximum_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _mean_backward(dy: Symbol | None = None, data: Symbol | None = None,
        axis: int | Sequence[int] | None = None, keepdims: bool = False, exclude: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _minimum(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _minimum_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _minus_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _mod(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _mod_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _modulated_deformable_convolution_backward(dy: Symbol | None = None, data: Symbol | None = None,
        offset: Symbol | None = None, mask: Symbol | None = None, weight: Symbol | None = None,
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), num_group: int = 1, num_deformable_group: int = 1, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _mp_adamw_update(weight: Symbol, grad: Symbol, mean: Symbol, var: Symbol, weight32: Symbol,
        rescale_grad: Symbol, lr: float, beta1: float, beta2: float, epsilon: float, wd: float,
        eta: float, clip_gradient: float = -1.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _mp_adamw_update(weight: Symbol | None = None, grad: Symbol | None = None,
        mean: Symbol | None = None, var: Symbol | None = None, weight32: Symbol | None = None,
        rescale_grad: Symbol | None = None, *, lr: float, beta1: float = 0.9, beta2: float = 0.999,
        epsilon: float = 1e-08, wd: float = 0.0, eta: float, clip_gradient: float = -1.0,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _mul_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _multi_adam_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float],
        wds: float | Sequence[float], beta1: float = 0.9, beta2: float = 0.999,
        epsilon: float = 1e-08, rescale_grad: float = 1.0, clip_gradient: float = -1.0,
        num_weights: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _multi_adamw_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float],
        beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-08,
        wds: float | Sequence[float], etas: float | Sequence[float], clip_gradient: float = -1.0,
        num_weights: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _multi_lamb_update(*data: Symbol | Sequence[Symbol], learning_rates: float | Sequence[float],
        beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-06,
        wds: float | Sequence[float], rescale_grad: float = 1.0, lower_bound: float = -1.0,
        upper_bound: float = -1.0, clip_gradient: float = -1.0, bias_correction: bool = True,
        step_count: int | Sequence[int], num_tensors: int = 1, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _multi_mp_adamw_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float],
        beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-08,
        wds: float | Sequence[float], etas: float | Sequence[float], clip_gradient: float = -1.0,
        num_weights: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _multi_mp_lamb_update(*data: Symbol | Sequence[Symbol], learning_rates: float | Sequence[float],
        beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-06,
        wds: float | Sequence[float], rescale_grad: float = 1.0, lower_bound: float = -1.0,
        upper_bound: float = -1.0, clip_gradient: float = -1.0, bias_correction: bool = True,
        step_count: int | Sequence[int], num_tensors: int = 1, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _norm_backward(dy: Symbol | None = None, data: Symbol | None = None, y: Symbol | None = None,
        ord: int = 2, axis: int | Sequence[int] | None = None, keepdims: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _normalize_backward(dy: Symbol, data: Symbol, gamma: Symbol, mean: Symbol, deviation: Symbol,
        kind: Literal["batch", "group", "instance", "layer"], axis: int = 1, groups: int = 1,
        fix_gamma: bool = False, frozen: bool = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _normalize_backward(dy: Symbol | None = None, data: Symbol | None = None,
        gamma: Symbol | None = None, mean: Symbol | None = None, deviation: Symbol | None = None, *,
        kind: Literal["batch", "group", "instance", "layer"], axis: int = 1, groups: int = 1,
        fix_gamma: bool = False, frozen: bool = False, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _normalize_backward_backward(ddata: Symbol, dgamma: Symbol, dbeta: Symbol, dy: Symbol,
        data: Symbol, gamma: Symbol, mean: Symbol, deviation: Symbol,
        kind: Literal["batch", "group", "instance", "layer"], axis: int = 1, groups: int = 1,
        fix_gamma: bool = False, frozen: bool = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _normalize_backward_backward(ddata: Symbol | None = None, dgamma: Symbol | None = None,
        dbeta: Symbol | None = None, dy: Symbol | None = None, data: Symbol | None = None,
        gamma: Symbol | None = None, mean: Symbol | None = None, deviation: Symbol | None = None, *,
        kind: Literal["batch", "group", "instance", "layer"], axis: int = 1, groups: int = 1,
        fix_gamma: bool = False, frozen: bool = False, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _normalize_statistics_backward(dmean: Symbol, ddeviation: Symbol, data: Symbol, mean: Symbol,
        deviation: Symbol, kind: Literal["batch", "group", "instance", "layer"], axis: int = 1,
        groups: int = 1, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _normalize_statistics_backward(dmean: Symbol | None = None, ddeviation: Symbol | None = None,
        data: Symbol | None = None, mean: Symbol | None = None, deviation: Symbol | None = None, *,
        kind: Literal["batch", "group", "instance", "layer"], axis: int = 1, groups: int = 1,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _normalize_statistics_backward_backward(ddata: Symbol, ddeviation: Symbol, data: Symbol,
        mean: Symbol, deviation: Symbol, kind: Literal["batch", "group", "instance", "layer"],
        axis: int = 1, groups: int = 1, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _normalize_statistics_backward_backward(ddata: Symbol | None = None,
        ddeviation: Symbol | None = None, data: Symbol | None = None, mean: Symbol | None = None,
        deviation: Symbol | None = None, *, kind: Literal["batch", "group", "instance", "layer"],
        axis: int = 1, groups: int = 1, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _not_equal(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _not_equal_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _onehot_encode(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _ones(shape: int | None | Sequence[int | None] = (), ctx: Context | str = "",
        dtype: npt.DTypeLike = "float32", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _pad_backward(dy: Symbol, data: Symbol, mode: Literal["constant", "edge", "reflect"],
        pad_width: int | Sequence[int], *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _pad_backward(dy: Symbol | None = None, data: Symbol | None = None, *,
        mode: Literal["constant", "edge", "reflect"], pad_width: int | Sequence[int],
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _pick_backward(dy: Symbol | None = None, data: Symbol | None = None,
        index: Symbol | None = None, axis: int | None = -1, keepdims: bool = False,
        mode: Literal["clip", "wrap"] = "clip", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _place_head_part(y: Symbol, data: Symbol, heads: int, parts: int, part: int, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _place_head_part(y: Symbol | None = None, data: Symbol | None = None, *, heads: int, parts: int,
        part: int, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _plus_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _pooling_lp_backward(dy: Symbol | None = None, data: Symbol | None = None,
        output: Symbol | None = None, kernel: int | Sequence[int] = (), global_pool: bool = False,
        pooling_convention: Literal["full", "same", "valid"] = "valid",
        stride: int | Sequence[int] = (), pad: int | Sequence[int] = (), p_value: int | None = None,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _pooling_max_backward(dy: Symbol | None = None, data: Symbol | None = None,
        kernel: int | Sequence[int] = (), global_pool: bool = False,
        pooling_convention: Literal["full", "same", "valid"] = "valid",
        stride: int | Sequence[int] = (), pad: int | Sequence[int] = (), zero_pad: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _pooling_max_select(values: Symbol | None = None, data: Symbol | None = None,
        kernel: int | Sequence[int] = (), global_pool: bool = False,
        pooling_convention: Literal["full", "same", "valid"] = "valid",
        stride: int | Sequence[int] = (), pad: int | Sequence[int] = (), zero_pad: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _pooling_sum_backward(dy: Symbol | None = None, data: Symbol | None = None,
        kernel: int | Sequence[int] = (), pool_type: Literal["avg", "sum"] = "sum",
        global_pool: bool = False, pooling_convention: Literal["full", "same", "valid"] = "valid",
        stride: int | Sequence[int] = (), pad: int | Sequence[int] = (),
        count_include_pad: bool | None = None,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _power(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _power_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _preloaded_multi_adam_update(*data: Symbol | Sequence[Symbol], beta1: float = 0.9,
        beta2: float = 0.999, epsilon: float = 1e-08, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, num_weights: int = 1, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _prelu_backward(dy: Symbol | None = None, data: Symbol | None = None,
        gamma: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _prelu_backward_backward(ddata: Symbol | None = None, dgamma: Symbol | None = None,
        dy: Symbol | None = None, data: Symbol | None = None, gamma: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _product_of_others(data: Symbol | None = None, axis: int | Sequence[int] | None = None,
        exclude: bool = False, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _product_of_others_backward(dy: Symbol | None = None, data: Symbol | None = None,
        axis: int | Sequence[int] | None = None, exclude: bool = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _psroi_pooling_backward(dy: Symbol, rois: Symbol, data: Symbol, spatial_scale: float,
        output_dim: int, pooled_size: int, group_size: int = 0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _psroi_pooling_backward(dy: Symbol | None = None, rois: Symbol | None = None,
        data: Symbol | None = None, *, spatial_scale: float, output_dim: int, pooled_size: int,
        group_size: int = 0, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _rdiv_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _regression_backward(output: Symbol, label: Symbol, grad_scale: float, sign: bool, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _regression_backward(output: Symbol | None = None, label: Symbol | None = None, *,
        grad_scale: float, sign: bool, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _relu_backward(dy: Symbol | None = None, y: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _repeat_backward(dy: Symbol, data: Symbol, repeats: int, axis: int | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _repeat_backward(dy: Symbol | None = None, data: Symbol | None = None, *, repeats: int,
        axis: int | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _replace_nan(data: Symbol, where: Symbol, value: float, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _replace_nan(data: Symbol | None = None, where: Symbol | None = None, *, value: float,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _rminus_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _rmod_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _rms_norm_backward(dy: Symbol | None = None, data: Symbol | None = None,
        gamma: Symbol | None = None, inverse: Symbol | None = None, eps: float = 1e-06, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _rnn_backward(dy: Symbol, data: Symbol, parameters: Symbol, state: Symbol, reserve: Symbol,
        state_cell: Symbol | None, sequence_length: Symbol | None, dstate: Symbol | None,
        dstate_cell: Symbol | None, state_size: int, num_layers: int, bidirectional: bool,
        mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"], p: float = 0.0,
        state_outputs: bool = False, projection_size: int | None = None,
        lstm_state_clip_min: float | None = None, lstm_state_clip_max: float | None = None,
        lstm_state_clip_nan: bool = False, use_sequence_length: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _rnn_backward(dy: Symbol | None = None, data: Symbol | None = None,
        parameters: Symbol | None = None, state: Symbol | None = None,
        reserve: Symbol | None = None, state_cell: Symbol | None = None,
        sequence_length: Symbol | None = None, dstate: Symbol | None = None,
        dstate_cell: Symbol | None = None, *, state_size: int, num_layers: int,
        bidirectional: bool = False, mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"],
        p: float = 0.0, state_outputs: bool = False, projection_size: int | None = None,
        lstm_state_clip_min: float | None = None, lstm_state_clip_max: float | None = None,
        lstm_state_clip_nan: bool = False, use_sequence_length: bool = False,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _rnn_param_concat(*data: Symbol | Sequence[Symbol], num_args: int = ..., dim: int = 1,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _roi_align_backward(dy: Symbol, rois: Symbol, data: Symbol, pooled_size: int | Sequence[int],
        spatial_scale: float, sample_ratio: int = -1, position_sensitive: bool = False,
        aligned: bool = False, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _roi_align_backward(dy: Symbol | None = None, rois: Symbol | None = None,
        data: Symbol | None = None, *, pooled_size: int | Sequence[int], spatial_scale: float,
        sample_ratio: int = -1, position_sensitive: bool = False, aligned: bool = False,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _roi_pooling_backward(dy: Symbol | None = None, index: Symbol | None = None,
        data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _roi_pooling_select(data: Symbol | None = None, index: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _rpower_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _scaled_dot_product_attention_backward(dy: Symbol | None = None, query: Symbol | None = None,
        key: Symbol | None = None, value: Symbol | None = None, output: Symbol | None = None,
        sums: Symbol | None = None, bias: Symbol | None = None, causal: bool = False,
        scale: float | None = None, kv_repeat: int = 1, layout: str = "BHLD", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _scatter_elemwise_div(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _scatter_minus_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _scatter_plus_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _scatter_set_nd(lhs: Symbol, rhs: Symbol, indices: Symbol, shape: int | Sequence[int], *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _scatter_set_nd(lhs: Symbol | None = None, rhs: Symbol | None = None,
        indices: Symbol | None = None, *, shape: int | Sequence[int], name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _sequence_last_backward(dy: Symbol | None = None, data: Symbol | None = None,
        sequence_length: Symbol | None = None, use_sequence_length: bool = False, axis: int = 0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _set_slices(data: Symbol | None = None, values: Symbol | None = None,
        indices: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _slice_assign(lhs: Symbol, rhs: Symbol, begin: int | None | Sequence[int | None],
        end: int | None | Sequence[int | None], step: int | None | Sequence[int | None] = (), *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _slice_assign(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        begin: int | None | Sequence[int | None], end: int | None | Sequence[int | None],
        step: int | None | Sequence[int | None] = (), name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _slice_assign_scalar(data: Symbol, scalar: float, begin: int | None | Sequence[int | None],
        end: int | None | Sequence[int | None], step: int | None | Sequence[int | None] = (), *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _slice_assign_scalar(data: Symbol | None = None, scalar: float = 0.0, *,
        begin: int | None | Sequence[int | None], end: int | None | Sequence[int | None],
        step: int | None | Sequence[int | None] = (), name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _slice_axis_backward(dy: Symbol, data: Symbol, axis: int, begin: int, end: int | None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _slice_axis_backward(dy: Symbol | None = None, data: Symbol | None = None, *, axis: int,
        begin: int, end: int | None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _slice_backward(dy: Symbol, data: Symbol, begin: int | None | Sequence[int | None],
        end: int | None | Sequence[int | None], step: int | None | Sequence[int | None] = (), *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _slice_backward(dy: Symbol | None = None, data: Symbol | None = None, *,
        begin: int | None | Sequence[int | None], end: int | None | Sequence[int | None],
        step: int | None | Sequence[int | None] = (), name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _softmax_backward(dy: Symbol | None = None, output: Symbol | None = None,
        data: Symbol | None = None, axis: int = -1, temperature: float | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _softmax_cross_entropy_backward(dy: Symbol | None = None, data: Symbol | None = None,
        label: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _softmax_output_backward(output: Symbol | None = None, label: Symbol | None = None,
        grad_scale: float = 1.0, ignore_label: float = -1.0, multi_output: bool = False,
        use_ignore: bool = False, preserve_shape: bool = False,
        normalization: Literal["batch", "null", "valid"] = "null", smooth_alpha: float = 0.0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _split_v2(data: Symbol, indices: int | Sequence[int], axis: int = 1, squeeze_axis: bool = False,
        sections: int = 0, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _split_v2(data: Symbol | None = None, *, indices: int | Sequence[int], axis: int = 1,
        squeeze_axis: bool = False, sections: int = 0, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _spread_like(data: Symbol | None = None, like: Symbol | None = None, keep: int = 0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _square_sum(data: Symbol | None = None, axis: int | Sequence[int] | None = None,
        keepdims: bool = False, exclude: bool = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _sum_like(data: Symbol | None = None, like: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _svm_output_backward(output: Symbol | None = None, label: Symbol | None = None,
        margin: float = 1.0, regularization_coefficient: float = 1.0, use_linear: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _take_backward(dy: Symbol | None = None, a: Symbol | None = None, indices: Symbol | None = None,
        axis: int = 0, mode: Literal["clip", "raise", "wrap"] = "clip", sparse_grad: bool = False,
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _tile_backward(dy: Symbol, data: Symbol, reps: int | Sequence[int], *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _tile_backward(dy: Symbol | None = None, data: Symbol | None = None, *,
        reps: int | Sequence[int], name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _trigamma(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _unspread_like(data: Symbol | None = None, like: Symbol | None = None, keep: int = 0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _up_sampling_like(*like: Symbol | Sequence[Symbol],
        multi_input_mode: Literal["concat", "sum"] = "concat", name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _up_sampling_nearest_backward(*dy: Symbol | Sequence[Symbol],
        multi_input_mode: Literal["concat", "sum"] = "concat", parts: int, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _zeros(shape: int | None | Sequence[int | None] = (), ctx: Context | str = "",
        dtype: npt.DTypeLike = "float32", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _zeros_without_dtype(shape: int | None | Sequence[int | None] = None, ctx: Context | str = "",
        dtype: int = -1, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...

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
