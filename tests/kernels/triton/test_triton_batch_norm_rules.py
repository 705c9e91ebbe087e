"""Graphs on the Triton table join batch normalisation with what alone follows it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, nn
from hy_kernels.triton.runtime._launch import watched
from hy_ndarray import NDArray, autograd, device_of, nd
from hy_symbol import Differentiable, Pool, Symbol, TypedGraph, sym
from hy_symbol.passes import Target, check_graph
from hy_symbol.passes.lowering import with_table_rules
from tests.kernels.triton.parity import CONTEXT, on_table

Body = Callable[[Any, Any, Any], Any]
STATISTICS = ["channel_statistics", "channel_statistics_merged"]
GRADIENT = ["channel_gradients", "fused", "fused", "fused"]
"""Parts of the gradients of gamma and beta, their sums, and the gradient of the data."""


unused = pytest.mark.filterwarnings("ignore:.*not used by any computation")


class Net(HybridBlock):
    """A normalisation, and what follows it."""

    def __init__(self, body: Body, **how: Any) -> None:
        super().__init__()
        self.body = body
        with self.name_scope():
            self.norm = nn.BatchNorm(in_channels=3, **how)

    def hybrid_forward(self, F: Any, x: Any, other: Any) -> Any:
        return self.body(F, self.norm(x), other)


class Run:
    """Results and gradients of a net, what was launched for them, and the operators."""

    def __init__(self, table: str, body: Body, shape: tuple[int, ...], **how: Any) -> None:
        generator = np.random.default_rng(3)
        with on_table(table):
            net = Net(body, **how)
            net.initialize()
            own = (net.norm.gamma, net.norm.beta)
            for each in own:
                each.set_data(nd.array(generator.uniform(-1, 1, 3)))
            net.hybridize(static_alloc=True, static_shape=True)
            x, other = (nd.array(generator.uniform(-1, 1, shape)) for _ in range(2))
            for array in (x, other):
                array.attach_grad()
            for _ in range(2):  # what comes again is planned
                self._train(net, x, other)
            y = self._train(net, x, other)
            net(x, other)
            with watched() as launches:
                predicted = net(x, other)
            self.predicting = [each.name for each in launches]
            self.operators = str(net.explain(x, other))
            slopes = [each.grad() for each in own if each.grad_req != "null"]
            states = [each.data() for each in (net.norm.running_mean, net.norm.running_var)]
            found = [predicted, y, x.grad, other.grad, *slopes, *states]
            self.arrays = [each.asnumpy() for each in found if each is not None]

    def _train(self, net: HybridBlock, x: NDArray, other: NDArray) -> NDArray:
        head = nd.cos(nd.arange(x.size)).reshape(x.shape)
        with watched() as launches, autograd.record():
            y: NDArray = net(x, other)
        self.forward = [each.name for each in launches]
        with watched() as launches:
            y.backward(head)
        self.backward = [each.name for each in launches]
        return y


def runs(body: Body, shape: tuple[int, ...] = (4, 3, 5), **how: Any) -> Run:
    """Of the Triton table, whose numbers and states are those of the numpy table."""
    ours, theirs = (Run(table, body, shape, **how) for table in ("triton", "numpy"))
    for mine, right in zip(ours.arrays, theirs.arrays, strict=True):
        np.testing.assert_allclose(mine, right, rtol=1e-4, atol=1e-5)
    return ours


WHOLE: dict[str, Body] = {
    "relu": lambda F, z, _: F.relu(z),
    "Activation": lambda F, z, _: F.Activation(z, act_type="softrelu"),
    "sigmoid": lambda F, z, _: F.sigmoid(z),
    "leaky": lambda F, z, _: F.LeakyReLU(z, act_type="leaky", slope=0.1),
    "gelu": lambda F, z, _: F.LeakyReLU(z, act_type="gelu"),
    "relu6": lambda F, z, _: F.clip(z, 0, 1),
    "swish": lambda F, z, _: z * F.sigmoid(2 * z),
    "hard swish": lambda F, z, _: z * F.clip(z + 3, 0, 6) / 6,
}
"""What is fused with a normalisation forward and backward."""


@unused
@pytest.mark.parametrize("name", WHOLE)
def test_activations_are_fused_forward_and_backward(name: str) -> None:
    ours = runs(WHOLE[name])
    assert ours.predicting == ["fused"]
    assert ours.forward == [*STATISTICS, "fused"]
    assert ours.backward == GRADIENT
    assert "_fused_batch_norm" in ours.operators


@unused
@pytest.mark.parametrize("how", [{"axis": -1}, {"scale": False}, {"use_global_stats": True}])
def test_normalisations_of_all_kinds_are_fused(how: dict[str, Any]) -> None:
    ours = runs(WHOLE["leaky"], (4, 3, 3), **how)
    assert ours.forward == [*([] if "use_global_stats" in how else STATISTICS), "fused"]
    assert ours.backward == GRADIENT


RESIDUALS: dict[str, tuple[Body, list[str]]] = {
    "sum": (lambda _, z, other: z + other, GRADIENT),
    "ReLU of a sum": (lambda F, z, other: F.relu(other + z), ["fused", *GRADIENT]),
    "sum of a product": (lambda F, z, other: F.relu(z * 2) + other, GRADIENT),
}


@pytest.mark.parametrize("name", RESIDUALS)
def test_residuals_are_fused(name: str) -> None:
    body, gradient = RESIDUALS[name]
    ours = runs(body)
    assert (ours.predicting, ours.forward) == (["fused"], [*STATISTICS, "fused"])
    assert ours.backward == gradient


APART: dict[str, Body] = {
    "another reader": lambda F, z, other: F.relu(z) + F.sum(z, axis=1, keepdims=True) + other,
    "another slope": lambda F, z, other: F.LeakyReLU(z, act_type="elu") + F.flip(z + other, axis=0),
    "an operator of integers": lambda F, z, other: (
        F.cast(F.cast(z, dtype="int32"), dtype="float32") + other
    ),
}


@pytest.mark.parametrize("name", APART)
def test_what_others_read_is_kept(name: str) -> None:
    ours = runs(APART[name])
    assert "_fused_batch_norm" not in ours.operators
    assert "BatchNorm" in ours.operators


X, OTHER, WIDE = sym.var("x"), sym.var("other"), sym.var("wide")
GAMMA, BETA, MEAN, VAR = map(sym.var, ("gamma", "beta", "mean", "var"))
SHAPES = {"x": (4, 3, 5), "other": (4, 3, 5), "wide": (6, 4, 3, 5)}


def _norm(x: Symbol, name: str = "norm", **how: Any) -> Symbol:
    normalised: Symbol = sym.BatchNorm(x, GAMMA, BETA, MEAN, VAR, name=name, **how)
    return normalised


def _other(x: Symbol) -> Symbol:
    """With states of its own."""
    normalised: Symbol = sym.BatchNorm(x, name="another")
    return normalised


def _long(y: Symbol) -> Symbol:
    for _ in range(20):
        y = sym.tanh(y)
    return y


NORM = _norm(X)
LEFT: dict[str, tuple[Symbol, list[str]]] = {
    "an output": (sym.Group([NORM, sym.relu(NORM)]), ["BatchNorm", "relu"]),
    "an operator of its own": (sym.relu(sym.softmax(NORM)), ["BatchNorm", "softmax", "relu"]),
    "statistics that are seen": (
        sym.relu(_norm(X, output_mean_var=True)[0]),
        ["BatchNorm", "relu"],
    ),
    "states of two": (
        sym.relu(_norm(X, "first") + _norm(OTHER, "second")),
        ["BatchNorm", "BatchNorm", "elemwise_add", "relu"],
    ),
    "a result that is spread": (
        sym.broadcast_add(NORM, WIDE),
        ["BatchNorm", "broadcast_add"],
    ),
    "of another dtype": (sym.cast(NORM, dtype="float16"), ["BatchNorm", "Cast"]),
    "of many some": (_long(NORM), ["_fused_batch_norm", *["tanh"] * 4]),
    "one of two": (sym.relu(NORM + _other(OTHER)), ["BatchNorm", "_fused_batch_norm"]),
    "one of two that are far from each other": (
        sym.relu(_long(NORM) + _other(OTHER)),
        ["_fused_batch_norm", *["tanh"] * 4, "BatchNorm", "elemwise_add", "relu"],
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_graphs_keep_what_cannot_be_fused(name: str) -> None:
    net, operators = LEFT[name]
    known = [(SHAPES.get(each, (3,)), "float32") for each in net.list_inputs()]
    with on_table("triton"):
        typed = TypedGraph.of(net.graph, known)
        graph = with_table_rules(typed, Target(device_of(CONTEXT))).graph
    check_graph(graph, net.graph)
    assert [node.op.name for node in graph.nodes if node.op is not None] == operators


def test_nothing_but_statistics_is_kept_for_the_gradient() -> None:
    net = sym.LeakyReLU(NORM, act_type="gelu")
    known = [(SHAPES.get(each, (3,)), "float32") for each in net.list_inputs()]
    with on_table("triton"):
        typed = TypedGraph.of(net.graph, known)
        both = Differentiable.of(typed, range(3), device_of(CONTEXT), is_train=True, pool=Pool())
    saved = {(node.op.name, i) for node, i in both.parts.saved if node.op is not None}
    assert saved == {("_fused_batch_norm", 1), ("_fused_batch_norm", 2)}


def test_float16_is_fused_with_statistics_of_float32() -> None:
    with on_table("triton"):
        net = Net(lambda F, z, other: F.relu(z + other))
        net.cast("float16")
        net.initialize()
        net.hybridize(static_alloc=True, static_shape=True)
        x = nd.array(np.random.default_rng(5).uniform(-1, 1, (4, 3, 5)), dtype="float16")
        net(x, x)
        with watched() as launches:
            y = net(x, x)
    assert [each.name for each in launches] == ["fused"]
    assert y.dtype == np.float16
    np.testing.assert_allclose(y.asnumpy(), np.maximum(2 * x.asnumpy(), 0), rtol=2**-9)
