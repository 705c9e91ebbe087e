"""Convolution on the Triton table gives numpy's numbers, and its gradients."""

from math import prod
from typing import Any

import numpy as np
import pytest
import torch

from hy_kernels.torch import table as torch_table
from hy_kernels.triton.runtime._launch import watched
from tests.kernels.triton.parity import DEVICE, Tolerance, assert_parity, computed

TOLERANCES = {
    "float32": Tolerance(1e-4, 1e-5, "sums of products in another order, and tf32 is off"),
    "float16": Tolerance(2**-10, 2**-9, "one rounding of a sum in float32 that cancels"),
    "bfloat16": Tolerance(2**-7, 2**-6, "one rounding of a sum in float32 that cancels"),
}
PLAIN: dict[str, Any] = {"stride": (), "dilate": (), "pad": (), "num_group": 1, "layout": None}
Row = tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]
CASES: dict[str, Row] = {
    "one tap": ((2, 3, 5, 7), (4, 3, 1, 1), {}),
    "one place": ((1, 1, 3, 3), (1, 1, 3, 3), {}),
    "primes": ((3, 5, 11, 7), (13, 5, 3, 2), {"pad": (1, 1), "stride": (2, 1)}),
    "a tile and one more": ((1, 33, 9, 8), (65, 33, 1, 2), {}),
    "far apart": ((2, 3, 9, 8), (4, 3, 2, 2), {"stride": (3, 4), "pad": (0, 1)}),
    "dilated": ((1, 4, 11, 9), (6, 4, 3, 3), {"dilate": (2, 3), "pad": (2, 3), "stride": (1, 2)}),
    "groups": ((2, 6, 5, 7), (4, 3, 3, 3), {"num_group": 2, "pad": (1, 1)}),
    "one axis": ((2, 3, 11), (4, 3, 3), {"stride": (2,), "pad": (1,), "layout": "NCW"}),
    "by channel": ((2, 5, 6, 7), (5, 1, 3, 3), {"num_group": 5, "pad": (1, 1), "stride": (2, 1)}),
    "twice by channel": ((2, 3, 9), (6, 1, 4), {"num_group": 3, "dilate": (2,), "pad": (1,)}),
    "three axes": (
        (2, 3, 5, 4, 3),
        (5, 3, 3, 2, 2),
        {"stride": (2, 1, 2), "pad": (1, 0, 1), "dilate": (1, 3, 1)},
    ),
    "three axes by groups": ((1, 4, 3, 5, 2), (6, 2, 2, 3, 1), {"num_group": 2, "pad": (1, 1, 0)}),
    "three axes by channel": (
        (2, 3, 4, 5, 3),
        (6, 1, 3, 1, 2),
        {"num_group": 3, "stride": (1, 2, 1), "pad": (1, 0, 1)},
    ),
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


def result(x: Any, weight: Any, params: dict[str, Any]) -> Any:
    from_torch = torch_table().find("convolution_project")
    assert from_torch is not None
    given = [torch.from_numpy(each) for each in (x, weight)]
    return from_torch.function(*given, **params).numpy()


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("name", CASES)
def test_windows_and_gradients(name: str, dtype: str) -> None:
    tolerance = TOLERANCES[dtype]
    for x, weight, params in layouts(name):
        assert_parity("convolution_project", [x, weight], dtype, params, tolerance=tolerance)
        dy = result(x, weight, params)
        dy = np.random.default_rng(1).uniform(-1, 1, dy.shape)
        to_data, to_weight = "convolution_backward_data", "convolution_backward_weight"
        assert_parity(to_data, [dy, weight, x], dtype, params, tolerance=tolerance)
        summed = tolerance._replace(
            atol=tolerance.atol * max(prod(dy.shape) / dy.shape[1], 1) ** 0.5
        )
        assert_parity(to_weight, [dy, x, weight], dtype, params, tolerance=summed)


@pytest.mark.parametrize("name", ["primes", "by channel", "one axis", "three axes"])
def test_a_bias_is_added_before_the_result_is_rounded(name: str) -> None:
    for x, weight, params in layouts(name):
        how = {**params, "kernel": CASES[name][1][2:], "num_filter": len(weight), "no_bias": False}
        how |= {"workspace": 1, "cudnn_tune": None, "cudnn_off": False}
        arrays = [x, weight, drawn(len(weight))]
        assert_parity("convolution", arrays, "float32", how, tolerance=TOLERANCES["float32"])


@pytest.mark.parametrize("name", ["primes", "three axes"])
def test_tensors_are_read_where_they_lie(name: str) -> None:
    x, weight, params = layouts(name)[0]
    assert_parity(
        "convolution_project", [x, weight], "float32", params, strided=True,
        tolerance=TOLERANCES["float32"],
    )  # fmt: skip


def test_the_gradient_to_the_weight_is_added_up_in_parts() -> None:
    x, weight = drawn(1, 3, 20, 21), drawn(2, 3, 3, 3)
    dy = drawn(*result(x, weight, PLAIN).shape)
    tolerance = Tolerance(1e-4, 1e-3, "sums of 342 products in parts")
    with watched() as launches:
        assert_parity(
            "convolution_backward_weight", [dy, x, weight], "float32", PLAIN, tolerance=tolerance
        )
    first, *_ = launches
    assert first.name == "convolved_weight_tiles"
    assert first.arguments[2].shape[0] > 1


@pytest.mark.parametrize("name", ["primes", "dilated", "one axis", "three axes"])
def test_channels_that_no_vector_holds_are_padded(name: str) -> None:
    x, weight, params = layouts(name)[1]
    dy = drawn(*result(x, weight, params).shape)
    tolerance = TOLERANCES["float16"]
    for operator, arrays in (
        ("convolution_project", [x, weight]),
        ("convolution_backward_data", [dy, weight, x]),
    ):
        with watched() as launches:
            assert_parity(operator, arrays, "float16", params, tolerance=tolerance)
        (first,) = launches
        source, filters = first.arguments[:2]
        axis = 1 if operator == "convolution_project" else 0
        assert source.shape[1] == filters.shape[axis] == -(-arrays[0].shape[-1] // 8) * 8
        assert first.constants["X_ALIGN"] == 8
    summed = Tolerance(2**-10, 2**-8 * prod(dy.shape[:-1]) ** 0.5, "a sum over all pixels")
    with watched() as launches:
        arrays = [dy, x, weight]
        assert_parity("convolution_backward_weight", arrays, "float16", params, tolerance=summed)
    slope, source = launches[0].arguments[:2]
    assert [slope.shape[1] % 8, source.shape[1] % 8] == [0, 0]
    assert [launches[0].constants[f"{each}_ALIGN"] for each in ("DY", "X")] == [8, 8]


NHWC = ["primes", "groups", "dilated", "by channel", "one place"]


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("name", NHWC)
def test_images_have_their_channels_last_and_weights_first(name: str, dtype: str) -> None:
    x, (_, weight, params) = layouts(name)[1][0], layouts(name)[0]
    dy = np.moveaxis(result(np.moveaxis(x, -1, 1), weight, params), 1, -1)
    dy = np.random.default_rng(1).uniform(-1, 1, dy.shape)
    numbers = {k: v for k, v in params.items() if k != "layout"}
    given = [torch.from_numpy(each).to(DEVICE, getattr(torch, dtype)) for each in (x, weight, dy)]
    a, w, g = (each.contiguous() for each in given)
    tolerance = TOLERANCES[dtype]
    many = prod(dy.shape[:-1]) ** 0.5
    for operator, arrays, factor in (
        ("nhwc_convolution", (a, w), 1.0),
        ("nhwc_convolution", (a, w, w[:, 0, 0, 0].contiguous()), 1.0),
        ("nhwc_convolution_backward_data", (g, w, a), 1.0),
        ("nhwc_convolution_backward_weight", (g, a, w), many),
    ):
        below = torch_table().find(operator)
        assert below is not None
        with watched() as launches:
            (y,) = computed(operator, arrays, numbers)
        assert launches[0].name.startswith("convolved")
        wanted = below.function(*(each.double() for each in arrays), **numbers)
        assert y.is_contiguous()
        torch.testing.assert_close(
            y.double(), wanted, rtol=tolerance.rtol, atol=tolerance.atol * factor
        )
        # Tiles read weights of several taps from a copy with the channels last.
        if launches[0].name == "convolved_tiles" and prod(w.shape[2:]) > 1 < w.shape[1]:
            assert launches[0].arguments[1].stride()[1] == 1


@pytest.mark.parametrize("activation", ["none", "relu", "gelu", "tanh"])
@pytest.mark.parametrize("with_addend", [False, True])
@pytest.mark.parametrize("with_bias", [False, True])
def test_layers_for_prediction_are_one_launch(
    with_bias: bool, with_addend: bool, activation: str
) -> None:
    how: dict[str, Any] = {"stride": (2, 1), "pad": (1, 1), "dilate": (), "num_group": 2}
    how |= {"activation": activation, "scalars": ()}
    how |= {"with_bias": with_bias, "with_addend": with_addend}
    x, weight = torch.from_numpy(drawn(2, 7, 5, 6)).float(), torch.from_numpy(drawn(4, 3, 3, 3))
    weight = weight.float().clone(memory_format=torch.channels_last)
    bias = torch.from_numpy(drawn(4)).float() if with_bias else None
    addend = torch.from_numpy(drawn(2, 4, 5, 4)).float() if with_addend else None
    given = [None if each is None else each.to(DEVICE) for each in (x, weight, bias, addend)]
    with watched() as launches:
        (y,) = computed("channels_last_convolution", given, how)
    assert [each.name for each in launches] == ["convolved_tiles"]
    below = torch_table().find("channels_last_convolution")
    assert below is not None
    assert y.is_contiguous()
    plain = [None if each is None else each.double() for each in given]
    torch.testing.assert_close(y.double(), below.function(*plain, **how), rtol=1e-4, atol=1e-5)
