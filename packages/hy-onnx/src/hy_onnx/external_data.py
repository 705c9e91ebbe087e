"""External data: tensor values in files beside a model, memory-mapped."""

import os
from pathlib import Path
from typing import Any

from hy_io import local_path, map_file
from hy_symbol.exchange import ImportModelError

__all__ = ["ExternalData"]

_MAX_NAME_BYTES = 255
"""Maximal number of bytes of a file name, as in common file systems."""


class ExternalData:
    """External data files of a model, each mapped once.

    Only files in the model's folder are accepted, as by the package ``onnx``, so that an untrusted
    model cannot read other files.

    Args:
        model: Path of the model.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._folder = local_path(model).parent.resolve()
        self._files: dict[Path, memoryview] = {}

    def values(self, tensor: Any) -> memoryview:
        """Return the bytes of an ``onnx.TensorProto`` with external data.

        Raises:
            ImportModelError: The file is missing or outside of the folder.
            OSError: The file cannot be read.
        """
        entries = {entry.key: entry.value for entry in tensor.external_data}
        location = str(entries.get("location", ""))
        try:
            return _byte_range(self._mapped(location), entries.get("offset"), entries.get("length"))
        except ValueError as error:
            raise ImportModelError(
                f"{self._model}: weights beside it are missing: {location!r} for tensor "
                f"{tensor.name!r}: {error}"
            ) from error

    def _mapped(self, location: str) -> memoryview:
        # Normalized without resolving links: the two paths are compared below.
        normalized = Path(os.path.normpath(self._folder / location))
        if max(len(os.fsencode(part)) for part in normalized.parts) > _MAX_NAME_BYTES:
            raise ValueError(f"its name is longer than {_MAX_NAME_BYTES} bytes")
        path = normalized.resolve()
        if not location or Path(location).is_absolute() or self._folder not in normalized.parents:
            raise ValueError(f"it has to be the name of a file in {self._folder}")
        if not path.is_file():
            raise ValueError(f"there is no such file in {self._folder}")
        # A link, or another name of the file, could stand for a file outside of the folder.
        if path != normalized or path.stat().st_nlink > 1:
            raise ValueError("it is a link, or has other names; put a copy in its place")
        if path not in self._files:
            self._files[path] = map_file(path)
        return self._files[path]


def _byte_range(data: memoryview, offset: str | None, length: str | None) -> memoryview:
    """Return the bytes from ``offset`` (default 0), ``length`` of them (default: to the end)."""
    start = int(offset or 0)
    size = len(data) - start if length is None else int(length)
    if not 0 <= start <= start + size <= len(data):
        raise ValueError(f"it has {len(data)} bytes, not {size} from byte {start} on")
    return data[start : start + size]
