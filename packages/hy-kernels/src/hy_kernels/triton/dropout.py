"""Dropout by a counter-based generator.

Of a graph that is trained only a seed is kept for the gradient, which draws again: rules put
:func:`dropout_by_seed` in the place of the operator and of its gradient. Called alone, the
operator has a mask for a result, and that is written in the same launch. Float16 and bfloat16 are
computed in float32, and have one rounding.
"""

from typing import Any

import torch

from hy_kernels.record import Kernel
from hy_kernels.torch._tensor import Places, Tensor, stored, target
from hy_kernels.triton._launch import launch, runs_on
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton.device import dropout as device

__all__ = ["dropout", "dropout_by_seed", "dropped"]

_BLOCK = 1024
_SEEDS = (1 << 63) - 1


def dropped(
    x: Tensor,
    rate: float,
    seed: int | Tensor,
    y: Tensor | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """``x`` with elements set to 0, and the others over ``1 - rate``.

    Bytes moved: those of ``x`` and of the result, and of a mask that is wanted.

    Args:
        x: Of any shape.
        rate: The share that is dropped, 1 at most.
        seed: What is dropped follows from it and the place; one number, here or on the device.
        y: Contiguous memory for the result.
        mask: Contiguous memory for what each element is multiplied by.
    """
    given = x.contiguous()
    y = x.new_empty(x.shape) if y is None else y
    launch(
        device.dropped,
        (-(-x.numel() // _BLOCK),),
        *(given, y, y if mask is None else mask, x.numel(), seed),
        RATE=rate,
        SCALE=1 / (1 - rate) if rate < 1 else 0.0,
        IS_STORED=isinstance(seed, torch.Tensor),
        HAS_MASK=mask is not None,
        BLOCK=_BLOCK,
    )
    return y


def _suits(
    data: Tensor, *, p: float, mode: str, axes: tuple[int, ...], is_train: bool, **_: Any
) -> bool:
    draws = p > 0 and (is_train or mode == "always")
    usual = data.dtype.is_floating_point and data.numel() > 0
    return draws and usual and not axes and runs_on(data)


@overlay(suits=_suits)
def dropout(
    data: Tensor, *, p: float, rng: torch.Generator, out: Places = None, **_: Any
) -> tuple[Tensor, Tensor]:
    """``data`` times a random mask of zeros and ``1 / (1 - p)``; and that mask."""
    result = target(out, data.shape, data.dtype, data.device)
    mask = target(out, data.shape, data.dtype, data.device, 1)
    seed = torch.randint(_SEEDS, (1,), generator=rng, device=data.device)
    dropped(data, p, seed, result, mask)
    return result, mask


def _by_torch(data: Tensor, seed: Tensor, *, p: float, out: Places = None) -> Tensor:
    """As :func:`dropout_by_seed`, of other numbers; waits for the seed."""
    generator = torch.Generator(data.device).manual_seed(int(seed))
    kept = torch.rand(data.shape, generator=generator, device=data.device) >= p
    return stored(torch.where(kept, data / (1 - p), 0), out)


_BELOW = Kernel("dropout_by_seed", _by_torch, out="apart")


@overlay(suits=lambda data, *_, **__: data.numel() > 0 and runs_on(data), below=_BELOW)
def dropout_by_seed(data: Tensor, seed: Tensor, *, p: float, out: Places = None) -> Tensor:
    """``data`` times the mask that follows from a seed; its gradient is the same of ``dy``."""
    result = target(out, data.shape, data.dtype, data.device)
    return dropped(data, p, seed, result)
