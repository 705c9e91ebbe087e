"""Arrays out of Python and numpy values."""

from typing import Any

import numpy as np

from hy_ndarray._dtypes import numpy_type
from hy_ndarray.context import Context
from hy_ndarray.ndarray import NDArray, array_from

__all__ = ["array", "waitall"]


def array(source_array: Any, ctx: Context | None = None, dtype: object = None) -> NDArray:
    """An array with the values of a number, nested lists, a numpy array or another NDArray.

    Args:
        source_array: The values.
        ctx: Where to put it; the current context if None.
        dtype: Of the elements; that of ``source_array`` if it is an NDArray, else float32.

    Example:
        >>> array([[1, 2], [3, 4]]).shape
        (2, 2)
    """
    if isinstance(source_array, NDArray):
        kind = source_array.dtype if dtype is None else numpy_type(dtype)
        values = source_array.asnumpy().astype(kind)
    else:
        kind = np.float32 if dtype is None else numpy_type(dtype)
        values = np.asarray(source_array).astype(kind)
    return array_from(values.reshape(1) if values.ndim == 0 else values, ctx)


def waitall() -> None:
    """Wait until all pending work on every device is done."""
    from hy_ndarray._tables import open_devices  # noqa: PLC0415

    for device in open_devices():
        device.table.synchronize(device.handle)
