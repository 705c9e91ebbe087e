"""Numbers as they lie in files, and as arrays: bool, bfloat16 and float8 lie there as integers."""

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_io._binary import BinaryReader

__all__ = ["as_dtype", "check_dtype", "name_of", "stored_dtype"]

_INTEGERS = {
    "bool": "uint8",
    "bfloat16": "uint16",
    "float8_e4m3fn": "uint8",
    "float8_e5m2": "uint8",
}


@lru_cache
def name_of(dtype: np.dtype[Any]) -> str:
    """The name of a dtype, which numpy puts together anew each time."""
    return dtype.name


def stored_dtype(name: str) -> np.dtype[Any]:
    """How a dtype lies in a file, little-endian."""
    return np.dtype(_INTEGERS.get(name, name)).newbyteorder("<")


def check_dtype(reader: BinaryReader, name: str, field: str, offset: int) -> None:
    """Refuse a dtype for which ``ml_dtypes`` is needed and not installed.

    Args:
        reader: Of the file.
        name: The dtype.
        field: Where it is said, for the message.
        offset: The place of that.

    Raises:
        FileFormatError: It is so.
    """
    if name in _INTEGERS and name != "bool":
        try:
            _extended(name)
        except ImportError:
            remedy = 'try `pip install "hy-io[bfloat16]"`'
            expected = "a dtype of numpy"
            raise reader.error(field, expected, name, offset=offset, remedy=remedy) from None


def as_dtype(
    reader: BinaryReader, stored: npt.NDArray[Any], name: str, field: str, offset: int
) -> npt.NDArray[Any]:
    """Values of a dtype, in native byte order, out of those that lie in the file.

    Args:
        reader: Of the file.
        stored: The values; they are not copied if their byte order is native.
        name: The dtype, which `check_dtype` has allowed.
        field: What they are called in messages.
        offset: Where they begin.

    Raises:
        FileFormatError: They are bool, and not all are 0 or 1.
    """
    values = stored.astype(stored.dtype.newbyteorder("="), copy=False)
    if name == "bool":
        if values.size and (most := values.max()) > 1:  # as bool neither True nor False
            raise reader.error(field, "0 and 1", f"{most}", offset=offset)
        return values.view(np.bool_)
    return values.view(_extended(name)) if name in _INTEGERS else values


def _extended(name: str) -> np.dtype[Any]:
    import ml_dtypes  # noqa: PLC0415  # only files with such dtypes need it

    dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return dtype
