"""Thresholds of kernels stand in one file for each table, and can be changed for a while."""

import ast
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_kernels.costs import changed
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn.convolution._panels import as_panels


@pytest.mark.parametrize("table", ["numpy", "torch"])
def test_every_number_says_its_unit(table: str) -> None:
    spec = find_spec("hy_kernels")
    assert spec is not None
    assert spec.origin is not None
    tree = ast.parse((Path(spec.origin).parent / table / "costs.py").read_text("utf-8"))
    for family in [node for node in tree.body if isinstance(node, ast.ClassDef)][:-1]:
        for one, then in zip(family.body, [*family.body[1:], None], strict=True):
            if isinstance(one, ast.AnnAssign):
                assert isinstance(then, ast.Expr), ast.unparse(one)
                assert isinstance(then.value, ast.Constant)


def test_kernels_read_changed_numbers_until_the_block_ends() -> None:
    matrix = np.zeros((64, 256), np.float32)
    widths = [as_panels(matrix).shape[-1]]
    with changed(COSTS, products={"copied_panel_columns": 32, "panel_columns": 16}):
        widths.append(as_panels(matrix).shape[-1])
    assert as_panels(matrix).shape[-1] == widths[0] > widths[1]


def test_changed_numbers_end_with_an_error() -> None:
    before = COSTS.rows
    with pytest.raises(ZeroDivisionError), changed(COSTS, rows={"run": 0}):
        divmod(1, COSTS.rows.run)
    assert COSTS.rows is before


def test_unknown_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="runs"), changed(COSTS, rows={"runs": 1}):
        pass


@pytest.mark.parametrize("family", sorted(vars(COSTS)))
def test_families_are_frozen(family: str) -> None:
    numbers: Any = getattr(COSTS, family)
    with pytest.raises(AttributeError):
        setattr(numbers, numbers._fields[0], 0)
