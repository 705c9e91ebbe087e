"""All rows of cases, from every family of operators."""

from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules

from hy_ndarray.testing.gradient_values import GRADIENTS
from hy_ndarray.testing.op_case import OpCase

__all__ = ["CASES", "FAMILIES"]


def _filled(case: OpCase) -> OpCase:
    """A row of a gradient expects the derivative of what it belongs to, if it says nothing else."""
    expected = GRADIENTS.get(case.op) if case.expected is None else case.expected
    return case if expected is case.expected else replace(case, expected=expected)


FAMILIES: dict[str, tuple[OpCase, ...]] = {
    name: tuple(map(_filled, import_module(f"{__name__}.{name}").CASES))
    for name in sorted(module.name for module in iter_modules(__path__))
}
"""Rows by the name of the file that has the operators."""

CASES: tuple[OpCase, ...] = tuple(case for cases in FAMILIES.values() for case in cases)
