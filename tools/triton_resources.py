"""Compile every kernel of the Triton table for GPUs that need not be there.

The result is written to benchmarks/triton_resources.md.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import triton

from benchmarks.gpu_case import Case
from benchmarks.gpu_cases import cases
from hy_kernels.triton.ahead import Resources, compiled
from hy_kernels.triton.runtime._launch import Launch, recorded

__all__ = ["CAPABILITIES", "Named", "Row", "launched", "lines", "rows", "written"]

CAPABILITIES = (80, 90)
Row = tuple[str, str, int, Resources, bool]
"""Case, function, capability, what it takes, and whether it has to do without spilled registers."""
Named = tuple[Case, str, Launch]
"""A launch of a case, and the name of its function; of another of that name, with a number."""
_FILE = Path(__file__).parents[1] / "benchmarks" / "triton_resources.md"
_HEAD = """\
# Registers and shared memory of the Triton kernels

Written by `python -m tools.triton_resources`, which compiles them ahead of time by Triton
{version}, for A100 (sm_80) and H100 or H200 (sm_90): registers a thread, bytes of shared memory a
program, bytes of registers a thread that are spilled to memory. Nothing here was measured on a GPU.

| Case | Function | sm_80 | sm_90 |
|---|---|---|---|
"""


def launched() -> list[Named]:
    """Every launch of every case, once where a case has several of the same."""
    found: list[Named] = []
    for case in cases("meta"):
        with recorded() as launches:
            case.run()
        different: list[Launch] = []
        for each in launches:
            if not any(
                each.kernel is x.kernel and each.constants == x.constants for x in different
            ):
                different.append(each)
                number = sum(each.name == x.name for x in different)
                found.append((case, each.name + f"_{number}" * (number > 1), each))
    return found


def rows(launches: Sequence[Named]) -> list[Row]:
    """Launches compiled, for each GPU."""
    return [
        (case.name, name, capability, compiled(each, capability), case.hot)
        for case, name, each in launches
        for capability in CAPABILITIES
    ]


def lines(found: Sequence[Row]) -> list[str]:
    """Return the rows of the table, one for each launch."""
    columns: dict[tuple[str, str], dict[int, str]] = {}
    for case, function, capability, taken, _ in found:
        text = f"{taken.registers}, {taken.shared}, {taken.spilled}"
        columns.setdefault((case, function), {})[capability] = text
    return [
        f"| {case} | `{function}` | {' | '.join(texts[each] for each in CAPABILITIES)} |"
        for (case, function), texts in columns.items()
    ]


def written(found: Sequence[Row]) -> str:
    """Return the text of the file."""
    return _HEAD.format(version=triton.__version__) + "".join(f"{x}\n" for x in lines(found))


if __name__ == "__main__":
    made = rows(launched())
    _FILE.write_text(written(made), "utf-8")
    spilled = [row for row in made if row[3].spilled and row[4]]
    for row in spilled:
        print(f"{row[0]}: {row[1]} spills {row[3].spilled} bytes on sm_{row[2]}")
    sys.exit(bool(spilled))
