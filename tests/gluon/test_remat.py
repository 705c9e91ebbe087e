"""nn.Remat: the numbers of the block inside it, in less memory."""

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, SymbolBlock, Trainer, TrainStep, nn
from hy_gluon._errors import LayerError
from hy_gluon.loss import L2Loss
from hy_ndarray import autograd, cpu, device_of, nd, random
from hy_symbol import Graph
from hy_symbol.execution.differentiable import Joint

LAYERS, UNITS = 4, 8
WAYS = ("eager", "hybridized", "static", "whole step")


def inside(dropout: float, units: int) -> HybridBlock:
    block = nn.HybridSequential()
    block.add(nn.Dense(units, in_units=units, activation="tanh"))
    if dropout:
        block.add(nn.Dropout(dropout), nn.BatchNorm(in_channels=units))
    block.add(nn.Dense(units, in_units=units, activation="sigmoid"))
    block.add(nn.Dense(units, in_units=units))
    return block


def stack(
    *, remat: bool, dropout: float = 0.0, layers: int = LAYERS, units: int = UNITS
) -> HybridBlock:
    random.seed(3)
    net = nn.HybridSequential()
    for _ in range(layers):
        block = inside(dropout, units)
        net.add(nn.Remat(block) if remat else block)
    net.initialize("xavier")
    return net


def trained(net: HybridBlock, way: str, rows: int = 16, units: int = UNITS) -> list[float]:
    if way in ("hybridized", "static"):
        net.hybridize(static_alloc=way == "static", static_shape=way == "static")
    trainer = Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    loss = L2Loss()
    step = TrainStep(net, loss, trainer)
    draw = np.random.default_rng(1)
    x, y = (nd.array(draw.normal(size=(rows, units))) for _ in range(2))
    random.seed(5)
    values = []
    for _ in range(4):
        if way == "whole step":
            value = step(x, y)
        else:
            with autograd.record():
                value = loss(net(x), y)
            value.backward()
            trainer.step(rows)
        values.append(float(value.mean().asscalar()))
        if len(values) == 1:  # a first pass of few bytes goes by the tape
            tracemalloc.reset_peak()
    return values


@pytest.mark.parametrize("way", WAYS)
def test_numbers_are_those_of_the_block(way: str) -> None:
    expected = trained(stack(remat=False), way)
    np.testing.assert_allclose(trained(stack(remat=True), way), expected, rtol=1e-6)


@pytest.mark.parametrize("way", WAYS[1:])
def test_random_draws_and_statistics_are_kept(way: str) -> None:
    plain, again = (stack(remat=remat, dropout=0.5) for remat in (False, True))
    np.testing.assert_allclose(trained(again, way), trained(plain, way), rtol=1e-5)
    for a, b in zip(plain.collect_params().values(), again.collect_params().values(), strict=True):
        np.testing.assert_allclose(a.data().asnumpy(), b.data().asnumpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.skipif(
    device_of(cpu()).buffer_type is not np.ndarray, reason="only NumPy's memory is counted"
)
@pytest.mark.parametrize("way", WAYS)
def test_memory_is_that_of_one_block_at_a_time(way: str) -> None:
    peaks = []
    for remat in (False, True):
        net = stack(remat=remat, layers=8, units=64)
        tracemalloc.start()
        trained(net, way, rows=2048, units=64)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 0.7 * peaks[0]


def test_a_backward_pass_needs_what_enters_and_leaves_stages_alone() -> None:
    saved = []
    for remat in (False, True):
        net = stack(remat=remat)
        graph: Graph = net._get_graph(nd.ones((2, UNITS)))[1].graph
        joint = Joint.of(graph, range(len(graph.variables)), is_train=True)
        parts = joint.parts(nd.ones((1,)).device, None)
        saved.append({node.op.name for node, _ in parts.saved if node.op is not None})
    assert saved[0] == {"Activation", "FullyConnected"}
    assert saved[1] == {"FullyConnected"}


def test_it_is_exported_and_loaded(tmp_path: Path) -> None:
    net = stack(remat=True)
    net.hybridize()
    x = nd.ones((2, UNITS))
    expected = net(x)
    files = net.export(str(tmp_path / "net"))
    loaded: Any = SymbolBlock.imports(files[0], ["data"], files[1])
    np.testing.assert_allclose(loaded(x).asnumpy(), expected.asnumpy(), rtol=1e-6)


def test_arguments_that_are_left_out_and_several_results_pass_through() -> None:
    attention = nn.MultiHeadAttention(UNITS, 2, causal=True, in_units=UNITS)
    block = nn.Remat(attention)
    block.initialize()
    x = nd.ones((2, 3, UNITS))
    cache = nd.zeros((4, 2, 2, 4)), nd.zeros((4, 2, 2, 4))
    places = nd.array([0, 1, 2], dtype="int32")
    expected = attention(x, None, None, None, cache, places)[0].asnumpy()
    for _ in range(2):
        with autograd.record():
            y, (keys, _) = block(x, None, None, None, cache, places)
            y.sum().backward()
        assert keys.shape == (4, 2, 2, 4)
        np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-5, atol=1e-6)
        block.hybridize()


def test_it_takes_a_block() -> None:
    with pytest.raises(LayerError, match="Remat takes a block, not a function"):
        nn.Remat(lambda x: x)  # type: ignore[arg-type]
