"""The dtypes kernels compute in: 16-bit floats go through float32; integers are no floats."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch

from hy_kernels.torch._dtypes import NAMES, accumulator, refuse_complex, widest
from hy_kernels.torch._tensor import PLAIN, Tensor

__all__ = ["floating", "real", "to_compute_dtype", "to_storage_dtype"]


def to_compute_dtype(data: Tensor) -> Tensor:
    """Return the tensor as computed with: 16-bit floats as float32."""
    # 16-bit floats lose sums and small steps, so kernels of several operations compute in float32.
    dtype = data.dtype
    wider = accumulator(dtype)
    return data if wider is dtype else data.to(wider)


def real(data: Tensor) -> Tensor:
    """Convert like :func:`to_compute_dtype`, and integers to the widest floating dtype."""
    if data.dtype.is_floating_point:
        return to_compute_dtype(data)
    refuse_complex(data.dtype)
    # float64: integers up to 2**53 are exact.
    return data.to(widest(data.device))


def to_storage_dtype(data: Tensor, dtype: torch.dtype) -> Tensor:
    """The tensor in the dtype it is stored in."""
    return data if data.dtype is dtype else data.to(dtype)


def floating(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` for floating tensors alone; 16-bit ones go through float32.

    Its results are contiguous, which those of LAPACK are not.
    """

    @wraps(function)
    def checked(*args: Tensor, **kwargs: Any) -> Any:
        dtype = args[0].dtype
        if not dtype.is_floating_point:
            raise TypeError(f"{NAMES[dtype]} is not floating")
        if dtype in PLAIN:
            # LAPACK's results are in column order; hy's arrays are contiguous.
            result = function(*args, **kwargs)
            if isinstance(result, tuple):
                return tuple([y.contiguous() for y in result])
            return result.contiguous()
        kwargs.pop("out", None)
        result = function(*map(to_compute_dtype, args), **kwargs)
        if isinstance(result, tuple):
            return tuple([y.to(dtype).contiguous() for y in result])
        return result.to(dtype).contiguous()

    return checked
