"""Products with a constant matrix that is laid out once, in panels of columns.

OpenBLAS packs the factors of a product first. With AVX-512, it computes products of up to a million
multiplications without packing, which is closer to peak performance, above all with few rows. So a
large product is cut into such small ones, with contiguous panels of the matrix. On other CPUs it is
one product. There, with few rows, packing the matrix takes most of the time; so it is stored in
long runs: by rows, or by columns if these are much longer. Filters of a layer are stored by
columns, so that their weight needs no copy then.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from math import prod

import numpy as np

from hy_kernels.numpy._array import Array, aligned, contiguous
from hy_kernels.numpy.costs import COSTS, Products
from hy_kernels.numpy.nn._replay import NOW, Work
from hy_kernels.numpy.runtime._blas import MAX_UNPACKED_PRODUCT, has_small_kernels
from hy_kernels.numpy.runtime._pool import num_chunks, split, together


def _width(columns: int, max_columns: int, min_columns: int) -> int:
    """Return the width of a panel: the largest divisor of ``columns`` in range, or ``columns``."""
    fitting = (width for width in range(max_columns, min_columns - 1, -1) if columns % width == 0)
    return next(fitting, columns)


def _panel_sizes(inner: int, columns: int) -> tuple[int, int, int]:
    """Return the number of layers, the rows of a layer, and the width of a panel.

    Layers are the parts that the ``inner`` rows of the matrix are cut into.
    """
    return _sizes_by(COSTS.products, inner, columns)


@lru_cache(maxsize=1024)
def _sizes_by(costs: Products, inner: int, columns: int) -> tuple[int, int, int]:
    if not has_small_kernels():
        return 1, inner, _width(columns, costs.copied_panel_columns, costs.panel_columns)
    # Long columns are cut into layers, whose products are summed, so that a product of some rows
    # with a panel of useful width is still a small product.
    lowest = -(-inner // costs.longest)
    layers = next((n for n in range(lowest, 2 * lowest) if inner % n == 0), 1)
    max_columns = min(
        costs.panel_columns, MAX_UNPACKED_PRODUCT // (costs.rows * max(inner // layers, 1))
    )
    return layers, inner // layers, _width(columns, max_columns, costs.min_panel_columns)


def _stores_columns(inner: int, columns: int) -> bool:
    """Return whether a prepared matrix is stored by columns on CPUs without small kernels."""
    return inner > COSTS.products.column_order_ratio * columns


def empty_panels(
    front: tuple[int, ...], inner: int, columns: int, make: Callable[[tuple[int, ...]], Array]
) -> Array:
    """Return memory for a matrix ``[*front, K, N]`` in the order of panels, see :func:`as_panels`.

    ``make`` returns new memory, or scratch memory, of a shape.
    """
    if not has_small_kernels() and _stores_columns(inner, columns):
        return make((*front, columns, inner)).swapaxes(-1, -2)
    return make((*front, inner, columns))


def filters_to_panels(filters: Array) -> Array:
    """Return the matrix ``[K, N]`` with ``filters [N, ...]`` as columns, in the order of panels."""
    count, inner = len(filters), prod(filters.shape[1:])
    if not has_small_kernels() and _stores_columns(inner, count):
        return contiguous(filters).reshape(count, inner).T
    result = aligned((inner, count), filters.dtype)
    panels = as_panels(result)
    parts = split(panels.shape[1], num_chunks(filters.size, COSTS.threads.panels))
    together([partial(_fill, panels, filters, part) for part in parts])
    return result


def _fill(result: Array, filters: Array, panels: slice) -> None:
    """Copy filters to the panels of ``result`` in the slice ``panels``."""
    layers, _, long, width = result.shape
    # A transpose through a small buffer with padded rows: if their length were a power of two, the
    # elements of a column would fall into the same cache set.
    rows = aligned((width, layers * long + COSTS.products.apart), result.dtype)[:, : layers * long]
    shaped = rows.reshape(width, *filters.shape[1:])
    columns = rows.T.reshape(layers, long, width)
    for panel in range(panels.start, panels.stop):
        np.copyto(shaped, filters[panel * width : (panel + 1) * width])
        np.copyto(result[:, panel], columns)


def as_panels(matrix: Array) -> Array:
    """Return a matrix in the order of panels as ``[..., layers, N / width, K / layers, width]``.

    Layers are the parts that the rows of the matrix are cut into; their products are summed.
    """
    *front, inner, columns = matrix.shape
    layers, long, width = _panel_sizes(inner, columns)
    if has_small_kernels():
        return matrix.reshape(*front, layers, -1, long, width)
    if _stores_columns(inner, columns):
        cut = matrix.swapaxes(-1, -2).reshape(*front, 1, -1, width, inner)
        return cut.swapaxes(-1, -2)
    return matrix.reshape(*front, 1, inner, -1, width).swapaxes(-3, -2)


def multiply(
    rows: Array, panels: Array, out: Array, work: Work = NOW, cuts: Sequence[slice] = ()
) -> None:
    """Compute ``out = rows · matrix``, with the matrix in panels.

    Args:
        rows: ``[..., M, K]``.
        panels: ``[..., layers, N / width, K / layers, width]``.
        out: ``[..., M, N]``, with contiguous rows.
        work: Runs or records the calls.
        cuts: Slices of the panels, each multiplied in one product; rounding may depend on them.
    """
    layers, _, long, width = panels.shape[-4:]
    if cuts and not has_small_kernels():
        for cut in cuts:
            own = out[..., cut.start * width : cut.stop * width]
            multiply(rows, panels[..., cut, :, :], own, work)
        return
    if layers > 1:
        parts = work.workspace("layers", (layers, *out.shape), out.dtype)
        for layer, part in enumerate(parts):
            own = rows[..., layer * long : (layer + 1) * long]
            multiply(own, panels[..., layer : layer + 1, :, :, :], part, work)
        work.do(np.add.reduce, parts, axis=0, out=out)
        return
    if not has_small_kernels():
        matrix = panels[..., 0, :, :, :].swapaxes(-3, -2)
        work.do(np.matmul, rows, matrix.reshape(*matrix.shape[:-2], -1), out)
        return
    number = rows.shape[-2]
    each = _rows_of_block(number, max(1, MAX_UNPACKED_PRODUCT // max(long * width, 1)))
    whole = number // each * each
    _multiply(rows[..., :whole, :], panels, out[..., :whole, :], each, work)
    if whole < number:
        _multiply(rows[..., whole:, :], panels, out[..., whole:, :], number - whole, work)


@lru_cache(maxsize=1024)
def _rows_of_block(number: int, limit: int) -> int:
    """Return the best number of rows per small product, at most ``limit``, for ``number`` rows."""
    if number <= limit:
        return max(number, 1)

    def cost(each: int) -> float:
        # The remaining rows are one more call.
        rest = number % each
        more = rest * _cost_of_row(rest) + 1 if rest else 0
        return (number - rest) * _cost_of_row(each) + more

    return min(range(limit, max(limit // 3, 1) - 1, -1), key=cost)


def _cost_of_row(rows: int) -> float:
    """Return the relative cost of a row in a small product with ``rows`` rows."""
    if rows < COSTS.products.rows:
        return COSTS.products.rows / max(rows, 1)
    return COSTS.products.odd if rows % 2 else 1


def _multiply(rows: Array, panels: Array, out: Array, each: int, work: Work) -> None:
    """Multiply blocks of ``each`` rows by all panels, as one stack of small products."""
    *front, number, inner = rows.shape
    count, width = panels.shape[-3], panels.shape[-1]
    left = rows.reshape(*front, 1, number // each, each, inner)
    target = out.reshape(*front, number // each, each, count, width)
    last = len(front)
    axes = (*range(last), last + 2, last, last + 1, last + 3)
    factor = panels[..., 0, :, None, :, :]
    work.do(np.matmul, left, factor, target.transpose(axes))
