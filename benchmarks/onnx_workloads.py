"""Workloads of `benchmarks.workloads` for onnxruntime: nets that hy exports, same names.

Runs under hy's interpreter, with ``onnx`` and ``onnxruntime``; predictions only.
"""

import os
from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np
import onnxruntime

from benchmarks.nets import EncoderLayer, lenet
from benchmarks.workloads import seed, wait
from hy_gluon import onnx
from mxnet import gluon, nd

__all__ = ["WORKLOADS", "seed", "wait"]

Call: TypeAlias = Callable[[], Any]


def _inference(net: Any, *shape: int) -> Call:
    x = np.random.RandomState(0).standard_normal(shape).astype("float32")
    net.initialize()
    net.hybridize()
    net(nd.array(x))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS", "0"))
    with TemporaryDirectory() as folder:
        path = onnx.export_model(net, in_shapes=[shape], onnx_file_path=f"{folder}/net.onnx")
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda: session.run(None, {name: x})


def _zoo(name: str, *shape: int) -> Call:
    return _inference(getattr(gluon.model_zoo.vision, name)(classes=1000), *shape)


WORKLOADS: dict[str, Callable[[], Call]] = {
    "lenet_inference": lambda: _inference(lenet(), 16, 1, 28, 28),
    "resnet18_b1": lambda: _zoo("resnet18_v1", 1, 3, 224, 224),
    "resnet18_b16": lambda: _zoo("resnet18_v1", 16, 3, 224, 224),
    "resnet50_b1": lambda: _zoo("resnet50_v1", 1, 3, 224, 224),
    "mobilenet_b1": lambda: _zoo("mobilenet1_0", 1, 3, 224, 224),
    "transformer_layer": lambda: _inference(EncoderLayer(768, 12), 128, 8, 768),
    "resnet50_64": lambda: _zoo("resnet50_v1", 1, 3, 64, 64),
    "resnet50_112": lambda: _zoo("resnet50_v1", 1, 3, 112, 112),
    "mobilenet_64": lambda: _zoo("mobilenet1_0", 1, 3, 64, 64),
    "mobilenet_112": lambda: _zoo("mobilenet1_0", 1, 3, 112, 112),
}
