"""What only a GPU can show; and the arithmetic of its benchmark, which needs none."""

import pytest
import torch

from benchmarks.gpu import Peaks, line
from benchmarks.gpu_case import Case
from benchmarks.gpu_cases import cases
from hy_kernels.triton import functional as hy
from hy_ndarray import device_of, gpu

on_a_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")


def test_a_row_tells_rate_share_and_ratios() -> None:
    case = Case("copy", lambda: None, lambda: None, moved=10**9)
    row = line(case, Peaks(2e12, 1e15), ours=1e-3, theirs=2e-3, compiled=1.5e-3)
    assert row == "| copy | 1.0000 | 1000.0 GB/s | 50% | 2.00 | 1.50 |"
    case = Case("product", lambda: None, lambda: None, work=10**12)
    row = line(case, Peaks(2e12, 1e15), ours=2e-3, theirs=2e-3, compiled=2e-3)
    assert row == "| product | 2.0000 | 500.0 TFLOP/s | 50% | 1.00 | 1.00 |"


def test_every_case_tells_what_it_moves_or_computes() -> None:
    for case in cases("meta"):
        assert case.moved or case.work or case.name.startswith("product by"), case.name


@on_a_gpu
@pytest.mark.gpu
def test_the_table_is_the_default_for_gpus() -> None:
    assert device_of(gpu(0)).table.name == "triton"


@on_a_gpu
@pytest.mark.gpu
@pytest.mark.slow
def test_tensors_of_more_than_two_thousand_million_elements() -> None:
    x = torch.zeros((1 << 16) + 1, 1 << 15, dtype=torch.float16, device="cuda")
    x[-1, -1] = 10
    y = hy.softmax(x, -1)
    torch.testing.assert_close(y[-1], torch.softmax(x[-1], -1))
