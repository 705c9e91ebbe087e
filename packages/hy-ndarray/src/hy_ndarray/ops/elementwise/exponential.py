"""Element-wise exponential functions and logarithms."""

import math
from typing import Any

from hy_ndarray.ops.families import float_function
from hy_ndarray.ops.record.schema import Saved


def _grad_exp(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * saved.outputs[0],)


exp = float_function("exp", "_sparse_exp", text="``e`` to the power of ``data``.", grad=_grad_exp)


def _grad_expm1(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * (saved.outputs[0] + 1),)


expm1 = float_function(
    "expm1", "_sparse_expm1", text="``exp(data) - 1``, exact near 0.", grad=_grad_expm1
)


log = float_function(
    "log",
    "_sparse_log",
    text="The natural logarithm; -inf at 0, nan below.",
    grad=lambda saved, dy: (dy / saved.inputs[0],),
    ignored=("axis",),
)


def _grad_log2(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / (saved.inputs[0] * math.log(2)),)


log2 = float_function("log2", "_sparse_log2", text="The logarithm to base 2.", grad=_grad_log2)


def _grad_log10(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / (saved.inputs[0] * math.log(10)),)


log10 = float_function("log10", "_sparse_log10", text="The logarithm to base 10.", grad=_grad_log10)


def _grad_log1p(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / (1 + saved.inputs[0]),)


log1p = float_function(
    "log1p", "_sparse_log1p", text="``log(1 + data)``, exact near 0.", grad=_grad_log1p
)
