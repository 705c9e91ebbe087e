"""ONNX files are read without their large weights, which stay in the mapped file."""

from pathlib import Path

import numpy as np
import onnx
import pytest

from hy_onnx import ImportModelError
from hy_onnx.model import Array, OnnxGraph, OnnxModel, OnnxNode, ValueInfo
from hy_onnx.protobuf import load, save
from hy_onnx.wire import split

LARGE = np.arange(4000, dtype=np.float32).reshape(40, 100)
WEIGHTS: dict[str, Array] = {
    "small": np.arange(3, dtype=np.int64),
    "large": LARGE,
    "half": LARGE.astype(np.float16),
    "flags": LARGE > 50,
    "last": LARGE[:, ::-1],
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    nodes = [OnnxNode("MatMul", ("x", "large"), ("y",), "product")]
    graph = OnnxGraph(
        "net",
        nodes,
        [ValueInfo("x", ("n", 40), "float32")],
        [ValueInfo("y", ("n", 100), "float32")],
        dict(WEIGHTS),
    )
    file = tmp_path / "net.onnx"
    save(OnnxModel(graph, 17, {"key": "value"}), str(file))
    return file


def test_large_weights_are_views_and_all_are_what_onnx_reads(path: Path) -> None:
    model, proto = load(path), onnx.load(path)
    found = model.graph.initializers
    assert set(found) == {tensor.name for tensor in proto.graph.initializer} == set(WEIGHTS)
    for tensor in proto.graph.initializer:
        expected, own = onnx.numpy_helper.to_array(tensor), found[tensor.name]
        assert own.dtype == expected.dtype
        np.testing.assert_array_equal(own, expected)
        assert own.flags.owndata is False or tensor.name == "small"
    assert not found["large"].flags.writeable
    assert model.metadata == {"key": "value"}
    assert model.graph.nodes[0].inputs == ("x", "large")


def test_what_is_split_off_is_all_that_the_rest_lacks(path: Path) -> None:
    content = path.read_bytes()
    found = split(memoryview(content), 1024)
    assert len(found.model) < 1024 < len(content)
    proto = onnx.ModelProto.FromString(found.model)
    assert [tensor.name for tensor in proto.graph.initializer] == ["small"]
    for head, values in found.tensors:
        proto.graph.initializer.add().CopyFrom(onnx.TensorProto.FromString(head))
        proto.graph.initializer[-1].raw_data = bytes(values)
    assert proto == onnx.load(path)


@pytest.mark.parametrize(("least", "count"), [(1024, 4), (10**6, 0)])
def test_only_weights_of_that_size_are_split_off(path: Path, least: int, count: int) -> None:
    found = split(memoryview(path.read_bytes()), least)
    assert len(found.tensors) == count
    assert len(onnx.ModelProto.FromString(found.model).graph.initializer) == 5 - count


def test_a_file_that_is_cut_off_is_refused(path: Path) -> None:
    content = path.read_bytes()
    for size in (*range(1, 200), *range(200, len(content), 997)):
        path.write_bytes(content[:size])
        with pytest.raises(ImportModelError):
            load(path)


def test_bytes_that_are_changed_give_a_model_or_the_error(path: Path) -> None:
    content = path.read_bytes()
    draw = np.random.default_rng(0)
    refused = 0
    for _ in range(400):
        changed = bytearray(content)
        changed[int(draw.integers(0, 600))] = int(draw.integers(0, 256))
        path.write_bytes(changed)
        try:
            load(path)
        except ImportModelError:
            refused += 1
    assert refused > 50


def test_values_that_do_not_fill_the_shape_are_refused(path: Path) -> None:
    proto = onnx.load(path)
    proto.graph.initializer[1].dims[0] = 41
    path.write_bytes(proto.SerializeToString())
    with pytest.raises(ImportModelError, match="damaged"):
        load(path)


def test_a_weight_in_another_form_is_read(path: Path) -> None:
    proto = onnx.load(path)
    tensor = proto.graph.initializer[1]
    tensor.ClearField("raw_data")
    tensor.float_data.extend(LARGE.reshape(-1).tolist())
    path.write_bytes(proto.SerializeToString())
    np.testing.assert_array_equal(load(path).graph.initializers["large"], LARGE)
