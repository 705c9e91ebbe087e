"""Costs: every size and ratio at which the kernels of this table change how they compute.

The numbers are of two threads on a server's CPU with AVX-512 (AMD EPYC of Zen 4 and 5 for oneDNN,
Intel Xeon where MKL multiplies), from rows of ``hatch run torch:eager`` and ``hatch run bench
--torch`` with a number as it is and changed, in turn. They were not measured anew since. Kernels
read :data:`COSTS` at each choice, and :func:`hy_kernels.costs.changed` changes it for benchmarks.
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
    """Matrix products: when to use oneDNN, and when the BLAS of torch."""

    onednn: int = 1 << 21
    """Multiplications from which oneDNN is faster, where BLAS does not use all of the CPU; read
    when the table is loaded."""
    copied: int = 2
    """Times as many where oneDNN's result is copied."""
    blas_rows: int = 64
    """Rows up to which MKL multiplies by a transposed weight as fast as oneDNN at least."""
    long: int = 2
    """Times as many rows as columns, from which to copy the product costs less than a factor."""
    packed: int = 1 << 20
    """Multiplications of a prepared layer below which a call of oneDNN takes longer."""
    transposed: int = 1 << 13
    """Multiplications below which to transpose a weight for BLAS gains nothing."""


class Convolution(NamedTuple):
    """Convolutions, and predictions on channels-last layouts."""

    native_products: int = 1 << 18
    """Multiplications up to which torch's own function is faster than a call of oneDNN."""
    product_weight: int = 1 << 18
    """Elements of a weight up to which several images are multiplied by kernels of one element."""
    product_pixels: int = 16
    """Pixels of an image from which they are."""
    product_gradients: int = 1 << 22
    """Elements of the gradients of each image's own, which are then summed."""
    large_windows: int = 8192
    """Elements of a weight per window from which its gradient is one product."""
    large_points: int = 256
    """The same of kernels of one element."""
    tiled_load: int = 35
    """Multiplications that it costs to load an element of a weight."""
    tiled_move_onednn: int = 140
    """Multiplications that it costs to gather, transform and write one of a tile, by oneDNN."""
    tiled_move_blas: int = 95
    """The same by BLAS."""
    tiled_calls_onednn: int = 8_000_000
    """Multiplications that the calls of torch cost for Winograd's algorithm, by oneDNN."""
    tiled_calls_blas: int = 30_000_000
    """The same by BLAS."""
    min_tiled: int = 64
    """Tiles at a time, at least, for which it is worth reading the weight."""
    product: int = 1 << 26
    """Multiplications of a prepared convolution up to which one product of matrices is faster."""


class Nhwc(NamedTuple):
    """Convolutions on channels-last layouts for training."""

    weight: int = 150
    """Elements of a weight for each window, above which the usual order is faster."""
    batch: int = 4
    """Images at least: with fewer, there are soon too few windows in a net."""
    images: int = 1 << 15
    """Elements of the images at least: with fewer, the number of calls is all that counts."""
    moved: float = 0.15
    """The share of the convolved elements that may be transposed for it, at most."""
    product_rows: int = 2048
    """Places of images up to which kernels of one element are products."""


class Recurrent(NamedTuple):
    """Layers that loop over time."""

    packed: int = 1 << 19
    """Multiplications of a step below which torch's own product takes less time."""
    packed_steps: int = 4
    """Steps for which packing a weight is worth it."""
    fused_rows: int = 4
    """Rows of all steps together for which packing the weights of an LSTM is worth it."""


class Attention(NamedTuple):
    """Attention as one fused call."""

    scores: int = 1 << 16
    """Scores of a head from which training gains on CPUs."""


class Pool(NamedTuple):
    """Pooling on CPUs."""

    channels: int = 16
    """Channels from which torch finds maxima fastest with the channels last."""
    axes: int = 1 << 12
    """Elements of planes from which one axis after the other is worth several calls."""
    axes_last: int = 1 << 15
    """The same with the channels last."""


class Pointwise(NamedTuple):
    """Pointwise functions."""

    gelu: int = 1024
    """Elements up to which oneDNN takes longer than three steps of torch."""
    converted: int = 4096
    """Elements up to which copying twice is faster than a conversion of torch's."""


class Blocks(NamedTuple):
    """Sizes of blocks that are processed at a time."""

    winograd: int = 1 << 19
    """Elements of the transformed tiles, by oneDNN."""
    winograd_planes: int = 3 << 20
    """Elements of the transformed tiles, by BLAS."""
    boxes: int = 256
    """Boxes compared with all others."""
    regions: int = 1 << 25
    """Numbers of best ranks, and of positions, in pooled regions."""
    samples: int = 1 << 20
    """Samples of rotated regions."""
    bin_indices: int = 1 << 22
    """Indices of the pixels of bins."""
    bin_numbers: int = 1 << 24
    """Numbers of these pixels, in all channels."""
    distributions: int = 1 << 20
    """Numbers of distributions that are compared for quantization."""


class Memory(NamedTuple):
    """Thresholds of memory that is reused."""

    scratch: int = 1 << 22
    """Bytes of the largest scratch tensor that stays for the next call."""
    positions: int = 4096
    """Integers in order up to which they are cached."""
    lstm: int = 64 << 20
    """Bytes that layers keep for gradients, all together; read when the table is loaded."""
    transposed_weight: int = 1 << 22
    """Elements of a weight of which there may be two, as it is and transposed."""
    pinned: int = 1 << 16
    """Bytes of an array of the host up to which it goes to a GPU by page-locked memory, so that
    nobody waits; not measured: a copy of that size takes some microseconds."""
    captured: float = 0.5
    """Share of a device's memory that captured graphs may hold."""


class Costs:
    """All costs of the torch table, by family."""

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
"""What the kernels of this process read."""
