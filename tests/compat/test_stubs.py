"""Type checkers see behind MXNet's paths what is there at run time."""

import runpy
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import mxnet
from mxnet import base, contrib, random
from mxnet._binding import own_names
from tools.alias_stubs import PACKAGE, offered, stubs, targets

STUBS = sorted(PACKAGE.rglob("*.pyi"))
ROOT = Path(__file__).parents[2]
LAZY = (mxnet, base, contrib, random)


def public(module: ModuleType) -> list[str]:
    """Names without an underscore that a module tells of itself."""
    return [name for name in own_names(module) or dir(module) if not name.startswith("_")]


def path_of(stub: Path) -> str:
    """The path that people import: ``mxnet.gluon.nn``."""
    parts = stub.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def shown(stub: Path) -> dict[str, Any]:
    """The public names of a stub, with what its imports find for them."""
    found = runpy.run_path(str(stub))
    return {name: value for name, value in found.items() if not name.startswith("_")}


@pytest.mark.slow
def test_the_checked_in_stubs_are_current() -> None:
    expected = stubs()
    found = {file: file.read_text(encoding="utf-8") for file in STUBS}
    assert found == expected, "run `hatch run alias-stubs`"


@pytest.mark.parametrize("stub", STUBS, ids=path_of)
def test_what_a_stub_names_is_the_object_of_run_time(stub: Path) -> None:
    module = import_module(path_of(stub))
    found = shown(stub)
    assert found or module is mxnet.torch  # MXNet's is empty, too
    for name, value in found.items():
        assert getattr(module, name) is value, name


@pytest.mark.parametrize("module", [mxnet, contrib], ids=lambda module: module.__name__)
def test_what_is_loaded_when_asked_for_is_in_the_stub(module: Any) -> None:
    expected = set(public(module)) - {"tools"}  # programs: there once a test has imported them
    assert (
        set(shown(PACKAGE.parent.joinpath(*module.__name__.split("."), "__init__.pyi"))) == expected
    )


@pytest.mark.slow
def test_type_checkers_know_every_name(tmp_path: Path) -> None:
    names = [(path, name) for path, target in targets().items() for name in sorted(offered(target))]
    names += [(module.__name__, name) for module in LAZY for name in public(module)]
    text = [f"from {path} import {name} as x{i}" for i, (path, name) in enumerate(names)]
    file = tmp_path / "uses.py"
    file.write_text("\n".join([*text, "from mxnet import nothing"]), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--no-pretty", str(file)]
    done = subprocess.run(  # noqa: S603
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    errors = [message for message in done.stdout.splitlines() if "error:" in message]
    assert len(errors) == 1, "\n".join(errors[:20])
    assert '"nothing"' in errors[0]
