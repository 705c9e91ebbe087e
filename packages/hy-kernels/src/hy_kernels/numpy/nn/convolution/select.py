"""Selection of a convolution's algorithm, by its sizes and :data:`.COSTS`.

======================  ==========================================================================
``"winograd2"``, …``4``  Tiles of results from transformed tiles of images: :mod:`._winograd`
``"batch last"``        The same with the batch as the last axis: :mod:`._batch_last`
``"depthwise"``         Sums over the kernel, for each channel by itself
``"product"``           Matrix times the images without a copy: kernels of one element
``"im2col"``            Matrix times columns of windows: :mod:`._columns`
``"strips"``            im2col for some rows of an image at a time
``"planes"``            Matrix times overlapping columns of planes: :mod:`._planes`
``"rows"``              Matrix times overlapping views of rows: :mod:`._chwn_rows`
``"transposed"``        For gradients to data: a convolution of ``dy``
``"phases"``            The same for strided convolutions: :mod:`._phases`
======================  ==========================================================================
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, Literal, NamedTuple, TypeAlias

from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._window import Windows, windows_of
from hy_kernels.numpy.runtime._blas import MAX_UNPACKED_PRODUCT, has_small_kernels
from hy_kernels.winograd import TILES

__all__ = [
    "Algorithm",
    "Problem",
    "are_phases",
    "chwn",
    "chwn_gain",
    "chwn_to_data",
    "depthwise_order",
    "is_depthwise",
    "is_merged",
    "nchw",
    "nchw_to_data",
    "nhwc",
    "rows_of_single",
    "rows_of_strip",
]

Algorithm: TypeAlias = Literal[
    "winograd2",
    "winograd4",
    "batch last",
    "depthwise",
    "product",
    "im2col",
    "strips",
    "planes",
    "rows",
    "transposed",
    "phases",
]
_ONES = (1, 1)
_SIDES = {"im2col": 1, "winograd2": TILES["winograd2"].size, "winograd4": TILES["winograd4"].size}
"""Side of the square tile of results that one product computes, by algorithm."""


class Problem(NamedTuple):
    """The sizes of a convolution.

    Example:
        >>> problem = Problem.of((1, 64, 56, 56), (64, 64, 3, 3), {"pad": (1, 1)})
        >>> nchw(problem), nhwc(problem), chwn(problem._replace(batch=32))
        ('winograd4', 'winograd4', 'winograd4')
    """

    batch: int
    channels: int
    filters: int
    groups: int
    windows: Windows

    @classmethod
    def of(cls, data: Sequence[int], weight: Sequence[int], params: Mapping[str, Any]) -> "Problem":
        """Return the sizes for ``data [N, C, *size]`` and ``weight [O, C / G, *kernel]``.

        Raises:
            ValueError: No window fits in the images.
        """
        geometry = (tuple(params.get(name, ())) for name in ("stride", "dilate", "pad"))
        windows = windows_of(tuple(data[2:]), tuple(weight[2:]), *geometry)
        return cls(
            batch=data[0],
            channels=data[1],
            filters=weight[0],
            groups=params.get("num_group", 1),
            windows=windows,
        )

    @property
    def is_undilated(self) -> bool:
        """Return whether Winograd is possible: 3 by 3 kernels, stride and dilation 1, one group."""
        kernel, stride, dilate = self.windows.kernel, self.windows.stride, self.windows.dilate
        return self.groups == 1 and kernel == (3, 3) and stride == dilate == _ONES

    def transposed(self, back: Windows) -> "Problem":
        """Return the sizes of the transposed convolution, which computes the gradient to data."""
        return Problem(
            batch=self.batch,
            channels=self.filters,
            filters=self.channels,
            groups=self.groups,
            windows=back,
        )

    def tiles(self, side: int) -> int:
        """Return the number of square tiles of ``side`` that cover the results."""
        return self.batch * prod(-(-n // side) for n in self.windows.number)


# --- channels first -------------------------------------------------------------------------


def nchw(problem: Problem, *, transforms: bool = True) -> Algorithm:
    """Select the algorithm for ``[N, C, *size]``: convolution, or gradient to the weight.

    ``transforms=False`` excludes Winograd, and another order of axes.
    """
    _, channels, _, groups, windows = problem
    if transforms and (algorithm := _transformed(problem)) is not None:
        return algorithm
    if windows.pointwise:
        return "product"
    if groups == channels > 1:
        return "depthwise"
    if _is_by_planes(problem):
        return "planes"
    if rows_of_strip(channels, windows) is not None:
        return "strips"
    return "product" if max(windows.kernel) == 1 and windows.selection is not None else "im2col"


def nchw_to_data(problem: Problem, back: Windows | None) -> Algorithm:
    """Select the algorithm of the gradient to the data, with channels first.

    Args:
        problem: The convolution.
        back: Windows of the transposed convolution, or None if there is none.
    """
    batch, channels, filters, groups, windows = problem
    if is_depthwise(channels, groups, windows):
        return "depthwise"
    if _is_batch_last(problem):
        return "batch last"
    # The transposed weight is a copy, which is too expensive with more filters than windows.
    if back is None or filters > batch * prod(back.size):
        return _added(problem)
    if any(step != 1 for step in windows.stride):
        # Phases multiply kernels padded to a multiple of the stride; col2im adds up its columns
        # instead.
        taps = prod(k * s for k, s in zip(back.kernel, windows.stride, strict=True))
        limit = prod(windows.kernel) * (filters + COSTS.convolution.scatter)
        is_profitable = taps * filters <= limit
        return "phases" if is_profitable else _added(problem)
    transposed = problem.transposed(back)
    is_profitable = filters <= channels or _is_tiled(transposed) or _is_by_planes(transposed)
    return "transposed" if is_profitable else _added(problem)


def _added(problem: Problem) -> Algorithm:
    """Select the algorithm of a gradient to the data by col2im."""
    algorithm = nchw(problem, transforms=False)
    return "im2col" if algorithm == "planes" else algorithm


def _is_batch_last(problem: Problem) -> bool:
    """Return whether moving the batch last costs less than it saves in copies of windows."""
    n, channels, filters, groups, windows = problem
    costs = COSTS.convolution
    number = prod(windows.number)
    if groups > 1 or len(windows.kernel) != 2 or n < COSTS.chwn.batch:
        return False
    if n * number < filters:  # reading the weight then takes longer than any copies
        return False
    moved = channels * prod(windows.size) + filters * number
    copied = channels * prod(windows.kernel) * number
    return copied >= costs.batch_last * moved and n * moved <= costs.batch_last_elements


def _is_by_planes(problem: Problem) -> bool:
    """Return whether "planes" pays off: its columns overlap, and each plane has enough windows."""
    windows = problem.windows
    if problem.groups > 1 or len(windows.kernel) < 3:  # rows of an image are too short
        return False
    is_shared = windows.kernel[0] > windows.stride[0] and windows.dilate[0] == 1
    return is_shared and prod(windows.number[1:]) >= COSTS.convolution.plane


def _transformed(problem: Problem) -> Algorithm | None:
    """Return the algorithm whose transforms save more than they cost, or None."""
    if _is_tiled(problem):
        return "winograd4"
    return "batch last" if _is_batch_last(problem) else None


def _is_tiled(problem: Problem) -> bool:
    """Return whether Winograd saves more multiplications than its transforms cost.

    False if it is not possible.
    """
    batch, channels, filters, _, windows = problem
    costs = COSTS.convolution
    if not problem.is_undilated or min(channels, filters) < costs.tiled_channels:
        return False
    side = _SIDES["winograd4"]
    planes, tiles = (side + 2) ** 2, problem.tiles(side)
    # (m + 2)² products per tile instead of 9 m², plus the transforms of weight and tiles, all in
    # multiplications; see the paper in :mod:`hy_kernels.winograd`.
    filtered = planes * channels * filters * (tiles + costs.tiled_load)
    filtered += tiles * (planes + side**2) * (channels + filters) * costs.tiled_move
    number = batch * prod(windows.number)
    return filtered < 9 * channels * number * (filters + costs.tiled_copy)


def is_depthwise(channels: int, groups: int, windows: Windows) -> bool:
    """Return whether a convolution is depthwise, with kernels of more than one element."""
    return groups == channels > 1 and not windows.pointwise


def depthwise_order(
    kernels: int, windows: Windows, target: Literal["result", "data", "weight"]
) -> Literal["first", "last"]:
    """Select channels first or last for a depthwise convolution, or for a gradient of one.

    Args:
        kernels: Number of kernels of each channel.
        windows: Windows of the convolution.
        target: The array to compute: the result, or the gradient to data or weight.
    """
    costs = COSTS.convolution
    is_weight = target == "weight"
    limit = costs.depthwise_via_nhwc_weight if is_weight else costs.depthwise_via_nhwc
    if target == "result":
        limit *= prod(windows.stride)
    if kernels != 1 or len(windows.size) != 2 or prod(windows.padded) > limit:
        return "first"
    # For the gradient to data a stride puts zeros between the elements of dy.
    if target == "data":
        each = zip(windows.dilate, windows.kernel, windows.pad, strict=True)
        margin = min(d * (k - 1) - p for d, k, p in each)
        if max(windows.stride) > costs.depthwise_apart or margin < 0:
            return "first"
    return "last"


def rows_of_strip(channels: int, windows: Windows) -> int | None:
    """Return the rows of windows per strip; None if the columns of a whole image fit the cache."""
    each = channels * prod(windows.kernel) * prod(windows.number)
    rows = max(1, windows.number[0] * COSTS.blocks.columns // max(each, 1))
    return rows if rows < windows.number[0] else None


def is_merged(windows: Windows, weight: int, images: int) -> bool:
    """Return whether to merge the columns of a block of images into one wide matrix.

    ``weight`` is the number of elements of the weight, ``images`` that of images in the block.
    """
    costs, number = COSTS.convolution, prod(windows.number)
    # Elements that a stride lies between are apart: runs are only as long as the block.
    if images < (2 if windows.stride[-1] == 1 else costs.merged_images):
        return False
    # Merged, the images are the innermost axis, and short rows of windows are copied in runs as
    # long as the block.
    if not windows.pointwise and windows.number[-1] < costs.merged_row:  # of short rows
        return number < max(costs.merged_short, costs.merged)
    is_light = windows.pointwise and weight <= costs.merged_weight
    return number < (costs.merged_points if is_light else costs.merged)


def rows_of_single(problem: Problem) -> int | None:
    """Return the rows of windows per product for one small image; None if it is not small."""
    costs, windows = COSTS.convolution, problem.windows
    inner, (height, *others) = problem.channels * prod(windows.kernel), windows.number
    of_row = problem.filters * inner * prod(others)
    if problem.batch != 1 or problem.groups != 1 or not of_row * height:
        return None
    is_small = problem.filters <= costs.single_filters and prod(windows.kernel) > 1
    rows = max(MAX_UNPACKED_PRODUCT // of_row, 1) if is_small and has_small_kernels() else height
    limit = 2 * costs.single if rows < height else costs.single
    fits = of_row * height <= limit and inner * prod(others) * rows <= costs.single_columns
    return rows if fits else None


# --- channels last --------------------------------------------------------------------------


def nhwc(problem: Problem) -> Algorithm | None:
    """Select the algorithm of prediction on ``[N, H, W, C]``; None: ``[N, C, H, W]`` is faster."""
    _, channels, filters, groups, windows = problem
    if groups > 1:
        return "depthwise" if groups == filters == channels else None
    costs, run = COSTS.nhwc, channels * windows.kernel[1]
    is_small = prod(windows.number) < costs.many
    if channels + filters < costs.channels:
        return None
    is_slow = run < costs.short_run or (run < costs.run and is_small)
    if is_slow and not windows.pointwise:  # which copies no windows
        return None
    if not problem.is_undilated:
        return "product" if windows.pointwise else "im2col"
    algorithms: tuple[Algorithm, ...] = "im2col", "winograd2", "winograd4"
    return min(algorithms, key=lambda each: _nhwc_cost(each, problem))


def _nhwc_cost(algorithm: str, problem: Problem) -> int:
    """Return the estimated cost of a 3 by 3 convolution in NHWC, in multiplications."""
    channels, filters = problem.channels, problem.filters
    costs, side = COSTS.nhwc, _SIDES[algorithm]
    tiles = problem.tiles(side)
    if side == 1:
        return 9 * channels * (filters * (tiles + costs.load) + tiles * costs.copy)
    planes = (side + 2) ** 2
    moved = planes * (channels + filters) + side**2 * filters
    return planes * channels * filters * (tiles + costs.load) + tiles * moved * costs.transform


def are_phases(channels: int, windows: Windows) -> bool:
    """Return whether a depthwise convolution reads whole rows, by phases if strided."""
    move, skip = windows.stride[1], windows.dilate[1]
    return move == 1 or (skip == 1 and channels < COSTS.nhwc.depthwise_run)


# --- batch last -----------------------------------------------------------------------------


def chwn_gain(problem: Problem) -> Literal["always", "between others", "never"]:
    """Return where CHWN makes training faster: always, only between others in CHWN, or never."""
    costs = COSTS.chwn
    if problem.batch < costs.batch or problem.groups != 1:
        return "never"
    is_small = problem.channels <= costs.channels and problem.filters <= costs.filters
    return "always" if is_small else "between others"


def chwn(problem: Problem) -> Algorithm:
    """Select the algorithm for ``[C, H, W, N]``: convolution, or gradient to the weight."""
    n, channels, filters, _, windows = problem
    costs, positions = COSTS.chwn, n * prod(windows.number)
    if problem.is_undilated and min(channels, filters) >= costs.tiled_channels:
        side = _SIDES["winograd4"]
        planes, tiles = (side + 2) ** 2, problem.tiles(side)
        cost = planes * channels * filters * (tiles + costs.tiled_load)
        cost += tiles * planes * (channels + filters) * costs.tiled_move
        if cost < 9 * channels * positions * (filters + costs.tiled_copy):
            return "winograd4"
    high = windows.kernel[0]
    # Fewer elements are copied than for im2col, except the weight's, which are reordered.
    is_moved = positions * (high - 1) > costs.rows_moved * filters
    return "rows" if high > 1 and windows.dilate[0] == 1 and is_moved else "im2col"


def chwn_to_data(problem: Problem, back: Windows | None) -> Algorithm:
    """Select the algorithm of the gradient to the data; for ``back`` see :func:`nchw_to_data`."""
    n, channels, filters, _, windows = problem
    if back is None:
        return "im2col"
    costs = COSTS.chwn
    is_large = costs.back_windows * filters > n * prod(windows.size)
    # The transposed convolution multiplies for each element of the data, in products with a row for
    # each channel, few of which are slow; col2im multiplies for each window and adds up columns.
    moved = filters * prod(windows.size) * (channels + costs.back_rows)
    added = channels * prod(windows.number) * (filters + costs.back_added)
    if moved <= added and not is_large:
        return "transposed"
    return "transposed" if chwn(problem.transposed(back)) == "winograd4" else "im2col"
