"""Rows by index and their gradient on the Triton table give numpy's numbers."""

from typing import Any

import numpy as np
import pytest

from tests.kernels.triton.parity import DTYPES, TOLERANCES, Tolerance, assert_parity

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
