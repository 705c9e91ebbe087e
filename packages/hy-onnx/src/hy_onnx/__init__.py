"""Export of graphs to ONNX and import of ONNX models; needs the extra ``onnx``."""

import typing as _typing
from importlib import import_module as _import_module

if _typing.TYPE_CHECKING:
    from hy_onnx.from_onnx.load import (
        get_model_metadata as get_model_metadata,
        import_graph as import_graph,
        read_model as read_model,
    )
    from hy_onnx.to_onnx.export import (
        export_graph as export_graph,
        get_operator_support as get_operator_support,
    )
    from hy_symbol.exchange import (
        ExportError as ExportError,
        ImportedGraph as ImportedGraph,
        ImportModelError as ImportModelError,
        MissingOnnxError as MissingOnnxError,
        OnnxError as OnnxError,
    )

_MEMBERS = {
    "ExportError": "hy_symbol.exchange",
    "ImportModelError": "hy_symbol.exchange",
    "ImportedGraph": "hy_symbol.exchange",
    "MissingOnnxError": "hy_symbol.exchange",
    "OnnxError": "hy_symbol.exchange",
    "export_graph": "hy_onnx.to_onnx.export",
    "get_model_metadata": "hy_onnx.from_onnx.load",
    "get_operator_support": "hy_onnx.to_onnx.export",
    "import_graph": "hy_onnx.from_onnx.load",
    "read_model": "hy_onnx.from_onnx.load",
}


def __getattr__(name: str) -> _typing.Any:
    """Return a public name, imported on first use, to keep the import of hy-onnx fast."""
    if name == "__all__":
        return [name for name in __dir__() if not name.startswith("_")]
    if name not in _MEMBERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(_import_module(_MEMBERS[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MEMBERS})
