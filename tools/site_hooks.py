"""Write pages of the API for the site, one for each public module, and redirects.

MkDocs calls these functions. What is public stands in ``tests/data/public_names``; griffe, which
reads sources without importing them, says where each name is defined, so that it is documented
once. Pages and names are titled as programs write them: ``mxnet.gluon``, ``nd.dot``, ``mx.gpu``.
"""

import json
import logging
import math
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import griffe
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files

from tools.griffe_extension import target_of
from tools.reference_examples import read_examples

ROOT = Path(__file__).parents[1]
NAMES = ROOT / "tests" / "data" / "public_names"
PACKAGES = ("mxnet", "hy_gluon", "hy_onnx", "hy_symbol", "hy_ndarray", "hy_io", "hy_kernels")

REDIRECTS = {
    "porting": "tested-programs",
    "read": "mxnet-files",
    "train-far": "scaling-training",
    "where-time-goes": "performance",
}
"""Pages that have another name now, by their old one."""

_INTRODUCTIONS = {
    "hy_ndarray.ops": "The records of operators are in modules below, one for each family of "
    "[Operators](../operators.md).\n",
    "hy_symbol.sym": "Operators take symbols here, and otherwise the arguments that they have in "
    "[`mxnet.nd`](hy_ndarray.nd.md).\n",
    "mxnet": "Most of `mxnet` is in its modules: `mxnet.gluon`, `mxnet.nd`, `mxnet.sym` and others "
    "have pages of their own.\n",
}
_PREFERRED = ("mxnet.np", "mxnet.npx", "mxnet.init", "mxnet.viz", "mxnet.sym", "mxnet.nd")
"""Names that programs use where a module has several."""

_WEIGHTS = {"mxnet": 4, "mxnet.nd": 4, "mxnet.np": 2, "mxnet.gluon": 4, "mxnet.gluon.nn": 4}
"""Of pages in searches; of other modules 1, of packages that programs import seldom 0.3."""

_log = logging.getLogger("mkdocs.hooks.site")
_pages: dict[str, str] = {}
_titles: dict[str, str] = {}


def _list_lines(package: str) -> list[str]:
    text = (NAMES / f"{package}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def public_names(package: str) -> list[str]:
    """Return the public paths of a package, without those that stand for modules elsewhere."""
    return [line for line in _list_lines(package) if " = " not in line]


def _module_names() -> dict[str, str]:
    """Return the name below ``mxnet`` of each module that has one."""
    pairs = [line.split(" = ") for line in _list_lines("mxnet") if " = " in line]
    names: dict[str, str] = {}
    for name, module in sorted(pairs, key=lambda pair: (pair[0].count("."), pair[0])):
        if name in _PREFERRED or module not in names:
            names[module] = name
    return names


def _title(module: str, names: dict[str, str]) -> str:
    """Return what programs call a module that they reach by way of ``mxnet``."""
    outer, inner = module, ""
    while outer:
        if outer in names:
            return names[outer] + inner
        outer, _, last = outer.rpartition(".")
        inner = f".{last}{inner}"
    return module


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
    """Return the definition of a path; None for what only running code can tell."""
    try:
        definition = modules[path]
        return definition.final_target if isinstance(definition, griffe.Alias) else definition
    except (KeyError, griffe.AliasResolutionError):
        return None


def _by_module(package: str, modules: griffe.ModulesCollection) -> dict[str, list[str]]:
    """Return the names that a package documents, by the module that programs take them from."""
    by_module: defaultdict[str, list[str]] = defaultdict(list)
    seen: set[str] = set()
    for path in sorted(public_names(package), key=lambda name: (name.count("."), name)):
        module, _, _name = path.rpartition(".")
        home, parent = _home(modules, path), _home(modules, module) if module else None
        if home is None or not isinstance(parent, griffe.Module) or home.path in seen:
            continue
        if home.is_module or not home.path.startswith(f"{package}.") or _is_operator(path, home):
            continue
        seen.add(home.path)
        by_module[module].append(path)
    return by_module


def _is_operator(path: str, home: griffe.Object) -> bool:
    """Return whether a path repeats a function of `nd`: its form for symbols, or its record."""
    of_symbols = path.startswith("hy_symbol.") and "._operators" in home.path
    return of_symbols or path.rpartition(".")[0].startswith("hy_ndarray.ops.")


def _without_text(names: list[str], modules: griffe.ModulesCollection) -> list[str]:
    """Return the paths of documented objects, and of methods, that have no docstring."""
    missing = []
    for name in names:
        definition = _home(modules, name)
        assert definition is not None
        methods = [x for x in definition.members.values() if not x.is_alias and x.is_function]
        shown = [x for x in methods if not x.name.startswith("_")] if definition.is_class else []
        missing += [x.path for x in [definition, *shown] if not x.has_docstring]
    return missing


def _examples(names: Iterable[str], modules: griffe.ModulesCollection) -> dict[str, str]:
    """Return the examples that docstrings lack, by the path of the definition."""
    texts = {path: example.imports + example.text for path, example in read_examples().items()}
    definitions = {path: _home(modules, path) for path in {*texts, *names}}
    homes = {path: home for path, home in definitions.items() if home is not None}
    by_home = {home.path: texts[path] for path, home in homes.items() if path in texts}
    for home in homes.values():
        target = target_of(home) if isinstance(home, griffe.Attribute) else None
        if target is not None and target.path in by_home:
            by_home.setdefault(home.path, by_home[target.path])
    return by_home


def _page(module: str, title: str, names: list[str]) -> str:
    package = module.partition(".")[0]
    where = "" if title == module else f", where it is `{module}`"
    lines = [f"# `{title}`", ""]
    lines += (
        [f"From the package `{package.replace('_', '-')}`{where}.", ""]
        if package != "mxnet"
        else []
    )
    lines.append(_INTRODUCTIONS.get(module, ""))
    for path in names:
        name = path.rpartition(".")[2]
        heading = f"mx.{name}" if title == "mxnet" else f"{title.removeprefix('mxnet.')}.{name}"
        options = [f"      heading: {heading}", f"      toc_label: {name}"]
        lines += [f"::: {path}", "    options:", *options, ""]
    return "\n".join(lines)


@event_priority(100)  # before mkdocstrings reads its options
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Write the pages, and put them into the navigation."""
    modules = _loaded()
    modules_of_mxnet, of_mxnet = _module_names(), set(public_names("mxnet"))
    by_module: defaultdict[str, list[str]] = defaultdict(list)
    for package in PACKAGES:
        for module, names in _by_module(package, modules).items():
            for name in names:
                at_root = module == package and f"mxnet.{name.rpartition('.')[2]}" in of_mxnet
                by_module["mxnet" if at_root else module].append(name)
    examples = _examples((name for names in by_module.values() for name in names), modules)
    options = config.plugins["mkdocstrings"].config["handlers"]["python"]["options"]
    options["extensions"] = [{name: {"examples": examples}} for name in options["extensions"]]
    for module, names in by_module.items():
        for path in _without_text(names, modules):
            _log.warning("%s has no docstring", path)
        _titles[module] = _title(module, modules_of_mxnet)
        _pages[module] = _page(module, _titles[module], names)
    below = {name for name, title in _titles.items() if title.startswith("mxnet")}
    entries = [
        {_titles[name]: f"api/{name}.md"} for name in sorted(below, key=lambda n: (_titles[n], n))
    ]
    others = [{name: f"api/{name}.md"} for name in sorted(set(_titles) - below)]
    nav = config.nav
    assert isinstance(nav, list)
    reference = next(item["Reference"] for item in nav if "Reference" in item)
    reference.insert(0, {"API of mxnet": entries})
    reference.insert(1, {"API of the packages": others})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages to those in docs/."""
    for name, text in _pages.items():
        files.append(File.generated(config, f"api/{name}.md", content=text))
    return files


def _boost(location: str, title: str, titles: dict[str, str]) -> float:
    """Return the weight of a section in searches: guides, common modules and short names first."""
    if not location.startswith("api/"):
        return 2
    page = titles.get(location.removeprefix("api/").partition(".html")[0], "")
    weight = _WEIGHTS.get(page, 1 if page.startswith("mxnet") else 0.3)
    return weight / math.sqrt(math.sqrt(len(re.split(r"[._]", title))))


@event_priority(-100)  # after the index of searches was written
def on_post_build(config: MkDocsConfig) -> None:
    """Weigh the sections in searches, and write a page for each old address."""
    index = Path(config.site_dir) / "search" / "search_index.json"
    contents = json.loads(index.read_text(encoding="utf-8"))
    for section in contents["docs"]:
        section["boost"] = _boost(section["location"], section["title"], _titles)
    index.write_text(json.dumps(contents, separators=(",", ":")), encoding="utf-8")
    for old, new in REDIRECTS.items():
        (Path(config.site_dir) / f"{old}.html").write_text(
            f'<!doctype html><meta charset="utf-8"><title>Moved</title>'
            f'<meta http-equiv="refresh" content="0; url={new}.html">'
            f'<a href="{new}.html">{new}.html</a>\n',
            encoding="utf-8",
        )
