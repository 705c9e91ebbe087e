"""Operators by the precision they are safe in, for mixed precision with bfloat16.

Measured from MXNet 1.9.1: bfloat16 has 8 bits of precision where float16 has 11, so it is used in
fewer operators. The lists may be changed before ``amp.init``.
"""

from hy_gluon.amp.lists import symbol_fp16
from hy_gluon.amp.lists._listed import listed

__all__ = [
    "BF16_FP32_FUNCS",
    "BF16_FUNCS",
    "BF16_USE_FP32_PARAMS",
    "CONDITIONAL_FP32_FUNCS",
    "FP32_FUNCS",
    "LOSS_OUTPUT_FUNCTIONS",
    "WIDEST_TYPE_CASTS",
]

BF16_FUNCS = ["Convolution", "FullyConnected"]
"""Inputs are cast to bfloat16."""

BF16_FP32_FUNCS = listed("""
    BatchNorm BatchNormWithReLU Concat LRN Pooling _add _shuffle abs clip concat relu shuffle sqrt
    square tanh
""")
"""Safe in either: they compute in the dtype they are given."""

_NARROWER = listed("""
    Concat _contrib_interleaved_matmul_encdec_qk _contrib_interleaved_matmul_encdec_valatt
    _contrib_interleaved_matmul_selfatt_qk _contrib_interleaved_matmul_selfatt_valatt
    broadcast_mul concat
""")
_WIDER = ["_contrib_MultiBoxDetection", "_contrib_MultiBoxPrior", "_contrib_MultiBoxTarget"]

WIDEST_TYPE_CASTS = [
    *(name for name in symbol_fp16.WIDEST_TYPE_CASTS if name not in _NARROWER),
    *_WIDER,
]
"""Several operands of one dtype: inputs are cast to the widest dtype among them."""

_UNLISTED = listed("""
    CuDNNBatchNorm _TensorRT _contrib_interleaved_matmul_encdec_qk
    _contrib_interleaved_matmul_encdec_valatt _contrib_interleaved_matmul_selfatt_qk
    _contrib_interleaved_matmul_selfatt_valatt amp_cast amp_multicast
""")
_ELSEWHERE = {*BF16_FUNCS, *BF16_FP32_FUNCS, *WIDEST_TYPE_CASTS, *_UNLISTED}

FP32_FUNCS = [
    name
    for name in (
        *symbol_fp16.FP16_FUNCS,
        *symbol_fp16.FP32_FUNCS,
        *symbol_fp16.FP16_FP32_FUNCS,
        *symbol_fp16.WIDEST_TYPE_CASTS,
    )
    if name not in _ELSEWHERE
]
"""All the others that float16 has lists for: inputs are cast to float32."""

CONDITIONAL_FP32_FUNCS = list(symbol_fp16.CONDITIONAL_FP32_FUNCS)
"""Operator, parameter, values: with these values inputs are cast to float32."""

LOSS_OUTPUT_FUNCTIONS = list(symbol_fp16.LOSS_OUTPUT_FUNCTIONS)
"""Losses that bring their own gradient."""

BF16_USE_FP32_PARAMS = {
    name: ["", "gamma", "beta", "moving_mean", "moving_var"]
    for name in ("BatchNorm", "BatchNormWithReLU")
}
"""By operator, the inputs that stay float32 where it computes in bfloat16; "" stands for data."""
