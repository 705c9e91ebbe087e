"""Hybridized blocks called with many shapes: the values, and what is planned for each."""

from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, nn
from hy_gluon.execution import cached_op
from hy_ndarray import NDArray, autograd, nd
from hy_symbol import Program
from hy_symbol.execution.tiers import Tier


class Attention(HybridBlock):
    """Over sequences of any length."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.norm = nn.LayerNorm()
            self.queries = nn.Dense(8, flatten=False)
            self.out = nn.Dense(8, flatten=False, activation="relu")

    def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
        y = F.reshape(self.queries(self.norm(x)), shape=(0, 0, 2, -1))
        y = F.reshape(F.transpose(y, axes=(0, 2, 1, 3)), shape=(-3, 0, 0))
        scores = F.softmax(F.batch_dot(y, y, transpose_b=True))
        y = F.reshape(F.batch_dot(scores, y), shape=(-4, -1, 2, 0, 0))
        y = F.reshape(F.transpose(y, axes=(0, 2, 1, 3)), shape=(0, 0, -3))
        return x + self.out(y)


def made() -> HybridBlock:
    net = Attention()
    net.initialize()
    net(nd.ones((1, 1, 8)))  # gives parameters their shapes
    return net


def sequences(length: int) -> NDArray:
    return nd.array(np.random.default_rng(length).normal(size=(2, length, 8)))


def passed(net: HybridBlock, x: NDArray) -> list[Any]:
    """Output and gradients of a training pass."""
    x.attach_grad()
    with autograd.record():
        y = net(x)
        loss = nd.square(y).sum()
    loss.backward()
    gradients = [p.grad().asnumpy() for p in net.collect_params().values()]
    assert x.grad is not None
    return [y.asnumpy(), x.grad.asnumpy(), *gradients]


@pytest.mark.parametrize("flags", [{}, {"static_alloc": True}], ids=["", "static"])
def test_predictions_of_all_lengths_are_the_eager_ones(flags: dict[str, Any]) -> None:
    net = made()
    lengths = [1, 2, 3, 5, 3, 1, 4, 9, 2]
    expected = [net(sequences(n)).asnumpy() for n in lengths]
    net.hybridize(**flags)
    for n, y in zip(lengths, expected, strict=True):
        np.testing.assert_allclose(net(sequences(n)).asnumpy(), y, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("flags", [{}, {"static_alloc": True}], ids=["", "static"])
def test_training_passes_of_all_lengths_are_the_eager_ones(flags: dict[str, Any]) -> None:
    net = made()
    lengths = [1, 2, 3, 5, 3, 1, 4, 9, 2, 2]
    expected = [passed(net, sequences(n)) for n in lengths]
    net.hybridize(**flags)
    for n, values in zip(lengths, expected, strict=True):
        for x, y in zip(passed(net, sequences(n)), values, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-5)


def test_from_the_second_length_on_a_first_prediction_runs_a_program() -> None:
    net = made()
    net.hybridize()
    for n in range(2, 9):
        net(sequences(n))
    op = net._cached_op  # what runs it
    assert op is not None
    programs = [plans.programs.popitem()[1] for plans in op._plans.values()]
    tiers = [program.tier for program in programs]
    assert tiers == [Tier.INTERPRETED, *[Tier.COMPILED] * 6]
    compiled = [executable.program for executable in programs[1:]]
    shared = [program.plan.units for program in compiled if isinstance(program, Program)]
    assert len(shared) == 6
    assert all(units is shared[0] for units in shared)


def test_first_training_passes_are_not_recorded_by_operator_once_lengths_vary(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    net = made()
    net.hybridize()
    recorded = []
    interpreted = cached_op.CachedOp._interpreted

    def watched(self: Any, *args: Any) -> Any:
        recorded.append(1)
        return interpreted(self, *args)

    monkeypatch.setattr(cached_op.CachedOp, "_interpreted", watched)
    for n in range(2, 12):
        passed(net, sequences(n))
    assert len(recorded) == 2
