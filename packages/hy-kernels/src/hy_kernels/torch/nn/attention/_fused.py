"""Torch's fused attention on GPUs, and its gradients from the saved logsumexp.

Flash attention (Dao, 2023, arXiv:2307.08691) supports 16-bit floats without a mask;
memory-efficient attention (Rabe and Staats, 2021, arXiv:2112.05682) also float32, and a bias added
to the scores. Arrays are ``[N, heads, L, D]``; ``sums`` is the logsumexp of each row of scores,
``[N, heads, L]``, float32.
"""

from functools import cache
from math import inf
from typing import Any, TypeAlias

import torch
from torch.nn import functional

from hy_kernels.torch._tensor import Tensor

Arrays: TypeAlias = tuple[Tensor, Tensor, Tensor]
"""Queries, keys and values, or their gradients."""
_aten: Any = torch.ops.aten
_HALF = (torch.float16, torch.bfloat16)
_LONGEST = 256  # elements of vectors of torch's flash attention
_BYTES = 16  # of which rows of vectors are a multiple, as kernels read so many at once
_ROWS = 32  # of sums, of which kernels read whole groups
_COLUMNS = 16  # of a bias, of which rows are whole groups in memory


def dense(x: Tensor) -> Tensor:
    """Return the array, or a copy if its last axis is not contiguous, which torch misreads."""
    return x if x.stride(-1) == 1 else x.contiguous()


def _is_regular(arrays: Arrays, causal: bool) -> bool:
    """Return whether fused kernels support the shapes: unshared heads, aligned vectors."""
    query, key, value = arrays
    same = query.shape[:2] == key.shape[:2] and key.shape == value.shape
    is_square = not causal or query.shape[2] == key.shape[2]
    is_whole = query.shape[3] * query.itemsize % _BYTES == 0
    return bool(same and is_square and is_whole and query.numel() and key.numel())


def is_flash(arrays: Arrays, causal: bool) -> bool:
    """Return whether torch's flash attention supports the arrays, without a mask."""
    query = arrays[0]
    fits = query.is_cuda and query.dtype in _HALF and query.shape[3] <= _LONGEST
    on = fits and torch.backends.cuda.flash_sdp_enabled()
    return bool(on and _is_regular(arrays, causal) and has_fused(query.device))


def is_efficient(arrays: Arrays, causal: bool) -> bool:
    """Return whether torch's memory-efficient attention supports the arrays, also with a bias."""
    query = arrays[0]
    fits = query.is_cuda and query.dtype in (*_HALF, torch.float32)
    on = fits and torch.backends.cuda.mem_efficient_sdp_enabled()
    return bool(on and _is_regular(arrays, causal) and has_fused(query.device))


@cache
def has_fused(device: torch.device) -> bool:
    """Return whether torch has fused attention for a device: NVIDIA GPUs from the A100 on."""
    is_nvidia = torch.cuda.is_available() and torch.version.hip is None
    return bool(is_nvidia and torch.cuda.get_device_capability(device) >= (8, 0))


def flash(arrays: Arrays, scale: float, causal: bool) -> tuple[Tensor, Tensor]:
    """Return the result of flash attention, and the logsumexp of rows."""
    y, sums, *_ = _aten._scaled_dot_product_flash_attention(
        *map(dense, arrays), 0.0, causal, return_debug_mask=False, scale=scale
    )
    return y, sums


def flash_backward(
    dy: Tensor, arrays: Arrays, y: Tensor, sums: Tensor, scale: float, causal: bool
) -> Arrays:
    """Return the gradients of :func:`flash`."""
    query, key, _ = arrays
    # What dropout drew by, of which there is none, so that nobody reads it.
    seeds = [query.new_empty(shape, dtype=torch.uint64) for shape in ((2,), ())]
    lengths = (None, None, query.shape[2], key.shape[2])
    dq, dk, dv = _aten._scaled_dot_product_flash_attention_backward(
        *map(dense, (dy, *arrays, y)), sums, *lengths, 0.0, causal, *seeds, scale=scale
    )
    return dq, dk, dv


def efficient(
    arrays: Arrays, mask: Tensor | None, scale: float, causal: bool
) -> tuple[Tensor, Tensor]:
    """Return the result of memory-efficient attention, and the logsumexp of rows.

    Args:
        arrays: Queries, keys and values.
        mask: Numbers to add to scores, or booleans, True where a query sees a key; axes may be 1.
        scale: Factor of the scores.
        causal: Whether query ``i`` sees no key after ``i``.
    """
    y, sums, *_ = _aten._scaled_dot_product_efficient_attention(
        *map(dense, arrays), _bias(mask, arrays), True, 0.0, causal, scale=scale
    )
    return y, sums[..., : y.shape[2]]  # of whole groups of rows


def efficient_backward(
    dy: Tensor,
    arrays: Arrays,
    mask: Tensor | None,
    y: Tensor,
    sums: Tensor,
    scale: float,
    causal: bool,
) -> Arrays:
    """Return the gradients of :func:`efficient`."""
    # Kernels read groups of rows: those beyond the last weigh exp(-inf), nothing.
    whole = functional.pad(sums, (0, -sums.shape[-1] % _ROWS), value=inf)
    seeds = [arrays[0].new_empty((), dtype=torch.int64) for _ in range(2)]
    dq, dk, dv, _ = _aten._scaled_dot_product_efficient_attention_backward(
        *map(dense, (dy, *arrays)),
        *(_bias(mask, arrays), dense(y), whole, *seeds, 0.0, [True, True, True, False], causal),
        scale=scale,
    )
    return dq, dk, dv


def _bias(mask: Tensor | None, arrays: Arrays) -> Tensor | None:
    """Return a mask as a bias ``[N, heads, queries, keys]`` of the arrays' dtype, aligned."""
    if mask is None:
        return None
    query, key, _ = arrays
    columns = key.shape[2]
    if mask.dtype is torch.bool:
        mask = torch.where(mask, 0.0, -inf)
    bias = mask.to(query.dtype).expand(*mask.shape[:-1], columns)
    more = -columns % _COLUMNS
    bias = functional.pad(bias, (0, more))[..., :columns] if more else dense(bias)
    return bias.expand(*query.shape[:3], columns)
