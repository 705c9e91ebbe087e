"""Precision of float32 products: tf32 or exact, by torch's settings."""

from typing import Any

import torch

from hy_kernels.triton.runtime._launch import interpreting


def product_precision(dtype: torch.dtype) -> str:
    """Return the precision of matrix products: ``"tf32"`` if torch allows it, else ``"ieee"``.

    Only float32 depends on the setting; other dtypes give ``"ieee"``. In the interpreter, which
    multiplies 16-bit operands as float32, it is ``"wide"``.
    """
    return _precision(_PRODUCTS, dtype)


def convolution_precision(dtype: torch.dtype) -> str:
    """Return the precision of convolutions; see :func:`product_precision`."""
    return _precision(_CONVOLUTIONS, dtype)


# Looked up once: to find them in torch's modules takes as long as the setting itself.
_PRODUCTS: Any = torch.backends.cuda.matmul
_CONVOLUTIONS: Any = getattr(torch.backends.cudnn, "conv", torch.backends.cudnn)


def _precision(backend: Any, dtype: torch.dtype) -> str:
    if interpreting():
        return "wide"
    return _setting(backend) if dtype is torch.float32 else "ieee"


def _setting(backend: Any) -> str:
    # From torch 2.9 on ``fp32_precision`` answers for the old setting, too, while ``allow_tf32``
    # raises as soon as somebody has used the new one.
    precision = getattr(backend, "fp32_precision", None)
    allowed = backend.allow_tf32 if precision is None else precision == "tf32"
    return "tf32" if allowed else "ieee"
