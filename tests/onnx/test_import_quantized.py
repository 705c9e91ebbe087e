"""Models on small integers, as onnxruntime's own tool makes them, are read and give its numbers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_dynamic,
    quantize_static,
)

from hy_gluon import Trainer
from hy_gluon.onnx import import_to_gluon
from hy_ndarray import autograd, nd
from hy_onnx import ImportModelError

F = np.float32
CLASSES = 6


def drawn(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype(F)


def floating(path: Path, opset: int) -> Path:
    """A small convolutional net with all that the tool knows how to quantize."""
    weights = {
        "w1": drawn(8, 3, 3, 3) / 4,
        "b1": drawn(8),
        "w2": drawn(8, 1, 3, 3) / 2,
        "w3": drawn(8, 8, 1, 1) / 2,
        "w4": drawn(8, 8, 2, 2) / 4,
        "w5": drawn(10, 64) / 8,
        "b5": drawn(10),
        "w6": drawn(10, CLASSES) / 2,
    }
    node = helper.make_node
    nodes = [
        node("Conv", ["x", "w1", "b1"], ["c1"], "conv", pads=[1] * 4),
        node("Relu", ["c1"], ["r1"], "relu"),
        node("MaxPool", ["r1"], ["p1"], "most", kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", ["p1", "w2"], ["c2"], "depthwise", pads=[1] * 4, group=8),
        node("LeakyRelu", ["c2"], ["l2"], "leaky", alpha=0.1),
        node("Conv", ["l2", "w3"], ["c3"], "pointwise"),
        node("Sigmoid", ["c3"], ["s3"], "sigmoid"),
        node("Mul", ["c3", "s3"], ["m3"], "product"),
        node("Add", ["m3", "p1"], ["a3"], "sum"),
        node("Conv", ["a3", "w4"], ["c4"], "uneven", pads=[0, 0, 1, 1]),
        node("AveragePool", ["c4"], ["p4"], "mean", kernel_shape=[2, 2], strides=[2, 2]),
        node("Concat", ["p4", "p4"], ["k4"], "join", axis=1),
        node("Reshape", ["k4", "shape"], ["f4"], "rows"),
        node("Gemm", ["f4", "w5", "b5"], ["g5"], "dense", transB=1),
        node("MatMul", ["g5", "w6"], ["logits"], "last"),
        node("Softmax", ["logits"], ["y"], "softmax", axis=-1),
    ]
    held = [numpy_helper.from_array(value, name) for name, value in weights.items()]
    held.append(numpy_helper.from_array(np.array([0, -1]), "shape"))
    shapes: dict[str, Any] = {"x": ["N", 3, 8, 8], "y": ["N", CLASSES], "logits": ["N", CLASSES]}
    x, *outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
        for name, dims in shapes.items()
    ]
    graph = helper.make_graph(nodes, "net", [x], outputs, held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    onnx.save(onnx.shape_inference.infer_shapes(model), path)
    return path


class Examples(CalibrationDataReader):  # type: ignore[misc]  # it has no types
    def __init__(self) -> None:
        self.items: Iterator[Any] = iter([{"x": drawn(4, 3, 8, 8, seed=k)} for k in range(4)])

    def get_next(self) -> Any:
        return next(self.items, None)


def plain_outputs(path: Path, x: Any) -> list[Any]:
    """What onnxruntime gives without moving integers past operators, which changes numbers."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    found: list[Any] = session.run(None, {"x": x})
    return found


def check(path: Path) -> None:
    """Assert that a block gives onnxruntime's numbers, but for a step where those are ties."""
    block = import_to_gluon(path)
    for active in (False, True):
        block.hybridize(active)
        for count in (2, 3):
            x = drawn(count, 3, 8, 8, seed=9)
            found: Any = block(nd.array(x))
            for ours, theirs in zip(found, plain_outputs(path, x), strict=True):
                size = np.abs(theirs).max()
                np.testing.assert_allclose(ours.asnumpy(), theirs, rtol=0, atol=0.03 * size)


@pytest.mark.parametrize("opset", [13, 21])
@pytest.mark.parametrize("by_channel", [False, True])
@pytest.mark.parametrize("kinds", ["uint8 int8", "int8 int8", "uint8 uint8"])
@pytest.mark.parametrize("form", ["QDQ", "QOperator"])
def test_a_statically_quantized_model_is_read(
    form: str, kinds: str, by_channel: bool, opset: int, tmp_path: Path
) -> None:
    activations, weights = (QuantType[f"Q{'UI' if k[0] == 'u' else 'I'}nt8"] for k in kinds.split())
    made = tmp_path / "small.onnx"
    quantize_static(
        floating(tmp_path / "net.onnx", opset),
        made,
        Examples(),
        quant_format=QuantFormat[form],
        per_channel=by_channel,
        activation_type=activations,
        weight_type=weights,
    )
    operators = {node.op_type for node in onnx.load(made).graph.node}
    assert operators >= ({"QLinearConv", "QGemm"} if form == "QOperator" else {"DequantizeLinear"})
    check(made)


@pytest.mark.parametrize("kind", [QuantType.QInt8, QuantType.QUInt8])
def test_a_dynamically_quantized_model_is_read(kind: Any, tmp_path: Path) -> None:
    made = tmp_path / "small.onnx"
    # On CPUs without VNNI, onnxruntime adds products of uint8 and int8 in 16 bits, which saturate:
    # weights of 7 bits do not reach that. The test below has 8.
    reduced = kind is QuantType.QInt8
    quantize_dynamic(
        floating(tmp_path / "net.onnx", 17), made, weight_type=kind, reduce_range=reduced
    )
    operators = {node.op_type for node in onnx.load(made).graph.node}
    assert operators >= {"DynamicQuantizeLinear", "ConvInteger", "MatMulInteger"}
    check(made)


def test_products_of_the_largest_integers_do_not_saturate(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero"]),
        helper.make_node("MatMulInteger", ["q", "b"], ["n"]),
        helper.make_node("Cast", ["n"], ["y"], to=TensorProto.FLOAT),
    ]
    path = saved(tmp_path / "x.onnx", nodes, (2, 16), 17, b=np.full((16, 3), 127, np.int8))
    block = import_to_gluon(path)
    for active in (False, True):
        block.hybridize(active)
        found = block(nd.ones((2, 16)))  # quantized to 255, with a zero point of 0
        assert found.asnumpy().tolist() == [[16 * 255 * 127] * 3] * 2


@pytest.mark.parametrize("opset", [13, 19])
def test_weights_behind_dequantize_linear_are_floats_that_learn(opset: int, tmp_path: Path) -> None:
    weight: dict[str, Any] = {
        "q": np.array([[-3, 5], [7, 127]], np.int8),
        "s": np.array([0.5, 0.25], F),
    }
    path = saved(
        tmp_path / "x.onnx",
        [
            helper.make_node("DequantizeLinear", ["q", "s"], ["w"], axis=1),
            helper.make_node("MatMul", ["x", "w"], ["y"]),
        ],
        (1, 2),
        opset,
        **weight,
    )
    block = import_to_gluon(path)
    (parameter,) = block.collect_params().values()
    assert np.array_equal(parameter.data().asnumpy().T, weight["q"] * weight["s"])
    trainer = Trainer(block.collect_params(), "sgd", {"learning_rate": 0.1})
    with autograd.record():
        loss = block(nd.ones((1, 2))).sum()
    loss.backward()
    before = float(loss.asscalar())
    trainer.step(1)
    assert float(block(nd.ones((1, 2))).sum().asscalar()) < before


def saved(path: Path, nodes: Any, shape: Any, opset: int, **weights: Any) -> Path:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    held = [numpy_helper.from_array(value, name) for name, value in weights.items()]
    outputs = [helper.make_empty_tensor_value_info("y")]
    graph = helper.make_graph(nodes, "g", [x], outputs, held)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)]), path)
    return path


def test_what_the_reference_of_onnx_cannot_compute_is_read(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("GlobalLpPool", ["w"], ["length"]),
        helper.make_node("Add", ["x", "length"], ["y"]),
    ]
    w = drawn(1, 2, 3, 3)
    path = saved(tmp_path / "x.onnx", nodes, (1, 2, 1, 1), 17, w=w)
    wanted = np.sqrt((w.astype(np.float64) ** 2).sum((2, 3), keepdims=True))
    y = import_to_gluon(path)(nd.zeros((1, 2, 1, 1)))
    np.testing.assert_allclose(y.asnumpy(), wanted, rtol=1e-6)


def zero_points() -> dict[str, tuple[Any, Any]]:
    """Zero points of data and weight."""
    uneven = np.array([3, 250, 128, 0, 255, 9], np.uint8)
    return {
        "none": (np.uint8(0), np.uint8(0)),
        "that fit": (np.uint8(77), np.uint8(128)),
        "that do not": (np.uint8(77), uneven),
    }


@pytest.mark.parametrize("which", zero_points())
@pytest.mark.parametrize("known", [True, False])
def test_sums_are_exact_whatever_the_zero_points(which: str, known: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 256, (1, 4, 5, 6), np.uint8)
    w = rng.integers(0, 128 if which == "none" else 256, (6, 2, 3, 3), np.uint8)
    of_x, of_w = zero_points()[which]
    pads: dict[str, Any] = {"pads": [1, 0, 2, 1], "group": 2, "strides": [2, 1]}
    conv = helper.make_node("ConvInteger", ["x", "w", "xz", "wz"], ["y"], **pads)
    held = {"w": w, "wz": np.asarray(of_w)} | ({"xz": np.asarray(of_x)} if known else {})
    inputs = [helper.make_tensor_value_info("x", TensorProto.UINT8, x.shape)]
    if not known:
        inputs.append(helper.make_tensor_value_info("xz", TensorProto.UINT8, ()))
    outputs = [helper.make_tensor_value_info("y", TensorProto.INT32, None)]
    kept = [numpy_helper.from_array(value, name) for name, value in held.items()]
    graph = helper.make_graph([conv], "g", inputs, outputs, kept)
    path = tmp_path / "x.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    given = [x] if known else [x, np.asarray(of_x)]
    y: Any = import_to_gluon(path)(*(nd.array(v, dtype=v.dtype) for v in given))
    space = np.pad(x.astype(np.int64) - int(of_x), ((0, 0), (0, 0), (1, 2), (0, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(space, (3, 3), axis=(2, 3))[:, :, ::2]
    windows = windows.reshape(1, 2, 2, *windows.shape[2:])
    filters = (w.astype(np.int64) - np.reshape(of_w, (-1, 1, 1, 1))).reshape(2, 3, 2, 3, 3)
    wanted = np.einsum("ngchwij,gfcij->ngfhw", windows, filters)
    assert y.dtype == np.int32
    assert np.array_equal(y.asnumpy(), wanted.reshape(1, 6, *wanted.shape[3:]))


@pytest.mark.parametrize("zero", [np.int8(-7), np.uint8(9)], ids=["int8", "uint8"])
def test_integers_are_pooled_with_padding_at_one_end(zero: Any, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node("MaxPool", ["q"], ["m"], kernel_shape=[3, 3], pads=[0, 0, 2, 1]),
        helper.make_node("DequantizeLinear", ["m", "s", "z"], ["y"]),
    ]
    path = saved(tmp_path / "x.onnx", nodes, (1, 2, 4, 4), 17, s=F(0.01), z=np.asarray(zero))
    x = drawn(1, 2, 4, 4) - 4
    y = import_to_gluon(path)(nd.array(x)).asnumpy()
    scaled = np.clip(np.rint(x / F(0.01)) + float(zero), *limits(zero)) - float(zero)
    space = np.pad(scaled, ((0, 0), (0, 0), (0, 2), (0, 1)), constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(space, (3, 3), axis=(2, 3))
    np.testing.assert_allclose(y, windows.max((-1, -2)) * F(0.01), rtol=1e-6)


def limits(zero: Any) -> tuple[int, int]:
    info = np.iinfo(zero.dtype)
    return info.min, info.max


def test_integers_of_other_widths_are_refused_by_name(tmp_path: Path) -> None:
    node = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"], "small")
    held = {"s": F(0.1), "z": np.int16(0)}
    path = saved(tmp_path / "x.onnx", [node], (2,), 21, **held)
    with pytest.raises(ImportModelError, match=r"^QuantizeLinear 'small': integers of int16; the"):
        import_to_gluon(path)


def test_pooling_of_onnxruntime_with_channels_last_is_refused(tmp_path: Path) -> None:
    inputs = ["q", "s", "z", "s", "z"]
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node(
            "QLinearGlobalAveragePool",
            inputs,
            ["y"],
            "pool",
            domain="com.microsoft",
            channels_last=1,
        ),
    ]
    path = saved(tmp_path / "x.onnx", nodes, (1, 2, 2, 3), 17, s=F(0.1), z=np.uint8(0))
    with pytest.raises(
        ImportModelError, match=r"^QLinearGlobalAveragePool 'pool': channels_last=1"
    ):
        import_to_gluon(path)
