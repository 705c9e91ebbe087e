"""Pooling on the Triton table gives numpy's numbers, and its gradients."""

from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy import table
from tests.kernels.triton.parity import TOLERANCES, Tolerance, assert_parity

CONVENTIONS: dict[str, dict[str, Any]] = {
    "windows side by side": {"kernel": (2, 2), "stride": (2, 2), "pad": (0, 0)},
    "windows that overlap": {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1)},
    "windows of several groups": {"kernel": (3, 5), "stride": (1, 2), "pad": (1, 2)},
    "windows of four columns": {"kernel": (2, 7), "stride": (3, 4), "pad": (0, 3)},
    "windows far apart": {"kernel": (1, 2), "stride": (3, 4), "pad": (0, 1)},
    "up to the border": {
        "kernel": (3, 2),
        "stride": (2, 3),
        "pad": (1, 0),
        "pooling_convention": "full",
    },
    "the same number": {
        "kernel": (3, 3),
        "stride": (2, 2),
        "pad": (0, 0),
        "pooling_convention": "same",
    },
    "whole planes": {"kernel": (), "stride": (), "pad": (), "global_pool": True},
}
SPACES = {
    "one axis": ((2, 3, 11), 1),
    "two axes": ((2, 3, 11, 7), 2),
    "three axes": ((1, 2, 5, 7, 4), 3),
}
SUMS = {
    **TOLERANCES,
    "float16": Tolerance(2**-9, 2**-9, "one rounding, of means that are summed"),
    "bfloat16": Tolerance(2**-6, 2**-6, "one rounding, of means that are summed"),
}
LENGTHS = {**TOLERANCES, "float32": Tolerance(1e-5, 1e-5, "roots of sums in another order")}
SLOPES = {
    **SUMS,
    "float32": Tolerance(1e-4, 1e-5, "quotients by powers of what was rounded, that are summed"),
}
BASE: dict[str, Any] = {"global_pool": False, "pooling_convention": "valid"}


def drawn(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).permutation(np.prod(shape)).reshape(shape) / 32.0


def _whole(params: dict[str, Any]) -> dict[str, Any]:
    return {"cudnn_off": False, "p_value": None, **BASE, **params}


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("kind", ["max", "avg", "sum"])
def test_windows(kind: str, convention: str, layout: str, dtype: str) -> None:
    x = drawn(2, 3, 11, 7)
    x = np.moveaxis(x, 1, -1) if layout == "NHWC" else x
    for include in (True, False) if kind == "avg" else (None,):
        how = {**CONVENTIONS[convention], "pool_type": kind, "count_include_pad": include}
        assert_parity("pooling", [x], dtype, {**_whole(how), "layout": layout})


@pytest.mark.parametrize("strided", [False, True])
@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("kind", ["max", "avg"])
def test_axes(kind: str, space: str, strided: bool) -> None:
    shape, rank = SPACES[space]
    how: dict[str, Any] = {"kernel": (2,) * rank, "stride": (1,) * rank, "pad": (1,) * rank}
    how["pool_type"] = kind
    how |= {"count_include_pad": None, "layout": None}
    assert_parity("pooling", [drawn(*shape)], "float32", _whole(how), strided=strided)


@pytest.mark.parametrize("convention", [*CONVENTIONS][:6])
@pytest.mark.parametrize("kind", ["max", "avg", "sum"])
def test_the_old_operator(kind: str, convention: str) -> None:
    x = drawn(2, 3, 11, 7) - 6
    params = {**BASE, **CONVENTIONS[convention], "pool_type": kind}
    assert_parity("pooling_v1", [x], "float32", params)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("power", [1, 2, 3])
def test_lengths_and_their_gradients(power: int, convention: str, layout: str, dtype: str) -> None:
    x = drawn(2, 3, 11, 7) / 16 + 0.25
    x[0, 0] = 0  # roots of zero have no gradient
    x[:, 2] *= -1
    x = np.moveaxis(x, 1, -1) if layout == "NHWC" else x
    how = {**BASE, **CONVENTIONS[convention], "layout": layout, "p_value": power}
    more = {"pool_type": "lp", "cudnn_off": False, "count_include_pad": None}
    assert_parity("pooling", [x], dtype, {**how, **more}, tolerance=LENGTHS[dtype])
    y = _pooled(x, {**how, **more})
    dy = np.random.default_rng(1).uniform(-1, 1, y.shape)
    assert_parity("pooling_lp_backward", [dy, x, y], dtype, how, tolerance=SLOPES[dtype])


@pytest.mark.parametrize("space", SPACES)
def test_lengths_along_axes(space: str) -> None:
    shape, rank = SPACES[space]
    how: dict[str, Any] = {**BASE, "kernel": (2,) * rank, "stride": (1,) * rank}
    how |= {"pad": (1,) * rank, "p_value": 2, "layout": None}
    more = {"pool_type": "lp", "cudnn_off": False, "count_include_pad": None}
    x = drawn(*shape)
    assert_parity("pooling", [x], "float32", {**how, **more}, strided=True)
    y = _pooled(x, {**how, **more})
    dy = np.random.default_rng(1).uniform(-1, 1, y.shape)
    tolerance = SLOPES["float32"]
    assert_parity(
        "pooling_lp_backward", [dy, x, y], "float32", how, tolerance=tolerance, strided=True
    )


@pytest.mark.parametrize("width", [69, 70, 96])
@pytest.mark.parametrize("kind", ["max", "avg"])
def test_rows_of_several_tiles(kind: str, width: int) -> None:
    x = drawn(1, 2, 3, width) - 4
    how = {**BASE, **CONVENTIONS["windows that overlap"], "layout": "NCHW"}
    more = {"pool_type": kind, "cudnn_off": False, "p_value": None, "count_include_pad": False}
    assert_parity("pooling", [x], "float32", {**how, **more})
    dy = np.random.default_rng(1).uniform(-1, 1, _pooled(x, {**how, **more}).shape)
    if kind == "max":
        assert_parity("pooling_max_backward", [dy, x], "float32", {**how, "zero_pad": False})
    else:
        how |= {"pool_type": kind, "count_include_pad": False}
        assert_parity("pooling_sum_backward", [dy, x], "float32", how)


@pytest.mark.parametrize("zero_pad", [False, True])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_values_where_the_largest_elements_are(
    convention: str, layout: str, zero_pad: bool
) -> None:
    x = drawn(2, 3, 11, 7) - 6
    x = np.moveaxis(x, 1, -1) if layout == "NHWC" else x
    how = {**BASE, **CONVENTIONS[convention], "layout": layout, "zero_pad": zero_pad}
    values = np.random.default_rng(1).uniform(-1, 1, x.shape)
    assert_parity("pooling_max_select", [values, x], "float32", how)


def _pooled(x: Any, params: dict[str, Any]) -> Any:
    record = table().find("pooling")
    assert record is not None
    return record.function(x, **params)


def _dy(x: Any, params: dict[str, Any]) -> Any:
    how = {k: v for k, v in params.items() if k != "zero_pad"}
    record = table().find("pooling")
    assert record is not None
    y = record.function(x, **_whole({**how, "pool_type": "max", "count_include_pad": None}))
    return np.random.default_rng(1).uniform(-1, 1, y.shape)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_gradients(convention: str, layout: str, dtype: str) -> None:
    x = drawn(2, 3, 11, 7)
    x = np.moveaxis(x, 1, -1) if layout == "NHWC" else x
    how = {**BASE, **CONVENTIONS[convention], "layout": layout}
    dy, tolerance = _dy(x, how), SUMS[dtype]
    maxima = {**how, "zero_pad": False}
    assert_parity("pooling_max_backward", [dy, x], dtype, maxima, tolerance=tolerance)
    for kind, include in (("avg", True), ("avg", False), ("sum", None)):
        means = {**how, "pool_type": kind, "count_include_pad": include}
        assert_parity("pooling_sum_backward", [dy, x], dtype, means, tolerance=tolerance)


@pytest.mark.parametrize("zero_pad", [False, True])
def test_the_first_of_equals_has_the_gradient(zero_pad: bool) -> None:
    x = np.zeros((1, 2, 5, 4))
    x[0, 0, 2, 2] = -1
    x[0, 1] -= 3
    how = {**BASE, "kernel": (3, 3), "stride": (1, 1), "pad": (1, 1), "layout": None}
    how["zero_pad"] = zero_pad
    assert_parity("pooling_max_backward", [_dy(x, {**how}), x], "float32", how)
