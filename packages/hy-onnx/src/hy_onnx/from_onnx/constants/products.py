"""Constant folding of matrix products."""

import math

import numpy as np

from hy_onnx.from_onnx.call import Call
from hy_onnx.from_onnx.constants.plan import Plan, planner

__all__: list[str] = []

_TOGETHER = 8
"""Floating multiplications that BLAS computes in the time of one of integers."""


@planner("MatMul")
def _product(call: Call) -> Plan:
    a, b = call.known(0, "its data"), call.known(1, "its data")
    if not a.ndim or not b.ndim:
        raise ValueError(f"shapes {a.shape} and {b.shape} cannot be multiplied")
    rows, columns = a.shape[-2:-1], b.shape[-1:] if b.ndim > 1 else ()
    inner = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if inner != a.shape[-1]:
        raise ValueError(f"shapes {a.shape} and {b.shape} cannot be multiplied")
    shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *rows, *columns)
    steps = math.prod(shape) * inner
    work = steps // _TOGETHER if a.dtype.kind == "f" else steps
    return Plan(shape, a.dtype, lambda: np.matmul(a, b), work=work + a.size + b.size)
