"""Families of operators with a common signature and type rule, declared one per row.

MXNet has many operators in several variants: of an array and a number, of a number and an array,
of two arrays of one shape, of two that broadcast. A family's type rule states what the variants
share; a row adds the names, the description, and the gradient.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import cleandoc
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
    """Return a function that declares operators of a family.

    Args:
        rule: Signature and type rule; the sections of its docstring are appended to the text of
            each row.
        kernel: Name of the kernel, with braces for the word of the row.
        name: MXNet's name, with braces likewise; if empty, a row lists it among its names.
        shared: Other arguments of :func:`hy_ndarray.ops.record.schema.operator`, for all rows.
    """
    sections = "".join(cleandoc(rule.__doc__ or "").partition("\n\n")[1:])

    def row(
        word: str, *names: str, text: str, note: str = "", more: Sections = _NO_SECTIONS, **own: Any
    ) -> OperatorFunction:
        doc = cleandoc(text) + sections.replace("{note}", note)
        for title, lines in more.items():
            doc += f"\n\n{title}:\n{indent(lines.strip(), ' ' * 4)}"
        names = (name.format(word), *names) if name else names
        function = _renamed(rule, kernel.format(word), doc)
        function.__module__ = sys._getframe(1).f_globals["__name__"]  # of the row
        return operator(*names, **{**shared, **own})(function)

    return row


pointwise_family = partial(family, traits=POINTWISE)
""":func:`family` for pointwise operators."""


def _renamed(rule: Callable[..., Any], name: str, doc: str) -> FunctionType:
    """Return a copy of a type rule with the name of a kernel and a docstring of its own."""
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
    variadic: bool = False,
    params: Sequence[Param] = (),
) -> Callable[..., Any]:
    """Return a type rule whose signature is given as data, for generated operators.

    Args:
        rule: The type rule, called with the types of the inputs and all parameters.
        kernel: Name of the kernel.
        doc: Docstring of the operator.
        inputs: Names of the inputs.
        optional: Names of the inputs that may be left out.
        variadic: Whether the last input stands for any number of arrays.
        params: The parameters of the operator.
    """

    def types(*data: Any, **values: Any) -> Any:
        return rule(*data, **values)

    types.__name__, types.__doc__ = kernel, doc
    types.__module__ = rule.__module__
    declared = [*inputs], {*optional}, variadic, {param.name: param for param in params}
    types.declared = declared  # type: ignore[attr-defined]
    return types


def _of_floats(data: TensorType) -> TensorType:
    """Return the type of ``data``, which is that of the result; floating.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _of_numbers(data: TensorType) -> TensorType:
    """Return the type of ``data``, which is that of the result; any dtype.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


float_function = pointwise_family(_of_floats, name="{}")
"""Family of element-wise functions of floats."""
number_function = pointwise_family(_of_numbers, name="{}")
"""Family of element-wise functions of numbers of any dtype."""
