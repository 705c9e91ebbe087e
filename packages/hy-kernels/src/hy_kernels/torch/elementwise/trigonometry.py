"""Trigonometric and hyperbolic functions, element by element."""

import torch

from hy_kernels.torch.elementwise._functions import register

register(
    {
        "arccos": torch.arccos,
        "arccosh": torch.arccosh,
        "arcsin": torch.arcsin,
        "arcsinh": torch.arcsinh,
        "arctan": torch.arctan,
        "arctanh": torch.arctanh,
        "cos": torch.cos,
        "cosh": torch.cosh,
        "sin": torch.sin,
        "sinh": torch.sinh,
        "tan": torch.tan,
        "tanh": torch.tanh,
        "degrees": torch.rad2deg,
        "radians": torch.deg2rad,
    }
)
