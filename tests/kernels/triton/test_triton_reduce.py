"""Reductions on the Triton table give numpy's numbers, over any axes."""

from typing import Any

import numpy as np
import pytest

from hy_kernels.triton.runtime._launch import watched
from tests.kernels.triton.parity import (
    DEVICE,
    DTYPES,
    TOLERANCES,
    Tolerance,
    assert_parity,
    computed,
    memory,
)

CASES: list[tuple[tuple[int, ...], tuple[int, ...] | None]] = [
    ((1,), None),
    ((7, 13), (0,)),
    ((7, 13), (1,)),
    ((3, 5, 7), (0, 2)),
    ((3, 5, 7), (1,)),
    ((2, 3, 4, 5), (-1, 1)),
    ((1025,), None),
    ((2, 20011), (1,)),
    ((4099, 2), (0,)),
]
SUMS = {
    **TOLERANCES,
    "float64": Tolerance(1e-11, 1e-11, "sums in another order"),
    "float32": Tolerance(1e-5, 1e-3, "20,011 additions that cancel, in another order"),
    "float16": Tolerance(2**-10, 2**-5, "one rounding, of sums that cancel"),
    "bfloat16": Tolerance(2**-7, 2**-3, "one rounding, of sums that cancel"),
}


def drawn(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).uniform(-1, 1, shape)


@pytest.mark.parametrize(("shape", "axis"), CASES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min"])
def test_over_axes(name: str, dtype: str, shape: tuple[int, ...], axis: Any) -> None:
    for keepdims in (False, True):
        how = {"axis": axis, "keepdims": keepdims, "exclude": False}
        assert_parity(name, [drawn(*shape)], dtype, how, tolerance=SUMS[dtype])


@pytest.mark.parametrize("name", ["sum", "max"])
def test_of_strided_tensors_and_all_other_axes(name: str) -> None:
    how = {"axis": (1,), "keepdims": False, "exclude": True}
    assert_parity(name, [drawn(3, 5, 7)], "float64", how, strided=True)


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_nan_wins(name: str) -> None:
    x = drawn(4, 6)
    x[1, 3] = x[1, 5] = x[2, 0] = np.nan
    x[3, 1] = np.inf
    how: dict[str, Any] = {"axis": 1, "keepdims": False}
    if not name.startswith("arg"):
        how = {"axis": (1,), "keepdims": False, "exclude": False}
    assert_parity(name, [x], "float64", how)


@pytest.mark.parametrize(("shape", "axis"), CASES)
@pytest.mark.parametrize("ord", [1, 2])
@pytest.mark.parametrize("dtype", DTYPES)
def test_norms(dtype: str, ord: int, shape: tuple[int, ...], axis: Any) -> None:  # noqa: A002
    how = {"ord": ord, "axis": axis, "out_dtype": None, "keepdims": False}
    assert_parity("norm", [drawn(*shape)], dtype, how, tolerance=SUMS[dtype])


def test_a_norm_of_float16_does_not_overflow_inside() -> None:
    how = {"ord": 2, "axis": None, "out_dtype": None, "keepdims": False}
    assert_parity("norm", [np.full((4,), 3e4)], "float16", how)


@pytest.mark.parametrize("shape", [(1,), (3, 7), (5, 1), (2, 3, 5), (2, 5003)])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_places(name: str, dtype: str, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(3).integers(-9, 9, shape).astype("float64")
    if x.size > 1000:
        x[:, 200:] = 0  # a place that bfloat16 has
    for axis in (None, 0, -1):
        assert_parity(name, [x], dtype, {"axis": axis, "keepdims": False})


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_places_in_a_long_row_take_a_second_launch(name: str) -> None:
    x = np.zeros((2, 40001))
    sign = 1 if name == "argmax" else -1
    x[0, [16385, 30000]] = sign  # the first of equals, in the second part
    x[1, 7], x[1, 39999] = sign * np.inf, np.nan
    assert_parity(name, [x], "float32", {"axis": 1, "keepdims": False})
    assert_parity(name, [x], "float64", {"axis": None, "keepdims": False})
    assert_parity(
        name, [np.full((1, 40001), -sign * np.inf)], "float32", {"axis": 1, "keepdims": True}
    )
    tensor = memory.from_numpy(x, DEVICE)
    with watched() as launches:
        computed(name, [tensor], {"axis": 1, "keepdims": False})
    assert [each.name for each in launches] == ["extreme_position", "extreme_merged"]


def test_places_along_channels() -> None:
    assert_parity("argmax_channel", [drawn(2, 9, 3)], "float32")
