"""Time the Triton table on a GPU: python -m benchmarks.gpu [part of a name] > table.md.

Of each case: milliseconds, bytes or operations a second, the share of the copy bandwidth or of the
matrix peak that were measured just before, and how much longer torch takes, as it is and compiled.
Below the table are the marks that the cases were to reach. A case that fails is told in its row,
and the others go on; then the exit status is 1.
"""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import triton
from triton import testing

from benchmarks.gpu_case import Case
from benchmarks.gpu_cases import cases
from benchmarks.gpu_marks import MARKS, Reached

__all__ = ["Peaks", "line", "main", "seconds"]

_DEVICE = "cuda"
_COPIED = 1 << 30
_SIDE = 8192
_HEAD = """\
| Case | ms | rate | of the peak | torch ÷ ours | compiled ÷ ours |
|---|---|---|---|---|---|"""


class Peaks(NamedTuple):
    """What the GPU can do."""

    bandwidth: float
    """Bytes a second, read and written, of a copy."""
    products: float
    """Operations a second of cuBLAS in bfloat16."""


def _seconds(call: Callable[[], Any]) -> float:
    return float(testing.do_bench(call)) / 1e3


def measured_peaks() -> Peaks:
    """Copy a gibibyte; multiply two matrices."""
    source = torch.empty(_COPIED, dtype=torch.uint8, device=_DEVICE)
    goal = torch.empty_like(source)
    a = torch.randn(_SIDE, _SIDE, dtype=torch.bfloat16, device=_DEVICE)
    copied = 2 * _COPIED / _seconds(lambda: goal.copy_(source))
    return Peaks(copied, 2 * _SIDE**3 / _seconds(lambda: a @ a))


def seconds(case: Case) -> tuple[float, float, float]:
    """Of ours, of torch, and of what torch compiles.

    What was compiled before is forgotten: beyond some variants of one function torch compiles no
    more, and says nothing.
    """
    torch.compiler.reset()
    compiled = torch.compile(case.torch)
    return _seconds(case.run), _seconds(case.torch), _seconds(compiled)


def line(case: Case, peaks: Peaks, ours: float, theirs: float, compiled: float) -> str:
    """The row of a case.

    Args:
        case: It.
        peaks: What the GPU can do.
        ours: Seconds of the Triton table.
        theirs: Of torch.
        compiled: Of ``torch.compile``.
    """
    if case.moved:
        rate, share, unit = case.moved / ours / 1e9, case.moved / ours / peaks.bandwidth, "GB/s"
    else:
        rate, share, unit = case.work / ours / 1e12, case.work / ours / peaks.products, "TFLOP/s"
    ratios = f"{theirs / ours:.2f} | {compiled / ours:.2f}"
    return f"| {case.name} | {ours * 1e3:.4f} | {rate:.1f} {unit} | {share:.0%} | {ratios} |"


def main(part: str = "") -> None:
    """Print the table of the cases whose names have ``part``."""
    if not torch.cuda.is_available():
        sys.exit("there is no CUDA device; nothing can be measured")
    peaks = measured_peaks()
    name = torch.cuda.get_device_name()
    print(f"{name}, torch {torch.__version__}, triton {triton.__version__}: ", end="")
    print(
        f"copy {peaks.bandwidth / 1e9:.0f} GB/s, bf16 products {peaks.products / 1e12:.0f} TFLOP/s"
    )
    print(_HEAD)
    found, failed = list[Reached](), False
    for case in cases(_DEVICE):
        if part not in case.name:
            continue
        try:
            times = seconds(case)
        except Exception as error:  # one that fails does not cost the others their time
            failed = True
            reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
            print(f"| {case.name} | {reason.replace('|', '/')} | | | | |", flush=True)
            continue
        print(line(case, peaks, *times), flush=True)
        ours, theirs, _ = times
        share = (case.moved or 0) / ours / peaks.bandwidth
        found.append(Reached(case, share, theirs / ours))
    print()
    for mark in MARKS:
        for reached in found:
            if mark.is_of(reached.case):
                print(mark.line(reached))
    sys.exit(failed)


if __name__ == "__main__":
    main(*sys.argv[1:2])
