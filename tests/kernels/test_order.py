"""Orders by keys are numpy's stable ones."""

import numpy as np
import pytest

from hy_kernels.numpy._array import Array
from hy_kernels.numpy._order import stable_order
from tests.changed_costs import change_costs


@pytest.mark.parametrize("is_ascend", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_keys_give_the_stable_order(
    dtype: str, is_ascend: bool, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = rng.integers(-5, 5, (3, 2, 400)).astype(dtype)  # with many ties
    if dtype == "float32":
        rows[..., ::7] = np.nan
        rows[..., 1::11] = -0.0
        rows[..., 2::13] = [[np.inf], [-np.inf]]
        rows[0, 0, 3] = -np.float32(np.nan)
    else:
        rows[..., :2] = np.iinfo(np.int32).min, np.iinfo(np.int32).max
    change_costs(monkeypatch, rows={"keyed": 1 << 30})
    wanted = stable_order(rows, is_ascend)
    change_costs(monkeypatch, rows={"keyed": 1})
    np.testing.assert_array_equal(stable_order(rows, is_ascend), wanted)
    np.testing.assert_array_equal(stable_order(rows.T, is_ascend), _by_numpy(rows.T, is_ascend))


def _by_numpy(rows: Array, is_ascend: bool) -> Array:
    if is_ascend:
        return np.argsort(rows, axis=-1, kind="stable")
    backwards = np.argsort(rows[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    return np.asarray(rows.shape[-1] - 1 - backwards)
