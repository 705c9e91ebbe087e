"""Time models on their way out and in: ``hatch run bench-model-files``.

How long ResNet-50 takes to become an ONNX file, how long a model of 500 MB takes to be imported
before its first call, and how much memory each of several processes that serve it has alone. Every
measurement is a process of its own; what it imports first is not counted. The files are in the
page cache.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.sides import environment, interpreter
from hy_gluon import nn
from hy_ndarray import nd

UNITS, LAYERS = 2500, 20
"""Each layer holds 25 MB."""

EXPORT = """
import time
from hy_gluon import model_zoo, onnx
from hy_onnx.protobuf import onnx_package
from hy_ndarray import nd
net = model_zoo.vision.resnet50_v1(classes=1000)
net.initialize()
net.hybridize()
net(nd.zeros((1, 3, 224, 224))).wait_to_read()
onnx_package()
begin = time.perf_counter()
onnx.export_model(net, in_shapes=[(1, 3, 224, 224)], onnx_file_path="net.onnx")
print(time.perf_counter() - begin)
"""
IMPORT = """
import time
from hy_gluon import SymbolBlock
begin = time.perf_counter()
block = SymbolBlock.imports("large-symbol.json", ["data"], "large-0000.params")
print(time.perf_counter() - begin)
"""
SERVE = """
import sys
from pathlib import Path
from hy_gluon import SymbolBlock
from hy_ndarray import nd
block = SymbolBlock.imports("large-symbol.json", ["data"], "large-0000.params")
block(nd.zeros((1, int(sys.argv[1])))).wait_to_read()
print(flush=True)
sys.stdin.readline()  # until all have called it
lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
sizes = dict(line.replace(" kB", "").split(":") for line in lines[1:])
print(*(int(sizes[key]) * 1024 for key in ("Rss", "Private_Clean", "Private_Dirty")))
"""


def prepare(folder: Path) -> None:
    """Write a model of 500 MB."""
    net = nn.HybridSequential()
    net.add(*(nn.Dense(UNITS, in_units=UNITS) for _ in range(LAYERS)))
    net.initialize()
    net.hybridize()
    net(nd.zeros((1, UNITS))).wait_to_read()
    net.export(str(folder / "large"))


def started(code: str, folder: Path) -> subprocess.Popen[str]:
    """A process that runs some code in the folder of the files."""
    command = [*interpreter(sys.executable), "-c", code, str(UNITS)]
    return subprocess.Popen(  # noqa: S603  # our own code
        command,
        cwd=folder,
        env=environment(1),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def seconds(code: str, folder: Path) -> float:
    """Return the seconds that a process prints."""
    printed, _ = started(code, folder).communicate()
    return float(printed)


def memory(count: int, folder: Path) -> tuple[int, int]:
    """Return resident bytes of one of several serving processes, and those not shared."""
    processes = [started(SERVE, folder) for _ in range(count)]
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()
    printed, _ = processes[0].communicate("\n")  # the others still hold the pages
    for process in processes[1:]:
        process.communicate()
    resident, *alone = map(int, printed.split())
    return resident, sum(alone)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="hatch run bench-model-files", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--processes", type=int, default=3, help="that serve at once (3)")
    options = parser.parse_args()
    results: dict[str, list[float]] = {}
    with TemporaryDirectory(dir=".") as text:  # the temporary folder may be in memory
        folder = Path(text)
        prepare(folder)
        for _ in range(options.rounds):
            for name, code in {"export of ResNet-50": EXPORT, "import of 500 MB": IMPORT}.items():
                results.setdefault(name, []).append(seconds(code, folder))
        resident, alone = memory(options.processes, folder)
    for name, durations in results.items():
        fastest, middle = min(durations) * 1e3, median(durations) * 1e3
        print(f"{name:20} best {fastest:6.0f} ms, median {middle:6.0f} ms")
    served = f"{resident / 1e6:.0f} MB, {alone / 1e6:.0f} of them its own"
    print(f"one of {options.processes} processes that serve 500 MB: {served}")
    output = Path(__file__).parents[1] / "bench-output"
    output.mkdir(exist_ok=True)
    content = {"seconds": results, "resident": resident, "alone": alone}
    (output / "model-files.json").write_text(json.dumps(content, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
