"""Small ONNX models to damage, with all that readers look at: weights, constants, bodies."""

from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from hy_gluon import onnx

__all__ = ["models", "read"]

_FLOAT, _INT64 = TensorProto.FLOAT, TensorProto.INT64


def read(path: Path) -> None:
    """Import a file as a block, and read its metadata."""
    try:
        onnx.import_to_gluon(path)
    finally:
        onnx.get_model_metadata(path)


def models() -> list[bytes]:
    """Files of models."""
    return [
        model.SerializeToString() for model in (_layers(), _sizes(), _computed(), _loop(), _types())
    ]


def _value_info(name: str, *shape: int | str, kind: int = _FLOAT) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def _model(nodes: list[Any], inputs: list[Any], outputs: list[Any], **weights: Any) -> Any:
    arrays = [numpy_helper.from_array(np.asarray(v), name) for name, v in weights.items()]
    graph = helper.make_graph(nodes, "graph", inputs, outputs, arrays)
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def _layers() -> Any:
    """Convolution, normalization, pooling and a dense layer, one weight of which is large."""
    node = helper.make_node
    nodes = [
        node("Conv", ["x", "w"], ["a"], name="conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["a", "s", "s", "s", "s"], ["b"], name="norm", epsilon=1e-3),
        node("Relu", ["b"], ["c"]),
        node("AveragePool", ["c"], ["d"], kernel_shape=[2, 2], strides=[2, 2]),
        node("Flatten", ["d"], ["e"]),
        node("Gemm", ["e", "m"], ["y"], transB=1),
    ]
    floats = np.float32
    weights = {"w": np.ones((2, 1, 3, 3), floats), "s": np.ones(2, floats)}
    dense = np.ones((20, 32), floats)
    return _model(
        nodes, [_value_info("x", 1, 1, 8, 8)], [_value_info("y", 1, 20)], m=dense, **weights
    )


def _sizes() -> Any:
    """Return a batch of any size, which the model computes with."""
    node = helper.make_node
    nodes = [
        node("Shape", ["x"], ["shape"]),
        node("Gather", ["shape", "zero"], ["n"]),
        node("Concat", ["n", "rest"], ["wanted"], axis=0),
        node("Reshape", ["x", "wanted"], ["a"]),
        node("Slice", ["a", "zero", "one", "one"], ["b"]),
        node("Transpose", ["b"], ["c"], perm=[0, 2, 1]),
        node("Softmax", ["c"], ["y"], axis=1),
    ]
    sizes = {"zero": [0], "one": [1], "rest": [2, 3]}
    weights = {name: np.array(value, np.int64) for name, value in sizes.items()}
    return _model(nodes, [_value_info("x", "N", 6)], [_value_info("y", "N", 3, 1)], **weights)


def _computed() -> Any:
    """Arrays that follow from constants, whose sizes are numbers in the file."""
    node = helper.make_node
    one = numpy_helper.from_array(np.ones(1, np.float32))
    nodes = [
        node("ConstantOfShape", ["rest"], ["a"], value=one),
        node("Expand", ["a", "more"], ["b"]),
        node("Tile", ["b", "more"], ["c"]),
        node("Pad", ["c", "pads"], ["d"]),
        node("Range", ["zero", "six", "one"], ["e"]),
        node("Constant", [], ["f"], value_ints=[1, 2, 3]),
        node("Cast", ["e"], ["g"], to=_FLOAT),
        node("ReduceSum", ["d"], ["h"], keepdims=0),
        node("OneHot", ["f", "six", "pair"], ["i"]),
        node("MatMul", ["g", "i_t"], ["j"]),
        node("Add", ["x", "h"], ["y"]),
    ]
    nodes.insert(9, node("Transpose", ["i"], ["i_t"]))
    sizes = {"rest": [2, 3], "more": [2, 1], "pads": [0, 1, 0, 1], "zero": 0, "six": 6, "one": 1}
    weights: dict[str, Any] = {name: np.array(value, np.int64) for name, value in sizes.items()}
    weights["pair"] = np.array([0, 1], np.float32)
    return _model(
        nodes, [_value_info("x", 2)], [_value_info("y", 2), _value_info("j", 3)], **weights
    )


def _loop() -> Any:
    """Return a loop over a body of its own."""
    node = helper.make_node
    body = helper.make_graph(
        [node("Add", ["s", "w"], ["t"]), node("Identity", ["c"], ["d"])],
        "body",
        [
            _value_info("i", kind=_INT64),
            _value_info("c", kind=TensorProto.BOOL),
            _value_info("s", 2),
        ],
        [_value_info("d", kind=TensorProto.BOOL), _value_info("t", 2)],
        [numpy_helper.from_array(np.ones(2, np.float32), "w")],
    )
    nodes = [node("Loop", ["n", "on", "x"], ["y"], body=body)]
    weights = {"n": np.array(3, np.int64), "on": np.array(True)}
    return _model(nodes, [_value_info("x", 2)], [_value_info("y", 2)], **weights)


def _types() -> Any:
    """Weights of other dtypes, and in the fields of their own that protobuf has."""
    node = helper.make_node
    nodes = [node("Cast", [name], [f"{name}_f"], to=_FLOAT) for name in "abcd"]
    nodes.append(node("Sum", ["x", "a_f", "b_f", "c_f", "d_f", "e"], ["y"]))
    model = _model(
        nodes,
        [_value_info("x", 2)],
        [_value_info("y", 2)],
        a=np.ones(2, np.int8),
        b=np.ones(2, np.float16),
        c=np.ones(2, bool),
    )
    model.graph.initializer.append(helper.make_tensor("d", TensorProto.INT32, [2], [1, 2]))
    model.graph.initializer.append(helper.make_tensor("e", _FLOAT, [2], [1.0, 2.0]))
    return model
