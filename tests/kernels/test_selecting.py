"""Elements selected by a mask are numpy's, by whichever loop."""

from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy._selecting import selected
from tests.changed_costs import change_costs

DTYPES = ["bool", "uint8", "float16", "int32", "float32", "float64", "complex128"]
SHAPES = [((6, 5), (6, 5)), ((6, 1), (6, 5)), ((6, 5), (1, 5)), ((6, 5), ()), ((), (3,))]


@pytest.mark.parametrize(("of_mask", "of_operand"), SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lowest", [0, 1 << 20], ids=["by bits", "by numpy"])
def test_selection_agrees_with_numpy(
    of_mask: Any,
    of_operand: Any,
    dtype: str,
    lowest: int,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change_costs(monkeypatch, memory={"selected": lowest})
    mask = np.asarray(rng.random(of_mask) < 0.5)
    x = np.asarray(rng.uniform(-9, 9, of_operand)).astype(dtype)
    y = np.asarray(rng.uniform(-9, 9, np.broadcast(mask, x).shape)).astype(dtype)
    wanted = np.where(mask, x, y)
    out = np.ones_like(wanted)
    assert selected(mask, x, y, out) is out
    for result in (selected(mask, x, y), out):
        assert result.dtype == wanted.dtype
        np.testing.assert_array_equal(result, wanted)


def test_selection_keeps_the_bits_of_nan_and_negative_zero(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change_costs(monkeypatch, memory={"selected": 0})
    x = np.array([np.nan, -0.0, np.inf, 1], np.float32)
    y = np.array([1, np.nan, -0.0, -np.inf], np.float32)
    result = selected(np.array([True, True, False, False]), x, y)
    wanted = np.array([np.nan, -0.0, -0.0, -np.inf], np.float32)
    np.testing.assert_array_equal(result.view(np.int32), wanted.view(np.int32))
