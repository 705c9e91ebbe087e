"""Constant folding during import, also of shapes with open sizes."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hy_onnx.from_onnx.call import Call, Operand
from hy_onnx.from_onnx.constants.plan import PLANNERS, Plan
from hy_onnx.from_onnx.value import Tensor
from hy_onnx.model import Array, Dim, OnnxNode

__all__ = ["folded"]

_INT64 = np.iinfo(np.int64)


def _size_arithmetic(
    function: Callable[[int, int], int], identity: int
) -> Callable[[Any, Any], Any]:
    """Extend an integer function to open sizes; its result is open unless ``b`` is ``identity``."""

    def compute(a: Any, b: Any) -> Any:
        if isinstance(a, int) and isinstance(b, int):
            # Sizes are int64 in ONNX; beyond it a file could ask for any number.
            size = function(a, b)
            if not _INT64.min <= size <= _INT64.max:
                raise OverflowError(f"{size} cannot be a size")
            return size
        return a if b == identity else None

    return compute


def _quotient(a: int, b: int) -> int:
    """Divide integers, truncating towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "Add": _size_arithmetic(lambda a, b: a + b, 0),
    "Sub": _size_arithmetic(lambda a, b: a - b, 0),
    "Mul": _size_arithmetic(lambda a, b: a * b, 1),
    "Div": _size_arithmetic(_quotient, 1),
    "Equal": lambda a, b: a == b,
}

_SAME = ("Cast", "Identity", "Squeeze", "Unsqueeze", "Reshape")
"""Operators that keep the elements of a vector of sizes."""

_OBJECT, _STEPS = 64, 2000
"""Bytes of a size as a Python object, and the elements of work that count for computing it."""


def folded(call: Call) -> list[Operand] | None:
    """Return the results of a node if it can be computed during import, else None.

    Only operators with a planner are computed on constants.

    Raises:
        ValueError: The budget of the import is exceeded.
        ArithmeticError, LookupError, TypeError: Operands do not fit the operator.
    """
    node, operands = call.node, call.operands
    if node.op == "Constant":
        return [_constant(node)]
    if node.op == "Shape":
        x = operands[0]
        dims = x.dims if isinstance(x, Tensor) else _constant_shape(x)
        return [_as_array(list(dims)[node.attrs.get("start", 0) : node.attrs.get("end")])]
    if not operands or any(isinstance(x, Tensor) or _is_text(x) for x in operands):
        return None
    # Vectors of sizes with open ones go through few operators, symbolically.
    if any(isinstance(operand, list) for operand in operands):
        return _sizes_after_moving(call)
    planner = PLANNERS.get(node.op)
    plans = None if planner is None else planner(call)
    if plans is None:
        return None
    plans = [plans] if isinstance(plans, Plan) else plans
    return [each.run(call.graph.budget) for each in plans]


def _is_text(operand: Operand) -> bool:
    """Return whether a constant holds strings, which hy does not support."""
    return isinstance(operand, np.ndarray) and operand.dtype.kind in "OSUT"


def _as_array(sizes: list[Dim]) -> Operand:
    """Return sizes as an int64 array, or unchanged if any is open."""
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


def _sizes_after_moving(call: Call) -> list[Operand] | None:
    """Compute an operator on sizes, some of them open; None if it is not supported."""
    node, operands = call.node, call.operands
    _reserve(call, sum(math.prod(_constant_shape(x)) for x in operands))
    arrays = [np.array(x, object) for x in operands if x is not None]
    if node.op in _ARITHMETIC or node.op == "Where":
        shape = np.broadcast_shapes(*(x.shape for x in arrays))
        _reserve(call, math.prod(shape))
    if node.op in _ARITHMETIC:
        y = np.frompyfunc(_ARITHMETIC[node.op], 2, 1)(*map(_python_integers, arrays))
    elif node.op == "Where":
        y = np.where(arrays[0].astype(np.bool_), arrays[1], arrays[2])
    elif node.op == "Concat":
        y = np.concatenate([x.reshape(-1) for x in arrays])
    elif not isinstance(operands[0], list):
        return None
    elif node.op == "Gather":
        _reserve(call, arrays[1].size)
        y = arrays[0][arrays[1].astype(np.int64)]
    elif node.op == "Slice":
        begin, end = (int(x.reshape(-1)[0]) for x in arrays[1:3])
        y = arrays[0][begin:end]
    elif node.op in _SAME:
        y = arrays[0]
    else:
        return None
    return [_as_array(np.array(_python_integers(y), object).reshape(-1).tolist())]


def _constant_shape(operand: Operand) -> tuple[int, ...]:
    """Return the shape of a constant or vector of sizes, () for an omitted input."""
    if isinstance(operand, list):
        return (len(operand),)
    return operand.shape if isinstance(operand, np.ndarray) else ()


def _reserve(call: Call, count: int) -> None:
    """Reserve the cost of ``count`` sizes in the budget."""
    call.reserve(count * _OBJECT, count * _STEPS)


def _python_integers(values: Any) -> Any:
    """Convert numpy's integers in an object array to Python's."""
    return np.frompyfunc(lambda n: n if n is None or isinstance(n, str) else int(n), 1, 1)(values)
