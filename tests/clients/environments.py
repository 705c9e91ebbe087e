"""Environments of the clients: made once, in ``.clients/`` at the root, with hy or with MXNet."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from tests.clients.catalogue import Client
from tests.clients.exchange import hand

__all__ = ["FILES", "ROOT", "Environment", "version"]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FOLDER = ROOT / ".clients"
FILES = FOLDER / "files"
"""The current folders of programs."""

OLD = HERE / "mxnet-constraints.txt"
MXNET = [
    ["--no-deps", "mxnet==1.9.1"],
    ["-c", str(OLD), "numpy", "requests", "graphviz", "setuptools"],
]


class Environment:
    """A virtual environment that holds one client, and hy or MXNet 1.9.1.

    Args:
        name: The client's name.
        client: What to install.
        side: ``hy`` or ``mxnet``.
        python: The Python to make it of; this one by default.
    """

    def __init__(self, name: str, client: Client, side: str, python: str = sys.executable) -> None:
        self._name, self._side, self._base = name, side, python
        self._steps = installations(client, side)
        self._folder = FOLDER / f"{name}-{side}-{mark(self._steps, version(python))}"
        self.python = str(self._folder / "bin" / "python")

    def make(self) -> None:
        """Install everything, unless that was done before."""
        finished = self._folder / "finished"
        if finished.exists():
            return
        command = [self._base, "-m", "venv", "--clear", str(self._folder)]
        subprocess.run(command, check=True)  # noqa: S603  # the Python that was asked for
        # GluonNLP ships C code that Cython wrote for an older Python: it is written anew.
        variables = os.environ | {"DIST_EXTRA_CONFIG": str(HERE / "build.cfg")}
        for step in self._steps:
            command = [self.python, "-m", "pip", "install", "--quiet", *step]
            subprocess.run(command, check=True, env=variables)  # noqa: S603  # our own list
        finished.touch()

    def run(self, output: Path, pattern: str = "") -> None:
        """Run the client's program; what it computes is in the file `output` afterwards."""
        folder = FILES / self._name
        folder.mkdir(parents=True, exist_ok=True)
        if self._side == "hy":
            hand(self._name, folder)
        own = "OPENBLAS_", "PYTHON"
        kept = {key: value for key, value in os.environ.items() if not key.startswith(own)}
        variables = kept | {
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(HERE / "site")]),
            "MPLBACKEND": "Agg",
            # Neither side finds files of the user's.
            "HOME": str(FOLDER / "home"),
            "KERAS_HOME": str(FOLDER / "home"),
            "MXNET_HOME": str(FOLDER / "home"),
        }
        module = "tests.clients.program"
        command = [self.python, "-W", "ignore", "-m", module, self._name, self._side, str(output)]
        if pattern:
            command.append(pattern)
        subprocess.run(command, check=True, cwd=folder, env=variables)  # noqa: S603  # our own module


def installations(client: Client, side: str) -> list[list[str]]:
    """Arguments of the calls of pip, in order."""
    packages = sorted((ROOT / "packages").iterdir())
    if side == "hy":
        first = [[part for package in packages for part in ("-e", str(package))]]
        bounds = []
    else:
        first = MXNET
        bounds = ["-c", str(OLD)]
    needs = [[*bounds, *names] for names in (client.needs, client.build) if names]
    # A wheel that was built for the other side's numpy must not be taken from pip's cache.
    building = ["--no-build-isolation", "--no-cache-dir"] if client.build else []
    options = ["--no-deps", *building, *(["--ignore-requires-python"] if client.old else [])]
    return [*first, *needs, [*options, client.package, *client.parts]]


def version(python: str) -> list[int]:
    """The version of a Python, as far as packages differ by it."""
    command = [python, "-c", "import sys; print(*sys.version_info[:2])"]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
    return [int(part) for part in out.split()]


def mark(steps: list[list[str]], python: list[int]) -> str:
    """Changes with Python and with what is installed: another environment."""
    text = json.dumps([python, steps, OLD.read_text(encoding="utf-8")])
    return hashlib.sha256(text.encode()).hexdigest()[:8]
