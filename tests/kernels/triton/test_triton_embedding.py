"""Rows by index and their gradient on the Triton table give numpy's numbers."""

from typing import Any

import numpy as np
import pytest
import torch

from hy_kernels.triton.nn.embedding import BLOCK, added
from hy_kernels.triton.runtime._launch import watched
from tests.kernels.triton.parity import DEVICE, DTYPES, TOLERANCES, Tolerance, assert_parity

SUMS = {
    **TOLERANCES,
    "float16": Tolerance(2**-10, 2**-10, "one rounding of a sum that cancels"),
    "bfloat16": Tolerance(2**-7, 2**-7, "one rounding of a sum that cancels"),
}


def drawn(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).uniform(-1, 1, shape)


@pytest.mark.parametrize("columns", [1, 7, 2049])
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_and_their_gradient(dtype: str, columns: int) -> None:
    index = np.array([[3, 0, 3, -1], [9, 4, 0, 3]], "int32")
    how: dict[str, Any] = {"input_dim": 5, "output_dim": columns, "dtype": dtype}
    weight = drawn(5, columns)
    assert_parity("embedding", [index, weight], dtype, {**how, "sparse_grad": False})
    arrays = [drawn(2, 4, columns), weight, index]
    for mode in ("clip", "wrap"):
        how = {"axis": 0, "mode": mode, "sparse_grad": False}
        assert_parity("take_backward", arrays, dtype, how, tolerance=SUMS[dtype])


RUNS = {
    "of one": [1] * 5,
    "a block less one": [BLOCK - 1],
    "a block": [BLOCK, BLOCK],
    "a block and one": [BLOCK + 1],
    "to the end of a block": [1, BLOCK - 1, BLOCK],
    "beyond the end of a block": [3, BLOCK, 2 * BLOCK - 3, 1],
    "half of all": [1, 2, 5, 3 * BLOCK, *[1] * BLOCK, 2 * BLOCK],
    "all": [6 * BLOCK + 5],
}
"""How often each index comes."""


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("runs", RUNS)
def test_an_index_may_come_any_number_of_times(runs: str, dtype: str) -> None:
    rng = np.random.default_rng(5)
    index = rng.permutation(np.repeat(2 * np.arange(len(RUNS[runs])), RUNS[runs]))
    dy = torch.tensor(rng.integers(-2, 3, (len(index), 3)), dtype=getattr(torch, dtype))
    total = torch.full((2 * len(RUNS[runs]), 3), 7, dtype=dy.dtype, device=DEVICE)
    with watched() as launches:
        added(dy.to(DEVICE), torch.tensor(index, device=DEVICE), total)
    wanted = np.zeros(total.shape)
    np.add.at(wanted, index, dy.double().numpy())
    np.testing.assert_array_equal(total.cpu().double().numpy(), wanted)
    joins = ["parts_added"] if len(index) > BLOCK else []
    assert [each.name for each in launches] == ["rows_added", *joins]


def test_sums_are_rounded_once_however_often_an_index_comes() -> None:
    """Numbers whose sums of float16 are lost one by one, and the same bits again."""
    count = 5 * BLOCK
    dy = torch.full((count, 1), 2**-12, dtype=torch.float16, device=DEVICE)
    dy[0] = 1
    index, found = torch.zeros(count, dtype=torch.int64, device=DEVICE), []
    for _ in range(2):
        total = torch.empty(1, 1, dtype=torch.float16, device=DEVICE)
        added(dy, index, total)
        found.append(total.item())
    assert found == [float(np.float16(1 + (count - 1) * 2**-12))] * 2
