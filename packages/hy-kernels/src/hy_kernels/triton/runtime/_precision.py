"""Precision: how products of float32 are computed, as torch's settings say."""

from typing import Any

import torch

from hy_kernels.triton.runtime._launch import interpreting

__all__ = ["convolution_precision", "product_precision"]


def product_precision() -> str:
    """Return the precision of products of matrices: ``"tf32"`` if torch allows it, else ``"ieee"``.

    ``"wide"`` is for the interpreter, where operands of 16 bits are float32.
    """
    return "wide" if interpreting() else _setting(torch.backends.cuda.matmul)


def convolution_precision() -> str:
    """Return the precision of convolutions, as :func:`product_precision`."""
    if interpreting():
        return "wide"
    return _setting(getattr(torch.backends.cudnn, "conv", torch.backends.cudnn))


def _setting(backend: Any) -> str:
    # From torch 2.9 on ``fp32_precision`` answers for the old setting, too, while ``allow_tf32``
    # raises as soon as somebody has used the new one.
    precision = getattr(backend, "fp32_precision", None)
    allowed = backend.allow_tf32 if precision is None else precision == "tf32"
    return "tf32" if allowed else "ieee"
