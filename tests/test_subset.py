"""The fast tests leave out parameter sets, and neither a test nor an operator."""

from hy_ndarray import ops
from hy_ndarray.testing.cases import CASES
from tests.subset import FEW, SOME, first_sets


def test_each_operator_keeps_its_first_row() -> None:
    assert first_sets(["exp", "exp", "dot", "exp", "sum", "dot"]) == [1, 0, 1, 0, 1, 0]
    names = [case.op for case in CASES]
    kept = [name for name, is_kept in zip(names, first_sets(names), strict=True) if is_kept]
    assert len(kept) == len(set(kept))
    assert {ops.find(name) for name in kept} == set(ops.operators())


def test_few_other_sets_are_all_kept() -> None:
    assert first_sets([None]) == [True]
    assert first_sets([None] * FEW) == [True] * FEW


def test_of_many_other_sets_some_are_kept_from_the_first_on() -> None:
    kept = first_sets([None] * 100)
    assert sum(kept) == SOME
    assert kept[0]
    assert any(kept[60:])
