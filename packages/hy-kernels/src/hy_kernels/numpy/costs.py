"""Costs: the sizes and ratios at which kernels of this table choose another algorithm.

The defaults were measured on two cores of a server CPU with AVX-512 (AMD EPYC, Zen 5, in a virtual
machine; where noted, Zen 4) with OpenBLAS, by running rows of ``hatch run bench`` with the old and
the new value in turn. ``hatch run bench-costs`` measures again, field by field, and prints what it
would change. Kernels read :data:`COSTS` at each choice; :func:`hy_kernels.costs.changed` changes it
for benchmarks.
"""

from typing import NamedTuple

__all__ = [
    "COSTS",
    "Blocks",
    "Boxes",
    "Chwn",
    "Convolution",
    "Costs",
    "Memory",
    "Nhwc",
    "Pace",
    "Products",
    "Rows",
    "Threads",
]


class Pace(NamedTuple):
    """Thresholds, in seconds, by which helper threads are turned off; see :mod:`.runtime._pace`."""

    loss: float = 1e-3
    """Seconds lost after which there is no help for a while."""
    window: float = 2e-2
    """Seconds of work after which help has to have saved time."""
    gain: float = 0.1
    """The share of that work which it has to have saved."""
    shortest: float = 5e-3
    """Seconds without help at first; doubled from trial to trial."""
    longest: float = 0.5
    """Seconds without help at most."""


class Threads(NamedTuple):
    """Smallest amounts of work for which one more thread saves time."""

    product: int = 1 << 25
    """Multiplications of a product of matrices: some 0.5 ms."""
    decomposition: int = 1 << 18
    """Elements of a matrix from which LAPACK has the threads of BLAS. These wait awake for some
    30 ms after each call; two of them save 0 to 36 % at 300² elements, 5 to 37 % at 600²."""
    dense: int = 1 << 20
    """Elements of a factor or the result of a dense layer; read when the table is loaded."""
    attention: int = 1 << 21
    """Multiplications of a batch of products in attention."""
    pointwise: int = 1 << 21
    """Elements of a group of pointwise operators."""
    update: int = 1 << 19
    """Elements of a weight that an optimizer updates."""
    rows: int = 1 << 18
    """Elements of a matrix whose rows are reduced; of records read when the table is loaded."""
    channels: int = 1 << 20
    """Elements of images that are normalised by channels, which lie apart."""
    pool: int = 1 << 18
    """Elements of pooled images."""
    convolution: int = 1 << 22
    """Multiplications of a convolution with the channels first."""
    points: float = 1 / 4
    """Of those multiplications, what one counts where threads share one image's filters."""
    groups: float = 2
    """Of those multiplications, what one counts in groups of several channels."""
    depthwise: float = 4
    """Of those multiplications, what one counts in groups of one channel."""
    nhwc: int = 1 << 23
    """Multiplications of a convolution with the channels last: from 0.15 ms on (Zen 4)."""
    nhwc_depthwise: float = 8
    """Of those, what an element of a depthwise weight costs for each window."""
    nhwc_winograd2: float = 1 / 2
    """The same of a weight transformed for tiles of two by two results."""
    nhwc_winograd4: float = 1 / 8
    """The same for tiles of four by four results."""
    chwn: int = 1 << 25
    """Multiplications of a convolution with the batch last: cut in rows, products are slower."""
    winograd_weight: int = 1 << 19
    """Elements of transformed kernels."""
    panels: int = 1 << 17
    """Elements of a weight that is laid out in panels."""


class Blocks(NamedTuple):
    """Sizes of blocks that fit in the cache of a core."""

    pointwise: int = 1 << 17
    """Elements of a group of pointwise operators: some blocks fit into the cache."""
    update: int = 1 << 16
    """Elements of a weight that an optimizer updates."""
    rows: int = 1 << 17
    """Elements of rows that are reduced: in less, threads wait for the interpreter."""
    channels: int = 1 << 17
    """Elements of images that are normalised: three such arrays stay in the cache."""
    special: int = 1 << 16
    """Bytes of the operand of a special function: all intermediate arrays stay in the cache, and
    on the heap of glibc, which maps larger ones anew."""
    attention: int = 1 << 17
    """Scores of attention, which stay in the cache between its two products."""
    relu: int = 1 << 16
    """Elements that are compared with zeros."""
    pool: int = 1 << 18
    """Elements of pooled images."""
    recurrent: int = 1 << 16
    """Numbers of the inputs' products in a recurrent layer."""
    columns: int = 1 << 20
    """Elements of the columns of a convolution with the channels first; of an image that has more,
    rows are taken in strips."""
    tiled_images: int = 1 << 19
    """Elements of the images whose tiles are transformed, with the channels first."""
    winograd: int = 1 << 19
    """Elements of the transformed tiles, with the channels last."""
    depthwise: int = 1 << 19
    """Elements of the result of a depthwise convolution."""
    depthwise_via_nhwc: int = 1 << 18
    """Elements of the images of one that is computed with the channels last (Zen 4)."""
    lines_apart: int = 8
    """Lines of the cache between pixels of such images, of which a multiple is slow (Zen 4)."""
    nhwc_columns: int = 1 << 17
    """Elements of the columns of a convolution with the channels last."""
    nhwc_images: int = 1 << 19
    """Elements of the images that go through all of such a layer."""
    chwn_columns: int = 1 << 20
    """Elements of the columns of a convolution with the batch last."""
    chwn_rows: int = 1 << 20
    """Elements of the rows laid out for one."""
    chwn_tiles: int = 1 << 20
    """Elements of the transformed tiles of one."""
    replay: int = 256
    """Calls of a chunk above which recording them saves little beside what they compute."""


class Memory(NamedTuple):
    """Thresholds of size above or below which memory is reused, cached or aligned."""

    aligned: int = 1 << 15
    """Bytes of an array from which to align it with lines of the cache is worth a microsecond."""
    copied: int = 1 << 12
    """Elements up to which a copy is numpy's, whatever their order in memory."""
    workspace: int = 1 << 24
    """Bytes of the largest scratch array that stays for the next call."""
    update: int = 1 << 12
    """Elements from which new memory costs more than to ask for an optimizer's scratch."""
    ones: int = 1 << 15
    """Columns for which a vector of ones is cached."""
    zeros: int = 1 << 10
    """Elements of an array for which ``relu`` has cached zeros of its shape."""
    dense_zeros: int = 1 << 16
    """Outputs of a dense layer with ``relu`` that has cached zeros of its shape."""
    labels: int = 1 << 12
    """Rows whose starting positions are cached for cross entropies."""


class Rows(NamedTuple):
    """Thresholds of reducing, sorting and copying rows."""

    transposed_max: int = 48
    """Columns below which the maximum over columns of the transpose is faster."""
    listed: int = 64
    """Numbers whose extremes Python finds faster than numpy."""
    run: int = 64
    """Elements in a run of memory below which a product of runs costs more than they do."""
    loop: int = 256
    """Elements of a row from which a loop for each is faster than numpy's buffer."""
    colliding: int = 16
    """Elements of an axis from which reading them from a colliding distance is slow."""
    distance: int = 1024
    """Bytes of which such a distance is a multiple."""
    transposed: int = 1 << 13
    """Elements of a matrix from which it is transposed through other memory then."""
    apart: int = 16
    """Elements by which its rows lie further apart there: a cache line."""
    short_run: int = 8
    """Elements in a run of memory up to which numpy copies one at a time faster."""
    passes: int = 32
    """Elements that are asked for, which as many passes find sooner than a partition."""
    partition: int = 8
    """Elements to one that is asked for, from which they are partitioned first."""
    summed: int = 1 << 16
    """Elements of an array from which products with ones add its rows up faster."""
    multiplied: int = 1 << 14
    """Elements of an array from which halves of its rows are multiplied faster than rows."""
    each: int = 160
    """Of those elements, what numpy takes as long for as to begin with a row."""
    keyed: int = 1 << 11
    """Elements from which sorting them with their positions is faster than asking for an order."""
    sparse_symbols: int = 4
    """Times as many symbols as states in a CTC loss, from which few of the symbols occur."""
    product: int = 1 << 13
    """Elements of a matrix up to which a product with ones adds its rows up faster, on one core: of
    32 rows of 64 columns 0.3 µs instead of 1.5."""


class Boxes(NamedTuple):
    """Thresholds of box detection: sorting by score, and non-maximum suppression."""

    best_first: int = 512
    """Rows from which the best ones alone are sorted."""
    pairs: int = 1 << 18
    """Pairs of boxes from which those that may overlap too much are looked for first."""
    near: int = 1 << 19
    """Pairs that are looked through at a time."""
    compared: int = 1 << 16
    """Pairs compared at a time."""
    rows: int = 128
    """Boxes compared with others at a time, at most."""
    dense: int = 4
    """Boxes that a box overlaps, from which bits are faster than pairs."""
    cells: int = 64
    """Cells along each axis in which boxes are looked for."""
    rare: int = 16
    """Times as many pairs as those that reach so far: with fewer, cells save nothing."""


class Products(NamedTuple):
    """Sizes and thresholds for cutting matrix products into smaller ones for BLAS."""

    panel: int = 8
    """Columns of a panel where some rows are multiplied by a matrix (Zen 4)."""
    thin_rows: int = 1024
    """Bytes of a column of the rows that are multiplied by such panels (Zen 4)."""
    copied: int = 1 << 13
    """Elements of such a matrix above which panels cost less than to copy it: with 32 rows and
    128 x 128 elements 14 µs instead of 18, with 256 x 256 43 instead of 71."""
    wide_panel: int = 32
    """Columns of a panel of a matrix that is not stored transposed."""
    thin: int = 128
    """Bytes of the narrowest side of a product that is cut so: 32 x 256 times 256 x 256 takes 40 µs
    instead of 46, but 64 x 3072 times 3072 x 768 half as long again."""
    step_narrow: int = 24
    """Columns of a block in a product that is repeated; narrower ones gain nothing."""
    copied_panel_columns: int = 128
    """Columns of a panel of a prepared weight where OpenBLAS copies factors."""
    panel_columns: int = 64
    """Columns of such a panel, at most where it copies none, at least where it does."""
    min_panel_columns: int = 8
    """Columns of such a panel at least, where it copies none."""
    rows: int = 8
    """Rows that a small product with such a panel has at least."""
    odd: float = 1.08
    """What a row of a small product with an odd number of them costs, if others cost 1 (Zen 4)."""
    apart: int = 16
    """Elements between columns that would otherwise drive each other out of the cache."""
    longest: int = 1536
    """Rows of a panel, if they can be cut evenly."""
    column_order_ratio: int = 2
    """Times as many rows as columns, above which a prepared matrix is stored by columns."""
    columns: int = 64
    """Columns of windows in a small product with filters, at most (Zen 4)."""
    min_columns: int = 16
    """The same at least: fewer leave the CPU's vectors part empty (Zen 4)."""
    filters: int = 8
    """Filters of such a product at least, where there are several blocks of columns (Zen 4)."""
    filters_once: int = 32
    """The same where there is one (Zen 4)."""
    max_filters: int = 64
    """Filters of such a product at most (Zen 4)."""
    layers: int = 16
    """Parts of which filters are cut at most (Zen 4)."""


class Convolution(NamedTuple):
    """Thresholds and relative costs of convolutions with channels first."""

    merged: int = 100
    """Windows per image below which the images of a block share one product."""
    merged_points: int = 50
    """The same of kernels of one element with a light weight."""
    merged_weight: int = 1 << 17
    """Elements of such a light weight."""
    merged_short: int = 700
    """The same as ``merged``, where the rows of windows are short."""
    merged_row: int = 32
    """Windows of a row that is not short."""
    single: int = 1 << 22
    """Multiplications up to which one image is computed in as few calls as it takes."""
    single_columns: int = 1 << 20
    """Elements of its columns that the cache holds."""
    single_filters: int = 16
    """Filters up to which it is cut in small products."""
    tiled_channels: int = 32
    """Channels and filters from which Winograd's transforms may be worth it."""
    tiled_load: int = 100
    """Multiplications that it costs to transform an element of a kernel."""
    tiled_move: int = 80
    """Multiplications that it costs to transpose, gather, transform and scatter one of a tile."""
    tiled_copy: int = 40
    """Multiplications that it costs to copy an element of a column."""
    depthwise_via_nhwc: int = 30 * 30
    """Elements of a padded image up to which depthwise convolution transposes it."""
    depthwise_via_nhwc_weight: int = 18 * 18
    """The same for the gradient to the weight."""
    depthwise_apart: int = 2
    """Stride above which most of what is multiplied back so would be zeros."""
    scatter: int = 32
    """Multiplications that it costs to add an element of a column where its window lies."""
    plane: int = 49
    """Windows of a plane from which one along three axes multiplies plane by plane."""
    block_windows: int = 32
    """Windows of a block up to which a gradient multiplies with a large weight on the right."""
    back_weight: int = 1 << 16
    """Elements of such a weight."""


class Nhwc(NamedTuple):
    """Thresholds and relative costs of convolutions with channels last, for prediction."""

    run: int = 64
    """Elements of a window in one run of memory below which copies of few windows are slow."""
    short_run: int = 8
    """The same of many windows."""
    many: int = 1024
    """Windows of an image that are many."""
    channels: int = 32
    """Channels and filters together below which products are too thin (Zen 4, 3 by 3 kernels)."""
    load: int = 20
    """Multiplications that it costs to load an element of the weight."""
    copy: int = 12
    """Multiplications that it costs to copy an element of the windows."""
    transform: int = 20
    """Multiplications that it costs to gather, transform and scatter an element of a tile."""
    void_run: int = 256
    """Bytes of a run up to which it is copied as one element of its own type."""
    column: int = 2
    """What it costs to copy an element of a column, if one of the weight costs 1."""
    tile: int = 10
    """What it costs to transform an element of a tile, if one of the weight costs 1."""
    depthwise_run: int = 400
    """Channels that are a long run for a strided depthwise convolution."""


class Chwn(NamedTuple):
    """Thresholds and relative costs of convolutions with the batch last, for training."""

    batch: int = 16
    """Images from which they may be convolved so."""
    moved: float = 1 / 4
    """The share of the convolved elements that may be transposed for it, at most."""
    channels: int = 16
    """Channels up to which they are convolved so, even if more is transposed."""
    filters: int = 32
    """The same of filters."""
    tiled_channels: int = 32
    """Channels and filters from which Winograd's transforms may be worth it."""
    tiled_load: int = 60
    """Multiplications that it costs to transform an element of a kernel."""
    tiled_move: int = 50
    """Multiplications that it costs to transform an element of a tile."""
    tiled_copy: int = 20
    """Multiplications that it costs to lay out an element of a row."""
    rows_moved: int = 4
    """What it costs to move an element of the weight, in copied ones of a column."""
    rows_summed: int = 64
    """Columns of a small product from which to add up what it gives is worth it."""
    columns_filters: int = 128
    """Filters from which a gradient is computed in the weight's own order."""
    filters_shared: int = 64
    """Windows to a filter below which threads share the filters of a gradient."""
    back_filters: int = 4
    """Times as many filters as channels, up to which the way back is a convolution."""
    back_windows: int = 4
    """Times as many windows as filters, from which it is one: it takes a transposed weight."""
    min_columns: int = 32
    """Columns of a small product at least."""
    max_rows: int = 64
    """Rows of a small product at most."""
    max_columns: int = 1024
    """Columns of a factor that are multiplied at a time."""
    pages: int = 128
    """Rows of a matrix, each in a page of its own, from which BLAS is to copy them first."""


class Costs:
    """All costs of the numpy table, by family."""

    def __init__(self) -> None:
        self.pace = Pace()
        self.threads = Threads()
        self.blocks = Blocks()
        self.memory = Memory()
        self.rows = Rows()
        self.boxes = Boxes()
        self.products = Products()
        self.convolution = Convolution()
        self.nhwc = Nhwc()
        self.chwn = Chwn()


COSTS = Costs()
"""The costs that all kernels of this process read."""
