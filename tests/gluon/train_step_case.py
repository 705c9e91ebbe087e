"""Nets that learn by TrainStep, and the same by the ordinary loop."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hy_gluon import Block, Trainer, TrainStep, nn
from hy_gluon.loss import SoftmaxCrossEntropyLoss
from hy_ndarray import NDArray, autograd, nd, random

__all__ = ["agree", "batches", "classifier", "looped", "pair", "states", "trained_alike", "values"]


def classifier(context: Any = None, *, hybrid: bool = True) -> nn.HybridSequential:
    """A net with batch normalisation and several sizes of weights."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002  # initializers draw from it
    net = nn.HybridSequential()
    net.add(nn.Dense(8, in_units=4, use_bias=False), nn.BatchNorm(in_channels=8))
    net.add(nn.Dense(5, in_units=8, activation="tanh"), nn.Dense(3, in_units=5))
    net.initialize("xavier", ctx=context)
    if hybrid:
        net.hybridize()
    return net


def batches(count: int, size: int = 6) -> Iterator[tuple[NDArray, NDArray]]:
    draw = np.random.default_rng(1)
    for _ in range(count):
        data = draw.normal(size=(size, 4)).astype("float32")
        yield nd.array(data), nd.array(draw.integers(0, 3, size))


def values(net: Block) -> list[Any]:
    return [p.data(p.list_ctx()[0]).asnumpy() for p in net.collect_params().values()]


def states(trainer: Trainer) -> list[Any]:
    def flat(state: Any) -> list[Any]:
        if isinstance(state, list | tuple):
            return [x for part in state for x in flat(part)]
        return [] if state is None else [state.asnumpy()]

    kept = trainer._updaters[0].states
    return [x for key in sorted(kept) for x in flat(kept[key])]


def looped(
    net: Any, trainer: Trainer, loss: Callable[..., Any], data: NDArray, label: NDArray
) -> NDArray:
    with autograd.record():
        found: NDArray = loss(net(data), label)
    found.backward()
    trainer.step(data.shape[0])
    return found


def agree(left: Any, right: Any, tolerance: float = 1e-6) -> None:
    assert len(left) == len(right)
    for a, b in zip(left, right, strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def pair(
    optimizer: Any, settings: dict[str, Any] | None = None, **how: Any
) -> tuple[tuple[Any, Trainer], tuple[Any, Trainer, TrainStep]]:
    """A net with its trainer, and the same again with a step."""
    made = []
    for _ in range(2):
        net = classifier()
        own = optimizer() if callable(optimizer) else optimizer
        made.append((net, Trainer([*net.collect_params().values()], own, settings)))
    loss = SoftmaxCrossEntropyLoss()
    return made[0], (*made[1], TrainStep(*made[1][:1], loss, made[1][1], **how))


def trained_alike(
    optimizer: Any, settings: dict[str, Any] | None = None, steps: int = 5, tolerance: float = 1e-6
) -> TrainStep:
    (net, trainer), (other, its_trainer, step) = pair(optimizer, settings)
    loss = SoftmaxCrossEntropyLoss()
    for data, label in batches(steps):
        found = looped(net, trainer, loss, data, label)
        np.testing.assert_allclose(step(data, label).asnumpy(), found.asnumpy(), rtol=1e-5)
    agree(values(net), values(other), tolerance)
    agree(states(trainer), states(its_trainer), tolerance)
    first, second = trainer.optimizer, its_trainer.optimizer
    assert first._all_index_update_counts == second._all_index_update_counts
    assert first.num_update == second.num_update
    for p, q in zip(net.collect_params().values(), other.collect_params().values(), strict=True):
        if p.grad_req != "null":
            agree([p.grad().asnumpy()], [q.grad().asnumpy()], tolerance)
    return step
