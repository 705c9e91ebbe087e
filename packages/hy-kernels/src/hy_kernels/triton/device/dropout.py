"""Dropout by a counter-based generator: what is dropped follows from a seed and the place.

Philox (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011), so that
the gradient draws the same numbers again, and no mask is stored.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.rows import widened


@triton.jit
def dropped(
    x_ptr,  # [size], the input, or the gradient of the result
    y_ptr,  # [size], becomes the result, or the gradient of the input
    size,
    seed,
    RATE: tl.constexpr,  # the share that is dropped
    BLOCK: tl.constexpr,
):
    """Bytes: reads x once, writes y once."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    x = widened(tl.load(x_ptr + at, inside, other=0.0))
    kept = tl.rand(seed, at) >= RATE
    y = tl.where(kept, x / (1.0 - RATE), 0.0)
    tl.store(y_ptr + at, y.to(y_ptr.dtype.element_ty), inside)
