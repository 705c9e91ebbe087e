"""Sums of scaled rows, the core of sparse matrix products, in threads if profitable.

Numpy gathers rows and multiplies them in separate passes. The passes are few and long, because
threads that make many short numpy calls wait for each other. scipy, if installed, needs one pass.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray.sparse._storage import starts

Values: TypeAlias = npt.NDArray[Any]
Indices: TypeAlias = npt.NDArray[np.int64]
Together: TypeAlias = Callable[[Sequence[Callable[[], Any]]], Any]
"""Function that runs independent tasks: :meth:`hy_ndarray.devices.Device.together`."""

_MAX_FACTORS = 1 << 18
"""Maximal number of gathered elements held at once, so that they stay in the CPU's cache."""
_TASK = 1 << 19
"""Minimal number of elements per task, so that the work outweighs the cost of a task."""
_TASKS = 4
"""Maximal number of tasks for sums of few terms; more than threads, for load balancing."""
_MIN_TASKS = 2
"""Maximal number of tasks with set-up costs: own groups of sums, or a scipy matrix."""
_UNROLLED_TERMS = 2
"""Number of leading terms of each sum that are added one by one."""
_MAX_INT32_INDEX = np.iinfo(np.int32).max
_KEY_BITS = 63
_SMALL_KEY_BITS = 32


class _ScaledRows(NamedTuple):
    """Terms ``scales * rows[indices]``, with shapes ``[stored]``, ``[*, n]``, ``[stored]``."""

    scales: Values
    rows: Values
    indices: Indices

    def at(self, positions: Indices) -> "_ScaledRows":
        """Return the terms at the given positions."""
        return _ScaledRows(self.scales.take(positions), self.rows, self.indices.take(positions))

    def factors(self, part: slice, out: Values) -> Values:
        """Return the gathered rows of the terms in ``part``, not yet scaled, in ``out``."""
        factors = out[: part.stop - part.start]
        # with mode="raise" numpy would buffer ``out``
        return self.rows.take(self.indices[part], axis=0, out=factors, mode="clip")


def in_order(positions: Indices, size: int) -> tuple[Indices, Indices]:
    """Return indices below ``size`` in stable sorted order, and their original positions."""
    bits = len(positions).bit_length()
    needed = bits + int(size).bit_length()
    if needed > _KEY_BITS:
        order = np.argsort(positions, kind="stable")
        return positions[order], order
    # Index and position packed into one integer: sorting these takes half the time of an argsort.
    keys = positions << bits
    keys |= np.arange(len(positions))
    if needed <= _SMALL_KEY_BITS:
        keys = np.sort(keys.astype(np.uint32)).astype(np.int64)
    else:
        keys.sort()
    return keys >> bits, keys & ((1 << bits) - 1)


def sums(
    scales: Values, rows: Values, indices: Indices, pointers: Indices, together: Together
) -> Values:
    """Return the sums of terms ``scales * rows[indices]`` over the segments between ``pointers``.

    Args:
        scales: ``[stored]``.
        rows: ``[*, n]``.
        indices: ``[stored]``.
        pointers: ``[sums + 1]``, the start of each segment of terms, and the end of the last.
        together: Function that runs independent tasks.

    Returns:
        ``[sums, n]``.
    """
    counts, n = np.diff(pointers), rows.shape[1]
    # Empty segments are left out, as reduceat and the grouped sums need at least one term.
    if not counts.all():
        filled = np.flatnonzero(counts)
        result = np.zeros((len(counts), n), scales.dtype)
        if len(filled):
            ends = np.append(pointers[filled], pointers[-1])
            result[filled] = sums(scales, rows, indices, ends, together)
        return result
    if not n or not len(counts):
        return np.zeros((len(counts), n), scales.dtype)
    if n == 1:
        products = scales * rows[:, 0].take(indices)
        return np.add.reduceat(products, pointers[:-1])[:, None]
    terms = _ScaledRows(scales, np.ascontiguousarray(rows), indices)
    result = np.empty((len(counts), n), scales.dtype)
    matrix = _scipy_matrix()
    if matrix is not None and scales.dtype == rows.dtype and scales.dtype.char in "fd":
        _run_parts(
            pointers, n, partial(_by_scipy, matrix, terms, pointers, result), _MIN_TASKS, together
        )
    # Batched products pay off for sums of several terms; a sum of one term is a scaled row.
    elif 2 * np.count_nonzero(counts == 1) <= len(counts):
        _grouped(terms, pointers[:-1], counts, result, together)
    else:
        begun = partial(_begun, terms, pointers[:-1], counts, result)
        _run_parts(pointers, n, begun, _TASKS, together)
    return result


def _run_parts(
    pointers: Indices, n: int, task: Callable[[slice], None], max_terms: int, together: Together
) -> None:
    """Run ``task`` on slices of the sums with about equal numbers of terms, in threads.

    The partition depends only on the sums and not on the threads available, so results are
    deterministic.
    """
    stored = int(pointers[-1] - pointers[0])
    tasks = max(1, min(max_terms, stored * n // _TASK))
    cuts = pointers.searchsorted(pointers[0] + stored * np.arange(1, tasks) // tasks).tolist()
    parts = [slice(*cut) for cut in pairwise([0, *cuts, len(pointers) - 1]) if cut[0] < cut[1]]
    if len(parts) > 1:
        together([partial(task, part) for part in parts])
    else:
        task(parts[0])


@cache
def _scipy_matrix() -> Any:
    """Return scipy's csr matrix class, or None if scipy is not installed."""
    try:
        from scipy.sparse import csr_array  # noqa: PLC0415  # optional, and takes long
    except ImportError:
        return None
    return csr_array


def _by_scipy(
    matrix: Any, terms: _ScaledRows, pointers: Indices, result: Values, part: slice
) -> None:
    ends = pointers[part.start : part.stop + 1]
    stored = slice(ends[0], ends[-1])
    shape = part.stop - part.start, len(terms.rows)
    positions = terms.indices[stored], ends - ends[0]
    # Given int64 indices SciPy would scan them all to see whether they fit into int32.
    if max(len(terms.rows), len(positions[0])) <= _MAX_INT32_INDEX:
        positions = positions[0].astype(np.int32), positions[1].astype(np.int32)
    result[part] = matrix((terms.scales[stored], *positions), shape=shape) @ terms.rows


def _begun(
    terms: _ScaledRows, begins: Indices, counts: Indices, result: Values, part: slice
) -> None:
    """Compute sums, most of which have one term: leading terms one by one, the rest in groups.

    At most :data:`_UNROLLED_TERMS` terms are added one by one. The sums are written to ``result``.
    """
    begins, counts, result = begins[part], counts[part], result[part]
    first = terms.at(begins)
    first.factors(slice(0, len(begins)), result)
    result *= first.scales[:, None]
    more = np.flatnonzero(counts > 1)
    second = terms.at(begins[more] + 1)
    products = second.rows.take(second.indices, axis=0)
    products *= second.scales[:, None]
    products += result.take(more, axis=0)
    result[more] = products
    longer = np.flatnonzero(counts > _UNROLLED_TERMS)
    if len(longer):
        rest = np.empty((len(longer), result.shape[1]), result.dtype)
        _grouped(
            terms, begins[longer] + _UNROLLED_TERMS, counts[longer] - _UNROLLED_TERMS, rest, None
        )
        result[longer] += rest


def _grouped(
    terms: _ScaledRows, begins: Indices, counts: Indices, result: Values, together: Together | None
) -> None:
    """Compute sums as batched products ``[1, terms] · [terms, n]``, grouped by number of terms.

    The sums are written to ``result``.
    """
    counts, order = in_order(counts, int(counts.max()) + 1)
    begins = begins[order]

    def some(part: slice) -> None:
        result[order[part]] = _products(terms, begins[part], counts[part])

    if together is None:
        some(slice(0, len(counts)))
    else:
        _run_parts(starts(counts), result.shape[1], some, _MIN_TASKS, together)


def _products(terms: _ScaledRows, begins: Indices, counts: Indices) -> Values:
    """Return sums, sorted by number of terms, as batched matrix products."""
    ends = starts(counts)
    terms = terms.at(np.repeat(begins - ends[:-1], counts) + np.arange(ends[-1]))
    n = terms.rows.shape[1]
    result = np.empty((len(counts), 1, n), terms.scales.dtype)
    # Number of terms gathered at once: as many as the cache holds, but at least a whole sum.
    size = max(_MAX_FACTORS // n, int(counts[-1]))
    space = np.empty((min(size, int(ends[-1])), n), terms.rows.dtype)
    begin = 0
    while begin < len(counts):
        end = int(ends.searchsorted(ends[begin] + size, "right")) - 1
        first = int(ends[begin])
        products = terms.factors(slice(first, int(ends[end])), space)
        for group in _groups(counts, begin, end):
            part = slice(int(ends[group.start]), int(ends[group.stop]))
            shape = group.stop - group.start, int(counts[group.start])
            scales = terms.scales[part].reshape(shape[0], 1, shape[1])
            factors = products[part.start - first : part.stop - first].reshape(*shape, n)
            np.matmul(scales, factors, out=result[group])
        begin = end
    return result[:, 0]


def _groups(counts: Indices, begin: int, end: int) -> list[slice]:
    """Return the slices of consecutive sums that have equal numbers of terms."""
    borders = np.flatnonzero(counts[begin + 1 : end] != counts[begin : end - 1]) + begin + 1
    return [slice(*border) for border in pairwise([begin, *borders.tolist(), end])]
