"""Lists of operators by the precision they compute in, for a target dtype."""

from types import ModuleType

import numpy as np

from hy_gluon.amp.lists import symbol_bf16, symbol_fp16
from hy_gluon.amp.lists._listed import listed
from hy_ndarray import DTypeError, dtype_name

__all__ = [
    "ABSENT",
    "list_conditional_fp32_ops",
    "list_fp32_ops",
    "list_loss_output_functions",
    "list_lp16_fp32_ops",
    "list_lp16_ops",
    "list_lp16_use_fp32_params",
    "list_widest_type_cast",
    "target_name",
]

ABSENT = frozenset(
    listed("""
    BatchNormWithReLU CuDNNBatchNorm Custom _CachedOp _CrossDeviceCopy _CustomFunction _NDArray
    _Native _NoGradient _TensorRT _broadcast_backward _cond _contrib_dgl_adjacency
    _contrib_dgl_csr_neighbor_non_uniform_sample _contrib_dgl_csr_neighbor_uniform_sample
    _contrib_dgl_graph_compact _contrib_dgl_subgraph _contrib_edge_id _foreach _imdecode _set_value
    _sg_mkldnn_conv _sg_mkldnn_fully_connected _sparse_cast_storage _sparse_retain
    _split_v2_backward _while_loop cast_storage
""")
)
"""Names in MXNet's lists that hy's operator catalogue lacks.

They are internal to MXNet, operators on sparse arrays or graphs, or exist only in graphs (loops,
which compute in float32, and ``Custom``).
"""

_LISTS = {"float16": symbol_fp16, "bfloat16": symbol_bf16}


def target_name(target_dtype: object) -> str:
    """Return the name of a low-precision dtype, given as a name or numpy dtype.

    Raises:
        DTypeError: The dtype is neither float16 nor bfloat16.
    """
    # numpy has no bfloat16; MXNet stands it in by a structured dtype with one field of that name.
    structured = isinstance(target_dtype, np.dtype) and target_dtype.names == ("bfloat16",)
    name = "bfloat16" if structured else dtype_name(target_dtype)  # the former is MXNet's form
    if name not in _LISTS:
        raise DTypeError(f"mixed precision uses float16 or bfloat16, not {name}")
    return name


def _lists(target_dtype: object) -> tuple[ModuleType, str]:
    name = target_name(target_dtype)
    return _LISTS[name], "FP16" if name == "float16" else "BF16"


def list_lp16_ops(target_dtype: object) -> list[str]:
    """Return the operators whose inputs are cast to the target dtype.

    Args:
        target_dtype: ``"float16"`` or ``"bfloat16"``.

    Raises:
        DTypeError: ``target_dtype`` is another dtype.

    Example:
        >>> list_lp16_ops("bfloat16")
        ['Convolution', 'FullyConnected']
    """
    module, short = _lists(target_dtype)
    names: list[str] = getattr(module, f"{short}_FUNCS")
    return names


def list_fp32_ops(target_dtype: object) -> list[str]:
    """Return the operators whose inputs are cast to float32."""
    names: list[str] = _lists(target_dtype)[0].FP32_FUNCS
    return names


def list_lp16_fp32_ops(target_dtype: object) -> list[str]:
    """Return the operators that compute in the dtype of their inputs, 16 or 32 bits."""
    module, short = _lists(target_dtype)
    names: list[str] = getattr(module, f"{short}_FP32_FUNCS")
    return names


def list_conditional_fp32_ops(target_dtype: object) -> list[tuple[str, str, list[str]]]:
    """Return the operators whose inputs are cast to float32 for some values of a parameter."""
    rows: list[tuple[str, str, list[str]]] = _lists(target_dtype)[0].CONDITIONAL_FP32_FUNCS
    return rows


def list_widest_type_cast(target_dtype: object) -> list[str]:
    """Return the operators whose inputs are cast to the widest of their dtypes."""
    names: list[str] = _lists(target_dtype)[0].WIDEST_TYPE_CASTS
    return names


def list_loss_output_functions(target_dtype: object) -> list[str]:
    """Return the losses that ignore their head gradient, and hence the loss scale."""
    names: list[str] = _lists(target_dtype)[0].LOSS_OUTPUT_FUNCTIONS
    return names


def list_lp16_use_fp32_params(target_dtype: object) -> dict[str, list[str]] | None:
    """Return the names of inputs that always stay float32, by operator; None for float16."""
    return getattr(_lists(target_dtype)[0], "BF16_USE_FP32_PARAMS", None)
