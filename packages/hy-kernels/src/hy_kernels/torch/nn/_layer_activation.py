"""Activations of layers' results, in place if possible, by oneDNN's names."""

from collections.abc import Callable, Mapping

import torch
from torch.nn import functional

from hy_kernels.torch._tensor import Tensor

_IN_PLACE: Mapping[str, Callable[..., Tensor]] = {
    "relu": torch.relu_,
    "sigmoid": torch.sigmoid_,
    "tanh": torch.tanh_,
    "hardtanh": torch.clamp_,
    "leaky_relu": functional.leaky_relu_,
    "gelu": functional.gelu,
}


def activated(y: Tensor, activation: str, scalars: tuple[float, ...]) -> Tensor:
    """Return the activation of ``y``, which may be overwritten."""
    return y if activation == "none" else _IN_PLACE[activation](y, *scalars)
