"""Examples of operators for the stubs: a call, and the shape of what it returns.

They are made of the rows of ``hy_ndarray.testing.cases``, and their results are those of the calls.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from textwrap import indent
from typing import Any

import numpy

from hy_ndarray import HyError, nd, np, npx, use_kernels
from hy_ndarray.ops import Operator
from hy_ndarray.testing import OpCase
from hy_ndarray.testing.cases import CASES

__all__ = ["example"]

WIDTH = 88
"""Columns of a line of an example."""
MOST_VALUES = 20
"""Elements of an input that is written out, such as indices."""
_KEPT = {"bool", "int8", "int32", "uint8"}
"""Dtypes in which inputs that are written out stay; others are float32."""
_NAMES = {"nd": nd, "np": np, "npx": npx}


@cache
def _by_operator() -> Mapping[str, list[OpCase]]:
    cases: defaultdict[str, list[OpCase]] = defaultdict(list)
    for case in CASES:
        cases[case.op].append(case)
    return cases


def example(op: Operator, called: str) -> str:
    """Return the section of a docstring with an example; empty if no row of cases makes one.

    Args:
        op: The operator.
        called: What programs call it, such as ``nd.dot``.
    """
    made = "np" if called.startswith("npx.") else "nd"
    for case in _by_operator().get(op.name, []):
        arguments = _arguments(case, made)
        shape = None if arguments is None else _shape(f"{called}({', '.join(arguments)})")
        if arguments is not None and shape is not None:
            lines = "\n".join(_lines(called, arguments, shape))
            return f"Example:\n{indent(lines, '    ')}"
    return ""


def _arguments(case: OpCase, made: str) -> list[str] | None:
    """Return the texts of a row's arguments; None if an input takes too much room."""
    inputs = [_input(case, i, made) for i in range(len(case.shapes))]
    while inputs and inputs[-1] == "None":
        inputs.pop()
    if "" in inputs:
        return None
    return [*inputs, *(f"{name}={value!r}" for name, value in case.params.items())]


def _input(case: OpCase, i: int, made: str) -> str:
    """Return the text of an input; empty if it takes too much room."""
    shape = case.shapes[i]
    if i not in case.inputs:
        return "None" if shape is None else f"{made}.ones({shape})"
    values = numpy.asarray(case.inputs[i])
    if values.size > MOST_VALUES or not numpy.isfinite(values).all():
        return ""
    dtype = f", dtype='{values.dtype}'" if values.dtype.name in _KEPT else ""
    return f"{made}.array({values.tolist()}{dtype})"


def _shape(call: str) -> Any:
    """Return the shape of what a call returns, or a list of them; None if it is refused."""
    with use_kernels("numpy"):
        try:
            result: Any = eval(call, dict(_NAMES))  # noqa: S307  # ours
        except HyError:  # for its values, which are ones
            return None
    return [y.shape for y in result] if isinstance(result, list | tuple) else result.shape


def _lines(called: str, arguments: list[str], shape: Any) -> list[str]:
    """Return the example's lines; a call that is too long for one has a line for each argument."""
    many = isinstance(shape, list)
    call = f"{called}({', '.join(arguments)})"
    line = f">>> [y.shape for y in {call}]" if many else f">>> {call}.shape"
    if len(line) <= WIDTH:
        return [line, repr(shape)]
    result, then = ("results", "[y.shape for y in results]") if many else ("y", "y.shape")
    each = [f"...     {argument}," for argument in arguments]
    return [f">>> {result} = {called}(", *each, "... )", f">>> {then}", repr(shape)]
