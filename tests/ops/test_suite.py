"""The suite for kernel tables finds each kind of mistake, and says where."""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy import table as numpy_table
from hy_kernels.record import Kernel
from hy_ndarray import HyError, KernelError, cpu, device_of, kernel_table
from hy_ndarray.testing import (
    CHECKS,
    REFERENCE,
    Check,
    OpCase,
    TestedTable,
    Tolerance,
    check_operator,
    fresh_tables,
)
from tests.kernels.tiny_table import Block, TinyMemory, TinyTable

EVERY = tuple(numpy_table().names())
SQUARE = OpCase("square", ((2, 3),), lambda x: x * x)
NAMES = {check.name for check in CHECKS} - {"ranges"}  # the operator below has no parameters
ENTRY_POINTS = "[hy.kernels]\nwhole = tests.ops.test_suite:whole\n"

Change = Callable[[Callable[..., Any], Block], Any]


def whole() -> TinyTable:
    """The entry point ``whole``."""
    return TinyTable("whole", EVERY)


class Changed(TinyTable):
    """All kernels on blocks, some of them wrong."""

    def __init__(self, **changes: Change) -> None:
        super().__init__("changed", EVERY)
        self.changes = changes

    def find(self, kernel: str) -> Kernel | None:
        right, change = super().find(kernel), self.changes.get(kernel)
        if right is None or change is None:
            return right
        return Kernel(kernel, lambda *blocks, **_: change(right.function, *blocks))


def shifted(right: Callable[..., Any], x: Block) -> Block:
    return Block((right(x).values + 1e-3).astype(x.dtype))


def shifted_in_float32(right: Callable[..., Any], x: Block) -> Block:
    return Block(right(x).values + np.asarray(1e-2 * (x.dtype == np.float32), x.dtype))


def narrow(right: Callable[..., Any], x: Block) -> Block:
    return Block(right(x).values.astype(np.float32))


def in_place(right: Callable[..., Any], x: Block) -> Block:
    x.values[...] = right(x).values
    return x


def without_gaps_only(right: Callable[..., Any], x: Block) -> Block:
    return right(x) if x.values.flags.c_contiguous else Block(np.zeros(x.shape, x.dtype))


def some_elements_only(right: Callable[..., Any], x: Block) -> Block:
    return Block(right(x).values * (len(x.values) < 1000))


def passes(tested: TestedTable, case: OpCase, check: Check) -> bool:
    try:
        check_operator(tested, case, [check])
    except (AssertionError, HyError):
        return False
    return True


def failed(tested: TestedTable, case: OpCase) -> set[str]:
    """Names of the checks that fail."""
    return {check.name for check in CHECKS if not passes(tested, case, check)}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (shifted, {"value", "agreement", "sizes"}),
        (shifted_in_float32, {"agreement"}),
        (narrow, {"types", "agreement"}),
        (in_place, {"inputs"}),
        (without_gaps_only, {"strides"}),
        (some_elements_only, {"sizes"}),
    ],
)
def test_a_wrong_kernel_is_found(change: Change, expected: set[str]) -> None:
    assert failed(TestedTable(Changed(square=change)), SQUARE) >= expected


def test_what_fails_is_told() -> None:
    with pytest.raises(AssertionError) as error:
        check_operator(TestedTable(Changed(square=shifted)), SQUARE)
    assert error.value.__notes__ == ["check 'value' of square-[2,3] on table 'changed'"]


def test_a_wrong_gradient_is_found() -> None:
    sine = OpCase("sin", ((2, 3),), np.sin)
    assert failed(TestedTable(Changed(cos=shifted)), sine) == {"agreement", "gradient"}


def test_a_write_that_does_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TinyMemory, "write", lambda *_: None)
    assert "out" in failed(TestedTable(Changed()), SQUARE)


def test_every_check_passes_on_a_table_that_is_right() -> None:
    assert set(check_operator(TestedTable(Changed()), SQUARE)) == NAMES


def test_the_reference_is_not_compared_with_itself() -> None:
    assert set(check_operator(REFERENCE, SQUARE)) == NAMES - {"agreement"}


def test_a_table_is_in_use_only_while_it_is_checked() -> None:
    table, before = whole(), device_of(cpu()).table
    check_operator(TestedTable(table), SQUARE)
    assert table.calls["square"] > 0
    assert device_of(cpu()).table is before


def test_a_tolerance_is_of_one_operator_and_dtype() -> None:
    wide = {("square", "float64"): Tolerance(0.0, 0.1), ("square", "float32"): Tolerance(0.0, 0.1)}
    tested = TestedTable(Changed(square=shifted), tolerances=wide)
    assert failed(tested, SQUARE) == set()
    assert "value" in failed(tested, OpCase("abs", ((2,),), lambda x: abs(x) + 1e-3))


def test_a_table_without_the_kernel_says_so() -> None:
    with pytest.raises(KernelError, match=r"no kernel in table 'bare'.*\nin operator square"):
        check_operator(TestedTable(TinyTable("bare", ("zeros",))), SQUARE)


def test_a_table_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata = tmp_path / "whole_kernels-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: whole-kernels\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    with fresh_tables():
        assert set(check_operator(TestedTable("whole"), SQUARE)) == NAMES
        found = kernel_table("whole")
        assert isinstance(found, TinyTable)
        assert found.calls["square"] > 0
