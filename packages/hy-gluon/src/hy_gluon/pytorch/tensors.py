"""Conversion between arrays and tensors that share memory, for any kernel table."""

from collections.abc import Callable
from typing import Any

from hy_ndarray import Context, NDArray, current_context, device_of
from hy_symbol.backends.torch_compile import torch_device

__all__ = ["array_of", "mapped", "tensor_of", "torch_device"]


def tensor_of(array: NDArray) -> Any:
    """Return a tensor that shares an array's memory."""
    table = torch_device().table
    context = array.context
    kind = "gpu" if context.device_type == "gpu" else "cpu"
    # DLPack in both directions: no copy.
    return table.memory.from_dlpack(array.buffer, table.device(kind, context.device_id))


def array_of(tensor: Any, kind: type[NDArray] = NDArray) -> NDArray:
    """Return an array that shares a tensor's memory, or a copy if it is not contiguous."""
    # Gaps (a transposed tensor) would be strides that hy's kernels refuse.
    plain = tensor.detach().contiguous()
    if plain.device.type == "cpu":
        present = current_context()
        device = device_of(Context("cpu") if present.device_type == "gpu" else present)
    else:
        device = device_of(Context("gpu", plain.device.index or 0))
    return kind.from_buffer(device.memory.from_dlpack(plain, device.handle), device)


def mapped(function: Callable[[Any], Any], nested: Any) -> Any:
    """Return nested lists with ``function`` applied to each leaf except None."""
    if isinstance(nested, list | tuple):
        return [mapped(function, part) for part in nested]
    return None if nested is None else function(nested)
