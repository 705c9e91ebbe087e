"""Models to and from ONNX; needs the package hy-onnx."""

from importlib import import_module
from typing import Any

__all__ = [  # __getattr__ has them
    "ExportError",
    "ImportModelError",
    "OnnxError",
    "export_model",
    "get_model_metadata",
    "get_operator_support",
    "import_model",
    "import_to_gluon",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("hy_onnx"), name)
