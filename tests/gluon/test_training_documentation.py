"""The examples of what trains, quantizes or converts run; public names are exported."""

import doctest
import importlib
import pkgutil
from pathlib import Path
from types import ModuleType

import pytest

from hy_gluon import (
    amp,
    averaging,
    data,
    gradients,
    initializer,
    lora,
    lr_scheduler,
    optimizer,
    parameter,
    pretrained,
    quantization,
    trainer,
    utils,
)
from hy_gluon.model_zoo import transformer
from hy_ndarray import nd

PACKAGES = (amp, data, initializer, optimizer, parameter, pretrained, quantization, transformer)
INSIDE = [
    (package, name)
    for package in PACKAGES
    for _, name, is_package in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    if not is_package
]
MODULES = [importlib.import_module(name) for _, name in INSIDE]
MODULES += [averaging, gradients, lora, lr_scheduler, trainer, utils]


def offered_by(module: ModuleType) -> list[str]:
    """Return the names that a module declares, or defines if it is private."""
    if not module.__name__.rpartition(".")[2].startswith("_"):
        return list(module.__all__)
    own = [name for name in vars(module) if not name.startswith("_")]
    return [n for n in own if getattr(vars(module)[n], "__module__", "") == module.__name__]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_docstring_examples_run(
    module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some write files
    assert doctest.testmod(module, extraglobs={"nd": nd}).failed == 0


def test_docstring_example_of_pretrained_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(pretrained).failed == 0


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_modules_declare_what_they_offer(module: ModuleType) -> None:
    for name in offered_by(module):
        assert hasattr(module, name), name


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_classes_are_exported(package: ModuleType) -> None:
    inside = [importlib.import_module(name) for owner, name in INSIDE if owner is package]
    offered = {
        name
        for module in inside
        for name in offered_by(module)
        if isinstance(getattr(module, name), type)
    }
    internal = {
        "Call",
        "CapturedStep",
        "DataLoaderV1",
        "Described",
        "GroupAdaGrad",
        "HasRule",
        "ParameterValues",
        "LoadedStates",
        "Model",
        "Options",
        "ParameterRates",
        "ParameterStorage",
        "Registry",
        "SharedBatch",
        "ProcessWorkers",
        "Rates",
        "RuleProgram",
        "Settings",
        "Shaped",
        "State",
        "Step",
        "StepPlan",
        "Values",
        "Work",
        "WorkRow",
        "ThreadWorkers",
        *("Append", "AsList", "Group", "Pad", "Stack"),  # of data.batchify
        "_DownloadedDataset",
        "WorkerFailure",
        "Workers",
    }
    assert {name for name in offered - internal if not hasattr(package, name)} == set()
