"""Pipelines: graphs keep their types from pass to pass, and what passes make can be checked."""

import pytest

from hy_ndarray import LoweringGraph, cpu, device_of
from hy_ndarray.ops import Operator
from hy_symbol import Entry, Graph, GraphError, Node, Symbol, TypedGraph, Types, rewrite, sym
from hy_symbol.passes import OPTIMIZE_FOR, PREDICT, TRAIN, Pass, Target, lowered, pipeline
from hy_symbol.passes.backends import Optimized, Request
from hy_symbol.passes.reuse import Lowering


def net() -> Symbol:
    x = sym.Convolution(sym.var("x"), kernel=(3, 3), num_filter=2, name="conv")
    x = sym.Pooling(sym.relu(x), kernel=(2, 2), pool_type="max")
    x = sym.transpose(sym.transpose(x))
    return sym.relu(sym.FullyConnected(x, num_hidden=3, name="dense"))


def typed() -> TypedGraph:
    graph = net().graph
    known = [((16, 1, 8, 8), "float32"), *[(None, None)] * (len(graph.variables) - 1)]
    return TypedGraph.of(graph, known)


@pytest.mark.parametrize("passes", [PREDICT, TRAIN])
def test_what_passes_make_has_the_types_that_inference_would_give(
    passes: tuple[Pass, ...],
) -> None:
    before = typed()
    found = lowered(before, passes, Target(device_of(cpu())))
    again = TypedGraph.of(found.graph, found.known)
    assert found.graph is not before.graph
    for node in found.graph.nodes:
        for i in range(node.num_outputs):
            assert found.types.get((node, i)) == again.types.get((node, i)) != (None, None)


def test_a_rewriting_infers_only_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    before = typed()
    visited: list[str] = []
    forward = Types.forward

    def counted(types: Types, node: Node) -> object:
        visited.append(node.name)
        return forward(types, node)

    monkeypatch.setattr(Types, "forward", counted)
    outer = sym.sigmoid(Symbol(before.graph), name="added").graph
    after = before.rewritten(outer)
    assert visited == ["added"]
    assert after.types.get(outer.outputs[0]) == ((16, 3), "float32")
    assert before.rewritten(before.graph) is before


def test_a_rewriting_keeps_what_is_known_of_some_outputs_and_infers_the_others() -> None:
    parts = sym.SliceChannel(sym.var("x"), num_outputs=2, axis=1, name="parts")
    (node,) = (n for n in parts.graph.nodes if n.op is not None)
    types = Types(parts.graph)
    types.set(node.inputs[0], (2, 6), "float32")
    types.set((node, 0), (2, 3), "float32")
    after = TypedGraph(parts.graph, types).rewritten(sym.exp(parts[1]).graph)
    assert after.types.get((node, 0)) == ((2, 3), "float32")
    assert after.types.get(after.graph.outputs[0]) == ((2, 3), "float32")


def _broken(graph: Graph) -> Graph:
    def without_bias(node: Node, inputs: tuple[Entry, ...]) -> list[Entry] | None:
        op: Operator | None = node.op
        if op is None or op.name != "FullyConnected":
            return None
        return [(node.copy(inputs=inputs[:1]), 0)]

    return rewrite(graph, without_bias)


def test_a_debug_flag_checks_what_each_pass_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks_layers(typed: TypedGraph, _: Target) -> TypedGraph:
        return TypedGraph(_broken(typed.graph), typed.types)

    target = Target(device_of(cpu()))
    monkeypatch.setenv("HY_DEBUG", "passes")
    lowered(typed(), PREDICT, target)
    with pytest.raises(GraphError, match="FullyConnected 'dense' has 1 inputs") as error:
        lowered(typed(), (breaks_layers,), target)
    assert error.value.__notes__ == ["after the pass breaks_layers"]
    monkeypatch.delenv("HY_DEBUG")
    lowered(typed(), (breaks_layers,), target)


def test_optimize_for_runs_its_listed_passes_for_each_backend(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran: list[str] = []

    def record(done: Optimized, request: Request) -> Optimized:
        ran.append(request.name)
        return done

    norm = sym.BatchNorm(sym.Convolution(sym.var("x"), kernel=(1, 1), num_filter=2), name="norm")
    monkeypatch.setattr(pipeline, "OPTIMIZE_FOR", (*OPTIMIZE_FOR, record))
    folded = norm.optimize_for("fold_batch_norm")
    assert ran == ["fold_batch_norm"]
    assert "BatchNorm" not in [node.op.name for node in folded.graph.nodes if node.op]
    monkeypatch.setattr(pipeline, "OPTIMIZE_FOR", ())
    unchanged = norm.optimize_for("fold_batch_norm")
    assert "BatchNorm" in [node.op.name for node in unchanged.graph.nodes if node.op]


def test_a_debug_flag_checks_what_each_pass_of_optimize_for_leaves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def breaks_layers(done: Optimized, _: Request) -> Optimized:
        return Optimized(_broken(done.graph))

    monkeypatch.setattr(pipeline, "OPTIMIZE_FOR", (breaks_layers,))
    monkeypatch.setenv("HY_DEBUG", "passes")
    with pytest.raises(GraphError, match="FullyConnected 'dense' has 1 inputs") as error:
        net().optimize_for("fold_batch_norm")
    assert error.value.__notes__ == ["after the pass breaks_layers"]


def test_rewritings_of_a_table_are_asked_again_only_where_answers_differ(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device, asked = device_of(cpu()), list[str]()

    def even(type_: tuple[tuple[int, ...], str] | None, size: int) -> bool:
        return type_ is not None and type_[0][0] % size == 0

    def without_relu_of_even_rows(graph: LoweringGraph) -> LoweringGraph:
        asked.append("relu")
        (x,) = graph.values(graph.nodes[0])
        if not graph.ask(even, x, args=(2,)):
            return graph
        return graph.rewrite(lambda node, inputs: inputs if graph.op(node) == "relu" else None)

    def behind_it(graph: LoweringGraph) -> LoweringGraph:
        asked.append("behind")
        return graph

    rewritings = [without_relu_of_even_rows, behind_it]
    monkeypatch.setattr(type(device.table), "rewritings", lambda *_, **__: rewritings)
    lowering, graph = Lowering(PREDICT, Target(device)), sym.exp(sym.relu(sym.var("x"))).graph

    def made(rows: int) -> list[str]:
        found = lowering(TypedGraph.of(graph, [((rows, 3), "float32")])).graph
        return [node.op.name for node in found.nodes if node.op]

    assert made(2) == made(4) == ["exp"]
    assert asked == ["relu", "behind"]
    assert made(3) == made(5) == ["relu", "exp"]
    assert asked == ["relu", "behind"] * 2
