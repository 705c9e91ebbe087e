"""Graphs on small integers: MXNet's nodes, and numbers near those of the graph on floats.

``data/quantized.json`` was written by MXNet 1.9.1: graphs, and what ``quantize_model`` makes of
them without its backend of fused operators. Names of ``quantize_v2`` nodes are left out: hy's tell
the output that they stand for.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, nd, ops
from hy_symbol import (
    Graph,
    Symbol,
    check_graph,
    load_json,
    quantizable,
    ranged_tensors,
    sym,
    weights_by_filter,
    with_quantization,
    with_ranges,
)

MXNET: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "quantized.json").read_text(encoding="utf-8")
)
OPTIONS = {"excluded_sym_names": "excluded", "excluded_op_names": "excluded_operators"}


def quantized(net: Symbol, dtype: Any = "int8", **options: Any) -> Symbol:
    """The graph with the integers of all variables but ``data`` made beforehand."""
    parameters = [name for name in net.list_arguments() if name != "data"]
    nodes = quantizable(net.graph, **{OPTIONS.get(k, k): v for k, v in options.items()})
    made = with_quantization(net.graph, nodes, dtype=dtype, parameters=parameters)
    check_graph(made, before=Graph(net.graph.outputs))
    return Symbol(made)


def nodes_of(net: Symbol) -> list[Any]:
    """What a file says of a graph's nodes, as far as it is compared."""
    return [
        [
            node["op"],
            "" if node["op"] == "_contrib_quantize_v2" else node["name"],
            node.get("attrs", {}),
            [entry[:2] for entry in node["inputs"]],
        ]
        for node in json.loads(net.tojson())["nodes"]
    ]


@pytest.mark.parametrize("title", MXNET)
def test_graphs_are_quantized_as_mxnet_does(title: str) -> None:
    net = load_json(json.dumps(MXNET[title]["graph"]))
    for one in MXNET[title]["quantized"]:
        assert nodes_of(quantized(net, **one["options"])) == one["nodes"]


def test_a_quantized_graph_is_the_same_after_json() -> None:
    for case in MXNET.values():
        net = quantized(load_json(json.dumps(case["graph"])))
        assert load_json(net.tojson()).tojson() == net.tojson()


# --- what integers compute --------------------------------------------------------------------


def drawn(*shape: int) -> Any:
    return nd.array(np.random.default_rng(sum(shape)).normal(size=shape))


X, Y = drawn(2, 3, 6, 6), drawn(2, 3, 6, 6)
VECTOR = drawn(3).abs()
ROWS: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "Activation": ([X], {"act_type": "relu"}),
    "BatchNorm": ([X, VECTOR, drawn(3), drawn(3), VECTOR], {"fix_gamma": False}),
    "Concat": ([X, Y * 0.3], {"dim": 1}),
    "Convolution": ([X, drawn(4, 3, 3, 3), drawn(4)], {"kernel": (3, 3), "num_filter": 4}),
    "Embedding": ([nd.array([2, 0]), drawn(5, 4)], {"input_dim": 5, "output_dim": 4}),
    "Flatten": ([X], {}),
    "FullyConnected": ([X, drawn(4, 108), drawn(4)], {"num_hidden": 4}),
    "Pooling": ([X], {"kernel": (2, 2), "pool_type": "avg"}),
    "elemwise_add": ([X, Y], {}),
    "elemwise_mul": ([X, Y], {}),
}
"""For each operator that integers can compute: inputs and parameters."""


def one_node(name: str) -> tuple[Symbol, dict[str, Any]]:
    """A graph of one operator, and the values of its variables."""
    inputs, params = ROWS[name]
    variables = [sym.var(f"v{i}") for i in range(len(inputs))]
    net = getattr(sym, name)(*variables, **params, name="layer")
    names = [*net.list_arguments(), *net.list_auxiliary_states()]
    return net, dict(zip(sorted(names), inputs, strict=True))


@pytest.mark.parametrize(
    "name", [op.name for op in ops.operators() if op.traits.quantized and not op.synonym_of]
)
@pytest.mark.parametrize("dtype", ["int8", "auto"])
def test_integers_give_nearly_what_floats_give(name: str, dtype: Any) -> None:
    net, values = one_node(name)
    made = Symbol(with_quantization(net.graph, quantizable(net.graph), dtype=dtype))
    assert name not in [node.op.name for node in made.graph.nodes if node.op]
    expected, found = net.eval(**values)[0].asnumpy(), made.eval(**values)[0].asnumpy()
    np.testing.assert_allclose(found, expected, atol=0.03 * np.abs(expected).max())


def test_integers_of_a_tensor_are_made_once() -> None:
    x = sym.tanh(sym.var("data"))
    net = sym.Group([sym.FullyConnected(x, num_hidden=2) for _ in range(3)])
    names = [node.op.name for node in quantized(net).graph.nodes if node.op]
    assert names.count("_contrib_quantize_v2") == 1


def test_an_output_that_a_layer_uses_too_is_floating_once() -> None:
    """MXNet takes the floats for integers there, and makes them floats again."""
    x = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
    made = quantized(sym.Group([sym.tanh(x), x]))
    assert made.list_outputs() == ["tanh0_output", "fc_dequantize_output"]
    names = [node.op.name for node in made.graph.nodes if node.op]
    assert names.count("_contrib_dequantize") == 1


def test_what_no_integers_can_compute_stays_on_floats() -> None:
    """MXNet feeds the pooling integers and their range."""
    net = sym.Pooling(sym.var("data"), kernel=(2, 2), pool_type="sum")
    assert quantized(net).tojson() == net.tojson()


def test_bodies_of_loops_stay_on_floats() -> None:
    def step(x: Any, states: Any) -> Any:
        y = sym.FullyConnected(x, sym.var("w"), num_hidden=3, no_bias=True)
        return y, states

    outputs, _ = sym.contrib.foreach(step, sym.var("data"), [sym.var("s")])
    assert quantized(outputs).tojson() == outputs.tojson()


def test_a_mode_that_there_is_not_is_refused() -> None:
    mode: Any = "half"
    with pytest.raises(ArgumentError, match="quantize_mode='half' must be 'full' or 'smart'"):
        quantizable(sym.var("x").graph, mode=mode)


# --- ranges -----------------------------------------------------------------------------------


def test_ranges_are_given_to_what_makes_integers() -> None:
    x = sym.BatchNorm(sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc"), name="bn")
    made = quantized(sym.FullyConnected(sym.tanh(x, name="t"), num_hidden=2, name="last"))
    names = ["data", "fc_output", "bn_output", "t_output", "last_output"]
    assert ranged_tensors(made.graph) == names
    ranges = {name: (-0.5 * i, 1e-7 + i) for i, name in enumerate(names) if name != "t_output"}
    given = with_ranges(made.graph, ranges)
    found = {
        node.name: (node.params["min_calib_range"], node.params["max_calib_range"])
        for node in load_json(Symbol(given).tojson()).graph.nodes
        if node.op and node.op.traits.ranged
    }
    assert found == {
        "data_quantize": ranges["data"],
        "requantize_fc": ranges["fc_output"],
        "quantized_bn": ranges["bn_output"],
        "t_output_quantize": (None, None),
        "requantize_last": ranges["last_output"],
    }


def test_weights_that_only_layers_use_may_have_ranges_by_filter() -> None:
    w, b = sym.var("w"), sym.var("b")
    x = sym.FullyConnected(sym.var("data"), w, b, num_hidden=2)
    net = sym.Group([sym.FullyConnected(x, sym.var("v"), b, num_hidden=2), sym.relu(w)])
    assert weights_by_filter(net.graph, quantizable(net.graph)) == {"v"}
    assert weights_by_filter(net.graph, ()) == set()
