"""Tensors whose values are in files beside a model, which are mapped, not read."""

import os
from pathlib import Path
from typing import Any

from hy_io import local_path, map_file
from hy_symbol.exchange import ImportModelError

__all__ = ["ExternalData"]

_MAX_NAME_BYTES = 255
"""Bytes of a name in a folder, as systems have it."""


class ExternalData:
    """External files in a model's folder, each mapped once.

    As the package ``onnx`` does, it takes files of that folder alone: a model of strangers is not
    to read others.

    Args:
        model: Path of the model.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._folder = local_path(model).parent.resolve()
        self._files: dict[Path, memoryview] = {}

    def values(self, tensor: Any) -> memoryview:
        """Return the bytes of a tensor, ``onnx.TensorProto``, with external data.

        Raises:
            ImportModelError: They are not there, or not in the folder.
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
    """Return a range of a file's bytes, up to its end by default."""
    start = int(offset or 0)
    size = len(data) - start if length is None else int(length)
    if not 0 <= start <= start + size <= len(data):
        raise ValueError(f"it has {len(data)} bytes, not {size} from byte {start} on")
    return data[start : start + size]
