"""Nets that train on torch's CPUs have their channels last where weights are light."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from hy_gluon import nn
from hy_gluon.block import HybridBlock
from hy_kernels.torch import table
from hy_kernels.torch.nn.convolution import select
from hy_ndarray import NDArray, autograd, cpu, device_of, nd, use_kernels
from hy_symbol import Differentiable, Symbol, TypedGraph, sym
from hy_symbol.passes import Target
from hy_symbol.passes.lowering import with_table_rules

GRADIENTS = "_backward_data", "_backward_weight"
pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="GPUs have kernels of their own")


@pytest.fixture(autouse=True)
def _on_torch() -> Iterator[None]:
    with use_kernels("torch"):
        yield


class Unit(HybridBlock):
    """Two convolutions with batch normalisation, and a shortcut that has one of its own."""

    def __init__(self, filters: int, channels: int, groups: int) -> None:
        super().__init__()
        with self.name_scope():
            self.body = nn.HybridSequential()
            self.body.add(
                nn.Conv2D(filters, 3, 2, 1, use_bias=False, in_channels=channels),
                nn.BatchNorm(in_channels=filters),
                nn.Activation("relu"),
                nn.Conv2D(filters, 3, 1, 1, groups=groups, use_bias=False, in_channels=filters),
                nn.BatchNorm(in_channels=filters),
            )
            self.shortcut = nn.Conv2D(filters, 1, 2, use_bias=False, in_channels=channels)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.Activation(self.body(x) + self.shortcut(x), act_type="relu")


def net(groups: int) -> nn.HybridSequential:
    """Light convolutions, pooling, a unit, and a heavy convolution behind them."""
    made = nn.HybridSequential()
    made.add(
        nn.Conv2D(8, 5, padding=2, in_channels=3, activation="relu"),
        nn.Conv2D(8, 3, padding=1, in_channels=8),
        nn.MaxPool2D(3, 2, 1),
        Unit(16, 8, groups),
        nn.AvgPool2D(2),
        nn.Conv2D(1500, 5, in_channels=16),
        nn.Flatten(),
        nn.Dense(3, in_units=24000),
    )
    made.initialize()
    return made


def learned(groups: int, hybrid: bool, steps: int = 2) -> list[Any]:
    """Result, gradients and statistics of the last of a few passes."""
    rng = np.random.default_rng(3)
    made = net(groups)
    made.hybridize(hybrid, static_alloc=True, static_shape=True)
    for parameter in made.collect_params().values():
        parameter.set_data(nd.array(rng.uniform(-0.5, 0.5, parameter.shape)))
    x: NDArray = nd.array(rng.standard_normal((16, 3, 64, 64)))
    x.attach_grad()
    y = made(x)
    for _ in range(steps):
        with autograd.record():
            y = made(x)
        y.backward(nd.array(np.arange(48.0).reshape(16, 3) / 48))
    assert x.grad is not None
    kept = [y.asnumpy(), x.grad.asnumpy()]
    for parameter in made.collect_params().values():
        array = parameter.data() if parameter.grad_req == "null" else parameter.grad()
        kept.append(array.asnumpy())
    return kept


@pytest.mark.parametrize("groups", [1, 4, 16])
def test_results_gradients_and_statistics_are_those_without_a_graph(groups: int) -> None:
    for one, other in zip(learned(groups, True), learned(groups, False), strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-4 * max(np.abs(other).max(), 1))


def steps_of(symbol: Symbol, shape: tuple[int, ...]) -> Counter[str]:
    """The operators of a forward and a backward pass, as the table runs them."""
    arguments, _, states = symbol.infer_shape(data=shape)
    sizes = dict(zip(symbol.list_arguments(), arguments or (), strict=True))
    sizes.update(zip(symbol.list_auxiliary_states(), states or (), strict=True))
    variables = symbol.graph.variables
    typed = TypedGraph.of(symbol.graph, [(sizes[node.name], "float32") for node in variables])
    targets = [k for k, node in enumerate(variables) if node.name in symbol.list_arguments()]
    both = Differentiable.of(typed, targets, device_of(cpu()), is_train=True)
    steps = [*both.forward.steps, *both.backward.steps]
    return Counter(node.op.name for node in steps if node.op is not None)


def test_light_convolutions_and_what_lies_between_have_their_channels_last() -> None:
    found = steps_of(net(1)(sym.var("data")), (16, 3, 64, 64))
    assert found["_nhwc_convolution"] == 5
    assert found["_nhwc_convolution_backward_data"] == 5
    assert found["_nhwc_convolution_backward_weight"] == 5
    assert found["Convolution"] == found["_convolution_backward_weight"] == 1  # the heavy one
    assert found["transpose"] == 4  # the data, what the heavy one takes, and their gradients


@pytest.mark.parametrize(("images", "expected"), [(1, 0), (16, 10)])
def test_weights_are_heavy_beside_few_windows(images: int, expected: int) -> None:
    x = sym.var("data")
    for k in range(10):
        x = sym.Convolution(x, kernel=(3, 3), pad=(1, 1), num_filter=64, name=f"layer{k}")
    assert steps_of(x, (images, 64, 10, 10))["_nhwc_convolution"] == expected


def test_a_convolution_between_others_axes_stays_as_it_is() -> None:
    x = sym.reshape(sym.var("data"), shape=(0, 4, 8, 8))
    y = sym.Convolution(x, kernel=(1, 1), num_filter=4, no_bias=True, name="alone")
    found = steps_of(sym.softmax(y, axis=1), (16, 256))
    assert found["_nhwc_convolution"] == found["transpose"] == 0


@pytest.mark.parametrize("axis", [1, 3])
@pytest.mark.parametrize("frozen", [False, True])
def test_a_normalisation_writes_where_it_is_told_in_either_order(axis: int, frozen: bool) -> None:
    found = table().find("batch_norm")
    assert found is not None
    generator = torch.Generator().manual_seed(4)
    data = torch.randn(2, 3, 4, 3, generator=generator)
    vectors = [torch.rand(3, generator=generator) + 0.5 for _ in range(4)]
    how: dict[str, Any] = {"eps": 1e-3, "momentum": 0.9, "fix_gamma": False, "axis": axis}
    how |= {"use_global_stats": frozen, "output_mean_var": False, "cudnn_off": False}
    how |= {"min_calib_range": None, "max_calib_range": None, "is_train": True}
    wanted = found.function(data.double(), *[x.double() for x in vectors], **how)
    out = (torch.empty_like(data), torch.empty(3), torch.empty(3), None, None)
    results = found.function(data, *vectors, **how, out=out)
    assert results[0] is out[0]
    for y, like in zip(results, wanted, strict=True):
        torch.testing.assert_close(y.double(), like, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("stride", [(), (1, 1), (2, 3)])
@pytest.mark.parametrize("biased", [False, True])
def test_kernels_of_one_element_are_products_of_few_images(
    stride: tuple[int, ...], biased: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    x, w, b = (
        torch.from_numpy(rng.normal(size=shape).astype("float32"))
        for shape in ((4, 7, 8, 6), (5, 6, 1, 1), (5,))
    )
    inputs = (x, w, b) if biased else (x, w)
    how: dict[str, Any] = {"stride": stride, "dilate": (), "pad": (), "num_group": 1}
    kernels = [table().find(f"nhwc_convolution{end}") for end in ("", *GRADIENTS)]
    forward, *backward = [kernel.function for kernel in kernels if kernel is not None]

    def computed(is_fast: bool) -> list[torch.Tensor]:
        monkeypatch.setattr(select, "has_fast_blas", lambda: is_fast)
        y = forward(*inputs, **how)
        dy = torch.cos(torch.arange(y.numel(), dtype=torch.float32)).view(y.shape)
        to_data = backward[0](dy, w, x, **how)
        memory = torch.full_like(w, 7)
        to_weight = backward[1](dy, x, w, **how, out=(memory,))
        assert to_weight is memory
        return [y, to_data, to_weight]

    for found, wanted in zip(computed(True), computed(False), strict=True):
        assert found.is_contiguous()
        torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("size", "expected"), [(1, 16), (3, 0)])
def test_heavy_products_have_their_channels_last_if_most_heavy_ones_are_products(
    size: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(select, "has_fast_blas", lambda: True)
    x = sym.var("x")
    for k in range(16):
        kernel, pad = ((size, size), (size // 2,) * 2) if k % 3 else ((1, 1), (0, 0))
        x = sym.Convolution(x, kernel=kernel, pad=pad, num_filter=512, no_bias=True)
    typed = TypedGraph.of(
        x.graph, [((8, 512, 5, 5), "float32"), *[(None, None)] * (len(x.graph.variables) - 1)]
    )
    found = with_table_rules(typed, Target(device_of(cpu()), is_train=True))
    names = Counter(node.op.name for node in found.graph.nodes if node.op)
    assert names["_nhwc_convolution"] == expected
