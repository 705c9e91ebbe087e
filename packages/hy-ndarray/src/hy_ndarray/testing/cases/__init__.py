"""Test cases of all operators."""

from dataclasses import replace
from importlib import import_module
from pkgutil import walk_packages

from hy_ndarray.testing.gradient_values import GRADIENTS
from hy_ndarray.testing.op_case import OpCase

__all__ = ["CASES", "FAMILIES"]


def _filled(case: OpCase) -> OpCase:
    """Return the case with an expected value from ``GRADIENTS`` if it has none of its own."""
    expected = GRADIENTS.get(case.op) if case.expected is None else case.expected
    return case if expected is case.expected else replace(case, expected=expected)


_MODULES = sorted(
    module.name for module in walk_packages(__path__, f"{__name__}.") if not module.ispkg
)

FAMILIES: dict[str, tuple[OpCase, ...]] = {
    name.removeprefix(f"{__name__}."): tuple(map(_filled, import_module(name).CASES))
    for name in _MODULES
}
"""Rows by the module below ``hy_ndarray.ops`` that declares their operators, as ``nn.softmax``."""

CASES: tuple[OpCase, ...] = tuple(case for cases in FAMILIES.values() for case in cases)
