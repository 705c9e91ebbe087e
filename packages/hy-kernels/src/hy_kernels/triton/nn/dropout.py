"""Dropout by a counter-based generator.

Of a graph that is trained only a seed is kept for the gradient, which draws again: rules put
:func:`dropout_by_seed` in the place of the operator and of its gradient. Called alone, the
operator has a mask for a result, and that is written in the same launch. Float16 and bfloat16 are
computed in float32, and have one rounding.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import torch

from hy_kernels.record import Kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, stored, target, target_like
from hy_kernels.torch.nn.dropout import mask_shape
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton._philox import drawn
from hy_kernels.triton.device import dropout as device
from hy_kernels.triton.runtime._launch import launch, runs_on

__all__ = ["dropout", "dropout_by_seed", "dropped", "dropped_along", "shared_runs"]

_BLOCK = 1024  # elements of a program
# As int64 is what memory has for it; Philox takes all bits for its key.
_SEEDS = (1 << 63) - 1  # the largest seed


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
        x: Tensor of any shape.
        rate: The share that is dropped, 1 at most.
        seed: What is dropped follows from it and the index; one number, here or on the device.
        y: Contiguous memory for the result.
        mask: Contiguous memory for what each element is multiplied by.
    """
    operands = x.contiguous()
    y = x.new_empty(x.shape) if y is None else y
    launch(
        device.dropped,
        (-(-x.numel() // _BLOCK),),
        *(operands, y, y if mask is None else mask, x.numel(), seed),
        RATE=rate,
        SCALE=1 / (1 - rate) if rate < 1 else 0.0,
        IS_STORED=isinstance(seed, torch.Tensor),
        HAS_MASK=mask is not None,
        BLOCK=_BLOCK,
    )
    return y


def shared_runs(shape: Sequence[int], axes: Iterable[int]) -> tuple[int, int, int, int] | None:
    """``(K0, S1, K1, S2)`` of ``shape`` seen as ``(S0, K0, S1, K1, S2)``, numbers shared along S.

    None where own and shared axes alternate more often.
    """
    shared = {axis % len(shape) for axis in axes}
    runs = [1, 1, 1, 1, 1]
    k = 0
    for axis, n in enumerate(shape):
        if n != 1:
            k += k % 2 == (axis in shared)  # own numbers are at odd indices
            if k == len(runs):
                return None
            runs[k] *= n
    return runs[1], runs[2], runs[3], runs[4]


def dropped_along(
    x: Tensor,
    rate: float,
    seed: int | Tensor,
    runs: tuple[int, int, int, int],
    y: Tensor | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Drop like :func:`dropped`, with one number for all elements along some axes.

    Bytes moved: those of ``x`` and of the result, and of a mask that is wanted.

    Args:
        x: Tensor of any shape.
        rate: The share that is dropped, 1 at most.
        seed: What is dropped follows from it and the index; one number, here or on the device.
        runs: Result of :func:`shared_runs`.
        y: Contiguous memory for the result.
        mask: Contiguous memory for what elements are multiplied by, 1 along the axes.
    """
    operands = x.contiguous()
    y = x.new_empty(x.shape) if y is None else y
    launch(
        device.dropped_along,
        (-(-x.numel() // _BLOCK),),
        *(operands, y, y if mask is None else mask, x.numel(), *runs, seed),
        RATE=rate,
        SCALE=1 / (1 - rate) if rate < 1 else 0.0,
        IS_STORED=isinstance(seed, torch.Tensor),
        HAS_MASK=mask is not None,
        BLOCK=_BLOCK,
    )
    return y


def _supports(
    data: Tensor, *, p: float, mode: str, axes: tuple[int, ...], is_train: bool, **_: Any
) -> bool:
    draws = p > 0 and (is_train or mode == "always")
    is_standard = data.dtype.is_floating_point and data.numel() > 0
    return draws and is_standard and shared_runs(data.shape, axes) is not None and runs_on(data)


@overlay(supports=_supports)
def dropout(
    data: Tensor,
    *,
    p: float,
    axes: tuple[int, ...],
    rng: torch.Generator,
    out: OutBuffers = None,
    **_: Any,
) -> tuple[Tensor, Tensor]:
    """``data`` times a random mask of zeros and ``1 / (1 - p)``; and that mask."""
    result = target_like(data, data.shape, out)
    mask = target(out, mask_shape(data.shape, axes), data.dtype, data.device, 1)
    # The seed stays on the GPU: a number that Python knew would be a wait, and be frozen in a
    # graph.
    seed = torch.randint(_SEEDS, (1,), generator=rng, device=data.device)
    _drop(data, p, axes, seed, result, mask)
    return result, mask


def _drop(
    x: Tensor,
    rate: float,
    axes: Sequence[int],
    seed: Tensor,
    y: Tensor,
    mask: Tensor | None = None,
) -> Tensor:
    runs = shared_runs(x.shape, axes) if axes else None
    if runs is None:
        return dropped(x, rate, seed, y, mask)
    return dropped_along(x, rate, seed, runs, y, mask)


def _by_torch(
    data: Tensor, seed: Tensor, *, p: float, axes: tuple[int, ...] = (), out: OutBuffers = None
) -> Tensor:
    """Drop as :func:`dropout_by_seed` does, with numbers computed by torch's operators.

    They follow from the seed on its device: a generator would be seeded by the host, which waits.
    """
    keeps = drawn(seed, mask_shape(data.shape, axes)) >= p
    return stored(torch.where(keeps, data / (1 - p), 0), out)


_BELOW = Kernel("dropout_by_seed", _by_torch, out="apart")


@overlay(supports=lambda data, *_, **__: data.numel() > 0 and runs_on(data), below=_BELOW)
def dropout_by_seed(
    data: Tensor, seed: Tensor, *, p: float, axes: tuple[int, ...] = (), out: OutBuffers = None
) -> Tensor:
    """``data`` times the mask that follows from a seed; its gradient is the same of ``dy``."""
    result = target_like(data, data.shape, out)
    return _drop(data, p, axes, seed, result)
