"""The examples of blocks, and of what is below them, run."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

from hy_gluon import block
from hy_ndarray import nd
from hy_symbol import sym

NAMES = ["hy_gluon.cached_op", "hy_gluon.optimized", "hy_gluon.files", "hy_gluon._recent"] + [
    module.name for module in pkgutil.iter_modules(block.__path__, f"{block.__name__}.")
]


@pytest.mark.parametrize("name", NAMES)
def test_docstring_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    assert doctest.testmod(module, extraglobs={"nd": nd, "sym": sym}).failed == 0
