"""Embedding as a function of PyTorch."""

from typing import Any

import torch
from torch.library import custom_op

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._arguments import FLOATS, INTEGERS, check_dtypes, require, runs_here
from hy_kernels.triton.functional._calls import LIBRARY, like
from hy_kernels.triton.nn.embedding import added, taken


@custom_op(f"{LIBRARY}::embedding", mutates_args=())
def _embedding(index: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    runs_here("embedding", index, weight)
    y = weight.new_empty((*index.shape, weight.shape[1]))
    taken(index, weight.contiguous(), y)
    return y


def embedding(index: Tensor, weight: Tensor) -> Tensor:
    """Return ``weight[index]``; its gradient is deterministic, summed in sorted order.

    Args:
        index: Integers of any shape; those out of range are clipped.
        weight: ``[rows, columns]``, float16, bfloat16, float32 or float64.

    Returns:
        ``[*index, columns]``, of the dtype of ``weight``.

    Raises:
        TypeError: There is no kernel for the dtypes.
        ValueError: ``weight`` is not a matrix, or has no rows.
    """
    check_dtypes("embedding: weight", FLOATS, weight=weight)
    check_dtypes("embedding: index", INTEGERS, index=index)
    fits = weight.ndim == 2 and (len(weight) > 0 or index.numel() == 0)
    require(fits, "embedding", "weight needs two axes, and a row", index=index, weight=weight)
    y: Tensor = _embedding(index, weight)
    return y


@custom_op(f"{LIBRARY}::embedding_backward", mutates_args=())
def _embedding_backward(
    dy: torch.Tensor, index: torch.Tensor, weight: torch.Tensor
) -> torch.Tensor:
    total = like(weight)
    flat = index.reshape(-1).to(torch.int64).clamp(0, len(weight) - 1)
    added(dy.reshape(index.numel(), weight.shape[1]).contiguous(), flat, total)
    return total


def _embedding_gradient(ctx: Any, dy: Tensor) -> tuple[Any, ...]:
    return None, _embedding_backward(dy, *ctx.saved_tensors)


_embedding.register_fake(lambda index, weight: weight.new_empty((*index.shape, weight.shape[1])))
_embedding_backward.register_fake(lambda dy, index, weight: like(weight))
_embedding.register_autograd(
    _embedding_gradient,
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
)
