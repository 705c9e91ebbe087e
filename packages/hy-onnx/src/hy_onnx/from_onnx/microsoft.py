"""Import of operators of the domain ``com.microsoft``, which ONNX Runtime's quantizer writes."""

from collections.abc import Sequence
from dataclasses import replace

from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.quantization import dequantized, quantized, rounded
from hy_onnx.from_onnx.quantized import product_sums, scale_of, scaled
from hy_onnx.from_onnx.registry import READERS, Reader, reader
from hy_onnx.from_onnx.value import Tensor

__all__: list[str] = []

_ON_FLOATS = {
    "QLinearAdd": ("Add", 2),
    "QLinearAveragePool": ("AveragePool", 1),
    "QLinearGlobalAveragePool": ("GlobalAveragePool", 1),
    "QLinearLeakyRelu": ("LeakyRelu", 1),
    "QLinearMul": ("Mul", 2),
    "QLinearSigmoid": ("Sigmoid", 1),
    "QLinearSoftmax": ("Softmax", 1),
}
"""Quantized operators, with the floating operator they are computed by and its operand count."""


def _floating(call: Call, op: str, operands: Sequence[Tensor]) -> Tensor:
    """Apply the standard ONNX operator ``op`` to floating operands, with the node's attributes."""
    if call.attr("channels_last", 0):
        raise call.refused("channels_last=1; ONNX pools with the channels before the spatial axes")
    node = replace(call.node, op=op, domain="", outputs=call.node.outputs[:1])
    outputs = READERS[op](Call(node, operands, call.graph))
    assert isinstance(outputs, Tensor), "an operator of one output"
    return outputs


def _around(op: str, count: int) -> Reader:
    """Return a reader that dequantizes ``count`` operands, applies ``op`` and quantizes."""

    def read(call: Call) -> Tensor:
        operands = [dequantized(call, 3 * i) for i in range(count)]
        return quantized(call, _floating(call, op, operands), 3 * count)

    return read


for _name, (_op, _count) in _ON_FLOATS.items():
    reader(f"com.microsoft.{_name}")(_around(_op, _count))


@reader("com.microsoft.QLinearConcat")
def _concat(call: Call) -> Tensor:
    parts = [dequantized(call, i) for i in range(2, len(call.operands), 3)]
    return quantized(call, _floating(call, "Concat", parts), 0)


@reader("com.microsoft.QLinearWhere")
def _where(call: Call) -> Tensor:
    parts = [call.x, dequantized(call, 1), dequantized(call, 4)]
    return quantized(call, _floating(call, "Where", parts), 7)


@reader("com.microsoft.QGemm")
def _dense(call: Call) -> Tensor:
    if call.attr("transA", 0):
        call.operands[0] = call.transpose(call.x, 1, 0)
    if call.attr("transB", 0):
        call.operands[3] = call.known(3, "weight B").T
    sums = product_sums(call, 3, 5)
    if call.has(6):
        sums = call.op("_npi_add", sums, call.tensor(6))
    y = scaled(call, sums, call.attr("alpha", 1.0) * scale_of(call, 7, (-1,)))
    return rounded(call, y, 8) if call.has(7) else y
