"""Kernels of the numpy table on tensors: what torch has no kernel for yet, each by name.

They compute in the memory of tensors on the CPU, without copies. A tensor elsewhere is refused.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from hy_kernels.numpy import table as numpy_table
from hy_kernels.record import Function, Kernel
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._memory import array_of, tensor_of
from hy_kernels.torch._tensor import Places, Tensor

__all__ = ["HOST", "DeviceError"]

HOST: Mapping[str, str] = {
    "anchors": "multi_box_detection multi_box_prior multi_box_target",
    "detection": (
        "bipartite_matching box_decode box_encode box_iou box_nms box_nms_backward box_nms_select"
    ),
    "image": (
        "image_crop image_crop_backward image_flip_left_right image_flip_top_bottom "
        "image_normalize image_random_flip_left_right image_random_flip_top_bottom "
        "image_resize image_to_tensor imresize"
    ),
    "image_color": (
        "image_adjust_lighting image_random_brightness image_random_color_jitter "
        "image_random_contrast image_random_hue image_random_lighting image_random_saturation"
    ),
    "image_files": "copy_make_border imdecode imread",
    "point_process": "hawkesll hawkesll_backward",
    "proposals": "multi_proposal proposal",
    "quantization": "calibrate_entropy",
    "nn.activation": (
        "activation activation_backward leaky_relu leaky_relu_backward leaky_relu_curve "
        "prelu_backward prelu_backward_backward"
    ),
    "nn.attention": (
        "encdec_scores encdec_values head_part place_head_part selfatt_scores selfatt_values"
    ),
    "nn.conv": (
        "channel_spread channel_sum convolution convolution_backward_data "
        "convolution_backward_weight convolution_project convolution_v1"
    ),
    "nn.cross_entropy": "log_softmax_pick log_softmax_pick_backward",
    "nn.deconv": (
        "deconvolution deconvolution_backward_data deconvolution_backward_weight "
        "deconvolution_project"
    ),
    "nn.deformable": (
        "deformable_convolution deformable_convolution_backward "
        "modulated_deformable_convolution modulated_deformable_convolution_backward"
    ),
    "nn.dense": (
        "fully_connected fully_connected_backward_data fully_connected_backward_weight project"
    ),
    "nn.local_norm": (
        "channel_window l2_normalization l2_normalization_backward l2_total lrn lrn_backward"
    ),
    "nn.norm": (
        "batch_norm batch_norm_v1 batch_norm_with_relu group_norm instance_norm layer_norm "
        "normalize_backward normalize_backward_backward normalize_statistics_backward "
        "normalize_statistics_backward_backward sync_batch_norm"
    ),
    "nn.pool": (
        "pooling pooling_lp_backward pooling_max_backward pooling_max_select "
        "pooling_sum_backward pooling_v1"
    ),
    "nn.position_sensitive": (
        "deformable_psroi_pooling deformable_psroi_pooling_backward psroi_pooling "
        "psroi_pooling_backward"
    ),
    "nn.quantized": (
        "quantized_act quantized_batch_norm quantized_concat quantized_conv "
        "quantized_elemwise_add quantized_embedding quantized_flatten "
        "quantized_fully_connected quantized_pooling"
    ),
    "nn.region": (
        "correlation correlation_backward roi_pooling roi_pooling_backward roi_pooling_select"
    ),
    "nn.resize": (
        "adaptive_avg_pooling2d adaptive_avg_pooling2d_backward adaptive_avg_pooling2d_like "
        "bilinear_resize2d bilinear_resize2d_backward bilinear_resize2d_like up_sampling "
        "up_sampling_like up_sampling_nearest_backward"
    ),
    "nn.rnn": "rnn rnn_backward",
    "nn.roi_align": "roi_align roi_align_backward rroi_align",
    "nn.sampler": (
        "bilinear_sampler bilinear_sampler_backward grid_generator grid_generator_backward "
        "grid_linear spatial_transformer"
    ),
    "nn.softmax": (
        "axis_total log_softmax log_softmax_backward softmax softmax_activation "
        "softmax_backward softmin"
    ),
    "np.arithmetic": (
        "np_add np_arctan2 np_bitwise_and np_bitwise_or np_bitwise_xor np_copysign np_equal "
        "np_greater np_greater_equal np_lcm np_ldexp np_less np_less_equal np_mod np_multiply "
        "np_not_equal np_power np_subtract np_true_divide same_sign"
    ),
    "np.axes": (
        "diagonal_backward np_diag np_diag_backward np_diagflat np_diagonal np_flip "
        "np_moveaxis np_roll np_rot90 np_trace np_transpose np_tril trace_backward "
        "tril_backward"
    ),
    "np.choosing": (
        "np_boolean_mask_assign_scalar np_boolean_mask_assign_tensor np_diag_indices_from "
        "np_share_memory np_where np_where_lscalar np_where_rscalar np_where_scalar2 "
        "npx_constraint_check npx_nonzero"
    ),
    "np.counting": (
        "diff_backward ediff1d_backward np_bincount np_delete np_diff np_ediff1d "
        "np_insert_scalar np_insert_slice np_insert_tensor np_pad np_pad_backward "
        "np_percentile np_polyval np_unique polyder polyder_backward polyval_backward"
    ),
    "np.creation": (
        "np_arange np_blackman np_eye np_full_like np_hamming np_hanning np_identity "
        "np_indices np_logspace"
    ),
    "np.joining": (
        "join_backward join_like np_column_stack np_concatenate np_dstack np_hsplit np_hstack "
        "np_stack np_vstack"
    ),
    "np.linalg": (
        "np_cholesky np_eig np_eigh np_eigvals np_eigvalsh np_pinv np_pinv_scalar_rcond "
        "np_solve np_svd np_tensorinv np_tensorsolve solve_backward tensorinv_backward "
        "tensorsolve_backward"
    ),
    "np.norms": "np_norm",
    "np.products": (
        "einsum_backward np_dot np_dot_backward_a np_dot_backward_b np_einsum np_matmul "
        "np_matmul_backward_a np_matmul_backward_b np_tensordot np_tensordot_backward_a "
        "np_tensordot_backward_b np_tensordot_int_axes np_tensordot_int_axes_backward_a "
        "np_tensordot_int_axes_backward_b"
    ),
    "np.reduce": (
        "degrees_of_freedom np_all np_any np_argmax np_argmin np_average np_max np_mean "
        "np_min np_prod np_std np_sum np_var spread_weights sum_weights total_backward "
        "total_weights"
    ),
    "np.scalar": (
        "np_arctan2_scalar np_bitwise_and_scalar np_bitwise_or_scalar np_bitwise_xor_scalar "
        "np_copysign_scalar np_equal_scalar np_greater_equal_scalar np_greater_scalar "
        "np_lcm_scalar np_ldexp_scalar np_less_equal_scalar np_less_scalar "
        "np_not_equal_scalar np_rarctan2_scalar np_rcopysign_scalar np_rldexp_scalar "
        "np_rtrue_divide_scalar np_true_divide_scalar"
    ),
    "np.shaping": (
        "np_atleast_1d np_atleast_2d np_atleast_3d np_broadcast_to np_reshape np_squeeze "
        "npx_reshape"
    ),
    "np.unary": (
        "finite_mask np_around np_bitwise_not np_isfinite np_isinf np_isnan np_isneginf "
        "np_isposinf np_logical_not np_nan_to_num"
    ),
}
"""By family, names of the kernels."""


class DeviceError(RuntimeError):
    """A kernel that computes on the CPU alone was given a tensor of another device."""


def _on_host(record: Kernel) -> Function:
    compute, name = record.function, record.name

    def run(*inputs: Tensor | None, out: Places = None, **params: Any) -> Any:
        arrays = [None if x is None else _array(x, name) for x in inputs]
        for key, value in params.items():
            if isinstance(value, torch.Generator):
                params[key] = _Draws(value, name)
            elif isinstance(value, torch.device):
                _check(value, name)
                params[key] = None
        if out is None:
            return _tensors(compute(*arrays, **params))
        memory = tuple([None if x is None else _array(x, name) for x in out])
        return _placed(compute(*arrays, **params, out=memory), memory, out)

    return run


def _check(device: torch.device, name: str) -> None:
    if device.type != "cpu":
        raise DeviceError(
            f"{name}: the torch table computes it on the CPU alone, and this tensor is on "
            f"{device}; move it there with as_in_context(mx.cpu())"
        )


def _array(tensor: Tensor, name: str) -> npt.NDArray[Any]:
    _check(tensor.device, name)
    return array_of(tensor)


class _Draws:
    """Numpy's generator, seeded by the next number of torch's once something is drawn."""

    def __init__(self, generator: torch.Generator, name: str) -> None:
        _check(generator.device, name)
        self._generator = generator

    @cached_property
    def _made(self) -> np.random.Generator:
        seed = torch.randint(0, 2**63 - 1, (), generator=self._generator)
        return np.random.Generator(np.random.PCG64(int(seed)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made, name)


def _tensors(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple([tensor_of(np.asarray(each)) for each in result])
    return tensor_of(np.asarray(result))


def _placed(result: Any, memory: Sequence[Any], out: Sequence[Tensor | None]) -> Any:
    """As :func:`_tensors`; what was written to memory is that tensor."""
    if not isinstance(result, tuple):
        return out[0] if result is memory[0] else _tensors(result)
    pairs = zip(result, memory, out, strict=False)
    known = [tensor if value is array else _tensors(value) for value, array, tensor in pairs]
    return (*known, *map(_tensors, result[len(known) :]))


for _name in " ".join(HOST.values()).split():
    _record = numpy_table().find(_name)
    assert _record is not None, _name
    kernel(_name, out=_record.out, pointwise=_record.pointwise)(_on_host(_record))
