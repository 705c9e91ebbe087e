"""All case rows, from every family."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path

from tests.ops.gradient_values import GRADIENTS
from tests.ops.op_case import OpCase

__all__ = ["CASES"]

_FAMILIES = sorted(path.stem for path in (Path(__file__).parent / "cases").glob("*.py"))


def _filled(case: OpCase) -> OpCase:
    """A row of a gradient expects the derivative of what it belongs to, if it says nothing else."""
    expected = GRADIENTS.get(case.op) if case.expected is None else case.expected
    return case if expected is case.expected else replace(case, expected=expected)


CASES: tuple[OpCase, ...] = tuple(
    _filled(case)
    for family in _FAMILIES
    for case in import_module(f"tests.ops.cases.{family}").CASES
)
