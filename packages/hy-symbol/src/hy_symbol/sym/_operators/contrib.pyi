# Written by `hatch run stubs` from the operator catalogue.
import numpy.typing as npt
from collections.abc import Mapping, Sequence
from typing import Literal, overload
from hy_ndarray import Context
from hy_symbol.symbol.symbol import Symbol
from hy_symbol.sym import _operators as _main

def AdaptiveAvgPooling2D(data: Symbol | None = None, output_size: int | Sequence[int] = (), *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the average over each cell of a grid on each image."""
def BatchNormWithReLU(data: Symbol | None = None, gamma: Symbol | None = None,
        beta: Symbol | None = None, moving_mean: Symbol | None = None,
        moving_var: Symbol | None = None, eps: float = 0.001, momentum: float = 0.9,
        fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False,
        axis: int = 1, cudnn_off: bool = False, min_calib_range: float | None = None,
        max_calib_range: float | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``BatchNorm`` followed by ReLU."""
def BilinearResize2D(data: Symbol | None = None, like: Symbol | None = None, height: int = 1,
        width: int = 1, scale_height: float | None = None, scale_width: float | None = None,
        mode: Literal["like", "odd_scale", "size", "to_even_down", "to_even_up", "to_odd_down", "to_odd_up"] = "size",
        align_corners: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return images resized by bilinear interpolation."""
@overload
def DeformableConvolution(data: Symbol, offset: Symbol, weight: Symbol, bias: Symbol | None,
        kernel: int | Sequence[int], stride: int | Sequence[int], dilate: int | Sequence[int],
        pad: int | Sequence[int], num_filter: int, num_group: int = 1,
        num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW"] | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the convolution of ``data`` sampled at positions shifted by offsets."""
@overload
def DeformableConvolution(data: Symbol | None = None, offset: Symbol | None = None,
        weight: Symbol | None = None, bias: Symbol | None = None, *, kernel: int | Sequence[int],
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), num_filter: int, num_group: int = 1,
        num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW"] | None = None, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def DeformablePSROIPooling(data: Symbol, rois: Symbol, trans: Symbol | None, spatial_scale: float,
        output_dim: int, group_size: int, pooled_size: int, part_size: int = 0,
        sample_per_part: int = 1, trans_std: float = 0, no_trans: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return position-sensitive pooling with shifted bins, sampled bilinearly."""
@overload
def DeformablePSROIPooling(data: Symbol | None = None, rois: Symbol | None = None,
        trans: Symbol | None = None, *, spatial_scale: float, output_dim: int, group_size: int,
        pooled_size: int, part_size: int = 0, sample_per_part: int = 1, trans_std: float = 0,
        no_trans: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def ModulatedDeformableConvolution(data: Symbol, offset: Symbol, mask: Symbol, weight: Symbol,
        bias: Symbol | None, kernel: int | Sequence[int], stride: int | Sequence[int],
        dilate: int | Sequence[int], pad: int | Sequence[int], num_filter: int, num_group: int = 1,
        num_deformable_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        im2col_step: int = 64, layout: Literal["NCDHW", "NCHW", "NCW"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the deformable convolution with each sample multiplied by a mask."""
@overload
def ModulatedDeformableConvolution(data: Symbol | None = None, offset: Symbol | None = None,
        mask: Symbol | None = None, weight: Symbol | None = None, bias: Symbol | None = None, *,
        kernel: int | Sequence[int], stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (), num_filter: int,
        num_group: int = 1, num_deformable_group: int = 1, workspace: int = 1024,
        no_bias: bool = False, im2col_step: int = 64,
        layout: Literal["NCDHW", "NCHW", "NCW"] | None = None, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def MultiBoxDetection(cls_prob: Symbol | None = None, loc_pred: Symbol | None = None,
        anchor: Symbol | None = None, clip: bool = True, threshold: float = 0.01,
        background_id: int = 0, nms_threshold: float = 0.5, force_suppress: bool = False,
        variances: float | Sequence[float] = (0.1, 0.1, 0.2, 0.2), nms_topk: int = -1, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the detected objects: class, score and box for each anchor."""
def MultiBoxPrior(data: Symbol | None = None, sizes: float | Sequence[float] = (1.0,),
        ratios: float | Sequence[float] = (1.0,), clip: bool = False,
        steps: float | Sequence[float] = (-1.0, -1.0),
        offsets: float | Sequence[float] = (0.5, 0.5), *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return anchor boxes of several sizes and aspect ratios for each pixel of a feature map."""
def MultiBoxTarget(anchor: Symbol | None = None, label: Symbol | None = None,
        cls_pred: Symbol | None = None, overlap_threshold: float = 0.5, ignore_label: float = -1,
        negative_mining_ratio: float = -1, negative_mining_thresh: float = 0.5,
        minimum_negative_samples: int = 0,
        variances: float | Sequence[float] = (0.1, 0.1, 0.2, 0.2), *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the training targets of each anchor: its class, and offsets of the matched box."""
def MultiProposal(cls_prob: Symbol | None = None, bbox_pred: Symbol | None = None,
        im_info: Symbol | None = None, rpn_pre_nms_top_n: int = 6000, rpn_post_nms_top_n: int = 300,
        threshold: float = 0.7, rpn_min_size: int = 16,
        scales: float | Sequence[float] = (4.0, 8.0, 16.0, 32.0),
        ratios: float | Sequence[float] = (0.5, 1.0, 2.0), feature_stride: int = 16,
        output_score: bool = False, iou_loss: bool = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the regions of each image that most likely contain an object."""
@overload
def PSROIPooling(data: Symbol, rois: Symbol, spatial_scale: float, output_dim: int,
        pooled_size: int, group_size: int = 0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the mean over each bin of each region; every bin has its own channels."""
@overload
def PSROIPooling(data: Symbol | None = None, rois: Symbol | None = None, *, spatial_scale: float,
        output_dim: int, pooled_size: int, group_size: int = 0, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def Proposal(cls_prob: Symbol | None = None, bbox_pred: Symbol | None = None,
        im_info: Symbol | None = None, rpn_pre_nms_top_n: int = 6000, rpn_post_nms_top_n: int = 300,
        threshold: float = 0.7, rpn_min_size: int = 16,
        scales: float | Sequence[float] = (4.0, 8.0, 16.0, 32.0),
        ratios: float | Sequence[float] = (0.5, 1.0, 2.0), feature_stride: int = 16,
        output_score: bool = False, iou_loss: bool = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return :func:`multi_proposal` of a single image."""
@overload
def ROIAlign(data: Symbol, rois: Symbol, pooled_size: int | Sequence[int], spatial_scale: float,
        sample_ratio: int = -1, position_sensitive: bool = False, aligned: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the mean of bilinear samples in each bin of each region of interest."""
@overload
def ROIAlign(data: Symbol | None = None, rois: Symbol | None = None, *,
        pooled_size: int | Sequence[int], spatial_scale: float, sample_ratio: int = -1,
        position_sensitive: bool = False, aligned: bool = False, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def RROIAlign(data: Symbol, rois: Symbol, pooled_size: int | Sequence[int], spatial_scale: float,
        sampling_ratio: int = -1, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the mean of bilinear samples in each bin of each rotated region of interest."""
@overload
def RROIAlign(data: Symbol | None = None, rois: Symbol | None = None, *,
        pooled_size: int | Sequence[int], spatial_scale: float, sampling_ratio: int = -1,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def SparseEmbedding(data: Symbol, weight: Symbol, input_dim: int, output_dim: int,
        dtype: npt.DTypeLike = "float32", deterministic: bool = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the row of ``weight`` for each index; superseded by ``Embedding``."""
@overload
def SparseEmbedding(data: Symbol | None = None, weight: Symbol | None = None, *, input_dim: int,
        output_dim: int, dtype: npt.DTypeLike = "float32", deterministic: bool = False,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def SyncBatchNorm(data: Symbol, gamma: Symbol, beta: Symbol, moving_mean: Symbol,
        moving_var: Symbol, eps: float, momentum: float, fix_gamma: bool, use_global_stats: bool,
        output_mean_var: bool, ndev: int, key: str, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``BatchNorm`` of axis 1; statistics are not shared between devices."""
@overload
def SyncBatchNorm(data: Symbol | None = None, gamma: Symbol | None = None,
        beta: Symbol | None = None, moving_mean: Symbol | None = None,
        moving_var: Symbol | None = None, eps: float = 0.001, momentum: float = 0.9,
        fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False,
        ndev: int = 1, *, key: str, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def allclose(a: Symbol | None = None, b: Symbol | None = None, rtol: float = 1e-05,
        atol: float = 1e-08, equal_nan: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return 1 if ``|a - b| <= atol + rtol * |b|`` everywhere, else 0."""
def arange_like(data: Symbol | None = None, start: float = 0.0, step: float = 1.0, repeat: int = 1,
        ctx: Context | str = "", axis: int | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``start``, ``start + step``, … for each element of ``data``, or along one axis."""
@overload
def bipartite_matching(data: Symbol, is_ascend: bool, threshold: float, topk: int = -1, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return a greedy matching of rows with columns by score."""
@overload
def bipartite_matching(data: Symbol | None = None, is_ascend: bool = False, *, threshold: float,
        topk: int = -1, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def boolean_mask(data: Symbol | None = None, index: Symbol | None = None, axis: int = 0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the slices along an axis where a mask is not 0."""
def box_decode(data: Symbol | None = None, anchors: Symbol | None = None, std0: float = 1,
        std1: float = 1, std2: float = 1, std3: float = 1, clip: float = -1,
        format: Literal["center", "corner"] = "center", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return boxes from predicted offsets and anchors: the inverse of ``box_encode``."""
def box_encode(samples: Symbol | None = None, matches: Symbol | None = None,
        anchors: Symbol | None = None, refs: Symbol | None = None, means: Symbol | None = None,
        stds: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the training targets of each anchor: normalized offsets of the matched box."""
def box_iou(lhs: Symbol | None = None, rhs: Symbol | None = None,
        format: Literal["center", "corner"] = "corner", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the intersection over union of each pair of boxes of two arrays."""
def box_nms(data: Symbol | None = None, overlap_thresh: float = 0.5, valid_thresh: float = 0,
        topk: int = -1, coord_start: int = 2, score_index: int = 1, id_index: int = -1,
        background_id: int = -1, force_suppress: bool = False,
        in_format: Literal["center", "corner"] = "corner",
        out_format: Literal["center", "corner"] = "corner", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the boxes that remain after non-maximum suppression, best first."""
def calibrate_entropy(hist: Symbol | None = None, hist_edges: Symbol | None = None,
        num_quantized_bins: int = 255, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the clipping threshold for quantization with the least KL divergence."""
@overload
def count_sketch(data: Symbol, h: Symbol, s: Symbol, out_dim: int, processing_batch_size: int = 32,
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the count sketch: element ``j`` is added to element ``h[j]`` with sign ``s[j]``."""
@overload
def count_sketch(data: Symbol | None = None, h: Symbol | None = None, s: Symbol | None = None, *,
        out_dim: int, processing_batch_size: int = 32, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def dequantize(data: Symbol | None = None, min_range: Symbol | None = None,
        max_range: Symbol | None = None, out_type: Literal["float32"] = "float32", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the real numbers that integers represent, the inverse of :func:`quantize_v2`."""
def div_sqrt_dim(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data`` divided by the square root of the size of its last axis."""
def fft(data: Symbol | None = None, compute_size: int = 128, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the discrete Fourier transform of real vectors."""
def getnnz(data: Symbol | None = None, axis: int | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the number of elements that are not 0."""
def gradientmultiplier(data: Symbol | None = None, scalar: float = 1.0, is_int: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data`` unchanged; its gradient is multiplied by ``scalar``."""
@overload
def group_adagrad_update(weight: Symbol, grad: Symbol, history: Symbol, lr: float,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, epsilon: float = 1e-05, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """AdaGrad with one history for each row: the sum of the means of its squared gradients."""
@overload
def group_adagrad_update(weight: Symbol | None = None, grad: Symbol | None = None,
        history: Symbol | None = None, *, lr: float, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, epsilon: float = 1e-05, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def hawkesll(lda: Symbol | None = None, alpha: Symbol | None = None, beta: Symbol | None = None,
        state: Symbol | None = None, lags: Symbol | None = None, marks: Symbol | None = None,
        valid_length: Symbol | None = None, max_time: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the log likelihood of events of ``K`` kinds under Hawkes processes (1971)."""
def ifft(data: Symbol | None = None, compute_size: int = 128, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the real part of the inverse Fourier transform, not divided by ``D``."""
def index_array(data: Symbol | None = None, axes: int | Sequence[int] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the index of each element along the axes."""
def index_copy(old_tensor: Symbol | None = None, index_vector: Symbol | None = None,
        new_tensor: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return a copy of ``old_tensor`` with some of its slices replaced."""
@overload
def interleaved_matmul_encdec_qk(queries: Symbol, keys_values: Symbol, heads: int, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the scores of cross-attention, ``query · keyᵀ / sqrt(D)`` for each head."""
@overload
def interleaved_matmul_encdec_qk(queries: Symbol | None = None, keys_values: Symbol | None = None,
        *, heads: int, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def interleaved_matmul_encdec_valatt(keys_values: Symbol, attention: Symbol, heads: int, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the output of cross-attention: ``attention · value`` for each head."""
@overload
def interleaved_matmul_encdec_valatt(keys_values: Symbol | None = None,
        attention: Symbol | None = None, *, heads: int, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def interleaved_matmul_selfatt_qk(queries_keys_values: Symbol, heads: int, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the scores of self-attention, ``query · keyᵀ / sqrt(D)`` for each head."""
@overload
def interleaved_matmul_selfatt_qk(queries_keys_values: Symbol | None = None, *, heads: int,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def interleaved_matmul_selfatt_valatt(queries_keys_values: Symbol, attention: Symbol, heads: int, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the output of self-attention: ``attention · value`` for each head."""
@overload
def interleaved_matmul_selfatt_valatt(queries_keys_values: Symbol | None = None,
        attention: Symbol | None = None, *, heads: int, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def quadratic(data: Symbol | None = None, a: float = 0.0, b: float = 0.0, c: float = 0.0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``a * data² + b * data + c``."""
def quantize(data: Symbol | None = None, min_range: Symbol | None = None,
        max_range: Symbol | None = None, out_type: Literal["int8", "uint8"] = "uint8", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data`` quantized to integers over a given range."""
def quantize_v2(data: Symbol | None = None, out_type: Literal["auto", "int8", "uint8"] = "int8",
        min_calib_range: float | None = None, max_calib_range: float | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data`` quantized to integers, over a calibrated range or the range of ``data``."""
@overload
def quantized_act(data: Symbol, min_data: Symbol, max_data: Symbol,
        act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"], *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ReLU of 8-bit integers; dtype and range do not change."""
@overload
def quantized_act(data: Symbol | None = None, min_data: Symbol | None = None,
        max_data: Symbol | None = None, *,
        act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"],
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def quantized_batch_norm(data: Symbol | None = None, gamma: Symbol | None = None,
        beta: Symbol | None = None, moving_mean: Symbol | None = None,
        moving_var: Symbol | None = None, min_data: Symbol | None = None,
        max_data: Symbol | None = None, eps: float = 0.001, momentum: float = 0.9,
        fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False,
        axis: int = 1, cudnn_off: bool = False, min_calib_range: float | None = None,
        max_calib_range: float | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``BatchNorm`` of 8-bit integers, with the moving averages as in prediction."""
def quantized_concat(*data: Symbol | Sequence[Symbol], num_args: int, dim: int = 1,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the concatenation of quantized arrays, converted to a common range."""
@overload
def quantized_conv(data: Symbol, weight: Symbol, bias: Symbol | None, min_data: Symbol | None,
        max_data: Symbol | None, min_weight: Symbol | None, max_weight: Symbol | None,
        min_bias: Symbol | None, max_bias: Symbol | None, kernel: int | Sequence[int],
        stride: int | Sequence[int], dilate: int | Sequence[int], pad: int | Sequence[int],
        num_filter: int, num_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``Convolution`` of 8-bit integers, accumulated in ``int32``."""
@overload
def quantized_conv(data: Symbol | None = None, weight: Symbol | None = None,
        bias: Symbol | None = None, min_data: Symbol | None = None, max_data: Symbol | None = None,
        min_weight: Symbol | None = None, max_weight: Symbol | None = None,
        min_bias: Symbol | None = None, max_bias: Symbol | None = None, *,
        kernel: int | Sequence[int], stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (), num_filter: int,
        num_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def quantized_elemwise_add(lhs: Symbol | None = None, rhs: Symbol | None = None,
        lhs_min: Symbol | None = None, lhs_max: Symbol | None = None, rhs_min: Symbol | None = None,
        rhs_max: Symbol | None = None, min_calib_range: float | None = None,
        max_calib_range: float | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the sum of two quantized arrays, whose ranges may differ."""
def quantized_elemwise_mul(lhs: Symbol | None = None, rhs: Symbol | None = None,
        lhs_min: Symbol | None = None, lhs_max: Symbol | None = None, rhs_min: Symbol | None = None,
        rhs_max: Symbol | None = None, min_calib_range: float | None = None,
        max_calib_range: float | None = None, enable_float_output: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the product of two quantized arrays, whose ranges may differ."""
@overload
def quantized_embedding(data: Symbol, weight: Symbol, min_weight: Symbol, max_weight: Symbol,
        input_dim: int, output_dim: int, dtype: npt.DTypeLike = "float32",
        sparse_grad: bool = False, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the row of a quantized ``weight`` for each index; the range does not change."""
@overload
def quantized_embedding(data: Symbol | None = None, weight: Symbol | None = None,
        min_weight: Symbol | None = None, max_weight: Symbol | None = None, *, input_dim: int,
        output_dim: int, dtype: npt.DTypeLike = "float32", sparse_grad: bool = False,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def quantized_flatten(data: Symbol | None = None, min_data: Symbol | None = None,
        max_data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return quantized ``data`` with all axes but the first flattened; the range does not change."""
@overload
def quantized_fully_connected(data: Symbol, weight: Symbol, bias: Symbol | None,
        min_data: Symbol | None, max_data: Symbol | None, min_weight: Symbol | None,
        max_weight: Symbol | None, min_bias: Symbol | None, max_bias: Symbol | None,
        num_hidden: int, no_bias: bool = False, flatten: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``FullyConnected`` of 8-bit integers, accumulated in ``int32``."""
@overload
def quantized_fully_connected(data: Symbol | None = None, weight: Symbol | None = None,
        bias: Symbol | None = None, min_data: Symbol | None = None, max_data: Symbol | None = None,
        min_weight: Symbol | None = None, max_weight: Symbol | None = None,
        min_bias: Symbol | None = None, max_bias: Symbol | None = None, *, num_hidden: int,
        no_bias: bool = False, flatten: bool = True, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def quantized_pooling(data: Symbol | None = None, min_data: Symbol | None = None,
        max_data: Symbol | None = None, kernel: int | Sequence[int] = (),
        pool_type: Literal["avg", "lp", "max", "sum"] = "max", global_pool: bool = False,
        cudnn_off: bool = False, pooling_convention: Literal["full", "same", "valid"] = "valid",
        stride: int | Sequence[int] = (), pad: int | Sequence[int] = (), p_value: int | None = None,
        count_include_pad: bool | None = None,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``Pooling`` of 8-bit integers: maxima, or rounded averages."""
def requantize(data: Symbol | None = None, min_range: Symbol | None = None,
        max_range: Symbol | None = None, out_type: Literal["auto", "int8", "uint8"] = "int8",
        min_calib_range: float | None = None, max_calib_range: float | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``int32`` accumulators quantized to 8 bits, over a calibrated or computed range."""
def rms_norm(data: Symbol | None = None, gamma: Symbol | None = None, eps: float = 1e-06, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``gamma data / sqrt(mean(data²) + eps)`` for each vector along the last axis."""
def rotary_embedding(data: Symbol | None = None, cos: Symbol | None = None,
        sin: Symbol | None = None, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return vectors that are rotated: ``data cos + swapped sin``, with swapped halves of ``data``."""
def round_ste(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data`` rounded; the gradient passes through unchanged."""
def scaled_dot_product_attention(query: Symbol | None = None, key: Symbol | None = None,
        value: Symbol | None = None, bias: Symbol | None = None, causal: bool = False,
        scale: float | None = None, kv_repeat: int = 1, layout: str = "BHLD", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``softmax(query · keyᵀ · scale + bias) · value`` for each head."""
def sign_ste(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the sign of ``data``; the gradient passes through unchanged."""

CTCLoss = _main.CTCLoss
box_non_maximum_suppression = box_nms
ctc_loss = _main.CTCLoss
