"""Distributions: sdists and wheels of all packages, with the addresses of the project.

``hatch run dist:build https://host/owner/repository`` writes them to ``dist/``. The sources name no
address, so that a fork's packages point to the fork.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

__all__ = ["main", "urls", "with_urls"]

ROOT = Path(__file__).parents[1]


def urls(package: str, repository: str) -> dict[str, str]:
    """What an index shows beside a package.

    Args:
        package: Its folder below ``packages/``.
        repository: Address of the repository, without a path inside of it.

    Raises:
        ValueError: That is no address of the web.

    Example:
        >>> urls("hy-io", "https://host/owner/hy/")["Changelog"]
        'https://host/owner/hy/blob/main/packages/hy-io/CHANGELOG.md'
    """
    parts = urlsplit(repository)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise ValueError(f"{repository!r} is no address such as https://host/owner/repository")
    base = repository.rstrip("/")
    return {
        "Homepage": base,
        "Documentation": f"{base}/blob/main/docs/index.md",
        "Changelog": f"{base}/blob/main/packages/{package}/CHANGELOG.md",
        "Issues": f"{base}/issues",
        "Source": f"{base}/tree/main/packages/{package}",
    }


def with_urls(pyproject: str, package: str, repository: str) -> str:
    """The text of a ``pyproject.toml`` with these addresses."""
    lines = [f'{name} = "{url}"' for name, url in urls(package, repository).items()]
    return "\n".join([pyproject.rstrip("\n"), "", "[project.urls]", *lines, ""])


def main() -> None:
    """Build all packages."""
    parser = argparse.ArgumentParser(prog="python -m tools.dist")
    parser.add_argument("repository", help="address of the repository, for the packages' pages")
    parser.add_argument("--output", type=Path, default=ROOT / "dist")
    options = parser.parse_args()
    for folder in sorted((ROOT / "packages").iterdir()):
        with TemporaryDirectory() as work:
            copy = Path(work) / folder.name
            shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
            file = copy / "pyproject.toml"
            text = with_urls(file.read_text("utf-8"), folder.name, options.repository)
            file.write_text(text, "utf-8")
            command = [sys.executable, "-m", "build", "--outdir", str(options.output), str(copy)]
            subprocess.run(command, check=True)  # noqa: S603  # our own packages


if __name__ == "__main__":
    main()
