"""Promotion of the operands of mx.np's kernels to one dtype."""

from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array

__all__ = ["common_dtype"]


def common_dtype(*arrays: Array) -> np.dtype[Any]:
    """Return the dtype to compute in: the widest floating one, or else the widest.

    Raises:
        TypeError: No dtype holds both, as of float16 and bfloat16.
    """
    dtypes = {x.dtype for x in arrays}
    if len(dtypes) == 1:
        return arrays[0].dtype
    # Not numpy's rule, by which int32 and float32 give float64: floats decide, as in MXNet.
    floating = [dtype for dtype in dtypes if dtype.kind not in "biu"]
    if not floating:
        dtype = np.result_type(*dtypes)
        # numpy promotes int8 and uint8 to int16, which MXNet lacks.
        if dtype == np.int16:
            raise TypeError("no dtype holds int8 and uint8")
        return dtype
    widest = max(floating, key=lambda dtype: dtype.itemsize)
    if any(d.itemsize == widest.itemsize and d != widest for d in floating):
        raise TypeError("no dtype holds float16 and bfloat16")
    return widest
