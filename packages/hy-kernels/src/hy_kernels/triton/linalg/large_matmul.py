"""Large matrix products on Hopper by tensor descriptors (TMA), in 16 bits or float8.

In 16 bits they are one of the candidates that are tuned (``HY_AUTOTUNE=full``). Float8 is opt-in:
each row of both operands is scaled so that its largest element becomes the largest number of e4m3
(448), and rounded to 3 bits of mantissa, as in "FP8 Formats for Deep Learning" (Micikevicius et
al., 2022, arXiv:2209.05433). The error of a result is at most ``(2**-3 + 2**-8) * sum(|a| * |b|)``,
plus what is lost of elements below 2**-15 of their row's largest.
"""

from contextvars import copy_context
from typing import Any

import torch
import triton
import triton.language as tl

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton.device import large_matmul as device
from hy_kernels.triton.linalg.tiles import GROUP, HOPPER, Tiles
from hy_kernels.triton.runtime._launch import capability, interpreting, launch, multiprocessors
from hy_kernels.triton.runtime._precision import product_precision

__all__ = ["LARGEST", "TILES", "by_descriptors", "fits", "product_of_float8", "quantized"]

# For 16 bits on sm_90a: 213 KB of shared memory of 227 by copies and the result's tile; 64 x 256
# of the result are in the registers of four warps.
TILES = (Tiles(128, 256, 64, 8, 3), Tiles(128, 128, 64, 4, 4))
_FLOAT8 = Tiles(128, 128, 128, 8, 3)
"""Tiles of float8: a row of 128 is 128 bytes, the longest that shared memory interleaves."""
LARGEST = 448.0
"""Largest number of e4m3."""
_BYTES = 16  # of which TMA's addresses and strides are multiples
_MIN_ROWS = 1024  # rows, and columns, from which on there are tiles for half of the multiprocessors


def fits(a: Tensor, b: Tensor, y: Tensor) -> bool:
    """Return whether this is a large 16-bit product on Hopper, of operands that TMA can copy."""
    if a.ndim != 2 or a.itemsize != 2 or capability(a) < HOPPER or min(y.shape) < _MIN_ROWS:
        return False
    return _is_copied(a) and (_is_copied(b) or _is_copied(b.t())) and y.shape[1] % 8 == 0


def _is_copied(x: Tensor) -> bool:
    """Return whether TMA can copy a matrix: rows without gaps, at aligned addresses."""
    # TMA takes addresses and strides in units of 16 bytes, and neighbours side by side; older
    # versions of Triton have no descriptors in kernels.
    has_rows = hasattr(tl, "make_tensor_descriptor") and x.stride(1) == 1
    return has_rows and not (x.stride(0) * x.itemsize % _BYTES or x.data_ptr() % _BYTES)


def by_descriptors(
    tiles: Tiles,
    a: Tensor,
    b: Tensor,
    bias: Tensor | None,
    activation: str,
    y: Tensor,
    scales: tuple[Tensor, Tensor] | None = None,
) -> None:
    """Write ``activation(a · b + bias)`` to ``y``, with tiles copied by TMA; see :func:`fits`.

    Args:
        tiles: Tile sizes of a program.
        a: ``[rows, inner]``.
        b: ``[inner, columns]``.
        bias: ``[columns]``, contiguous.
        activation: Activation of the result.
        y: ``[rows, columns]``, memory for the result.
        scales: For float8 operands the scales of the rows of ``a`` and the columns of ``b``,
            float32.
    """
    (rows, inner), columns = a.shape, b.shape[1]
    transposed = not _is_copied(b)
    first, second = (a, a) if scales is None else scales
    count = -(-rows // tiles.rows) * -(-columns // tiles.columns)

    def start() -> None:
        # TMA's descriptors are written to memory, which Triton asks for. In a context of its own:
        # a program's allocator stays what it is.
        triton.set_allocator(_memory)
        launch(
            device.large_product_tiles,
            (min(count, multiprocessors(a)),),
            *(a, b, first, second, a if bias is None else bias, y),
            *(rows, columns, inner, a.stride(0), b.stride(1 if transposed else 0)),
            warps=tiles.warps,
            stages=tiles.stages,
            B_TRANSPOSED=transposed,
            SCALED=scales is not None,
            HAS_BIAS=bias is not None,
            ACTIVATION=activation,
            PRECISION=product_precision(a.dtype),
            ALIGN=_BYTES // a.itemsize,
            ROWS=tiles.rows,
            COLUMNS=tiles.columns,
            INNER=tiles.inner,
            GROUP=GROUP,
        )

    copy_context().run(start)


def _memory(size: int, alignment: int, stream: int | None) -> Any:
    return torch.empty(size, dtype=torch.int8, device="cuda")


def quantized(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return rows scaled and rounded to e4m3, zero-padded to a multiple of 16, and the scales.

    Args:
        x: ``[rows, columns]``, floating.

    Returns:
        ``[rows, columns + padding]``, and ``[rows]`` in float32, the factors that restore the rows.
    """
    peak = x.abs().amax(1, keepdim=True).float()
    # A row of zeros has no largest element: any scale but 0 leaves it as it is.
    scale = torch.where(peak == 0, 1.0, peak / LARGEST)
    rounded = (x.float() / scale).to(torch.float8_e4m3fn)
    more = -x.shape[1] % _BYTES
    if more:  # float8 has no kernel that pads
        rounded = torch.nn.functional.pad(rounded.view(torch.uint8), (0, more))
    return rounded.view(torch.float8_e4m3fn), scale.squeeze(1)


def product_of_float8(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, activation: str = "none"
) -> Tensor:
    """Return ``activation(x · weightᵀ + bias)`` with both operands rounded to float8 by rows.

    Args:
        x: ``[rows, inner]``, of 16 bits.
        weight: ``[columns, inner]``, likewise.
        bias: ``[columns]``, contiguous.
        activation: One of :data:`hy_kernels.triton.linalg.matmul.ACTIVATIONS`.

    Raises:
        ValueError: The GPU has no float8 products, or ``columns`` is not a multiple of 8.
    """
    if len(weight) % 8:
        raise ValueError(f"float8: {len(weight)} columns; they have to be a multiple of 8")
    if not interpreting() and capability(x) < HOPPER:
        raise ValueError(f"float8: no product on compute capability {capability(x)}, only from 90")
    (a, a_scale), (b, b_scale) = quantized(x), quantized(weight)
    y = x.new_empty((len(x), len(weight)))
    by_descriptors(_FLOAT8, a, b.t(), bias, activation, y, (a_scale, b_scale))
    return y
