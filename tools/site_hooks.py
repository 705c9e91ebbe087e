"""For the site: pages of the API, one for each public module with names of its own.

MkDocs calls these functions. What is public stands in ``tests/data/public_names``; griffe, which
reads sources without importing them, says where each name is defined, so that it is documented
once, under the shortest path that a program can write.
"""

from collections import defaultdict
from pathlib import Path

import griffe
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
NAMES = ROOT / "tests" / "data" / "public_names"
PACKAGES = ("mxnet", "hy_gluon", "hy_onnx", "hy_symbol", "hy_ndarray", "hy_io", "hy_kernels")

_HEAD = {
    "hy_ndarray.ops": "The records of operators are in modules below, one for each family of "
    "[Operators](../operators.md).\n",
    "hy_symbol.sym": "Operators take symbols here, and otherwise the arguments that they have in "
    "[`hy_ndarray.nd`](hy_ndarray.nd.md).\n",
    "mxnet": "Most names of `mxnet` are those of the other packages: `mxnet.gluon` is `hy_gluon`, "
    "`mxnet.nd` is `hy_ndarray.nd`, `mxnet.sym` is `hy_symbol.sym`. Here are the others.\n",
}

_pages: dict[str, str] = {}


def public_names(package: str) -> list[str]:
    """The paths that the list of a package has, without those that stand for modules elsewhere."""
    lines = (NAMES / f"{package}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#") and " = " not in line]


def _loaded() -> griffe.ModulesCollection:
    folders = [str(path) for path in sorted(ROOT.glob("packages/*/src"))]
    loader = griffe.GriffeLoader(
        extensions=griffe.load_extensions(str(ROOT / "tools" / "griffe_extension.py")),
        search_paths=folders,
        allow_inspection=False,
    )
    for package in PACKAGES:
        loader.load(package)
    loader.resolve_aliases(implicit=True, external=False)
    return loader.modules_collection


def _home(modules: griffe.ModulesCollection, path: str) -> griffe.Object | None:
    """What a path stands for, where it was defined; None for what only running code can tell."""
    try:
        found = modules[path]
        return found.final_target if isinstance(found, griffe.Alias) else found
    except (KeyError, griffe.AliasResolutionError):
        return None


def _by_module(package: str, modules: griffe.ModulesCollection) -> dict[str, list[str]]:
    """The names that a package documents, by the module that programs take them from."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    seen: set[str] = set()
    for path in sorted(public_names(package), key=lambda name: (name.count("."), name)):
        module, _, _name = path.rpartition(".")
        home, parent = _home(modules, path), _home(modules, module) if module else None
        if home is None or not isinstance(parent, griffe.Module) or home.path in seen:
            continue
        if home.is_module or not home.path.startswith(f"{package}.") or _is_operator(path, home):
            continue
        seen.add(home.path)
        found[module].append(path)
    return found


def _is_operator(path: str, home: griffe.Object) -> bool:
    """Whether it is a function of `nd` again: of symbols, or the record in the catalogue."""
    of_symbols = path.startswith("hy_symbol.") and "._operators" in home.path
    return of_symbols or path.rpartition(".")[0].startswith("hy_ndarray.ops.")


def _page(module: str, names: list[str]) -> str:
    lines = [f"# `{module}`", "", _HEAD.get(module, "")]
    for name in names:
        lines += [f"::: {name}", ""]
    return "\n".join(lines)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Write the pages, and put them into the navigation."""
    modules = _loaded()
    sections = []
    for package in PACKAGES:
        found = _by_module(package, modules)
        _pages.update({name: _page(name, names) for name, names in found.items()})
        entries = [{name: f"api/{name}.md"} for name in sorted(found)]
        sections.append({package: entries} if entries[1:] else entries[0])
    nav = config.nav
    assert isinstance(nav, list)
    place = next(i for i, item in enumerate(nav) if "Operators" in item)
    nav.insert(place + 1, {"API": sections})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages to those in docs/."""
    for name, text in _pages.items():
        files.append(File.generated(config, f"api/{name}.md", content=text))
    return files
