"""Time operators on one thread beside MXNet, torch and numpy: ``hatch run bench-operators``.

Each side is a process of its own, started afresh for every round; within a round the sides measure
each call in turn. What is compared is the CPU time of the process, so that neighbours on a busy
machine do not count; of all rounds the best. Calls of numpy are made on hy's interpreter.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.operators_layers import LAYER_CALLS
from benchmarks.operators_rows import CALLS, SIZES, Row
from benchmarks.sides import ROOT, environment, interpreter

ROWS = (*CALLS, *LAYER_CALLS)
GOAL = 1.5
"""Times the best of the others that a call may take."""
MAX_RUNS = 12
"""Groups of calls in a measurement."""
SECONDS = 0.04
"""CPU time of a measurement of a short call."""


def title(row: Row, size: int, train: bool) -> str:
    """The name of a measurement."""
    return f"{row.call} | {SIZES[size]}{' backward' if train else ''}"


# --- in a side's process ---------------------------------------------------------------------


def _mxnet_call(row: Row, size: int, train: bool) -> Callable[[], Any]:
    import mxnet  # noqa: PLC0415  # each side has its own library
    from mxnet import autograd, nd  # noqa: PLC0415

    names: dict[str, Any] = {"nd": nd}
    for name, operand in row.operands.items():
        value = operand.make(size)
        names[name] = nd.array(value, dtype="uint8" if operand.kind == "bytes" else "float32")
    code = compile(row.call, "<call>", "eval")
    if not train:
        return lambda: eval(code, names).wait_to_read()  # noqa: S307  # ours
    for name in row.grad:
        names[name].attach_grad()

    def call() -> None:
        with autograd.record():
            y = eval(code, names)  # noqa: S307
        y.backward()
        mxnet.nd.waitall()

    return call


def _torch_call(row: Row, size: int, train: bool) -> Callable[[], Any]:
    import torch  # noqa: PLC0415

    names: dict[str, Any] = {"torch": torch, "F": torch.nn.functional}
    for name, operand in row.operands.items():
        names[name] = torch.from_numpy(operand.make(size))
    code = compile(row.torch, "<call>", "eval")
    if not train:
        return lambda: eval(code, names)  # noqa: S307
    inputs = [names[name].requires_grad_() for name in row.grad]

    def call() -> None:
        for each in inputs:
            each.grad = None
        y = eval(code, names)  # noqa: S307
        y.backward(torch.ones_like(y))

    return call


def _numpy_call(row: Row, size: int, _train: bool) -> Callable[[], Any]:
    import numpy as np  # noqa: PLC0415

    names = {name: operand.make(size) for name, operand in row.operands.items()}
    code = compile(row.numpy, "<call>", "eval")
    return lambda: eval(code, {"np": np, **names})  # noqa: S307


_CALLS = {"hy": _mxnet_call, "mxnet": _mxnet_call, "torch": _torch_call, "numpy": _numpy_call}


def _has(side: str, row: Row, train: bool) -> bool:
    text = {"torch": row.torch, "numpy": row.numpy}.get(side, row.call)
    return bool(text) and not (side == "numpy" and train)


def _best(call: Callable[[], Any]) -> float:
    """The least CPU seconds of a call: groups of calls until ``SECONDS`` are over."""
    call()
    start = time.process_time()
    call()
    once = max(time.process_time() - start, 1e-7)
    count = max(int(SECONDS / 5 / once), 1)
    times = [once] if count == 1 else []
    while sum(times) * count < SECONDS and len(times) < MAX_RUNS:
        start = time.process_time()
        for _ in range(count):
            call()
        times.append((time.process_time() - start) / count)
    return min(times)


def serve(side: str) -> None:
    """Measure what is asked for on standard input: the indices of a row and size, and the pass."""
    if side == "torch":
        import torch  # noqa: PLC0415

        torch.set_num_threads(1)
    for line in sys.stdin:
        number, size, train = json.loads(line)
        row = ROWS[number]
        answer: float | str | None = None
        if _has(side, row, train):
            try:
                answer = _best(_CALLS[side](row, size, train))
            except Exception as error:  # said in the report
                answer = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        print(json.dumps(answer), flush=True)


# --- the report ------------------------------------------------------------------------------


def _start(side: str, python: str) -> "subprocess.Popen[str]":
    code = f"from benchmarks.operators import serve; serve({side!r})"
    command = [*interpreter(python), "-c", code]
    return subprocess.Popen(  # noqa: S603  # our own module
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env=environment(1),
    )


def _ask(process: "subprocess.Popen[str]", question: list[int]) -> float | str | None:
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(question) + "\n")
    process.stdin.flush()
    answer: float | str | None = json.loads(process.stdout.readline())
    return answer


def measured(sides: dict[str, str], part: str, rounds: int) -> dict[str, dict[str, float | str]]:
    """Return by title and side the best seconds of all rounds, or the error."""
    seconds_by_title: dict[str, dict[str, float | str]] = {}
    for _ in range(rounds):
        with ExitStack() as stack:
            processes = {}
            for side, python in sides.items():
                processes[side] = _start(side, python)
                stack.callback(processes[side].wait)
                stack.callback(processes[side].kill)
            for number, row in enumerate(ROWS):
                for train in (False, True) if row.grad else (False,):
                    for size in range(len(SIZES)):
                        name = title(row, size, train)
                        if part not in f"{row.family} {name}":
                            continue
                        times = seconds_by_title.setdefault(name, {})
                        for side, process in processes.items():
                            answer = _ask(process, [number, size, int(train)])
                            best = times.get(side)
                            if answer is not None and not (
                                isinstance(best, float)
                                and (isinstance(answer, str) or best <= answer)
                            ):
                                times[side] = answer
    return seconds_by_title


def _ratio(times: dict[str, float | str]) -> float | None:
    """Return hy's time over the best of the others; None without both."""
    others = [t for side, t in times.items() if side != "hy" and isinstance(t, float)]
    own = times.get("hy")
    return own / min(others) if others and isinstance(own, float) else None


def main(arguments: list[str] | None = None) -> None:
    """Print the calls that take most beside the best of the others."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.operators", description=__doc__)
    parser.add_argument("part", nargs="?", default="", help="measure what has this text in it")
    parser.add_argument("--mxnet", help="interpreter with MXNet")
    parser.add_argument("--torch", help="interpreter with torch")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--worst", type=int, default=20, help="how many rows to print")
    parser.add_argument("--json", type=Path, help="file for all times, in seconds")
    options = parser.parse_args(arguments)
    sides = {"hy": sys.executable, "numpy": sys.executable}
    sides |= {name: path for name in ("mxnet", "torch") if (path := getattr(options, name))}
    seconds_by_title = measured(sides, options.part, options.rounds)
    if options.json:
        options.json.write_text(json.dumps(seconds_by_title, indent=1) + "\n")
    ratios = {
        name: ratio
        for name, times in seconds_by_title.items()
        if (ratio := _ratio(times)) is not None
    }
    worst = sorted(ratios, key=lambda name: -ratios[name])
    print(
        f"{'microseconds of CPU time':72}" + "".join(f"{side:>10}" for side in sides) + "   ratio"
    )
    for name in worst[: options.worst]:
        cells = (seconds_by_title[name].get(side) for side in sides)
        text = "".join(f"{t * 1e6:10.1f}" if isinstance(t, float) else f"{'-':>10}" for t in cells)
        print(f"{name[-72:]:72}{text}{ratios[name]:8.2f}")
    for name, times in seconds_by_title.items():
        if isinstance(times.get("hy"), str):
            print(f"{name}: {times['hy']}")
    above = sum(ratio > GOAL for ratio in ratios.values())
    middle = median(ratios.values()) if ratios else float("nan")
    print(f"{len(ratios)} measurements, median {middle:.2f}, {above} above {GOAL}")


if __name__ == "__main__":
    main()
