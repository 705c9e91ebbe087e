"""Models in files of every format: arrays by name, with a graph or without."""

from pathlib import Path

from hy_cli import weights
from hy_cli.onnx_files import ONNX, OpenShapes, load_model, save_model
from hy_cli.weights import Weights

__all__ = ["load", "save"]


def load(path: str) -> Weights:
    """Read a file; its graph is in it, or in the file beside it that ``export`` wrote.

    Raises:
        FileFormatError, ImportModelError: The file is damaged.
        ValueError: Its ending is not known, or its arrays have no names.
        OnnxError: It is one of ONNX, and the package ``onnx`` is not installed.
    """
    return load_model(path) if _is_onnx(path) else weights.load(path)


def save(path: str, content: Weights, inputs: OpenShapes) -> list[str]:
    """Write a file in the format of its ending; a graph goes into it, or beside it.

    Args:
        path: The file.
        content: What it is to hold.
        inputs: Shapes of the inputs by name, which ONNX alone has to know.

    Returns:
        The files that were written.

    Raises:
        ValueError: The ending is not known, or the format cannot hold an array.
        OnnxError: It is one of ONNX, and the package ``onnx`` is not installed.
    """
    return save_model(path, content, inputs) if _is_onnx(path) else weights.save(path, content)


def _is_onnx(path: str) -> bool:
    return Path(path).suffix.lower() == ONNX
