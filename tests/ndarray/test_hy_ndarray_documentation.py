"""The examples in the docstrings of hy-ndarray run, and public modules declare their names."""

import doctest
import importlib
import pkgutil
from types import ModuleType

import numpy as np
import pytest

import hy_ndarray
from hy_ndarray import nd
from hy_ndarray.ops import Operator, operators

MODULES = sorted(
    module.name for module in pkgutil.walk_packages(hy_ndarray.__path__, "hy_ndarray.")
)


@pytest.fixture(params=MODULES)
def module(request: pytest.FixtureRequest) -> ModuleType:
    return importlib.import_module(request.param)


@pytest.mark.usefixtures("_on_numpy")  # one names it
def test_docstring_examples_run(module: ModuleType) -> None:
    assert doctest.testmod(module, extraglobs={"np": np}).failed == 0


@pytest.mark.parametrize(
    "op", [op for op in operators() if ">>>" in op.doc], ids=lambda op: op.name
)
def test_operator_examples_run(op: Operator) -> None:
    test = doctest.DocTestParser().get_doctest(op.doc, {"np": np, "nd": nd}, op.name, None, 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


def test_declared_names_exist(module: ModuleType) -> None:
    for name in getattr(module, "__all__", ()):
        assert hasattr(module, name), f"{module.__name__} declares {name!r}, which it has not"
