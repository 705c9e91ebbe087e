"""What tests of torch's convolutions call, and with what."""

from typing import Any

import torch

from hy_kernels.record import Kernel
from hy_kernels.torch import table

__all__ = ["REST", "drawn", "how", "record"]

REST = {"workspace": 0, "no_bias": False, "cudnn_tune": None, "cudnn_off": False}
"""Parameters that say nothing of the result."""


def record(name: str) -> Kernel:
    found = table().find(name)
    assert found is not None
    return found


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def how(stride: Any, pad: Any = (), layout: str | None = None) -> dict[str, Any]:
    return {"stride": stride, "dilate": (), "pad": pad, "num_group": 1, "layout": layout}
