"""Nets of 16-bit floats that train on GPUs have their channels last; those of float32 do not."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from hy_gluon import nn
from hy_kernels.torch import table
from hy_kernels.torch.lower import _rewritings
from hy_ndarray import autograd, cpu, device_of, nd, use_kernels
from hy_symbol import Differentiable, TypedGraph, sym


@pytest.fixture(autouse=True)
def _as_on_gpus(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Rewritings as where there is a GPU, on graphs alone."""

    def rewritings(_: object, *, prepares: bool) -> object:
        return _rewritings(prepares, alone=False)

    monkeypatch.setattr(type(table()), "rewritings", rewritings)
    with use_kernels("torch"):
        yield


def net() -> nn.HybridSequential:
    made = nn.HybridSequential()
    made.add(
        nn.Conv2D(64, 7, 2, 3, in_channels=3, use_bias=False),
        nn.BatchNorm(in_channels=64),
        nn.Activation("relu"),
        nn.MaxPool2D(3, 2, 1),
        nn.Conv2D(512, 3, padding=1, in_channels=64, use_bias=False),
        nn.GlobalAvgPool2D(),
        nn.Flatten(),
        nn.Dense(10, in_units=512),
    )
    return made


def steps_of(dtype: str) -> Counter[str]:
    """The operators of a forward and a backward pass, as the table runs them."""
    symbol = net()(sym.var("data"))
    arguments, _, states = symbol.infer_shape(data=(16, 3, 64, 64))
    sizes = dict(zip(symbol.list_arguments(), arguments or (), strict=True))
    sizes.update(zip(symbol.list_auxiliary_states(), states or (), strict=True))
    variables = symbol.graph.variables
    wide = ("batchnorm", "running", "gamma", "beta")
    kinds = ["float32" if any(x in node.name for x in wide) else dtype for node in variables]
    types = [(sizes[node.name], kind) for node, kind in zip(variables, kinds, strict=True)]
    typed = TypedGraph.of(symbol.graph, types)
    targets = [k for k, node in enumerate(variables) if node.name in symbol.list_arguments()]
    both = Differentiable.of(typed, targets, device_of(cpu()), is_train=True)
    steps = [*both.forward.steps, *both.backward.steps]
    return Counter(node.op.name for node in steps if node.op is not None)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_convolutions_of_16_bits_have_their_channels_last(dtype: str) -> None:
    found = steps_of(dtype)
    assert found["_nhwc_convolution"] == 2
    assert found["_nhwc_convolution_backward_data"] == 2
    assert found["_nhwc_convolution_backward_weight"] == 2
    assert found["Convolution"] == 0


def learned(hybrid: bool) -> list[np.ndarray]:
    """Result and gradients of float16."""
    rng = np.random.default_rng(3)
    made = nn.HybridSequential()
    made.add(
        nn.Conv2D(8, 3, padding=1, in_channels=3, activation="relu"),
        nn.MaxPool2D(2),
        nn.Conv2D(4, 3, 2, in_channels=8),
    )
    made.initialize()
    made.cast("float16")
    made.hybridize(hybrid)
    for parameter in made.collect_params().values():
        value = rng.uniform(-0.5, 0.5, parameter.shape)
        parameter.set_data(nd.array(value, dtype="float16"))
    x = nd.array(rng.standard_normal((4, 3, 16, 16)), dtype="float16")
    x.attach_grad()
    y = made(x)
    for _ in range(4):
        with autograd.record():
            y = made(x)
        y.backward()
    assert x.grad is not None
    return [y.asnumpy(), x.grad.asnumpy(), *(p.grad().asnumpy() for p in made.params.values())]


def test_numbers_of_16_bits_are_those_without_a_graph() -> None:
    for one, other in zip(learned(True), learned(False), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=4e-3 * max(np.abs(other).max(), 1))


def test_convolutions_of_float32_stay_as_they_are() -> None:
    found = steps_of("float32")
    assert found["Convolution"] == 2
    assert not [name for name in found if "nhwc" in name]
