"""Variables, and what tests of gradients do with them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hy_ndarray import NDArray, autograd, nd

__all__ = ["VALUES", "gradient", "modes", "recorded", "variable"]

VALUES = np.array([[0.5, -1.0, 2.0], [1.5, 3.0, -0.5]], dtype="float32")


def variable(values: Any = VALUES, req: str = "write") -> NDArray:
    x = nd.array(values)
    x.attach_grad(req)
    return x


def recorded(compute: Callable[[], Any]) -> Any:
    with autograd.record():
        return compute()


def gradient(x: NDArray) -> Any:
    assert x.grad is not None
    return x.grad.asnumpy()


def modes() -> tuple[bool, bool]:
    return autograd.is_recording(), autograd.is_training()
