"""The examples of layers and losses run, and their public names are declared and exported."""

import doctest
import importlib
import pkgutil
from types import ModuleType

import pytest

from hy_gluon import contrib, loss, nn, rnn
from hy_ndarray import autograd, nd

MODULES = [
    (package, module.name)
    for package in (nn, loss, rnn, contrib.nn, contrib.cnn, contrib.rnn)
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    if not module.ispkg
]
EACH = pytest.mark.parametrize(("package", "name"), MODULES, ids=[name for _, name in MODULES])


@EACH
def test_docstring_examples_run(package: ModuleType, name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module, extraglobs={"nd": nd, "autograd": autograd}).failed == 0


@EACH
def test_public_names_are_exported(package: ModuleType, name: str) -> None:
    module = importlib.import_module(name)
    offered = [n for n in module.__all__ if isinstance(getattr(module, n), type)]
    if "._" not in name:
        assert [n for n in offered if not hasattr(package, n)] == []
