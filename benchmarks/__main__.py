"""Time hy against MXNet 1.9.1, in turn: ``hatch run bench --mxnet PYTHON``.

``PYTHON`` is an interpreter of an environment with ``mxnet==1.9.1`` and ``numpy==1.23.5``; without
it only hy is timed. Each workload runs in a process of its own, A B A B, and the medians count.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from statistics import median

SCRIPT = Path(__file__).with_name("workloads.py")
FOLDER = Path(__file__).parents[1] / "bench-output"
NAMES = (
    "add_10x10",
    "chain_64",
    "mlp_eager",
    "mlp_static",
    "mlp_static_asnumpy",
    "mlp_training",
    "lenet_inference",
    "lenet_training",
    "lstm_operator",
    "ctc_loss",
    "box_nms",
    "foreach_loop",
    "resnet18_b1",
    "resnet18_b16",
    "resnet50_b1",
    "mobilenet_b1",
    "resnet18_training",
    "lstm_language_model",
    "transformer_layer",
)


def seconds(python: str, name: str, threads: int) -> float:
    """Seconds per call of one workload in a fresh process."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(  # noqa: S603  # our own script
        [python, *(["-E"] if python != sys.executable else []), "-W", "ignore", str(SCRIPT), name],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=SCRIPT.parent,
    )
    if done.returncode:
        raise RuntimeError(f"{python} {name} failed:\n{done.stderr}")
    value: float = json.loads(done.stdout.splitlines()[-1])["seconds"]
    return value


def compare(names: list[str], mxnet: str | None, rounds: int, threads: int) -> dict[str, object]:
    """Medians per workload, hy and MXNet measured in turn."""
    results: dict[str, object] = {}
    print(f"{'workload':22} {'hy µs':>10} {'MXNet µs':>10} {'ratio':>7}")
    for name in names:
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(seconds(sys.executable, name, threads))
            if mxnet:
                theirs.append(seconds(mxnet, name, threads))
        row = {"hy": median(ours) * 1e6}
        text = f"{name:22} {row['hy']:10.1f}"
        if theirs:
            row["mxnet"] = median(theirs) * 1e6
            row["ratio"] = median(a / b for a, b in zip(ours, theirs, strict=True))
            text += f" {row['mxnet']:10.1f} {row['ratio']:7.2f}"
        print(text, flush=True)
        results[name] = row
    return results


def main() -> None:
    """Parse the command line, measure, and write the table."""
    parser = argparse.ArgumentParser(prog="hatch run bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="WORKLOAD", help=f"of: {', '.join(NAMES)}")
    parser.add_argument("--mxnet", metavar="PYTHON", help="interpreter that has MXNet 1.9.1")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        parser.error(f"unknown workload {', '.join(unknown)}; known: {', '.join(NAMES)}")
    names = options.names or list(NAMES)
    results = compare(names, options.mxnet, options.rounds, options.threads)
    FOLDER.mkdir(exist_ok=True)
    machine = {"machine": platform.machine(), "python": platform.python_version()}
    document = {**machine, "threads": options.threads, "microseconds": results}
    (FOLDER / "results.json").write_text(json.dumps(document, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
