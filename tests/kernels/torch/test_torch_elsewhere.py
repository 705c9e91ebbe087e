"""What numpy computes on CPUs of the torch table, torch's own kernels compute on other devices.

Here these compute on the CPU, too, and pass the suite.
"""

from dataclasses import replace

import pytest

from hy_kernels.record import Kernel
from hy_kernels.torch import TorchTable, table
from hy_kernels.torch._host import ELSEWHERE
from hy_ndarray import ops
from hy_ndarray.testing import OpCase, TestedTable, check_operator
from hy_ndarray.testing.cases import CASES

table().names()  # all families are imported


class Elsewhere(TorchTable):
    """The torch table as it is on other devices than CPUs."""

    name = "elsewhere"

    def find(self, kernel: str) -> Kernel | None:
        found = super().find(kernel)
        if found is None or kernel not in ELSEWHERE:
            return found
        return replace(found, function=ELSEWHERE[kernel])


TESTED = TestedTable(Elsewhere())


def rows() -> list[OpCase]:
    return [case for case in CASES if ops.find(case.op).kernel in ELSEWHERE]


@pytest.mark.parametrize("case", rows(), ids=str)
def test_torch_s_own_kernels_pass_the_suite(case: OpCase) -> None:
    assert check_operator(TESTED, case)
