"""Precision: how products of float32 are computed, as torch's settings say."""

from typing import Any

import torch

from hy_kernels.triton.runtime._launch import interpreting

__all__ = ["convolution_precision", "product_precision"]


def product_precision(dtype: torch.dtype) -> str:
    """Return the precision of products of matrices: ``"tf32"`` if torch allows it, else ``"ieee"``.

    It matters to float32 alone; of other dtypes it is ``"ieee"``, whatever the setting.
    ``"wide"`` is for the interpreter, where operands of 16 bits are float32.
    """
    return _precision(_PRODUCTS, dtype)


def convolution_precision(dtype: torch.dtype) -> str:
    """Return the precision of convolutions, as :func:`product_precision`."""
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
