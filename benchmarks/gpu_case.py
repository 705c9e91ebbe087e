"""Case: one kernel of the Triton table at one size, and torch for the same."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import torch

from hy_kernels.triton import table
from hy_ndarray import kernel_table
from hy_ndarray.devices._kernels import Kernels

__all__ = ["LARGEST", "SIDE", "Case", "call", "fit", "fit_images", "kernel_of", "tag"]

LARGEST = 1 << 62
"""What no axis of a case exceeds; tests make it small, so that cases run without a GPU."""

SIDE = LARGEST
"""What images of convolutions, and their number, do not exceed, likewise."""


class Case(NamedTuple):
    """One call."""

    name: str
    """Kernel, dtype and shape."""
    run: Callable[[], Any]
    """By the Triton table."""
    torch: Callable[[], Any]
    """By torch alone."""
    moved: int = 0
    """Bytes that have to be read and written; 0 where ``work`` limits it."""
    work: int = 0
    """Operations on floats."""
    hot: bool = True
    """Whether it has to do without spilled registers."""


def call(name: str, *tensors: Any, **params: Any) -> Callable[[], Any]:
    """A call of a kernel of the Triton table."""
    return partial(kernel_of(table(), name).function, *tensors, **params)


def kernel_of(of: Any, name: str) -> Any:
    """The record of a table's kernel, or what follows from its operator."""
    tables = (of,) if of.fallback is None else (of, kernel_table(of.fallback))
    return Kernels(tables).record(name)


def fit(*shape: int) -> tuple[int, ...]:
    """A shape, no axis longer than :data:`LARGEST`."""
    return tuple(min(n, LARGEST) for n in shape)


def fit_images(*shape: int) -> tuple[int, ...]:
    """A shape of images with the channels last, as :func:`fit`; none larger than :data:`SIDE`."""
    *sizes, channels = fit(*shape)
    return (*(min(n, SIDE) for n in sizes), channels)


def tag(dtype: torch.dtype, *shape: int) -> str:
    """Dtype and shape in words."""
    return f"{str(dtype).removeprefix('torch.')} {'x'.join(map(str, shape))}"
