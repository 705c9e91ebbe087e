"""Compile kernels of the Triton table for GPUs that need not be there.

``python -m tools.triton_resources`` compiles all, in several processes, and writes a row for each
function to benchmarks/triton_resources.md, which is committed, and one for each launch to
bench-output/triton_resources.md, which is not. CI has no time for all: its tests compile some of
the launches, and count those of the page. With an argument it prints the launches whose case and
function match that regular expression, for H100 alone. What Triton has compiled before it finds in
its cache.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import triton

from benchmarks.gpu_case import Case
from benchmarks.gpu_cases import cases
from hy_kernels.triton.ahead import Resources, compiled
from hy_kernels.triton.runtime._launch import Launch, recorded

__all__ = [
    "CAPABILITIES",
    "HOPPER",
    "Named",
    "Row",
    "function_of",
    "launched",
    "lines",
    "rows",
    "summary",
    "written",
]

HOPPER = 90  # compute capability 9.0
CAPABILITIES = (80, HOPPER)
Named = tuple[Case, str, Launch]
"""A launch of a case, and the name of its function; of another of that name, with a number."""
_ROOT = Path(__file__).parents[1]
_FILE = _ROOT / "benchmarks" / "triton_resources.md"
_EVERY = _ROOT / "bench-output" / "triton_resources.md"
_SLICES = 32  # tasks that the processes share
_NONE = "-"
_HEAD = """\
# Registers, memory and instructions of the Triton kernels

Written by `python -m tools.triton_resources`, which compiles them ahead of time by Triton
{version}, for A100 (sm_80) and H100 or H200 (sm_90a): registers a thread, bytes of shared memory a
program, bytes of registers a thread that are spilled to memory. On sm_90a also how global memory is
read (copies of tiles by descriptors, asynchronous copies to shared memory, vectors, or single
elements) and by which instruction matrices are multiplied, in how many launches. Of registers and
memory it is the most of any launch. Nothing here was measured on a GPU. The command also writes a
row for each launch to `bench-output/triton_resources.md`, which is not committed.

Of {hot} frequently used launches on sm_90a {elements} read single elements alone, {spilling} spill,
and {wgmma} of {products} with products use wgmma, which takes 64 rows: tiles of the others
have fewer.
"""
_TABLE = """
## {title}

| Function | Launches | sm_80 | sm_90a | Loads | Products |
|---|---|---|---|---|---|
"""
_LAUNCHES = """\
# Launches of the Triton kernels

As [benchmarks/triton_resources.md](../benchmarks/triton_resources.md), for each launch.

| Case | Function | sm_80 | sm_90a | Loads | Products |
|---|---|---|---|---|---|
"""


class Row(NamedTuple):
    """A launch as it was compiled."""

    case: str
    function: str
    capability: int
    taken: Resources
    hot: bool
    """Whether it has to do without spilled registers."""


def launched(capability: int = HOPPER) -> list[Named]:
    """Return every launch of every case on a GPU, once where a case has several of the same."""
    named: list[Named] = []
    with recorded(capability):
        every = [*cases("meta")]
    for case in every:
        with recorded(capability) as launches:
            case.run()
        different: list[Launch] = []
        for each in launches:
            if not any(
                each.kernel is x.kernel and each.constants == x.constants for x in different
            ):
                different.append(each)
                number = sum(each.name == x.name for x in different)
                named.append((case, each.name + f"_{number}" * (number > 1), each))
    return named


def rows(launches: Sequence[Named], capability: int = HOPPER) -> list[Row]:
    """Launches compiled for a GPU."""
    return [
        Row(case.name, name, capability, taken=compiled(each, capability), hot=case.hot)
        for case, name, each in launches
    ]


def _slice(capability: int, part: int) -> list[Row]:
    return rows(launched(capability)[part::_SLICES], capability)


def _every(capability: int) -> list[Row]:
    """Compile all launches for a GPU, in several processes; in the order of the cases."""
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        parts = [*pool.map(partial(_slice, capability), range(_SLICES))]
    count = sum(map(len, parts))
    return [parts[k % _SLICES][k // _SLICES] for k in range(count)]


def lines(measured_rows: Sequence[Row]) -> list[str]:
    """Return the rows of a table, one for each launch."""
    columns: dict[tuple[str, str], dict[int, Resources]] = {}
    for row in measured_rows:
        columns.setdefault((row.case, row.function), {})[row.capability] = row.taken
    return [f"| {case} | `{name}` | {_cells(taken)} |" for (case, name), taken in columns.items()]


def _cells(taken: Mapping[int, Resources]) -> str:
    sizes = [
        ", ".join(map(str, taken[each][:3])) if each in taken else _NONE for each in CAPABILITIES
    ]
    newest = taken.get(HOPPER)
    access = (_NONE, _NONE) if newest is None else (newest.loads or _NONE, newest.products or _NONE)
    return " | ".join((*sizes, *access))


def function_of(name: str) -> str:
    """Return the function's name of a launch, without the number of several of a case."""
    return re.sub(r"_\d+$", "", name)


def summary(rows: Sequence[Row]) -> list[str]:
    """Return the rows of a table, one for each function."""
    functions: dict[str, list[Row]] = {}
    for row in rows:
        functions.setdefault(function_of(row.function), []).append(row)
    return [_line(name, own) for name, own in sorted(functions.items())]


def _line(name: str, rows: Sequence[Row]) -> str:
    taken = {each: [row.taken for row in rows if row.capability == each] for each in CAPABILITIES}
    newest = taken[HOPPER]
    largest = [
        ", ".join(str(max(sizes)) for sizes in zip(*[x[:3] for x in own], strict=True)) or _NONE
        for own in taken.values()
    ]
    how = [_counted(x.loads for x in newest), _counted(x.products for x in newest)]
    return f"| `{name}` | {len(newest)} | {' | '.join([*largest, *how])} |"


def _counted(kinds: Iterable[str]) -> str:
    counts = Counter(filter(None, kinds)).most_common()
    return ", ".join(f"{kind} {count}" for kind, count in counts) or _NONE


def written(measured_rows: Sequence[Row]) -> str:
    """Return the text of the file."""
    hot = [row.taken for row in measured_rows if row.hot and row.capability == HOPPER]
    text = _HEAD.format(
        version=triton.__version__,
        hot=len(hot),
        elements=sum(each.loads == "elements" for each in hot),
        spilling=sum(each.spilled > 0 for each in hot),
        wgmma=sum(each.products == "wgmma" for each in hot),
        products=sum(each.products != "" for each in hot),
    )
    for title, is_hot in (("Frequently used", True), ("Compiled only", False)):
        own = [row for row in measured_rows if row.hot == is_hot]
        text += _TABLE.format(title=title) + "".join(f"{x}\n" for x in summary(own))
    return text


def _print_selection(pattern: str) -> int:
    every = launched()
    selected = [x for x in every if re.search(pattern, f"{x[0].name} {x[1]}")]
    print(*lines(rows(selected)), sep="\n")
    return 0


def _write_page() -> int:
    measured_rows = [row for capability in CAPABILITIES for row in _every(capability)]
    _FILE.write_text(written(measured_rows), "utf-8")
    _EVERY.parent.mkdir(exist_ok=True)
    _EVERY.write_text(_LAUNCHES + "".join(f"{x}\n" for x in lines(measured_rows)), "utf-8")
    spilled = [row for row in measured_rows if row.taken.spilled and row.hot]
    for row in spilled:
        print(f"{row.case}: {row.function} spills {row.taken.spilled} bytes on sm_{row.capability}")
    return int(bool(spilled))


if __name__ == "__main__":
    sys.exit(_print_selection(sys.argv[1]) if sys.argv[1:] else _write_page())
