"""The examples of what trains, quantizes or converts run; public names are exported."""

import doctest
import importlib
import pkgutil
from types import ModuleType

import pytest

from hy_gluon import (
    amp,
    data,
    initializer,
    lr_scheduler,
    optimizer,
    parameter,
    quantization,
    trainer,
    utils,
)

PACKAGES = (amp, data, initializer, optimizer, parameter, quantization)
INSIDE = [
    (package, name)
    for package in PACKAGES
    for _, name, is_package in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    if not is_package
]
MODULES = [importlib.import_module(name) for _, name in INSIDE] + [lr_scheduler, trainer, utils]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_docstring_examples_run(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_modules_declare_what_they_offer(module: ModuleType) -> None:
    for name in module.__all__:
        assert hasattr(module, name), name


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_classes_are_exported(package: ModuleType) -> None:
    inside = [importlib.import_module(name) for owner, name in INSIDE if owner is package]
    offered = {
        name
        for module in inside
        for name in module.__all__
        if isinstance(getattr(module, name), type)
    }
    internal = {
        "Call",
        "CapturedStep",
        "DataLoaderV1",
        "Described",
        "GroupAdaGrad",
        "HasRule",
        "Joined",
        "Layout",
        "LoadedStates",
        "MisfitError",
        "Model",
        "ModelFiles",
        "Options",
        "ParameterStorage",
        "Registry",
        "SharedBatch",
        "ProcessWorkers",
        "RuleProgram",
        "Settings",
        "Single",
        "State",
        "StepProgram",
        "Values",
        "ThreadWorkers",
        *("Append", "AsList", "Group", "Pad", "Stack"),  # of data.batchify
        "Weights",
        "_DownloadedDataset",
        "Workers",
    }
    assert {name for name in offered - internal if not hasattr(package, name)} == set()
