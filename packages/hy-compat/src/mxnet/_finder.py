"""Import hook for MXNet's paths, which are bound to hy's modules."""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, cast

from mxnet._aliases import target
from mxnet._binding import attach, has_names, is_view, offer_to_star, view
from mxnet._members import attach_members, has_members

if TYPE_CHECKING:  # it takes 10 ms to be imported
    from importlib.abc import Loader

__all__ = ["install"]

_IMPORTED_WITH = {
    "mxnet.gluon": "multiprocessing.pool",
    "mxnet.np": "mxnet.numpy.fallback",
    "mxnet.numpy": "mxnet.numpy.fallback",
}
"""What MXNet's modules import and programs name that import no more than its package."""


class _AliasLoader:
    def __init__(self, module_name: str) -> None:
        self._target = module_name
        self._spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:  # noqa: ARG002  # the protocol's
        # The very module of hy's, so that classes and state are the same by both paths.
        module = import_module(self._target)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        alias = module.__spec__
        # Reloading goes by the module's own spec.
        module.__spec__ = self._spec
        if alias is not None:
            if alias.name in _IMPORTED_WITH:
                import_module(_IMPORTED_WITH[alias.name])
            offer_to_star(module, alias.name)


class _ViewLoader:
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return view(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the module is already loaded."""


class _OwnLoader:
    """Import loader that runs a module's original loader, and adds MXNet's names."""

    def __init__(self, own: "Loader") -> None:
        self._own = own

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._own
        if module.__spec__ is not None:
            module.__spec__.loader = self._own
        self._own.exec_module(module)
        _complete(module)


def _complete(module: ModuleType) -> None:
    if has_names(module.__name__):
        attach(module)
        offer_to_star(module, module.__name__)
    if has_members(module.__name__):
        attach_members(module)


class _Finder:
    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target_module: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return a module spec for an alias, whose loading gives hy's module itself."""
        module_name = target(fullname)
        if module_name is not None:
            loader = _ViewLoader() if is_view(fullname) else _AliasLoader(module_name)
            return ModuleSpec(fullname, cast("Loader", loader))
        # Modules that get no names of MXNet's are left to the other finders.
        if not (has_names(fullname) or has_members(fullname)):
            return None
        # The ordinary spec, with a loader that attaches names once the module has run.
        spec = PathFinder.find_spec(fullname, path, target_module)
        if spec is not None and spec.loader is not None:
            spec.loader = cast("Loader", _OwnLoader(spec.loader))
        return spec


def install() -> None:
    """Install the import hook, and add MXNet's names to loaded modules; once per process."""
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    # In front of the finder of files, which would look for these paths in hy-compat's own folder.
    sys.meta_path.insert(0, _Finder())
    # A program may have imported hy's packages first. A copy, since attaching may import more.
    for name, module in list(sys.modules.items()):
        if getattr(module, "__name__", None) == name:
            _complete(module)
