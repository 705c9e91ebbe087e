"""Bytes that the values inside of nets take, planned ÷ naive: ``hatch run bench:memory``.

Nothing is run: shapes and dtypes are inferred, and the programs are planned as they would run with
``static_alloc``: what lives at a time at most, and the arena that it is laid out in. The ratio is
that of the larger one.
Inputs, parameters, outputs and the gradients of parameters are not counted, nor is the scratch
memory of kernels.
"""

import argparse
import json
from pathlib import Path

import mxnet as mx
from hy_ndarray import cpu, device_of
from hy_symbol import (
    Joint,
    Known,
    Memory,
    Pool,
    Symbol,
    TypedGraph,
    explained,
    infer_types,
    memory_of,
)
from hy_symbol.execution.cache import PredictionPlans
from mxnet.gluon.model_zoo import vision

NETS = ("alexnet", "inception_v3", "vgg16", "resnet50_v1", "mobilenet_v2_1_0")
TARGETS = {"training": 0.5, "prediction": 0.2}
FOLDER = Path(__file__).parents[1] / "bench-output"


def traced(name: str, batch: int) -> tuple[Symbol, list[Known]]:
    """The graph of a net of the zoo, and the types of its variables."""
    net = getattr(vision, name)(classes=1000)
    graph = net(mx.sym.var("data"))
    size = 299 if name == "inception_v3" else 224
    variables = graph.graph.variables
    shapes = {node: (batch, 3, size, size) for node in variables if node.name == "data"}
    types = infer_types(graph.graph, shapes, dict.fromkeys(variables, "float32"))
    return graph, [types.get((node, 0)) for node in variables]


def memories(name: str, batch: int) -> dict[str, Memory]:
    """Memory of a net in prediction and in training, where it may recompute cheap values."""
    symbol, known = traced(name, batch)
    device = device_of(cpu())
    graph = symbol.graph
    states = set(graph.states)
    wrt = [
        i for i, node in enumerate(graph.variables) if node.name != "data" and node not in states
    ]
    data = [i for i, node in enumerate(graph.variables) if node.name == "data"]
    typed = TypedGraph.of(graph, known)
    prediction = PredictionPlans(device, Pool(), data).executable(typed)
    joint = Joint.of(graph, wrt, is_train=True)
    return {
        "prediction": explained(prediction).memory,
        "training": memory_of(joint.programs(device, typed, pool=Pool())),
        "training, mirror": memory_of(joint.programs(device, typed, mirror=True, pool=Pool())),
    }


def main() -> None:
    """Print the table, and write it as JSON."""
    parser = argparse.ArgumentParser(prog="hatch run bench:memory", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NET", help=f"of the zoo; {', '.join(NETS)}")
    parser.add_argument("--batch", type=int, default=128)
    options = parser.parse_args()
    results = {}
    print(
        f"{'net':12} {'mode':16} {'naive MB':>10} {'planned MB':>10} {'arena MB':>10} "
        f"{'saved MB':>9} {'ratio':>6}"
    )
    for name in options.names or NETS:
        for mode, sizes in memories(name, options.batch).items():
            ratio = max(sizes.planned, sizes.arena) / sizes.naive
            target = TARGETS.get(mode)
            text = f"{name:12} {mode:16} {sizes.naive / 1e6:10.1f} {sizes.planned / 1e6:10.1f}"
            text += f" {sizes.arena / 1e6:10.1f} {sizes.saved / 1e6:9.1f} {ratio:6.3f}"
            text += f"  (target {target})" if target else ""
            print(text, flush=True)
            results[f"{name}, {mode}"] = {
                "naive": sizes.naive,
                "planned": sizes.planned,
                "saved": sizes.saved,
                "arena": sizes.arena,
                "ratio": ratio,
            }
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "memory.json").write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
