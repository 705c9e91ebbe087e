"""Sums of scaled rows, which products of sparse matrices consist of; in threads where it pays."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray.sparse._storage import starts

__all__ = ["Together", "in_order", "sums"]

Values: TypeAlias = npt.NDArray[Any]
Places: TypeAlias = npt.NDArray[np.int64]
Together: TypeAlias = Callable[[Sequence[Callable[[], Any]]], Any]
"""Runs tasks that do not depend on each other: :meth:`hy_ndarray.devices.Device.together`."""

_HELD = 1 << 18
"""Elements of terms that are held at once, so that they stay in a cache."""
_TASK = 1 << 19
"""Elements of terms that are worth a task of their own."""
_TASKS = 4
"""Most tasks: whoever is free takes the next one."""
_SHORT = 2
"""Terms of a sum that are added one by one."""
_KEY_BITS = 63


def in_order(places: Places, size: int) -> tuple[Places, Places]:
    """Places below ``size`` in order, and where each was; equal ones stay as they are."""
    bits = len(places).bit_length()
    if bits + int(size).bit_length() > _KEY_BITS:
        order = np.argsort(places, kind="stable")
        return places[order], order
    keys = places << bits  # sorting numbers takes half the time of sorting what belongs to them
    keys |= np.arange(len(places))
    keys.sort()
    return keys >> bits, keys & ((1 << bits) - 1)


def sums(
    scales: Values, rows: Values, chosen: Places, pointers: Places, together: Together
) -> Values:
    """``scales * rows[chosen]``, added up from each of ``pointers`` to the next.

    Args:
        scales: ``[stored]``.
        rows: ``[*, n]``.
        chosen: ``[stored]``.
        pointers: ``[sums + 1]``.
        together: What runs parts at once.

    Returns:
        ``[sums, n]``.
    """
    counts = np.diff(pointers)
    if not counts.all():
        filled = np.flatnonzero(counts)
        result = np.zeros((len(counts), rows.shape[1]), scales.dtype)
        if len(filled):
            ends = np.append(pointers[filled], pointers[-1])
            result[filled] = sums(scales, rows, chosen, ends, together)
        return result
    if not rows.shape[1] or not len(counts):
        return np.zeros((len(counts), rows.shape[1]), scales.dtype)
    if rows.shape[1] == 1:
        terms = scales * rows[:, 0].take(chosen)
        return np.add.reduceat(terms, pointers[:-1])[:, None]
    rows = np.ascontiguousarray(rows)
    if 2 * np.count_nonzero(counts == 1) <= len(counts):
        return _grouped(scales, rows, chosen, pointers, together)
    result = _begun(scales, rows, chosen, pointers, together)
    longer = np.flatnonzero(counts > _SHORT)
    if len(longer):
        at, ends = _joined(pointers[longer] + _SHORT, counts[longer] - _SHORT)
        result[longer] += _grouped(scales[at], rows, chosen[at], ends, together)
    return result


def _joined(begins: Places, counts: Places) -> tuple[Places, Places]:
    """Where the elements of some parts are, and where the parts begin and end among those."""
    ends = starts(counts)
    at = np.arange(ends[-1])
    at += np.repeat(begins - ends[:-1], counts)
    return at, ends


def _run(work: int, items: Sequence[Any], task: Callable[[Any], None], together: Together) -> None:
    """Do ``task`` for all items, in as many tasks as the work is worth."""
    tasks = min(_TASKS, len(items), work // _TASK)

    def some(begin: int) -> None:
        for item in items[begin :: max(1, tasks)]:
            task(item)

    if tasks > 1:
        together([partial(some, begin) for begin in range(tasks)])
    else:
        some(0)


def _begun(
    scales: Values, rows: Values, chosen: Places, pointers: Places, together: Together
) -> Values:
    """The sums of the first terms of each, at most :data:`_SHORT`: most have one alone."""
    firsts, n = pointers[:-1], rows.shape[1]
    result = np.empty((len(firsts), n), scales.dtype)
    more = np.flatnonzero(np.diff(pointers) > 1)
    size = max(1, _HELD // n)
    cuts = np.searchsorted(more, np.arange(0, len(firsts) + size, size))

    def block(number: int) -> None:
        part = slice(number * size, (number + 1) * size)
        target, at = result[part], firsts[part]
        rows.take(chosen[at], axis=0, out=target, mode="clip")  # "raise" would copy ``out``
        target *= scales[at, None]
        second = more[cuts[number] : cuts[number + 1]]
        at = firsts[second] + 1
        terms = rows.take(chosen[at], axis=0)
        terms *= scales[at, None]
        target[second - part.start] += terms

    _run(result.size, range(len(cuts) - 1), block, together)
    return result


def _grouped(
    scales: Values, rows: Values, chosen: Places, pointers: Places, together: Together
) -> Values:
    """Sums of as many terms as products of matrices, ``[1, terms] · [terms, n]``, many at once."""
    counts, n = np.diff(pointers), rows.shape[1]
    counts, order = in_order(counts, int(counts.max()) + 1)
    at, ends = _joined(pointers[order], counts)
    scales, chosen = scales[at], chosen[at]
    result = np.empty((len(counts), n), scales.dtype)

    def group(sums: slice) -> None:
        terms = slice(ends[sums.start], ends[sums.stop])
        held = rows.take(chosen[terms], axis=0, mode="clip")
        shape = sums.stop - sums.start, 1, counts[sums.start]
        factors = held.reshape(shape[0], shape[2], n)
        np.matmul(scales[terms].reshape(shape), factors, out=result[sums, None])

    _run(len(at) * n, _groups(counts, n), group, together)
    placed = np.empty_like(result)
    placed[order] = result
    return placed


def _groups(counts: Places, n: int) -> list[slice]:
    """Sums that have as many terms as the others of their group, and that are held at once."""
    borders = np.flatnonzero(np.diff(counts, prepend=-1, append=-1))
    groups: list[slice] = []
    for begin, end in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True):
        step = max(1, _HELD // (int(counts[begin]) * n))
        groups += [slice(i, min(i + step, end)) for i in range(begin, end, step)]
    return groups
