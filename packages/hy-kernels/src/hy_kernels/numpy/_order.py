"""Stable argsort along the last axis."""

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS

_KEYED = (np.dtype(np.float32), np.dtype(np.int32))
_LAST = np.int32((1 << 31) - 1)


def stable_order(rows: Array, is_ascend: bool = True) -> Array:
    """Return the indices that sort ``rows`` along the last axis; equal elements keep their order.

    As in NumPy, nan sorts as the largest number.
    """
    if rows.size >= COSTS.rows.keyed and rows.dtype in _KEYED:
        return _by_keys(rows, is_ascend)
    if is_ascend:
        return rows.argsort(-1, "stable")
    # Descending and stable: reversed before, so that the reversal after leaves ties in order.
    reversed_order = rows[..., ::-1].argsort(-1, "stable")[..., ::-1]
    return np.asarray(rows.shape[-1] - 1 - reversed_order)


def _by_keys(rows: Array, is_ascend: bool) -> Array:
    """Compute :func:`stable_order` by sorting 64-bit integers that pack value and index.

    NumPy sorts these with vector instructions, in a fourth of the time of a stable argsort.
    """
    if rows.dtype.kind == "f":
        # The bits of floats, read as integers, sort like the floats, except that negative floats
        # sort in reverse; adding 0 turns -0.0 into 0.0, which must be equal.
        bits = np.add(rows, np.float32(0)).view(np.int32)
        bits ^= (bits >> 31) & _LAST
        np.copyto(bits, _LAST, where=rows != rows)  # noqa: PLR0124  # nan
    else:
        bits = rows
    keys = bits.astype(np.int64)
    if not is_ascend:
        np.invert(keys, out=keys)
    keys <<= 32
    keys |= np.arange(rows.shape[-1])
    keys.sort(axis=-1)
    keys &= 0xFFFFFFFF
    return keys
