"""Warnings point to the line of the program that caused them."""

import re
import sys
import warnings
from pathlib import Path

import pytest

import hy_io._warning
import hy_kernels._warning
import hy_ndarray.warning
from hy_io import load_safetensors, save_safetensors
from tests.test_workspace import ALLOWED, ROOT

BY_LINE = {"hy_gluon/trace/fallback.py"}
"""Modules that warn of a line which no frame of the stack is at."""


def test_packages_warn_by_the_functions_that_find_the_line() -> None:
    direct = {
        path.relative_to(ROOT).as_posix().partition("/src/")[2]
        for path in ROOT.glob("packages/*/src/**/*.py")
        if re.search(r"\bwarnings\.warn\w*\(", path.read_text(encoding="utf-8"))
    }
    modules = {"hy_io/_warning.py", "hy_kernels/_warning.py", "hy_ndarray/warning.py"}
    assert direct == modules | BY_LINE


def test_frames_of_every_package_are_passed_over() -> None:
    for module in (hy_io._warning, hy_kernels._warning):
        assert set(ALLOWED) == module._WITHIN
    assert set(ALLOWED) <= hy_ndarray.warning._WITHIN


def test_a_reader_warns_at_the_line_that_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    import numpy as np  # noqa: PLC0415

    file = tmp_path / "a.safetensors"
    save_safetensors(file, {"x": np.ones(3, ml_dtypes.bfloat16)})
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        load_safetensors(file)
    assert [warning.filename for warning in seen] == [__file__]
