"""Every kernel of the Triton table compiles for A100 and H100; the hot ones spill no registers."""

import ast
import json
import linecache
import os
import re
import subprocess
import sys
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from benchmarks.gpu_cases import cases
from hy_kernels.triton._formula import FUNCTIONS
from hy_kernels.triton.linalg.matmul import ACTIVATIONS
from hy_kernels.triton.runtime._launch import Launch, recorded
from tools.triton_resources import HOPPER, launched, written

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "benchmarks" / "triton_resources.md"
DEVICE = ROOT / "packages/hy-kernels/src/hy_kernels/triton/device"
MASKS = {"none", "added", "where", "both"}
CHOICES = (
    ("attention_forward", "MASK", MASKS),
    ("attention_parts", "MASK", MASKS),
    ("attention_backward_keys", "MASK", MASKS),
    ("attention_backward_queries", "MASK", MASKS),
    ("attention_backward_keys", "PART", {"both", "keys", "values"}),
    ("pooled_windows", "OUTPUT", {"result", "places", "values"}),
    ("pooled_windows", "KIND", {"max", "avg", "sum", "lp"}),
    ("pooled_windows_backward", "KIND", {"max", "avg", "sum", "lp"}),
    ("convolved_tiles", "ACTIVATION", set(ACTIVATIONS)),
    ("normalize_rows", "ACTIVATION", set(ACTIVATIONS)),
    ("product_tiles", "ACTIVATION", set(ACTIVATIONS)),
    ("aligned_regions", "SAMPLES", {0, 2}),
)
"""What kernels are compiled for by name, or by a number that means another way."""
ROW = re.compile(r"\| `(\w+)` \| (\d+) \| .+ \|")
"""Function of a row of the page, and how many launches of it there are."""
SHARED = {80: 163 << 10, 90: 227 << 10}
"""Bytes that a multiprocessor of an A100, and of an H100 or H200, lends a program."""
BY_ELEMENTS = {
    "windows along rows overlap or have gaps": r"^pool.* NCHW .*",
    "a few numbers of each block, array or channel": (
        r"array_totals|lamb_ratios|channel_statistics_merged|multi_all_finite .* fused"
    ),
    "boxes of four numbers, and samples anywhere": r"suppression_\w+|aligned_regions",
    "a block's sums of rows of odd length, which are few": (
        r"^(rms|layer)_norm backward \w+ 4096x1001 fused"
    ),
}
"""Frequent launches that may read single elements, by the reason."""
_TO_WEIGHT = "convolution to weight by 64x64x32x4x4 float32 32x40x28x28 convolved_weight_tiles"
SPILLED = {(80, _TO_WEIGHT): 8}
"""Bytes that frequent launches may spill: an A100 has other tiles of float32 to choose."""


PARTS = 48
"""Sets of kernels that are compiled by themselves; the fast tests take three."""


def told(program: str) -> list[str]:
    """What a program about the page prints, by a process where Triton compiles."""
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-c",
        f"import tools.triton_resources as t\n{program}",
    ]
    done = subprocess.run(  # noqa: S603  # our own program
        command, check=False, capture_output=True, text=True, cwd=ROOT, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("capability", SHARED)
@pytest.mark.parametrize("part", range(PARTS))
def test_kernels_compile_and_take_what_a_gpu_has(part: int, capability: int) -> None:
    found = told(
        "import json\n"
        f"made = t.rows(t.launched({capability})[{part}::{PARTS}], {capability})\n"
        "print(json.dumps([[f'{x.case} {x.function}', x.hot, *x.taken] for x in made]))"
    )
    rows = json.loads(found[-1])
    assert rows
    assert [row for row in rows if row[3] > SHARED[capability]] == []
    hot = [row for row in rows if row[1]]
    spilled = [row for row in hot if row[4] > SPILLED.get((capability, row[0]), 0)]
    assert spilled == [], "registers are spilled"
    if capability == HOPPER:
        excepted = re.compile("|".join(BY_ELEMENTS.values()))
        by_elements = [name for name, *_, loads, _ in hot if loads == "elements"]
        assert [name for name in by_elements if not excepted.search(name)] == []
        older = [name for name, *_, products in hot if products == "mma"]
        small = re.compile(r" by 32x64x| of few queries")
        assert [name for name in older if not small.search(name)] == [], "of few rows alone"


@pytest.mark.slow
def test_the_page_counts_every_launch_of_every_case() -> None:
    *_, line = told(
        "from collections import Counter\n"
        "print(dict(Counter(t.function_of(name) for _, name, _ in t.launched())))"
    )
    found: Counter[str] = Counter()
    for name, count in ROW.findall(PAGE.read_text("utf-8")):
        found[name] += int(count)
    assert ast.literal_eval(line) == found, "run `python -m tools.triton_resources`"


def test_the_page_begins_with_the_words_of_the_tool() -> None:
    words = re.sub(r"\d+", "0", written([])).partition("\n## ")[0]
    page = re.sub(r"\d+", "0", PAGE.read_text("utf-8")).partition("\n## ")[0]
    assert page == words, "run `python -m tools.triton_resources`"


def kernels() -> dict[str, ast.FunctionDef]:
    """Functions on the device that are launched: those with an argument a line."""
    found = {}
    for file in DEVICE.glob("*.py"):
        text = file.read_text("utf-8")
        names = set(re.findall(r"@triton\.jit\ndef ([a-z]\w*)\(\n", text))
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and node.name in names:
                found[node.name] = node
    return found


@pytest.mark.parametrize("name", kernels())
def test_a_kernel_says_what_bytes_it_moves(name: str) -> None:
    assert "Bytes: " in (ast.get_docstring(kernels()[name]) or "")


@pytest.mark.parametrize("name", kernels())
def test_a_kernel_says_of_each_argument_what_it_is(name: str) -> None:
    node = kernels()[name]
    (text,) = (f.read_text("utf-8") for f in DEVICE.glob("*.py") if f"def {name}(" in f.read_text())
    lines = text.splitlines()
    own = [lines[each.lineno - 1] for each in node.args.args]
    assert any("_ptr" in line for line in own)
    assert [line for line in own if "  # " not in line] == []


@pytest.mark.parametrize("file", sorted(DEVICE.glob("*.py")), ids=lambda file: file.stem)
def test_a_file_of_kernels_says_whose_algorithm_it_is(file: Path) -> None:
    text = file.read_text("utf-8")
    if re.search(r"@triton\.jit\ndef [a-z]\w*\(\n", text):
        said = ast.get_docstring(ast.parse(text)) or ""
        assert re.search(r"\b(19|20)\d\d\b|[Aa]s in\s|tutorial", said)


def test_every_function_on_the_device_is_compiled_by_a_case() -> None:
    """What no case launches nobody has compiled."""
    assert set(kernels()) <= {each.name for each in launches()}


@lru_cache(maxsize=1)
def launches() -> list[Launch]:
    """All launches of the cases."""
    return [each for _, _, each in launched()]


def _called(source: str) -> set[str]:
    """Functions that code calls, of whatever module."""
    calls = (node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return {
        each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in calls
    }


def test_every_function_of_one_element_is_compiled_by_a_case() -> None:
    files = {each.kernel.fn.__code__.co_filename for each in launches() if each.name == "fused"}
    codes = ["".join(linecache.getlines(file)) for file in files]
    assert set(FUNCTIONS) - set().union(*map(_called, codes)) == set()


def test_every_choice_of_a_kernel_is_compiled_by_a_case() -> None:
    """Of what is a boolean, or a name, all that any launch of a test or a program asks for."""
    seen: dict[tuple[str, str], set[Any]] = {}
    for each in launches():
        for name, value in each.constants.items():
            seen.setdefault((each.name, name), set()).add(value)
    booleans = {
        key
        for key, values in seen.items()
        if values & {True, False} and all(isinstance(x, bool) for x in values)
    }
    assert len(booleans) > 40
    assert {key for key in booleans if seen[key] != {True, False}} == set()
    for kernel, name, values in CHOICES:
        assert seen[kernel, name] == values, (kernel, name)


def test_grids_of_the_cases_fit_a_gpu() -> None:
    with recorded() as launches:
        for case in cases("meta"):
            case.run()
    assert launches
    assert all(max(each.grid[1:], default=1) < 1 << 16 for each in launches)
