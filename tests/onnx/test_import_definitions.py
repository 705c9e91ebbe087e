"""Operators that ONNX defines by others, random numbers, and GRUs of both forms."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from hy_gluon.onnx import import_to_gluon
from hy_ndarray import nd, random
from hy_onnx import ImportModelError
from tests.onnx.runtime import agree, outputs_of

F = np.float32


def drawn(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype(F)


def saved(path: Path, nodes: Any, inputs: dict[str, Any], opset: int, **held: Any) -> Path:
    """A model; inputs by their shapes, outputs are those of the last node."""
    outputs = [helper.make_empty_tensor_value_info(name) for name in nodes[-1].output]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(k, TensorProto.FLOAT, v) for k, v in inputs.items()],
        outputs,
        [numpy_helper.from_array(np.asarray(v), k) for k, v in held.items()],
    )
    opsets = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    onnx.save(onnx.shape_inference.infer_shapes(model), path)
    return path


def test_attention_is_read_by_its_definition_for_any_batch(tmp_path: Path) -> None:
    node = helper.make_node(
        "Attention", ["q", "k", "v"], ["y"], "here", q_num_heads=3, kv_num_heads=3, is_causal=1
    )
    inputs = {name: ["batch", 4, 24] for name in "qkv"}
    path = saved(tmp_path / "x.onnx", [node], inputs, 23)
    block = import_to_gluon(path)
    block.hybridize()
    for count in (2, 5):
        feeds = {name: drawn(count, 4, 24, seed=k) for k, name in enumerate("qkv")}
        y: Any = block(*map(nd.array, feeds.values()))
        agree([y.asnumpy()], outputs_of(path, feeds))


def test_weights_that_a_definition_takes_keep_their_names(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Cast", ["kinds"], ["places"], to=TensorProto.INT64),
        helper.make_node("NegativeLogLikelihoodLoss", ["x", "places", "weights"], ["y"]),
    ]
    weights = np.array([1, 2, 0.5, 1], F)
    path = saved(tmp_path / "x.onnx", nodes, {"x": [3, 4], "kinds": [3]}, 22, weights=weights)
    block = import_to_gluon(path)
    assert "weights" in block.collect_params()
    feeds = {"x": drawn(3, 4), "kinds": np.array([1, 0, 3], F)}
    y: Any = block(*map(nd.array, feeds.values()))
    agree([y.asnumpy()], outputs_of(path, feeds))


def test_an_error_in_a_definition_names_the_node_and_what_is_inside(tmp_path: Path) -> None:
    node = helper.make_node("CenterCropPad", ["x", "sizes"], ["y"], "here")
    held = {"sizes": helper.make_tensor_value_info("sizes", TensorProto.INT64, [1])}
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4]), held["sizes"]],
        [helper.make_empty_tensor_value_info("y")],
    )
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]), tmp_path / "x.onnx"
    )
    with pytest.raises(ImportModelError, match=r"^CenterCropPad 'here': in its definition, \w+ '"):
        import_to_gluon(tmp_path / "x.onnx")


def test_an_operator_without_a_definition_is_named_with_its_node(tmp_path: Path) -> None:
    node = helper.make_node("CumProd", ["x", "axis"], ["y"], "here")
    path = saved(tmp_path / "x.onnx", [node], {"x": [2]}, 26, axis=np.array(0))
    with pytest.raises(ImportModelError, match=r"^CumProd 'here': the catalogue has no operator"):
        import_to_gluon(path)


@pytest.mark.parametrize(
    ("node", "mean", "deviation"),
    [
        (helper.make_node("RandomUniformLike", ["x"], ["r"], low=1.0, high=3.0), 2, 12**-0.5 * 2),
        (helper.make_node("RandomNormalLike", ["x"], ["r"], mean=2.0, scale=3.0), 2, 3),
        (helper.make_node("RandomUniform", [], ["r"], shape=[40, 50]), 0.5, 12**-0.5),
        (helper.make_node("RandomNormal", [], ["r"], shape=[40, 50], mean=-1.0), -1, 1),
        (helper.make_node("Bernoulli", ["x"], ["r"]), 0.25, 0.25 * 3**0.5),
    ],
    ids=lambda value: value.op_type if isinstance(value, onnx.NodeProto) else "",
)
def test_random_numbers_have_the_distribution_and_our_seed(
    node: Any, mean: float, deviation: float, tmp_path: Path
) -> None:
    last = helper.make_node("Sub", ["r", "x"], ["y"])
    block = import_to_gluon(saved(tmp_path / "x.onnx", [node, last], {"x": [40, 50]}, 17))
    results = []
    for _ in (0, 1):
        random.seed(5)
        results.append(block(nd.full((40, 50), 0.25)).asnumpy() + 0.25)
    assert np.array_equal(results[0], results[1])
    assert results[0].shape == (40, 50)
    assert abs(results[0].mean() - mean) < 0.15 * deviation
    assert abs(results[0].std() - deviation) < 0.1 * deviation


@pytest.mark.parametrize("lengths", [None, [6, 2, 4]])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("linear", [0, 1])
def test_a_gru_is_read_whichever_way_it_resets(
    linear: int, direction: str, lengths: Any, tmp_path: Path
) -> None:
    steps, batch, size, hidden = 6, 3, 4, 5
    ways = 2 if direction == "bidirectional" else 1
    held = {
        "w": drawn(ways, 3 * hidden, size),
        "r": drawn(ways, 3 * hidden, hidden),
        "b": drawn(ways, 6 * hidden),
        "h": drawn(ways, batch, hidden),
    }
    if lengths:
        held["n"] = np.array(lengths, np.int32)
    node = helper.make_node(
        "GRU",
        ["x", "w", "r", "b", "n" if lengths else "", "h"],
        ["y", "last"],
        hidden_size=hidden,
        direction=direction,
        linear_before_reset=linear,
    )
    path = saved(tmp_path / "x.onnx", [node], {"x": [steps, batch, size]}, 17, **held)
    x = drawn(steps, batch, size)
    wanted = outputs_of(path, {"x": x})
    block = import_to_gluon(path)
    for active in (False, True):
        block.hybridize(active)
        found: Any = block(nd.array(x))
        agree([y.asnumpy() for y in found], wanted)


def test_elements_are_written_where_the_first_size_is_open(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Neg", ["x"], ["z"]),
        helper.make_node("TopK", ["x", "k"], ["values", "places"]),
        helper.make_node("ScatterElements", ["z", "places", "values"], ["y"], axis=1),
    ]
    path = saved(tmp_path / "x.onnx", nodes, {"x": ["batch", 5]}, 17, k=np.array([2]))
    block = import_to_gluon(path)
    block.hybridize()
    for count in (1, 4):
        x = drawn(count, 5)
        agree([block(nd.array(x)).asnumpy()], outputs_of(path, {"x": x}))
