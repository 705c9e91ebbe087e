"""Exponential functions and logarithms, element by element."""

import numpy as np

from hy_kernels.numpy.elementwise._functions import register

register(
    {
        "exp": np.exp,
        "expm1": np.expm1,
        "log": np.log,
        "log1p": np.log1p,
        "log2": np.log2,
        "log10": np.log10,
    }
)
