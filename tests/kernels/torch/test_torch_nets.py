"""Nets on the torch table: in every way of running the numbers of the numpy table."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from hy_gluon import Trainer, nn
from hy_ndarray import ShapeError, autograd, nd, random, use_kernels

WAYS = [{}, {"static_alloc": True}, {"static_alloc": True, "static_shape": True}]


@pytest.fixture(autouse=True)
def _on_torch() -> Iterator[None]:
    with use_kernels("torch"):
        yield


def net_and_data() -> tuple[nn.HybridSequential, nd.NDArray]:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.MaxPool2D(), nn.Dense(3))
    net.initialize()
    return net, nd.array(np.random.default_rng(2).standard_normal((5, 2, 8, 8)), dtype="float32")


def trained(options: dict[str, Any] | None) -> list[Any]:
    """Losses, and the parameters, of three steps."""
    random.seed(1)
    net, x = net_and_data()
    net(x)
    for parameter in net.collect_params().values():
        values = np.random.default_rng(3).uniform(-0.5, 0.5, parameter.shape)
        parameter.set_data(nd.array(abs(values) if "running" in parameter.name else values))
    if options is not None:
        net.hybridize(**options)
    trainer = Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    found = []
    for _ in range(3):
        with autograd.record():
            value = (net(x) ** 2).mean()
        value.backward()
        trainer.step(5)
        found.append(value.asnumpy())
    return [*found, net(x).asnumpy(), *(p.data().asnumpy() for p in net.collect_params().values())]


@pytest.mark.parametrize("options", WAYS, ids=["hybrid", "planned", "static"])
def test_training_gives_the_same_eager_and_hybridized(options: dict[str, Any]) -> None:
    for ours, eager in zip(trained(options), trained(None), strict=True):
        np.testing.assert_allclose(ours, eager, rtol=2e-4, atol=2e-5)


def test_training_gives_what_the_numpy_table_gives() -> None:
    ours = trained({})
    with use_kernels("numpy"):
        theirs = trained({})
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, rtol=2e-3, atol=2e-4)


def test_results_are_plain_tensors_without_torch_s_own_gradients() -> None:
    net, x = net_and_data()
    net.hybridize()
    y = net(x)
    assert type(y.buffer) is torch.Tensor
    assert not y.buffer.requires_grad
    assert type(y.shape) is tuple


def test_statistics_that_do_not_fit_the_channels_are_refused() -> None:
    one, two = nd.ones((1,)), nd.ones((2,))
    for train in (False, True):
        with autograd.record(train_mode=train), pytest.raises(ShapeError, match="BatchNorm"):
            nd.BatchNorm(nd.ones((3, 2, 4)), two, one, two, two)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_steps_in_16_bits_write_over_what_nobody_needs(dtype: str) -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(64, in_units=64, activation="tanh"), nn.Activation("sigmoid"))
    net.initialize()
    net.cast(dtype)
    x = nd.ones((64, 64), dtype=dtype)
    expected = net(x).asnumpy()
    net.hybridize(static_alloc=True)
    assert "in place" in {row.how for row in net.explain(x).rows}
    for _ in range(3):
        np.testing.assert_array_equal(net(x).asnumpy(), expected)


def test_programs_with_views_run_where_torch_watches_its_calls() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(6), nn.HybridLambda(lambda F, x: F.exp(F.reshape(x, (-1, 3)))))
    net.initialize()
    net.hybridize(static_alloc=True, static_shape=True)
    x = nd.ones((2, 4))
    expected = [net(x).asnumpy() for _ in range(3)][-1]
    with FlopCounterMode(display=False) as counter:
        found = net(x).asnumpy()
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert counter.get_total_flops() > 0
