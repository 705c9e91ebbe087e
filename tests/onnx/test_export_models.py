"""Nets of Gluon as ONNX models: whole, in half precision, with open sizes, from files."""

import json
import logging
import os
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from hy_gluon import HybridBlock, initializer, nn
from hy_gluon.model_zoo import vision
from hy_gluon.onnx import export_model, import_model
from hy_io import save_ndarrays
from hy_ndarray import nd, random
from hy_onnx import ExportError, ImportModelError, OnnxError, protobuf
from hy_onnx.model import OnnxGraph, OnnxModel, OnnxNode, ValueInfo
from hy_onnx.protobuf import load
from hy_symbol import sym
from tests.onnx.runtime import agree, outputs_of
from tests.zoo import by_family

SIZES = {"inceptionv3": 299, "alexnet": 224, "densenet": 224, "squeezenet": 224}
"""Height and width of the images, where the net needs that many; 64 for the others."""

QUICK = ("mobilenet0.25", "resnet18_v2")


def rows(shape: tuple[int, ...], seed: int = 0) -> Any:
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def made(net: HybridBlock, *shapes: tuple[int, ...]) -> HybridBlock:
    """A hybridized net with weights, which ran once on such shapes."""
    random.seed(1)
    net.initialize(initializer.MSRAPrelu("in", 0))
    net.hybridize()
    net(*(nd.array(rows(shape)) for shape in shapes))
    return net


def small() -> HybridBlock:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, in_channels=2), nn.BatchNorm(in_channels=4), nn.PReLU())
        net.add(nn.GlobalAvgPool2D(), nn.Dense(3))
    return made(net, (2, 2, 5, 5))


@pytest.mark.parametrize("name", by_family(sorted(vision._MODELS), quick=QUICK))
def test_a_net_of_the_zoo_gives_the_same_in_onnxruntime(name: str, tmp_path: Path) -> None:
    size = next((n for key, n in SIZES.items() if name.startswith(key)), 64)
    net = made(vision.get_model(name, classes=10), (1, 3, size, size))
    path = export_model(net, None, [("batch", 3, size, size)], onnx_file_path=f"{tmp_path}/n.onnx")
    x = rows((2, 3, size, size), 1)
    wanted = net(nd.array(x)).asnumpy()
    scale = float(np.abs(wanted).max())
    assert scale > 1e-6
    (found,) = outputs_of(path, {"data": x})
    agree([found / scale], [wanted / scale])
    net.hybridize(backend="onnxruntime")
    agree([net(nd.array(x)).asnumpy() / scale], [wanted / scale])


def test_a_net_is_exported_from_its_files_and_from_a_symbol(tmp_path: Path) -> None:
    net, x = small(), rows((2, 2, 5, 5), 2)
    wanted = [net(nd.array(x)).asnumpy()]
    symbol_file, params_file = net.export(str(tmp_path / "net"))
    target = str(tmp_path / "net.onnx")
    assert export_model(symbol_file, params_file, [x.shape], np.float32, target) == target
    agree(outputs_of(target, {"data": x}), wanted)
    assert params_file is not None
    symbol, params = sym.load(symbol_file), nd.load(params_file)
    assert isinstance(params, dict)
    export_model(symbol, params, [x.shape], onnx_file_path=target)
    agree(outputs_of(target, {"data": x}), wanted)
    pair = [{k: v for k, v in params.items() if k.startswith(part)} for part in ("arg", "aux")]
    export_model(symbol, pair, input_shape=x.shape, input_type="float32", onnx_file_path=target)
    agree(outputs_of(target, {"data": x}), wanted)


def test_float16_inputs_make_a_float16_model(tmp_path: Path) -> None:
    net, x = small(), rows((2, 2, 5, 5), 3)
    target = str(tmp_path / "half.onnx")
    export_model(net, None, [x.shape], np.float16, target)
    weights = load(target).graph.initializers
    assert weights["net_conv0_weight"].dtype == np.float16
    (found,) = outputs_of(target, {"data": x.astype(np.float16)})
    assert found.dtype == np.float16
    np.testing.assert_allclose(found, net(nd.array(x)).asnumpy(), rtol=2e-2, atol=2e-3)


def test_large_weights_lie_in_a_file_beside_the_model(tmp_path: Path) -> None:
    net = made(nn.Dense(300, in_units=7), (1, 7))
    target = tmp_path / "wide.onnx"
    export_model(net, None, [(None, 7)], onnx_file_path=str(target), external_data=True)
    assert target.stat().st_size < 4000
    assert (tmp_path / "wide.onnx.data").stat().st_size == 4 * (300 * 7 + 300)
    x = rows((4, 7), 4)
    agree(outputs_of(target, {"data": x}), [net(nd.array(x)).asnumpy()])


def test_a_model_of_small_weights_has_no_file_beside_it(tmp_path: Path) -> None:
    net = made(nn.Dense(3, in_units=7), (1, 7))
    target = tmp_path / "small.onnx"
    export_model(net, None, [(1, 7)], onnx_file_path=str(target), external_data=True)
    assert list(tmp_path.iterdir()) == [target]


def test_weights_that_are_gone_are_told(tmp_path: Path) -> None:
    net = made(nn.Dense(300, in_units=7), (1, 7))
    target = tmp_path / "wide.onnx"
    export_model(net, None, [(1, 7)], onnx_file_path=str(target), external_data=True)
    (tmp_path / "wide.onnx.data").unlink()
    with pytest.raises(ImportModelError, match=r"beside it are missing: .*wide\.onnx\.data"):
        import_model(str(target))


def test_weights_lie_beside_the_model_by_themselves_where_they_are_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = made(nn.Dense(300, in_units=7), (1, 7))
    target = tmp_path / "wide.onnx"
    monkeypatch.setattr(protobuf, "_LARGEST", 4 * (300 * 7 + 300) - 1)
    export_model(net, None, [(1, 7)], onnx_file_path=str(target))
    assert (tmp_path / "wide.onnx.data").stat().st_size == 4 * (300 * 7 + 300)
    monkeypatch.setattr(protobuf, "_LARGEST", 4 * (300 * 7 + 300))
    (tmp_path / "wide.onnx.data").unlink()
    export_model(net, None, [(1, 7)], onnx_file_path=str(target))
    assert not (tmp_path / "wide.onnx.data").exists()


def test_values_of_every_dtype_and_layout_are_those_that_onnx_reads(tmp_path: Path) -> None:
    values = np.arange(600, dtype=np.float32).reshape(20, 30)
    weights: dict[str, Any] = {
        dtype: values.astype(dtype) for dtype in ("uint8", "int32", "int64", "bool", "float16")
    }
    weights |= {"turned": values.T, "swapped": values.astype(">f4"), "alone": np.array(3.0)}
    weights |= {"empty": np.zeros((0, 3), np.int8), "float32": values}
    graph = OnnxGraph(
        "all",
        [OnnxNode("Identity", ("float32",), ("y",), "y")],
        [],
        [ValueInfo("y", (20, 30), "float32")],
        weights,
    )
    for beside in (False, True):
        protobuf.save(OnnxModel(graph, 17), f"{tmp_path}/all.onnx", external=beside)
        onnx.checker.check_model(f"{tmp_path}/all.onnx", full_check=True)
        read = onnx.load(f"{tmp_path}/all.onnx").graph.initializer
        found = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in read}
        assert set(found) == set(weights)
        for name, wanted in weights.items():
            assert found[name].dtype == wanted.dtype.newbyteorder("=")
            np.testing.assert_array_equal(found[name], wanted, strict=False)
        agree(outputs_of(f"{tmp_path}/all.onnx", {}), [values])


def test_weights_of_a_mapped_file_go_from_file_to_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = {"fc_weight": rows((300, 100))}
    save_ndarrays(tmp_path / "net.params", weights)
    net = sym.FullyConnected(sym.var("data"), num_hidden=300, no_bias=True, name="fc")
    copied = []

    def counted(descriptor: int, target: int, size: int, start: int, place: int) -> int:
        copied.append(os.pwrite(target, os.pread(descriptor, size, start), place))
        return copied[-1]

    monkeypatch.setattr(os, "copy_file_range", counted, raising=False)
    for beside in (False, True):
        target = str(tmp_path / "net.onnx")
        shapes, params = [(1, 100)], str(tmp_path / "net.params")
        export_model(net, params, shapes, onnx_file_path=target, external_data=beside)
        assert copied == [300 * 100 * 4]
        copied.clear()
        agree(outputs_of(target, {"data": rows((1, 100))}), [rows((1, 100)) @ rows((300, 100)).T])


def test_a_model_that_is_too_much_for_one_file_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    net, target = made(nn.Dense(300, in_units=7), (1, 7)), tmp_path / "wide.onnx"
    export_model(net, None, [(1, 7)], onnx_file_path=str(target))
    content = target.read_bytes()
    monkeypatch.setattr(protobuf, "_MAX_BYTES", len(content) - 1)
    with pytest.raises(OnnxError, match=rf"has {len(content)} bytes, .* external_data=True"):
        export_model(net, None, [(1, 7)], onnx_file_path=str(target), external_data=False)
    assert target.read_bytes() == content


def test_open_sizes_are_other_ones_in_each_run(tmp_path: Path) -> None:
    net = small()
    target = str(tmp_path / "open.onnx")
    export_model(
        net,
        None,
        [(1, 2, 5, 5)],
        onnx_file_path=target,
        dynamic=True,
        dynamic_input_shapes=[(None, 2, "height", "width")],
        run_shape_inference=True,
    )
    (value,) = load(target).graph.inputs
    assert value.shape == ("data_0", 2, "height", "width")
    for shape in ((3, 2, 6, 9), (1, 2, 4, 4)):
        x = rows(shape, 5)
        agree(outputs_of(target, {"data": x}), [net(nd.array(x)).asnumpy()])
    export_model(net, None, [(1, 2, 5, 5)], onnx_file_path=target, dynamic=True)
    (value,) = load(target).graph.inputs
    assert value.shape == ("batch", 2, 5, 5)


@pytest.mark.parametrize("beside", [False, True])
def test_shapes_that_onnx_infers_are_kept(tmp_path: Path, beside: bool) -> None:
    net = nn.HybridSequential(prefix="")
    net.add(nn.Embedding(50, 30, prefix="words_"), nn.Dense(20, flatten=False, prefix="fc_"))
    made(net, (2, 3))
    target = str(tmp_path / "net.onnx")
    how = {"external_data": beside, "run_shape_inference": True}
    export_model(net, None, [("batch", 3)], onnx_file_path=target, **how)
    found = onnx.load(target).graph
    shapes = {
        value.name: [size.dim_param or size.dim_value for size in value.type.tensor_type.shape.dim]
        for value in found.value_info
    }
    assert shapes["words_fwd"] == ["batch", 3, 30]
    names = [tensor.name for tensor in found.initializer]
    assert len(set(names)) == len(names)
    assert {"words_weight", "fc_weight", "fc_bias"} < set(names)
    assert (tmp_path / "net.onnx.data").exists() == beside
    x = np.array([[1, 2, 3], [7, 8, 49], [0, 0, 1]], np.float32)
    agree(outputs_of(target, {"data": x}), [net(nd.array(x)).asnumpy()])


@pytest.mark.parametrize("beside", [False, True])
def test_what_onnx_refuses_while_it_infers_is_not_written(tmp_path: Path, beside: bool) -> None:
    graph = OnnxGraph(
        "net",
        [OnnxNode("MatMul", ("x", "w"), ("y",), "product")],
        [ValueInfo("x", (2, 3), "float32")],
        [ValueInfo("y", (2, 400), "float32")],
        {"w": rows((4, 400))},
    )
    path = tmp_path / "net.onnx"
    with pytest.raises(OnnxError, match=rf"^{path}: ONNX's inference refuses .*MatMul"):
        protobuf.save(OnnxModel(graph, 17), str(path), external=beside, infer=True)
    assert list(tmp_path.iterdir()) == []


def test_nodes_are_logged_on_request(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    target = str(tmp_path / "x.onnx")
    log = logging.getLogger("hy_onnx.to_onnx.export")
    net = sym.relu(sym.var("x"), name="act")
    for verbose in (True, False):
        export_model(net, {}, [(2,)], onnx_file_path=target, verbose=verbose)
        assert caplog.messages == ["act = Relu(x)"]
        assert log.level == logging.NOTSET


def test_a_size_that_the_graph_holds_cannot_be_open(tmp_path: Path) -> None:
    target = str(tmp_path / "x.onnx")
    with pytest.raises(ExportError, match=r"does not leave these sizes open: data\('n', 'c', 5, 5"):
        export_model(small(), None, [("n", "c", 5, 5)], onnx_file_path=target)
    x = sym.var("data")
    net = sym.Pooling(x, kernel=(2, 2), stride=(2, 2), pooling_convention="full", name="pool")
    with pytest.raises(ExportError, match=r"^Pooling 'pool': it has size 2 open"):
        export_model(net, {}, [(1, 2, "h", 5)], onnx_file_path=target)


def test_loss_heads_need_no_labels(tmp_path: Path) -> None:
    target = str(tmp_path / "head.onnx")
    x = rows((3, 4), 6)
    net = sym.SoftmaxOutput(sym.var("data"), sym.var("label"), name="softmax")
    export_model(net, {}, [(3, 4)], onnx_file_path=target)
    model = load(target)
    assert [value.name for value in model.graph.inputs] == ["data"]
    assert [value.name for value in model.graph.outputs] == ["softmax"]
    agree(outputs_of(target, {"data": x}), [nd.softmax(nd.array(x)).asnumpy()])
    net = sym.LogisticRegressionOutput(sym.var("data"), sym.var("label"), name="chance")
    export_model(net, {}, [(3, 4)], onnx_file_path=target)
    agree(outputs_of(target, {"data": x}), [nd.sigmoid(nd.array(x)).asnumpy()])


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((3, {}, [(1, 2)]), "not int"),
        ((sym.var("x") + 1, 3, [(1, 2)]), "params are arrays by name, .* not int"),
        ((sym.var("x") + 1, {}, None), "in_shapes: give the shape of each input: x"),
        ((sym.var("x") + 1, {}, [(1,), (2,)]), "in_shapes: 2 shapes for 1 inputs: x"),
        ((sym.var("x") + 1, {}, [(1,)], ["int8", "int8"]), "in_types has 2 dtypes, .* 1 inputs"),
        ((nn.Dense(2), None, [(1, 2)]), r"call hybridize\(\) and run the block once"),
    ],
)
def test_arguments_that_do_not_fit_are_named(arguments: Any, error: str, tmp_path: Path) -> None:
    names = ("sym", "params", "in_shapes", "in_types")
    given = dict(zip(names, arguments, strict=False))
    with pytest.raises(ExportError, match=error):
        export_model(**given, onnx_file_path=str(tmp_path / "x.onnx"))
    assert list(tmp_path.iterdir()) == []


def test_versions_of_operators_out_of_range_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="opset_version=12: versions 13 to 2"):
        export_model(sym.var("x") + 1, {}, [(1,)], opset_version=12)
    target = str(tmp_path / "x.onnx")
    for version in (13, 23):
        export_model(sym.var("x") + 1, {}, [(2,)], onnx_file_path=target, opset_version=version)
        agree(outputs_of(target, {"x": rows((2,))}), [rows((2,)) + 1])


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(OnnxError, match=r"pip install 'hy-onnx\[onnx\]'"):
        export_model(sym.var("x") + 1, {}, [(2,)], onnx_file_path=str(tmp_path / "x.onnx"))


def test_names_are_those_of_the_graph(tmp_path: Path) -> None:
    """Equal names of nodes, which a graph may have, become different ones."""
    x = sym.var("x")
    net = sym.relu(sym.sigmoid(sym.relu(x, name="same"), name="other"), name="same")
    target = str(tmp_path / "x.onnx")
    export_model(net, {}, [(2,)], onnx_file_path=target)
    assert [node.name for node in load(target).graph.nodes] == ["same", "other", "same_1"]
    nodes = json.loads(net.tojson())["nodes"]
    assert [node["name"] for node in nodes] == ["x", "same", "other", "same"]
