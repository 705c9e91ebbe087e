# Written by `hatch run stubs` from the operator catalogue.
import numpy.typing as npt
from collections.abc import Mapping, Sequence
from typing import Literal, overload
from hy_ndarray import Context
from hy_symbol.symbol.symbol import Symbol
from hy_symbol.sym._operators import linalg as _linalg
from hy_symbol.sym._operators import random as _random

@overload
def Activation(data: Symbol, act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"],
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Apply the activation function ``act_type`` to each element."""
@overload
def Activation(data: Symbol | None = None, *,
        act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"],
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def BatchNorm(data: Symbol | None = None, gamma: Symbol | None = None, beta: Symbol | None = None,
        moving_mean: Symbol | None = None, moving_var: Symbol | None = None, eps: float = 0.001,
        momentum: float = 0.9, fix_gamma: bool = True, use_global_stats: bool = False,
        output_mean_var: bool = False, axis: int = 1, cudnn_off: bool = False,
        min_calib_range: float | None = None, max_calib_range: float | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return batch normalization, ``gamma (data - mean) / sqrt(variance + eps) + beta``."""
def BatchNorm_v1(data: Symbol | None = None, gamma: Symbol | None = None,
        beta: Symbol | None = None, moving_mean: Symbol | None = None,
        moving_var: Symbol | None = None, eps: float = 0.001, momentum: float = 0.9,
        fix_gamma: bool = True, use_global_stats: bool = False, output_mean_var: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``BatchNorm`` of axis 1; the name occurs in files of older versions of MXNet."""
def BilinearSampler(data: Symbol | None = None, grid: Symbol | None = None,
        cudnn_off: bool | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return images sampled bilinearly at the points of a grid; zero outside."""
def BlockGrad(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data`` unchanged and stop the gradient."""
def CTCLoss(data: Symbol | None = None, label: Symbol | None = None,
        data_lengths: Symbol | None = None, label_lengths: Symbol | None = None,
        use_data_lengths: bool = False, use_label_lengths: bool = False,
        blank_label: Literal["first", "last"] = "first", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the negative log probability of label sequences, summed over all alignments."""
@overload
def Cast(data: Symbol, dtype: npt.DTypeLike, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data`` converted to another dtype; conversion to integers truncates fractions."""
@overload
def Cast(data: Symbol | None = None, *, dtype: npt.DTypeLike, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def Concat(*data: Symbol | Sequence[Symbol], num_args: int = ..., dim: int = 1,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the arrays concatenated along an existing axis."""
@overload
def Convolution(data: Symbol, weight: Symbol, bias: Symbol | None, kernel: int | Sequence[int],
        stride: int | Sequence[int], dilate: int | Sequence[int], pad: int | Sequence[int],
        num_filter: int, num_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the convolution (cross-correlation) of ``data``, in 1, 2 or 3 dimensions."""
@overload
def Convolution(data: Symbol | None = None, weight: Symbol | None = None,
        bias: Symbol | None = None, *, kernel: int | Sequence[int],
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), num_filter: int, num_group: int = 1, workspace: int = 1024,
        no_bias: bool = False,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def Convolution_v1(data: Symbol, weight: Symbol, bias: Symbol | None, kernel: int | Sequence[int],
        stride: int | Sequence[int], dilate: int | Sequence[int], pad: int | Sequence[int],
        num_filter: int, num_group: int = 1, workspace: int = 1024, no_bias: bool = False,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False, layout: Literal["NCDHW", "NCHW", "NDHWC", "NHWC"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``Convolution``; the name occurs in files of older versions of MXNet."""
@overload
def Convolution_v1(data: Symbol | None = None, weight: Symbol | None = None,
        bias: Symbol | None = None, *, kernel: int | Sequence[int],
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), num_filter: int, num_group: int = 1, workspace: int = 1024,
        no_bias: bool = False,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False, layout: Literal["NCDHW", "NCHW", "NDHWC", "NHWC"] | None = None,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def Correlation(data1: Symbol | None = None, data2: Symbol | None = None, kernel_size: int = 1,
        max_displacement: int = 1, stride1: int = 1, stride2: int = 1, pad_size: int = 0,
        is_multiply: bool = True, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the correlation of patches of one image with displaced patches of another."""
def Crop(*data: Symbol | Sequence[Symbol], num_args: int = ...,
        offset: int | Sequence[int] = (0, 0), h_w: int | Sequence[int] = (0, 0),
        center_crop: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return a window of each image."""
@overload
def Deconvolution(data: Symbol, weight: Symbol, bias: Symbol | None, kernel: int | Sequence[int],
        stride: int | Sequence[int], dilate: int | Sequence[int], pad: int | Sequence[int],
        adj: int | Sequence[int], target_shape: int | Sequence[int], num_filter: int,
        num_group: int = 1, workspace: int = 512, no_bias: bool = True,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the transposed convolution of ``data``, in 1, 2 or 3 dimensions."""
@overload
def Deconvolution(data: Symbol | None = None, weight: Symbol | None = None,
        bias: Symbol | None = None, *, kernel: int | Sequence[int],
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), adj: int | Sequence[int] = (),
        target_shape: int | Sequence[int] = (), num_filter: int, num_group: int = 1,
        workspace: int = 512, no_bias: bool = True,
        cudnn_tune: Literal["fastest", "limited_workspace", "off"] | None = None,
        cudnn_off: bool = False,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def Dropout(data: Symbol | None = None, p: float = 0.5,
        mode: Literal["always", "training"] = "training", axes: int | Sequence[int] = (),
        cudnn_off: bool | None = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data`` with random elements set to zero, and the others scaled by ``1 / (1 - p)``."""
@overload
def Embedding(data: Symbol, weight: Symbol, input_dim: int, output_dim: int,
        dtype: npt.DTypeLike = "float32", sparse_grad: bool = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the row of ``weight`` for each index."""
@overload
def Embedding(data: Symbol | None = None, weight: Symbol | None = None, *, input_dim: int,
        output_dim: int, dtype: npt.DTypeLike = "float32", sparse_grad: bool = False,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def Flatten(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the array as a matrix, with all axes except the first merged."""
@overload
def FullyConnected(data: Symbol, weight: Symbol, bias: Symbol | None, num_hidden: int,
        no_bias: bool = False, flatten: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data · weightᵀ + bias``."""
@overload
def FullyConnected(data: Symbol | None = None, weight: Symbol | None = None,
        bias: Symbol | None = None, *, num_hidden: int, no_bias: bool = False, flatten: bool = True,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def GridGenerator(data: Symbol, transform_type: Literal["affine", "warp"],
        target_shape: int | Sequence[int] = (0, 0), *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return a sampling grid of x and y coordinates for ``BilinearSampler``."""
@overload
def GridGenerator(data: Symbol | None = None, *, transform_type: Literal["affine", "warp"],
        target_shape: int | Sequence[int] = (0, 0), name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def GroupNorm(data: Symbol | None = None, gamma: Symbol | None = None, beta: Symbol | None = None,
        num_groups: int = 1, eps: float = 1e-05, output_mean_var: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return group normalization, ``gamma (data - mean) / sqrt(variance + eps) + beta``."""
def IdentityAttachKLSparseReg(data: Symbol | None = None, moving_avg: Symbol | None = None,
        sparseness_target: float = 0.1, penalty: float = 0.001, momentum: float = 0.9, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data``, with a sparsity penalty added to its gradient."""
def InstanceNorm(data: Symbol | None = None, gamma: Symbol | None = None,
        beta: Symbol | None = None, eps: float = 0.001, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return instance normalization: batch normalization of each sample on its own."""
def L2Normalization(data: Symbol | None = None, eps: float = 1e-10,
        mode: Literal["channel", "instance", "spatial"] = "instance", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return each vector divided by its length, ``sqrt(sum of squares + eps)``."""
@overload
def LRN(data: Symbol, alpha: float, beta: float, knorm: float, nsize: int, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data / (knorm + alpha / nsize · s) ** beta``, with ``s`` the sum of squares nearby."""
@overload
def LRN(data: Symbol | None = None, alpha: float = 0.0001, beta: float = 0.75, knorm: float = 2.0,
        *, nsize: int, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def LayerNorm(data: Symbol | None = None, gamma: Symbol | None = None, beta: Symbol | None = None,
        axis: int = -1, eps: float = 1e-05, output_mean_var: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return layer normalization, ``gamma (data - mean) / sqrt(variance + eps) + beta``."""
def LeakyReLU(data: Symbol | None = None, gamma: Symbol | None = None,
        act_type: Literal["elu", "gelu", "leaky", "prelu", "rrelu", "selu"] = "leaky",
        slope: float = 0.25, lower_bound: float = 0.125, upper_bound: float = 0.334, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return a leaky ReLU or a related activation function of ``data``."""
def LinearRegressionOutput(data: Symbol | None = None, label: Symbol | None = None,
        grad_scale: float = 1.0, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data``; the gradient is that of ``(data - label)² / 2``."""
def LogisticRegressionOutput(data: Symbol | None = None, label: Symbol | None = None,
        grad_scale: float = 1.0, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``sigmoid(data)``; the gradient is that of its cross entropy with ``label``."""
def MAERegressionOutput(data: Symbol | None = None, label: Symbol | None = None,
        grad_scale: float = 1.0, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data``; the gradient is that of ``|data - label|``."""
def MakeLoss(data: Symbol | None = None, grad_scale: float = 1.0, valid_thresh: float = 0.0,
        normalization: Literal["batch", "null", "valid"] = "null", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data`` as a loss: its gradient is ``grad_scale``, divided as specified."""
@overload
def Pad(data: Symbol, mode: Literal["constant", "edge", "reflect"], pad_width: int | Sequence[int],
        constant_value: float = 0.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the array padded before and after each axis."""
@overload
def Pad(data: Symbol | None = None, *, mode: Literal["constant", "edge", "reflect"],
        pad_width: int | Sequence[int], constant_value: float = 0.0, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def Pooling(data: Symbol | None = None, kernel: int | Sequence[int] = (),
        pool_type: Literal["avg", "lp", "max", "sum"] = "max", global_pool: bool = False,
        cudnn_off: bool = False, pooling_convention: Literal["full", "same", "valid"] = "valid",
        stride: int | Sequence[int] = (), pad: int | Sequence[int] = (), p_value: int | None = None,
        count_include_pad: bool | None = None,
        layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the maximum, average, sum or norm of each window of the spatial axes."""
def Pooling_v1(data: Symbol | None = None, kernel: int | Sequence[int] = (),
        pool_type: Literal["avg", "max", "sum"] = "max", global_pool: bool = False,
        pooling_convention: Literal["full", "valid"] = "valid", stride: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``Pooling`` where padding counts as zeros; the name occurs in older files of MXNet."""
@overload
def RNN(data: Symbol, parameters: Symbol, state: Symbol, state_cell: Symbol | None,
        sequence_length: Symbol | None, state_size: int, num_layers: int, bidirectional: bool,
        mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"], p: float = 0.0,
        state_outputs: bool = False, projection_size: int | None = None,
        lstm_state_clip_min: float | None = None, lstm_state_clip_max: float | None = None,
        lstm_state_clip_nan: bool = False, use_sequence_length: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the outputs of stacked recurrent layers over whole sequences."""
@overload
def RNN(data: Symbol | None = None, parameters: Symbol | None = None, state: Symbol | None = None,
        state_cell: Symbol | None = None, sequence_length: Symbol | None = None, *, state_size: int,
        num_layers: int, bidirectional: bool = False,
        mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"], p: float = 0.0,
        state_outputs: bool = False, projection_size: int | None = None,
        lstm_state_clip_min: float | None = None, lstm_state_clip_max: float | None = None,
        lstm_state_clip_nan: bool = False, use_sequence_length: bool = False,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def ROIPooling(data: Symbol, rois: Symbol, pooled_size: int | Sequence[int], spatial_scale: float,
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the maximum over each bin of each region of interest."""
@overload
def ROIPooling(data: Symbol | None = None, rois: Symbol | None = None, *,
        pooled_size: int | Sequence[int], spatial_scale: float, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def Reshape(data: Symbol | None = None, shape: int | Sequence[int] = (), reverse: bool = False,
        target_shape: int | Sequence[int] = (), keep_highest: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data`` reshaped; negative codes and 0 in ``shape`` refer to the sizes of ``data``."""
def SVMOutput(data: Symbol | None = None, label: Symbol | None = None, margin: float = 1.0,
        regularization_coefficient: float = 1.0, use_linear: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data``; the gradient is that of one-vs-rest hinge losses, squared by default."""
def SequenceLast(data: Symbol | None = None, sequence_length: Symbol | None = None,
        use_sequence_length: bool = False, axis: int = 0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the last element of each sequence."""
def SequenceMask(data: Symbol | None = None, sequence_length: Symbol | None = None,
        use_sequence_length: bool = False, value: float = 0.0, axis: int = 0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return sequences with the elements after their ends replaced by ``value``."""
def SequenceReverse(data: Symbol | None = None, sequence_length: Symbol | None = None,
        use_sequence_length: bool = False, axis: int = 0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return each sequence reversed up to its length; padding stays in place."""
@overload
def SliceChannel(data: Symbol, num_outputs: int, axis: int = 1, squeeze_axis: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return an array split along an axis into equal parts."""
@overload
def SliceChannel(data: Symbol | None = None, *, num_outputs: int, axis: int = 1,
        squeeze_axis: bool = False, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def SoftmaxActivation(data: Symbol | None = None, mode: Literal["channel", "instance"] = "instance",
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the softmax along the last axis, or along the channels."""
def SoftmaxOutput(data: Symbol | None = None, label: Symbol | None = None, grad_scale: float = 1.0,
        ignore_label: float = -1.0, multi_output: bool = False, use_ignore: bool = False,
        preserve_shape: bool = False, normalization: Literal["batch", "null", "valid"] = "null",
        out_grad: bool = False, smooth_alpha: float = 0.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the softmax of ``data``; the gradient is that of the cross entropy with ``label``."""
@overload
def SpatialTransformer(data: Symbol, loc: Symbol, target_shape: int | Sequence[int],
        transform_type: Literal["affine"], sampler_type: Literal["bilinear"],
        cudnn_off: bool | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return images sampled at an affine transformation of a regular grid."""
@overload
def SpatialTransformer(data: Symbol | None = None, loc: Symbol | None = None,
        target_shape: int | Sequence[int] = (0, 0), *, transform_type: Literal["affine"],
        sampler_type: Literal["bilinear"], cudnn_off: bool | None = None, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def SwapAxis(data: Symbol | None = None, dim1: int = 0, dim2: int = 0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the array with two axes exchanged."""
def UpSampling(*data: Symbol | Sequence[Symbol], num_args: int = ..., scale: int,
        num_filter: int = 0, sample_type: Literal["bilinear", "nearest"],
        multi_input_mode: Literal["concat", "sum"] = "concat", workspace: int = 512,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return images enlarged by ``scale`` in height and width."""
def abs(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The absolute value."""
@overload
def adam_update(weight: Symbol, grad: Symbol, mean: Symbol, var: Symbol, lr: float,
        beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-08, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Adam; the caller puts the bias correction into ``lr``."""
@overload
def adam_update(weight: Symbol | None = None, grad: Symbol | None = None,
        mean: Symbol | None = None, var: Symbol | None = None, *, lr: float, beta1: float = 0.9,
        beta2: float = 0.999, epsilon: float = 1e-08, wd: float = 0.0, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, lazy_update: bool = True, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def add_n(*args: Symbol | Sequence[Symbol], num_args: int = ..., name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the element-wise sum of any number of arrays."""
def all_finite(data: Symbol | None = None, init_output: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return 1 if all elements are finite, else 0."""
@overload
def amp_cast(data: Symbol, dtype: npt.DTypeLike, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data`` converted to another dtype if it is floating, else ``data`` unchanged."""
@overload
def amp_cast(data: Symbol | None = None, *, dtype: npt.DTypeLike, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def amp_multicast(*data: Symbol | Sequence[Symbol], num_outputs: int, cast_narrow: bool = False,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the floating arrays converted to the widest of their dtypes; others stay unchanged."""
def arccos(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The angle in ``[0, π]`` whose cosine is ``data``; nan outside of ``[-1, 1]``."""
def arccosh(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The number, not negative, whose hyperbolic cosine is ``data``; nan below 1."""
def arcsin(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The angle in ``[-π/2, π/2]`` whose sine is ``data``; nan outside of ``[-1, 1]``."""
def arcsinh(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The number whose hyperbolic sine is ``data``."""
def arctan(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The angle in ``[-π/2, π/2]`` whose tangent is ``data``."""
def arctanh(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The number whose hyperbolic tangent is ``data``; nan outside of ``[-1, 1]``."""
def argmax(data: Symbol | None = None, axis: int | None = None, keepdims: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the index of the largest element along ``axis``; of equal elements the first."""
def argmax_channel(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``argmax`` along axis 1, as of the scores of classes."""
def argmin(data: Symbol | None = None, axis: int | None = None, keepdims: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the index of the smallest element along ``axis``; of equal elements the first."""
def argsort(data: Symbol | None = None, axis: int | None = -1, is_ascend: bool = True,
        dtype: Literal["float16", "float32", "float64", "int32", "int64", "uint8"] = "float32", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the indices that would sort ``data`` along an axis."""
def batch_dot(lhs: Symbol | None = None, rhs: Symbol | None = None, transpose_a: bool = False,
        transpose_b: bool = False,
        forward_stype: Literal["csr", "default", "row_sparse"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the matrix product of each pair of matrices."""
def batch_take(a: Symbol | None = None, indices: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return one element of each row: ``a[i, indices[i]]``."""
def broadcast_add(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """``lhs + rhs``, broadcast."""
def broadcast_axis(data: Symbol | None = None, axis: int | Sequence[int] = (),
        size: int | Sequence[int] = (), *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the array broadcast along some axes of size 1."""
def broadcast_div(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """``lhs / rhs``, broadcast; the quotient of integers is rounded towards 0."""
def broadcast_equal(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """1 where ``lhs`` equals ``rhs``, else 0; broadcast."""
def broadcast_greater(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """1 where ``lhs > rhs``, else 0; broadcast."""
def broadcast_greater_equal(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """1 where ``lhs >= rhs``, else 0; broadcast."""
def broadcast_hypot(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Length of the hypotenuse, ``sqrt(lhs² + rhs²)``, broadcast, without overflow."""
def broadcast_lesser(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """1 where ``lhs < rhs``, else 0; broadcast."""
def broadcast_lesser_equal(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """1 where ``lhs <= rhs``, else 0; broadcast."""
def broadcast_like(lhs: Symbol | None = None, rhs: Symbol | None = None,
        lhs_axes: int | Sequence[int] | None = None, rhs_axes: int | Sequence[int] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``lhs`` broadcast to the shape of ``rhs``."""
def broadcast_logical_and(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """1 where both are not 0, else 0; broadcast."""
def broadcast_logical_or(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """1 where one of them is not 0, else 0; broadcast."""
def broadcast_logical_xor(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """1 where exactly one of them is not 0, else 0; broadcast."""
def broadcast_maximum(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The larger of ``lhs`` and ``rhs``, broadcast; nan if one of them is."""
def broadcast_minimum(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The smaller of ``lhs`` and ``rhs``, broadcast; nan if one of them is."""
def broadcast_mod(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Remainder of ``lhs / rhs`` with the sign of ``rhs``, broadcast; 0 where ``rhs`` is 0."""
def broadcast_mul(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """``lhs * rhs``, broadcast."""
def broadcast_not_equal(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """1 where ``lhs`` differs from ``rhs``, else 0; broadcast."""
def broadcast_power(lhs: Symbol | None = None, rhs: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """``lhs`` to the power of ``rhs``, broadcast."""
def broadcast_sub(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """``lhs - rhs``, broadcast."""
def broadcast_to(data: Symbol | None = None, shape: int | Sequence[int] = (), *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the array broadcast to a shape."""
@overload
def cast_storage(data: Symbol, stype: Literal["default", "row_sparse", "csr"], *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data`` in another storage format; within a graph of dense arrays, unchanged."""
@overload
def cast_storage(data: Symbol | None = None, *, stype: Literal["default", "row_sparse", "csr"],
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def cbrt(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The cube root."""
def ceil(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The smallest integer not below each element."""
@overload
def clip(data: Symbol, a_min: float, a_max: float, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data`` with elements clipped to the interval from ``a_min`` to ``a_max``."""
@overload
def clip(data: Symbol | None = None, *, a_min: float, a_max: float, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def col2im(data: Symbol, output_size: int | Sequence[int], kernel: int | Sequence[int],
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return images to which columns are added at the positions of their windows."""
@overload
def col2im(data: Symbol | None = None, *, output_size: int | Sequence[int],
        kernel: int | Sequence[int], stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (), name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def cos(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The cosine of angles in radians."""
def cosh(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The hyperbolic cosine."""
def cumsum(a: Symbol | None = None, axis: int | None = None,
        dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the cumulative sum along an axis."""
def degrees(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Angles in radians as degrees."""
@overload
def depth_to_space(data: Symbol, block_size: int, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return channels rearranged to blocks of pixels, of height and width ``B``."""
@overload
def depth_to_space(data: Symbol | None = None, *, block_size: int, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def diag(data: Symbol | None = None, k: int = 0, axis1: int = 0, axis2: int = 1, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return a diagonal of an array, or a matrix with a vector on a diagonal."""
def dot(lhs: Symbol | None = None, rhs: Symbol | None = None, transpose_a: bool = False,
        transpose_b: bool = False,
        forward_stype: Literal["csr", "default", "row_sparse"] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the sum of products over the last axis of ``lhs`` and the first axis of ``rhs``."""
def elemwise_add(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """``lhs + rhs`` of one shape."""
def elemwise_div(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """``lhs / rhs`` of one shape; the quotient of integers is rounded towards 0."""
def elemwise_mul(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """``lhs * rhs`` of one shape."""
def elemwise_sub(lhs: Symbol | None = None, rhs: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """``lhs - rhs`` of one shape."""
def erf(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The error function ``2/√π ∫ exp(-t²) dt`` from 0 to ``data``."""
def erfinv(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The number whose error function is ``data``; nan outside of ``[-1, 1]``."""
def exp(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """``e`` to the power of ``data``."""
@overload
def expand_dims(data: Symbol, axis: int, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the array with a new axis of size 1."""
@overload
def expand_dims(data: Symbol | None = None, *, axis: int, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def expm1(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """``exp(data) - 1``, exact near 0."""
def fill_element_0index(lhs: Symbol | None = None, mhs: Symbol | None = None,
        rhs: Symbol | None = None, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``lhs`` with one element of each row replaced: ``lhs[i, rhs[i]] = mhs[i]``."""
def fix(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Each element without its fraction; as ``trunc``."""
def floor(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The largest integer not above each element."""
@overload
def ftml_update(weight: Symbol, grad: Symbol, d: Symbol, v: Symbol, z: Symbol, lr: float,
        beta1: float, beta2: float, epsilon: float, t: int, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_grad: float = -1.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """FTML (follow the moving leader), an adaptive method."""
@overload
def ftml_update(weight: Symbol | None = None, grad: Symbol | None = None, d: Symbol | None = None,
        v: Symbol | None = None, z: Symbol | None = None, *, lr: float, beta1: float = 0.6,
        beta2: float = 0.999, epsilon: float = 1e-08, t: int, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_grad: float = -1.0, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def ftrl_update(weight: Symbol, grad: Symbol, z: Symbol, n: Symbol, lr: float, lamda1: float = 0.01,
        beta: float = 1.0, wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0,
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Follow the regularised leader: per-coordinate learning rates, and exactly sparse weights."""
@overload
def ftrl_update(weight: Symbol | None = None, grad: Symbol | None = None, z: Symbol | None = None,
        n: Symbol | None = None, *, lr: float, lamda1: float = 0.01, beta: float = 1.0,
        wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def gamma(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The gamma function, ``(data - 1)!`` for integers; nan at the negative ones."""
def gammaln(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Logarithm of the absolute value of the gamma function."""
def gather_nd(data: Symbol | None = None, indices: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the elements or slices of ``data`` at the given coordinates."""
def hard_sigmoid(data: Symbol | None = None, alpha: float = 0.2, beta: float = 0.5, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``alpha * data + beta`` clipped to 0 and 1."""
def identity(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return a copy of ``data``."""
@overload
def im2col(data: Symbol, kernel: int | Sequence[int], stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (), pad: int | Sequence[int] = (), *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the sliding windows of an image as columns of a matrix."""
@overload
def im2col(data: Symbol | None = None, *, kernel: int | Sequence[int],
        stride: int | Sequence[int] = (), dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (), name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def khatri_rao(*args: Symbol | Sequence[Symbol], num_args: int = ..., name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the Khatri-Rao product: the column-wise Kronecker product."""
@overload
def lamb_update_phase1(weight: Symbol, grad: Symbol, mean: Symbol, var: Symbol, beta1: float,
        beta2: float, epsilon: float, t: int, bias_correction: bool, wd: float,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The direction of LAMB's step: Adam's, plus ``wd * weight``."""
@overload
def lamb_update_phase1(weight: Symbol | None = None, grad: Symbol | None = None,
        mean: Symbol | None = None, var: Symbol | None = None, beta1: float = 0.9,
        beta2: float = 0.999, epsilon: float = 1e-06, *, t: int, bias_correction: bool = True,
        wd: float, rescale_grad: float = 1.0, clip_gradient: float = -1.0, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def lamb_update_phase2(weight: Symbol, g: Symbol, r1: Symbol, r2: Symbol, lr: float,
        lower_bound: float = -1.0, upper_bound: float = -1.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """LAMB's step along ``g``: ``weight - lr * (r1 / r2) * g``."""
@overload
def lamb_update_phase2(weight: Symbol | None = None, g: Symbol | None = None,
        r1: Symbol | None = None, r2: Symbol | None = None, *, lr: float, lower_bound: float = -1.0,
        upper_bound: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def log(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The natural logarithm; -inf at 0, nan below."""
def log10(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The logarithm to base 10."""
def log1p(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """``log(1 + data)``, exact near 0."""
def log2(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The logarithm to base 2."""
def log_softmax(data: Symbol | None = None, axis: int = -1, temperature: float | None = None,
        dtype: Literal["float16", "float32", "float64"] | None = None, use_length: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the logarithm of the softmax along ``axis``, exact also where softmax underflows."""
def logical_not(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return 1 where ``data`` is 0, else 0."""
def make_loss(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data`` as a loss to minimise: the gradient of each element is 1."""
def max(data: Symbol | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        exclude: bool = False, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The largest element along some axes; nan if there is one."""
def mean(data: Symbol | None = None, axis: int | Sequence[int] | None = None,
        keepdims: bool = False, exclude: bool = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The mean of the elements along some axes."""
def min(data: Symbol | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        exclude: bool = False, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The smallest element along some axes; nan if there is one."""
def moments(data: Symbol | None = None, axes: int | Sequence[int] | None = None,
        keepdims: bool = False, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the mean and variance of the elements along some axes."""
@overload
def mp_lamb_update_phase1(weight: Symbol, grad: Symbol, mean: Symbol, var: Symbol, weight32: Symbol,
        beta1: float, beta2: float, epsilon: float, t: int, bias_correction: bool, wd: float,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The direction of LAMB's step on a 16-bit weight; see ``lamb_update_phase1``."""
@overload
def mp_lamb_update_phase1(weight: Symbol | None = None, grad: Symbol | None = None,
        mean: Symbol | None = None, var: Symbol | None = None, weight32: Symbol | None = None,
        beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-06, *, t: int,
        bias_correction: bool = True, wd: float, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def mp_lamb_update_phase2(weight: Symbol, g: Symbol, r1: Symbol, r2: Symbol, weight32: Symbol,
        lr: float, lower_bound: float = -1.0, upper_bound: float = -1.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """LAMB's step along ``g`` on a 16-bit weight; see ``lamb_update_phase2``."""
@overload
def mp_lamb_update_phase2(weight: Symbol | None = None, g: Symbol | None = None,
        r1: Symbol | None = None, r2: Symbol | None = None, weight32: Symbol | None = None, *,
        lr: float, lower_bound: float = -1.0, upper_bound: float = -1.0, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def mp_nag_mom_update(weight: Symbol, grad: Symbol, mom: Symbol, weight32: Symbol, lr: float,
        momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Nesterov's accelerated gradient on a 16-bit weight; see ``nag_mom_update``."""
@overload
def mp_nag_mom_update(weight: Symbol | None = None, grad: Symbol | None = None,
        mom: Symbol | None = None, weight32: Symbol | None = None, *, lr: float,
        momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def mp_sgd_mom_update(weight: Symbol, grad: Symbol, mom: Symbol, weight32: Symbol, lr: float,
        momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, lazy_update: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Gradient descent with momentum on a 16-bit weight; see ``sgd_mom_update``."""
@overload
def mp_sgd_mom_update(weight: Symbol | None = None, grad: Symbol | None = None,
        mom: Symbol | None = None, weight32: Symbol | None = None, *, lr: float,
        momentum: float = 0.0, wd: float = 0.0, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, lazy_update: bool = True, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def mp_sgd_update(weight: Symbol, grad: Symbol, weight32: Symbol, lr: float, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Gradient descent on a 16-bit weight; see ``sgd_update``."""
@overload
def mp_sgd_update(weight: Symbol | None = None, grad: Symbol | None = None,
        weight32: Symbol | None = None, *, lr: float, wd: float = 0.0, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, lazy_update: bool = True, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def multi_all_finite(*data: Symbol | Sequence[Symbol], num_arrays: int = 1,
        init_output: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return 1 if all elements of all arrays are finite, else 0."""
@overload
def multi_lars(lrs: Symbol, weights_sum_sq: Symbol, grads_sum_sq: Symbol, wds: Symbol, eta: float,
        eps: float, rescale_grad: float = 1.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``lr * eta * |weight| / (|grad| + wd * |weight| + eps)``, the rate of each layer."""
@overload
def multi_lars(lrs: Symbol | None = None, weights_sum_sq: Symbol | None = None,
        grads_sum_sq: Symbol | None = None, wds: Symbol | None = None, *, eta: float, eps: float,
        rescale_grad: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def multi_mp_sgd_mom_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float],
        wds: float | Sequence[float], momentum: float = 0.0, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, num_weights: int = 1, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Gradient descent with momentum on many 16-bit weights; see ``sgd_mom_update``."""
def multi_mp_sgd_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float],
        wds: float | Sequence[float], rescale_grad: float = 1.0, clip_gradient: float = -1.0,
        num_weights: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Gradient descent on many 16-bit weights; see ``sgd_update``."""
def multi_sgd_mom_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float],
        wds: float | Sequence[float], momentum: float = 0.0, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, num_weights: int = 1, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Gradient descent with momentum on many weights; see ``sgd_mom_update``."""
def multi_sgd_update(*data: Symbol | Sequence[Symbol], lrs: float | Sequence[float],
        wds: float | Sequence[float], rescale_grad: float = 1.0, clip_gradient: float = -1.0,
        num_weights: int = 1, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Gradient descent on many weights; see ``sgd_update``."""
def multi_sum_sq(*data: Symbol | Sequence[Symbol], num_arrays: int, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the sum of squares of each array."""
@overload
def nag_mom_update(weight: Symbol, grad: Symbol, mom: Symbol, lr: float, momentum: float = 0.0,
        wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Nesterov's accelerated gradient."""
@overload
def nag_mom_update(weight: Symbol | None = None, grad: Symbol | None = None,
        mom: Symbol | None = None, *, lr: float, momentum: float = 0.0, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def nanprod(data: Symbol | None = None, axis: int | Sequence[int] | None = None,
        keepdims: bool = False, exclude: bool = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The product of the elements along some axes, where nan counts as 1."""
def nansum(data: Symbol | None = None, axis: int | Sequence[int] | None = None,
        keepdims: bool = False, exclude: bool = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The sum of the elements along some axes, where nan counts as 0."""
def negative(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """``-data``."""
def norm(data: Symbol | None = None, ord: int = 2, axis: int | Sequence[int] | None = None,
        out_dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
        keepdims: bool = False, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the L1 or L2 norm of the vectors along some axes."""
@overload
def one_hot(indices: Symbol, depth: int, on_value: float = 1.0, off_value: float = 0.0,
        dtype: npt.DTypeLike = "float32", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return a one-hot vector for each index."""
@overload
def one_hot(indices: Symbol | None = None, *, depth: int, on_value: float = 1.0,
        off_value: float = 0.0, dtype: npt.DTypeLike = "float32", name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def ones_like(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ones in the shape and dtype of ``data``."""
def pick(data: Symbol | None = None, index: Symbol | None = None, axis: int | None = -1,
        keepdims: bool = False, mode: Literal["clip", "wrap"] = "clip", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the element at ``index`` along an axis, for each position of the other axes."""
def preloaded_multi_mp_sgd_mom_update(*data: Symbol | Sequence[Symbol], momentum: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Gradient descent with momentum on many 16-bit weights, with learning rates and weight decays in arrays; see ``sgd_mom_update``."""
def preloaded_multi_mp_sgd_update(*data: Symbol | Sequence[Symbol], rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, num_weights: int = 1, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Gradient descent on many 16-bit weights, with learning rates and weight decays in arrays; see ``sgd_update``."""
def preloaded_multi_sgd_mom_update(*data: Symbol | Sequence[Symbol], momentum: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Gradient descent with momentum on many weights, with learning rates and weight decays in arrays; see ``sgd_mom_update``."""
def preloaded_multi_sgd_update(*data: Symbol | Sequence[Symbol], rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, num_weights: int = 1, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Gradient descent on many weights, with learning rates and weight decays in arrays; see ``sgd_update``."""
def prod(data: Symbol | None = None, axis: int | Sequence[int] | None = None,
        keepdims: bool = False, exclude: bool = False, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The product of the elements along some axes."""
def radians(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Angles in degrees as radians."""
def random_exponential(lam: float = 1.0, shape: int | Sequence[int] | None = None,
        ctx: Context | str = "", dtype: npt.DTypeLike | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Numbers of an exponential distribution."""
def random_gamma(alpha: float = 1.0, beta: float = 1.0, shape: int | Sequence[int] | None = None,
        ctx: Context | str = "", dtype: npt.DTypeLike | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Numbers of a gamma distribution."""
def random_generalized_negative_binomial(mu: float = 1.0, alpha: float = 1.0,
        shape: int | Sequence[int] | None = None, ctx: Context | str = "",
        dtype: npt.DTypeLike | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Whole numbers of a negative binomial distribution given by its mean."""
def random_negative_binomial(k: int = 1, p: float = 1.0, shape: int | Sequence[int] | None = None,
        ctx: Context | str = "", dtype: npt.DTypeLike | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Draw the number of failed trials before the ``k``-th success, in a floating dtype."""
def random_normal(loc: float = 0.0, scale: float = 1.0, shape: int | Sequence[int] | None = None,
        ctx: Context | str = "", dtype: npt.DTypeLike | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Numbers of a normal distribution."""
def random_poisson(lam: float = 1.0, shape: int | Sequence[int] | None = None,
        ctx: Context | str = "", dtype: npt.DTypeLike | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Whole numbers of a Poisson distribution, in a floating dtype."""
def random_randint(low: int, high: int, shape: int | Sequence[int] | None = None,
        ctx: Context | str = "", dtype: npt.DTypeLike | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return integers drawn uniformly from ``low`` to ``high - 1``."""
def random_uniform(low: float = 0.0, high: float = 1.0, shape: int | Sequence[int] | None = None,
        ctx: Context | str = "", dtype: npt.DTypeLike | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Numbers of equal probability from ``low`` up to ``high``."""
def ravel_multi_index(data: Symbol | None = None, shape: int | Sequence[int] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return flat indices of coordinates in a row-major array."""
def rcbrt(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """``1 / cbrt(data)``."""
def reciprocal(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """``1 / data``."""
def relu(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The ReLU ``max(data, 0)``; its gradient at 0 is 0."""
@overload
def repeat(data: Symbol, repeats: int, axis: int | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the array with each element repeated along an axis."""
@overload
def repeat(data: Symbol | None = None, *, repeats: int, axis: int | None = None,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def reset_arrays(*data: Symbol | Sequence[Symbol], num_arrays: int, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Overwrite arrays with zeros."""
def reshape_like(lhs: Symbol | None = None, rhs: Symbol | None = None, lhs_begin: int | None = None,
        lhs_end: int | None = None, rhs_begin: int | None = None, rhs_end: int | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``lhs`` in the shape of ``rhs``, or with some axes reshaped to some axes of ``rhs``."""
@overload
def reverse(data: Symbol, axis: int | Sequence[int], *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the elements in reverse order along some axes."""
@overload
def reverse(data: Symbol | None = None, *, axis: int | Sequence[int], name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def rint(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The nearest integer; of two equally near ones the lower."""
@overload
def rmsprop_update(weight: Symbol, grad: Symbol, n: Symbol, lr: float, gamma1: float = 0.95,
        epsilon: float = 1e-08, wd: float = 0.0, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, clip_weights: float = -1.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """RMSProp."""
@overload
def rmsprop_update(weight: Symbol | None = None, grad: Symbol | None = None,
        n: Symbol | None = None, *, lr: float, gamma1: float = 0.95, epsilon: float = 1e-08,
        wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0,
        clip_weights: float = -1.0, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def rmspropalex_update(weight: Symbol, grad: Symbol, n: Symbol, g: Symbol, delta: Symbol, lr: float,
        gamma1: float = 0.95, gamma2: float = 0.9, epsilon: float = 1e-08, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, clip_weights: float = -1.0, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """RMSProp with the variance of the gradient in place of its mean square, and momentum."""
@overload
def rmspropalex_update(weight: Symbol | None = None, grad: Symbol | None = None,
        n: Symbol | None = None, g: Symbol | None = None, delta: Symbol | None = None, *, lr: float,
        gamma1: float = 0.95, gamma2: float = 0.9, epsilon: float = 1e-08, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, clip_weights: float = -1.0,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def round(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The nearest integer; of two equally near ones that farther from 0."""
def rsqrt(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """``1 / sqrt(data)``."""
def sample_exponential(lam: Symbol | None = None, shape: int | Sequence[int] = (),
        dtype: npt.DTypeLike | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Numbers of exponential distributions, some for each."""
def sample_gamma(alpha: Symbol | None = None, beta: Symbol | None = None,
        shape: int | Sequence[int] = (), dtype: npt.DTypeLike | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Numbers of gamma distributions, some for each."""
def sample_generalized_negative_binomial(mu: Symbol | None = None, alpha: Symbol | None = None,
        shape: int | Sequence[int] = (), dtype: npt.DTypeLike | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Whole numbers of negative binomial distributions given by their means, some for each."""
def sample_multinomial(data: Symbol | None = None, shape: int | Sequence[int] = (),
        get_prob: bool = False, dtype: npt.DTypeLike = "int32", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return indices drawn from categorical distributions."""
def sample_negative_binomial(k: Symbol | None = None, p: Symbol | None = None,
        shape: int | Sequence[int] = (), dtype: npt.DTypeLike | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Numbers of failures before the ``k``-th success, some for each."""
def sample_normal(mu: Symbol | None = None, sigma: Symbol | None = None,
        shape: int | Sequence[int] = (), dtype: npt.DTypeLike | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Numbers of normal distributions, some for each."""
def sample_poisson(lam: Symbol | None = None, shape: int | Sequence[int] = (),
        dtype: npt.DTypeLike | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Whole numbers of Poisson distributions, some for each."""
def sample_uniform(low: Symbol | None = None, high: Symbol | None = None,
        shape: int | Sequence[int] = (), dtype: npt.DTypeLike | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Numbers of equal probability, some for each."""
@overload
def scatter_nd(data: Symbol, indices: Symbol, shape: int | Sequence[int], *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return zeros with the elements or slices of ``data`` written at coordinates."""
@overload
def scatter_nd(data: Symbol | None = None, indices: Symbol | None = None, *,
        shape: int | Sequence[int], name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def sgd_mom_update(weight: Symbol, grad: Symbol, mom: Symbol, lr: float, momentum: float = 0.0,
        wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0,
        lazy_update: bool = True, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Gradient descent with momentum."""
@overload
def sgd_mom_update(weight: Symbol | None = None, grad: Symbol | None = None,
        mom: Symbol | None = None, *, lr: float, momentum: float = 0.0, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, lazy_update: bool = True,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def sgd_update(weight: Symbol, grad: Symbol, lr: float, wd: float = 0.0, rescale_grad: float = 1.0,
        clip_gradient: float = -1.0, lazy_update: bool = True, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Gradient descent: ``weight - lr * (grad + wd * weight)``."""
@overload
def sgd_update(weight: Symbol | None = None, grad: Symbol | None = None, *, lr: float,
        wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0,
        lazy_update: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def shape_array(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the shape of ``data`` as an int64 vector."""
def shuffle(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the slices along the first axis in random order."""
def sigmoid(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The logistic function ``1 / (1 + exp(-data))``."""
def sign(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """-1 for negative elements, 1 for positive ones, 0 for 0 and nan."""
@overload
def signsgd_update(weight: Symbol, grad: Symbol, lr: float, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """A step of fixed size against the sign of the gradient."""
@overload
def signsgd_update(weight: Symbol | None = None, grad: Symbol | None = None, *, lr: float,
        wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def signum_update(weight: Symbol, grad: Symbol, mom: Symbol, lr: float, momentum: float = 0.0,
        wd: float = 0.0, rescale_grad: float = 1.0, clip_gradient: float = -1.0, wd_lh: float = 0.0,
        *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Step of fixed size by the sign of the momentum."""
@overload
def signum_update(weight: Symbol | None = None, grad: Symbol | None = None,
        mom: Symbol | None = None, *, lr: float, momentum: float = 0.0, wd: float = 0.0,
        rescale_grad: float = 1.0, clip_gradient: float = -1.0, wd_lh: float = 0.0,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def sin(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The sine of angles in radians."""
def sinh(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The hyperbolic sine."""
def size_array(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the number of elements of ``data`` as an int64 vector of length 1."""
@overload
def slice(data: Symbol, begin: int | None | Sequence[int | None],
        end: int | None | Sequence[int | None], step: int | None | Sequence[int | None] = (), *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data[begin:end:step]``, with the meaning of Python slices."""
@overload
def slice(data: Symbol | None = None, *, begin: int | None | Sequence[int | None],
        end: int | None | Sequence[int | None], step: int | None | Sequence[int | None] = (),
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
@overload
def slice_axis(data: Symbol, axis: int, begin: int, end: int | None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the slice ``begin:end`` along one axis."""
@overload
def slice_axis(data: Symbol | None = None, *, axis: int, begin: int, end: int | None,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol: ...
def slice_like(data: Symbol | None = None, shape_like: Symbol | None = None,
        axes: int | Sequence[int] = (), *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data`` cut to the sizes of ``shape_like`` along some axes."""
def smooth_l1(data: Symbol | None = None, scalar: float = 1.0, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the smooth L1 loss: quadratic near 0, linear elsewhere."""
def softmax(data: Symbol | None = None, length: Symbol | None = None, axis: int = -1,
        temperature: float | None = None,
        dtype: Literal["float16", "float32", "float64"] | None = None, use_length: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the softmax along ``axis``: exponentials normalized to sum to 1."""
def softmax_cross_entropy(data: Symbol | None = None, label: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the sum over all samples of ``-log softmax(data)[label]``."""
def softmin(data: Symbol | None = None, axis: int = -1, temperature: float | None = None,
        dtype: Literal["float16", "float32", "float64"] | None = None, use_length: bool = False, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the softmax of ``-data``."""
def softsign(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """``data / (1 + abs(data))``."""
def sort(data: Symbol | None = None, axis: int | None = -1, is_ascend: bool = True, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return ``data`` sorted along an axis."""
@overload
def space_to_depth(data: Symbol, block_size: int, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return blocks of pixels rearranged to channels; the inverse of ``depth_to_space``."""
@overload
def space_to_depth(data: Symbol | None = None, *, block_size: int, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def sqrt(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The square root; nan for negative elements."""
def square(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """``data * data``."""
def squeeze(data: Symbol | None = None, axis: int | Sequence[int] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the array with axes of size 1 removed."""
def stack(*data: Symbol | Sequence[Symbol], num_args: int = ..., axis: int = 0,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return arrays of one shape stacked along a new axis."""
def sum(data: Symbol | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False,
        exclude: bool = False, *, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The sum of the elements along some axes."""
def take(a: Symbol | None = None, indices: Symbol | None = None, axis: int = 0,
        mode: Literal["clip", "raise", "wrap"] = "clip", *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the slices of ``a`` at the given indices along an axis."""
def tan(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The tangent of angles in radians."""
def tanh(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """The hyperbolic tangent."""
@overload
def tile(data: Symbol, reps: int | Sequence[int], *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the array tiled: repeated as a whole along its axes."""
@overload
def tile(data: Symbol | None = None, *, reps: int | Sequence[int], name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol: ...
def topk(data: Symbol | None = None, axis: int | None = -1, k: int = 1,
        ret_typ: Literal["both", "indices", "mask", "value"] = "indices", is_ascend: bool = False,
        dtype: Literal["float16", "float32", "float64", "int32", "int64", "uint8"] = "float32", *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the ``k`` largest (or smallest) elements along an axis, sorted."""
def transpose(data: Symbol | None = None, axes: int | Sequence[int] = (), *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the array with its axes permuted."""
def trunc(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Each element without its fraction."""
def unravel_index(data: Symbol | None = None, shape: int | Sequence[int] | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return the coordinates of flat indices into a row-major array."""
def where(condition: Symbol | None = None, x: Symbol | None = None, y: Symbol | None = None, *,
        name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Return elements of ``x`` where the condition is not 0, else elements of ``y``."""
def zeros_like(data: Symbol | None = None, *, name: str | None = None,
        attr: Mapping[str, str] | None = None) -> Symbol:
    """Return zeros in the shape and dtype of ``data``."""

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
