"""Compile every kernel of the Triton table for GPUs that need not be there: docs/triton.md."""

import sys
from pathlib import Path

import triton

from benchmarks.gpu_cases import cases
from hy_kernels.triton._launch import recorded
from hy_kernels.triton.ahead import Resources, compiled

__all__ = ["CAPABILITIES", "Row", "rows"]

CAPABILITIES = (80, 90)
Row = tuple[str, str, int, Resources, bool]
"""Case, function, capability, what it takes, and whether it has to do without spilled registers."""
_FILE = Path(__file__).parents[1] / "docs" / "triton.md"
_HEAD = """\
# What the kernels of the Triton table take of a GPU

Written by `python -m tools.triton_resources`, which compiles them ahead of time by Triton
{version}, for A100 (sm_80) and H100 or H200 (sm_90): registers a thread, bytes of shared memory a
program, bytes of registers a thread that are spilled to memory. Nothing here was measured on a GPU.

| Case | Function | sm_80 | sm_90 |
|---|---|---|---|
"""


def rows() -> list[Row]:
    """Every launch of every case, compiled."""
    found = []
    for case in cases("meta"):
        with recorded() as launches:
            case.run()
        for each in launches:
            for capability in CAPABILITIES:
                taken = compiled(each, capability)
                found.append((case.name, each.name, capability, taken, case.hot))
    return found


def written(found: list[Row]) -> str:
    """The page."""
    lines: dict[tuple[str, str], dict[int, str]] = {}
    for case, function, capability, taken, _ in found:
        text = f"{taken.registers}, {taken.shared}, {taken.spilled}"
        lines.setdefault((case, function), {})[capability] = text
    body = (
        f"| {case} | `{function}` | {' | '.join(texts[each] for each in CAPABILITIES)} |\n"
        for (case, function), texts in lines.items()
    )
    return _HEAD.format(version=triton.__version__) + "".join(body)


if __name__ == "__main__":
    made = rows()
    _FILE.write_text(written(made), "utf-8")
    spilled = [row for row in made if row[3].spilled and row[4]]
    for row in spilled:
        print(f"{row[0]}: {row[1]} spills {row[3].spilled} bytes on sm_{row[2]}")
    sys.exit(bool(spilled))
