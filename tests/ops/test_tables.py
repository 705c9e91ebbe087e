"""Every kernel table passes the suite: each check on each row of cases."""

from typing import Any

import pytest

from hy_ndarray.testing import TestedTable, check_operator
from hy_ndarray.testing.cases import FAMILIES
from tests.ops.tables import TABLES


def tables() -> list[Any]:
    gpu = {"gpu": [pytest.mark.gpu], "cpu": []}
    return [pytest.param(tested, marks=gpu[tested.device], id=tested.name) for tested in TABLES]


@pytest.mark.parametrize("tested", tables())
@pytest.mark.parametrize("family", FAMILIES)
def test_a_table_passes_the_suite(tested: TestedTable, family: str) -> None:
    errors: list[Exception] = []
    for case in FAMILIES[family]:
        try:
            check_operator(tested, case)
        except Exception as error:  # all of a family are told
            errors.append(error)
    if errors:
        raise ExceptionGroup(f"{len(errors)} rows of {family} on table {tested.name}", errors)
