"""Check and time hy on a GPU: python -m benchmarks.gpu [part of a name] [--out FOLDER].

One run takes about eight minutes: after that nothing is begun, and what runs is cut off. The next
run begins with what is not done. In this order: operators, their gradients, captured nets and
streams against the CPU's numbers; small nets, ResNet-50, BERT and an LSTM beside PyTorch; kernels
of the Triton table that have a target (``benchmarks/gpu_targets.py``); nets that PyTorch compiles;
then the other kernels: milliseconds, bytes or operations a second, the share of the copy bandwidth
or of the matrix peak that were measured before, and how much longer torch takes, as it is and
compiled. What cuBLAS, cuDNN and torch's attention take is that of torch. The Triton table measures
its tiles for each shape (``HY_AUTOTUNE=full``, unless the variable says otherwise), whose times
count for nothing, and keeps its choices.

``gpu.json`` has all numbers, ``gpu.md`` the tables, and what was to be reached. What fails is told
in its row, and the others go on, unless the device fails for good; the next run tries it again
after all others. The exit status is 1 where something failed or is left.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import torch
import triton
from triton import testing

from benchmarks import gpu_checks, gpu_nets, gpu_targets
from benchmarks.gpu_case import Case
from benchmarks.gpu_cases import cases
from benchmarks.gpu_session import Item, Result, Session
from mxnet import gpu

__all__ = ["Peaks", "main", "row", "seconds"]

_DEVICE = "cuda"
_COPIED_BYTES = 1 << 30
_SIDE_ELEMENTS = 8192
_SECONDS = 480.0
_TABLES = ("torch", "triton")
_WARM_UP = 10  # calls of a net, of which the third is captured
_MEASURED_SECONDS = 0.5
_MAX_CALLS = 1000


class Peaks(NamedTuple):
    """Peak rates of the GPU."""

    bandwidth: float
    """Bytes a second, read and written, of a copy."""
    products: float
    """Operations a second of cuBLAS in bfloat16."""


def _seconds(call: Callable[[], Any]) -> float:
    return float(testing.do_bench(call)) / 1e3


def _wall_seconds(call: Callable[[], Any]) -> float:
    """Return the time of a call of many, as a program waits for them: launches are part of it."""
    for _ in range(_WARM_UP):
        call()
    once = _timed(call, 1)
    return _timed(call, max(1, min(int(_MEASURED_SECONDS / once), _MAX_CALLS)))


def _timed(call: Callable[[], Any], count: int) -> float:
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(count):
        call()
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / count


def measured_peaks() -> Peaks:
    """Copy a gibibyte; multiply two matrices."""
    source = torch.empty(_COPIED_BYTES, dtype=torch.uint8, device=_DEVICE)
    goal = torch.empty_like(source)
    a = torch.randn(_SIDE_ELEMENTS, _SIDE_ELEMENTS, dtype=torch.bfloat16, device=_DEVICE)
    copied = 2 * _COPIED_BYTES / _seconds(lambda: goal.copy_(source))
    return Peaks(copied, 2 * _SIDE_ELEMENTS**3 / _seconds(lambda: a @ a))


def seconds(case: Case) -> tuple[float, float, float]:
    """Return the seconds of ours, of torch, and of the function that torch compiles.

    What was compiled before is forgotten: beyond some variants of one function torch compiles no
    more, and says nothing.
    """
    torch.compiler.reset()
    compiled = torch.compile(case.torch)
    return _seconds(case.run), _seconds(case.torch), _seconds(compiled)


def row(case: Case, peaks: Peaks, ours: float, theirs: float, compiled: float) -> Result:
    """Return the numbers of a case.

    Args:
        case: It.
        peaks: What the GPU can do.
        ours: Seconds of the Triton table.
        theirs: Of torch.
        compiled: Of ``torch.compile``.
    """
    if case.moved:
        rate, peak, unit = case.moved / ours, peaks.bandwidth, "GB/s"
    else:
        rate, peak, unit = case.work / ours / 1e3, peaks.products / 1e3, "TFLOP/s"
    return {
        "ms": ours * 1e3,
        "rate": f"{rate / 1e9:.1f} {unit}",
        "share of the peak": rate / peak,
        "torch / ours": theirs / ours,
        "compiled / ours": compiled / ours,
        "bytes": case.moved,
    }


_peaks = cache(measured_peaks)


def _kernels(has_target: bool) -> Iterator[Item]:
    """The cases of the Triton table, those with a target or those without."""
    for case in cases(_DEVICE):
        if any(each.is_of(case.name, case.moved) for each in gpu_targets.TARGETS) is not has_target:
            continue

        def run(case: Case = case) -> Result:
            return row(case, _peaks(), *seconds(case))

        yield Item("Kernels", case.name, run)


def _machine() -> dict[str, str]:
    return {
        "GPU": torch.cuda.get_device_name(),
        "GPUs": str(torch.cuda.device_count()),
        "torch": torch.__version__,
        "triton": triton.__version__,
    }


def _items(part: str) -> Iterator[Item]:
    """Items whose names have a part, the most important first, each made when it is asked for."""
    contexts = [gpu(k) for k in range(min(torch.cuda.device_count(), 2))]
    wait = torch.cuda.synchronize
    checks = [item for each in contexts for item in gpu_checks.items(each, _TABLES, wait=wait)]
    nets = [*gpu_nets.items(contexts[0], _DEVICE, _TABLES, gpu_nets.FULL, _wall_seconds)]
    for each in (
        (item for item in checks if item.stage == "Captures"),
        (item for item in checks if item.stage != "Captures"),
        (item for item in nets if item.name != gpu_nets.COMPILED),
        _kernels(has_target=True),
        (item for item in nets if item.name == gpu_nets.COMPILED),
        _kernels(has_target=False),
    ):
        yield from (item for item in each if part in item.key)


def main(arguments: list[str]) -> None:
    """Run what has no result yet, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", default="", help="of the names of what is run")
    parser.add_argument("--out", type=Path, default=Path("bench-output/gpu"))
    parser.add_argument("--seconds", type=float, default=_SECONDS)
    options = parser.parse_args(arguments)
    # Untuned, products and convolutions of the Triton table are the libraries', which they are
    # compared with.
    os.environ.setdefault("HY_AUTOTUNE", "full")
    if not torch.cuda.is_available():
        sys.exit("there is no CUDA device; nothing can be measured")
    session = Session(options.out, _machine(), options.seconds, check=torch.cuda.synchronize)
    is_done = session.run(partial(_items, options.part))
    session.write_table({"Targets": gpu_targets.lines(session.items)})
    failed = any(
        "error" in each or each.get("wrong", "none") != "none" for each in session.items.values()
    )
    sys.exit(failed or not is_done)


if __name__ == "__main__":
    main(sys.argv[1:])
