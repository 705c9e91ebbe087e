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
    """Seconds lost after which helper threads are turned off for a while."""
    window: float = 2e-2
    """Seconds of work within which helper threads have to save time."""
    gain: float = 0.1
    """Fraction of that work that they have to save."""
    shortest: float = 5e-3
    """Seconds of the first pause; each unsuccessful trial doubles it."""
    longest: float = 0.5
    """Seconds of a pause at most."""


class Threads(NamedTuple):
    """Smallest amounts of work for which one more thread saves time."""

    product: int = 1 << 25
    """Multiplications of a matrix product: some 0.5 ms."""
    decomposition: int = 1 << 18
    """Elements of a matrix from which LAPACK may use the threads of BLAS. These busy-wait for some
    30 ms after each call; two of them save 0 to 36 % at 300² elements, 5 to 37 % at 600²."""
    dense: int = 1 << 20
    """Elements of a factor or the result of a dense layer; read only when the table is loaded."""
    attention: int = 1 << 21
    """Multiplications of a batch of products in attention."""
    pointwise: int = 1 << 21
    """Elements of a group of pointwise operators."""
    update: int = 1 << 22
    """Elements of a weight that an optimizer updates, counted in each pass over them: SGD makes 2,
    Adam 12. Two threads take as long as one at 1.5 million elements of SGD, 250,000 of Adam."""
    rows: int = 1 << 18
    """Elements of a matrix whose rows are reduced; kernels' records read it when loaded."""
    channels: int = 1 << 20
    """Elements of images that are normalised by channel."""
    pool: int = 1 << 18
    """Elements of pooled images."""
    convolution: int = 1 << 22
    """Multiplications of a convolution with channels first."""
    points: float = 1 / 4
    """Weight of one of these multiplications where threads share the filters of one image."""
    groups: float = 2
    """Weight of one of these multiplications in a convolution with groups of several channels."""
    batch_last: float = 1 / 8
    """Weight of one of these multiplications where the batch is moved: with 1, two threads take 7.7
    ms for a step of LeNet on 64 images instead of 6.2 (Zen 4)."""
    depthwise: float = 4
    """Weight of one of these multiplications in a convolution with groups of one channel."""
    nhwc: int = 1 << 23
    """Multiplications of a convolution with channels last: some 0.15 ms (Zen 4)."""
    nhwc_depthwise: float = 8
    """Cost of an element of a depthwise weight per window, in these multiplications."""
    nhwc_winograd2: float = 1 / 2
    """The same for a weight transformed for Winograd tiles of two by two results."""
    nhwc_winograd4: float = 1 / 8
    """The same for Winograd tiles of four by four results."""
    chwn: int = 1 << 25
    """Multiplications of a convolution with the batch last: higher, as parts of rows are slower."""
    winograd_weight: int = 1 << 19
    """Elements of a weight's transformed kernels."""
    panels: int = 1 << 17
    """Elements of a weight that is copied to panels."""


class Blocks(NamedTuple):
    """Sizes of blocks that fit in the cache of a core."""

    pointwise: int = 1 << 17
    """Elements in a group of pointwise operators: several such blocks fit in the cache."""
    update: int = 1 << 16
    """Elements of a weight that an optimizer updates."""
    rows: int = 1 << 17
    """Elements of rows that are reduced: with smaller blocks, threads wait for the interpreter."""
    channels: int = 1 << 17
    """Elements of images that are normalised: three such arrays fit in the cache."""
    special: int = 1 << 16
    """Bytes of the operand of a special function: all intermediate arrays fit in the cache, and
    in glibc's heap, which maps larger arrays anew each time."""
    halves: int = 1 << 16
    """Elements that are converted between float16 and float32: with 2^15 a tenth slower (Zen 4)."""
    attention: int = 1 << 17
    """Scores of attention, which stay in the cache between its two products."""
    pool: int = 1 << 18
    """Elements of pooled images."""
    recurrent: int = 1 << 16
    """Elements of the gates in a chunk of time steps of a recurrent layer."""
    columns: int = 1 << 20
    """Elements of the columns of a convolution with channels first; an image that has more is
    processed in strips of rows."""
    tiled_images: int = 1 << 19
    """Elements of images in a Winograd convolution with channels first."""
    winograd: int = 1 << 19
    """Elements of transformed tiles in a Winograd convolution with channels last."""
    depthwise: int = 1 << 19
    """Elements of the result of a depthwise convolution."""
    depthwise_via_nhwc: int = 1 << 18
    """Elements of the images of a depthwise convolution via channels last (Zen 4)."""
    lines_apart: int = 8
    """Cache lines between pixels of such images, any multiple of which is slow (Zen 4)."""
    nhwc_columns: int = 1 << 17
    """Elements of the columns of a convolution with channels last."""
    nhwc_images: int = 1 << 19
    """Elements of the images that such a layer processes at a time."""
    chwn_columns: int = 1 << 20
    """Elements of the columns of a convolution with the batch last."""
    chwn_rows: int = 1 << 20
    """Elements of the copied rows of a convolution with the batch last (MEC)."""
    chwn_tiles: int = 1 << 18
    """Elements of the transformed tiles of a convolution with the batch last: with 2^20 a training
    step of ResNet-18 on 16 images of 64 px takes 180 ms on one thread instead of 178 (Zen 4)."""
    replay: int = 256
    """Calls in a chunk above which recording them saves little compared with their work."""


class Memory(NamedTuple):
    """Thresholds of size above or below which memory is reused, cached or aligned."""

    aligned: int = 1 << 15
    """Bytes of an array from which aligning it to a cache line is worth a microsecond."""
    copied: int = 1 << 12
    """Elements of an array up to which NumPy copies it, whatever its memory order."""
    halves: int = 1 << 13
    """Elements from which vectorized arithmetic converts between float16 and float32 sooner than
    NumPy."""
    workspace: int = 1 << 24
    """Bytes of the largest scratch array that is kept for later calls."""
    update: int = 1 << 12
    """Elements from which new memory costs more than looking up an optimizer's scratch array."""
    ones: int = 1 << 15
    """Largest cached vector of ones, in elements."""
    selected: int = 1 << 13
    """Elements from which a condition selects bits, in a time that does not depend on it."""
    zeros: int = 1 << 10
    """Elements of an array up to which ``relu`` has cached zeros of its shape."""
    dense_zeros: int = 1 << 16
    """Outputs of a dense layer with ``relu`` up to which it has zeros of its shape."""
    labels: int = 1 << 12
    """Number of rows up to which their flat start indices are cached for cross entropies."""


class Rows(NamedTuple):
    """Thresholds of reducing, sorting and copying rows."""

    transposed_max: int = 48
    """Columns below which the maximum of rows is faster along axis 0 of the transpose."""
    listed: int = 64
    """Elements of a vector up to which Python finds its extremes faster than NumPy."""
    run: int = 64
    """Elements in a run of memory from which ``vecdot`` is faster than ``einsum``."""
    buffered: int = 1008
    """Elements of NumPy's buffer in quiet kernels, read when the table is loaded; NumPy's own are
    8,192. It copies rows of up to half of that to its buffer where one operand is repeated or where
    rows are apart; a loop per row takes half as long for 512 elements and more. Conversions in the
    buffer take as long as before; with 512 elements they would take a tenth more (Zen 4)."""
    colliding: int = 16
    """Elements of an axis from which reading them at a distance with cache conflicts is slow."""
    distance: int = 1024
    """Bytes; multiples of this distance cause cache conflicts."""
    transposed: int = 1 << 13
    """Elements of a matrix with such conflicts from which it is transposed through a buffer."""
    apart: int = 16
    """Elements by which the rows of that buffer are padded: a cache line."""
    short_run: int = 8
    """Elements in a run of memory up to which copying one of each run at a time is faster."""
    passes: int = 32
    """``k`` of the best elements up to which ``k`` searches are faster than a partition."""
    partition: int = 8
    """Ratio of all elements to the ``k`` best from which a partition precedes the sort."""
    summed: int = 1 << 14
    """Elements of an array from which products with ones sum its rows faster, with ``each``."""
    columns: int = 1 << 13
    """Elements of an array from which a product with ones sums its columns faster."""
    parts: int = 3 << 14
    """The same for rows that are long enough to be summed in parts."""
    multiplied: int = 1 << 14
    """Elements of an array from which its rows are multiplied faster by halves."""
    each: int = 160
    """NumPy's overhead per row, in the time of such elements."""
    extremes: int = 64
    """Rows from which the position of their extreme is found sooner than the extreme."""
    longest_extreme: int = 1 << 11
    """Elements of such a row at most."""
    keyed: int = 1 << 11
    """Elements from which sorting packed values and indices is faster than a stable argsort."""
    added: int = 16
    """Elements of a row up to which rows are added at indices element by element."""
    sparse_symbols: int = 4
    """Ratio of symbols to states in a CTC loss, above which only symbols of states are visited."""
    spread: int = 504
    """Elements of an image's channel up to which a normalisation's factor of the channel is
    repeated for each, half of ``buffered``: normalising 16 x 512 x 7 x 7 elements takes 0.33 ms
    instead of 0.46, 16 x 64 x 22 x 22 0.31 instead of 0.39 (Zen 4)."""
    spread_images: int = 8
    """Images from which that saves time."""
    spread_channels: int = 1 << 10
    """The same for channels of all images: to normalise 512 of 64 elements takes as long, 1,024 of
    196 elements a fifth less (Zen 4)."""
    product: int = 1 << 13
    """Elements of a matrix up to which a product with ones sums its rows faster, on one core: for
    32 rows of 64 columns 0.3 µs instead of 1.5."""


class Boxes(NamedTuple):
    """Thresholds of box detection: sorting by score, and non-maximum suppression."""

    best_first: int = 512
    """Rows from which only candidates for the best are sorted."""
    pairs: int = 1 << 18
    """Pairs of boxes from which candidate pairs are found first, by the cells of a grid."""
    near: int = 1 << 19
    """Pairs that are searched for candidates at a time."""
    compared: int = 1 << 16
    """Pairs that are compared at a time without candidates."""
    rows: int = 128
    """Boxes that are compared with all others at a time, at most."""
    dense: int = 4
    """Mean number of boxes that a box overlaps from which bit sets are faster than pairs."""
    cells: int = 64
    """Cells of the grid along each axis."""
    rare: int = 16
    """Ratio of all pairs to candidates below which the grid saves nothing."""


class Products(NamedTuple):
    """Sizes and thresholds for cutting matrix products into smaller ones for BLAS."""

    panel: int = 8
    """Columns of a panel in a product of a few rows with a transposed matrix (Zen 4)."""
    thin_rows: int = 1024
    """Bytes of a column of such rows, at most (Zen 4)."""
    copied: int = 1 << 13
    """Elements of such a matrix from which panels cost less than BLAS's copy: with 32 rows and
    128 x 128 elements 14 µs instead of 18, with 256 x 256 43 instead of 71."""
    wide_panel: int = 32
    """Columns of a panel of a matrix that is not stored transposed."""
    thin: int = 128
    """Bytes of the narrowest side of such a product, at most: 32 x 256 times 256 x 256 takes 40 µs
    instead of 46, but 64 x 3072 times 3072 x 768 takes half as long again."""
    step_narrow: int = 24
    """Columns of a block in the repeated products of a recurrent layer, at least."""
    copied_panel_columns: int = 128
    """Columns of a panel of a prepared weight at most, where OpenBLAS packs factors."""
    panel_columns: int = 64
    """Columns of such a panel: at most where OpenBLAS does not pack, at least where it does."""
    min_panel_columns: int = 8
    """Columns of such a panel at least, where it does not pack."""
    rows: int = 8
    """Rows of a small product with such a panel, at least."""
    odd: float = 1.08
    """Relative cost of a row in a small product with an odd number of rows (Zen 4)."""
    apart: int = 16
    """Elements of padding between columns, which prevents cache conflicts."""
    longest: int = 1536
    """Rows of a panel at most, if they can be cut evenly."""
    column_order_ratio: int = 2
    """Ratio of rows to columns above which a prepared matrix is stored by columns."""
    columns: int = 64
    """Columns of windows in a small product with filters, at most (Zen 4)."""
    min_columns: int = 16
    """The same at least: with fewer, vector registers are partly empty (Zen 4)."""
    filters: int = 8
    """Filters of such a product at least, if there are several blocks of columns (Zen 4)."""
    filters_once: int = 32
    """The same if there is one block of columns (Zen 4)."""
    max_filters: int = 64
    """Filters of such a product at most (Zen 4)."""
    layers: int = 16
    """Parts into which filters are cut, at most (Zen 4)."""


class Convolution(NamedTuple):
    """Thresholds and relative costs of convolutions with channels first."""

    merged: int = 100
    """Windows per image below which the columns of a block of images are merged."""
    merged_points: int = 50
    """The same for kernels of one element with a small weight."""
    merged_weight: int = 1 << 17
    """Elements of such a small weight, at most."""
    merged_short: int = 700
    """The same as ``merged``, if the rows of windows are short."""
    merged_row: int = 32
    """Windows of a row from which it is not short."""
    merged_images: int = 16
    """Images of a block from which columns of windows with a stride are merged: of 2 images with 14
    x 14 windows merged ones take 0.46 ms, others 0.16 (Zen 4)."""
    single: int = 1 << 22
    """Multiplications up to which the convolution of one image is specialised for few calls."""
    single_columns: int = 1 << 20
    """Elements of its columns at most."""
    single_filters: int = 16
    """Filters up to which it is cut into small products."""
    tiled_channels: int = 32
    """Channels and filters from which Winograd's transforms may be worth it."""
    tiled_load: int = 100
    """Cost of transforming an element of a kernel, in multiplications."""
    tiled_move: int = 80
    """Cost of transposing, gathering, transforming and scattering an element of a tile."""
    tiled_copy: int = 40
    """Cost of copying an element of a column."""
    depthwise_via_nhwc: int = 30 * 30
    """Elements of a padded image up to which depthwise convolution uses channels last."""
    depthwise_via_nhwc_weight: int = 18 * 18
    """The same for the gradient to the weight."""
    depthwise_apart: int = 2
    """Stride up to which the gradient to the data is computed so: above, most factors are zeros."""
    batch_last: float = 3
    """Ratio of elements of columns to those of images and results from which the batch is moved:
    at 3.4, 64 images of 28 x 28, 6 filters of 5 x 5 take 0.95 ms instead of 1.30, at 1.4, 64 of
    3 x 32 x 32, 16 filters of 3 x 3 3.0 instead of 2.1 (Zen 4)."""
    batch_last_elements: int = 1 << 20
    """Elements of such images and results at most: with 1.4 million, 256 images of 28 x 28, 5.1 ms
    instead of 2.8 (Zen 4)."""
    scatter: int = 32
    """Cost of adding an element of a column to the image (col2im), in multiplications."""
    plane: int = 49
    """Windows of a plane from which a convolution over three axes multiplies by planes."""
    transposed_filters: int = 128
    """Filters up to which a gradient's weight is computed transposed (Zen 4): 4 images with 144 x
    784 columns and 16 filters take 0.21 ms instead of 0.36."""
    block_windows: int = 32
    """Windows of a block up to which a gradient's large weight is the right factor."""
    back_weight: int = 1 << 16
    """Elements of such a large weight, at least."""


class Nhwc(NamedTuple):
    """Thresholds and relative costs of convolutions with channels last, for prediction."""

    run: int = 64
    """Elements of a window's runs of memory below which copies of few windows are slow."""
    short_run: int = 8
    """The same for many windows."""
    many: int = 1024
    """Windows of an image from which they are many."""
    channels: int = 32
    """Sum of channels and filters below which products are too thin (Zen 4, 3 by 3 kernels)."""
    load: int = 20
    """Cost of loading an element of the weight, in multiplications."""
    copy: int = 12
    """Cost of copying an element of the windows, in multiplications."""
    transform: int = 20
    """Cost of gathering, transforming and scattering an element of a tile, in multiplications."""
    void_run: int = 256
    """Bytes of a run up to which it is copied as one element of a void dtype."""
    column: int = 2
    """Cost of copying an element of a column, relative to reading one of the weight."""
    tile: int = 10
    """Cost of transforming an element of a tile, relative to reading one of the weight."""
    depthwise_run: int = 400
    """Channels from which they are a long run for a strided depthwise convolution."""


class Chwn(NamedTuple):
    """Thresholds and relative costs of convolutions with the batch last, for training."""

    batch: int = 16
    """Batch size from which the layout is used."""
    moved: float = 1 / 4
    """Transposed elements at most, as a fraction of the convolved ones."""
    channels: int = 16
    """Channels up to which the layout is used even if more is transposed."""
    filters: int = 32
    """The same for filters."""
    tiled_channels: int = 32
    """Channels and filters from which Winograd's transforms may be worth it."""
    tiled_load: int = 60
    """Cost of transforming an element of a kernel, in multiplications."""
    tiled_move: int = 50
    """Cost of transforming an element of a tile, in multiplications."""
    tiled_copy: int = 20
    """Cost of copying an element of a row, in multiplications."""
    rows_moved: int = 4
    """Cost of reordering an element of the weight, relative to copying one of a column."""
    rows_summed: int = 64
    """Columns of a small product from which summing small products is worth it."""
    rows_transposed: int = 8
    """Elements of a window for each filter from which small products of transposed gradients are
    worth it: the gradient to 64 filters of 3 x 3 x 3 at 64 images of 32 px takes 5.3 ms without
    them instead of 14.5, that to 8 filters of 30 x 3 x 3 with them 1.6 instead of 3.2 (Zen 4)."""
    columns_filters: int = 128
    """Filters from which the gradient to the weight is computed untransposed."""
    filters_shared: int = 64
    """Ratio of windows to filters below which threads share the filters of a gradient."""
    back_rows: int = 4
    """Cost of a product by few channels in the gradient to the data, in channels."""
    back_added: int = 27
    """Cost of adding up an element of a column in that gradient, in multiplications: chosen so, 64
    images of 20 x 12 x 12 and 50 filters of 5 x 5 take 4.6 ms instead of 9.5 (Zen 4)."""
    back_windows: int = 4
    """Ratio of windows to filters from which it is one, as it takes a transposed weight."""
    min_columns: int = 32
    """Columns of a small product, at least."""
    max_rows: int = 64
    """Rows of a small product, at most."""
    max_columns: int = 1024
    """Columns of a factor that are multiplied at a time, at most."""
    pages: int = 128
    """Rows of a matrix, in different memory pages, from which BLAS should pack them."""


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
