"""Philox in torch operators: the random numbers that Triton kernels draw, for their fallbacks."""

from collections.abc import Sequence
from math import prod

import torch

from hy_kernels.torch._tensor import Tensor

_MASK = (1 << 32) - 1  # 32 bits
_KEYS = 0x9E3779B9, 0xBB67AE85
_FACTORS = 0xD2511F53, 0xCD9E8D57
_ROUNDS = 10  # of Philox 4x32-10 (Salmon et al., 2011)
_SCALE = 4.6566127342e-10  # 1 / (2**31 - 1), as tl.rand has it


def _multiply_high_low(factor: int, x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the high and low 32 bits of products of 32-bit integers, as int64."""
    high, low = factor >> 16, factor & 0xFFFF
    return (high * x + (low * x >> 16)) >> 16, (factor * x) & _MASK


def drawn(seed: Tensor, shape: Sequence[int]) -> Tensor:
    """Return ``tl.rand(seed, i)`` for the flat indices ``i`` of an array: float32 in ``[0, 1)``.

    The first of the four numbers of Philox-4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random
    numbers: as easy as 1, 2, 3", 2011).

    Args:
        seed: One int64, on the device where the numbers are to be.
        shape: Shape of the result; indices are in row-major order.
    """
    # 64-bit integers of torch have no unsigned product: it is put together from halves of 16 bits.
    index = torch.arange(prod(shape), device=seed.device)
    a, b = index & _MASK, index >> 32
    c = d = torch.zeros_like(index)
    key = seed.reshape(()) & _MASK, seed.reshape(()) >> 32 & _MASK
    for _ in range(_ROUNDS):
        (high_a, low_a), (high_c, low_c) = (
            _multiply_high_low(_FACTORS[0], a),
            _multiply_high_low(_FACTORS[1], c),
        )
        a, b, c, d = high_c ^ b ^ key[0], low_c, high_a ^ d ^ key[1], low_a
        key = (key[0] + _KEYS[0]) & _MASK, (key[1] + _KEYS[1]) & _MASK
    signed = torch.where(a > _MASK >> 1, _MASK - a, a)
    return (signed.to(torch.float32) * _SCALE).reshape(tuple(shape))
