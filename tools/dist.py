"""Distributions: sdists and wheels of all packages, with the addresses of the project.

``hatch run dist:build https://host/owner/repository`` writes them to ``dist/``. The sources name no
address, so that a fork's packages point to the fork; files of the repository that a README names
become links, as an index shows it alone.
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

__all__ = ["main", "urls", "with_links", "with_urls"]

ROOT = Path(__file__).parents[1]


_PATH = re.compile(r"`([\w.-]+/[\w./-]+)`")


def urls(package: str, repository: str) -> dict[str, str]:
    """Return the links that a package index shows beside a package.

    Args:
        package: Its folder below ``packages/``.
        repository: Address of the repository, without a path inside of it.

    Raises:
        ValueError: That is no address of the web.

    Example:
        >>> urls("hy-io", "https://host/owner/hy/")["Changelog"]
        'https://host/owner/hy/blob/main/packages/hy-io/CHANGELOG.md'
    """
    base = _base(repository)
    return {
        "Homepage": base,
        "Documentation": f"{base}/blob/main/docs/index.md",
        "Changelog": f"{base}/blob/main/packages/{package}/CHANGELOG.md",
        "Issues": f"{base}/issues",
        "Source": f"{base}/tree/main/packages/{package}",
    }


def _base(repository: str) -> str:
    """Return a repository's address without ``.git`` or a slash at its end."""
    parts = urlsplit(repository)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise ValueError(f"{repository!r} is no address such as https://host/owner/repository")
    return repository.rstrip("/")


def with_links(readme: str, repository: str) -> str:
    """Return a README's text with paths of files in the repository turned into links.

    Args:
        readme: The text, in which paths are code and begin at the repository's root.
        repository: As for :func:`urls`.

    Raises:
        ValueError: As for :func:`urls`.

    Example:
        >>> with_links("`docs/index.md`, `src/here.py`", "https://host/owner/hy")
        '[`docs/index.md`](https://host/owner/hy/blob/main/docs/index.md), `src/here.py`'
    """
    base = _base(repository)

    def link(match: re.Match[str]) -> str:
        path = match[1]
        return f"[`{path}`]({base}/blob/main/{path})" if (ROOT / path).is_file() else match[0]

    return _PATH.sub(link, readme)


def with_urls(pyproject: str, package: str, repository: str) -> str:
    """Return the text of a ``pyproject.toml`` with these addresses."""
    lines = [f'{name} = "{url}"' for name, url in urls(package, repository).items()]
    return "\n".join([pyproject.rstrip("\n"), "", "[project.urls]", *lines, ""])


def main() -> None:
    """Build all packages."""
    parser = argparse.ArgumentParser(prog="python -m tools.dist")
    parser.add_argument("repository", help="address of the repository, for the packages' pages")
    parser.add_argument("--output", type=Path, default=ROOT / "dist")
    parser.add_argument(
        "--no-isolation", action="store_true", help="build with the hatchling that is installed"
    )
    options = parser.parse_args()
    isolation = ["--no-isolation"] if options.no_isolation else []
    for folder in sorted((ROOT / "packages").iterdir()):
        with TemporaryDirectory() as work:
            copy = Path(work) / folder.name
            shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
            project, readme = copy / "pyproject.toml", copy / "README.md"
            text = with_urls(project.read_text("utf-8"), folder.name, options.repository)
            project.write_text(text, "utf-8")
            readme.write_text(with_links(readme.read_text("utf-8"), options.repository), "utf-8")
            command = [sys.executable, "-m", "build", *isolation, "--outdir", options.output, copy]
            subprocess.run(command, check=True)  # noqa: S603  # our own packages


if __name__ == "__main__":
    main()
