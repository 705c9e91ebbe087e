"""MXNet's Python interface on the hy packages: ``import mxnet as mx``."""

from contextlib import suppress as _suppress
from importlib import import_module as _import_module
from os import environ as _environ
from typing import Any as _Any

from mxnet import _conflict, _finder

_conflict.refuse_other_mxnet()
_finder.install()

if _environ.get("DMLC_ROLE", "worker") != "worker":  # MXNet's launcher: nothing to train here
    _import_module("hy_gluon.kvstore.kvstore_server").serve()

from hy_ndarray import (  # noqa: E402  # only after the check above
    Context as Context,
    HyError as _HyError,
    autograd as autograd,
    cpu as cpu,
    cpu_pinned as cpu_pinned,
    current_context as current_context,
    device_of as _device_of,
    gpu as gpu,
    namespaces as _namespaces,
    nd as nd,
    num_gpus as num_gpus,
)
from hy_ndarray.suggestion import unknown_attribute as _unknown_attribute  # noqa: E402
from mxnet import base as base, util as util  # noqa: E402
from mxnet.base import MXNetError as MXNetError  # noqa: E402

Context.__module__ = "mxnet.context"  # programs write it into files, for MXNet too

_namespaces.register_lazily("nd", "hy_gluon.files", "save", "load", "load_frombuffer", "CachedOp")
_namespaces.register_lazily("npx", "hy_gluon.files", "save", "savez", "load")
_namespaces.register_lazily("files", "hy_io.sniffing", "sniffing")
_namespaces.register_lazily("nd", "hy_ndarray.np.operators", "numpy")
_namespaces.register_lazily("nd", "hy_ndarray.npx.operators", "numpy_extension")
_namespaces.register_lazily("sym", "hy_symbol.sym.np", "numpy")
_namespaces.register_lazily("sym", "hy_symbol.sym.npx", "numpy_extension")
_namespaces.register_lazily("autograd", "hy_symbol.symbol.recorded", "get_symbol")
_namespaces.register_lazily("amp", "mxnet.module.conversion", "convert_bucketing_module")

with _suppress(_HyError):  # who makes an array is told what is wrong
    _device_of(cpu())  # its kernels are loaded with the import, as MXNet's are

__version__ = "1.9.1"
"""The version of MXNet whose behaviour this is; hy-compat's own is in its metadata."""

_MODULES = (
    "amp",
    "api",
    "attribute",
    "callback",
    "context",
    "contrib",
    "device",
    "engine",
    "error",
    "executor",
    "executor_manager",
    "gluon",
    "image",
    "img",
    "init",
    "initializer",
    "kv",
    "kvstore",
    "io",
    "libinfo",
    "library",
    "log",
    "lr_scheduler",
    "metric",
    "misc",
    "model",
    "mod",
    "module",
    "mon",
    "monitor",
    "name",
    "ndarray",
    "ndarray_doc",
    "notebook",
    "np",
    "np_symbol",
    "npx",
    "numpy",
    "numpy_dispatch_protocol",
    "numpy_extension",
    "numpy_op_fallback",
    "numpy_op_signature",
    "onnx",
    "operator",
    "optimizer",
    "profiler",
    "random",
    "recordio",
    "rnn",
    "registry",
    "rnd",
    "rtc",
    "runtime",
    "sym",
    "symbol",
    "symbol_doc",
    "test_utils",
    "th",
    "torch",
    "tvmop",
    "visualization",
    "viz",
)
_PRIVATE_MODULES = (
    "_api_internal",
    "_ctypes",
    "_cy3",
    "_ffi",
    "_global_var",
    "_numpy_op_doc",
)
_MEMBERS = {
    "is_np_array": "util",
    "is_np_shape": "util",
    "np_array": "util",
    "np_shape": "util",
    "set_np_shape": "util",
    "use_np": "util",
    "use_np_array": "util",
    "use_np_shape": "util",
    "AttrScope": "attribute",
    "Prefix": "name",
    "NameManager": "name",
    "Symbol": "symbol",
    "NDArray": "nd",
    "Device": "device",
    "current_device": "device",
}


def __getattr__(name: str) -> _Any:
    """Return a module or member that is imported on first use."""
    if name == "__all__":
        # Private modules can be imported by name, and are not part of star imports.
        return [name for name in __dir__() if not name.startswith("_")]
    if name in _MODULES or name in _PRIVATE_MODULES:
        value: _Any = _import_module(f"mxnet.{name}")
    elif name in _MEMBERS:
        value = getattr(_import_module(f"mxnet.{_MEMBERS[name]}"), name)
    else:
        missing = ": it is not part of MXNet 1.9.1, or hy does not have it yet"
        raise _unknown_attribute("module 'mxnet'", name, __dir__, missing)
    # Bound here, so that the next access does not come to `__getattr__` again.
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_PRIVATE_MODULES, *_MEMBERS})
