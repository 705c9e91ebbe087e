"""Calls from functions of PyTorch to kernels of the table, and where these write."""

from typing import Any

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._table import table

__all__ = ["LIBRARY", "like", "run", "run_one"]

LIBRARY = "hy_kernels"
"""Of torch's operators."""


def run(name: str, *tensors: Tensor | None, **params: Any) -> Any:
    """Call a kernel of the table."""
    record = table().find(name)
    assert record is not None, name
    return record.function(*tensors, **params)


def run_one(name: str, *tensors: Tensor | None, **params: Any) -> Tensor:
    """Return the one result of a kernel of the table."""
    y: Tensor = run(name, *tensors, **params)
    return y


def like(x: Tensor) -> Tensor:
    """Contiguous memory for a tensor of the shape and dtype of another, of any strides."""
    return x.new_empty(x.shape)
