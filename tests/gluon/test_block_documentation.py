"""The examples of blocks, and of what is below them, run."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

from hy_gluon import block, execution, trace
from hy_ndarray import nd
from hy_symbol import sym

FOLDERS = (block, execution, trace)
NAMES = ["hy_gluon.files"] + [
    module.name
    for folder in FOLDERS
    for module in pkgutil.iter_modules(folder.__path__, f"{folder.__name__}.")
]


@pytest.mark.parametrize("name", NAMES)
def test_docstring_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    assert doctest.testmod(module, extraglobs={"nd": nd, "sym": sym}).failed == 0
