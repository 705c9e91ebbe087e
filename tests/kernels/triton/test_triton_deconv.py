"""Transposed convolution on the Triton table gives numpy's numbers, and its gradients."""

from math import prod
from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy import table
from tests.kernels.triton.parity import Tolerance, assert_parity

TOLERANCES = {
    "float32": Tolerance(1e-4, 1e-5, "sums of products in another order, and tf32 is off"),
    "float16": Tolerance(2**-10, 2**-9, "one rounding of a sum in float32 that cancels"),
    "bfloat16": Tolerance(2**-7, 2**-6, "one rounding of a sum in float32 that cancels"),
}
PLAIN: dict[str, Any] = {"stride": (), "dilate": (), "pad": (), "num_group": 1, "layout": None}
PLAIN |= {"adj": (), "target_shape": ()}
CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "one tap": ((2, 3, 5, 7), (3, 4, 1, 1), {}),
    "one place": ((1, 1, 1, 1), (1, 1, 3, 3), {}),
    "primes": ((3, 5, 3, 7), (5, 13, 3, 2), {"stride": (2, 3), "pad": (1, 1), "adj": (1, 2)}),
    "a tile and one more": ((1, 33, 9, 8), (33, 65, 1, 2), {}),
    "of a size": ((2, 3, 4, 5), (3, 2, 3, 4), {"stride": (2, 2), "target_shape": (8, 10)}),
    "dilated": ((1, 4, 5, 4), (4, 6, 3, 2), {"dilate": (2, 3), "pad": (2, 1), "stride": (1, 2)}),
    "groups": ((2, 6, 3, 4), (6, 3, 3, 2), {"num_group": 2, "stride": (2, 1)}),
    "by channel": ((2, 5, 4, 3), (5, 1, 3, 2), {"num_group": 5, "stride": (2, 2), "pad": (1, 0)}),
    "one axis": ((2, 3, 7), (3, 4, 3), {"stride": (2,), "pad": (1,), "adj": (1,)}),
    "three axes": (
        (2, 3, 2, 3, 2),
        (3, 4, 3, 2, 2),
        {"stride": (2, 1, 2), "pad": (1, 0, 1), "adj": (1, 0, 0)},
    ),
    "three axes by channel": ((1, 3, 2, 3, 4), (3, 1, 2, 3, 1), {"num_group": 3}),
}


def drawn(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).uniform(-1, 1, shape)


def last(x: Any) -> Any:
    return np.ascontiguousarray(np.moveaxis(x, 1, -1))


def layouts(name: str) -> list[tuple[Any, Any, dict[str, Any]]]:
    """Data, weight and parameters with the channels first, and last."""
    shape, weight_shape, params = CASES[name]
    x, weight, params = drawn(*shape), drawn(*weight_shape), {**PLAIN, **params}
    turned = {**params, "layout": {3: "NWC", 4: "NHWC", 5: "NDHWC"}[x.ndim]}
    return [(x, weight, params), (last(x), last(weight), turned)]


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("name", CASES)
def test_windows_and_gradients(name: str, dtype: str) -> None:
    tolerance = TOLERANCES[dtype]
    record = table().find("deconvolution_project")
    assert record is not None
    for x, weight, params in layouts(name):
        assert_parity("deconvolution_project", [x, weight], dtype, params, tolerance=tolerance)
        y = record.function(x, weight, **params)
        dy = np.random.default_rng(1).uniform(-1, 1, y.shape)
        to_data, to_weight = "deconvolution_backward_data", "deconvolution_backward_weight"
        assert_parity(to_data, [dy, weight, x], dtype, params, tolerance=tolerance)
        summed = tolerance._replace(atol=tolerance.atol * max(prod(x.shape) / x.shape[1], 1) ** 0.5)
        assert_parity(to_weight, [dy, x, weight], dtype, params, tolerance=summed)


@pytest.mark.parametrize("name", ["primes", "by channel", "one axis", "three axes"])
def test_a_bias_is_added_before_the_result_is_rounded(name: str) -> None:
    for x, weight, params in layouts(name):
        filters = CASES[name][1][1] * params["num_group"]
        how = {**params, "kernel": CASES[name][1][2:], "num_filter": filters, "no_bias": False}
        how |= {"workspace": 1, "cudnn_tune": None, "cudnn_off": False}
        arrays = [x, weight, drawn(filters)]
        assert_parity("deconvolution", arrays, "float32", how, tolerance=TOLERANCES["float32"])


@pytest.mark.parametrize("name", ["primes", "three axes"])
def test_tensors_are_read_where_they_lie(name: str) -> None:
    x, weight, params = layouts(name)[0]
    assert_parity(
        "deconvolution_project", [x, weight], "float32", params, strided=True,
        tolerance=TOLERANCES["float32"],
    )  # fmt: skip
