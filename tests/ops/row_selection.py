"""Which rows a check is about: a row with nothing to check is no test."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from hy_ndarray import DTypeError, ops
from hy_ndarray.testing import REFERENCE, Check, OpCase, values_of
from hy_ndarray.testing.cases import CASES
from hy_ndarray.testing.selection import (
    KEEPS_FLOAT32,
    draws_nothing,
    is_floating,
    results_of,
    types_of,
)

__all__ = [
    "checked",
    "compares_halves",
    "halves",
    "has_gradient_in_graphs",
    "is_graph",
    "rows",
]


def rows(about: Callable[[OpCase], bool] = lambda _: True) -> pytest.MarkDecorator:
    """Run a test on these rows."""
    return pytest.mark.parametrize("case", [case for case in CASES if about(case)], ids=str)


def checked(check: Check) -> pytest.MarkDecorator:
    """Run a test on the rows that a check of the suite applies to."""
    return rows(lambda case: check.applies(case, REFERENCE))


def is_graph(case: OpCase) -> bool:
    """Whether a graph says the same: there, a size of 0 to create is one that follows from use."""
    return bool(case.shapes) or 0 not in case.params.get("shape", ())


def has_gradient_in_graphs(case: OpCase) -> bool:
    """Whether there is a gradient, of something floating to something floating."""
    values = values_of(case)
    floating = any(v is not None and v.dtype.kind == "f" for v in values)
    if ops.find(case.op).grad is None or not floating or not case.check_second:
        return False
    return any(map(is_floating, results_of(case, values)))


def compares_halves(case: OpCase) -> bool:
    """Whether the operator takes 16-bit numbers for its floating inputs."""
    taken = halves(case, values_of(case))
    return draws_nothing(case) and taken is not None and case.op not in KEEPS_FLOAT32


def halves(case: OpCase, values: list[Any]) -> tuple[list[Any], list[Any]] | None:
    """The inputs in float16, or the first alone if the others must be wider; and in float32."""
    if not any(v is not None and v.dtype.kind == "f" for v in values):
        return None
    half = _in_dtype(values, np.float16)
    single = _in_dtype(half, np.float32)
    taken = next(filter(partial(_accepted, case), (half, [half[0], *single[1:]])), None)
    return None if taken is None else (taken, single)


def _in_dtype(values: list[Any], dtype: type[np.floating[Any]]) -> list[Any]:
    """The inputs with the floating ones in another dtype."""
    floating = [v is not None and v.dtype.kind == "f" for v in values]
    with np.errstate(over="ignore"):
        return [v.astype(dtype) if f else v for v, f in zip(values, floating, strict=True)]


def _accepted(case: OpCase, values: list[Any]) -> bool:
    op = ops.find(case.op)
    try:
        op.infer(types_of(values), op.parse(case.params))
    except DTypeError:
        return False
    return True
