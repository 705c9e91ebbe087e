"""The examples of layers and losses run, and their public names are declared and exported."""

import doctest
import importlib
import inspect
import pkgutil
from types import ModuleType

import pytest

from hy_gluon import contrib, loss, nn, rnn
from hy_gluon.nn._axes import OverAxes
from hy_ndarray import autograd, nd

MODULES = [
    (package, module.name)
    for package in (nn, loss, rnn, contrib.nn, contrib.cnn, contrib.rnn)
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    if not module.ispkg
]
PUBLIC = [(package, name) for package, name in MODULES if "._" not in name]


@pytest.mark.parametrize("name", [name for _, name in MODULES])
def test_docstring_examples_run(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module, extraglobs={"nd": nd, "autograd": autograd}).failed == 0


@pytest.mark.parametrize(("package", "name"), PUBLIC, ids=[name for _, name in PUBLIC])
def test_public_names_are_exported(package: ModuleType, name: str) -> None:
    module = importlib.import_module(name)
    offered = [n for n in module.__all__ if isinstance(getattr(module, n), type)]
    assert [n for n in offered if not hasattr(package, n)] == []


PER_AXIS = [
    layer
    for package in (nn, rnn)
    for name, layer in vars(package).items()
    if any(f"{axes}D" in name for axes in (1, 2, 3)) and issubclass(layer, OverAxes)
]


@pytest.mark.parametrize("layer", PER_AXIS, ids=lambda layer: layer.__name__)
def test_layers_of_each_number_of_axes_are_documented(layer: type) -> None:
    text = inspect.getdoc(layer)
    assert text is not None
    first, second = text.splitlines()[:2]
    assert (first[-1], second) == (".", "")
    arguments = [name for name in inspect.signature(layer).parameters if name != "kwargs"]
    assert [name for name in arguments if f"    {name}: " not in text] == []
    (example,) = doctest.DocTestFinder(recurse=False).find(layer)
    assert example.examples
    assert "{" not in text


def test_a_subclass_may_have_arguments_of_its_own() -> None:
    class Small(nn.Conv2D):
        """A convolution of three channels."""

        def __init__(self, kernel_size: int = 3) -> None:
            super().__init__(3, kernel_size)

    assert list(inspect.signature(Small).parameters) == ["kernel_size"]
    assert repr(Small()) == "Small(None -> 3, kernel_size=(3, 3), stride=(1, 1))"
    assert Small.__doc__ == "A convolution of three channels."
