"""Thresholds at which the kernels of this table change algorithms.

They were measured with two threads on a server's CPU with AVX-512 (AMD EPYC Zen 4 and 5 for oneDNN,
Intel Xeon where MKL multiplies), by ``hatch run torch:eager`` and ``hatch run bench --torch`` with
alternating values, and have not been measured again since. Kernels read :data:`COSTS` on each
decision; :func:`hy_kernels.costs.changed` changes it for benchmarks.
"""

from typing import NamedTuple

__all__ = [
    "COSTS",
    "Attention",
    "Blocks",
    "Convolution",
    "Costs",
    "Memory",
    "Nhwc",
    "Pointwise",
    "Pool",
    "Products",
    "Recurrent",
]


class Products(NamedTuple):
    """Thresholds of matrix products between oneDNN and torch's BLAS."""

    onednn: int = 1 << 21
    """Multiplications from which oneDNN is faster, where BLAS does not use all of the CPU; read
    when the table is loaded."""
    copied: int = 2
    """Factor of ``onednn`` if oneDNN's result has to be copied."""
    blas_rows: int = 64
    """Largest number of rows for which MKL with a transposed weight is no slower than oneDNN."""
    long: int = 2
    """Rows per column from which copying the product is cheaper than copying a factor."""
    packed: int = 1 << 20
    """Multiplications of a prepared layer below which oneDNN's call overhead dominates."""
    transposed: int = 1 << 13
    """Multiplications below which transposing a weight for BLAS gains nothing."""


class Convolution(NamedTuple):
    """Thresholds of convolutions and of prediction on channels-last layouts."""

    native_products: int = 1 << 18
    """Multiplications up to which torch's own function is faster than oneDNN."""
    product_weight: int = 1 << 18
    """Largest weight, in elements, whose 1 by 1 convolution of several images is a product."""
    product_pixels: int = 16
    """Smallest image, in pixels, whose 1 by 1 convolution is a product."""
    product_gradients: int = 1 << 22
    """Largest total, in elements, of per-image weight gradients that are summed afterwards."""
    large_windows: int = 8192
    """Elements of a weight per window from which its gradient is one product."""
    large_points: int = 256
    """``large_windows`` for 1 by 1 kernels."""
    tiled_load: int = 35
    """Winograd: cost of loading an element of the weight, in multiplications."""
    tiled_move_onednn: int = 140
    """Winograd by oneDNN: cost of gathering, transforming and writing an element of a tile."""
    tiled_move_blas: int = 95
    """``tiled_move_onednn`` for BLAS."""
    tiled_calls_onednn: int = 8_000_000
    """Winograd by oneDNN: overhead of torch's calls, in multiplications."""
    tiled_calls_blas: int = 30_000_000
    """``tiled_calls_onednn`` for BLAS."""
    min_tiled: int = 64
    """Winograd: fewest tiles at a time that make reading the weight worthwhile."""
    product: int = 1 << 26
    """Multiplications of a prepared 1 by 1 convolution up to which a matrix product is faster."""


class Nhwc(NamedTuple):
    """Thresholds of convolutions on channels-last layouts in training."""

    weight: int = 150
    """Elements of a weight per window above which channels first is faster."""
    batch: int = 4
    """Smallest batch: with fewer images the later layers of a net have too few windows."""
    images: int = 1 << 15
    """Smallest images, in elements of a batch: below, only the number of calls counts."""
    moved: float = 0.15
    """Largest fraction of the convolved elements that may be transposed for the layout."""
    product_rows: int = 2048
    """Pixels of a batch up to which 1 by 1 convolutions are products."""


class Recurrent(NamedTuple):
    """Thresholds of recurrent layers."""

    packed: int = 1 << 19
    """Multiplications of a step below which torch's own product is faster than packed ones."""
    packed_steps: int = 4
    """Fewest steps that make packing a weight worthwhile."""
    fused_rows: int = 4
    """Fewest rows, over all steps, that make packing the weights of an LSTM worthwhile."""


class Attention(NamedTuple):
    """Thresholds of attention as one fused call."""

    scores: int = 1 << 16
    """Scores per head from which fused attention is faster in training on CPUs."""


class Pool(NamedTuple):
    """Thresholds of pooling on CPUs."""

    channels: int = 16
    """Channels from which torch's channels-last max pooling is fastest."""
    axes: int = 1 << 12
    """Elements of planes from which pooling axis by axis is worth its several calls."""
    axes_last: int = 1 << 15
    """``axes`` for channels last."""


class Pointwise(NamedTuple):
    """Thresholds of pointwise functions."""

    gelu: int = 1024
    """Elements up to which oneDNN's GELU is slower than three operators of torch."""
    converted: int = 4096
    """Elements up to which two copies are faster than torch's cast with a memory format."""


class Blocks(NamedTuple):
    """Sizes of the blocks that kernels process at a time."""

    winograd: int = 1 << 19
    """Elements of the transformed tiles, by oneDNN."""
    winograd_planes: int = 3 << 20
    """Elements of the transformed tiles, by BLAS."""
    boxes: int = 256
    """Boxes compared with all others."""
    regions: int = 1 << 25
    """Ranks and positions in pooled regions."""
    samples: int = 1 << 20
    """Samples of rotated regions."""
    bin_indices: int = 1 << 22
    """Indices of the pixels of bins."""
    bin_numbers: int = 1 << 24
    """Numbers of these pixels, in all channels."""
    distributions: int = 1 << 20
    """Numbers of distributions that are compared for quantization."""
    step: int = 1 << 18
    """Bytes of weights that list calls of a rule go over at a time on a CPU: 50 weights of 256 kB
    take Signum 20 ms at once and 4 in turn (Zen, one thread)."""


class Memory(NamedTuple):
    """Limits of cached and reused memory."""

    scratch: int = 1 << 22
    """Largest scratch tensor, in bytes, that is kept for the next call."""
    positions: int = 4096
    """Longest range ``0 … n - 1`` that is cached."""
    lstm: int = 64 << 20
    """Total bytes of oneDNN workspaces kept for gradients; read when the table is loaded."""
    transposed_weight: int = 1 << 22
    """Largest weight, in elements, of which a transposed copy is kept too."""
    pinned: int = 1 << 16
    """Largest host array, in bytes, that is copied to a GPU through page-locked memory, without
    waiting; not measured: a copy of that size takes some microseconds."""
    captured: float = 0.5
    """Largest fraction of a device's memory that captured graphs may hold."""


class Costs:
    """All thresholds of the torch table, by family."""

    def __init__(self) -> None:
        self.products = Products()
        self.convolution = Convolution()
        self.nhwc = Nhwc()
        self.recurrent = Recurrent()
        self.attention = Attention()
        self.pool = Pool()
        self.pointwise = Pointwise()
        self.blocks = Blocks()
        self.memory = Memory()


COSTS = Costs()
"""The thresholds that the kernels of this process use."""
