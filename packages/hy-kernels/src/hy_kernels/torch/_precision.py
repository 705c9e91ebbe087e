"""Conversion to the dtypes that kernels compute in, and back to those of results."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch

from hy_kernels.torch._dtypes import NAMES, accumulator, refuse_complex, widest
from hy_kernels.torch._tensor import PLAIN, Tensor


def to_compute_dtype(data: Tensor) -> Tensor:
    """Return the tensor in the dtype to compute in: float32 for 16-bit floats."""
    # 16-bit floats lose sums and small steps, so kernels of several operations compute in float32.
    dtype = data.dtype
    wider = accumulator(dtype)
    return data if wider is dtype else data.to(wider)


def real(data: Tensor) -> Tensor:
    """Return the tensor in a floating dtype to compute in: integers in :func:`widest`."""
    if data.dtype.is_floating_point:
        return to_compute_dtype(data)
    refuse_complex(data.dtype)
    # float64: integers up to 2**53 are exact.
    return data.to(widest(data.device))


def to_storage_dtype(data: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the tensor in the dtype of the result."""
    return data if data.dtype is dtype else data.to(dtype)


def floating(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``function`` restricted to floating tensors; 16-bit floats go through float32.

    Results are made contiguous, since those of LAPACK are in column-major order.
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
