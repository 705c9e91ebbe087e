"""Blocks that were called, hybridized: pickled, copied, and called elsewhere."""

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, SymbolBlock, nn, rnn
from hy_ndarray import autograd, nd
from hy_symbol import sym


def convolutional() -> HybridBlock:
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Conv2D(3, 3, padding=1), nn.BatchNorm(), nn.Flatten(), nn.Dense(2))
    return net


def around_a_graph() -> HybridBlock:
    data = sym.var("data")
    return SymbolBlock(sym.FullyConnected(data, num_hidden=2, name="fc"), data)


CASES: dict[str, tuple[Callable[[], HybridBlock], tuple[int, ...]]] = {
    "dense": (lambda: nn.Dense(2), (2, 3)),
    "convolutional": (convolutional, (2, 3, 4, 4)),
    "lstm": (lambda: rnn.LSTM(3), (4, 2, 3)),
    "symbol": (around_a_graph, (2, 3)),
}


def called(kind: str, flags: dict[str, Any]) -> tuple[HybridBlock, Any]:
    make, shape = CASES[kind]
    block = make()
    block.initialize()
    block.hybridize(**flags)
    x = nd.array(np.linspace(-1, 1, int(np.prod(shape))).reshape(shape))
    with autograd.record():
        block(x).backward()
    block(x)
    return block, x


@pytest.mark.parametrize("flags", [{}, {"static_alloc": True}], ids=["plain", "static"])
@pytest.mark.parametrize("kind", CASES)
def test_a_block_that_was_called_is_pickled_and_traced_again(
    kind: str, flags: dict[str, Any]
) -> None:
    block, x = called(kind, flags)
    for again in (pickle.loads(pickle.dumps(block)), copy.deepcopy(block)):  # noqa: S301
        assert again._active
        assert not again._cached_graph or kind == "symbol"
        np.testing.assert_allclose(again(x).asnumpy(), block(x).asnumpy(), rtol=1e-5, atol=1e-7)
        again.collect_params().setattr("grad_req", "null")
        for parameter in again.collect_params().values():
            parameter.set_data(nd.zeros(parameter.shape))
        assert not np.array_equal(again(x).asnumpy(), block(x).asnumpy())


def test_hooks_of_other_processes_do_not_hide_those_of_a_copy() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(1, in_units=2))
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 2)))
    again = pickle.loads(pickle.dumps(net))  # noqa: S301
    seen: list[Any] = []
    again[0].register_forward_hook(lambda *_: seen.append(1))
    again(nd.ones((1, 2)))
    assert seen == [1]


def _answer(block: HybridBlock, x: Any) -> Any:
    return block(nd.array(x)).asnumpy()


@pytest.mark.slow
def test_a_spawned_process_calls_the_block_it_is_given() -> None:
    block, x = called("convolutional", {"static_alloc": True})
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        y = pool.apply(_answer, (block, x.asnumpy()))
    np.testing.assert_allclose(y, block(x).asnumpy(), rtol=1e-5)
