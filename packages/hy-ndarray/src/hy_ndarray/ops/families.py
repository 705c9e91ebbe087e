"""Families: operators that share a signature and a type rule, one row each.

MXNet has most of its operators many times: of an array and a number, of a number and an array, of
two arrays of one shape, of two that broadcast. What such forms share is said once, by the type
rule of the family; a row adds the names, what is computed, and the gradient.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from textwrap import indent
from types import FunctionType, MappingProxyType
from typing import Any

from hy_ndarray.ops.record.params import Param
from hy_ndarray.ops.record.schema import OperatorFunction, operator
from hy_ndarray.ops.record.traits import POINTWISE
from hy_ndarray.ops.record.types import TensorType

__all__ = [
    "Family",
    "family",
    "float_function",
    "number_function",
    "pointwise_family",
    "with_signature",
]

Family = Callable[..., OperatorFunction]
"""``(word, *names, text=, grad=)``: enters an operator, and returns its function.

``note`` takes the place of ``{note}`` in the sections of the family, ``more`` has further ones.
"""
Sections = Mapping[str, str]
_NO_SECTIONS: Sections = MappingProxyType({})


def family(
    rule: Callable[..., Any], *, kernel: str = "{}", name: str = "", **shared: Any
) -> Family:
    """Return the function that declares the operators of a family.

    Args:
        rule: Their signature and type rule; the sections of its docstring go after the text of
            each row.
        kernel: The name of the kernel, with braces for the word of the row.
        name: MXNet's name, likewise; where there is none, rows have it among theirs.
        shared: What the records of all have besides; see
            :func:`hy_ndarray.ops.record.schema.operator`.
    """
    sections = "".join((rule.__doc__ or "").partition("\n\n")[1:]).rstrip()

    def row(
        word: str, *names: str, text: str, note: str = "", more: Sections = _NO_SECTIONS, **own: Any
    ) -> OperatorFunction:
        doc = text.strip() + sections.replace("{note}", note)
        for title, lines in more.items():
            doc += f"\n\n    {title}:\n{indent(lines.strip(), ' ' * 8)}"
        doc = doc if doc == text else f"{doc}\n    "
        names = (name.format(word), *names) if name else names
        function = _renamed(rule, kernel.format(word), doc)
        function.__module__ = sys._getframe(1).f_globals["__name__"]  # of the row
        return operator(*names, **{**shared, **own})(function)

    return row


pointwise_family = partial(family, traits=POINTWISE)
"""As :func:`family`, of operators that work element by element."""


def _renamed(rule: Callable[..., Any], name: str, doc: str) -> FunctionType:
    """Return a type rule under the name of a kernel."""
    assert isinstance(rule, FunctionType)
    code, scope = rule.__code__, rule.__globals__
    renamed = FunctionType(code, scope, name, rule.__defaults__, rule.__closure__)
    renamed.__kwdefaults__ = rule.__kwdefaults__
    renamed.__annotations__ = rule.__annotations__
    renamed.__doc__ = doc
    return renamed


def with_signature(
    rule: Callable[..., Any],
    kernel: str,
    doc: str,
    *,
    inputs: Sequence[str] = (),
    optional: Sequence[str] = (),
    params: Sequence[Param] = (),
) -> Callable[..., Any]:
    """Return a type rule whose signature is data, for operators that no function declares.

    Args:
        rule: Takes the types of the inputs and all parameters.
        kernel: Its name.
        doc: Its docstring.
        inputs: Names of the inputs.
        optional: Those of them that may be left out.
        params: The parameters.
    """

    def types(*data: Any, **values: Any) -> Any:
        return rule(*data, **values)

    types.__name__, types.__doc__ = kernel, doc
    types.__module__ = rule.__module__
    declared = [*inputs], {*optional}, False, {param.name: param for param in params}
    types.declared = declared  # type: ignore[attr-defined]
    return types


def _of_floats(data: TensorType) -> TensorType:
    """Return the type of floats.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _of_numbers(data: TensorType) -> TensorType:
    """Return the type of any numbers.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


float_function = pointwise_family(_of_floats, name="{}")
"""Functions of floats, element by element."""
number_function = pointwise_family(_of_numbers, name="{}")
"""Functions of numbers of any dtype, element by element."""
