"""Installed metadata matches the sources, imports point downwards, files stay readable."""

import ast
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import distribution, version
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PACKAGES = sorted(path.parent for path in ROOT.glob("packages/*/pyproject.toml"))
ALLOWED: dict[str, set[str]] = {  # the other packages whose modules each one may import
    "hy_kernels": set(),
    "hy_io": set(),
    "hy_ndarray": {"hy_io"},  # finds hy_kernels by entry points only
    "hy_symbol": {"hy_io", "hy_ndarray"},
    "hy_onnx": {"hy_io", "hy_ndarray", "hy_symbol"},
    "hy_gluon": {"hy_io", "hy_ndarray", "hy_symbol"},
    "mxnet": {"hy_gluon", "hy_io", "hy_ndarray", "hy_symbol"},
}
AT_THE_ROOT = {
    ".ci",
    ".gitignore",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "benchmarks",
    "docs",
    "examples",
    "hatch.toml",
    "mkdocs.yml",
    "notebooks",
    "packages",
    "pyproject.toml",
    "tests",
    "tools",
}
LONGEST = 600
REFRESH = "run `hatch run refresh`"


@dataclass(frozen=True)
class Package:
    """One folder of ``packages/``: its metadata and its sources."""

    root: Path

    @property
    def project(self) -> dict[str, Any]:
        text = (self.root / "pyproject.toml").read_text(encoding="utf-8")
        project: dict[str, Any] = tomllib.loads(text)["project"]
        return project

    @property
    def modules(self) -> list[Path]:
        return sorted(path for path in (self.root / "src").iterdir() if path.is_dir())

    @property
    def requirements(self) -> set[Requirement]:
        return set(map(Requirement, self.project["dependencies"]))


@pytest.fixture(params=PACKAGES, ids=lambda root: str(root.name))
def package(request: pytest.FixtureRequest) -> Package:
    return Package(request.param)


def sibling_names(source: str, package: str) -> Iterator[tuple[int, str]]:
    """Yield the line and dotted name of whatever ``source`` takes from another package of ours."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module or ''}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute):
            names = [ast.unparse(node)]
        else:
            continue
        for name in names:
            top = name.partition(".")[0]
            is_path = all(part.isidentifier() for part in name.split("."))
            if is_path and top in ALLOWED and top != package:
                yield node.lineno, name


def is_private(name: str) -> bool:
    return any(part.startswith("_") and not part.endswith("__") for part in name.split("."))


def test_every_package_is_known() -> None:
    assert {module.name for root in PACKAGES for module in Package(root).modules} == set(ALLOWED)


def test_package_explains_itself(package: Package) -> None:
    typed = [f"src/{module.name}/py.typed" for module in package.modules]
    for path in ("README.md", "CHANGELOG.md", *typed):
        assert (package.root / path).is_file(), f"{package.root.name} has no {path}"


def test_package_brings_its_license(package: Package) -> None:
    assert package.project["license-files"] == ["LICENSE"]
    text = (package.root / "LICENSE").read_text(encoding="utf-8")
    assert text == (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_readme_can_be_read_outside_the_repository(package: Package) -> None:
    text = (package.root / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    assert [target for target in targets if "://" not in target and target[0] != "#"] == []


def test_changelog_begins_with_the_version(package: Package) -> None:
    text = (package.root / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## \[(.+?)\]", text, re.MULTILINE)[0] == package.project["version"]


def test_a_changelog_has_at_most_ten_highlights_a_release(package: Package) -> None:
    text = (package.root / "CHANGELOG.md").read_text(encoding="utf-8")
    for release in re.split(r"^## \[", text, flags=re.MULTILINE)[1:]:
        assert len(re.findall(r"^- ", release, re.MULTILINE)) <= 10, release.partition("\n")[0]
        kinds = re.findall(r"^### (\w+)", release, re.MULTILINE)
        assert set(kinds) <= {"Added", "Changed", "Fixed", "Removed"}


def test_the_citation_has_the_version(package: Package) -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {package.project['version']}\n" in text


def test_installed_metadata_is_current(package: Package) -> None:
    project = package.project
    installed = distribution(project["name"])
    assert installed.version == project["version"], REFRESH
    requirements = set(map(Requirement, installed.requires or ()))
    without_extras = {r for r in requirements if "extra" not in str(r.marker)}
    assert without_extras == package.requirements, REFRESH
    groups = project.get("entry-points", {}) | {"console_scripts": project.get("scripts", {})}
    declared = {
        (group, name, value) for group, points in groups.items() for name, value in points.items()
    }
    assert {(p.group, p.name, p.value) for p in installed.entry_points} == declared, REFRESH


def test_sibling_requirements_hold(package: Package) -> None:
    for requirement in package.requirements:
        if requirement.name.startswith("hy-"):
            assert requirement.specifier.contains(version(requirement.name)), str(requirement)


def test_imports_point_downwards(package: Package) -> None:
    for module in package.modules:
        name = module.name
        for path in (*module.rglob("*.py"), *module.rglob("*.pyi")):
            for line, taken in sibling_names(path.read_text(encoding="utf-8"), name):
                where = f"{path.relative_to(ROOT)}:{line}: {taken}"
                assert taken.partition(".")[0] in ALLOWED[name], f"{where} is not below {name}"
                assert not is_private(taken), f"{where} is private to its package"


@pytest.mark.parametrize("environment", ["oldest", "torch-oldest"])
def test_the_oldest_requirements_have_an_environment(package: Package, environment: str) -> None:
    """`hatch run oldest:fast` and `hatch run torch-oldest:fast` run tests with these."""
    environments = tomllib.loads((ROOT / "hatch.toml").read_text(encoding="utf-8"))["envs"]
    pinned = map(Requirement, environments[environment]["extra-dependencies"])
    oldest = {pin.name: one.version for pin in pinned for one in pin.specifier}
    extras = package.project.get("optional-dependencies", {})
    some = map(Requirement, (one for extra in extras.values() for one in extra))
    for requirement in (*package.requirements, *some):
        if requirement.name in oldest and (lowest := str(requirement.specifier)):
            assert Version(lowest.removeprefix(">=")) == Version(oldest[requirement.name])


def test_all_modules_of_a_package_are_in_its_wheel(package: Package) -> None:
    text = (package.root / "pyproject.toml").read_text(encoding="utf-8")
    packed = tomllib.loads(text)["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert sorted(packed) == [f"src/{module.name}" for module in package.modules]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import hy_io.params", ["hy_io.params"]),
        ("from hy_io import params, _binary", ["hy_io.params", "hy_io._binary"]),
        ("from hy_io._binary import Reader", ["hy_io._binary.Reader"]),
        ("import hy_io\nhy_io._binary", ["hy_io", "hy_io._binary"]),
        ("hy_io.load(self._path).keys", ["hy_io.load"]),
        ("if TYPE_CHECKING:\n    import mxnet", ["mxnet"]),
        ("import numpy, hy_symbol.infer", []),
    ],
)
def test_sibling_names_finds_every_form(source: str, expected: list[str]) -> None:
    assert [name for _, name in sibling_names(source, "hy_symbol")] == expected


def test_private_names_are_told_from_public_ones() -> None:
    names = ["hy_io._binary", "hy_io._binary.Reader", "hy_io.params", "hy_io.__version__"]
    assert [is_private(name) for name in names] == [True, True, False, False]


def test_no_other_file_stands_at_the_root() -> None:
    """Programs write to folders that .gitignore names; hidden files are the developer's own."""
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    ignored = [line.rstrip("/") for line in lines]
    names = {p.name for p in ROOT.iterdir() if not any(map(p.match, ignored))}
    assert {name for name in names - AT_THE_ROOT if not name.startswith(".")} == set()
    assert names >= AT_THE_ROOT


def test_the_root_is_listed_from_what_is_committed() -> None:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("no checkout")
    command = [git, "-C", str(ROOT), "ls-files", "--cached"]
    files = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    assert {line.split("/")[0] for line in files.stdout.splitlines()} == AT_THE_ROOT


@pytest.mark.parametrize("folder", ["packages", "tests", "examples", "benchmarks"])
def test_files_are_short(folder: str) -> None:  # generated stubs, .pyi, may be long
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in (ROOT / folder).rglob("*.py")
    }
    assert {path: lines for path, lines in lengths.items() if lines > LONGEST} == {}
