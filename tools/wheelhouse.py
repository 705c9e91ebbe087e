"""Builds the wheels of all packages into one folder, with an index that pip and uv read.

``hatch run dist:wheelhouse`` writes them to ``wheelhouse/``; install from there with
``pip install --find-links wheelhouse hy-compat``. Requirements after ``--with`` are added with all
that they need, so that the folder serves machines without a network.
"""

import argparse
import hashlib
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from html import escape
from pathlib import Path

__all__ = ["build", "download", "main", "write_index"]

ROOT = Path(__file__).parents[1]


def build(folder: Path) -> None:
    """Build the wheels of all packages, with the hatchling that is installed."""
    for package in sorted((ROOT / "packages").iterdir()):
        arguments = ["--wheel", "--no-isolation", "--outdir", str(folder)]
        subprocess.run([sys.executable, "-m", "build", *arguments, str(package)], check=True)  # noqa: S603  # our own packages


def download(folder: Path, requirements: Sequence[str]) -> None:
    """Add the wheels of requirements, and of all that these need."""
    arguments = ["--wheel-dir", str(folder), "--find-links", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *arguments, *requirements], check=True)  # noqa: S603  # the caller's


def write_index(folder: Path) -> list[str]:
    """Write ``simple/``, an index of the wheels in a folder as PEP 503 describes it.

    Returns:
        The names of the projects.
    """
    projects: defaultdict[str, list[Path]] = defaultdict(list)
    for wheel in sorted(folder.glob("*.whl")):
        projects[re.sub(r"[-_.]+", "-", wheel.name.partition("-")[0]).lower()].append(wheel)
    for name, wheels in projects.items():
        lines = [_link(f"../../{wheel.name}#sha256={_sha256(wheel)}", wheel) for wheel in wheels]
        _write(folder / "simple" / name / "index.html", lines)
    _write(folder / "simple" / "index.html", [f'<a href="{n}/">{n}</a>' for n in projects])
    return list(projects)


def _link(address: str, wheel: Path) -> str:
    return f'<a href="{escape(address)}">{escape(wheel.name)}</a>'


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _write(file: Path, lines: Sequence[str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    body = "<br>\n".join(lines)
    file.write_text(f"<!doctype html><title>{file.parent.name}</title>\n{body}\n", "utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Build the wheels, add requirements, and write the index."""
    parser = argparse.ArgumentParser(prog="python -m tools.wheelhouse")
    parser.add_argument("--output", type=Path, default=ROOT / "wheelhouse")
    parser.add_argument(
        "--with", dest="requirements", nargs="+", default=[], help="such as hy-gluon[serve]"
    )
    options = parser.parse_args(arguments)
    build(options.output)
    if options.requirements:
        download(options.output, options.requirements)
    for name in write_index(options.output):
        sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main()
