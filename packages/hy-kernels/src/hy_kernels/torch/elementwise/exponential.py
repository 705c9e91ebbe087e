"""Exponential functions and logarithms, element by element."""

import torch

from hy_kernels.torch.elementwise._functions import register

register(
    {
        "exp": torch.exp,
        "expm1": torch.expm1,
        "log": torch.log,
        "log1p": torch.log1p,
        "log2": torch.log2,
        "log10": torch.log10,
    }
)
