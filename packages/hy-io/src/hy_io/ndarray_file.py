"""Opens NDArray-list files for reading single arrays: opening reads only the headers."""

import os
from collections.abc import Sequence

from hy_io._expecting import expecting
from hy_io._ndarray_format import CSR, DENSE, ROW_SPARSE, V3, StoredArray
from hy_io._ndarray_reader import Entry, decode, read_entries
from hy_io._opened import ArrayInfo, OpenedFile

__all__ = ["ArrayInfo", "NDArrayFile", "open_ndarrays"]

_STORAGES = {DENSE: "dense", ROW_SPARSE: "row_sparse", CSR: "csr"}


class NDArrayFile(OpenedFile[str | int, StoredArray]):
    """Mapping of the arrays of an open file, by name, or by index if they have no names.

    Arrays are created on access, as read-only views of the mapped file: the disk is read when the
    values are. Views stay valid after `close`, and when the file is replaced by renaming, as
    `save_ndarrays` does. The file must not be truncated in place meanwhile.

    Returned by `open_ndarrays`.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path)
        entries, names = read_entries(self._reader)
        keys: Sequence[str | int] = names or range(len(entries))
        self._entries = dict(zip(keys, entries, strict=True))
        self._infos = {key: _info(entry) for key, entry in self._entries.items()}
        self.named = bool(names)
        """True if the arrays have names; without names the keys are 0, 1, ..."""
        self.np_shape = any(entry.version == V3 for entry in entries)
        """True if the file was written in numpy semantics."""

    def __getitem__(self, key: str | int) -> StoredArray:
        reader = self._reader
        entry = self._entries[key]
        little = [part.stored for part in entry.parts]
        # ``=`` is this machine's order; no copy is made on little-endian ones.
        native = [array.astype(array.dtype.newbyteorder("="), copy=False) for array in little]
        return decode(reader, entry, native)

    def close(self) -> None:
        """Close the file; it is unmapped when the last view is released."""
        super().close()
        self._entries = {}


def _info(entry: Entry) -> ArrayInfo:
    storage = _STORAGES[entry.storage]
    return ArrayInfo(entry.shape, entry.dtype, storage, entry.nbytes, entry.offset)


def open_ndarrays(path: str | os.PathLike[str]) -> NDArrayFile:
    """Open a file for reading single arrays: only the headers are read.

    Args:
        path: The file.

    Returns:
        A read-only mapping, which is also a context manager.

    Raises:
        FileFormatError: The file is not an NDArray list, is damaged or cut short. Values are
            checked when an array is accessed.

    Example:
        >>> from hy_io import save_ndarrays
        >>> save_ndarrays("net.params", {"a": np.zeros((1000, 1000)), "b": np.arange(3)})
        >>> with open_ndarrays("net.params") as arrays:
        ...     print(list(arrays), arrays.info("a").shape, arrays["b"])
        ['a', 'b'] (1000, 1000) [0 1 2]
    """
    with expecting("params", path):
        return NDArrayFile(path)
