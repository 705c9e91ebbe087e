"""Kernels under ``torch.func.vmap``: batched if PyTorch can, else run once per element."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.autograd import forward_ad

__all__ = ["has_tangents", "is_transformed", "mapped_kernel"]


def is_transformed() -> bool:
    """Return whether a ``torch.func`` transform is active; False while compiling."""
    # Dynamo traces this function; functorch's state is not visible to it.
    if torch.compiler.is_compiling():
        return False
    return bool(torch._C._are_functorch_transforms_active())  # as autograd.Function asks


def has_tangents() -> bool:
    """Return whether tensors may carry forward-mode derivatives; False while compiling."""
    if torch.compiler.is_compiling():
        return False
    return is_transformed() or forward_ad._current_level >= 0  # as unpack_dual asks


def mapped_kernel(kernel: Callable[..., Any], *, draws: bool) -> Callable[..., Any]:
    """Return a kernel that works under ``vmap``.

    PyTorch can map most kernels directly. Kernels that write into their own buffers or read a value
    on the host may fail; these are called once per element of the batch.

    Args:
        kernel: Function of tensors or None that returns a tensor or a tuple of tensors.
        draws: Whether the kernel draws random numbers, for which ``vmap`` has its own rules.
    """

    class Mapped(torch.autograd.Function):
        @staticmethod
        def forward(*operands: Any) -> Any:
            return kernel(*operands)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            """Do nothing: the function is not differentiated."""

        @staticmethod
        def vmap(info: Any, in_dims: Any, *operands: Any) -> Any:
            whole = torch.vmap(kernel, in_dims, randomness=info.randomness)
            if draws:
                outputs = whole(*operands)
            # Draws are mapped by PyTorch's own randomness rules, so a fallback would break them.
            else:
                try:
                    outputs = whole(*operands)
                except RuntimeError:  # the kernel's own come again from single elements
                    # Slow, but right for any kernel.
                    outputs = _one_by_one(Mapped.apply, info.batch_size, in_dims, operands)
            return outputs, torch.utils._pytree.tree_map(lambda _: 0, outputs)

    mapped: Callable[..., Any] = Mapped.apply
    return mapped


def _one_by_one(
    function: Callable[..., Any], size: int, in_dims: Sequence[int | None], operands: Sequence[Any]
) -> Any:
    pairs = list(zip(operands, in_dims, strict=True))
    rows = [
        function(*[x if dim is None else x.select(dim, i) for x, dim in pairs]) for i in range(size)
    ]
    if isinstance(rows[0], tuple):
        return tuple(torch.stack(parts) for parts in zip(*rows, strict=True))
    return torch.stack(rows)
