"""A type rule is asked once about nodes that are alike."""

from collections import Counter
from typing import Any

import pytest

from hy_gluon import nn
from hy_ndarray import ShapeError, custom, nd
from hy_ndarray.ops import Operator
from hy_symbol import InferenceCache, Symbol, TypedGraph, sym


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the rule of each operator was asked."""
    counts: Counter[str] = Counter()
    infer = Operator.infer

    def counted(op: Operator, *args: Any, **kwargs: Any) -> Any:
        counts[op.name] += 1
        return infer(op, *args, **kwargs)

    monkeypatch.setattr(Operator, "infer", counted)
    return counts


def typed(
    net: Symbol, *shapes: tuple[int, ...], inference_cache: InferenceCache | None = None
) -> TypedGraph:
    return TypedGraph.of(net.graph, [(shape, "float32") for shape in shapes], inference_cache)


def chain(steps: int) -> Symbol:
    net = sym.var("x")
    for _ in range(steps):
        net = sym.clip(net, a_min=0, a_max=1)
    return net


def test_one_of_many_equal_steps_is_asked_about(asked: Counter[str]) -> None:
    net = chain(5)
    found = typed(net, (2, 3))
    assert asked["clip"] == 1
    assert {found.types.get((node, 0)) for node in net.graph.nodes} == {((2, 3), "float32")}


def test_other_parameters_and_other_types_are_asked_about(asked: Counter[str]) -> None:
    x = sym.var("x")
    parts = [sym.sum(x, axis=1), sym.sum(x, axis=1, keepdims=True), sym.sum(sym.sum(x, axis=1))]
    found = typed(sym.Group(parts), (2, 3))
    shapes = [found.types.shape(entry) for entry in found.graph.outputs]
    assert shapes == [(2,), (2, 1), (1,)]
    assert asked["sum"] == 3


def test_what_is_asked_again_is_known(asked: Counter[str]) -> None:
    inference_cache = InferenceCache()
    typed(chain(2), (2, 3), inference_cache=inference_cache)
    typed(chain(2), (2, 3), inference_cache=inference_cache)
    assert asked["clip"] == 1
    typed(chain(2), (4,), inference_cache=inference_cache)
    assert asked["clip"] == 2


def test_what_tracing_asked_is_not_asked_again(asked: Counter[str]) -> None:
    class Net(nn.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            y = F.clip(x, a_min=0, a_max=1)
            return y + F.clip(x, a_min=0, a_max=2)  # operands' shapes are compared

    net = Net()
    net.hybridize()
    net(nd.ones((2, 3)))
    assert asked["clip"] == 2
    net(nd.ones((4, 3)))
    assert asked["clip"] == 4


@pytest.mark.parametrize("first", [True, False])
def test_errors_name_the_node_each_time(first: bool) -> None:
    a, b = sym.var("a"), sym.var("b")
    wrong = sym.elemwise_add(a, b, name="wrong")
    inference_cache = InferenceCache()
    if first:
        typed(sym.elemwise_add(a, b, name="right"), (2,), (2,), inference_cache=inference_cache)
    for _ in range(2):
        with pytest.raises(ShapeError, match="wrong"):
            typed(wrong, (2,), (3,), inference_cache=inference_cache)


def test_equal_numbers_of_other_types_are_other_parameters() -> None:
    inference_cache = InferenceCache()
    for scalar in (1, 1.0, True):
        net = sym.np.add(sym.var("x").as_np_ndarray(), scalar).graph
        found = TypedGraph.of(net, [((2,), "int32")], inference_cache)
        alone = TypedGraph.of(net, [((2,), "int32")])
        assert found.types.get(net.outputs[0]) == alone.types.get(net.outputs[0])


def test_the_users_own_rules_are_asked_each_time() -> None:
    made = []

    class Own(custom.CustomOpProp):
        def infer_shape(self, in_shape: Any) -> Any:
            made.append(in_shape)
            return in_shape, [in_shape[0]], []

    custom.register("asked_each_time")(Own)
    x = sym.var("x")
    net = sym.Custom(sym.Custom(x, op_type="asked_each_time"), op_type="asked_each_time")
    typed(net, (2, 3))
    assert len(made) == 2
    net.infer_shape(x=(2, 3))
    before = len(made)
    assert before > 2
    net.infer_shape(x=(2, 3))
    assert len(made) - before == before - 2


def test_only_so_many_answers_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hy_symbol.infer.inference_cache._MAX_NODES", 2)
    inference_cache, net = InferenceCache(), chain(3)
    for n in range(1, 9):
        found = typed(net, (n, 3), inference_cache=inference_cache)
        assert found.types.get(net.graph.outputs[0])[0] == (n, 3)
    assert len(inference_cache._same) <= 2
