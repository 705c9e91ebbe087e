"""Transforms of every operator, on every table: as on each sample, and as values move."""

from collections.abc import Callable, Iterator

import pytest

from hy_ndarray import HyError
from hy_ndarray.testing import REFERENCE, Check, OpCase, TestedTable
from hy_ndarray.testing.cases import FAMILIES
from hy_ndarray.testing.transform_checks import TRANSFORM_CHECKS
from tests.ops.tables import TABLES, is_computed

CHECK = {check.name: check for check in TRANSFORM_CHECKS}
KERNEL = "its gradient is a kernel that has no gradient of its own"
THIRD = "its second derivative is a kernel that has no gradient: a third one is asked for"
NO_TANGENTS = {
    "BilinearSampler": KERNEL,
    "CTCLoss": KERNEL,
    "Correlation": KERNEL,
    "RNN": KERNEL,
    "SpatialTransformer": "it samples as BilinearSampler does",
    "_contrib_DeformableConvolution": KERNEL,
    "_contrib_DeformablePSROIPooling": KERNEL,
    "_contrib_ModulatedDeformableConvolution": KERNEL,
}
"""Operators without forward mode, and why."""
NO_HESSIANS = {
    **NO_TANGENTS,
    "_contrib_SparseEmbedding": "its gradient is a sparse array, which has no tangents",
    "_digamma": THIRD,
    "_leaky_relu_backward": THIRD,
    "_normalize_backward": THIRD,
    "_normalize_statistics_backward": THIRD,
    "_prelu_backward": THIRD,
    "_product_of_others": THIRD,
}
"""Differentiable operators whose gradients have no tangents, and why."""
EXCEPTIONS = {"vmap": {}, "jvp": NO_TANGENTS, "hessian": NO_HESSIANS}


def rows(family: str, check: Check, tested: TestedTable) -> Iterator[OpCase]:
    """The rows of a family that a check is about."""
    for case in FAMILIES[family]:
        is_left_out = case.op in EXCEPTIONS[check.name]
        if not is_left_out and is_computed(tested, case) and check.applies(case, tested):
            yield case


def first_of_each(cases: Iterator[OpCase]) -> Iterator[OpCase]:
    """The first row of each operator."""
    seen: set[str] = set()
    for case in cases:
        if case.op not in seen:
            seen.add(case.op)
            yield case


def hold(check: Check, tested: TestedTable, cases: Iterator[OpCase]) -> None:
    """Run a check on rows; a note says on which one it fails."""
    with tested.in_use():
        for case in cases:
            try:
                check.run(case, tested)
            except Exception as error:
                error.add_note(f"{check.name} of {case} on table {tested.name!r}")
                raise


def everywhere(test: Callable[..., None]) -> Callable[..., None]:
    """The test for each check and family."""
    by_family = pytest.mark.parametrize("family", FAMILIES)(test)
    marked: Callable[..., None] = pytest.mark.parametrize("name", CHECK)(by_family)
    return marked


@everywhere
def test_rows_on_the_reference_table(name: str, family: str) -> None:
    hold(CHECK[name], REFERENCE, rows(family, CHECK[name], REFERENCE))


@pytest.mark.parametrize("tested", TABLES, ids=lambda tested: f"{tested.name}-{tested.device}")
@everywhere
def test_first_rows_on_other_tables(name: str, family: str, tested: TestedTable) -> None:
    hold(CHECK[name], tested, first_of_each(rows(family, CHECK[name], tested)))


@pytest.mark.slow
@pytest.mark.parametrize("tested", TABLES, ids=lambda tested: f"{tested.name}-{tested.device}")
@everywhere
def test_rows_on_other_tables(name: str, family: str, tested: TestedTable) -> None:
    hold(CHECK[name], tested, rows(family, CHECK[name], tested))


def test_at_most_fifteen_operators_are_left_out() -> None:
    assert len(NO_HESSIANS) <= 15


@pytest.mark.parametrize("op", NO_HESSIANS)
def test_what_is_left_out_says_so(op: str) -> None:
    check = CHECK["jvp" if op in NO_TANGENTS else "hessian"]
    cases = (c for family in FAMILIES.values() for c in family if c.op == op)
    case = next(c for c in cases if check.applies(c, REFERENCE))
    with REFERENCE.in_use(), pytest.raises(HyError, match=r"is not differentiable|sparse array"):
        check.run(case, REFERENCE)
