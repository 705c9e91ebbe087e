"""Type promotion of operands with different dtypes."""

import torch

from hy_kernels.torch._tensor import Tensor


def common_dtype(*tensors: Tensor) -> torch.dtype:
    """Return the dtype to compute in: the widest floating one, or else the promoted integer one."""
    dtypes = {x.dtype for x in tensors}
    if len(dtypes) == 1:
        return tensors[0].dtype
    floating = [dtype for dtype in dtypes if dtype.is_floating_point]
    if not floating:
        promoted = tensors[0].dtype
        for dtype in dtypes:
            promoted = torch.promote_types(promoted, dtype)
        if promoted is torch.int16:  # of int8 and uint8; hy has no such dtype
            raise TypeError("no dtype holds int8 and uint8")
        return promoted
    widest = max(floating, key=lambda dtype: dtype.itemsize)
    if any(d.itemsize == widest.itemsize and d != widest for d in floating):
        raise TypeError("no dtype holds float16 and bfloat16")
    return widest
