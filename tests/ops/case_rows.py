"""All case rows, from every family."""

from importlib import import_module
from pathlib import Path

from tests.ops.op_case import OpCase

__all__ = ["CASES"]

_FAMILIES = sorted(path.stem for path in (Path(__file__).parent / "cases").glob("*.py"))
CASES: tuple[OpCase, ...] = tuple(
    case for family in _FAMILIES for case in import_module(f"tests.ops.cases.{family}").CASES
)
