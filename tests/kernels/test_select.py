"""Which algorithm computes a convolution follows from its sizes."""

from typing import Any

import pytest

from hy_kernels.costs import changed
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn.convolution import select
from hy_kernels.numpy.nn.convolution._gradients import transposed_windows
from hy_kernels.numpy.nn.convolution.select import Problem

Shape = tuple[int, ...]
IMAGES = 2


@pytest.mark.parametrize(
    ("data", "weight", "stride", "pad", "groups", "algorithms"),
    [
        ((1, 3, 224, 224), (64, 3, 7, 7), 2, 3, 1, ("strips", "phases", "im2col", "rows", "never")),
        (
            (1, 64, 56, 56),
            (64, 64, 3, 3),
            1,
            1,
            1,
            ("winograd4", "transposed", "winograd4", "winograd4", "never"),
        ),
        (
            (1, 64, 56, 56),
            (128, 64, 3, 3),
            2,
            1,
            1,
            ("im2col", "im2col", "im2col", "rows", "never"),
        ),
        (
            (1, 64, 56, 56),
            (128, 64, 1, 1),
            2,
            0,
            1,
            ("product", "product", "im2col", "im2col", "never"),
        ),
        (
            (1, 512, 7, 7),
            (512, 512, 3, 3),
            1,
            1,
            1,
            ("im2col", "im2col", "winograd2", "im2col", "never"),
        ),
        (
            (1, 256, 14, 14),
            (256, 256, 3, 3),
            1,
            1,
            1,
            ("im2col", "im2col", "winograd2", "im2col", "never"),
        ),
        (
            (16, 256, 14, 14),
            (256, 256, 3, 3),
            1,
            1,
            1,
            ("winograd4", "transposed", "winograd4", "winograd4", "between others"),
        ),
        (
            (1, 256, 56, 56),
            (64, 256, 1, 1),
            1,
            0,
            1,
            ("product", "product", "product", "im2col", "never"),
        ),
        (
            (1, 32, 112, 112),
            (32, 1, 3, 3),
            1,
            1,
            32,
            ("depthwise", "depthwise", "depthwise", None, "never"),
        ),
        (
            (1, 512, 14, 14),
            (512, 1, 3, 3),
            1,
            1,
            512,
            ("depthwise", "depthwise", "depthwise", None, "never"),
        ),
        ((2, 8, 28, 28), (16, 4, 3, 3), 1, 1, 2, ("im2col", "im2col", None, None, "never")),
        ((32, 1, 28, 28), (20, 1, 5, 5), 1, 0, 1, ("im2col", "im2col", None, "rows", "always")),
        (
            (32, 20, 12, 12),
            (50, 20, 5, 5),
            1,
            0,
            1,
            ("batch last", "batch last", "im2col", "rows", "between others"),
        ),
        (
            (128, 16, 32, 32),
            (16, 16, 3, 3),
            1,
            1,
            1,
            ("im2col", "transposed", "winograd4", "rows", "always"),
        ),
        (
            (128, 32, 16, 16),
            (32, 32, 3, 3),
            1,
            1,
            1,
            ("winograd4", "transposed", "winograd4", "winograd4", "between others"),
        ),
        (
            (16, 512, 2, 2),
            (512, 512, 3, 3),
            1,
            1,
            1,
            ("im2col", "im2col", "winograd2", "im2col", "between others"),
        ),
        (
            (1, 16, 512, 512),
            (4, 16, 3, 3),
            1,
            1,
            1,
            ("strips", "transposed", None, "rows", "never"),
        ),
        ((1, 8, 6, 6), (4, 8, 2, 2), 1, 0, 1, ("im2col", "transposed", None, "rows", "never")),
    ],
)
def test_algorithms_of_convolutions(
    data: Shape, weight: Shape, stride: int, pad: int, groups: int, algorithms: Any
) -> None:
    how = {"stride": (stride,) * IMAGES, "pad": (pad,) * IMAGES, "num_group": groups}
    problem = Problem.of(data, weight, how)
    windows = problem.windows
    back = transposed_windows(windows) if windows.selection is None else None
    assert algorithms == (
        select.nchw(problem),
        select.nchw_to_data(problem, back),
        select.nhwc(problem),
        select.chwn(problem) if groups == 1 else None,
        select.chwn_gain(problem),
    )


@pytest.mark.parametrize(("filters", "is_last"), [(8, False), (23, False), (24, True)])
def test_thin_layers_stay_with_the_channels_first(filters: int, is_last: bool) -> None:
    problem = Problem.of((1, 8, 40, 40), (filters, 8, 3, 3), {"pad": (1, 1)})
    assert (select.nhwc(problem) is not None) is is_last


def test_algorithms_follow_the_costs() -> None:
    problem = Problem.of((1, 64, 56, 56), (64, 64, 3, 3), {"pad": (1, 1)})
    with changed(COSTS, convolution={"tiled_channels": 65}, nhwc={"transform": 1 << 30}):
        assert (select.nchw(problem), select.nhwc(problem)) == ("strips", "im2col")
    assert (select.nchw(problem), select.nhwc(problem)) == ("winograd4", "winograd4")


@pytest.mark.parametrize(
    ("size", "stride", "pad", "orders"),
    [
        (28, 1, 1, ("last", "last", "first")),
        (14, 2, 1, ("last", "last", "last")),
        (14, 3, 1, ("last", "first", "last")),
        (14, 1, 3, ("last", "first", "first")),
        (56, 1, 1, ("first", "first", "first")),
    ],
)
def test_depthwise_convolutions_transpose_small_images(
    size: int, stride: int, pad: int, orders: Any
) -> None:
    how = {"stride": (stride, stride), "pad": (pad, pad)}
    windows = Problem.of((1, 8, size, size), (8, 1, 3, 3), how).windows
    assert orders == (
        select.depthwise_order(1, windows, "result"),
        select.depthwise_order(1, windows, "data"),
        select.depthwise_order(1, windows, "weight"),
    )
    assert select.depthwise_order(2, windows, "result") == "first"


@pytest.mark.parametrize(
    ("data", "weight", "merged"),
    [
        ((64, 64, 8, 8), (64, 64, 3, 3), True),
        ((64, 64, 24, 24), (64, 64, 3, 3), True),
        ((64, 64, 32, 32), (64, 64, 3, 3), False),
        ((64, 64, 8, 8), (64, 64, 1, 1), False),
        ((64, 64, 7, 7), (64, 64, 1, 1), True),
        ((64, 512, 8, 8), (512, 512, 1, 1), True),
    ],
)
def test_images_of_few_windows_share_a_product(data: Shape, weight: Shape, merged: bool) -> None:
    problem = Problem.of(data, weight, {"pad": (weight[2] // 2,) * IMAGES})
    size = weight[0] * weight[1] * weight[2] ** 2
    assert select.is_merged(problem.windows, size, len(data)) == merged
    assert not select.is_merged(problem.windows, size, 1)


def test_windows_with_a_stride_share_a_product_among_many_images_only() -> None:
    windows = Problem.of((64, 8, 16, 16), (8, 8, 3, 3), {"stride": (2, 2), "pad": (1, 1)}).windows
    assert select.is_merged(windows, 576, 64)
    assert not select.is_merged(windows, 576, 4)


@pytest.mark.parametrize("batch", [1, 2])
def test_small_convolutions_of_one_image_take_few_calls(batch: int) -> None:
    problem = Problem.of((batch, 8, 16, 16), (32, 8, 3, 3), {"pad": (1, 1)})
    assert select.rows_of_single(problem) == (16 if batch == 1 else None)
    assert select.rows_of_single(Problem.of((1, 8, 99, 99), (64, 8, 3, 3), {})) is None


@pytest.mark.parametrize(
    ("channels", "stride", "phases"),
    [(32, 1, True), (512, 1, True), (32, 2, True), (512, 2, False)],
)
def test_strided_depthwise_sums_of_few_channels_go_by_phases(
    channels: int, stride: int, phases: bool
) -> None:
    how = {"stride": (stride, stride), "pad": (1, 1)}
    windows = Problem.of((1, channels, 14, 14), (channels, 1, 3, 3), how).windows
    assert select.are_phases(channels, windows) == phases
