"""Nets of hy's that are run in PyTorch, and what its tests compare."""

from typing import Any

import numpy as np
import torch

from hy_gluon import nn, rnn
from hy_ndarray import nd

__all__ = ["NETS", "close", "convolutional", "images", "initialized", "shared"]


def initialized(net: Any) -> Any:
    net.initialize()
    return net


def convolutional() -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, in_channels=2), nn.BatchNorm(in_channels=4), nn.Activation("relu"))
    net.add(nn.MaxPool2D(), nn.Dense(3, in_units=36))
    net.initialize()
    return net


def attentive() -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Dense(8, flatten=False, in_units=8), nn.GELU(), nn.LayerNorm(in_channels=8))
    net.add(nn.AvgPool1D(), nn.Dense(3, in_units=16))
    net.initialize()
    return net


NETS: dict[str, Any] = {
    "convolutional": (convolutional, (5, 2, 8, 8)),
    "attentive": (attentive, (5, 4, 8)),
    "recurrent": (lambda: initialized(rnn.LSTM(3, input_size=2, layout="NTC")), (4, 5, 2)),
    "gated": (lambda: initialized(rnn.GRU(3, input_size=2, layout="NTC")), (4, 5, 2)),
    "projected": (lambda: initialized(rnn.LSTM(4, input_size=2, projection_size=3)), (5, 2, 2)),
    "deconvolution": (lambda: initialized(nn.Conv2DTranspose(3, 2, in_channels=2)), (2, 2, 4, 4)),
    "normed": (lambda: initialized(nn.InstanceNorm(in_channels=3)), (2, 3, 5)),
}
"""How each is made, and the shape of its input."""


def images(count: int = 5) -> Any:
    return nd.random.normal(shape=(count, 2, 8, 8))


def shared(array: nd.NDArray) -> torch.Tensor:
    """The same numbers."""
    return torch.from_numpy(array.asnumpy().copy())


def close(tensor: torch.Tensor, values: Any) -> None:
    np.testing.assert_allclose(tensor.detach().numpy(), values, rtol=2e-3, atol=2e-4)
