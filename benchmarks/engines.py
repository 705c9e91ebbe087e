"""Engines as backends beside the same engines called directly: ``hatch run bench-engines``.

Each net is exported, and the engine runs the file, with as many threads as hy uses; beside it run
the block with the engine as its backend, and the block on hy's own kernels. They are called in
turn, in short bursts, so that what else the machine does meets all of them; the numbers are
medians. With ``--output``, ``docs/engines.md`` and ``docs/serve.md`` show them from there.
"""

import argparse
import json
import os
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from benchmarks.nets import EncoderLayer
from hy_gluon import onnx
from mxnet import gluon, nd

__all__ = ["NETS", "main", "measured", "table"]

Call: TypeAlias = Callable[[], Any]
Row: TypeAlias = dict[str, Any]


def _dense() -> Any:
    return gluon.nn.Dense(16, in_units=16)


NETS: dict[str, tuple[Callable[[], Any], Callable[[int], tuple[int, ...]]]] = {
    "dense 16x16": (_dense, lambda n: (n, 16)),
    "ResNet-18": (gluon.model_zoo.vision.resnet18_v1, lambda n: (n, 3, 224, 224)),
    "ResNet-50": (gluon.model_zoo.vision.resnet50_v1, lambda n: (n, 3, 224, 224)),
    "MobileNet": (gluon.model_zoo.vision.mobilenet1_0, lambda n: (n, 3, 224, 224)),
    "BERT layer, length 128": (lambda: EncoderLayer(768, 12), lambda n: (128, n, 768)),
}
"""By name, what makes a net, and the shape of its input for a number of samples."""


def _onnxruntime(path: str, x: Any, threads: int) -> Call:
    """A file in ONNX Runtime, as its documentation calls it."""
    runtime = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    session = runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda: session.run(None, {name: x})


def _openvino(path: str, x: Any, threads: int) -> Call:
    """A file in OpenVINO, as its documentation calls it."""
    settings = {
        "INFERENCE_NUM_THREADS": threads,
        "INFERENCE_PRECISION_HINT": "f32",
        "PERFORMANCE_HINT": "LATENCY",
    }
    model = import_module("openvino").Core().compile_model(path, "CPU", settings)
    return lambda: model(x)


DIRECT: dict[str, Callable[[str, Any, int], Call]] = {
    "onnxruntime": _onnxruntime,
    "openvino": _openvino,
}


def _calls(net: Any, shape: tuple[int, ...], engine: str, threads: int) -> dict[str, Call]:
    """The same prediction by the engine alone, by hy with it, and by hy's kernels."""
    x = np.random.RandomState(0).standard_normal(shape).astype("float32")
    net.hybridize(static_alloc=True, static_shape=True)
    batch = nd.array(x)
    wanted = net(batch).asnumpy()
    with TemporaryDirectory() as folder:
        path = onnx.export_model(net, in_shapes=[shape], onnx_file_path=f"{folder}/net.onnx")
        direct = DIRECT[engine](path, x, threads)
        again = onnx.import_to_gluon(path)
        again.hybridize(static_alloc=True, static_shape=True)
        again(batch).wait_to_read()
    net.hybridize(backend=engine)
    scale = max(1.0, float(np.abs(wanted).max()))
    np.testing.assert_allclose(net(batch).asnumpy(), wanted, rtol=1e-5, atol=1e-5 * scale)
    return {
        "direct": direct,
        "backend": lambda: net(batch).wait_to_read(),
        "table": lambda: again(batch).wait_to_read(),
    }


def measured(calls: dict[str, Call], rounds: int, seconds: float) -> dict[str, float]:
    """Seconds of one call of each, medians of bursts that take turns."""
    counts = {}
    for name, call in calls.items():
        call()
        begin = perf_counter()
        call()
        counts[name] = max(1, round(seconds / (perf_counter() - begin)))
    times: dict[str, list[float]] = {name: [] for name in calls}
    for k in range(rounds):
        names = list(calls)
        for name in names if k % 2 else reversed(names):
            call, count = calls[name], counts[name]
            call()  # what ran before has left the caches, and its threads still spin
            begin = perf_counter()
            for _ in range(count):
                call()
            times[name].append((perf_counter() - begin) / count)
    return {name: median(durations) for name, durations in times.items()}


def table(rows: Sequence[Row]) -> str:
    """The rows as Markdown, in milliseconds."""
    lines = [
        "| Net | Samples | Engine | Directly | As a backend | Ratio | hy's kernels |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        direct, backend, own = (1e3 * row["seconds"][key] for key in ("direct", "backend", "table"))
        lines.append(
            f"| {row['net']} | {row['samples']} | {row['engine']} | {direct:.3g} | {backend:.3g} "
            f"| {backend / direct:.2f} | {own:.3g} |"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="hatch run bench-engines", description=__doc__)
    parser.add_argument("nets", nargs="*", metavar="NET", help=f"of: {', '.join(NETS)}")
    parser.add_argument("--engines", nargs="+", default=list(DIRECT), choices=list(DIRECT))
    parser.add_argument("--samples", nargs="+", type=int, default=[1, 16], metavar="N")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.2, help="of a burst (0.2)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where to write JSON")
    options = parser.parse_args(arguments)
    threads = int(os.environ.get("OMP_NUM_THREADS", len(os.sched_getaffinity(0))))
    rows = []
    for name in options.nets or NETS:
        make, shape = NETS[name]
        for samples in options.samples:
            for engine in options.engines:
                net = make()
                net.initialize()
                calls = _calls(net, shape(samples), engine, threads)
                seconds = measured(calls, options.rounds, options.seconds)
                row = {"net": name, "samples": samples, "engine": engine, "seconds": seconds}
                rows.append(row)
                print(table([row]).splitlines()[-1], flush=True)
    print(table(rows))
    if options.output is not None:
        options.output.write_text(json.dumps({"threads": threads, "rows": rows}, indent=1), "utf-8")


if __name__ == "__main__":
    main()
