"""Calls of the table's kernels from the functions of PyTorch."""

from typing import Any

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._table import table

LIBRARY = "hy_kernels"
"""Namespace of the operators in ``torch.ops``."""


def run(name: str, *tensors: Tensor | None, **params: Any) -> Any:
    """Return the results of a kernel of the table."""
    record = table().find(name)
    assert record is not None, name
    return record.function(*tensors, **params)


def run_one(name: str, *tensors: Tensor | None, **params: Any) -> Tensor:
    """Return the result of a kernel that has only one."""
    y: Tensor = run(name, *tensors, **params)
    return y


def like(x: Tensor) -> Tensor:
    """Return an uninitialized contiguous tensor of the shape and dtype of another."""
    return x.new_empty(x.shape)
