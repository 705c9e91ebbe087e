"""Predicates that select the cases to which a check applies."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hy_ndarray import cpu, device_of, ops
from hy_ndarray.ops import TensorType
from hy_ndarray.testing.op_case import OpCase, values_of
from hy_ndarray.testing.tested_table import REFERENCE

__all__ = [
    "KEEPS_FLOAT32",
    "differentiated",
    "draws_nothing",
    "has_numerical_gradient",
    "has_results",
    "has_value",
    "is_floating",
    "keeps_inputs",
    "results_of",
    "takes_one_shape",
    "types_of",
]

KEEPS_FLOAT32 = ("_rnn_backward",)
"""Operators whose float16 calls also take float32 values that another operator saved."""


def has_value(case: OpCase) -> bool:
    """Return whether the case specifies expected results."""
    return case.expected is not None


def has_results(case: OpCase) -> bool:
    """Return whether the operator has visible outputs."""
    op = ops.find(case.op)
    return op.num_visible(op.parse(case.params)) > 0


def keeps_inputs(case: OpCase) -> bool:
    """Return whether the operator neither overwrites nor returns its inputs."""
    op = ops.find(case.op)
    return op.updates is None and not op.traits.shares


def draws_nothing(case: OpCase) -> bool:
    """Return whether the operator draws no random numbers."""
    return "rng" not in ops.find(case.op).needs


def has_numerical_gradient(case: OpCase) -> bool:
    """Return whether gradients can be compared with numerical derivatives."""
    op = ops.find(case.op)
    if op.grad is None or op.ignores_head_grad or not case.check_grad:
        return False
    values = values_of(case)
    return bool(differentiated(case, values)) and all(map(is_floating, results_of(case, values)))


def differentiated(case: OpCase, values: Sequence[Any]) -> tuple[int, ...]:
    """Return the positions of the inputs whose gradients are checked."""
    if case.grad_inputs is not None:
        return case.grad_inputs
    drawn_ones = (i for i, v in enumerate(values) if v is not None and i not in case.inputs)
    return tuple(i for i in drawn_ones if values[i].size)


def takes_one_shape(case: OpCase) -> bool:
    """Return whether the operator is element-wise on inputs of one shape."""
    op = ops.find(case.op)
    shapes = set(case.shapes)
    if case.inputs or None in shapes or len(shapes) != 1 or not has_value(case):
        return False
    if any(0 in (shape or ()) for shape in shapes):  # what it expects may say nothing else
        return False
    return draws_nothing(case) and keeps_inputs(case) and _is_elementwise(op.kernel)


def _is_elementwise(kernel: str) -> bool:
    with REFERENCE.in_use():
        return device_of(cpu()).kernels.record(kernel).pointwise


def types_of(values: Sequence[Any]) -> list[TensorType | None]:
    """Return the types of inputs; None for omitted inputs."""
    return [None if v is None else TensorType(v.shape, v.dtype.name) for v in values]


def results_of(case: OpCase, values: Sequence[Any]) -> list[TensorType]:
    """Return the inferred types of the visible results."""
    op = ops.find(case.op)
    params = op.parse(case.params)
    return list(op.infer(types_of(values), params)[: op.num_visible(params)])


def is_floating(result: TensorType) -> bool:
    """Return whether the dtype of a type is floating."""
    return np.dtype(result.dtype).kind == "f"
