"""Pickles of MXNet's arrays: the bytes that a file with one array would hold."""

from struct import pack
from typing import Any

from hy_ndarray import namespaces
from hy_ndarray._errors import ArgumentError

__all__ = ["unpickled"]

# MXNet's file of arrays: magic number 0x112, reserved, count; then the arrays, then their names.
_LIST_OF_ONE = pack("<3Q", 0x112, 0, 1)
_WITHOUT_NAMES = pack("<Q", 0)


def unpickled(state: dict[str, Any]) -> Any:
    """Return the array of the state in one of MXNet's pickles, on the CPU.

    Args:
        state: A dict; ``"handle"`` has the bytes of MXNet's ``MXNDArraySaveRawBytes``.

    Raises:
        ArgumentError: It holds no values, or nothing is loaded that reads files.
        FileFormatError: It is damaged.
    """
    handle = state.get("handle")
    load = namespaces.extension("nd", "load_frombuffer")
    if handle is None or load is None:
        why = "it holds no values" if handle is None else "import mxnet, of hy-compat, first"
        raise ArgumentError(f"the pickled array cannot be read: {why}")
    (array,) = load(_LIST_OF_ONE + bytes(handle) + _WITHOUT_NAMES)
    return array
