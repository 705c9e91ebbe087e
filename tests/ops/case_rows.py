"""All case rows, from every family."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path

from hy_ndarray.testing import OpCase
from tests.ops.gradient_values import GRADIENTS

__all__ = ["CASES", "FAMILIES"]

_NAMES = sorted(path.stem for path in (Path(__file__).parent / "cases").glob("*.py"))


def _filled(case: OpCase) -> OpCase:
    """A row of a gradient expects the derivative of what it belongs to, if it says nothing else."""
    expected = GRADIENTS.get(case.op) if case.expected is None else case.expected
    return case if expected is case.expected else replace(case, expected=expected)


FAMILIES: dict[str, tuple[OpCase, ...]] = {
    name: tuple(map(_filled, import_module(f"tests.ops.cases.{name}").CASES)) for name in _NAMES
}
"""Rows by the name of the file that has the operators."""

CASES: tuple[OpCase, ...] = tuple(case for cases in FAMILIES.values() for case in cases)
