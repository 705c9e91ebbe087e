"""Opens safetensors files for reading single arrays: opening reads only the header."""

import os

from hy_io._ndarray_format import Array
from hy_io._opened import ArrayInfo, OpenedFile
from hy_io._safetensors_reader import (
    Slot,
    check_known,
    decode,
    np_shape_of,
    ordered,
    read_slots,
)

__all__ = ["SafetensorsFile", "open_safetensors"]


class SafetensorsFile(OpenedFile[str, Array]):
    """Mapping of the arrays of an open file by name.

    Arrays are created on access, as read-only views of the mapped file, which stay valid after
    `close`. Arrays of unknown dtypes are listed like the others, but access raises an error. The
    file must not be truncated in place meanwhile.

    Returned by `open_safetensors`.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path)
        slots, texts = read_slots(self._reader)
        self._slots = {name: slots[name] for name in ordered(self._reader, slots, texts)}
        self._infos = {name: _info(slot) for name, slot in self._slots.items()}
        self.named = texts.get("hy.list") != "true"
        """False if the arrays were saved without names and are named "0", "1", ..."""
        self.symbol = texts.get("hy.symbol")
        """The graph as JSON, if there is one."""
        self.np_shape = np_shape_of(texts)
        """Whether the arrays have numpy semantics; None if the file does not say."""
        self.metadata = {k: text for k, text in texts.items() if not k.startswith("hy.")}
        """All other strings under ``__metadata__``, by name."""

    def __getitem__(self, key: str) -> Array:
        reader = self._reader
        slot = self._slots[key]
        check_known(reader, slot)
        return decode(reader, slot, slot.stored)

    def close(self) -> None:
        """Close the file; it is unmapped when the last view is released."""
        super().close()
        self._slots = {}


def _info(slot: Slot) -> ArrayInfo:
    return ArrayInfo(slot.shape, slot.dtype, "dense", slot.stored.nbytes, slot.offset)


def open_safetensors(path: str | os.PathLike[str]) -> SafetensorsFile:
    """Open a safetensors file for reading single arrays: only the header is read.

    Args:
        path: The file.

    Returns:
        A read-only mapping, which is also a context manager.

    Raises:
        FileFormatError: The file is damaged or cut short. Values and dtypes are checked when an
            array is accessed.

    Example:
        >>> from hy_io import save_safetensors
        >>> save_safetensors("net.safetensors", {"a": np.zeros((1000, 1000)), "b": np.arange(3)})
        >>> with open_safetensors("net.safetensors") as arrays:
        ...     print(list(arrays), arrays.info("a").shape, arrays["b"])
        ['a', 'b'] (1000, 1000) [0 1 2]
    """
    return SafetensorsFile(path)
