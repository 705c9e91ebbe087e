"""Which rows a check is about: a row with nothing to check is no test."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

from hy_ndarray import DTypeError, ops
from hy_ndarray.ops import TensorType
from tests.ops.case_rows import CASES
from tests.ops.op_case import OpCase, drawn

__all__ = [
    "compares_halves",
    "differentiated",
    "draws_nothing",
    "halves",
    "has_gradient_in_graphs",
    "has_numerical_gradient",
    "has_value",
    "is_graph",
    "keeps_inputs",
    "rows",
]

_KEEPS_FLOAT32 = ("_rnn_backward",)  # what the layer kept for it is float32 beside float16 operands


def rows(about: Callable[[OpCase], bool] = lambda _: True) -> pytest.MarkDecorator:
    """Run a test on these rows."""
    return pytest.mark.parametrize("case", [case for case in CASES if about(case)], ids=str)


def has_value(case: OpCase) -> bool:
    """Whether the row says what is returned."""
    return case.expected is not None


def keeps_inputs(case: OpCase) -> bool:
    """Whether the operator overwrites no input, nor returns one."""
    op = ops.find(case.op)
    return op.updates is None and not op.traits.shares


def draws_nothing(case: OpCase) -> bool:
    """Whether the operator draws no random numbers."""
    return "rng" not in ops.find(case.op).needs


def is_graph(case: OpCase) -> bool:
    """Whether a graph says the same: there, a size of 0 to create is one that follows from use."""
    return bool(case.shapes) or 0 not in case.params.get("shape", ())


def has_numerical_gradient(case: OpCase) -> bool:
    """Whether gradients are derivatives: of floating results, to inputs that can be moved."""
    op = ops.find(case.op)
    if op.grad is None or op.ignores_head_grad or not case.check_grad:
        return False
    values = _any_values(case)
    return bool(differentiated(case, values)) and all(map(_is_floating, _results(case, values)))


def differentiated(case: OpCase, values: Sequence[Any]) -> tuple[int, ...]:
    """The inputs whose gradients are compared with derivatives."""
    if case.grad_inputs is not None:
        return case.grad_inputs
    drawn_ones = (i for i, v in enumerate(values) if v is not None and i not in case.inputs)
    return tuple(i for i in drawn_ones if values[i].size)


def has_gradient_in_graphs(case: OpCase) -> bool:
    """Whether there is a gradient, of something floating to something floating."""
    values = _any_values(case)
    floating = any(v is not None and v.dtype.kind == "f" for v in values)
    if ops.find(case.op).grad is None or not floating or not case.check_second:
        return False
    return any(map(_is_floating, _results(case, values)))


def compares_halves(case: OpCase) -> bool:
    """Whether the operator takes 16-bit numbers for its floating inputs."""
    taken = halves(case, _any_values(case))
    return draws_nothing(case) and taken is not None and case.op not in _KEEPS_FLOAT32


def halves(case: OpCase, values: list[Any]) -> tuple[list[Any], list[Any]] | None:
    """The inputs in float16, or the first alone if the others must be wider; and in float32."""
    if not any(v is not None and v.dtype.kind == "f" for v in values):
        return None
    half = _in_dtype(values, np.float16)
    single = _in_dtype(half, np.float32)
    taken = next(filter(partial(_accepted, case), (half, [half[0], *single[1:]])), None)
    return None if taken is None else (taken, single)


def _any_values(case: OpCase) -> list[Any]:
    return drawn(case, np.random.default_rng(0))


def _types(values: Sequence[Any]) -> list[TensorType | None]:
    return [None if v is None else TensorType(v.shape, v.dtype.name) for v in values]


def _results(case: OpCase, values: Sequence[Any]) -> list[TensorType]:
    op = ops.find(case.op)
    params = op.parse(case.params)
    return list(op.infer(_types(values), params)[: op.num_visible(params)])


def _is_floating(result: TensorType) -> bool:
    return np.dtype(result.dtype).kind == "f"


def _in_dtype(values: list[Any], dtype: type[np.floating[Any]]) -> list[Any]:
    """The inputs with the floating ones in another dtype."""
    floating = [v is not None and v.dtype.kind == "f" for v in values]
    with np.errstate(over="ignore"):
        return [v.astype(dtype) if f else v for v, f in zip(values, floating, strict=True)]


def _accepted(case: OpCase, values: list[Any]) -> bool:
    op = ops.find(case.op)
    try:
        op.infer(_types(values), op.parse(case.params))
    except DTypeError:
        return False
    return True
