"""Planned convolutions in parts: filters, images and rows that threads share give the whole."""

from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy.nn.convolution import nhwc
from tests.changed_costs import change_costs

pytestmark = pytest.mark.usefixtures("two_threads")
GEOMETRY = {"stride": (1, 1), "dilate": (1, 1), "pad": (1, 1)}


@pytest.fixture(autouse=True)
def every_layer_is_worth_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    change_costs(monkeypatch, threads={"nhwc": 1})


def by_definition(data: Any, weight: Any, groups: int, pad: tuple[int, int]) -> Any:
    """``[N, H, W, O]`` of ``data [N, H, W, C]``."""
    padded = np.pad(data, [(0, 0), (pad[0],) * 2, (pad[1],) * 2, (0, 0)])
    seen = np.lib.stride_tricks.sliding_window_view(padded, weight.shape[2:], (1, 2))
    if groups > 1:
        return np.einsum("nhwcij,cij->nhwc", seen, weight[:, 0])
    return np.einsum("nhwcij,ocij->nhwo", seen, weight)


@pytest.mark.parametrize("n", [1, 2, 5], ids=["rows", "images", "uneven"])
@pytest.mark.parametrize(
    ("method", "channels", "filters", "size"),
    [
        ("direct", 3, 72, (9, 8)),
        ("direct", 40, 512, (3, 4)),
        ("winograd2", 16, 96, (7, 9)),
        ("winograd4", 16, 96, (10, 11)),
        ("winograd4", 8, 512, (3, 3)),
        ("depthwise", 24, 24, (9, 7)),
    ],
)
def test_a_layer_is_the_sum_of_its_parts(
    n: int, method: str, channels: int, filters: int, size: tuple[int, int]
) -> None:
    draw = np.random.default_rng(filters)
    groups = filters if method == "depthwise" else 1
    data = draw.normal(size=(n, *size, channels))
    weight = draw.normal(size=(filters, channels // groups, 3, 3))
    bias = draw.normal(size=filters)
    addend = draw.normal(size=(n, *size, filters))
    found = nhwc.nhwc_convolution(
        data,
        nhwc.nhwc_weight(weight, method=method),
        bias,
        addend,
        kernel=(3, 3),
        method=method,
        with_bias=True,
        with_addend=True,
        bounds=(0.0, np.inf),
        out=None,
        **GEOMETRY,
    )
    expected = np.maximum(by_definition(data, weight, groups, (1, 1)) + bias + addend, 0)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize(
    ("method", "channels", "middle", "size"),
    [("depthwise", 24, 24, (9, 7)), ("winograd4", 16, 40, (10, 11)), ("direct", 40, 512, (3, 4))],
)
def test_a_pair_is_one_layer_after_the_other(
    n: int, method: str, channels: int, middle: int, size: tuple[int, int]
) -> None:
    draw = np.random.default_rng(channels)
    groups = middle if method == "depthwise" else 1
    data = draw.normal(size=(n, *size, channels))
    weight = draw.normal(size=(middle, channels // groups, 3, 3))
    then = draw.normal(size=(96, middle, 1, 1))
    biases = draw.normal(size=middle), draw.normal(size=96)
    addend = draw.normal(size=(n, *size, 96))
    found = nhwc.nhwc_pair(
        data,
        nhwc.nhwc_weight(weight, method=method),
        biases[0],
        nhwc.nhwc_weight(then, method="direct"),
        biases[1],
        addend,
        kernel=(3, 3),
        method=method,
        bounds_between=(0.0, np.inf),
        with_addend=True,
        bounds=None,
        out=None,
        **GEOMETRY,
    )
    between = np.maximum(by_definition(data, weight, groups, (1, 1)) + biases[0], 0)
    expected = by_definition(between, then, 1, (0, 0)) + biases[1] + addend
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("method", ["direct", "winograd2", "winograd4"])
@pytest.mark.parametrize("size", [(7, 7), (4, 5), (14, 14)])
@pytest.mark.parametrize(("channels", "filters"), [(128, 256), (48, 640)])
def test_filters_that_one_thread_computes_at_once_are_the_same_to_the_last_bit(
    method: str,
    size: tuple[int, int],
    channels: int,
    filters: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw = np.random.default_rng(filters)
    data = draw.normal(size=(1, *size, channels)).astype(np.float32)
    weight = draw.normal(size=(filters, channels, 3, 3)).astype(np.float32)
    planned = nhwc.nhwc_weight(weight, method=method)

    def call() -> Any:
        return nhwc.nhwc_convolution(
            data,
            planned,
            None,
            None,
            kernel=(3, 3),
            method=method,
            with_bias=False,
            with_addend=False,
            bounds=(0.0, np.inf),
            out=None,
            **GEOMETRY,
        )

    shared = call()
    monkeypatch.setattr(nhwc, "is_pool_profitable", lambda: False)
    np.testing.assert_array_equal(call(), shared)
