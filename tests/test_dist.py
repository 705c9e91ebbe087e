"""What an index is told of the packages: each has the addresses that the build is given."""

import re
import tomllib
from pathlib import Path

import pytest

from tools.dist import urls, with_links, with_urls

ROOT = Path(__file__).parents[1]
REPOSITORY = "https://host.example/owner/hy"
PACKAGES = sorted((ROOT / "packages").iterdir())


@pytest.mark.parametrize("package", PACKAGES, ids=lambda folder: folder.name)
def test_a_package_is_built_with_addresses_of_what_is_there(package: Path) -> None:
    text = (package / "pyproject.toml").read_text("utf-8")
    told = tomllib.loads(with_urls(text, package.name, REPOSITORY + "/"))
    found = told["project"].pop("urls")
    assert told == tomllib.loads(text)
    assert found == urls(package.name, REPOSITORY)
    for url in found.values():
        _, _, path = url.partition("/main/")
        assert url.startswith(REPOSITORY)
        assert (ROOT / path).exists()


@pytest.mark.parametrize("package", PACKAGES, ids=lambda folder: folder.name)
def test_files_that_a_readme_names_are_links_where_it_is_shown_alone(package: Path) -> None:
    text = (package / "README.md").read_text("utf-8")
    shown = with_links(text, REPOSITORY)
    found = re.findall(r"\[`([^`]*)`\]\(([^)]*)\)", shown)
    assert re.sub(r"\[(`[^`]*`)\]\([^)]*\)", r"\1", shown) == text
    for path, url in found:
        assert url == f"{REPOSITORY}/blob/main/{path}"
        assert (ROOT / path).is_file()
    named = re.findall(r"\b(?:benchmarks|docs|examples|notebooks)/[\w.-]+", text)
    assert sorted(named) == sorted(path for path, _ in found if not path.startswith("tests/"))
    assert [url for url in re.findall(r"\]\(([^)]*)\)", text) if "://" not in url] == []


@pytest.mark.parametrize(
    "wrong", ["", "host/owner/hy", "git@host:owner/hy", "https://", "ftp://a/b"]
)
def test_what_is_no_address_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="no address such as https"):
        urls("hy-io", wrong)
    with pytest.raises(ValueError, match="no address such as https"):
        with_links("`docs/index.md`", wrong)
