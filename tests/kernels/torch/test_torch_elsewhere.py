"""What numpy computes on CPUs of the torch table, torch's own kernels compute on other devices.

Here these compute on the CPU, too, and pass the suite.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from hy_kernels.numpy import table as numpy_table
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


def rows() -> list[Any]:
    found = [case for case in CASES if ops.find(case.op).kernel in ELSEWHERE]
    slow = {True: [pytest.mark.slow], False: []}
    return [
        pytest.param(case, marks=slow[case.op == "_roi_align_backward"], id=str(case))
        for case in found
    ]


@pytest.mark.parametrize("case", rows())
def test_torch_s_own_kernels_pass_the_suite(case: OpCase) -> None:
    assert check_operator(TESTED, case)


def test_the_best_range_is_numpy_s_among_many_histograms() -> None:
    record = numpy_table().find("calibrate_entropy")
    assert record is not None
    rng = np.random.default_rng(0)
    for _ in range(100):
        size, bins = (int(x) for x in rng.integers((3, 1), (60, 12)))
        counts = (rng.integers(0, 9, size) * rng.integers(0, 2, size)).astype(np.float32)
        edges = np.linspace(-1, 1, size + 1, dtype=np.float32)
        wanted = record.function(counts, edges, num_quantized_bins=bins)
        found = ELSEWHERE["calibrate_entropy"](
            torch.from_numpy(counts), torch.from_numpy(edges), num_quantized_bins=bins
        )
        assert found[0].item() == wanted[0].item()
        np.testing.assert_allclose(found[1].numpy(), wanted[1], rtol=1e-6)
