"""Files that programs write are as the programs would write them now."""

import subprocess
import sys
from pathlib import Path

from tools import operators, speed_chart, stubs

AGAIN = "run `hatch run generate`"


def test_the_page_of_operators_is_current() -> None:
    assert operators.PAGE.read_text(encoding="utf-8") == operators.page(), AGAIN


def test_the_stubs_of_operators_are_current() -> None:
    expected = stubs.stubs()
    found = {file for folder in stubs.FOLDERS for file in folder.glob("*.pyi")}
    assert found <= set(expected), AGAIN
    for file, text in expected.items():
        assert file.read_text(encoding="utf-8") == text, f"{file.name}: {AGAIN}"


def test_the_chart_of_speed_is_that_of_the_table() -> None:
    page = speed_chart.PAGE.read_text(encoding="utf-8")
    table, _, _ = page[page.index("| Workload |") :].partition("\n\n")
    assert len(speed_chart.rows(page)) == len(table.splitlines()) - 2
    assert speed_chart.CHART.read_text(encoding="utf-8") == speed_chart.picture(), AGAIN


def test_the_list_of_kernels_is_current() -> None:
    """In a fresh process: it reads what modules enter while they are imported."""
    command = [sys.executable, "-m", "tools.kernel_index", "--check"]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, f"{done.stdout}{done.stderr}: {AGAIN}"
