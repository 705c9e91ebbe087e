"""A net that nobody holds is freed at once, with its graphs, and not by a later collection."""

import gc
from collections.abc import Iterator
from weakref import ref

import pytest

from hy_gluon import Trainer, nn
from hy_ndarray import autograd, nd


@pytest.fixture(autouse=True)
def _no_collections() -> Iterator[None]:
    before = gc.isenabled()
    gc.disable()
    yield
    if before:
        gc.enable()


def net(hybridize: bool) -> nn.HybridSequential:
    made = nn.HybridSequential()
    with made.name_scope():
        made.add(nn.Dense(3, activation="relu"), nn.Dropout(0.5), nn.Dense(2))
    made.initialize()
    if hybridize:
        made.hybridize()
    return made


@pytest.mark.parametrize("hybridize", [False, True])
def test_a_net_is_freed_with_its_last_reference(hybridize: bool) -> None:
    made = net(hybridize)
    for _ in range(3):
        made(nd.ones((2, 4)))
    held = ref(made), ref(made[0])
    del made
    assert [each() for each in held] == [None, None]


@pytest.mark.parametrize("hybridize", [False, True])
def test_a_trained_net_is_freed_with_its_trainer(hybridize: bool) -> None:
    made = net(hybridize)
    trainer = Trainer(made.collect_params(), "adam")
    for _ in range(3):
        with autograd.record():
            made(nd.ones((2, 4))).sum().backward()
        trainer.step(2)
    held = ref(made), ref(trainer), ref(made[0].weight)
    del made, trainer
    assert [each() for each in held] == [None, None, None]


def test_a_scope_holds_its_block() -> None:
    with nn.HybridSequential(prefix="whole_").name_scope():
        assert nn.Dense(2).prefix == "whole_dense0_"
        assert nn.Dense(2).prefix == "whole_dense1_"
