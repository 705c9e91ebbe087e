"""Every kernel of the Triton table compiles for A100 and H100; the hot ones spill no registers."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import triton

from benchmarks.gpu_cases import cases
from hy_kernels.triton._launch import recorded

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "triton.md"
DEVICE = ROOT / "packages/hy-kernels/src/hy_kernels/triton/device"
ROW = re.compile(r"\| (.+) \| `(\w+)` \| (\d+), (\d+), (\d+) \| (\d+), (\d+), (\d+) \|")


@pytest.mark.slow
def test_every_kernel_compiles_and_takes_what_the_page_says() -> None:
    program = (
        "import tools.triton_resources as t\n"
        "made = t.rows()\n"
        "assert not [row for row in made if row[3].spilled and row[4]], made\n"
        "print(t.written(made), end='')"
    )
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(  # noqa: S603  # our own program
        command, check=False, capture_output=True, text=True, cwd=ROOT, env=environment
    )
    assert done.returncode == 0, done.stderr
    page = PAGE.read_text("utf-8")
    same_cases = [found[:2] for found in ROW.findall(done.stdout)]
    assert same_cases == [found[:2] for found in ROW.findall(page)], (
        "python -m tools.triton_resources"
    )
    if f"\n{triton.__version__}, for A100" in page:
        assert done.stdout == page, "run `python -m tools.triton_resources`"


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
    entered = {found[1] for found in ROW.findall(PAGE.read_text("utf-8"))}
    assert set(kernels()) <= entered


def test_no_program_takes_more_shared_memory_than_a_multiprocessor_lends() -> None:
    rows = ROW.findall(PAGE.read_text("utf-8"))
    assert rows
    assert max(int(row[3]) for row in rows) <= 163 << 10  # A100
    assert max(int(row[6]) for row in rows) <= 227 << 10  # H100 and H200


def test_grids_of_the_cases_fit_a_gpu() -> None:
    with recorded() as launches:
        for case in cases("meta"):
            case.run()
    assert launches
    assert all(max(each.grid[1:], default=1) < 1 << 16 for each in launches)
