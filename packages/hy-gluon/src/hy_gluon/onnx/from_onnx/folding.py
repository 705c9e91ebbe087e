"""What a model computes from constants and shapes alone, computed now."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hy_gluon.onnx.from_onnx.call import Operand
from hy_gluon.onnx.from_onnx.value import Tensor
from hy_gluon.onnx.model import Array, Dim, OnnxNode
from hy_gluon.onnx.protobuf import evaluated

__all__ = ["folded"]


def _result(function: Callable[[int, int], int], identity: int) -> Callable[[Any, Any], Any]:
    """Arithmetic of two sizes: with an open one it is open, and has a name if it stays the same."""

    def compute(a: Any, b: Any) -> Any:
        if isinstance(a, int) and isinstance(b, int):
            return function(a, b)
        return a if b == identity else None

    return compute


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "Add": _result(lambda a, b: a + b, 0),
    "Sub": _result(lambda a, b: a - b, 0),
    "Mul": _result(lambda a, b: a * b, 1),
    "Div": _result(lambda a, b: int(a / b), 1),
    "Equal": lambda a, b: a == b,
}
_IMPLEMENTED = {"DequantizeLinear": 19}
"""Versions in which ONNX's reference first has operators whose older ones mean the same."""

_SAME = ("Cast", "Identity", "Squeeze", "Unsqueeze", "Reshape")
"""Operators that leave a vector of sizes as it is."""

_DRAWING = ("Bernoulli", "Dropout", "Multinomial", "RandomNormalLike", "RandomUniformLike")
"""Operators that may give other numbers in each run."""


def folded(
    node: OnnxNode, operands: Sequence[Operand], opset: int, most: int
) -> list[Operand] | None:
    """The results of a node that are known without running the model; None if they are not.

    Raises:
        ValueError: They would take more than ``most`` bytes.
        Exception: Whatever ONNX's reference raises where operands do not fit the operator.
    """
    if node.op == "Constant":
        return [_constant(node)]
    if node.op == "Shape":
        x = operands[0]
        dims = x.dims if isinstance(x, Tensor) else np.shape(np.array(x, object))
        return [_known(list(dims)[node.attrs.get("start", 0) : node.attrs.get("end")])]
    if node.op in _DRAWING or not operands or any(isinstance(x, Tensor) for x in operands):
        return None
    if any(isinstance(operand, list) for operand in operands):
        return _moved(node, operands)
    named = zip(node.inputs, operands, strict=True)
    feeds = {name: x for name, x in named if isinstance(x, np.ndarray)}
    if node.op == "Range":  # ONNX's own functions give it vectors of one number, too
        feeds = {name: x.reshape(()) for name, x in feeds.items()}
    found = evaluated(node, feeds, max(opset, _IMPLEMENTED.get(node.op, 1)), most)
    return None if found is None else [*found]


def _known(sizes: list[Dim]) -> Operand:
    """Sizes as an array, if none is open."""
    if all(isinstance(n, int) for n in sizes):
        return np.array(sizes, np.int64)
    return sizes


def _constant(node: OnnxNode) -> Array:
    for name, value in node.attrs.items():
        if name == "value":
            return np.asarray(value)
        if name in ("value_int", "value_ints"):
            return np.array(value, np.int64)
        if name in ("value_float", "value_floats"):
            return np.array(value, np.float32)
    raise ValueError(f"Constant '{node.name}' holds no numbers: {sorted(node.attrs)}")


def _moved(node: OnnxNode, operands: Sequence[Operand]) -> list[Operand] | None:
    """Sizes, some of them open, through an operator that moves or changes them."""
    arrays = [np.array(x, object) for x in operands if x is not None]
    if node.op in _ARITHMETIC:
        y = np.frompyfunc(_ARITHMETIC[node.op], 2, 1)(*map(_plain, arrays))
    elif node.op == "Where":
        y = np.where(arrays[0].astype(np.bool_), arrays[1], arrays[2])
    elif node.op == "Concat":
        y = np.concatenate([x.reshape(-1) for x in arrays])
    elif not isinstance(operands[0], list):
        return None
    elif node.op == "Gather":
        y = arrays[0][arrays[1].astype(np.int64)]
    elif node.op == "Slice":
        begin, end = (int(x.reshape(-1)[0]) for x in arrays[1:3])
        y = arrays[0][begin:end]
    elif node.op in _SAME:
        y = arrays[0]
    else:
        return None
    return [_known(np.array(_plain(y), object).reshape(-1).tolist())]


def _plain(values: Any) -> Any:
    """Python's integers in the place of numpy's."""
    return np.frompyfunc(lambda n: n if n is None or isinstance(n, str) else int(n), 1, 1)(values)
