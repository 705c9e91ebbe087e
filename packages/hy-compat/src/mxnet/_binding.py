"""Names that MXNet's modules contain besides their own members, listed in ``_bound.txt``.

Programs use such names: ``from mxnet.test_utils import *`` binds ``np`` and ``os``, and
``mxnet.base`` has the types of handles. After ``import mxnet``, hy's modules also have these names,
whose objects are imported on first use.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

from mxnet._aliases import ALIASES, target

__all__ = [
    "added_to_star",
    "attach",
    "bound",
    "by_star",
    "has_names",
    "is_view",
    "listed_paths",
    "load",
    "offer_to_star",
    "own_names",
    "view",
]


@cache
def _sections() -> tuple[dict[str, str], dict[str, str], str]:
    """Return the sections of ``_bound.txt``: paths, modules that names come from, and the rest."""
    text = Path(__file__).with_name("_bound.txt").read_text(encoding="utf-8")
    paths, homes, others = {}, {}, []
    for line in text.splitlines():
        if line.startswith("mxnet"):
            path, _, names = line.partition(": ")
            paths[path] = names
        elif line.startswith("from "):
            home, _, names = line[5:].partition(": ")
            homes[home] = names
        elif line and not line.startswith("#"):
            others.append(line)
    return paths, homes, "\n".join(others)


@cache
def _sources() -> dict[str, str]:
    """Return the default source of names, for lines of ``_bound.txt`` without a source."""
    _, homes, others = _sections()
    sources = {name: f"{home}:{name}" for home, names in homes.items() for name in names.split()}
    for line in others.splitlines():
        name, is_renamed, source = line.partition(" = ")
        if is_renamed:
            sources[name] = source
        else:
            sources |= {name: name for name in line.partition(": ")[2].split()}
    return sources


def listed_paths() -> tuple[str, ...]:
    """Return the paths of MXNet in ``_bound.txt``."""
    return tuple(_sections()[0])


@cache
def is_view(path: str) -> bool:
    """Return whether a path of MXNet is a second path of a hy module.

    For example, MXNet's ``mxnet.ndarray.ndarray`` has names that ``mxnet.ndarray`` lacks.
    """
    shown = target(path)
    above = path.rpartition(".")[0]
    while shown is not None and above:
        if target(above) == shown:
            return True
        above = above.rpartition(".")[0]
    return False


_SHORT = {
    "img": "image",
    "init": "initializer",
    "kv": "kvstore",
    "mod": "module",
    "mon": "monitor",
    "nd": "ndarray",
    "np": "numpy",
    "npx": "numpy_extension",
    "rnd": "random",
    "sym": "symbol",
    "th": "torch",
    "viz": "visualization",
}
"""Modules of MXNet's that have two names, of which the file has one."""


def _long(path: str) -> str:
    top, first, *below = [*path.split("."), ""]
    return ".".join([top, _SHORT.get(first, first), *below]).rstrip(".")


def by_star(path: str) -> list[str]:
    """Return the names that a star import of a path binds."""
    line = _sections()[0].get(_long(path), "").partition("|")[0]
    return [entry.partition("=")[0] for entry in line.split()]


@cache
def bound(path: str) -> dict[str, str]:
    """Return the names listed for a path, with their sources (empty for the module's members)."""
    line = _sections()[0].get(_long(path), "").replace("|", " ")
    entries = (entry.partition("=") for entry in line.split())
    known = _sources()
    return {name: source or known.get(name, "") for name, _, source in entries}


@cache
def _paths() -> dict[str, tuple[str, ...]]:
    """Return, by hy module, the paths of MXNet with listed names or with submodules."""
    by_path: dict[str, dict[str, None]] = {}
    parents = (alias.rpartition(".")[0] for alias in ALIASES)
    for path in (*listed_paths(), *parents):
        if path == "mxnet":
            continue
        if not is_view(path):
            by_path.setdefault(target(path) or path, {})[path] = None
        above, _, name = path.rpartition(".")
        own_path = f"{target(above)}.{name}"  # what hy's package has by this name
        if target(path) not in (None, own_path):
            by_path.setdefault(own_path, {})[path] = None
    return {module: tuple(paths) for module, paths in by_path.items()}


class _View(ModuleType):
    """Proxy of a hy module under a second path of MXNet, with the names of that path.

    Assignments to the proxy set attributes of the hy module.
    """

    def __init__(self, path: str, shown: ModuleType) -> None:
        super().__init__(path, shown.__doc__)
        sources = bound(path)
        below = {alias.rpartition(".")[2]: alias for alias in _aliases_below(path)}
        # Past `__setattr__`, which would assign to the module of hy's.
        vars(self).update(
            __path__=[],
            __file__=getattr(shown, "__file__", None),
            _shown=shown,
            _sources=below | {name: source for name, source in sources.items() if source},
            _by_star=by_star(path),
            _names=frozenset(sources),
        )

    def __getattr__(self, name: str) -> Any:
        own = vars(self)
        # By `vars`: an attribute that is missing on this object would come back to this method.
        if name == "__all__":
            return [*_public(own["_shown"]), *own["_by_star"]]
        source = own["_sources"].get(name)
        if source is not None:
            return load(source)
        # Import machinery asks for dunder names, which must not be those of the module of hy's.
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(own["_shown"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if not name.startswith("__") and name not in vars(self)["_sources"]:
            setattr(vars(self)["_shown"], name, value)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        vars(vars(self)["_shown"]).pop(name, None)

    def __dir__(self) -> list[str]:
        return sorted({*dir(vars(self)["_shown"]), *vars(self)["_sources"], *vars(self)["_names"]})


@cache
def _view_of(path: str) -> ModuleType:
    return _View(path, import_module(str(target(path))))


def view(path: str) -> ModuleType:
    """Return the proxy module for a second path of MXNet, created on first use."""
    return _view_of(_long(path))


def has_names(module: str) -> bool:
    """Return whether a hy module gets additional names of MXNet."""
    return module in _paths()


def _aliases_below(path: str) -> list[str]:
    return [alias for alias in ALIASES if alias.rpartition(".")[0] == path]


@cache
def _all_sources(module: str) -> dict[str, str]:
    """Return all additional names of a module with their sources; submodules by path."""
    sources: dict[str, str] = {}
    for path in _paths()[module]:
        sources |= {alias.rpartition(".")[2]: alias for alias in _aliases_below(path)}
        sources |= {name: source for name, source in bound(path).items() if source}
    return sources


@cache
def load(source: str) -> Any:
    """Return the object of a source: ``module``, ``module:name``, or ``module?`` (None if missing).

    Example:
        >>> load("math:pi"), load("a_package_that_nobody_has?")
        (3.141592653589793, None)
    """
    where, _, member = source.partition(":")
    try:
        # A question mark stands at extras that MXNet imports within a try.
        module = import_module(where.rstrip("?"))
    except ModuleNotFoundError:
        if not where.endswith("?"):
            raise
        return None
    return attrgetter(member)(module) if member else module


@cache
def _all_names(module: str) -> frozenset[str]:
    names = (name for path in _paths()[module] for name in bound(path))
    return frozenset({*_all_sources(module), *names})


_Find = Callable[[str], Any]
_star_names: dict[str, list[str]] = {}
"""Names that star imports bind, by the module behind a path that was imported."""


def attach(module: ModuleType) -> None:
    """Add MXNet's names to a module, looked up after the module's members."""
    own = vars(module)
    find_own: _Find | None = own.get("__getattr__")
    list_own: Callable[[], Iterable[str]] | None = own.get("__dir__")
    name = module.__name__

    def find(attribute: str) -> Any:
        if attribute == "__all__" and name in _star_names:
            return [*_public(module), *_star_names[name]]
        # Import machinery asks for many dunder names, and each would read the list.
        is_mxnets = not attribute.startswith("__")
        source = _all_sources(name).get(attribute) if is_mxnets else None
        # Names of hy's own module win; MXNet's are only beside them.
        if find_own is not None:
            try:
                return find_own(attribute)
            except AttributeError:
                if source is None:
                    raise
        if source is None:
            raise AttributeError(
                f"module {name!r} has no attribute {attribute!r}", name=attribute, obj=module
            )
        return load(source)

    def listed() -> list[str]:
        return sorted({*(list_own() if list_own else own), *_all_names(name)})

    listed.__dict__["__wrapped__"] = list_own
    find.__dict__["__wrapped__"] = find_own
    # A module's __getattr__ (PEP 562) runs only for names that it has not, so that others cost
    # nothing.
    own.update(__getattr__=find, __dir__=listed)


def own_names(module: ModuleType) -> list[str] | None:
    """Return a module's ``__all__`` as defined by hy, or None."""
    list_own = getattr(vars(module).get("__dir__"), "__wrapped__", vars(module).get("__dir__"))
    added = added_to_star(module.__name__)
    return None if list_own is None else [name for name in list_own() if name not in added]


def added_to_star(module: str) -> list[str]:
    """Return the names that star imports bind only after MXNet's path was imported."""
    return _star_names.get(module, [])


def _public(module: ModuleType) -> list[str]:
    """Return the names that a star import of a module binds, without MXNet's additional names."""
    own = vars(module)
    # `attach` has replaced the module's `__getattr__`; the original one knows only its own names.
    find_own = getattr(own.get("__getattr__"), "__wrapped__", own.get("__getattr__"))
    if "__all__" in own:
        return [name for name in own["__all__"] if name not in added_to_star(module.__name__)]
    if find_own is not None:
        with suppress(AttributeError):  # it computes other names alone
            return list(find_own("__all__"))
    return [name for name in own if not name.startswith("_")]


def offer_to_star(module: ModuleType, path: str) -> None:
    """Make star imports of a module bind the names of MXNet's path.

    This changes a hy module only if it is imported by MXNet's path.
    """
    names = by_star(path)
    if not names:
        return
    _star_names.setdefault(module.__name__, []).extend(names)
    own = vars(module)
    if "__all__" in own:
        own["__all__"] = [*own["__all__"], *names]
