"""The module of each kernel of this table; ``hatch run torch:kernel-index`` writes it."""

from hy_kernels._definitions import modules_by_kernel

MODULES = modules_by_kernel(
    "hy_kernels.torch",
    """
elementwise.activations: hard_sigmoid relu relu_backward sigmoid softsign
elementwise.arithmetic: add_n elemwise_add elemwise_div elemwise_hypot elemwise_maximum
    elemwise_minimum elemwise_mod elemwise_mul elemwise_power elemwise_sub grad_add
    scatter_elemwise_div
elementwise.broadcast: broadcast_add broadcast_div broadcast_hypot broadcast_maximum
    broadcast_minimum broadcast_mod broadcast_mul broadcast_power broadcast_sub like_of sum_like
elementwise.casting: amp_cast cast cast_like
elementwise.compare: broadcast_equal broadcast_greater broadcast_greater_equal broadcast_lesser
    broadcast_lesser_equal broadcast_logical_and broadcast_logical_or broadcast_logical_xor
    broadcast_not_equal elemwise_equal elemwise_greater elemwise_greater_equal elemwise_lesser
    elemwise_lesser_equal elemwise_logical_and elemwise_logical_or elemwise_logical_xor
    elemwise_not_equal equal_scalar greater_equal_scalar greater_scalar lesser_equal_scalar
    lesser_scalar logical_and_scalar logical_not logical_or_scalar logical_xor_scalar
    not_equal_scalar
elementwise.exponential: exp expm1 log log10 log1p log2
elementwise.identity: copy identity_attach_kl_sparse_reg
elementwise.quantization: calibrate_entropy dequantize quantize_v2
elementwise.rounding: ceil fix floor rint round round_ste sign_ste trunc
elementwise.scalar: div_scalar hypot_scalar maximum_scalar minimum_scalar minus_scalar mod_scalar
    mul_scalar plus_scalar power_scalar rdiv_scalar rminus_scalar rmod_scalar rpower_scalar
    scatter_minus_scalar scatter_plus_scalar
elementwise.special: digamma erf erfinv gamma gammaln trigamma
elementwise.trigonometry: arccos arccosh arcsin arcsinh arctan arctanh cos cosh degrees radians sin
    sinh tan tanh
elementwise.unary: abs cbrt clip div_sqrt_dim negative rcbrt reciprocal rsqrt sign smooth_l1 sqrt
    square
indexing.gathering: boolean_mask boolean_mask_backward gather_nd gather_nd_backward index_copy
    scatter_nd scatter_set_nd
indexing.ordering: argmax argmax_channel argmin argsort leading_backward leading_of sort topk
indexing.take: embedding one_hot pick pick_backward retain sparse_embedding take take_backward where
linalg.decomposition: det gelqf inverse potrf slogdet
linalg.matrices: extract_triangle gemm2 make_triangle syrk triangle trsm
linalg.products: batch_dot dot dot_backward_lhs dot_backward_rhs
linalg.spectral: fft ifft
nn.activation: activation activation_backward leaky_relu leaky_relu_backward leaky_relu_curve
    prelu_backward
nn.attention.dot_product: scaled_dot_product_attention scaled_dot_product_attention_backward
nn.attention.interleaved: encdec_scores encdec_values head_part join_head_parts place_head_part
    selfatt_scores selfatt_values
nn.attention.rotary: rotary_embedding
nn.attention.step: dot_product_attention dot_product_attention_backward
    dot_product_attention_with_sums
nn.conv: channel_spread channel_sum convolution convolution_backward_data
    convolution_backward_weight convolution_project convolution_v1
nn.convolution.int8: int8_convolution int8_convolution_range int8_filters int8_magnitudes
nn.convolution.nhwc: nhwc_convolution nhwc_convolution_backward_data
    nhwc_convolution_backward_weight
nn.convolution.winograd: winograd_convolution winograd_weight
nn.convolution.winograd_planes: planar_winograd_convolution planar_winograd_weight
nn.cross_entropy: log_softmax_dot log_softmax_dot_backward log_softmax_pick
    log_softmax_pick_backward
nn.ctc: ctc_loss ctc_loss_backward
nn.deconv: deconvolution deconvolution_backward_data deconvolution_backward_weight
    deconvolution_project
nn.dense: fully_connected fully_connected_activation fully_connected_backward_data
    fully_connected_backward_weight project
nn.dropout: dropout
nn.layers: channels_last_convolution channels_last_weight dense_layer dense_layer_weight
    pointwise_convolution pointwise_weight transposed_dense_weight
nn.loss: regression_backward softmax_cross_entropy softmax_cross_entropy_backward softmax_output
    softmax_output_backward
nn.normalization.local: l2_normalization l2_normalization_backward l2_total lrn lrn_backward
nn.normalization.norm: batch_norm batch_norm_v1 batch_norm_with_relu group_norm instance_norm
    layer_norm sync_batch_norm
nn.normalization.norm_gradients: normalize_backward
nn.normalization.rms: rms_norm rms_norm_backward
nn.pool: pooling pooling_lp_backward pooling_max_backward pooling_max_select pooling_sum_backward
    pooling_v1
nn.quantized: quantized_concat quantized_conv quantized_fully_connected
nn.rnn: rnn rnn_backward
nn.softmax: axis_total log_softmax log_softmax_backward softmax softmax_backward softmin
np.arithmetic: np_add np_arctan2 np_bitwise_and np_bitwise_or np_bitwise_xor np_copysign np_equal
    np_greater np_greater_equal np_lcm np_ldexp np_less np_less_equal np_mod np_multiply
    np_not_equal np_power np_subtract np_true_divide same_sign
np.axes: diagonal_backward np_diag np_diag_backward np_diagflat np_diagonal np_flip np_moveaxis
    np_roll np_rot90 np_trace np_transpose np_tril trace_backward
np.choosing: np_boolean_mask_assign_tensor np_share_memory np_where np_where_lscalar
    np_where_rscalar np_where_scalar2 npx_constraint_check npx_nonzero
np.counting: np_bincount np_delete np_insert_scalar np_insert_slice np_insert_tensor np_percentile
    np_unique
np.creation: np_arange np_eye
np.joining: np_concatenate np_stack
np.linalg: np_eig np_eigh np_pinv np_solve np_svd
np.norms: np_norm
np.products: np_dot np_dot_backward_b np_einsum np_matmul np_matmul_backward_b np_tensordot
np.reduce: np_all np_any np_argmax np_argmin np_average np_max np_mean np_min np_prod np_std np_sum
    np_var sum_weights total_weights
np.sampling: np_choice np_multinomial
np.scalar: np_arctan2_scalar np_bitwise_and_scalar np_bitwise_or_scalar np_bitwise_xor_scalar
    np_copysign_scalar np_equal_scalar np_greater_equal_scalar np_greater_scalar np_lcm_scalar
    np_ldexp_scalar np_less_equal_scalar np_less_scalar np_not_equal_scalar np_rarctan2_scalar
    np_rcopysign_scalar np_rldexp_scalar np_rtrue_divide_scalar np_true_divide_scalar
np.shaping: np_broadcast_to np_reshape np_squeeze
np.unary: finite_mask np_around np_bitwise_not np_isfinite np_isinf np_isnan np_isneginf np_isposinf
    np_logical_not np_nan_to_num
random.densities: unspread_like
random.point_process: hawkesll hawkesll_backward
random.sampling: random_exponential random_gamma random_generalized_negative_binomial
    random_negative_binomial random_normal random_poisson random_randint random_uniform shuffle
random.sampling_arrays: sample_exponential sample_gamma sample_generalized_negative_binomial
    sample_multinomial sample_multinomial_backward sample_negative_binomial sample_normal
    sample_poisson sample_uniform sample_unique_zipfian
random.sampling_like: random_exponential_like random_gamma_like
    random_generalized_negative_binomial_like random_negative_binomial_like random_normal_like
    random_poisson_like random_uniform_like
reduce.reductions: expand_reduced extreme_backward extreme_sum max mean mean_backward min nanprod
    nansum norm norm_backward prod replace_nan sum
reduce.statistics: all_finite allclose cumsum moments multi_all_finite multi_sum_sq square_sum
shaping.axes: depth_to_space diag diag_backward space_to_depth swapaxes transpose
shaping.creation: arange arange_like eye full linspace ones ones_like zeros zeros_like
    zeros_without_dtype
shaping.expanding: broadcast_axis broadcast_like broadcast_to pad pad_backward repeat
    repeat_backward tile tile_backward
shaping.joining: concat concat_backward rnn_param_concat slice_channel split_v2 stack
shaping.reshape: expand_dims flatten reshape reshape_like shape_array size_array squeeze
shaping.sequence: sequence_last sequence_last_backward sequence_mask sequence_reverse
shaping.slicing: slice slice_assign slice_assign_scalar slice_axis slice_backward
vision.anchors: multi_box_detection multi_box_prior multi_box_target
vision.coordinates: getnnz histogram index_array ravel_multi_index unravel_index
vision.deformable: deformable_convolution deformable_convolution_backward
    modulated_deformable_convolution modulated_deformable_convolution_backward
vision.detection: bipartite_matching box_encode box_iou box_nms box_nms_backward box_nms_select
vision.image: image_random_flip_left_right image_random_flip_top_bottom image_resize imresize
vision.image_color: image_random_color_jitter image_random_contrast image_random_hue
    image_random_saturation
vision.image_files: copy_make_border imdecode imread
vision.patches: col2im im2col
vision.position_sensitive: deformable_psroi_pooling deformable_psroi_pooling_backward psroi_pooling
    psroi_pooling_backward
vision.proposals: multi_proposal proposal
vision.region: correlation correlation_backward roi_pooling roi_pooling_backward roi_pooling_select
vision.resize: adaptive_avg_pooling2d adaptive_avg_pooling2d_backward bilinear_resize2d
    bilinear_resize2d_backward up_sampling
vision.roi_align: roi_align roi_align_backward rroi_align
vision.sampler: bilinear_sampler bilinear_sampler_backward
""",
)
"""By the name of a kernel, the module that enters it when it is imported."""
