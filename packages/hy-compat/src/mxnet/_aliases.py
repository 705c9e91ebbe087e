"""MXNet's module paths, mapped onto the hy packages that hold what people import from them."""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:  # it takes 10 ms to be imported
    from importlib.abc import Loader

__all__ = ["ALIASES", "install"]

ALIASES: dict[str, str] = {
    "mxnet.attribute": "hy_symbol.graph.attribute",
    "mxnet.autograd": "hy_ndarray.autograd",
    "mxnet.context": "hy_ndarray.devices.context",
    "mxnet.contrib.amp": "hy_gluon.amp",
    "mxnet.contrib.amp.amp": "hy_gluon.amp",
    "mxnet.contrib.amp.loss_scaler": "hy_gluon.loss_scaler",
    "mxnet.contrib.nd": "hy_ndarray.nd.contrib",
    "mxnet.contrib.ndarray": "hy_ndarray.nd.contrib",
    "mxnet.contrib.quant": "hy_gluon.quantization",
    "mxnet.contrib.quantization": "hy_gluon.quantization",
    "mxnet.contrib.sym": "hy_symbol.sym.contrib",
    "mxnet.contrib.symbol": "hy_symbol.sym.contrib",
    "mxnet.executor": "hy_symbol.executor",
    "mxnet.gluon": "hy_gluon",
    "mxnet.gluon.nn.activations": "hy_gluon.nn",
    "mxnet.gluon.nn.basic_layers": "hy_gluon.nn",
    "mxnet.gluon.nn.conv_layers": "hy_gluon.nn",
    "mxnet.image": "hy_gluon.image",
    "mxnet.image.det": "hy_gluon.image",
    "mxnet.image.detection": "hy_gluon.image",
    "mxnet.image.image": "hy_gluon.image",
    "mxnet.img": "hy_gluon.image",
    "mxnet.init": "hy_gluon.initializer",
    "mxnet.initializer": "hy_gluon.initializer",
    "mxnet.io.io": "mxnet.io",
    "mxnet.io.utils": "mxnet.io.arrays",
    "mxnet.kv": "hy_gluon.kvstore",
    "mxnet.kvstore": "hy_gluon.kvstore",
    "mxnet.kvstore.base": "hy_gluon.kvstore.base",
    "mxnet.kvstore.kvstore": "hy_gluon.kvstore.kvstore",
    "mxnet.kvstore.kvstore_server": "hy_gluon.kvstore.kvstore_server",
    "mxnet.lr_scheduler": "hy_gluon.lr_scheduler",
    "mxnet.metric": "hy_gluon.metric",
    "mxnet.mod": "mxnet.module",
    "mxnet.mon": "mxnet.monitor",
    "mxnet.name": "hy_symbol.graph.name",
    "mxnet.nd": "hy_ndarray.nd",
    "mxnet.nd.ndarray": "hy_ndarray.nd",
    "mxnet.nd.utils": "hy_ndarray.nd",
    "mxnet.ndarray": "hy_ndarray.nd",
    "mxnet.ndarray.ndarray": "hy_ndarray.nd",
    "mxnet.ndarray.numpy": "hy_ndarray.np.operators",
    "mxnet.ndarray.numpy.linalg": "hy_ndarray.np.linalg",
    "mxnet.ndarray.numpy.random": "hy_ndarray.np.random",
    "mxnet.ndarray.numpy_extension": "hy_ndarray.npx.operators",
    "mxnet.ndarray.numpy_extension.image": "hy_ndarray.npx.image",
    "mxnet.ndarray.numpy_extension.random": "hy_ndarray.npx.random",
    "mxnet.ndarray.utils": "hy_ndarray.nd",
    "mxnet.np": "hy_ndarray.np",
    "mxnet.np_symbol": "hy_symbol.sym.np",
    "mxnet.npx": "hy_ndarray.npx",
    "mxnet.numpy": "hy_ndarray.np",
    "mxnet.numpy.arrayprint": "hy_ndarray.np",
    "mxnet.numpy.fallback": "hy_ndarray.np",
    "mxnet.numpy.fallback_linalg": "hy_ndarray.np.linalg",
    "mxnet.numpy.function_base": "hy_ndarray.np",
    "mxnet.numpy.io": "hy_ndarray.np",
    "mxnet.numpy.multiarray": "hy_ndarray.np",
    "mxnet.numpy.stride_tricks": "hy_ndarray.np",
    "mxnet.numpy.utils": "hy_ndarray.np",
    "mxnet.numpy_extension": "hy_ndarray.npx",
    "mxnet.numpy_extension.utils": "hy_ndarray.npx",
    "mxnet.onnx": "hy_gluon.onnx",
    "mxnet.onnx.mx2onnx": "hy_gluon.onnx",
    "mxnet.optimizer": "hy_gluon.optimizer",
    "mxnet.optimizer.optimizer": "hy_gluon.optimizer",
    "mxnet.profiler": "hy_ndarray.profiler",
    "mxnet.recordio": "hy_io.recordio",
    "mxnet.rnd": "mxnet.random",
    "mxnet.sym": "hy_symbol.sym",
    "mxnet.sym.symbol": "hy_symbol.sym",
    "mxnet.symbol": "hy_symbol.sym",
    "mxnet.symbol.numpy": "hy_symbol.sym.np",
    "mxnet.symbol.numpy._symbol": "hy_symbol.sym.np",
    "mxnet.symbol.numpy.linalg": "hy_ndarray.np.linalg",
    "mxnet.symbol.numpy_extension": "hy_symbol.sym.npx",
    "mxnet.symbol.symbol": "hy_symbol.sym",
    "mxnet.th": "mxnet.torch",
    "mxnet.visualization": "hy_symbol.viz",
    "mxnet.viz": "hy_symbol.viz",
}
"""Modules by MXNet's path; a path below one of them is looked for below its target."""


IMPORTED: dict[str, str] = {
    "mxnet.gluon.data.dataloader.ForkingPickler": "multiprocessing.reduction:ForkingPickler",
    "mxnet.gluon.data.dataloader.ThreadPool": "multiprocessing.pool:ThreadPool",
    "mxnet.gluon.data.vision.datasets.image": "hy_gluon.image",
    "mxnet.metric.ndarray": "hy_ndarray.nd",
}
"""What MXNet's modules import and programs reach through them: a module, or a name in one."""
_BESIDE = {"mxnet.gluon": "multiprocessing.pool"}
"""What MXNet's modules import and programs name that import no more than its package."""


def _target(path: str) -> str | None:
    """The module behind an MXNet path, or None if no alias covers it."""
    head, tail = path, ""
    while head != "mxnet":
        if head in ALIASES:
            return ALIASES[head] + tail
        head, _, last = head.rpartition(".")
        tail = f".{last}{tail}"
    return None


def _bind_below(path: str) -> None:
    """Give the modules below a path that are loaded the attributes they have in MXNet."""
    for alias, target in (ALIASES | IMPORTED).items():
        parent, _, name = alias.rpartition(".")
        holder = sys.modules.get(_target(parent) or parent)
        module, _, member = target.partition(":")
        is_wanted = alias in IMPORTED or module in sys.modules
        is_below = f"{parent}.".startswith(f"{path}.")
        if is_below and is_wanted and holder is not None and not hasattr(holder, name):
            found = import_module(module)
            setattr(holder, name, getattr(found, member) if member else found)


class _AliasLoader:
    def __init__(self, target: str) -> None:
        self._target = target
        self._spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:  # noqa: ARG002  # the protocol's
        module = import_module(self._target)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        alias = module.__spec__
        module.__spec__ = self._spec  # the import system put the alias's in its place
        if alias is not None:
            if alias.name in _BESIDE:
                import_module(_BESIDE[alias.name])
            _bind_below(alias.name)


def _parts_of_gluon() -> dict[str, str]:
    """Modules of gluon, which are loaded late, that get attributes; and their MXNet paths."""
    parents = {alias.rpartition(".")[0] for alias in ALIASES | IMPORTED}
    inner = sorted(path for path in parents if path.startswith("mxnet.gluon."))
    return {target: path for path in inner if (target := _target(path))}


_PARTS = _parts_of_gluon()


class _PartLoader:
    """Loads a module as its own loader does, and gives it the attributes that it has in MXNet."""

    def __init__(self, own: "Loader") -> None:
        self._own = own

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._own
        if module.__spec__ is not None:
            module.__spec__.loader = self._own
        self._own.exec_module(module)
        _bind_below(_PARTS[module.__name__])


class _AliasFinder:
    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """A spec whose module is the one behind the alias, not a copy."""
        if fullname in _PARTS:
            spec = PathFinder.find_spec(fullname, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = cast("Loader", _PartLoader(spec.loader))
            return spec
        if not fullname.startswith("mxnet."):
            return None
        found = _target(fullname)
        return None if found is None else ModuleSpec(fullname, cast("Loader", _AliasLoader(found)))


def install() -> None:
    """Make the aliases importable; once per process."""
    if not any(isinstance(finder, _AliasFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AliasFinder())
