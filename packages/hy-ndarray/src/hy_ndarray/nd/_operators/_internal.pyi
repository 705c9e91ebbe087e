# Written by `hatch run stubs` from the operator catalogue.
import numpy.typing as npt
from collections.abc import Sequence
from typing import Any, Literal, overload
from hy_ndarray import Context
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.nd import _operators as _main
from hy_ndarray.nd._operators import contrib as _contrib
from hy_ndarray.nd._operators import image as _image
from hy_ndarray.nd._operators import linalg as _linalg

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
def _np_all(data: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_any(data: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_atleast_1d(*arys: NDArray | Sequence[NDArray], num_args: int,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any: ...
def _np_atleast_2d(*arys: NDArray | Sequence[NDArray], num_args: int,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any: ...
def _np_atleast_3d(*arys: NDArray | Sequence[NDArray], num_args: int,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any: ...
def _np_copy(a: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_degrees_of_freedom(data: NDArray, axis: int | Sequence[int] | None = None, ddof: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_diag(data: NDArray, k: int = 0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _np_diag_backward(dy: NDArray, data: NDArray, k: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_diagflat(data: NDArray, k: int = 0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _np_diagonal(data: NDArray, offset: int = 0, axis1: int = 0, axis2: int = 1, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_diagonal_backward(dy: NDArray, data: NDArray, offset: int = 0, axis1: int = 0,
        axis2: int = 1, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_diff_backward(dy: NDArray, a: NDArray, n: int = 1, axis: int = -1, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_dot(a: NDArray, b: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _np_dot_backward_a(dy: NDArray, b: NDArray, a: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_dot_backward_b(dy: NDArray, a: NDArray, b: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_ediff1d_backward(dy: NDArray, data: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_einsum_backward(*dy: NDArray | Sequence[NDArray], subscripts: str, position: int,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_finite_mask(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _np_join_backward(*dy: NDArray | Sequence[NDArray], axis: int | None = 0, parts: int = 1,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any: ...
def _np_join_like(*data: NDArray | Sequence[NDArray], axis: int | None = 0,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_matmul_backward_a(dy: NDArray, b: NDArray, a: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_matmul_backward_b(dy: NDArray, a: NDArray, b: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_max(a: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        initial: float | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _np_min(a: NDArray, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        initial: float | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _np_moveaxis(a: NDArray, source: int | Sequence[int], destination: int | Sequence[int], *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_pad_backward(dy: NDArray, data: NDArray, pad_width: Sequence[Sequence[int]],
        mode: Literal["constant", "edge", "maximum", "minimum", "reflect", "symmetric"] = "constant",
        *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_polyder(p: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _np_polyder_backward(dq: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _np_polyval_backward(dy: NDArray, p: NDArray, x: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_prod(a: NDArray, axis: int | Sequence[int] | None = None,
        dtype: Literal["bool", "float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
        keepdims: bool = False, initial: float | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_reshape(a: NDArray, newshape: int | Sequence[int], order: str = "C", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_roll(data: NDArray, shift: int | Sequence[int] | None = None,
        axis: int | Sequence[int] | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _np_same_sign(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _np_solve_backward(dB: NDArray, x: NDArray, A: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_spread_weights(weights: NDArray, a: NDArray, axis: int | Sequence[int] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_squeeze(a: NDArray, axis: int | Sequence[int] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_sum(a: NDArray, axis: int | Sequence[int] | None = None,
        dtype: Literal["bool", "float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
        keepdims: bool = False, initial: float | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_sum_weights(dy: NDArray, weights: NDArray, a: NDArray,
        axis: int | Sequence[int] | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _np_tensordot_backward_a(dy: NDArray, b: NDArray, a: NDArray,
        a_axes_summed: int | Sequence[int], b_axes_summed: int | Sequence[int], *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_tensordot_backward_b(dy: NDArray, a: NDArray, b: NDArray,
        a_axes_summed: int | Sequence[int], b_axes_summed: int | Sequence[int], *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_tensordot_int_axes_backward_a(dy: NDArray, b: NDArray, a: NDArray, axes: int, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_tensordot_int_axes_backward_b(dy: NDArray, a: NDArray, b: NDArray, axes: int, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_tensorinv_backward(dy: NDArray, y: NDArray, a: NDArray, ind: int = 2, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_tensorsolve_backward(dy: NDArray, a: NDArray, b: NDArray,
        a_axes: int | Sequence[int] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_total_weights(weights: NDArray, a: NDArray, axis: int | Sequence[int] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_total_weights_backward(dy: NDArray, weights: NDArray, a: NDArray,
        axis: int | Sequence[int] | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _np_trace(data: NDArray, offset: int = 0, axis1: int = 0, axis2: int = 1, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_trace_backward(dy: NDArray, data: NDArray, offset: int = 0, axis1: int = 0, axis2: int = 1,
        *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_transpose(a: NDArray, axes: int | Sequence[int] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _np_tril_backward(dy: NDArray, data: NDArray, k: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_absolute(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_add(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_add_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_arange(start: float, stop: float | None = None, step: float = 1.0, repeat: int = 1,
        infer_range: bool = False, ctx: Context | str = "", dtype: npt.DTypeLike = "float32", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_arccos(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_arccosh(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_arcsin(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_arcsinh(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_arctan(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_arctan2(x1: NDArray, x2: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_arctan2_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_arctanh(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_argmax(data: NDArray, axis: int | None = None, keepdims: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_argmin(data: NDArray, axis: int | None = None, keepdims: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_around(x: NDArray, decimals: int = 0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_average(a: NDArray, weights: NDArray | None = None,
        axis: int | Sequence[int] | None = None, returned: bool = False, weighted: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any: ...
@overload
def _npi_bernoulli(input1: NDArray | None, prob: float | None, logit: float | None,
        size: int | Sequence[int] | None, ctx: Context | str, dtype: npt.DTypeLike, is_logit: bool,
        *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
@overload
def _npi_bernoulli(input1: NDArray | None = None, *, prob: float | None, logit: float | None,
        size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", is_logit: bool,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_bincount(data: NDArray, weights: NDArray | None = None, minlength: int = 0,
        has_weights: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_bitwise_and(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_bitwise_and_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_bitwise_not(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_bitwise_or(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_bitwise_or_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_bitwise_xor(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_bitwise_xor_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_blackman(M: int, ctx: Context | str = "", dtype: npt.DTypeLike = "float32", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_boolean_mask_assign_scalar(data: NDArray, mask: NDArray, value: float, start_axis: int = 0,
        *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_boolean_mask_assign_tensor(data: NDArray, mask: NDArray, value: NDArray,
        start_axis: int = 0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_broadcast_to(array: NDArray, shape: int | Sequence[int] = (), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_cbrt(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_ceil(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
@overload
def _npi_choice(input1: NDArray | None, input2: NDArray | None, a: int | None,
        size: int | Sequence[int], ctx: Context | str = "cpu", replace: bool = True,
        weighted: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
@overload
def _npi_choice(input1: NDArray | None = None, input2: NDArray | None = None, *, a: int | None,
        size: int | Sequence[int], ctx: Context | str = "cpu", replace: bool = True,
        weighted: bool = False, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_cholesky(A: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_column_stack(*data: NDArray | Sequence[NDArray], num_args: int = ...,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_concatenate(*data: NDArray | Sequence[NDArray], num_args: int = ..., axis: int | None = 0,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_copysign(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_copysign_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_cos(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_cosh(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_degrees(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_delete(arr: NDArray, obj: NDArray | None = None, start: int | None = None,
        stop: int | None = None, step: int | None = None, int_ind: int | None = None,
        axis: int | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_det(A: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_diag_indices_from(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_diff(a: NDArray, n: int = 1, axis: int = -1, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_dsplit(data: NDArray, indices: int | Sequence[int], axis: int = 1,
        squeeze_axis: bool = False, sections: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any: ...
def _npi_dstack(*data: NDArray | Sequence[NDArray], num_args: int = ..., dim: int = 1,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_ediff1d(input1: NDArray, input2: NDArray | None = None, input3: NDArray | None = None,
        to_begin_arr_given: bool = False, to_end_arr_given: bool = False,
        to_begin_scalar: float | None = None, to_end_scalar: float | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_eig(A: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]: ...
def _npi_eigh(A: NDArray, UPLO: Literal["L", "U"] = "L", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]: ...
def _npi_eigvals(A: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_eigvalsh(A: NDArray, UPLO: Literal["L", "U"] = "L", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_einsum(*data: NDArray | Sequence[NDArray], num_args: int = ..., subscripts: str = "",
        optimize: int = 0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_equal(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_equal_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_exp(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_expm1(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_exponential(input1: NDArray | None = None, scale: float | None = 1.0,
        size: int | Sequence[int] | None = None, ctx: Context | str = "cpu", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_eye(N: int, M: int | None = None, k: int = 0, ctx: Context | str = "",
        dtype: npt.DTypeLike = "float32", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_fix(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_flip(data: NDArray, axis: int | Sequence[int] | None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_floor(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_full_like(a: NDArray, fill_value: float, ctx: Context | str = "",
        dtype: npt.DTypeLike | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
@overload
def _npi_gamma(input1: NDArray | None, input2: NDArray | None, shape: float | None,
        scale: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
@overload
def _npi_gamma(input1: NDArray | None = None, input2: NDArray | None = None, *, shape: float | None,
        scale: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_greater(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_greater_equal(lhs: NDArray, rhs: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_greater_equal_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_greater_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
@overload
def _npi_gumbel(input1: NDArray | None, input2: NDArray | None, loc: float | None,
        scale: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
@overload
def _npi_gumbel(input1: NDArray | None = None, input2: NDArray | None = None, *, loc: float | None,
        scale: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_hamming(M: int, ctx: Context | str = "", dtype: npt.DTypeLike = "float32", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_hanning(M: int, ctx: Context | str = "", dtype: npt.DTypeLike = "float32", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_hsplit(data: NDArray, indices: int | Sequence[int], axis: int = 1,
        squeeze_axis: bool = False, sections: int = 0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any: ...
def _npi_hstack(*data: NDArray | Sequence[NDArray], num_args: int = ..., dim: int = 1,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_hypot(x1: NDArray, x2: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_identity(shape: int | None | Sequence[int | None] = (), ctx: Context | str = "",
        dtype: npt.DTypeLike = "float32", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_indices(dimensions: int | Sequence[int], dtype: npt.DTypeLike = "int32",
        ctx: Context | str = "", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_insert_scalar(arr: NDArray, values: NDArray | None = None, val: float | None = None,
        start: int | None = None, stop: int | None = None, step: int | None = None,
        int_ind: int | None = None, axis: int | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_insert_slice(arr: NDArray, values: NDArray | None = None, val: float | None = None,
        start: int | None = None, stop: int | None = None, step: int | None = None,
        int_ind: int | None = None, axis: int | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_insert_tensor(arr: NDArray, values: NDArray | None = None, obj: NDArray | None = None,
        val: float | None = None, start: int | None = None, stop: int | None = None,
        step: int | None = None, int_ind: int | None = None, axis: int | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_isfinite(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_isinf(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_isnan(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_isneginf(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_isposinf(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_lcm(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_lcm_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_ldexp(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_ldexp_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_less(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_less_equal(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_less_equal_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_less_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_log(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_log10(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_log1p(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_log2(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_logical_not(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
@overload
def _npi_logistic(input1: NDArray | None, input2: NDArray | None, loc: float | None,
        scale: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
@overload
def _npi_logistic(input1: NDArray | None = None, input2: NDArray | None = None, *,
        loc: float | None, scale: float | None, size: int | Sequence[int] | None = None,
        ctx: Context | str = "cpu", out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_logspace(start: float, stop: float, num: int, endpoint: bool = True, base: float = 10.0,
        ctx: Context | str = "", dtype: npt.DTypeLike = "float32", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_matmul(a: NDArray, b: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_mean(a: NDArray, axis: int | Sequence[int] | None = None,
        dtype: Literal["bool", "float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
        keepdims: bool = False, initial: float | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_mod(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_mod_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
@overload
def _npi_multinomial(a: NDArray | None, n: int, pvals: float | Sequence[float] | None = None,
        size: int | Sequence[int] | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
@overload
def _npi_multinomial(a: NDArray | None = None, *, n: int,
        pvals: float | Sequence[float] | None = None, size: int | Sequence[int] | None = None,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_multiply(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_multiply_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_nan_to_num(data: NDArray, copy: bool = True, nan: float = 0.0, posinf: float | None = None,
        neginf: float | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_negative(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_norm(data: NDArray, ord: float = 2.0, axis: int | Sequence[int] | None = None,
        flag: int = -1, keepdims: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
@overload
def _npi_normal(input1: NDArray | None, input2: NDArray | None, loc: float | None,
        scale: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
@overload
def _npi_normal(input1: NDArray | None = None, input2: NDArray | None = None, *, loc: float | None,
        scale: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
@overload
def _npi_normal_n(input1: NDArray | None, input2: NDArray | None, loc: float | None,
        scale: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
@overload
def _npi_normal_n(input1: NDArray | None = None, input2: NDArray | None = None, *,
        loc: float | None, scale: float | None, size: int | Sequence[int] | None = None,
        ctx: Context | str = "cpu", dtype: npt.DTypeLike = "float32",
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_not_equal(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_not_equal_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_ones(shape: int | None | Sequence[int | None] = (), ctx: Context | str = "",
        dtype: npt.DTypeLike = "float32", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_pad(data: NDArray, pad_width: Sequence[Sequence[int]],
        mode: Literal["constant", "edge", "maximum", "minimum", "reflect", "symmetric"] = "constant",
        constant_value: float = 0.0, reflect_type: str = "even", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_pareto(input1: NDArray | None = None, a: float | None = None,
        size: int | Sequence[int] | None = None, ctx: Context | str = "cpu", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_percentile(a: NDArray, q: NDArray | None = None, axis: int | Sequence[int] | None = None,
        interpolation: Literal["higher", "linear", "lower", "midpoint", "nearest"] = "linear",
        keepdims: bool = False, q_scalar: float | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_pinv(A: NDArray, rcond: NDArray, hermitian: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_pinv_scalar_rcond(A: NDArray, rcond: float = 1e-15, hermitian: bool = False, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_polyval(p: NDArray, x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_power(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_power_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_powerd(input1: NDArray | None = None, a: float | None = None,
        size: int | Sequence[int] | None = None, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_radians(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_rarctan2_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_rayleigh(input1: NDArray | None = None, scale: float | None = 1.0,
        size: int | Sequence[int] | None = None, ctx: Context | str = "cpu", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_rcopysign_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_reciprocal(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_rint(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_rldexp_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_rmod_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_rot90(data: NDArray, k: int = 1, axes: int | Sequence[int] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_rpower_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_rsubtract_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_rtrue_divide_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_share_memory(a: NDArray, b: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_sign(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_sin(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_sinh(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_slogdet(A: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> list[NDArray]: ...
def _npi_solve(A: NDArray, B: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_sqrt(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_square(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_stack(*data: NDArray | Sequence[NDArray], num_args: int = ..., axis: int = 0,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_std(a: NDArray, axis: int | Sequence[int] | None = None,
        dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
        ddof: int = 0, keepdims: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_subtract(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_subtract_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_svd(A: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> list[NDArray]: ...
def _npi_tan(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_tanh(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_tensordot(a: NDArray, b: NDArray, a_axes_summed: int | Sequence[int],
        b_axes_summed: int | Sequence[int], *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_tensordot_int_axes(a: NDArray, b: NDArray, axes: int, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_tensorinv(a: NDArray, ind: int = 2, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_tensorsolve(a: NDArray, b: NDArray, a_axes: int | Sequence[int] | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_tril(data: NDArray, k: int = 0, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_true_divide(lhs: NDArray, rhs: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_true_divide_scalar(data: NDArray, scalar: float = 1.0, is_int: bool = True, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_trunc(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
@overload
def _npi_uniform(input1: NDArray | None, input2: NDArray | None, low: float | None,
        high: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
@overload
def _npi_uniform(input1: NDArray | None = None, input2: NDArray | None = None, *, low: float | None,
        high: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
@overload
def _npi_uniform_n(input1: NDArray | None, input2: NDArray | None, low: float | None,
        high: float | None, size: int | Sequence[int] | None = None, ctx: Context | str = "cpu",
        dtype: npt.DTypeLike = "float32", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
@overload
def _npi_uniform_n(input1: NDArray | None = None, input2: NDArray | None = None, *,
        low: float | None, high: float | None, size: int | Sequence[int] | None = None,
        ctx: Context | str = "cpu", dtype: npt.DTypeLike = "float32",
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_unique(data: NDArray, return_index: bool = False, return_inverse: bool = False,
        return_counts: bool = False, axis: int | None = None, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> Any: ...
def _npi_var(a: NDArray, axis: int | Sequence[int] | None = None,
        dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
        ddof: int = 0, keepdims: bool = False, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npi_vstack(*data: NDArray | Sequence[NDArray], num_args: int = ...,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_weibull(input1: NDArray | None = None, a: float | None = None,
        size: int | Sequence[int] | None = None, ctx: Context | str = "cpu", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_where(condition: NDArray, x: NDArray, y: NDArray, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_where_lscalar(condition: NDArray, x: NDArray, scalar: float = 0.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_where_rscalar(condition: NDArray, y: NDArray, scalar: float = 0.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_where_scalar2(condition: NDArray, x: float = 0.0, y: float = 0.0, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npi_zeros(shape: int | None | Sequence[int | None] = (), ctx: Context | str = "",
        dtype: npt.DTypeLike = "float32", *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npx_constraint_check(input: NDArray, msg: str = "Constraint violated.", *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npx_nonzero(x: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npx_relu(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
def _npx_reshape(a: NDArray, newshape: int | Sequence[int], reverse: bool = False, order: str = "C",
        *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray: ...
def _npx_sigmoid(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray: ...
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
