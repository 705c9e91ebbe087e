"""The networks of GluonCV's zoo on integers that can be built without weights from elsewhere."""

import math
import re
from functools import partial
from typing import Any

from gluoncv import model_zoo

import mxnet as mx
from tests.clients.formula import PERIOD, filled, uniform
from tests.clients.program import Checks

NAMES = (
    "mobilenet1.0_int8", "resnet50_v1_int8", "simple_pose_resnet101_v1b_int8",
    "simple_pose_resnet101_v1d_int8", "simple_pose_resnet18_v1b_int8",
    "simple_pose_resnet50_v1b_int8", "simple_pose_resnet50_v1d_int8",
)  # fmt: skip
ROUNDED = {"simple_pose_resnet18_v1b_int8": 0.06, "resnet50_v1_int8": 0.05, "": 0.025}
"""By name, relative to the largest magnitude, which may be ten levels of 255: dozens of layers
round to those, and some results lie between two of them."""


def checks(side: str) -> Checks:
    """Graphs of oneDNN's operators."""
    del side
    found: Checks = {}
    for name in NAMES:
        found[name] = check = partial(quantized, name)
        check.tolerance = ROUNDED.get(name, ROUNDED[""])  # type: ignore[attr-defined]  # read by the program
    return found


def quantized(name: str) -> Any:
    """What a network gives; weights of one size and no offsets are integers without rounding.

    Scales are such that each layer fills the range it was calibrated to.
    """
    net = filled(model_zoo.get_model(name, pretrained=False), period=PERIOD)
    image = mx.nd.array(uniform(name, (1, 3, 64, 64)))
    net(image)  # parameters have shapes from here on
    parameters = net.collect_params()
    for key, parameter in parameters.items():
        values = parameter.data()
        if key.endswith("weight"):
            size = math.sqrt(2 / math.prod(values.shape[1:]))
            parameter.set_data(mx.nd.sign(values) * size)
        elif key.endswith(("beta", "bias", "mean")):
            parameter.set_data(values * 0)
    graph = net._cached_graph[1]
    said, before = graph.attr_dict(), 1.0
    outputs = " ".join(graph.get_internals().list_outputs())
    layers = dict.fromkeys(re.findall(r"\b(quantized_sg\w+?_\d+)_", outputs))
    scales = [parameter for key, parameter in parameters.items() if key.endswith("gamma")]
    for scale, layer in zip(scales, layers, strict=False):
        after = float(said[layer]["max_calib_range"])
        scale.set_data(scale.data() * after / before)
        before = after
    return net(image)
