"""Dtype promotion of the operands of mx.np's kernels."""

from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array


def common_dtype(*arrays: Array) -> np.dtype[Any]:
    """Return the promoted dtype of arrays: the widest floating one, or the widest integer one.

    Raises:
        TypeError: There is no common dtype, for example of float16 and bfloat16.
    """
    dtypes = {x.dtype for x in arrays}
    if len(dtypes) == 1:
        return arrays[0].dtype
    # Not NumPy's rule, which promotes int32 and float32 to float64: as in MXNet, floats decide.
    floating = [dtype for dtype in dtypes if dtype.kind not in "biu"]
    if not floating:
        dtype = np.result_type(*dtypes)
        # NumPy promotes int8 and uint8 to int16, which MXNet lacks.
        if dtype == np.int16:
            raise TypeError("no dtype holds int8 and uint8")
        return dtype
    widest = max(floating, key=lambda dtype: dtype.itemsize)
    if any(d.itemsize == widest.itemsize and d != widest for d in floating):
        raise TypeError("no dtype holds float16 and bfloat16")
    return widest
