"""Entry points are those that ``importlib.metadata`` finds, and are found sooner."""

import importlib
import importlib.metadata
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoints
from pathlib import Path
from types import SimpleNamespace
from zipfile import ZipFile

import pytest

from hy_ndarray.devices._entry_points import EntryPoint, entry_points

GROUP = "hy.tests"


def slowly(group: str) -> dict[str, str]:
    return {point.name: point.value for point in importlib.metadata.entry_points(group=group)}


def found(group: str = GROUP) -> dict[str, str]:
    return {name: point.value for name, point in entry_points(group).items()}


def install(folder: Path, package: str, text: str | None) -> None:
    """Metadata of a package, with entry points or without."""
    info = folder / package
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Name: {package.partition('-')[0]}\nVersion: 1\n")
    if text is not None:
        (info / "entry_points.txt").write_text(text)


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Two folders of packages before all others."""
    new = [tmp_path / "first", tmp_path / "second"]
    for folder in reversed(new):
        folder.mkdir()
        monkeypatch.syspath_prepend(folder)
    yield new
    importlib.invalidate_caches()


def test_all_groups_that_are_installed_here_are_found() -> None:
    installed = importlib.metadata.distributions()
    groups = {point.group for package in installed for point in package.entry_points}
    assert "hy.kernels" in groups
    assert {group: found(group) for group in groups} == {group: slowly(group) for group in groups}


def test_the_first_of_two_installed_packages_counts(folders: list[Path]) -> None:
    first, second = folders
    install(first, "One_More.thing-1.0.dist-info", f"[{GROUP}]\n# two\na = one:a\nb = one : b.c\n")
    install(first, "empty-1.0.dist-info", None)
    install(second, "one_more_thing-2.0.dist-info", f"[{GROUP}]\na = two:a\nc = two:c\n")
    install(second, "old.egg-info", f"[other]\na = three:a\n\n[{GROUP}]\nd=three:d [extra]\n")
    install(second, "empty-2.0.dist-info", f"[{GROUP}]\ne = hidden:e\n")
    (second / "single-1.0.egg-info").write_text("Name: single\n")
    assert found() == {"a": "one:a", "b": "one : b.c", "d": "three:d [extra]"} == slowly(GROUP)


def test_packages_in_archives_are_found(
    folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with ZipFile(folders[0] / "packed.zip", "w") as archive:
        archive.writestr("packed-1.0.dist-info/METADATA", "Name: packed\nVersion: 1\n")
        archive.writestr("packed-1.0.dist-info/entry_points.txt", f"[{GROUP}]\na = packed:a\n")
    monkeypatch.syspath_prepend(folders[0] / "packed.zip")
    assert found() == {"a": "packed:a"}


def test_other_finders_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    point = importlib.metadata.EntryPoint("a", "frozen:a", GROUP)
    packages = [SimpleNamespace(metadata={"Name": "frozen"}, entry_points=EntryPoints([point]))]
    packages[0]._normalized_name = packages[0].name = "frozen"
    finder = SimpleNamespace(
        find_distributions=lambda _: packages, find_spec=lambda *_: None, invalidate_caches=None
    )
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, finder])
    assert found() == {"a": "frozen:a"}


def test_what_an_entry_point_names_is_loaded() -> None:
    assert EntryPoint("a", "pathlib : Path.home [extra]").load() == Path.home
    assert EntryPoint("a", "pathlib").load().Path is Path
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        EntryPoint("a", "no_such_module:a").load()
    with pytest.raises(AttributeError, match="missing"):
        EntryPoint("a", "pathlib:missing").load()
