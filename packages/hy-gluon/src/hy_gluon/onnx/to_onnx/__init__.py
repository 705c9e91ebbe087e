"""Graphs into ONNX: one converter per operator, in files by family."""

from hy_gluon.onnx.to_onnx import (
    activation as activation,
    binary as binary,
    control as control,
    convolution as convolution,
    creation as creation,
    detection as detection,
    index as index,
    matrix as matrix,
    norm as norm,
    pooling as pooling,
    product as product,
    quantization as quantization,
    quantized as quantized,
    quantized_sums as quantized_sums,
    random as random,
    recurrent as recurrent,
    reduce as reduce,
    resize as resize,
    shape as shape,
    unary as unary,
)
