"""Dropout as a function of PyTorch."""

from typing import Any

import torch
from torch.library import custom_op

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._arguments import FLOATS, check_dtypes, runs_here
from hy_kernels.triton.functional._calls import LIBRARY, like
from hy_kernels.triton.nn.dropout import dropped


@custom_op(f"{LIBRARY}::dropout", mutates_args=())
def _dropout(x: torch.Tensor, rate: float, seed: int) -> torch.Tensor:
    runs_here("dropout", x)
    return dropped(x, rate, seed)


def dropout(x: Tensor, rate: float, seed: int) -> Tensor:
    """Return ``x`` with a random part of its elements 0, the others divided by ``1 - rate``.

    No mask is stored: the gradient draws the same numbers again.

    Args:
        x: Tensor of any shape, float16, bfloat16, float32 or float64.
        rate: Fraction of elements to drop, from 0 to below 1.
        seed: Seed of the random numbers; pass another one for each step and layer.

    Returns:
        A tensor of the shape and dtype of ``x``.

    Raises:
        TypeError: There is no kernel for the dtype.
        ValueError: ``rate`` is out of range.
    """
    if not 0 <= rate < 1:
        raise ValueError(f"dropout: rate is {rate}; it has to be from 0 to below 1")
    check_dtypes("dropout", FLOATS, x=x)
    y: Tensor = _dropout(x, rate, seed)
    return y


def _dropout_keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    _, ctx.rate, ctx.seed = inputs


def _dropout_gradient(ctx: Any, dy: Tensor) -> tuple[Any, ...]:
    return dropout(dy, ctx.rate, ctx.seed), None, None


_dropout.register_fake(lambda x, *_: like(x))
_dropout.register_autograd(_dropout_gradient, setup_context=_dropout_keep)
