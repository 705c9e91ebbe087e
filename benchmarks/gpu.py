"""Check and time hy on a GPU: python -m benchmarks.gpu [part of a name] [--out FOLDER].

One run takes at most eight minutes, and what is not done then is begun with by the next: operators,
captured nets and streams against the CPU's numbers; ResNet-50, BERT and an LSTM beside PyTorch,
eager and compiled; then each kernel of the Triton table: milliseconds, bytes or operations a
second, the share of the copy bandwidth or of the matrix peak that were measured before, and how
much longer torch takes, as it is and compiled. What cuBLAS, cuDNN and torch's attention take is
that of torch. ``gpu.json`` has all numbers, ``gpu.md`` the tables, and what the kernels were to
reach. What fails is told in its row, and the others go on; then the exit status is 1.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import torch
import triton
from triton import testing

from benchmarks import gpu_checks, gpu_nets
from benchmarks.gpu_case import Case
from benchmarks.gpu_cases import cases
from benchmarks.gpu_session import Item, Result, Session
from benchmarks.gpu_targets import TARGETS, Reached
from mxnet import gpu

__all__ = ["Peaks", "main", "reached", "row", "seconds"]

_DEVICE = "cuda"
_COPIED_BYTES = 1 << 30
_SIDE_ELEMENTS = 8192
_SECONDS = 480.0
_TABLES = ("torch", "triton")


class Peaks(NamedTuple):
    """Peak rates of the GPU."""

    bandwidth: float
    """Bytes a second, read and written, of a copy."""
    products: float
    """Operations a second of cuBLAS in bfloat16."""


def _seconds(call: Callable[[], Any]) -> float:
    return float(testing.do_bench(call)) / 1e3


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
    }


def _kernels() -> Iterator[Item]:
    """The cases of the Triton table; their peaks are measured once."""
    peaks = cache(measured_peaks)
    for case in cases(_DEVICE):

        def run(case: Case = case) -> Result:
            return row(case, peaks(), *seconds(case))

        yield Item("Kernels", case.name, run)


def reached(session: Session, own: list[Case]) -> list[str]:
    """Lines that say which targets the cases reached."""
    lines = []
    for case in own:
        result = session.items.get(f"Kernels: {case.name}", {})
        if "ms" not in result:
            continue
        share = result["share of the peak"] if case.moved else 0.0
        value = Reached(case, share, result["torch / ours"])
        lines += [target.line(value) for target in TARGETS if target.is_of(case)]
    return lines


def _machine() -> dict[str, str]:
    return {
        "GPU": torch.cuda.get_device_name(),
        "GPUs": str(torch.cuda.device_count()),
        "torch": torch.__version__,
        "triton": triton.__version__,
    }


def _items() -> list[Item]:
    """All items, those that say most first."""
    contexts = [gpu(k) for k in range(min(torch.cuda.device_count(), 2))]
    checks = [item for c in contexts for item in gpu_checks.items(c, _TABLES)]
    captures = [item for item in checks if item.stage == "Captures"]
    nets = gpu_nets.items(contexts[0], _DEVICE, _TABLES, gpu_nets.FULL, _seconds)
    return [
        *captures,
        *(item for item in checks if item.stage != "Captures"),
        *nets,
        *_kernels(),
    ]


def main(arguments: list[str]) -> None:
    """Run what has no result yet, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", default="", help="of the names of what is run")
    parser.add_argument("--out", type=Path, default=Path("bench-output/gpu"))
    parser.add_argument("--seconds", type=float, default=_SECONDS)
    options = parser.parse_args(arguments)
    if not torch.cuda.is_available():
        sys.exit("there is no CUDA device; nothing can be measured")
    session = Session(options.out, _machine(), options.seconds)
    items = [item for item in _items() if options.part in item.key]
    left = session.run(items)
    session.write_table(len(left), {"Targets": reached(session, list(cases("meta")))})
    failed = any(
        "error" in each or each.get("wrong", "none") != "none" for each in session.items.values()
    )
    sys.exit(failed or bool(left))


if __name__ == "__main__":
    main(sys.argv[1:])
