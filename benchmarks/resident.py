"""Memory of whole processes, hy against MXNet 1.9.1: ``hatch run bench-resident --mxnet PYTHON``.

Each workload runs in a process of its own, once per side: the most memory that was resident at a
time, as the system counts it, libraries included.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from benchmarks.sides import ROOT, environment, interpreter

STEPS = 3
"""Calls of each workload: the first plans, the second compiles, the third is as all others."""


def importing() -> None:
    """``import mxnet`` alone."""
    import mxnet  # noqa: F401, PLC0415  # what is measured


def _resnet50(*, learns: bool) -> None:
    from mxnet import gluon  # noqa: PLC0415  # the row of importing has nothing else

    net = gluon.model_zoo.vision.resnet50_v1(classes=1000)
    _run(net, (16, 3, 224, 224), learns=learns)


def resnet50_prediction() -> None:
    """ResNet-50 on 16 images of 224x224."""
    _resnet50(learns=False)


def resnet50_training() -> None:
    """Steps of SGD of ResNet-50 on 16 images of 224x224."""
    _resnet50(learns=True)


def bert_training() -> None:
    """Steps of SGD of 12 encoder layers of 768, as in BERT-base, on 4 sequences of 128."""
    from benchmarks.nets import EncoderLayer  # noqa: PLC0415  # see above
    from mxnet.gluon import nn  # noqa: PLC0415

    net = nn.HybridSequential()
    net.add(*(EncoderLayer(768, 12) for _ in range(12)), nn.Dense(2, flatten=False))
    _run(net, (128, 4, 768), learns=True)


def _run(net: Any, shape: tuple[int, ...], *, learns: bool) -> None:
    import mxnet as mx  # noqa: PLC0415  # see above
    from mxnet import autograd, gluon, nd  # noqa: PLC0415

    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True)
    x = nd.random.uniform(shape=shape)
    if not learns:
        for _ in range(STEPS):
            net(x).wait_to_read()
        return
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "momentum": 0.9})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    for _ in range(STEPS):
        with autograd.record():
            y = net(x)
            loss = loss_of(y, nd.zeros(y.shape[:-1]))
        loss.backward()
        trainer.step(x.shape[0])
        nd.waitall()


WORKLOADS: dict[str, Callable[[], None]] = {
    f.__name__: f for f in (importing, resnet50_prediction, resnet50_training, bert_training)
}
_PROGRAM = """
import sys
from resource import RUSAGE_SELF, getrusage
from benchmarks.resident import WORKLOADS
WORKLOADS[sys.argv[1]]()
print(getrusage(RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10))
"""


def peak(name: str, python: str, threads: int = 2) -> float:
    """MiB that a workload takes at most.

    Raises:
        CalledProcessError: It failed.
    """
    command = [*interpreter(python), "-c", _PROGRAM, name]
    done = subprocess.run(  # noqa: S603  # ourselves
        command, stdout=subprocess.PIPE, check=True, cwd=ROOT, env=environment(threads)
    )
    return float(done.stdout)


def main() -> None:
    """Print the table, and write it as JSON."""
    parser = argparse.ArgumentParser(prog="hatch run bench-resident", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="WORKLOAD", help=f"of: {', '.join(WORKLOADS)}")
    parser.add_argument("--mxnet", metavar="PYTHON", help="interpreter that has MXNet 1.9.1")
    options = parser.parse_args()
    unknown = set(options.names) - set(WORKLOADS)
    if unknown:
        parser.error(f"unknown workload {', '.join(unknown)}; known: {', '.join(WORKLOADS)}")
    pythons = {"hy": sys.executable} | ({"mxnet": options.mxnet} if options.mxnet else {})
    peaks: dict[str, dict[str, float]] = {}
    print(f"{'workload':20} {'hy MiB':>9}" + (f" {'MXNet MiB':>10} {'÷':>6}" * bool(options.mxnet)))
    for name in options.names or WORKLOADS:
        peaks[name] = {side: peak(name, python) for side, python in pythons.items()}
        row = f"{name:20} {peaks[name]['hy']:9.0f}"
        if options.mxnet:
            ratio = peaks[name]["hy"] / peaks[name]["mxnet"]
            row += f" {peaks[name]['mxnet']:10.0f} {ratio:6.2f}"
        print(row, flush=True)
    folder = ROOT / "bench-output"
    folder.mkdir(exist_ok=True)
    (folder / "resident.json").write_text(json.dumps(peaks, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
