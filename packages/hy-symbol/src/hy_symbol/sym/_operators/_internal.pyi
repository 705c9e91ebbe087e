# Written by `hatch run stubs` from the operator catalogue.
import numpy.typing as npt
from collections.abc import Mapping, Sequence
from typing import Literal, overload
from hy_ndarray import Context
from hy_symbol.symbol.symbol import Symbol
from hy_symbol.sym import _operators as _main
from hy_symbol.sym._operators import contrib as _contrib
from hy_symbol.sym._operators import image as _image
from hy_symbol.sym._operators import linalg as _linalg

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
    "_np_all",
    "_np_amax",
    "_np_amin",
    "_np_any",
    "_np_atleast_1d",
    "_np_atleast_2d",
    "_np_atleast_3d",
    "_np_copy",
    "_np_cumsum",
    "_np_degrees_of_freedom",
    "_np_diag",
    "_np_diag_backward",
    "_np_diagflat",
    "_np_diagonal",
    "_np_diagonal_backward",
    "_np_diff_backward",
    "_np_dot",
    "_np_dot_backward_a",
    "_np_dot_backward_b",
    "_np_ediff1d_backward",
    "_np_einsum_backward",
    "_np_finite_mask",
    "_np_join_backward",
    "_np_join_like",
    "_np_matmul_backward_a",
    "_np_matmul_backward_b",
    "_np_max",
    "_np_min",
    "_np_moveaxis",
    "_np_pad_backward",
    "_np_polyder",
    "_np_polyder_backward",
    "_np_polyval_backward",
    "_np_prod",
    "_np_product",
    "_np_repeat",
    "_np_reshape",
    "_np_roll",
    "_np_same_sign",
    "_np_solve_backward",
    "_np_sometrue",
    "_np_spread_weights",
    "_np_squeeze",
    "_np_sum",
    "_np_sum_weights",
    "_np_tensordot_backward_a",
    "_np_tensordot_backward_b",
    "_np_tensordot_int_axes_backward_a",
    "_np_tensordot_int_axes_backward_b",
    "_np_tensorinv_backward",
    "_np_tensorsolve_backward",
    "_np_total_weights",
    "_np_total_weights_backward",
    "_np_trace",
    "_np_trace_backward",
    "_np_transpose",
    "_np_tril_backward",
    "_npi_abs",
    "_npi_absolute",
    "_npi_add",
    "_npi_add_scalar",
    "_npi_arange",
    "_npi_arccos",
    "_npi_arccosh",
    "_npi_arcsin",
    "_npi_arcsinh",
    "_npi_arctan",
    "_npi_arctan2",
    "_npi_arctan2_scalar",
    "_npi_arctanh",
    "_npi_argmax",
    "_npi_argmin",
    "_npi_argsort",
    "_npi_around",
    "_npi_average",
    "_npi_bernoulli",
    "_npi_bincount",
    "_npi_bitwise_and",
    "_npi_bitwise_and_scalar",
    "_npi_bitwise_not",
    "_npi_bitwise_or",
    "_npi_bitwise_or_scalar",
    "_npi_bitwise_xor",
    "_npi_bitwise_xor_scalar",
    "_npi_blackman",
    "_npi_boolean_mask",
    "_npi_boolean_mask_assign_scalar",
    "_npi_boolean_mask_assign_tensor",
    "_npi_broadcast_to",
    "_npi_cast",
    "_npi_cbrt",
    "_npi_ceil",
    "_npi_choice",
    "_npi_cholesky",
    "_npi_clip",
    "_npi_column_stack",
    "_npi_concatenate",
    "_npi_copysign",
    "_npi_copysign_scalar",
    "_npi_copyto",
    "_npi_cos",
    "_npi_cosh",
    "_npi_cvimdecode",
    "_npi_cvimread",
    "_npi_cvimresize",
    "_npi_degrees",
    "_npi_delete",
    "_npi_det",
    "_npi_diag_indices_from",
    "_npi_diff",
    "_npi_dsplit",
    "_npi_dstack",
    "_npi_ediff1d",
    "_npi_eig",
    "_npi_eigh",
    "_npi_eigvals",
    "_npi_eigvalsh",
    "_npi_einsum",
    "_npi_equal",
    "_npi_equal_scalar",
    "_npi_exp",
    "_npi_expand_dims",
    "_npi_expm1",
    "_npi_exponential",
    "_npi_eye",
    "_npi_fix",
    "_npi_flip",
    "_npi_floor",
    "_npi_full",
    "_npi_full_like",
    "_npi_gamma",
    "_npi_gather_nd",
    "_npi_greater",
    "_npi_greater_equal",
    "_npi_greater_equal_scalar",
    "_npi_greater_scalar",
    "_npi_gumbel",
    "_npi_hamming",
    "_npi_hanning",
    "_npi_histogram",
    "_npi_hsplit",
    "_npi_hstack",
    "_npi_hypot",
    "_npi_hypot_scalar",
    "_npi_identity",
    "_npi_indices",
    "_npi_insert_scalar",
    "_npi_insert_slice",
    "_npi_insert_tensor",
    "_npi_inv",
    "_npi_isfinite",
    "_npi_isinf",
    "_npi_isnan",
    "_npi_isneginf",
    "_npi_isposinf",
    "_npi_lcm",
    "_npi_lcm_scalar",
    "_npi_ldexp",
    "_npi_ldexp_scalar",
    "_npi_less",
    "_npi_less_equal",
    "_npi_less_equal_scalar",
    "_npi_less_scalar",
    "_npi_linspace",
    "_npi_log",
    "_npi_log10",
    "_npi_log1p",
    "_npi_log2",
    "_npi_logical_not",
    "_npi_logistic",
    "_npi_logspace",
    "_npi_matmul",
    "_npi_maximum",
    "_npi_maximum_scalar",
    "_npi_mean",
    "_npi_minimum",
    "_npi_minimum_scalar",
    "_npi_mod",
    "_npi_mod_scalar",
    "_npi_multinomial",
    "_npi_multiply",
    "_npi_multiply_scalar",
    "_npi_nan_to_num",
    "_npi_negative",
    "_npi_nonzero",
    "_npi_norm",
    "_npi_normal",
    "_npi_normal_n",
    "_npi_not_equal",
    "_npi_not_equal_scalar",
    "_npi_ones",
    "_npi_pad",
    "_npi_pareto",
    "_npi_percentile",
    "_npi_pinv",
    "_npi_pinv_scalar_rcond",
    "_npi_polyval",
    "_npi_power",
    "_npi_power_scalar",
    "_npi_powerd",
    "_npi_radians",
    "_npi_random_randint",
    "_npi_rarctan2_scalar",
    "_npi_rayleigh",
    "_npi_rcopysign_scalar",
    "_npi_reciprocal",
    "_npi_reshape",
    "_npi_rint",
    "_npi_rldexp_scalar",
    "_npi_rmod_scalar",
    "_npi_rnn_param_concat",
    "_npi_rot90",
    "_npi_rpower_scalar",
    "_npi_rsubtract_scalar",
    "_npi_rtrue_divide_scalar",
    "_npi_scatter_set_nd",
    "_npi_share_memory",
    "_npi_shuffle",
    "_npi_sign",
    "_npi_sin",
    "_npi_sinh",
    "_npi_slice",
    "_npi_slice_assign",
    "_npi_slice_assign_scalar",
    "_npi_slogdet",
    "_npi_solve",
    "_npi_sort",
    "_npi_split",
    "_npi_sqrt",
    "_npi_square",
    "_npi_stack",
    "_npi_std",
    "_npi_subtract",
    "_npi_subtract_scalar",
    "_npi_svd",
    "_npi_swapaxes",
    "_npi_take",
    "_npi_tan",
    "_npi_tanh",
    "_npi_tensordot",
    "_npi_tensordot_int_axes",
    "_npi_tensorinv",
    "_npi_tensorsolve",
    "_npi_tile",
    "_npi_tril",
    "_npi_true_divide",
    "_npi_true_divide_scalar",
    "_npi_trunc",
    "_npi_uniform",
    "_npi_uniform_n",
    "_npi_unique",
    "_npi_var",
    "_npi_vstack",
    "_npi_weibull",
    "_npi_where",
    "_npi_where_lscalar",
    "_npi_where_rscalar",
    "_npi_where_scalar2",
    "_npi_zeros",
    "_npx__image_adjust_lighting",
    "_npx__image_crop",
    "_npx__image_flip_left_right",
    "_npx__image_flip_top_bottom",
    "_npx__image_normalize",
    "_npx__image_random_brightness",
    "_npx__image_random_color_jitter",
    "_npx__image_random_contrast",
    "_npx__image_random_flip_left_right",
    "_npx__image_random_flip_top_bottom",
    "_npx__image_random_hue",
    "_npx__image_random_lighting",
    "_npx__image_random_saturation",
    "_npx__image_resize",
    "_npx__image_to_tensor",
    "_npx_activation",
    "_npx_arange_like",
    "_npx_batch_dot",
    "_npx_batch_flatten",
    "_npx_batch_norm",
    "_npx_cast",
    "_npx_constraint_check",
    "_npx_convolution",
    "_npx_deconvolution",
    "_npx_dropout",
    "_npx_embedding",
    "_npx_erf",
    "_npx_erfinv",
    "_npx_fully_connected",
    "_npx_gamma",
    "_npx_gammaln",
    "_npx_gather_nd",
    "_npx_layer_norm",
    "_npx_leaky_relu",
    "_npx_log_softmax",
    "_npx_multibox_detection",
    "_npx_multibox_prior",
    "_npx_multibox_target",
    "_npx_nonzero",
    "_npx_one_hot",
    "_npx_pick",
    "_npx_pooling",
    "_npx_relu",
    "_npx_reshape",
    "_npx_reshape_like",
    "_npx_rnn",
    "_npx_roi_pooling",
    "_npx_sequence_mask",
    "_npx_shape_array",
    "_npx_sigmoid",
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
def _np_all(data: Symbol | None = None, axis: int | Sequence[int] | None = None,
        keepdims: bool = False, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_any(data: Symbol | None = None, axis: int | Sequence[int] | None = None,
        keepdims: bool = False, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_atleast_1d(*arys: Symbol | Sequence[Symbol], num_args: int, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_atleast_2d(*arys: Symbol | Sequence[Symbol], num_args: int, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_atleast_3d(*arys: Symbol | Sequence[Symbol], num_args: int, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_copy(a: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_degrees_of_freedom(data: Symbol | None = None, axis: int | Sequence[int] | None = None,
        ddof: int = 0, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_diag(data: Symbol | None = None, k: int = 0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_diag_backward(dy: Symbol | None = None, data: Symbol | None = None, k: int = 0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_diagflat(data: Symbol | None = None, k: int = 0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_diagonal(data: Symbol | None = None, offset: int = 0, axis1: int = 0, axis2: int = 1, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_diagonal_backward(dy: Symbol | None = None, data: Symbol | None = None, offset: int = 0,
        axis1: int = 0, axis2: int = 1, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_diff_backward(dy: Symbol | None = None, a: Symbol | None = None, n: int = 1, axis: int = -1,
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_dot(a: Symbol | None = None, b: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_dot_backward_a(dy: Symbol | None = None, b: Symbol | None = None, a: Symbol | None = None,
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_dot_backward_b(dy: Symbol | None = None, a: Symbol | None = None, b: Symbol | None = None,
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_ediff1d_backward(dy: Symbol | None = None, data: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_einsum_backward(*dy: Symbol | Sequence[Symbol], subscripts: str, position: int,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_finite_mask(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_join_backward(*dy: Symbol | Sequence[Symbol], axis: int | None = 0, parts: int = 1,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_join_like(*data: Symbol | Sequence[Symbol], axis: int | None = 0, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_matmul_backward_a(dy: Symbol | None = None, b: Symbol | None = None,
        a: Symbol | None = None, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_matmul_backward_b(dy: Symbol | None = None, a: Symbol | None = None,
        b: Symbol | None = None, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_max(a: Symbol | None = None, axis: int | Sequence[int] | None = None,
        keepdims: bool = False, initial: float | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_min(a: Symbol | None = None, axis: int | Sequence[int] | None = None,
        keepdims: bool = False, initial: float | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _np_moveaxis(a: Symbol, source: int | Sequence[int], destination: int | Sequence[int], *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _np_moveaxis(a: Symbol | None = None, *, source: int | Sequence[int],
        destination: int | Sequence[int], name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _np_pad_backward(dy: Symbol, data: Symbol, pad_width: Sequence[Sequence[int]],
        mode: Literal["constant", "edge", "maximum", "minimum", "reflect", "symmetric"] = "constant",
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _np_pad_backward(dy: Symbol | None = None, data: Symbol | None = None, *,
        pad_width: Sequence[Sequence[int]],
        mode: Literal["constant", "edge", "maximum", "minimum", "reflect", "symmetric"] = "constant",
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_polyder(p: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_polyder_backward(dq: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_polyval_backward(dy: Symbol | None = None, p: Symbol | None = None, x: Symbol | None = None,
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_prod(a: Symbol | None = None, axis: int | Sequence[int] | None = None,
        dtype: Literal["bool", "float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
        keepdims: bool = False, initial: float | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _np_reshape(a: Symbol, newshape: int | Sequence[int], order: str = "C", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _np_reshape(a: Symbol | None = None, *, newshape: int | Sequence[int], order: str = "C",
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_roll(data: Symbol | None = None, shift: int | Sequence[int] | None = None,
        axis: int | Sequence[int] | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_same_sign(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_solve_backward(dB: Symbol | None = None, x: Symbol | None = None, A: Symbol | None = None,
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_spread_weights(weights: Symbol | None = None, a: Symbol | None = None,
        axis: int | Sequence[int] | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_squeeze(a: Symbol | None = None, axis: int | Sequence[int] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_sum(a: Symbol | None = None, axis: int | Sequence[int] | None = None,
        dtype: Literal["bool", "float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
        keepdims: bool = False, initial: float | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_sum_weights(dy: Symbol | None = None, weights: Symbol | None = None,
        a: Symbol | None = None, axis: int | Sequence[int] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _np_tensordot_backward_a(dy: Symbol, b: Symbol, a: Symbol, a_axes_summed: int | Sequence[int],
        b_axes_summed: int | Sequence[int], *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _np_tensordot_backward_a(dy: Symbol | None = None, b: Symbol | None = None,
        a: Symbol | None = None, *, a_axes_summed: int | Sequence[int],
        b_axes_summed: int | Sequence[int], name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _np_tensordot_backward_b(dy: Symbol, a: Symbol, b: Symbol, a_axes_summed: int | Sequence[int],
        b_axes_summed: int | Sequence[int], *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _np_tensordot_backward_b(dy: Symbol | None = None, a: Symbol | None = None,
        b: Symbol | None = None, *, a_axes_summed: int | Sequence[int],
        b_axes_summed: int | Sequence[int], name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _np_tensordot_int_axes_backward_a(dy: Symbol, b: Symbol, a: Symbol, axes: int, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _np_tensordot_int_axes_backward_a(dy: Symbol | None = None, b: Symbol | None = None,
        a: Symbol | None = None, *, axes: int, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _np_tensordot_int_axes_backward_b(dy: Symbol, a: Symbol, b: Symbol, axes: int, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _np_tensordot_int_axes_backward_b(dy: Symbol | None = None, a: Symbol | None = None,
        b: Symbol | None = None, *, axes: int, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_tensorinv_backward(dy: Symbol | None = None, y: Symbol | None = None,
        a: Symbol | None = None, ind: int = 2, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_tensorsolve_backward(dy: Symbol | None = None, a: Symbol | None = None,
        b: Symbol | None = None, a_axes: int | Sequence[int] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_total_weights(weights: Symbol | None = None, a: Symbol | None = None,
        axis: int | Sequence[int] | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_total_weights_backward(dy: Symbol | None = None, weights: Symbol | None = None,
        a: Symbol | None = None, axis: int | Sequence[int] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_trace(data: Symbol | None = None, offset: int = 0, axis1: int = 0, axis2: int = 1, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_trace_backward(dy: Symbol | None = None, data: Symbol | None = None, offset: int = 0,
        axis1: int = 0, axis2: int = 1, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_transpose(a: Symbol | None = None, axes: int | Sequence[int] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _np_tril_backward(dy: Symbol | None = None, data: Symbol | None = None, k: int = 0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_absolute(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_add(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_add_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_arange(start: float, stop: float | None = None, step: float = 1.0, repeat: int = 1,
        infer_range: bool = False, ctx: Context | str = "", dtype: npt.DTypeLike = "float32", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_arccos(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_arccosh(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_arcsin(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_arcsinh(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_arctan(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_arctan2(x1: Symbol | None = None, x2: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_arctan2_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_arctanh(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_argmax(data: Symbol | None = None, axis: int | None = None, keepdims: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_argmin(data: Symbol | None = None, axis: int | None = None, keepdims: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_around(x: Symbol | None = None, decimals: int = 0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_average(a: Symbol | None = None, weights: Symbol | None = None,
        axis: int | Sequence[int] | None = None, returned: bool = False, weighted: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_bernoulli(input1: Symbol | None, prob: float | None, logit: float | None,
        size: int | Sequence[int] | None, ctx: Context | str, dtype: npt.DTypeLike, is_logit: bool,
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_bernoulli(input1: Symbol | None = None, *, prob: float | None, logit: float | None,
        size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", is_logit: bool, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_bincount(data: Symbol | None = None, weights: Symbol | None = None, minlength: int = 0,
        has_weights: bool = False, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_bitwise_and(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_bitwise_and_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_bitwise_not(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_bitwise_or(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_bitwise_or_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_bitwise_xor(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_bitwise_xor_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_blackman(M: int, ctx: Context | str = "", dtype: npt.DTypeLike = "float32", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_boolean_mask_assign_scalar(data: Symbol, mask: Symbol, value: float, start_axis: int = 0,
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_boolean_mask_assign_scalar(data: Symbol | None = None, mask: Symbol | None = None, *,
        value: float, start_axis: int = 0, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_boolean_mask_assign_tensor(data: Symbol | None = None, mask: Symbol | None = None,
        value: Symbol | None = None, start_axis: int = 0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_broadcast_to(array: Symbol | None = None, shape: int | Sequence[int] = (), *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_cbrt(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_ceil(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_choice(input1: Symbol | None, input2: Symbol | None, a: int | None,
        size: int | Sequence[int], ctx: Context | str = "cpu", replace: bool = True,
        weighted: bool = False, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_choice(input1: Symbol | None = None, input2: Symbol | None = None, *, a: int | None,
        size: int | Sequence[int], ctx: Context | str = "cpu", replace: bool = True,
        weighted: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_cholesky(A: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_column_stack(*data: Symbol | Sequence[Symbol], num_args: int = ...,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_concatenate(*data: Symbol | Sequence[Symbol], num_args: int = ..., axis: int | None = 0,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_copysign(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_copysign_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_cos(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_cosh(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_degrees(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_delete(arr: Symbol | None = None, obj: Symbol | None = None, start: int | None = None,
        stop: int | None = None, step: int | None = None, int_ind: int | None = None,
        axis: int | None = None, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_det(A: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_diag_indices_from(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_diff(a: Symbol | None = None, n: int = 1, axis: int = -1, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_dsplit(data: Symbol, indices: int | Sequence[int], axis: int = 1,
        squeeze_axis: bool = False, sections: int = 0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_dsplit(data: Symbol | None = None, *, indices: int | Sequence[int], axis: int = 1,
        squeeze_axis: bool = False, sections: int = 0, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_dstack(*data: Symbol | Sequence[Symbol], num_args: int = ..., dim: int = 1,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_ediff1d(input1: Symbol | None = None, input2: Symbol | None = None,
        input3: Symbol | None = None, to_begin_arr_given: bool = False,
        to_end_arr_given: bool = False, to_begin_scalar: float | None = None,
        to_end_scalar: float | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_eig(A: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_eigh(A: Symbol | None = None, UPLO: Literal["L", "U"] = "L", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_eigvals(A: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_eigvalsh(A: Symbol | None = None, UPLO: Literal["L", "U"] = "L", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_einsum(*data: Symbol | Sequence[Symbol], num_args: int = ..., subscripts: str = "",
        optimize: int = 0, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_equal(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_equal_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_exp(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_expm1(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_exponential(input1: Symbol | None = None, scale: float | None = 1.0,
        size: int | Sequence[int] | None = None, ctx: Context | str = "cpu", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_eye(N: int, M: int | None = None, k: int = 0, ctx: Context | str = "",
        dtype: npt.DTypeLike = "float32", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_fix(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_flip(data: Symbol, axis: int | Sequence[int] | None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_flip(data: Symbol | None = None, *, axis: int | Sequence[int] | None,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_floor(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_full_like(a: Symbol, fill_value: float, ctx: Context | str = "",
        dtype: npt.DTypeLike | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_full_like(a: Symbol | None = None, *, fill_value: float, ctx: Context | str = "",
        dtype: npt.DTypeLike | None = None, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_gamma(input1: Symbol | None, input2: Symbol | None, shape: float | None,
        scale: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_gamma(input1: Symbol | None = None, input2: Symbol | None = None, *, shape: float | None,
        scale: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_greater(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_greater_equal(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_greater_equal_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True,
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_greater_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_gumbel(input1: Symbol | None, input2: Symbol | None, loc: float | None,
        scale: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_gumbel(input1: Symbol | None = None, input2: Symbol | None = None, *, loc: float | None,
        scale: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_hamming(M: int, ctx: Context | str = "", dtype: npt.DTypeLike = "float32", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_hanning(M: int, ctx: Context | str = "", dtype: npt.DTypeLike = "float32", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_hsplit(data: Symbol, indices: int | Sequence[int], axis: int = 1,
        squeeze_axis: bool = False, sections: int = 0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_hsplit(data: Symbol | None = None, *, indices: int | Sequence[int], axis: int = 1,
        squeeze_axis: bool = False, sections: int = 0, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_hstack(*data: Symbol | Sequence[Symbol], num_args: int = ..., dim: int = 1,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_hypot(x1: Symbol | None = None, x2: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_identity(shape: int | None | Sequence[int | None] = (), ctx: Context | str = "",
        dtype: npt.DTypeLike = "float32", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_indices(dimensions: int | Sequence[int], dtype: npt.DTypeLike = "int32",
        ctx: Context | str = "", *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_insert_scalar(arr: Symbol | None = None, values: Symbol | None = None,
        val: float | None = None, start: int | None = None, stop: int | None = None,
        step: int | None = None, int_ind: int | None = None, axis: int | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_insert_slice(arr: Symbol | None = None, values: Symbol | None = None,
        val: float | None = None, start: int | None = None, stop: int | None = None,
        step: int | None = None, int_ind: int | None = None, axis: int | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_insert_tensor(arr: Symbol | None = None, values: Symbol | None = None,
        obj: Symbol | None = None, val: float | None = None, start: int | None = None,
        stop: int | None = None, step: int | None = None, int_ind: int | None = None,
        axis: int | None = None, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_isfinite(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_isinf(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_isnan(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_isneginf(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_isposinf(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_lcm(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_lcm_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_ldexp(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_ldexp_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_less(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_less_equal(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_less_equal_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_less_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_log(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_log10(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_log1p(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_log2(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_logical_not(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_logistic(input1: Symbol | None, input2: Symbol | None, loc: float | None,
        scale: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_logistic(input1: Symbol | None = None, input2: Symbol | None = None, *, loc: float | None,
        scale: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_logspace(start: float, stop: float, num: int, endpoint: bool = True, base: float = 10.0,
        ctx: Context | str = "", dtype: npt.DTypeLike = "float32", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_matmul(a: Symbol | None = None, b: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_mean(a: Symbol | None = None, axis: int | Sequence[int] | None = None,
        dtype: Literal["bool", "float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
        keepdims: bool = False, initial: float | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_mod(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_mod_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_multinomial(a: Symbol | None, n: int, pvals: float | Sequence[float] | None = None,
        size: int | Sequence[int] | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_multinomial(a: Symbol | None = None, *, n: int,
        pvals: float | Sequence[float] | None = None, size: int | Sequence[int] | None = None,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_multiply(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_multiply_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_nan_to_num(data: Symbol | None = None, copy: bool = True, nan: float = 0.0,
        posinf: float | None = None, neginf: float | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_negative(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_norm(data: Symbol | None = None, ord: float = 2.0, axis: int | Sequence[int] | None = None,
        flag: int = -1, keepdims: bool = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_normal(input1: Symbol | None, input2: Symbol | None, loc: float | None,
        scale: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_normal(input1: Symbol | None = None, input2: Symbol | None = None, *, loc: float | None,
        scale: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_normal_n(input1: Symbol | None, input2: Symbol | None, loc: float | None,
        scale: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_normal_n(input1: Symbol | None = None, input2: Symbol | None = None, *, loc: float | None,
        scale: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_not_equal(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_not_equal_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_ones(shape: int | None | Sequence[int | None] = (), ctx: Context | str = "",
        dtype: npt.DTypeLike = "float32", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_pad(data: Symbol, pad_width: Sequence[Sequence[int]],
        mode: Literal["constant", "edge", "maximum", "minimum", "reflect", "symmetric"] = "constant",
        constant_value: float = 0.0, reflect_type: str = "even", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_pad(data: Symbol | None = None, *, pad_width: Sequence[Sequence[int]],
        mode: Literal["constant", "edge", "maximum", "minimum", "reflect", "symmetric"] = "constant",
        constant_value: float = 0.0, reflect_type: str = "even", name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_pareto(input1: Symbol | None = None, a: float | None = None,
        size: int | Sequence[int] | None = None, ctx: Context | str = "cpu", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_percentile(a: Symbol | None = None, q: Symbol | None = None,
        axis: int | Sequence[int] | None = None,
        interpolation: Literal["higher", "linear", "lower", "midpoint", "nearest"] = "linear",
        keepdims: bool = False, q_scalar: float | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_pinv(A: Symbol | None = None, rcond: Symbol | None = None, hermitian: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_pinv_scalar_rcond(A: Symbol | None = None, rcond: float = 1e-15, hermitian: bool = False,
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_polyval(p: Symbol | None = None, x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_power(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_power_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_powerd(input1: Symbol | None = None, a: float | None = None,
        size: int | Sequence[int] | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_radians(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_rarctan2_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_rayleigh(input1: Symbol | None = None, scale: float | None = 1.0,
        size: int | Sequence[int] | None = None, ctx: Context | str = "cpu", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_rcopysign_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_reciprocal(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_rint(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_rldexp_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_rmod_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_rot90(data: Symbol | None = None, k: int = 1, axes: int | Sequence[int] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_rpower_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_rsubtract_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_rtrue_divide_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True,
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_share_memory(a: Symbol | None = None, b: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_sign(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_sin(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_sinh(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_slogdet(A: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_solve(A: Symbol | None = None, B: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_sqrt(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_square(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_stack(*data: Symbol | Sequence[Symbol], num_args: int = ..., axis: int = 0,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_std(a: Symbol | None = None, axis: int | Sequence[int] | None = None,
        dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
        ddof: int = 0, keepdims: bool = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_subtract(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_subtract_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_svd(A: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_tan(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_tanh(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_tensordot(a: Symbol, b: Symbol, a_axes_summed: int | Sequence[int],
        b_axes_summed: int | Sequence[int], *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_tensordot(a: Symbol | None = None, b: Symbol | None = None, *,
        a_axes_summed: int | Sequence[int], b_axes_summed: int | Sequence[int],
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_tensordot_int_axes(a: Symbol, b: Symbol, axes: int, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_tensordot_int_axes(a: Symbol | None = None, b: Symbol | None = None, *, axes: int,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_tensorinv(a: Symbol | None = None, ind: int = 2, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_tensorsolve(a: Symbol | None = None, b: Symbol | None = None,
        a_axes: int | Sequence[int] | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_tril(data: Symbol | None = None, k: int = 0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_true_divide(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_true_divide_scalar(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_trunc(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_uniform(input1: Symbol | None, input2: Symbol | None, low: float | None,
        high: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_uniform(input1: Symbol | None = None, input2: Symbol | None = None, *, low: float | None,
        high: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_uniform_n(input1: Symbol | None, input2: Symbol | None, low: float | None,
        high: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npi_uniform_n(input1: Symbol | None = None, input2: Symbol | None = None, *, low: float | None,
        high: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_unique(data: Symbol | None = None, return_index: bool = False,
        return_inverse: bool = False, return_counts: bool = False, axis: int | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_var(a: Symbol | None = None, axis: int | Sequence[int] | None = None,
        dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
        ddof: int = 0, keepdims: bool = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_vstack(*data: Symbol | Sequence[Symbol], num_args: int = ..., name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_weibull(input1: Symbol | None = None, a: float | None = None,
        size: int | Sequence[int] | None = None, ctx: Context | str = "cpu", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_where(condition: Symbol | None = None, x: Symbol | None = None, y: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_where_lscalar(condition: Symbol | None = None, x: Symbol | None = None,
        scalar: float = 0.0, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_where_rscalar(condition: Symbol | None = None, y: Symbol | None = None,
        scalar: float = 0.0, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_where_scalar2(condition: Symbol | None = None, x: float = 0.0, y: float = 0.0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npi_zeros(shape: int | None | Sequence[int | None] = (), ctx: Context | str = "",
        dtype: npt.DTypeLike = "float32", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npx_constraint_check(input: Symbol | None = None, msg: str = "Constraint violated.", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npx_nonzero(x: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npx_relu(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npx_reshape(a: Symbol, newshape: int | Sequence[int], reverse: bool = False, order: str = "C",
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def _npx_reshape(a: Symbol | None = None, *, newshape: int | Sequence[int], reverse: bool = False,
        order: str = "C", name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def _npx_sigmoid(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
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
_np_amax = _np_max
_np_amin = _np_min
_np_cumsum = _main.cumsum
_np_product = _np_prod
_np_repeat = _main.repeat
_np_sometrue = _np_any
_npi_abs = _npi_absolute
_npi_argsort = _main.argsort
_npi_boolean_mask = _contrib.boolean_mask
_npi_cast = _main.Cast
_npi_clip = _main.clip
_npi_copyto = _copyto
_npi_cvimdecode = _cvimdecode
_npi_cvimread = _cvimread
_npi_cvimresize = _cvimresize
_npi_expand_dims = _main.expand_dims
_npi_full = _full
_npi_gather_nd = _main.gather_nd
_npi_histogram = _histogram
_npi_hypot_scalar = _hypot_scalar
_npi_inv = _linalg.inverse
_npi_linspace = _linspace
_npi_maximum = _main.broadcast_maximum
_npi_maximum_scalar = _maximum_scalar
_npi_minimum = _main.broadcast_minimum
_npi_minimum_scalar = _minimum_scalar
_npi_nonzero = _npx_nonzero
_npi_random_randint = _main.random_randint
_npi_reshape = _npx_reshape
_npi_rnn_param_concat = _rnn_param_concat
_npi_scatter_set_nd = _scatter_set_nd
_npi_shuffle = _main.shuffle
_npi_slice = _main.slice
_npi_slice_assign = _slice_assign
_npi_slice_assign_scalar = _slice_assign_scalar
_npi_sort = _main.sort
_npi_split = _split_v2
_npi_swapaxes = _main.SwapAxis
_npi_take = _main.take
_npi_tile = _main.tile
_npx__image_adjust_lighting = _image.adjust_lighting
_npx__image_crop = _image.crop
_npx__image_flip_left_right = _image.flip_left_right
_npx__image_flip_top_bottom = _image.flip_top_bottom
_npx__image_normalize = _image.normalize
_npx__image_random_brightness = _image.random_brightness
_npx__image_random_color_jitter = _image.random_color_jitter
_npx__image_random_contrast = _image.random_contrast
_npx__image_random_flip_left_right = _image.random_flip_left_right
_npx__image_random_flip_top_bottom = _image.random_flip_top_bottom
_npx__image_random_hue = _image.random_hue
_npx__image_random_lighting = _image.random_lighting
_npx__image_random_saturation = _image.random_saturation
_npx__image_resize = _image.resize
_npx__image_to_tensor = _image.to_tensor
_npx_activation = _main.Activation
_npx_arange_like = _contrib.arange_like
_npx_batch_dot = _main.batch_dot
_npx_batch_flatten = _main.Flatten
_npx_batch_norm = _main.BatchNorm
_npx_cast = _main.Cast
_npx_convolution = _main.Convolution
_npx_deconvolution = _main.Deconvolution
_npx_dropout = _main.Dropout
_npx_embedding = _main.Embedding
_npx_erf = _main.erf
_npx_erfinv = _main.erfinv
_npx_fully_connected = _main.FullyConnected
_npx_gamma = _main.gamma
_npx_gammaln = _main.gammaln
_npx_gather_nd = _main.gather_nd
_npx_layer_norm = _main.LayerNorm
_npx_leaky_relu = _main.LeakyReLU
_npx_log_softmax = _main.log_softmax
_npx_multibox_detection = _contrib.MultiBoxDetection
_npx_multibox_prior = _contrib.MultiBoxPrior
_npx_multibox_target = _contrib.MultiBoxTarget
_npx_one_hot = _main.one_hot
_npx_pick = _main.pick
_npx_pooling = _main.Pooling
_npx_reshape_like = _main.reshape_like
_npx_rnn = _main.RNN
_npx_roi_pooling = _main.ROIPooling
_npx_sequence_mask = _main.SequenceMask
_npx_shape_array = _main.shape_array
_npx_slice = _main.slice
_npx_smooth_l1 = _main.smooth_l1
_npx_softmax = _main.softmax
_npx_topk = _main.topk
_plus = _main.elemwise_add
_ravel_multi_index = _main.ravel_multi_index
_shuffle = _main.shuffle
_sub = _main.elemwise_sub
_unravel_index = _main.unravel_index
