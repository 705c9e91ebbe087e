"""Time hy against MXNet 1.9.1 and PyTorch: ``hatch run bench --mxnet PYTHON --torch PYTHON``.

The first PYTHON is an interpreter that has ``mxnet==1.9.1`` and ``numpy==1.23.5``, the second one
that has ``torch``; a side without interpreter is left out. ``--compiled`` adds ``torch.compile``,
``--onnxruntime`` hy's exported nets in onnxruntime; ``--kernels torch`` measures hy on its torch
table, in an environment that has torch. Each workload is measured in short
bursts, the sides in turn, in processes that stay alive meanwhile: what else the machine does
meets all of them. With ``--busy 2``, two other processes keep cores busy all the time; with
``--one-thread``, hy on one thread is a side of its own. Writes results.json, table.md and
chart.svg.
"""

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import which

from benchmarks.chart import chart
from benchmarks.results import LABELS, Row, geometric_means, heading, line, markdown
from benchmarks.sides import ROOT, Side, measured, neighbours
from benchmarks.worker import IMPORT_MXNET
from benchmarks.workloads import WORKLOADS

NAMES = (*WORKLOADS, IMPORT_MXNET)
ROUNDS, QUICK_ROUNDS = 15, 3
SECONDS, QUICK_SECONDS = 0.12, 0.01


def machine() -> dict[str, object]:
    """Return what the numbers depend on beside the software measured."""
    return {
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "processor": processor(Path("/proc/cpuinfo")) or platform.processor(),
        "cores": cores(),
    }


def processor(file: Path) -> str | None:
    """The model of the CPU as Linux tells it; None elsewhere."""
    if not file.exists():
        return None
    facts = [text.partition(":") for text in file.read_text(encoding="utf-8").splitlines()]
    return next((value.strip() for key, _, value in facts if key.strip() == "model name"), None)


def cores() -> int:
    """Cores that this process may run on."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def program(text: str) -> str:
    """Absolute path of a program; links stay, as Python finds its environment by them."""
    python = which(text)
    if python is None:
        raise argparse.ArgumentTypeError(f"there is no program {text}")
    return str(Path(python).absolute())


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="hatch run bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="WORKLOAD", help=f"of: {', '.join(NAMES)}")
    parser.add_argument(
        "--mxnet", metavar="PYTHON", type=program, help="interpreter that has MXNet 1.9.1"
    )
    parser.add_argument(
        "--torch", metavar="PYTHON", type=program, help="interpreter that has PyTorch"
    )
    parser.add_argument("--compiled", action="store_true", help="compare with torch.compile, too")
    parser.add_argument("--onnxruntime", action="store_true", help="compare with onnxruntime, too")
    parser.add_argument(
        "--kernels", default="numpy", metavar="TABLE", help="hy's kernels on the CPU (numpy)"
    )
    parser.add_argument("--rounds", type=int, help=f"measurements of each side ({ROUNDS})")
    parser.add_argument("--threads", type=int, default=cores(), help="default: one per core")
    parser.add_argument("--busy", type=int, default=0, metavar="N", help="other busy processes")
    parser.add_argument("--one-thread", action="store_true", help="compare with one thread, too")
    parser.add_argument("--quick", action="store_true", help="few and short: does it all run?")
    parser.add_argument("--output", type=Path, default=ROOT / "bench-output", metavar="FOLDER")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        parser.error(f"unknown workload {', '.join(unknown)}; known: {', '.join(NAMES)}")
    if options.rounds is None:
        options.rounds = QUICK_ROUNDS if options.quick else ROUNDS
    if options.compiled and not options.torch:
        parser.error("--compiled needs --torch PYTHON")
    if options.rounds < 1 or options.threads < 1 or options.busy < 0:
        parser.error("--rounds and --threads are at least 1, --busy is not negative")
    return options


def write(
    options: argparse.Namespace, rows: Sequence[Row], versions: dict[str, dict[str, str]]
) -> None:
    """Write all that is known so far."""
    here = machine()
    document = {
        "machine": here,
        "threads": options.threads,
        "rounds": options.rounds,
        "busy": options.busy,
        "kernels": options.kernels,
        "versions": versions,
        "workloads": {row.name: row.document() for row in rows},
    }
    busy = f", busy processes beside: {options.busy}" if options.busy else ""
    title = f"hy's share of their time: {here['processor']}, threads: {options.threads}{busy}"
    others = [side for side in LABELS if side != "hy" and any(side in row.seconds for row in rows)]
    options.output.mkdir(parents=True, exist_ok=True)
    text = json.dumps(document, indent=1, ensure_ascii=False)
    (options.output / "results.json").write_text(text, encoding="utf-8")
    table = markdown(rows, ["hy", *others])
    (options.output / "table.md").write_text(table + "\n", encoding="utf-8")
    (options.output / "chart.svg").write_text(chart(rows, others, title), encoding="utf-8")


def compared(options: argparse.Namespace) -> list[Side]:
    """The sides, hy first."""
    pythons = {
        "mxnet": options.mxnet,
        "torch": options.torch,
        "compiled": options.torch if options.compiled else None,
        "onnxruntime": sys.executable if options.onnxruntime else None,
    }
    sides = [Side("hy", sys.executable, kernels=options.kernels)]
    if options.one_thread:
        sides.append(Side("hy_1", sys.executable, threads=1, kernels=options.kernels))
    return sides + [Side(name, python) for name, python in pythons.items() if python]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write the table, the numbers and the chart."""
    options = parse(arguments)
    sides = compared(options)
    seconds = QUICK_SECONDS if options.quick else SECONDS
    names = [side.name for side in sides]
    rows: list[Row] = []
    versions: dict[str, dict[str, str]] = {}
    print(heading(names), flush=True)
    with neighbours(options.busy):
        for name in options.names or NAMES:
            measurement = measured(
                name, sides, rounds=options.rounds, seconds=seconds, threads=options.threads
            )
            rows.append(Row(name, measurement.seconds))
            versions |= measurement.versions
            print(line(rows[-1], names), flush=True)
            write(options, rows, versions)
    if len(sides) > 1:
        print(geometric_means(rows, names))


if __name__ == "__main__":
    main()
