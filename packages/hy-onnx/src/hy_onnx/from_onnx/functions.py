"""Import of operators without a reader, by ONNX's function definitions."""

from dataclasses import replace

import numpy as np

from hy_ndarray import numpy_type
from hy_onnx.definitions import Kind, definition
from hy_onnx.from_onnx.bodies import read_body, renamed
from hy_onnx.from_onnx.call import Call, Operand
from hy_onnx.from_onnx.value import Tensor
from hy_symbol.exchange import ImportModelError

__all__ = ["defined"]


def defined(call: Call) -> list[Operand] | None:
    """Convert a node by the ONNX function definition of its operator, None without one.

    Raises:
        ImportModelError: A node of the definition cannot be imported; names both nodes.
    """
    try:
        model = definition(call.node, [_type_of(operand) for operand in call.operands], call.opset)
    except Exception as error:  # ONNX's definitions raise of every kind
        raise call.refused(f"ONNX cannot define it with these attributes: {error}") from error
    if model is None:
        return None
    body = model.graph
    names = [*call.node.inputs, *[""] * (len(body.inputs) - len(call.node.inputs))]
    known = {value.name: name for value, name in zip(body.inputs, names, strict=True)}
    pairs = zip(body.outputs, call.node.outputs, strict=False)
    wanted = [value for value, name in pairs if name]  # others may be given by no node
    inner = renamed(replace(body, inputs=[], outputs=wanted), call.title, known)
    # The definition may be written in another version of the operators.
    opset, call.graph.opset = call.opset, model.opset
    try:
        outputs = iter(read_body(call, inner, {}))
    except ImportModelError as error:
        raise call.refused(f"in its definition, {error}") from error
    finally:
        call.graph.opset = opset
    return [next(outputs) if name else None for name in call.node.outputs]


def _type_of(operand: Operand) -> Kind | None:
    if isinstance(operand, Tensor):
        return np.dtype(numpy_type(operand.dtype)), operand.dims
    if isinstance(operand, list):
        return np.dtype(np.int64), (len(operand),)
    return None if operand is None else (operand.dtype, operand.shape)
