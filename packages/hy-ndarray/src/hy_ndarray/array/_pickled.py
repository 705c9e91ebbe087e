"""Reading of arrays pickled by MXNet, which hold the bytes of a file with one array."""

from struct import pack
from typing import Any

from hy_ndarray import namespaces
from hy_ndarray._errors import ArgumentError

# MXNet's file of arrays: magic number 0x112, reserved, count; then the arrays, then their names.
_LIST_OF_ONE = pack("<3Q", 0x112, 0, 1)
_WITHOUT_NAMES = pack("<Q", 0)


def unpickled(state: dict[str, Any]) -> Any:
    """Return the array in the state of an MXNet pickle, on the CPU.

    Args:
        state: A dict whose ``"handle"`` holds the bytes of MXNet's ``MXNDArraySaveRawBytes``.

    Raises:
        ArgumentError: There are no bytes, or the package that reads files is not imported.
        FileFormatError: The bytes are damaged.
    """
    handle = state.get("handle")
    load = namespaces.extension("nd", "load_frombuffer")
    if handle is None or load is None:
        why = "it holds no values" if handle is None else "import mxnet, of hy-compat, first"
        raise ArgumentError(f"cannot unpickle the NDArray: {why}")
    (array,) = load(_LIST_OF_ONE + bytes(handle) + _WITHOUT_NAMES)
    return array
