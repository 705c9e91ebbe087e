"""Private classes of ``mxnet.contrib.onnx``: reading and writing models."""

from typing import Any

from hy_gluon import onnx
from hy_symbol import Symbol
from mxnet._private.absent import Absent, absent_class

_EXPORT = "mx.onnx.export_model writes models: one function for all operators"
_IMPORT = "mx.contrib.onnx.import_model reads models: one function for all operators"

export_model = onnx.export_model
MXNetGraph = absent_class("MXNetGraph", _EXPORT)


class GraphProto:
    """Converter of ONNX models to symbols and parameters."""

    def from_onnx(self, graph: Any, opset_version: int = 0) -> tuple[Symbol, Any, Any]:
        """Raise an error: hy reads ONNX files and bytes, not graph objects.

        Raises:
            AbsentError: Always; the message says what to use.
        """
        del graph, opset_version
        Absent("GraphProto.from_onnx", _IMPORT)()
        raise AssertionError


_CONVERTERS = frozenset(
    (
        "RNN abs acos activation add_scalar addn arange arange_like argmax argmin argsort asin "
        "atan batch_dot batchnorm blockgrad broadcast_axis broadcast_div broadcast_equal "
        "broadcast_greater broadcast_greater_equal broadcast_lesser broadcast_lesser_equal "
        "broadcast_like broadcast_logical_and broadcast_logical_or broadcast_logical_xor "
        "broadcast_min broadcast_mod broadcast_mul broadcast_not_equal broadcast_power "
        "broadcast_to cast ceil clip concat contrib_AdaptiveAvgPooling2D "
        "contrib_BilinearResize2D contrib_box_decode contrib_box_nms contrib_div_sqrt_dim "
        "contrib_interleaved_matmul_selfatt_valatt contrib_roialign contrib_split_v2 "
        "convolution copy cos crop deconvolution depthtospace div_scalar dot dropout "
        "elementwise_add elementwise_sub elemwise_div elemwise_mul embedding equal_scalar exp "
        "expand_dims flatten floor fully_connected gather_nd greater_scalar hardsigmoid "
        "identity instancenorm l2normalization layer_norm leakyrelu lesser_scalar linalg_gemm2 "
        "log log2 logical_not logistic_regression_output logsoftmax lrn makeloss "
        "matmul_selfatt_qk max maximum maximum_scalar mean min minimum minimum_scalar "
        "minus_scalar mul_scalar multinomial negative norm one_hot ones ones_like pad pooling "
        "pow_scalar power prod random_normal random_uniform random_uniform_like rdiv_scalar "
        "reciprocal relu repeat reshape reshape_like reverse rminus_scalar rnn_param_concat "
        "roipooling sequence_reverse sequencemask shape sigmoid sin size slice slice_axis "
        "slice_channel slice_like softmax softmax_output spacetodepth sqrt square squeeze stack "
        "string_to_list sum swapaxis take tan tanh tile topk transpose upsampling "
        "weights_and_inputs where zeros zeros_like "
    ).split()
)
"""Operators that functions ``convert_<name>`` wrote."""
_READERS = frozenset(
    (
        "_add_extra_attributes _cos _elu _fix_attribute_names _fix_bias _fix_broadcast "
        "_fix_channels _fix_gemm _fix_pooling _log _pad_sequence_fix _prelu _remove_attributes "
        "_selu _sin _slice _tan absolute add add_n arccos arcsin arctan argmax argmin "
        "avg_pooling batch_norm cast ceil clip concat conv covert_broadcast_add "
        "covert_broadcast_sub create_basic_op_node create_const_node create_const_scalar_node "
        "create_helper_trans_node create_tensor deconv depthtospace divide dropout equal "
        "exponent export_model_ flatten floor fully_connected gather "
        "get_boolean_attribute_value get_input_dtypes get_input_shape get_inputs "
        "get_model_metadata_ get_operator_support global_avgpooling global_lppooling "
        "global_maxpooling greater hardmax hardsigmoid identity import_model_ import_to_gluon_ "
        "instance_norm leaky_relu lesser linalg_gemm load_module local_response_norm "
        "log_softmax logical_and logical_not logical_or logical_xor lp_pooling lpnormalization "
        "matrix_multiplication max_pooling max_roi_pooling maximum mean minimum multiply "
        "negative pad parse_helper power random_normal random_uniform reciprocal reduce_l1 "
        "reduce_l2 reduce_log_sum reduce_log_sum_exp reduce_max reduce_mean reduce_min "
        "reduce_prod reduce_sum reduce_sum_square relu reshape sample_multinomial "
        "scalar_op_helper shape sigmoid size softmax softplus softsign spacetodepth split "
        "squareroot squeeze subtract tanh topk transform_padding transpose "
        "transpose_last_two_dim unsqueeze "
    ).split()
)
"""Functions that read operators, and helpers of both."""

OPSET_VERSION = 13
"""The version of ONNX's operators that MXNet wrote; ``export_model`` takes another."""
convert_map: dict[str, Any] = {}
"""Functions by ONNX's operators: there are none, as one function reads all."""
_convert_map = convert_map
mx_op = MXNetGraph
__path__: list[str] = []  # modules below this one are it, by other paths


def __getattr__(name: str) -> Any:
    if name.startswith("convert_") and name.removeprefix("convert_") in _CONVERTERS:
        return Absent(name, _EXPORT)
    if name in _READERS:
        return Absent(name, _IMPORT)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_READERS, *(f"convert_{name}" for name in _CONVERTERS)})
