"""Base class of files opened for reading single arrays."""

import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self, TypeVar

from hy_io._binary import BinaryReader, map_file
from hy_io._errors import ArgumentError

K = TypeVar("K", bound=str | int)
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class ArrayInfo:
    """Shape, dtype and position of an array in a file.

    Args:
        shape: Shape of the array.
        dtype: Name of the dtype.
        storage: ``dense``, ``row_sparse`` or ``csr``.
        nbytes: Size in bytes of the values and, if the array is sparse, of the index arrays.
        offset: Offset of the array in the file in bytes.
    """

    shape: tuple[int, ...]
    dtype: str
    storage: str
    nbytes: int
    offset: int


class OpenedFile(Mapping[K, V]):
    """Mapping of the arrays of an open file, read on access. Subclasses fill ``_infos``."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        """Path of the file."""
        self._opened: BinaryReader | None = BinaryReader(map_file(path), self.path)
        self._infos: dict[K, ArrayInfo] = {}

    @property
    def _reader(self) -> BinaryReader:
        if self._opened is None:
            raise ArgumentError(f"{self.path} is closed: take arrays inside the `with` block")
        return self._opened

    @abstractmethod
    def __getitem__(self, key: K) -> V:
        """Return the array of a key, read from the file."""

    def __iter__(self) -> Iterator[K]:
        return iter(self._infos)

    def __len__(self) -> int:
        return len(self._infos)

    def __contains__(self, key: object) -> bool:
        return key in self._infos

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path!r}: {len(self)} arrays>"

    def info(self, key: K) -> ArrayInfo:
        """Return shape, dtype and size of an array without reading its values.

        Raises:
            KeyError: The file has no array of this key.
        """
        return self._infos[key]

    def close(self) -> None:
        """Close the file; it is unmapped when the last view is released."""
        # Views that were handed out hold the map, so forgetting the reader cannot unmap their
        # memory.
        self._opened = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
