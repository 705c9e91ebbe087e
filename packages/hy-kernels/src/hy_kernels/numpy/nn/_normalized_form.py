"""Form: the one form that batch, layer, group and instance normalisation share."""

from collections.abc import Callable
from functools import lru_cache, partial
from math import prod
from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array, flattened
from hy_kernels.numpy._einsum import einsum
from hy_kernels.numpy.nn._rows import row_sum
from hy_kernels.numpy.runtime._pool import num_chunks, split, together
from hy_kernels.numpy.runtime._product import times_vector

__all__ = ["Form", "by_channel"]

_ALONE = 10000  # elements of vectors up to which OpenBLAS uses one thread
_CHANNELS = 1 << 19  # elements that are worth threads that take channels, which lie apart
_BLOCK = 1 << 18  # elements worked on at a time; with fewer, the calls cost more than the cache
_LONG = 64  # elements in a run of memory, below which a product of runs costs more than they do


_once = lru_cache(maxsize=1024)
"""For what follows from few small tuples."""


class Form(NamedTuple):
    """Data as a matrix or a stack of them, with axes ``a``, ``b`` and perhaps ``c``.

    There is one scale and shift per ``b``; the axes named by ``stats`` index the statistics, which
    are taken over the others.
    """

    shape: tuple[int, ...]
    axes: str
    stats: str

    @classmethod
    def of(cls, data: Array, kind: str, axis: int, groups: int = 1) -> "Form":
        """The form of ``data`` under the normalisation ``kind``."""
        return _form_of(data.shape, kind, axis, groups)

    def channels(self, own: slice) -> "Form":
        """The form of some ``b``."""
        if own == slice(0, self.shape[1]):
            return self
        shape = list(self.shape)
        shape[1] = own.stop - own.start
        return self._replace(shape=tuple(shape))

    @property
    @_once
    def sizes(self) -> tuple[int, ...]:
        """The shape of the statistics."""
        return tuple(n for n, a in zip(self.shape, self.axes, strict=True) if a in self.stats)

    @property
    @_once
    def shared(self) -> int:
        """How many elements share a mean."""
        return prod(n for n, a in zip(self.shape, self.axes, strict=True) if a not in self.stats)

    def spread(self, values: Array, letters: str) -> Array:
        """Values indexed by the axes ``letters``, shaped to broadcast against the data."""
        return values.reshape(self._spread(letters))

    @_once
    def _spread(self, letters: str) -> tuple[int, ...]:
        axes = zip(self.shape, self.axes, strict=True)
        return tuple(n if a in letters else 1 for n, a in axes)

    def sum(self, x: Array, letters: str) -> Array:
        """Sums over all axes but ``letters``."""
        if self.axes == "ab":
            return row_sum(x) if letters == "a" else times_vector(x.T, np.ones(len(x), x.dtype))
        if letters in ("b", "ab"):  # the contiguous axis first
            if x.flags.c_contiguous:
                inner = row_sum(flattened(x, 0, 2)).reshape(x.shape[:2])
            else:  # some channels
                inner = times_vector(x, np.ones(x.shape[2], x.dtype))
            return inner if letters == "ab" else np.asarray(inner.sum(axis=0))
        return np.asarray(x.sum(axis=1 if letters == "ac" else (1, 2)))

    def dot(self, x: Array, y: Array, letters: str) -> Array:
        """Sums of products over all axes but ``letters``."""
        if self.axes == "abc" and letters in ("b", "ab") and _LONG <= self.shape[2] <= _ALONE:
            inner = np.vecdot(x, y)
            return np.asarray(inner.sum(axis=0)) if letters == "b" else inner
        return einsum(f"{self.axes},{self.axes}->{letters}", x, y)


@_once
def _form_of(shape: tuple[int, ...], kind: str, axis: int, groups: int) -> Form:
    if kind in ("instance", "group"):
        count = groups if kind == "group" else shape[1]
        return Form((shape[0], count, prod(shape[1:]) // max(count, 1)), "abc", "ab")
    axis %= len(shape)
    cut = (prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :]))
    if cut[2] == 1:
        return Form(cut[:2], "ab", "b" if kind == "batch" else "a")
    return Form(cut, "abc", "b" if kind == "batch" else "ac")


def by_channel(form: Form, work: Callable[[slice], None]) -> None:
    """Call ``work`` with ranges of channels, one for each thread that they are worth.

    Where each channel lies in one piece, they are ranges that the cache holds.
    """
    front, channels, *rest = form.shape
    size = prod(form.shape)
    count = num_chunks(size, _CHANNELS)
    if count == 1 and (front > 1 or size <= _BLOCK):
        work(slice(0, channels))
        return
    parts = split(channels, count)
    if front > 1:
        together([partial(work, part) for part in parts])
        return
    step = max(1, _BLOCK // max(prod(rest), 1))

    def some(part: slice) -> None:
        for start in range(part.start, part.stop, step):
            work(slice(start, min(start + step, part.stop)))

    together([partial(some, part) for part in parts])
