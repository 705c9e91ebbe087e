"""The examples in the docstrings of hy-symbol run, and public modules declare their names."""

import doctest
import importlib
import pkgutil
from types import ModuleType

import pytest

import hy_symbol

MODULES = sorted(module.name for module in pkgutil.walk_packages(hy_symbol.__path__, "hy_symbol."))


@pytest.fixture(params=MODULES)
def module(request: pytest.FixtureRequest) -> ModuleType:
    return importlib.import_module(request.param)


@pytest.mark.usefixtures("_on_numpy")  # its buffers
def test_docstring_examples_run(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


def test_declared_names_exist(module: ModuleType) -> None:
    for name in getattr(module, "__all__", ()):
        assert hasattr(module, name), f"{module.__name__} declares {name!r}, which it has not"
