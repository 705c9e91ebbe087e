"""Graphs into ONNX: one converter per operator, in files by family."""

from hy_gluon.onnx.to_onnx import (
    activation as activation,
    binary as binary,
    convolution as convolution,
    creation as creation,
    index as index,
    norm as norm,
    pooling as pooling,
    product as product,
    reduce as reduce,
    shape as shape,
    unary as unary,
)
