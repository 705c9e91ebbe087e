"""Cross entropies: ``pick`` or a sum out of ``log_softmax`` is one operator."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from hy_gluon.block import HybridBlock
from hy_gluon.loss import SoftmaxCrossEntropyLoss
from hy_ndarray import NDArray, autograd, nd
from hy_symbol import Symbol, sym
from hy_symbol.passes import GraphPass, check_graph, with_picked_softmax, with_weighed_softmax


def kinds(net: Symbol) -> list[str]:
    return [node.op.name for node in net.graph.nodes if node.op is not None]


def behind(graph_pass: GraphPass, net: Symbol) -> list[str]:
    """The operators that a pass leaves."""
    made = Symbol(graph_pass(net.graph))
    check_graph(made.graph, net.graph)
    assert made.list_outputs() == net.list_outputs()
    assert made.list_arguments() == net.list_arguments()
    return kinds(made)


joined = partial(behind, with_picked_softmax)
weighed = partial(behind, with_weighed_softmax)


def test_the_logarithm_of_softmax_is_not_made_where_one_place_is_picked() -> None:
    net = sym.pick(sym.log_softmax(sym.var("x")), sym.var("label"), keepdims=True, mode="wrap") * 2
    assert joined(net) == ["_log_softmax_pick", "_mul_scalar"]
    node = Symbol(with_picked_softmax(net.graph)).graph.nodes[-2]
    assert dict(node.params) == {"keepdims": True, "mode": "wrap", "negative": False}


def test_a_loss_is_the_negative_logarithm_at_once() -> None:
    picked = sym.pick(sym.log_softmax(sym.var("x")), sym.var("label"))
    for net in (-picked, sym.negative(picked), picked * -1):
        assert joined(net) == ["_log_softmax_pick"]
        assert Symbol(with_picked_softmax(net.graph)).graph.nodes[-1].params["negative"]
    assert joined(sym.negative(picked) * -1) == ["_log_softmax_pick"]
    assert joined(sym.Group([-picked, picked])) == ["_log_softmax_pick", "_mul_scalar"]


@pytest.mark.parametrize(
    "build",
    [
        lambda y: sym.Group([sym.pick(y, sym.var("label")), y]),
        lambda y: sym.pick(y, sym.var("label")) + sym.sum(y, axis=-1),
        lambda y: sym.pick(y, sym.var("label"), axis=0),
    ],
    ids=["shown", "used", "axis"],
)
def test_it_is_made_where_more_of_it_is_needed(build: Callable[[Symbol], Symbol]) -> None:
    net = build(sym.log_softmax(sym.var("x")))
    assert joined(net) == kinds(net)


@pytest.mark.parametrize("how", [{"axis": 0}, {"temperature": 2.0}, {"dtype": "float64"}], ids=str)
def test_other_kinds_of_softmax_stay_as_they_are(how: dict[str, Any]) -> None:
    net = sym.pick(sym.log_softmax(sym.var("x"), **how), sym.var("label"))
    assert joined(net) == kinds(net)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-6), ("float16", 2e-3)])
def test_losses_and_gradients_are_those_without_a_graph(
    rng: np.random.Generator, dtype: str, tolerance: float
) -> None:
    scores = rng.normal(0, 30, (4, 3, 7))
    labels = nd.array(rng.integers(0, 7, (4, 3)))
    found = []
    for hybrid in (False, True):
        loss_of = SoftmaxCrossEntropyLoss()
        loss_of.hybridize(hybrid)
        x = nd.array(scores, dtype=dtype)
        x.attach_grad()
        with autograd.record():
            loss = loss_of(x, labels)
        loss.backward()
        assert x.grad is not None
        found.append((loss.asnumpy(), x.grad.asnumpy()))
    for eager, graph in zip(*found, strict=True):
        assert graph.dtype == eager.dtype
        np.testing.assert_allclose(graph, eager, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_labels_beyond_the_classes_of_a_matrix_are_the_nearest_class(
    rng: np.random.Generator, dtype: str
) -> None:
    scores, found = rng.normal(0, 3, (5, 4)), []
    for labels in ([-3, 0, 2, 3, 9], [0, 0, 2, 3, 3]):
        loss_of = SoftmaxCrossEntropyLoss()
        loss_of.hybridize()
        x = nd.array(scores, dtype=dtype)
        x.attach_grad()
        for _ in range(2):  # the second pass is a program's
            with autograd.record():
                loss = loss_of(x, nd.array(labels, dtype=dtype))
            loss.backward()
            assert x.grad is not None
            found.append((loss.asnumpy(), x.grad.asnumpy()))
    for other in found[1:]:
        for value, first in zip(other, found[0], strict=True):
            np.testing.assert_allclose(value, first, rtol=1e-5, atol=1e-6)


def test_second_gradients_are_those_without_a_graph(rng: np.random.Generator) -> None:
    scores, labels = rng.normal(0, 2, (4, 7)), nd.array([0, 6, 3, 3])
    direction = nd.array(rng.normal(0, 1, (4, 7)))

    def second(hybrid: bool) -> Any:
        loss_of = SoftmaxCrossEntropyLoss()
        loss_of.hybridize(hybrid)
        x: NDArray = nd.array(scores)
        x.attach_grad()
        with autograd.record():
            loss = loss_of(x, labels) ** 2
            (dx,) = autograd.grad(loss, [x], create_graph=True, retain_graph=True)
            along = (dx * direction).sum()
        along.backward()
        assert x.grad is not None
        return x.grad.asnumpy()

    np.testing.assert_allclose(second(True), second(False), rtol=1e-4, atol=1e-5)


def test_what_the_loss_of_dense_labels_traces_to_makes_no_logarithms() -> None:
    net = SoftmaxCrossEntropyLoss(sparse_label=False)(sym.var("x"), sym.var("label"))
    assert weighed(net) == ["reshape_like", "_log_softmax_dot", "_mul_scalar", "mean"]


def test_labels_may_come_first_smoothed_and_the_axis_be_dropped() -> None:
    labels = sym.one_hot(sym.var("label"), depth=7) * 0.9 + 0.01
    net = sym.sum(labels * sym.log_softmax(sym.var("x")), axis=-1, name="loss")
    assert weighed(net)[-2:] == ["_log_softmax_dot", "sum"]
    scores, classes = nd.array(np.arange(14.0).reshape(2, 7)), nd.array([1, 2])
    made = Symbol(with_weighed_softmax(net.graph))
    for each in (net, made):
        (y,) = each.eval(x=scores, label=classes)
        assert y.shape == (2,)
        np.testing.assert_allclose(y.asnumpy(), [-5.15403, -4.25403], rtol=1e-5)


@pytest.mark.parametrize(
    "build",
    [
        lambda y, label: sym.Group([sym.sum(y * label, axis=-1), y]),
        lambda y, label: sym.sum(y * label, axis=0),
        lambda y, label: sym.sum(y * label, axis=-1, exclude=True),
        lambda y, label: sym.sum(sym.broadcast_mul(y, label), axis=-1),
        lambda y, label: sym.sum(y * y, axis=-1),
    ],
    ids=["shown", "axis", "exclude", "broadcast", "square"],
)
def test_other_sums_need_the_logarithms(build: Callable[[Symbol, Symbol], Symbol]) -> None:
    net = build(sym.log_softmax(sym.var("x")), sym.var("label"))
    assert weighed(net) == kinds(net)


@pytest.mark.parametrize("trains", [False, True])
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-6), ("float16", 4e-3)])
def test_dense_losses_and_gradients_are_those_without_a_graph(
    rng: np.random.Generator, dtype: str, tolerance: float, trains: bool
) -> None:
    scores, labels = rng.normal(0, 30, (4, 3, 7)), rng.dirichlet(np.ones(7), (4, 3))
    found = []
    for hybrid in (False, True):
        loss_of = SoftmaxCrossEntropyLoss(sparse_label=False)
        loss_of.hybridize(hybrid)
        x, label = nd.array(scores, dtype=dtype), nd.array(labels, dtype=dtype)
        x.attach_grad()
        label.attach_grad()
        with autograd.record() if trains else autograd.pause():
            loss = loss_of(x, label)
        if trains:
            loss.backward()
        assert x.grad is not None
        assert label.grad is not None
        found.append((loss.asnumpy(), x.grad.asnumpy(), label.grad.asnumpy()))
    for eager, graph in zip(*found, strict=True):
        assert graph.dtype == eager.dtype
        np.testing.assert_allclose(graph, eager, rtol=tolerance, atol=tolerance)


class LabelsFirst(HybridBlock):
    """A loss with the operands the other way around."""

    def hybrid_forward(self, F: Any, x: Any, label: Any) -> Any:
        return F.sum(label * F.log_softmax(x), axis=-1)


def test_operands_keep_their_places_where_labels_come_first(rng: np.random.Generator) -> None:
    scores, labels = nd.array(rng.normal(0, 3, (4, 7))), nd.array(rng.dirichlet(np.ones(7), 4))
    found = []
    for hybrid in (False, True):
        block = LabelsFirst()
        block.hybridize(hybrid)
        scores.attach_grad()
        with autograd.record():
            loss = block(scores, labels)
        loss.backward()
        assert scores.grad is not None
        found += [loss.asnumpy(), block(scores, labels).asnumpy(), scores.grad.asnumpy()]
    for eager, graph in zip(found[:3], found[3:], strict=True):
        np.testing.assert_allclose(graph, eager, rtol=1e-5, atol=1e-6)


def test_second_gradients_of_dense_losses_are_those_without_a_graph(
    rng: np.random.Generator,
) -> None:
    scores, labels = rng.normal(0, 2, (4, 7)), nd.array(rng.dirichlet(np.ones(7), 4))
    direction = nd.array(rng.normal(0, 1, (4, 7)))

    def second(hybrid: bool) -> Any:
        loss_of = SoftmaxCrossEntropyLoss(sparse_label=False)
        loss_of.hybridize(hybrid)
        x: NDArray = nd.array(scores)
        x.attach_grad()
        labels.attach_grad()
        with autograd.record():
            loss = loss_of(x, labels) ** 2
            (dx,) = autograd.grad(loss, [x], create_graph=True, retain_graph=True)
            along = (dx * direction).sum()
        along.backward()
        assert x.grad is not None
        assert labels.grad is not None
        return np.stack([x.grad.asnumpy(), labels.grad.asnumpy()])

    np.testing.assert_allclose(second(True), second(False), rtol=1e-4, atol=1e-5)
