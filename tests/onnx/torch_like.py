"""Models in the shape in which ``torch.onnx.export`` writes those of torchvision, but small."""

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

__all__ = ["MODELS"]


class Writer:
    """Nodes and weights of a model, by names such as PyTorch gives."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self.random = np.random.default_rng(0)
        self.count = 0

    def op(self, op: str, *inputs: str, outputs: int = 1, **attrs: Any) -> Any:
        """A node; the names of its outputs."""
        self.count += 1
        names = [f"/{op}_{self.count}_output_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=f"/{op}_{self.count}", **attrs))
        return names[0] if outputs == 1 else names

    def weight(self, name: str, *shape: int, low: float = -0.3, high: float = 0.3) -> str:
        value = self.random.uniform(low, high, shape).astype(np.float32)
        self.weights.append(numpy_helper.from_array(value, name))
        return name

    def constant(self, value: Any, dtype: Any = np.int64) -> str:
        array = numpy_helper.from_array(np.array(value, dtype))
        return str(self.op("Constant", value=array))

    def model(self, output: str, size: int, opset: int) -> onnx.ModelProto:
        """The model with images of an open number, and some classes."""
        last = helper.make_node("Identity", [output], ["output"], name="/last")
        images = helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", 3, size, size])
        scores = helper.make_tensor_value_info("output", TensorProto.FLOAT, ["batch", 5])
        graph = helper.make_graph(
            [*self.nodes, last], "main_graph", [images], [scores], self.weights
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
        made.ir_version = 8
        onnx.checker.check_model(made)
        return made


def _conv(w: Writer, x: str, name: str, n: int, c: int, k: int, stride: int, group: int = 1) -> str:
    how: dict[str, Any] = {"kernel_shape": [k, k], "strides": [stride] * 2, "pads": [k // 2] * 4}
    weight = w.weight(f"{name}.weight", n, c // group, k, k)
    return str(w.op("Conv", x, weight, dilations=[1, 1], group=group, **how))


def _norm(w: Writer, x: str, name: str, n: int) -> str:
    names = [w.weight(f"{name}.{part}", n) for part in ("weight", "bias", "running_mean")]
    names.append(w.weight(f"{name}.running_var", n, low=0.5, high=1.5))
    return str(w.op("BatchNormalization", x, *names, epsilon=1e-5, momentum=0.9))


def resnet() -> onnx.ModelProto:
    """A stem, a basic block and one that halves the image."""
    w = Writer()
    x = w.op("Relu", _norm(w, _conv(w, "input", "conv1", 8, 3, 7, 2), "bn1", 8))
    x = w.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=0)
    for i, (n, c, stride) in enumerate(((8, 8, 1), (12, 8, 2))):
        name = f"layer{i}.0"
        y = w.op("Relu", _norm(w, _conv(w, x, f"{name}.conv1", n, c, 3, stride), f"{name}.bn1", n))
        y = _norm(w, _conv(w, y, f"{name}.conv2", n, n, 3, 1), f"{name}.bn2", n)
        if stride > 1:
            x = _norm(w, _conv(w, x, f"{name}.down.0", n, c, 1, stride), f"{name}.down.1", n)
        x = w.op("Relu", w.op("Add", y, x))
    x = w.op("Flatten", w.op("GlobalAveragePool", x), axis=1)
    fc = w.weight("fc.weight", 5, 12), w.weight("fc.bias", 5)
    return w.model(w.op("Gemm", x, *fc, alpha=1.0, beta=1.0, transB=1), 32, 13)


def mobilenet() -> onnx.ModelProto:
    """Inverted residuals with relu6, hard swish, and squeezed excitation."""
    w = Writer()
    low, high = w.constant(0, np.float32), w.constant(6, np.float32)
    x = w.op(
        "HardSwish", _norm(w, _conv(w, "input", "features.0.0", 8, 3, 3, 2), "features.0.1", 8)
    )
    for i, stride in enumerate((1, 2)):
        name = f"features.{i + 1}.conv"
        y = _norm(w, _conv(w, x, f"{name}.0", 16, 8, 1, 1), f"{name}.1", 16)
        y = w.op("Clip", y, low, high)
        y = _norm(w, _conv(w, y, f"{name}.2", 16, 16, 3, stride, group=16), f"{name}.3", 16)
        squeezed = w.op("GlobalAveragePool", y)
        squeezed = w.op("Relu", _conv(w, squeezed, f"{name}.fc1", 4, 16, 1, 1))
        squeezed = w.op("HardSigmoid", _conv(w, squeezed, f"{name}.fc2", 16, 4, 1, 1), alpha=1 / 6)
        y = w.op("Mul", squeezed, w.op("HardSwish", y))
        y = _norm(w, _conv(w, y, f"{name}.4", 8, 16, 1, 1), f"{name}.5", 8)
        x = w.op("Add", x, y) if stride == 1 else y
    x = w.op("ReduceMean", x, axes=[2, 3], keepdims=0)
    fc = w.weight("classifier.weight", 5, 8), w.weight("classifier.bias", 5)
    return w.model(w.op("Gemm", x, *fc, transB=1), 32, 14)


def _layer_norm(w: Writer, x: str, name: str, n: int) -> str:
    """Written out, as up to version 16."""
    centred = w.op("Sub", x, w.op("ReduceMean", x, axes=[-1]))
    power = w.op("Pow", centred, w.constant(2, np.float32))
    variance = w.op("ReduceMean", power, axes=[-1])
    eps = w.constant(1e-5, np.float32)
    y = w.op("Div", centred, w.op("Sqrt", w.op("Add", variance, eps)))
    y = w.op("Mul", y, w.weight(f"{name}.weight", n, low=0.5, high=1.5))
    return str(w.op("Add", y, w.weight(f"{name}.bias", n)))


def _linear(w: Writer, x: str, name: str, n: int, c: int) -> str:
    y = w.op("MatMul", x, w.weight(f"onnx::MatMul_{w.count}", c, n))
    return str(w.op("Add", w.weight(f"{name}.bias", n), y))


def _attention(w: Writer, x: str, name: str, heads: int, n: int) -> str:
    """Heads are made with shapes that are read from the values."""
    shape = w.op("Shape", x)
    batch, words = (w.op("Gather", shape, w.constant(i), axis=0) for i in (0, 1))
    mixed = _linear(w, x, f"{name}.qkv", 3 * n, n)
    parts = [
        w.op("Unsqueeze", size, w.constant([0]))
        for size in (batch, words, w.constant(3), w.constant(heads), w.constant(n // heads))
    ]
    mixed = w.op("Reshape", mixed, w.op("Concat", *parts, axis=0))
    mixed = w.op("Transpose", mixed, perm=[2, 0, 3, 1, 4])
    q, k, v = (w.op("Gather", mixed, w.constant(i), axis=0) for i in range(3))
    scores = w.op("MatMul", q, w.op("Transpose", k, perm=[0, 1, 3, 2]))
    scores = w.op("Div", scores, w.constant((n // heads) ** 0.5, np.float32))
    y = w.op("MatMul", w.op("Softmax", scores, axis=-1), v)
    y = w.op("Transpose", y, perm=[0, 2, 1, 3])
    y = w.op("Reshape", y, w.op("Concat", parts[0], parts[1], w.constant([n]), axis=0))
    return _linear(w, y, f"{name}.proj", n, n)


def vit() -> onnx.ModelProto:
    """Patches, a word for the class repeated for the batch, and two layers."""
    w, n = Writer(), 16
    how: dict[str, Any] = {"kernel_shape": [8, 8], "strides": [8, 8], "pads": [0] * 4, "group": 1}
    x = w.op("Conv", "input", w.weight("proj.weight", n, 3, 8, 8), w.weight("proj.bias", n), **how)
    batch = w.op("Gather", w.op("Shape", "input"), w.constant(0), axis=0)
    first = w.op("Unsqueeze", batch, w.constant([0]))
    patches = w.op("Concat", first, w.constant([n]), w.constant([-1]), axis=0)
    x = w.op("Transpose", w.op("Reshape", x, patches), perm=[0, 2, 1])
    wanted = w.op("Concat", first, w.constant([-1]), w.constant([-1]), axis=0)
    ones = w.op(
        "ConstantOfShape", w.constant([3]), value=numpy_helper.from_array(np.ones(1, np.int64))
    )
    left = w.op("Equal", wanted, w.op("Mul", ones, w.constant(-1)))
    token = w.op("Expand", w.weight("class_token", 1, 1, n), w.op("Where", left, ones, wanted))
    x = w.op("Add", w.op("Concat", token, x, axis=1), w.weight("pos_embedding", 1, 17, n))
    for i in range(2):
        name = f"encoder.{i}"
        y = _attention(w, _layer_norm(w, x, f"{name}.ln_1", n), f"{name}.attention", 4, n)
        x = w.op("Add", y, x)
        y = _linear(w, _layer_norm(w, x, f"{name}.ln_2", n), f"{name}.mlp.0", 32, n)
        curve = w.op("Erf", w.op("Div", y, w.constant(2**0.5, np.float32)))
        curve = w.op("Add", curve, w.constant(1, np.float32))
        y = w.op("Mul", w.op("Mul", y, curve), w.constant(0.5, np.float32))
        x = w.op("Add", x, _linear(w, y, f"{name}.mlp.3", n, 32))
    x = w.op("Gather", _layer_norm(w, x, "ln", n), w.constant(0), axis=1)
    head = w.weight("head.weight", 5, n), w.weight("head.bias", 5)
    return w.model(w.op("Gemm", x, *head, transB=1), 32, 14)


MODELS = {"mobilenet": mobilenet, "resnet": resnet, "vit": vit}
