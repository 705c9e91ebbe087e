"""Rates that the processor allows: ``hatch run bench-peak bench-output/results.json``.

For the workloads of that file that are mostly products: the operations on floats that these take,
counted as they are written down, and the rates at which hy, MXNet and PyTorch do them, beside the
rate of one large product. A target that needs more than that is out of reach but for algorithms
that multiply less, such as Winograd's.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from math import prod
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from benchmarks.nets import EncoderLayer, LanguageModel, lenet, mlp
from benchmarks.targets import TARGETS
from hy_symbol import Entry, infer_types
from mxnet import gluon, nd, sym

Shape: TypeAlias = tuple[int, ...]
Params: TypeAlias = Mapping[str, Any]
SIDES = {"hy": "hy", "mxnet": "MXNet", "torch": "PyTorch"}
LARGE = 2048
"""Rows and columns of the product whose rate stands for the processor's."""


class Net(NamedTuple):
    """Net of a workload."""

    build: Callable[[], Any]
    shape: Shape
    """Of its input."""
    passes: int = 1
    """Three in training: two gradients of each product are products as large."""


def _zoo(name: str) -> Callable[[], Any]:
    return lambda: getattr(gluon.model_zoo.vision, name)(classes=1000)


NETS = {
    "mlp_training": Net(mlp, (64, 512), passes=3),
    "lenet_inference": Net(lenet, (16, 1, 28, 28)),
    "lenet_training": Net(lenet, (64, 1, 28, 28), passes=3),
    "resnet18_b1": Net(_zoo("resnet18_v1"), (1, 3, 224, 224)),
    "resnet18_b16": Net(_zoo("resnet18_v1"), (16, 3, 224, 224)),
    "resnet50_b1": Net(_zoo("resnet50_v1"), (1, 3, 224, 224)),
    "mobilenet_b1": Net(_zoo("mobilenet1_0"), (1, 3, 224, 224)),
    "resnet18_training": Net(_zoo("resnet18_v1"), (16, 3, 64, 64), passes=3),
    "lstm_language_model": Net(lambda: LanguageModel(10000, 200), (35, 20), passes=3),
    "transformer_layer": Net(lambda: EncoderLayer(768, 12), (128, 8, 768)),
    "transformer_training": Net(lambda: EncoderLayer(768, 12), (128, 8, 768), passes=3),
    "resnet50_64": Net(_zoo("resnet50_v1"), (1, 3, 64, 64)),
    "resnet50_112": Net(_zoo("resnet50_v1"), (1, 3, 112, 112)),
    "mobilenet_64": Net(_zoo("mobilenet1_0"), (1, 3, 64, 64)),
    "mobilenet_112": Net(_zoo("mobilenet1_0"), (1, 3, 112, 112)),
    "resnet50_64_training": Net(_zoo("resnet50_v1"), (1, 3, 64, 64), passes=3),
    "resnet50_112_training": Net(_zoo("resnet50_v1"), (1, 3, 112, 112), passes=3),
    "mobilenet_64_training": Net(_zoo("mobilenet1_0"), (1, 3, 64, 64), passes=3),
    "mobilenet_112_training": Net(_zoo("mobilenet1_0"), (1, 3, 112, 112), passes=3),
}
"""The workloads whose work can be counted, by name."""


def _layer(_: Params, inputs: Sequence[Shape], output: Shape) -> int:
    return prod(output) * prod(inputs[1][1:])


def _lstm(params: Params, inputs: Sequence[Shape], _: Shape) -> int:
    biases: int = 2 * params["num_layers"] * 4 * params["state_size"]
    return prod(inputs[0][:2]) * (prod(inputs[1]) - biases)


def _scores(params: Params, inputs: Sequence[Shape], output: Shape) -> int:
    size: int = inputs[0][2] // 3 // params["heads"]
    return prod(output) * size


def _weighed(_: Params, inputs: Sequence[Shape], output: Shape) -> int:
    return prod(output) * inputs[1][2]


MULTIPLICATIONS: Mapping[str, Callable[[Params, Sequence[Shape], Shape], int]] = {
    "Convolution": _layer,
    "FullyConnected": _layer,
    "RNN": _lstm,
    "_contrib_interleaved_matmul_selfatt_qk": _scores,
    "_contrib_interleaved_matmul_selfatt_valatt": _weighed,
}
"""By operator: how many numbers it multiplies with others and adds up, by the shapes it takes."""


def work(net: Net) -> float:
    """Operations on floats of a call: two for each multiplication.

    Example:
        >>> work(NETS["mlp_training"])  # 2 * 3 * 64 * (512 * 256 + 256 * 128 + 128 * 2)
        63012864.0
    """
    graph = net.build()(sym.var("data")).graph
    data = next(node for node in graph.variables if node.name == "data")
    types = infer_types(graph, {data: net.shape}, {data: "float32"})

    def shape(entry: Entry) -> Shape:
        shape_and_dtype = types.whole(entry)
        assert shape_and_dtype is not None
        return shape_and_dtype[0]

    total = 0
    for node in graph.nodes:
        count = MULTIPLICATIONS.get("" if node.op is None else node.op.name)
        if count is not None:
            total += count(node.params, [shape(entry) for entry in node.inputs], shape((node, 0)))
    return 2.0 * net.passes * total


def peak(repeats: int = 10) -> float:
    """Operations a second of a product of two large matrices; the fastest of a few."""
    x = nd.array(np.random.default_rng(0).standard_normal((LARGE, LARGE)))
    nd.dot(x, x).wait_to_read()
    times = []
    for _ in range(repeats):
        begin = perf_counter()
        nd.dot(x, x).wait_to_read()
        times.append(perf_counter() - begin)
    return 2.0 * LARGE**3 / min(times)


def table(workloads: Mapping[str, Any], rate: float) -> str:
    """Rates as Markdown, in 10⁹ operations a second and parts of ``rate``.

    Args:
        workloads: Of ``results.json``.
        rate: Operations a second of the processor.
    """
    titles = ["Workload", "10⁹ operations", *SIDES.values(), "needed for the target"]
    lines = [titles, ["---", *["--:"] * (len(titles) - 1)]]
    for name, results in workloads.items():
        if name not in NETS:
            continue
        operations, medians = work(NETS[name]), results["median"]
        seconds = [medians.get(side) for side in SIDES]
        if name in TARGETS and "mxnet" in medians:
            seconds.append(TARGETS[name] * medians["mxnet"])
        else:
            seconds.append(None)
        cells = [_rate(operations, each, rate) for each in seconds]
        lines.append([f"`{name}`", f"{operations / 1e9:.3g}", *cells])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _rate(operations: float, seconds: float | None, peak: float) -> str:
    if seconds is None:
        return ""
    rate = operations / seconds
    return f"{rate / 1e9:.0f} ({rate / peak:.0%})"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the rate of the processor, and the table."""
    parser = argparse.ArgumentParser(prog="hatch run bench-peak", description=__doc__)
    parser.add_argument("results", type=Path, help="results.json of hatch run bench")
    options = parser.parse_args(arguments)
    document = json.loads(options.results.read_text(encoding="utf-8"))
    rate = peak()
    print(f"A product of {LARGE} by {LARGE}: {rate / 1e9:.0f} 10⁹ operations a second\n")
    print(table(document["workloads"], rate))


if __name__ == "__main__":
    main()
