"""Modules of ``mxnet.contrib``, loaded on first use."""

from importlib import import_module as _import_module
from typing import Any as _Any

from hy_ndarray.suggestion import unknown_attribute as _unknown_attribute

_MODULES = (
    "amp",
    "autograd",
    "io",
    "nd",
    "ndarray",
    "onnx",
    "quant",
    "quantization",
    "svrg_optimization",
    "sym",
    "symbol",
    "tensorboard",
    "text",
)


def __getattr__(name: str) -> _Any:
    if name == "__all__":
        return list(_MODULES)
    if name not in _MODULES:
        missing = ": it is not part of MXNet 1.9.1, or hy does not have it yet"
        raise _unknown_attribute("module 'mxnet.contrib'", name, __dir__, missing)
    value = globals()[name] = _import_module(f"mxnet.contrib.{name}")
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
