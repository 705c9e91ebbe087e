"""ONNX models as blocks: what they give, that they learn, and that they go back."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from hy_gluon import Trainer, initializer, nn, rnn
from hy_gluon.block.symbol_block import SymbolBlock
from hy_gluon.loss import SoftmaxCrossEntropyLoss
from hy_gluon.model_zoo import vision
from hy_gluon.onnx import export_model, import_model, import_to_gluon
from hy_ndarray import autograd, nd, random
from hy_onnx import ImportModelError, get_model_metadata
from tests.onnx.runtime import agree, outputs_of
from tests.onnx.torch_like import MODELS


def images(count: int, seed: int = 0, size: int = 32) -> Any:
    shape = (count, 3, size, size)
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def saved(name: str, folder: Path) -> str:
    path = str(folder / f"{name}.onnx")
    onnx.save(MODELS[name](), path)
    return path


@pytest.mark.parametrize("name", MODELS)
def test_a_model_gives_what_onnxruntime_gives_for_any_batch(name: str, tmp_path: Path) -> None:
    path = saved(name, tmp_path)
    block = import_to_gluon(path)
    for count in (1, 3):
        x = images(count)
        agree([block(nd.array(x)).asnumpy()], outputs_of(path, {"input": x}))


@pytest.mark.parametrize("name", MODELS)
def test_a_model_goes_back_to_onnx(name: str, tmp_path: Path) -> None:
    path = saved(name, tmp_path)
    block = import_to_gluon(path)
    back = str(tmp_path / "back.onnx")
    block.hybridize()
    block(nd.array(images(2)))
    export_model(block, None, [("batch", 3, 32, 32)], onnx_file_path=back)
    x = images(3, 1)
    agree(outputs_of(back, {"input": x}), outputs_of(path, {"input": x}))


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_trained(name: str, tmp_path: Path) -> None:
    block = import_to_gluon(saved(name, tmp_path))
    block.hybridize()
    trainer = Trainer(block.collect_params(), "adam", {"learning_rate": 0.03})
    x, labels = nd.array(images(8)), nd.array([0, 1, 2, 3, 4, 0, 1, 2])
    criterion, losses = SoftmaxCrossEntropyLoss(), []
    for _ in range(20):
        with autograd.record():
            loss = criterion(block(x), labels).mean()
        loss.backward()
        trainer.step(1)
        losses.append(float(loss.asscalar()))
    assert losses[-1] < 0.8 * losses[0]


def in_training(*outputs: str) -> onnx.ModelProto:
    """A normalisation and a dropout as they are exported for training; more outputs, if named."""
    nodes = [
        helper.make_node("Constant", [], ["ratio"], value_float=0.25),
        helper.make_node("Constant", [], ["on"], value=numpy_helper.from_array(np.array(True))),
        helper.make_node(
            "BatchNormalization",
            ["x", "gamma", "beta", "mean", "variance"],
            ["n", "mean_1", "variance_1"],
            name="norm",
            training_mode=1,
            momentum=0.75,
        ),
        helper.make_node("Dropout", ["n", "ratio", "on"], ["y", "mask"], name="drop"),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])
    values = {"gamma": [1, 2, 3], "beta": [0, 1, 2], "mean": [0, 0, 0], "variance": [1, 1, 1]}
    weights = [numpy_helper.from_array(np.array(v, "f"), name) for name, v in values.items()]
    named = [helper.make_empty_tensor_value_info(name) for name in ("y", *outputs)]
    graph = helper.make_graph(nodes, "g", [x], named, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def test_a_model_that_was_exported_for_training_trains_as_autograd_says(tmp_path: Path) -> None:
    path = str(tmp_path / "train.onnx")
    onnx.save(in_training(), path)
    block = import_to_gluon(path)
    x = np.random.default_rng(0).uniform(-1, 1, (1000, 3)).astype(np.float32)
    plain = x / np.sqrt(1 + 1e-5) * [1, 2, 3] + [0, 1, 2]
    agree([block(nd.array(x)).asnumpy()], [plain.astype(np.float32)])
    with autograd.record():
        y = block(nd.array(x)).asnumpy()
    mean, variance = x.mean(0), x.var(0)
    normal = ((x - mean) / np.sqrt(variance + 1e-5) * [1, 2, 3] + [0, 1, 2]) / 0.75
    dropped = y == 0
    assert abs(dropped.mean() - 0.25) < 0.03
    np.testing.assert_allclose(y[~dropped], normal[~dropped], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(block.params["mean"].data().asnumpy(), mean / 4, rtol=1e-4)
    assert set(block.collect_params()) == {"gamma", "beta", "mean", "variance"}


@pytest.mark.parametrize(
    ("output", "node"), [("mean_1", "BatchNormalization 'norm'"), ("mask", "Dropout 'drop'")]
)
def test_what_training_gives_besides_is_refused_where_it_is_taken(
    output: str, node: str, tmp_path: Path
) -> None:
    path = tmp_path / "train.onnx"
    model = in_training(output)
    onnx.save(model, path)
    error = f"^{node}: its output {output}, which the catalogue does not give"
    with pytest.raises(ImportModelError, match=error):
        import_to_gluon(path)
    model.graph.node.append(helper.make_node("Identity", [output], ["z"]))
    model.graph.output[-1].name = "z"
    onnx.save(model, path)
    with pytest.raises(ImportModelError, match=error):
        import_to_gluon(path)


def test_dropout_of_a_weight_is_not_computed_while_the_model_is_read(tmp_path: Path) -> None:
    on = numpy_helper.from_array(np.array(True), "on")
    ratio = numpy_helper.from_array(np.array(0.5, np.float32), "ratio")
    table = numpy_helper.from_array(np.ones(1000, np.float32), "table")
    nodes = [
        helper.make_node("Dropout", ["table", "ratio", "on"], ["d"]),
        helper.make_node("Add", ["x", "d"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1000])
    y = helper.make_empty_tensor_value_info("y")
    graph = helper.make_graph(nodes, "g", [x], [y], [on, ratio, table])
    path = tmp_path / "table.onnx"
    onnx.save(helper.make_model(graph), path)
    block = import_to_gluon(path)
    np.testing.assert_array_equal(block(nd.zeros(1000)).asnumpy(), 1)
    assert block.params["table"].grad_req == "write"


def test_weights_are_learned_and_constants_are_not(tmp_path: Path) -> None:
    block = import_to_gluon(saved("resnet", tmp_path))
    assert block.params["conv1.weight"].grad_req == "write"
    assert block.params["bn1.running_var"].grad_req == "null"
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2])
    nodes = [
        helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(np.ones(2, "f"))),
        helper.make_node("Mul", ["x", "c"], ["m"]),
        helper.make_node("Gather", ["table", "rows"], ["t"]),
        helper.make_node("Add", ["m", "t"], ["y"]),
    ]
    weights = {"table": np.ones((3, 2), np.float32), "rows": np.array([1])}
    listed = [numpy_helper.from_array(value, name) for name, value in weights.items()]
    graph = helper.make_graph(nodes, "g", [x], [helper.make_empty_tensor_value_info("y")], listed)
    path = str(tmp_path / "c.onnx")
    onnx.save(helper.make_model(graph), path)
    block = import_to_gluon(path)
    required = {name: parameter.grad_req for name, parameter in block.params.items()}
    assert required["c"] == "null"
    agree([block(nd.ones((2, 2))).asnumpy()], [np.full((2, 2), 2, np.float32)])


def test_a_symbol_comes_with_arguments_and_states(tmp_path: Path) -> None:
    path = saved("resnet", tmp_path)
    symbol, arguments, states = import_model(path)
    assert set(symbol.list_arguments()) == {"input", *arguments}
    assert set(symbol.list_auxiliary_states()) == set(states)
    assert "bn1.running_mean" in states
    x = images(2)
    (y,) = symbol.eval(None, input=nd.array(x), **arguments, **states)
    agree([y.asnumpy()], outputs_of(path, {"input": x}))
    assert get_model_metadata(path) == {
        "input_tensor_data": [("input", (0, 3, 32, 32))],
        "output_tensor_data": [("output", (0, 5))],
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["resnet50_v1", "mobilenetv2_0.25", "densenet121", "squeezenet1.1"]
)
def test_a_net_of_the_zoo_comes_back_from_onnx(name: str, tmp_path: Path) -> None:
    random.seed(1)
    net = vision.get_model(name, classes=7)
    net.initialize(initializer.MSRAPrelu("in", 0))
    net.hybridize()
    x = nd.array(images(2, size=224))
    wanted = net(x).asnumpy()
    first, second = str(tmp_path / "first.onnx"), str(tmp_path / "second.onnx")
    export_model(net, None, [("batch", 3, 224, 224)], onnx_file_path=first)
    block = import_to_gluon(first)
    assert isinstance(block, SymbolBlock)
    block.hybridize()
    scale = np.abs(wanted).max()
    agree([block(x).asnumpy() / scale], [wanted / scale])
    export_model(block, None, [("batch", 3, 224, 224)], onnx_file_path=second)
    (found,) = outputs_of(second, {"data": x.asnumpy()})
    agree([found / scale], [wanted / scale])


@pytest.mark.parametrize("kind", [rnn.LSTM, rnn.GRU, rnn.RNN])
def test_recurrent_layers_come_back_from_onnx(kind: Any, tmp_path: Path) -> None:
    net = nn.HybridSequential()
    net.add(nn.Embedding(9, 4), kind(5, 2, layout="NTC", bidirectional=True, input_size=4))
    net.add(nn.Dense(3, flatten=False))
    net.initialize(initializer.Uniform(0.5))
    net.hybridize()
    words = nd.array([[1, 2, 3], [4, 5, 8]])
    wanted = net(words).asnumpy()
    path = str(tmp_path / "rnn.onnx")
    export_model(net, None, [(2, 3)], onnx_file_path=path)
    agree([import_to_gluon(path)(words).asnumpy()], [wanted])


def one(op: str, *shapes: Any, domain: str = "", **attrs: Any) -> onnx.ModelProto:
    """A model of one node."""
    names = [f"x{i}" for i in range(len(shapes))]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in zip(names, shapes, strict=True)
    ]
    node = helper.make_node(op, names, ["y"], name="here", domain=domain, **attrs)
    graph = helper.make_graph([node], "g", inputs, [helper.make_empty_tensor_value_info("y")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(domain, 17)])


@pytest.mark.parametrize(
    ("model", "error"),
    [
        (
            one("STFT", [3], [3]),
            r"^STFT 'here': the catalogue has no operator for it; docs/onnx.md",
        ),
        (one("Relu", [3], domain="com.x"), r"^Relu 'here': .* of domain 'com.x'"),
        (
            one("Resize", [1, 1, 2, 2], mode="cubic"),
            r"^Resize 'here': scales is computed when|cubic",
        ),
        (one("MaxPool", [1, 1, 4, 4], kernel_shape=[2, 2], dilations=[2, 2]), "dilations"),
        (one("GRU", [3, 1, 2], [1, 6, 2], [1, 6, 2], hidden_size=2), r"^GRU 'here': weight W is"),
        (one("MatMul", [2, 3], [2, 3]), r"^MatMul 'here': the catalogue's _npi_matmul"),
        (one("Relu", None), "input 'x0' has no shape"),
    ],
)
def test_what_cannot_be_read_is_named(model: Any, error: str, tmp_path: Path) -> None:
    path = str(tmp_path / "x.onnx")
    onnx.save(model, path)
    with pytest.raises(ImportModelError, match=error):
        import_model(path)


@pytest.mark.parametrize(
    ("node", "error"),
    [
        (helper.make_node("Conv", ["x"], ["y"], name="here"), "^Conv 'here': input 1 is missing"),
        (helper.make_node("Relu", ["z"], ["y"], name="here"), "^Relu 'here': nothing gives .* z"),
        (helper.make_node("Relu", ["x"], ["z"], name="here"), "^output 'y': no node gives it"),
        (helper.make_node("Concat", ["x", "x"], ["y"], name="here"), "^Concat 'here': "),
        (
            helper.make_node("Transpose", ["x"], ["y"], name="here", perm=[0, 5]),
            "^Transpose 'here'",
        ),
        (helper.make_node("Cast", ["x"], ["y"], name="here"), "^Cast 'here': to=None"),
        (helper.make_node("MaxPool", ["x"], ["y"], name="here"), "^MaxPool 'here': "),
        (helper.make_node("Split", ["x"], ["y", "z", "w"], axis=9), "^Split 'y': "),
        (helper.make_node("Reshape", ["x", "x"], ["y"]), "^Reshape 'y': shape is computed when"),
        (helper.make_node("Constant", [], ["y"], value_string="text"), "^Constant 'y': "),
    ],
)
def test_a_damaged_node_is_named(node: Any, error: str, tmp_path: Path) -> None:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])
    graph = helper.make_graph([node], "g", [x], [helper.make_empty_tensor_value_info("y")])
    path = str(tmp_path / "x.onnx")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    with pytest.raises(ImportModelError, match=error):
        import_to_gluon(path)


def test_a_file_that_is_no_model_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.onnx"
    path.write_bytes(b"no model at all")
    with pytest.raises(ImportModelError, match=r"x\.onnx: holds no ONNX model"):
        import_model(path)
    path.write_bytes(b"")
    with pytest.raises(ImportModelError, match=r"x\.onnx: holds no ONNX model"):
        get_model_metadata(path)
    with pytest.raises(FileNotFoundError):
        import_model(tmp_path / "absent.onnx")


@pytest.mark.parametrize("cut", [0.2, 0.5, 0.9, 0.99])
def test_a_file_that_is_cut_is_refused(cut: float, tmp_path: Path) -> None:
    path = Path(saved("resnet", tmp_path))
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * cut)])
    with pytest.raises(ImportModelError):
        import_model(path)


def test_weights_beside_the_model_are_read(tmp_path: Path) -> None:
    net = nn.Dense(40, in_units=30)
    net.initialize()
    net.hybridize()
    x = nd.ones((2, 30))
    wanted = net(x).asnumpy()
    path = tmp_path / "wide.onnx"
    export_model(net, None, [(2, 30)], onnx_file_path=str(path), external_data=True)
    agree([import_to_gluon(path)(x).asnumpy()], [wanted])
    (tmp_path / "wide.onnx.data").unlink()
    with pytest.raises(ImportModelError, match=r"wide\.onnx"):
        import_to_gluon(path)
