"""Matrix products whose rounding does not depend on the load of the machine.

The way OpenBLAS splits a product among its threads may change the last digit of a sum, and its
threads stall if another process runs on a core. So large products are split here, always in the
same way, and OpenBLAS is limited to one thread.
"""

from functools import partial
from math import prod

import numpy as np

from hy_kernels.numpy._array import Array, aligned
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.runtime._blas import (
    MAX_UNPACKED_PRODUCT,
    MAX_UNPACKED_RESULT,
    has_small_kernels,
    max_vector_product,
    single_thread,
)
from hy_kernels.numpy.runtime._pool import num_chunks, split, together

# Multiplications up to which OpenBLAS uses one thread, for two matrices and for two vectors. Below,
# its result cannot depend on threads, and no limit has to be set.
_MAX_SINGLE_THREAD = 1 << 18
_MAX_SINGLE_THREAD_VECTORS = 9216


def product(a: Array, b: Array, bias: Array | None = None, out: Array | None = None) -> Array:
    """Return ``a [R, S] · b [S, T] + bias [T]``, written to ``out`` if given."""
    (rows, inner), columns = a.shape, b.shape[1]
    work = rows * inner * columns
    if is_single_threaded(rows, inner, columns):
        return _with(bias, np.asarray(np.dot(a, b, out)))
    result = aligned((rows, columns), a.dtype) if out is None else out
    # For an outer product BLAS takes three times as long as broadcasting.
    if inner == 1:
        return _with(bias, np.multiply(a, b, out=result))
    count = num_chunks(work, COSTS.threads.product)
    if count == 1:
        # Thin products BLAS computes in one thread anyway.
        panel = _panel_of(a, b, result)
        if panel:
            return _with(bias, by_panels(a, b, result, panel))
        with single_thread:
            return _with(bias, np.matmul(a, b, out=result))

    # Split along the longer side, so that the chunks' products are closer to square.
    def multiply_share(own: slice) -> None:
        if rows >= columns:
            _with(bias, _multiply(a[own], b, result[own]))
        else:
            part = _multiply(a, b[:, own], result[:, own])
            _with(None if bias is None else bias[own], part)

    together([partial(multiply_share, own) for own in split(max(rows, columns), count)])
    return result


def _multiply(a: Array, b: Array, out: Array) -> Array:
    """Compute ``a · b`` into ``out`` in the calling thread."""
    panel = _panel_of(a, b, out)
    return by_panels(a, b, out, panel) if panel else np.matmul(a, b, out=out)


def product_algorithm(rows: int, inner: int, columns: int, itemsize: int) -> str:
    """Return the algorithm of a product with a transposed matrix: outer, panels or blas."""
    if inner == 1 and not is_single_threaded(rows, inner, columns):
        return "outer"
    return "panels" if _fits_panels(rows, inner, columns, itemsize) else "blas"


def _fits_panels(rows: int, inner: int, columns: int, itemsize: int) -> bool:
    """Return whether panels are faster for a few rows times a matrix that is stored transposed."""
    costs = COSTS.products
    if not 1 < rows <= costs.thin_rows // itemsize or columns < costs.panel:
        return False
    # OpenBLAS copies such a matrix even for small products, unless their results are tiny.
    is_large = rows * inner * columns > MAX_UNPACKED_PRODUCT
    is_copied = rows * columns > MAX_UNPACKED_RESULT and inner * columns >= costs.copied
    return (is_large or is_copied) and has_small_kernels()


def _fits_wide_panels(rows: int, inner: int, columns: int, itemsize: int) -> bool:
    """Return whether panels are faster for a thin product with a matrix not stored transposed."""
    costs = COSTS.products
    if not 1 < min(rows, inner) <= costs.thin // itemsize or columns < costs.wide_panel:
        return False
    return rows * inner * columns > MAX_UNPACKED_PRODUCT and has_small_kernels()


def _panel_of(a: Array, b: Array, out: Array) -> int:
    """Return the width of the panels for a product; 0 if a single BLAS call is faster."""
    (rows, inner), size = a.shape, a.itemsize
    sizes = rows, inner, b.shape[1], size
    if not a.dtype == b.dtype == out.dtype or out.strides[1] != size or size not in a.strides:
        return 0
    if b.strides[1] == size:
        return COSTS.products.wide_panel if _fits_wide_panels(*sizes) else 0
    is_thin = a.strides[1] == b.strides[0] == size and _fits_panels(*sizes)
    return COSTS.products.panel if is_thin else 0


def by_panels(a: Array, b: Array, out: Array, width: int) -> Array:
    """Compute ``a · b`` panel by panel of ``width`` columns, too small for BLAS to pack factors."""
    (rows, inner), columns = a.shape, b.shape[1]
    # As many rows as fit, in blocks of nearly equal size.
    limit = MAX_UNPACKED_PRODUCT // (inner * width)
    if b.strides[0] == b.itemsize:
        limit = min(limit, MAX_UNPACKED_RESULT // width)
    block = -(-rows // -(-rows // max(1, limit)))
    # Panels are views of columns, which BLAS reads in place. Each stays in the cache while all
    # blocks of rows are multiplied by it.
    count, whole = columns // width, columns // width * width
    panels = b[:, :whole].reshape(inner, count, 1, width).transpose(1, 2, 0, 3)
    end = rows // block * block
    for own, each in ((slice(end), block), (slice(end, rows), rows - end)):
        if each:
            left = a[own].reshape(-1, each, inner)
            target = out[own, :whole].reshape(-1, each, count, width)
            np.matmul(left, panels, out=target.transpose(2, 0, 1, 3))
    if whole < columns:
        # This product may be large enough for several BLAS threads.
        with single_thread:
            np.matmul(a, b[:, whole:], out=out[:, whole:])
    return out


def matmul(a: Array, b: Array, out: Array | None = None) -> Array:
    """Return ``numpy.matmul(a, b)``; large products and stacks are split among threads."""
    if a.ndim < 2 or b.ndim < 2 or is_single_threaded(a.shape[-2], a.shape[-1], b.shape[-1]):
        return np.asarray(np.matmul(a, b, out=out))
    if a.ndim == b.ndim == 2:
        return product(a, b, out=out)
    if prod(a.shape[:-2]) == prod(b.shape[:-2]) == 1 and a.ndim == b.ndim:
        # A stack of one: threads share the product.
        y = product(
            a.reshape(a.shape[-2:]),
            b.reshape(b.shape[-2:]),
            out=None if out is None else out.reshape(out.shape[-2:]),
        )
        return y.reshape(*a.shape[:-1], b.shape[-1])
    if a.ndim != b.ndim or a.shape[:-2] != b.shape[:-2]:
        # Broadcast stacks are left to NumPy, as one task, so that BLAS is limited to one thread.
        return np.asarray(together([partial(np.matmul, a, b, out=out)])[0])
    result = aligned((*a.shape[:-1], b.shape[-1]), np.result_type(a, b)) if out is None else out

    def multiply_share(own: slice) -> None:
        np.matmul(a[own], b[own], out=result[own])

    count = num_chunks(result.size * a.shape[-1], COSTS.threads.product)
    together([partial(multiply_share, own) for own in split(len(result), count)])
    return result


def is_single_threaded(rows: int, inner: int, columns: int) -> bool:
    """Return whether BLAS always computes a product of these sizes in one thread."""
    if rows == 1 or columns == 1:  # of a matrix and a vector
        return rows * inner * columns <= max_vector_product()
    return rows * inner * columns <= _MAX_SINGLE_THREAD


def _with(bias: Array | None, result: Array) -> Array:
    if bias is not None:
        result += bias
    return result


def times_vector(matrix: Array, vector: Array) -> Array:
    """Return ``matrix [R, S] · vector [S]``, with the same rounding for any number of threads."""
    if matrix.size <= max_vector_product():
        return np.asarray(np.matmul(matrix, vector))
    with single_thread:
        return np.asarray(np.matmul(matrix, vector))


def vecdot(a: Array, b: Array) -> Array:
    """Return ``numpy.vecdot(a, b)``, with the same rounding for any number of threads."""
    if a.shape[-1] < _MAX_SINGLE_THREAD_VECTORS:
        return np.asarray(np.vecdot(a, b))
    with single_thread:
        return np.asarray(np.vecdot(a, b))
