"""Kernels with several algorithms name the one that a step takes."""

from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy import table
from hy_kernels.numpy.nn.convolution import _depthwise, _winograd
from hy_ndarray import cpu, device_of
from hy_symbol import Program, TypedGraph, explained, sym

Shape = tuple[int, ...]
CONVOLUTION: dict[str, Any] = {"stride": (1, 1), "dilate": (), "num_group": 1, "layout": None}
POOLING: dict[str, Any] = {"stride": (), "pad": (), "pooling_convention": "valid", "layout": None}


def algorithm_of(kernel: str, shapes: list[Shape], params: dict[str, Any]) -> str | None:
    record = table().find(kernel)
    assert record is not None
    assert record.algorithm is not None
    return record.algorithm([(shape, "float32") for shape in shapes], params)


@pytest.mark.parametrize(
    ("kernel", "shapes", "pad", "algorithm"),
    [
        ("convolution_project", [(8, 64, 28, 28), (64, 64, 3, 3)], 1, "winograd4"),
        ("convolution_project", [(8, 64, 28, 28), (64, 64, 1, 1)], 0, "product"),
        ("convolution_project", [(8, 4, 28, 28), (64, 4, 3, 3)], 1, "im2col"),
        ("convolution_project", [(64, 1, 28, 28), (6, 1, 5, 5)], 0, "batch last"),
        (
            "convolution_backward_data",
            [(8, 64, 28, 28), (64, 64, 3, 3), (8, 64, 28, 28)],
            1,
            "transposed winograd4",
        ),
        (
            "convolution_backward_data",
            [(8, 64, 26, 26), (64, 4, 3, 3), (8, 4, 28, 28)],
            0,
            "im2col",
        ),
        (
            "convolution_backward_weight",
            [(8, 64, 28, 28), (8, 64, 28, 28), (64, 64, 3, 3)],
            1,
            "winograd4",
        ),
        ("chwn_convolution", [(16, 32, 32, 128), (16, 16, 3, 3)], 1, "rows"),
        (
            "chwn_convolution_backward",
            [(32, 16, 16, 128), (32, 16, 16, 128), (32, 32, 3, 3)],
            1,
            "transposed winograd4, winograd4",
        ),
    ],
)
def test_convolutions(kernel: str, shapes: list[Shape], pad: int, algorithm: str) -> None:
    assert algorithm_of(kernel, shapes, CONVOLUTION | {"pad": (pad, pad)}) == algorithm


@pytest.mark.parametrize(
    ("method", "kernel", "algorithm"),
    [("direct", 1, "product"), ("direct", 3, "im2col"), ("winograd2", 3, "winograd2")],
)
def test_prepared_convolutions(method: str, kernel: int, algorithm: str) -> None:
    params = {"kernel": (kernel,) * 2, "stride": (1, 1), "pad": (), "method": method}
    assert algorithm_of("nhwc_convolution", [], params) == algorithm


@pytest.mark.parametrize("is_fast", [False, True])
def test_dense_layers_of_few_rows_go_by_panels(
    is_fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hy_kernels.numpy.runtime._product.has_small_kernels", lambda: is_fast)
    params = {"flatten": True}
    found = [
        algorithm_of("fully_connected", [shape, (512, 512)], params)
        for shape in ((1, 512), (16, 512), (16, 2, 256), (512, 512))
    ]
    few = "panels" if is_fast else "blas"
    assert found == ["blas", few, few, "blas"]


@pytest.mark.parametrize(
    ("pool_type", "kernel", "algorithm"),
    [("avg", 8, "mean"), ("max", 8, "axes"), ("avg", 4, "axes")],
)
def test_means_of_whole_images(pool_type: str, kernel: int, algorithm: str) -> None:
    params = POOLING | {"kernel": (kernel,) * 2, "pool_type": pool_type, "global_pool": False}
    assert algorithm_of("pooling", [(2, 3, 8, 8)], params) == algorithm


@pytest.mark.parametrize(("groups", "channels"), [(1, 64), (8, 8)])
def test_explanations_name_what_runs(
    groups: int, channels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = sym.Convolution(
        sym.var("x"), sym.var("w"), kernel=(3, 3), pad=(1, 1), num_filter=channels,
        num_group=groups, no_bias=True, name="y",
    )  # fmt: skip
    shapes = (4, channels, 20, 20), (channels, channels // groups, 3, 3)
    typed = TypedGraph.of(net.graph, [(shape, "float32") for shape in shapes])
    program = Program.of(typed, device_of(cpu()), is_train=False)
    algorithm = "depthwise" if groups > 1 else "winograd4"
    assert [row.kernel for row in explained(program).rows] == [f"convolution: {algorithm}"]

    called = []
    for module, name in ((_depthwise, "forward"), (_winograd, "convolve")):
        monkeypatch.setattr(module, name, lambda *_, name=name, **__: called.append(name))
    program.run([np.ones(shape, np.float32) for shape in shapes])
    assert set(called) == {"forward" if groups > 1 else "convolve"}
