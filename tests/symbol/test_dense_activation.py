"""Fully connected layers take over the activation behind them, in prediction and in training."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_ndarray import KernelTable, cpu, device_of, use_kernels
from hy_symbol import Differentiable, Graph, Known, Pool, Program, Symbol, TypedGraph, sym
from hy_symbol.passes import Target, check_graph
from hy_symbol.passes.lowering import with_table_rules
from tests.symbol import graph_runs


def layer(no_bias: bool = False) -> Symbol:
    return sym.FullyConnected(sym.var("x"), num_hidden=3, no_bias=no_bias, name="layer")


def kinds(net: Symbol) -> list[str]:
    return [node.op.name for node in net.graph.nodes if node.op is not None]


def fused(net: Symbol) -> Graph:
    known: list[Known] = [((2, 4), "float32"), *[(None, None)] * (len(net.list_inputs()) - 1)]
    return with_table_rules(TypedGraph.of(net.graph, known), Target(device_of(cpu()))).graph


def joined(net: Symbol) -> list[str]:
    made = Symbol(fused(net))
    check_graph(made.graph, net.graph)
    assert made.list_outputs() == net.list_outputs()
    assert made.list_arguments() == net.list_arguments()
    return kinds(made)


def test_activations_become_part_of_layers() -> None:
    net = sym.relu(layer(no_bias=True), name="first")
    net = sym.FullyConnected(net, num_hidden=2, flatten=False, name="second")
    net = sym.Activation(net, act_type="softsign")
    assert joined(net) == ["FullyConnected+Activation"] * 2
    first, second = (node for node in fused(net).nodes if node.op is not None)
    assert first.name == "first"
    assert dict(first.params) == {
        "num_hidden": 3,
        "no_bias": True,
        "flatten": True,
        "act_type": "relu",
    }
    assert dict(second.params) == {
        "num_hidden": 2,
        "no_bias": False,
        "flatten": False,
        "act_type": "softsign",
    }


class OwnLayers:
    """A table with a kernel for layers that leaves the rest to another one."""

    device_types = ("cpu",)

    def __init__(self, fallback: KernelTable) -> None:
        self.name, self.fallback = "own layers", fallback.name
        self.buffer_type, self.memory = fallback.buffer_type, fallback.memory
        for name in ("count", "device", "generator", "synchronize"):
            setattr(self, name, getattr(fallback, name))
        self._layer = fallback.find("fully_connected")

    def find(self, kernel: str) -> Any:
        return self._layer if kernel == "fully_connected" else None


def test_layers_of_another_table_stay_its_own() -> None:
    net = sym.relu(layer(no_bias=True))
    assert joined(net) == ["FullyConnected+Activation"]
    own: Any = OwnLayers(device_of(cpu()).table)
    with use_kernels(own):
        assert joined(net) == ["FullyConnected", "relu"]


@pytest.mark.parametrize(
    "build",
    [
        lambda _: sym.relu(sym.var("x")),
        lambda y: sym.LeakyReLU(y, act_type="gelu"),
        lambda y: sym.Group([y, sym.relu(sym.var("y"))]),
        lambda y: sym.Group([sym.relu(y), y]),
        lambda y: sym.relu(y) + y,
    ],
    ids=["no layer", "another function", "another value", "shown", "used"],
)
def test_others_stay_as_they_are(build: Callable[[Symbol], Symbol]) -> None:
    net = build(layer())
    assert joined(net) == kinds(net)


@pytest.mark.parametrize("act_type", ["relu", "sigmoid", "softrelu", "softsign", "tanh"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_results_and_gradients_are_the_same(
    act_type: str, dtype: str, rng: np.random.Generator
) -> None:
    net = sym.Activation(layer(), act_type=act_type)  # type: ignore[call-overload]
    arrays = [rng.normal(size=shape).astype(dtype) for shape in ((2, 4), (3, 4), (3,))]
    known = [(array.shape, array.dtype.name) for array in arrays]
    head = rng.normal(size=(2, 3)).astype(dtype)
    ways = [
        Differentiable.of(
            net.graph if types is None else TypedGraph.of(net.graph, types),
            range(3),
            device_of(cpu()),
            is_train=True,
            pool=None if types is None else Pool(),
        )
        for types in (None, known)
    ]
    names = [node.op.name for node in ways[1].forward.steps if node.op is not None]
    assert names == ["FullyConnected+Activation"]
    found = []
    for both in ways:
        given = graph_runs.buffers(*arrays)
        (y,), saved = both.run(given)
        gradients = both.gradients(graph_runs.buffers(head), given, saved, last=True)
        (y,), gradients = graph_runs.arrays([y]), tuple(graph_runs.arrays(gradients))
        by_target = dict(zip(both.targets, gradients, strict=True))
        found.append((y, *(by_target[i] for i in range(3))))
    tolerance = {"float16": 5e-3, "float32": 1e-6, "float64": 1e-13}[dtype]
    for one, other in zip(*found, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)
    program = Program.of(
        TypedGraph.of(net.graph, known), device_of(cpu()), is_train=False, pool=Pool()
    )
    (y,) = graph_runs.arrays(program(*graph_runs.buffers(*arrays)))
    np.testing.assert_allclose(y, found[0][0], rtol=tolerance, atol=tolerance)
