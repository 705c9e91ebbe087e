"""Every kernel table passes the suite: each check on each row of cases."""

import sys
from typing import Any

import pytest

from hy_ndarray.testing import TestedTable, check_operator
from hy_ndarray.testing.cases import FAMILIES
from tests.ops.tables import TABLES, is_computed, rows_of


def tables() -> list[Any]:
    gpu = pytest.mark.gpu
    return [
        pytest.param(tested, id=tested.name)
        if tested.device == "cpu"
        else pytest.param(tested, id=f"{tested.name}-{tested.device}", marks=gpu)
        for tested in TABLES
    ]


@pytest.fixture(autouse=True)
def _exact_products(monkeypatch: pytest.MonkeyPatch) -> None:
    """Convolutions of float32 on GPUs have all bits of float32, as products have."""
    torch = sys.modules.get("torch")
    if torch is not None:
        monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)


@pytest.mark.parametrize("tested", tables())
@pytest.mark.parametrize("family", FAMILIES)
def test_a_table_passes_the_suite(tested: TestedTable, family: str) -> None:
    errors: list[Exception] = []
    for case in rows_of(tested, family):
        if not is_computed(tested, case):
            continue
        try:
            check_operator(tested, case)
        except Exception as error:  # all of a family are told
            errors.append(error)
    if errors:
        raise ExceptionGroup(f"{len(errors)} rows of {family} on table {tested.name}", errors)
