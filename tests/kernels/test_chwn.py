"""Convolution with the batch innermost: whichever method, and however it is cut, the same."""

from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy.nn._window import windows_of
from hy_kernels.numpy.nn.conv import (
    convolution,
    convolution_backward_data,
    convolution_backward_weight,
    convolution_project,
)
from hy_kernels.numpy.nn.convolution import _chwn_rows, _chwn_tasks, chwn, select
from tests.changed_costs import change_costs

pytestmark = pytest.mark.usefixtures("two_threads")


@pytest.fixture(autouse=True)
def every_layer_is_worth_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    # The plain convolutions that are compared with must not move the batch themselves.
    change_costs(monkeypatch, threads={"chwn": 1}, convolution={"batch_last": np.inf})


def check(data: Any, weight: Any, **how: Any) -> None:
    """Convolve images of ``[N, C, H, W]`` side by side, and one after the other."""
    draw = np.random.default_rng(3)
    both = {**how, "num_group": 1, "layout": None}
    x = np.ascontiguousarray(data.transpose(1, 2, 3, 0))
    y = chwn.chwn_convolution(x, weight, **how)
    expected = convolution_project(data, weight, **both)
    np.testing.assert_allclose(y.transpose(3, 0, 1, 2), expected, rtol=1e-9, atol=1e-10)
    bias = draw.normal(size=len(weight))
    shifted = chwn.chwn_convolution(x, weight, bias, **how)
    np.testing.assert_allclose(shifted, y + bias[:, None, None, None], rtol=1e-12)
    dy = draw.normal(size=y.shape)
    gradients = np.ascontiguousarray(dy.transpose(3, 0, 1, 2))
    dx = chwn.chwn_convolution_backward_data(dy, weight, x, **how)
    expected = convolution_backward_data(gradients, weight, data, **both)
    np.testing.assert_allclose(dx.transpose(3, 0, 1, 2), expected, rtol=1e-9, atol=1e-10)
    dw = chwn.chwn_convolution_backward_weight(dy, x, weight, **how)
    expected = convolution_backward_weight(gradients, data, weight, **both)
    np.testing.assert_allclose(dw, expected, rtol=1e-9, atol=1e-9)
    for one, other in zip(
        chwn.chwn_convolution_backward(dy, x, weight, **how), (dx, dw), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(
    ("method", "ratio"),
    [("im2col", 8), ("rows", 8), ("rows", 1)],
    ids=["columns", "rows", "rows and transposed gradients"],
)
@pytest.mark.parametrize("pad", [(0, 0), (1, 2), (3, 1)])
@pytest.mark.parametrize("stride", [(1, 1), (2, 1), (1, 2), (3, 4)])
@pytest.mark.parametrize("dilate", [(1, 1), (1, 2)])
def test_images_side_by_side_give_what_images_one_after_the_other_give(
    method: str,
    ratio: int,
    pad: tuple[int, int],
    stride: tuple[int, int],
    dilate: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(select, "chwn", lambda _: method)
    monkeypatch.setattr(_chwn_rows, "has_small_kernels", lambda: True)
    change_costs(
        monkeypatch,
        blocks={"chwn_rows": 9000, "chwn_columns": 4000},
        chwn={"rows_transposed": ratio},
    )
    draw = np.random.default_rng(3)
    data, weight = draw.normal(size=(64, 2, 11, 12)), draw.normal(size=(5, 2, 3, 3))
    check(data, weight, stride=stride, dilate=dilate, pad=pad)


@pytest.mark.parametrize("block", [1, 1 << 20])
@pytest.mark.parametrize("size", [(3, 4), (8, 8), (9, 14)])
@pytest.mark.parametrize("pad", [(0, 0), (1, 1), (2, 1)])
@pytest.mark.parametrize("filters", [7, 300], ids=["few filters", "many filters"])
def test_winograd_is_convolution(
    block: int,
    size: tuple[int, int],
    pad: tuple[int, int],
    filters: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(select, "chwn", lambda _: "winograd4")
    change_costs(monkeypatch, blocks={"chwn_tiles": block})
    draw = np.random.default_rng(3)
    data, weight = draw.normal(size=(16, 3, *size)), draw.normal(size=(filters, 3, 3, 3))
    check(data, weight, stride=(1, 1), dilate=(1, 1), pad=pad)


@pytest.mark.parametrize(
    ("batch", "channels", "filters", "size", "kernel", "method"),
    [
        (32, 16, 16, 32, 3, "rows"),
        (32, 32, 32, 16, 3, "winograd4"),
        (16, 512, 512, 2, 3, "im2col"),
        (16, 64, 128, 16, 1, "im2col"),
    ],
    ids=["few channels", "more channels", "few windows", "points"],
)
def test_the_method_follows_from_the_sizes(
    batch: int, channels: int, filters: int, size: int, kernel: int, method: str
) -> None:
    windows = windows_of((size,) * 2, (kernel,) * 2, (1, 1), (1, 1), (kernel // 2,) * 2)
    assert select.chwn(select.Problem(batch, channels, filters, 1, windows)) == method


@pytest.mark.parametrize("filters", [7, 300], ids=["few filters", "many filters"])
@pytest.mark.parametrize("name", ["winograd4", "rows", "im2col"])
def test_a_recorded_layer_reads_its_arrays_each_time(
    name: str, filters: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(select, "chwn", lambda _: name)
    draw = np.random.default_rng(3)
    x, weight = draw.normal(size=(3, 8, 8, 16)), draw.normal(size=(filters, 3, 3, 3))
    how: dict[str, Any] = {"stride": (1, 1), "dilate": (1, 1), "pad": (1, 1)}
    place = np.empty((2, filters, 8, 8, 16))[1]
    for _ in range(4):
        weight += 1
        x -= 1
        found = chwn.chwn_convolution(x, weight, None, out=(place,), **how)
        assert found is place
        np.testing.assert_allclose(found, chwn.chwn_convolution(x, weight, None, **how), rtol=1e-9)


@pytest.mark.parametrize("size", [2, 8], ids=["columns", "tiles"])
def test_filters_come_out_the_same_whether_threads_help_or_not(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = np.random.default_rng(3)
    x = draw.normal(size=(64, size, size, 16)).astype(np.float32)
    weight = draw.normal(size=(320, 64, 3, 3)).astype(np.float32)
    dy = draw.normal(size=(320, size, size, 16)).astype(np.float32)
    how: dict[str, Any] = {"stride": (1, 1), "dilate": (1, 1), "pad": (1, 1)}
    found = []
    for helps in (False, True):
        monkeypatch.setattr(_chwn_tasks, "is_pool_profitable", lambda helps=helps: helps)
        y = chwn.chwn_convolution(x, weight, **how)
        found.append((y, *chwn.chwn_convolution_backward(dy, x, weight, **how)))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("pad", [(0, 0), (1, 2), (3, 1)])
@pytest.mark.parametrize("stride", [(1, 1), (2, 1), (3, 4)])
@pytest.mark.parametrize("dilate", [(1, 1), (1, 2)])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_the_batch_is_moved_where_that_saves_copies(
    pad: tuple[int, int],
    stride: tuple[int, int],
    dilate: tuple[int, int],
    dtype: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw = np.random.default_rng(4)
    data = draw.normal(size=(17, 3, 13, 12)).astype(dtype)
    weight, bias = draw.normal(size=(5, 3, 4, 3)).astype(dtype), draw.normal(size=5).astype(dtype)
    how: dict[str, Any] = {"stride": stride, "dilate": dilate, "pad": pad, "num_group": 1}
    how["layout"] = None
    whole = how | {"kernel": (4, 3), "num_filter": 5, "workspace": 1024, "no_bias": False}
    whole |= {"cudnn_tune": None, "cudnn_off": False}

    def run() -> list[Any]:
        y = convolution(data, weight, bias, **whole)
        dy = np.linspace(-1, 1, y.size).reshape(y.shape).astype(dtype)
        return [
            y,
            convolution_backward_data(dy, weight, data, **how),
            convolution_backward_weight(dy, data, weight, **how),
        ]

    plain = run()
    change_costs(monkeypatch, convolution={"batch_last": 0})
    assert select.nchw(select.Problem.of(data.shape, weight.shape, how)) == "batch last"
    accuracy = 1e-5 if dtype == "float32" else 1e-2
    for moved, expected in zip(run(), plain, strict=True):
        assert moved.dtype == dtype
        np.testing.assert_allclose(moved, expected, rtol=accuracy, atol=10 * accuracy)
