"""Examples of operators for the stubs: a call, and what it returns, or its shape if that is much.

They are made of the rows of ``hy_ndarray.testing.cases``, and their results are those of the calls.
Inputs are numbers between a row's bounds where they are few, else ones.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import prod
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
MAX_VALUES = 20
"""Elements of an input that is written out, such as indices."""
MAX_INPUT_VALUES = 6
"""Elements of an input that is filled with numbers; larger ones are of ones."""
MAX_LINES = 6
"""Lines of a result that is written out; of larger ones the shape is."""
_PRINTED_DTYPES = {"bool", "int8", "int32", "uint8"}
"""Dtypes in which inputs that are written out stay; others are float32."""
_NAMESPACES = {"nd": nd, "np": np, "npx": npx}


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
    namespace = "np" if called.startswith("npx.") else "nd"
    first: list[str] = []
    for case in _by_operator().get(op.name, []):
        arguments = _arguments(case, namespace)
        result = None if arguments is None else _called(f"{called}({', '.join(arguments)})")
        if arguments is None or result is None:
            continue
        values = None if case.expected is None else _rounded_values(arguments, result, namespace)
        if values is not None:
            return _section(_example_lines(called, arguments, values))
        first = first or _example_lines(called, arguments, _shape(result))
    return _section(first) if first else ""


def _section(lines: list[str]) -> str:
    return "Example:\n" + indent("\n".join(lines), "    ")


def _arguments(case: OpCase, namespace: str) -> list[str] | None:
    """Return the texts of a row's arguments; None if an input takes too much room."""
    inputs = [_input(case, i, namespace) for i in range(len(case.shapes))]
    while inputs and inputs[-1] == "None":
        inputs.pop()
    if "" in inputs:
        return None
    return [*inputs, *(f"{name}={value!r}" for name, value in case.params.items())]


def _input(case: OpCase, i: int, namespace: str) -> str:
    """Return the text of an input; empty if it takes too much room."""
    shape = case.shapes[i]
    if i not in case.inputs:
        if shape is None:
            return "None"
        size = prod(shape)
        if not 0 < size <= MAX_INPUT_VALUES or case.expected is None:
            return f"{namespace}.ones({shape})"
        numbers = numpy.linspace(case.low, case.high, size).round(1).reshape(shape)
        return f"{namespace}.array({numbers.tolist()})"
    values = numpy.asarray(case.inputs[i])
    if values.size > MAX_VALUES or not numpy.isfinite(values).all():
        return ""
    dtype = f", dtype='{values.dtype}'" if values.dtype.name in _PRINTED_DTYPES else ""
    return f"{namespace}.array({values.tolist()}{dtype})"


def _called(call: str) -> Any:
    """Return what a call returns; None if it is refused."""
    with use_kernels("numpy"):
        try:
            return eval(call, dict(_NAMESPACES))  # noqa: S307  # ours
        except HyError:  # for its values, which are not those of the row
            return None


@dataclass(frozen=True, slots=True)
class _Shown:
    """Suffix of an example's expression, such as ``.shape``, and the printed value."""

    end: str
    text: str
    each: bool = False
    """Whether it is shown of each of several results."""


def _shape(result: Any) -> _Shown:
    """Return the shape, or a list of those of several arrays."""
    if isinstance(result, list | tuple):
        return _Shown(".shape", repr([y.shape for y in result]), each=True)
    return _Shown(".shape", repr(result.shape))


def _rounded_values(arguments: list[str], result: Any, namespace: str) -> _Shown | None:
    """Return the rounded values; None if they are many or not finite, or follow from ones."""
    several = isinstance(result, list | tuple)
    if several or result.stype != "default" or any(".ones(" in text for text in arguments):
        return None
    values = result.asnumpy()
    if not values.size or not numpy.isfinite(values).all():
        return None
    end = ".round(3)" if values.dtype.kind == "f" else ""
    values = values.round(3) if end else values
    text = repr(np.array(values, dtype=values.dtype) if namespace == "np" else values)
    lines = text.splitlines()
    if len(lines) > MAX_LINES or max(map(len, lines)) > WIDTH or "" in lines:
        return None
    return _Shown(end if namespace == "np" else f".asnumpy(){end}", text)


def _example_lines(called: str, arguments: list[str], shown: _Shown) -> list[str]:
    """Return the example's lines; a call that is too long for one has a line for each argument."""
    call = f"{called}({', '.join(arguments)})"
    end, text = shown.end, shown.text.splitlines()
    line = f">>> [y{end} for y in {call}]" if shown.each else f">>> {call}{end}"
    if len(line) <= WIDTH:
        return [line, *text]
    name, then = ("results", f"[y{end} for y in results]") if shown.each else ("y", f"y{end}")
    rows = [f"...     {argument}," for argument in arguments]
    return [f">>> {name} = {called}(", *rows, "... )", f">>> {then}", *text]
