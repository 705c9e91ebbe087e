"""Base class of files opened for reading single arrays."""

import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TypeVar

from hy_io._binary import BinaryReader, map_file
from hy_io._errors import ArgumentError

__all__ = ["ArrayInfo", "OpenedFile"]

K = TypeVar("K", bound=str | int)
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class ArrayInfo:
    """Name, dtype and shape of an array.

    Args:
        shape: Its sizes.
        dtype: The name of its dtype.
        storage: ``dense``, ``row_sparse`` or ``csr``.
        nbytes: The bytes of its values and, if it is sparse, of its index arrays.
        offset: Where it begins in the file.
    """

    shape: tuple[int, ...]
    dtype: str
    storage: str
    nbytes: int
    offset: int


class OpenedFile(Mapping[K, V]):
    """Arrays of an open file, read one at a time. Subclasses fill ``_infos`` from its headers."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        """The file."""
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
        """Return the name, dtype and shape of an array without reading its values.

        Raises:
            KeyError: There is no such array.
        """
        return self._infos[key]

    def close(self) -> None:
        """Close the file; it is unmapped when the last view is released."""
        # Views that were handed out hold the map, so forgetting the reader cannot unmap their
        # memory.
        self._opened = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
