"""Dropout by a counter-based random generator.

In training, graph rewritings insert :func:`dropout_by_seed` for the operator and its gradient: the
gradient redraws the numbers from the seed. An operator called by itself returns a mask too, which
the same launch writes. Float16 and bfloat16 are computed in float32 and rounded once.
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

_BLOCK = 1024  # elements of a program
# Seeds are int64 in memory; Philox uses all bits for its key.
_SEEDS = (1 << 63) - 1  # the largest seed


def dropped(
    x: Tensor,
    rate: float,
    seed: int | Tensor,
    y: Tensor | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return ``x`` with a random part of its elements 0, the others divided by ``1 - rate``.

    Bytes moved: ``x`` and the result, and the mask if there is one.

    Args:
        x: Tensor of any shape.
        rate: Fraction of elements that are dropped, 1 at most.
        seed: Seed of the random numbers, an int or a one-element tensor on the device; an element's
            number depends on the seed and its index alone.
        y: Contiguous memory for the result.
        mask: Contiguous memory for the factors: 0 or ``1 / (1 - rate)``.
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
    """Return ``(K0, S1, K1, S2)``: ``shape`` seen as ``(S0, K0, S1, K1, S2)``, for dropout by axes.

    Elements share a random number along the S axes, which are ``axes`` merged; the K axes have
    numbers of their own. None if the two kinds of axes alternate more often.
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
    """Drop like :func:`dropped`, with one random number for all elements along some axes.

    Bytes moved: ``x`` and the result, and the mask if there is one.

    Args:
        x: Tensor of any shape.
        rate: Fraction that is dropped, 1 at most.
        seed: As for :func:`dropped`.
        runs: Result of :func:`shared_runs`.
        y: Contiguous memory for the result.
        mask: Contiguous memory for the factors, of size 1 along the shared axes.
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
    """Return ``data`` times a random mask of zeros and ``1 / (1 - p)``, and the mask."""
    result = target_like(data, data.shape, out)
    mask = target(out, mask_shape(data.shape, axes), data.dtype, data.device, 1)
    # The seed stays on the GPU: to read it in Python would wait for the GPU, and a captured graph
    # would repeat that number.
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
    """Compute :func:`dropout_by_seed` by torch's operators, with the same random numbers.

    They are computed on the seed's device: to seed a generator, the host would wait for the seed.
    """
    keeps = drawn(seed, mask_shape(data.shape, axes)) >= p
    return stored(torch.where(keeps, data / (1 - p), 0), out)


_BELOW = Kernel("dropout_by_seed", _by_torch, out="apart")


@overlay(supports=lambda data, *_, **__: data.numel() > 0 and runs_on(data), below=_BELOW)
def dropout_by_seed(
    data: Tensor, seed: Tensor, *, p: float, axes: tuple[int, ...] = (), out: OutBuffers = None
) -> Tensor:
    """Return ``data`` times the dropout mask of a seed; the gradient is the same function of dy."""
    result = target_like(data, data.shape, out)
    return _drop(data, p, axes, seed, result)
