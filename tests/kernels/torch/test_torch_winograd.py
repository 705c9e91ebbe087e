"""Winograd of the torch table is convolution, and is chosen where it saves products."""

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.lower import convolutions
from hy_kernels.torch.nn.convolution import select, winograd, winograd_planes
from hy_ndarray import cpu, nd, use_kernels
from hy_symbol import sym
from tests.changed_costs import change_costs

NAMES = {False: "_winograd_convolution", True: "_planar_winograd_convolution"}
"""By whether the BLAS of torch is fast."""


@pytest.fixture(params=NAMES, ids=["oneDNN", "BLAS"])
def by_blas(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Both kinds of processors."""
    is_fast: bool = request.param
    monkeypatch.setattr(convolutions, "has_fast_blas", lambda: is_fast)
    return is_fast


def _layer(
    size: tuple[int, ...],
    pad: tuple[int, ...],
    dtype: torch.dtype,
    activation: str,
    with_more: bool,
    by_blas: bool,
) -> tuple[Any, Any]:
    """A layer's result, and what it should be."""
    generator = torch.Generator().manual_seed(3)

    def drawn(*shape: int) -> Any:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    n, height, width, channels = size
    filters = 20
    data, weight = drawn(*size), drawn(filters, channels, 3, 3)
    wanted = functional.conv2d(data.permute(0, 3, 1, 2), weight, None, 1, pad or 0)
    wanted = wanted.permute(0, 2, 3, 1)
    bias = drawn(filters) if with_more else None
    addend = drawn(*wanted.shape) if with_more else None
    if bias is not None and addend is not None:
        wanted = wanted + bias + addend
    wanted = wanted if activation == "none" else getattr(torch, activation)(wanted)
    data, weight, bias, addend = (
        None if x is None else x.to(dtype) for x in (data, weight, bias, addend)
    )
    how: Any = {"pad": pad, "activation": activation, "scalars": ()}
    more: Any = {"with_bias": with_more, "with_addend": with_more}
    if by_blas:
        prepared = winograd_planes.planar_winograd_weight(weight)
        convolve = winograd_planes.planar_winograd_convolution
    else:
        prepared = winograd.winograd_weight(weight, pad=pad, size=(n, channels, height, width))
        convolve = winograd.winograd_convolution
    y = convolve(data, prepared, bias, addend, **how, **more)
    assert y.dtype == dtype
    assert y.is_contiguous()
    return y.double(), wanted


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["plain", "packed"])
@pytest.mark.parametrize("pad", [(), (1, 1), (2, 1)])
@pytest.mark.parametrize("size", [(3, 8, 8), (2, 7, 9), (1, 3, 3), (0, 4, 4)])
@pytest.mark.parametrize("block", [1, 1 << 19], ids=["by image", "at once"])
def test_winograd_is_convolution(
    dtype: torch.dtype,
    pad: tuple[int, ...],
    size: tuple[int, ...],
    block: int,
    by_blas: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change_costs(monkeypatch, COSTS, blocks={"winograd": block, "winograd_planes": block})
    change_costs(monkeypatch, COSTS, convolution={"min_tiled": 1})
    tolerance = 1e-10 if dtype is torch.float64 else 1e-4
    for activation, with_more in (("none", False), ("relu", False), ("relu", True), ("tanh", True)):
        y, wanted = _layer((*size, 16), pad, dtype, activation, with_more, by_blas)
        torch.testing.assert_close(y, wanted, rtol=tolerance, atol=tolerance)


def _predicted(images: tuple[int, ...], **how: Any) -> tuple[Any, Any, list[str]]:
    """Of a residual unit: as it is, by the table's rules, and the operators that these chose."""
    params = {"kernel": (3, 3), "num_filter": images[1], "pad": (1, 1), **how}
    x = sym.var("data")
    inner = sym.relu(sym.Convolution(x, name="a", **params))
    net = sym.relu(sym.Convolution(inner, name="b", **params) + x)
    shapes, _, _ = net.infer_shape(data=images)
    assert shapes is not None
    draw = np.random.default_rng(4)
    values = [draw.uniform(-1, 1, shape) for shape in shapes]
    with use_kernels("torch"):
        arrays = dict(zip(net.list_arguments(), map(nd.array, values), strict=True))
        lowered = net.optimize_for("channels_last", arrays, {})
        plain, found = (each.bind(cpu(), arrays).forward()[0].asnumpy() for each in (net, lowered))
    return plain, found, [node.op.name for node in lowered.graph.nodes if node.op is not None]


def test_layers_of_many_channels_are_predicted_by_winograd(by_blas: bool) -> None:
    plain, found, names = _predicted((4, 256, 15, 18))
    assert names.count(NAMES[by_blas]) == 2
    assert "relu" not in names
    np.testing.assert_allclose(found, plain, rtol=1e-4, atol=1e-4 * np.abs(plain).max())


@pytest.mark.parametrize(
    ("images", "how"),
    [
        ((1, 128, 7, 7), {}),  # few products for each element of the weight
        ((16, 8, 30, 30), {}),  # few products for each element of the images
        ((4, 256, 15, 18), {"dilate": (2, 2), "pad": (2, 2)}),
        ((4, 256, 15, 18), {"num_group": 2}),
    ],
)
def test_other_layers_are_not(by_blas: bool, images: tuple[int, ...], how: Any) -> None:
    plain, found, names = _predicted(images, **how)
    assert NAMES[by_blas] not in names
    np.testing.assert_allclose(found, plain, rtol=1e-4, atol=1e-4 * np.abs(plain).max())


def test_gpus_convolve_by_kernels_of_their_own(
    by_blas: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert NAMES[by_blas] in _predicted((4, 256, 15, 18))[2]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert NAMES[by_blas] not in _predicted((4, 256, 15, 18))[2]


@pytest.mark.parametrize("by_blas", [False, True])
def test_products_that_are_saved_are_weighed_against_the_transforms(by_blas: bool) -> None:
    def saves(images: tuple[int, ...], filters: int, pad: tuple[int, ...]) -> bool:
        weight = filters, images[1], 3, 3
        return select.prepared(images, weight, pad, by_blas=by_blas) == "winograd4"

    assert saves((16, 256, 14, 14), 256, (1, 1))
    assert not saves((1, 512, 7, 7), 512, (1, 1))
    assert not saves((1, 3, 99, 99), 64, ())
