"""Form: the matrix or stack that batch, layer, group and instance normalisation compute on."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from math import prod
from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array, flattened
from hy_kernels.numpy._folds import ones, row_sum
from hy_kernels.numpy._spreading import spreading
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.linalg._einsum import einsum
from hy_kernels.numpy.runtime._pool import num_chunks, split, together
from hy_kernels.numpy.runtime._product import times_vector, vecdot

__all__ = ["Form", "by_channel"]


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
        """Return the form of ``data`` under the normalisation ``kind``."""
        return _form_of(data.shape, kind, axis, groups)

    def channels(self, own: slice) -> "Form":
        """Return the form of a slice of the axis ``b``."""
        if own == slice(0, self.shape[1]):
            return self
        shape = list(self.shape)
        shape[1] = own.stop - own.start
        return self._replace(shape=tuple(shape))

    @property
    @_once
    def sizes(self) -> tuple[int, ...]:
        """Return the shape of the statistics."""
        return tuple(n for n, a in zip(self.shape, self.axes, strict=True) if a in self.stats)

    @property
    @_once
    def shared(self) -> int:
        """Return the number of elements that share a mean."""
        return prod(n for n, a in zip(self.shape, self.axes, strict=True) if a not in self.stats)

    def broadcastable(self, values: Array, letters: str) -> Array:
        """Return values indexed by the axes ``letters``, shaped to broadcast against the data."""
        return values.reshape(self._broadcast_shape(letters))

    @_once
    def _broadcast_shape(self, letters: str) -> tuple[int, ...]:
        axes = zip(self.shape, self.axes, strict=True)
        return tuple(n if a in letters else 1 for n, a in axes)

    def sum(self, x: Array, letters: str) -> Array:
        """Return the sums of ``x`` over all axes but ``letters``."""
        # A product with ones adds rows up at the speed of memory; numpy's sum has an overhead for
        # each row.
        if self.axes == "ab":
            return row_sum(x) if letters == "a" else times_vector(x.T, np.ones(len(x), x.dtype))
        if letters in ("b", "ab"):  # the contiguous axis first
            if x.flags.c_contiguous:
                inner = row_sum(flattened(x, 0, 2)).reshape(x.shape[:2])
            else:  # some channels
                inner = times_vector(x, ones(x.shape[2], x.dtype))
            return inner if letters == "ab" else _added(inner)
        return np.asarray(x.sum(axis=1 if letters == "ac" else (1, 2)))

    def dot(self, x: Array, y: Array, letters: str) -> Array:
        """Return the sums of ``x · y`` over all axes but ``letters``."""
        # vecdot calls BLAS once a run of memory, which pays for runs of some length.
        if self.axes == "abc" and letters in ("b", "ab") and self.shape[2] >= COSTS.rows.run:
            inner = vecdot(x, y)
            return _added(inner) if letters == "b" else inner
        return einsum(f"{self.axes},{self.axes}->{letters}", x, y)


def _added(rows: Array) -> Array:
    """Return the sum of the rows of a matrix."""
    return rows[0] if len(rows) == 1 else np.asarray(rows.sum(axis=0))


@_once
def _form_of(shape: tuple[int, ...], kind: str, axis: int, groups: int) -> Form:
    if kind in ("instance", "group"):
        count = groups if kind == "group" else shape[1]
        return Form(
            shape=(shape[0], count, prod(shape[1:]) // max(count, 1)), axes="abc", stats="ab"
        )
    axis %= len(shape)
    cut = (prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :]))
    # Channels last, or layers: a matrix, without a third axis of one element to loop over.
    if cut[2] == 1:
        return Form(shape=cut[:2], axes="ab", stats="b" if kind == "batch" else "a")
    return Form(shape=cut, axes="abc", stats="b" if kind == "batch" else "ac")


def by_channel(form: Form, work: Callable[[slice], None]) -> None:
    """Call ``work`` with ranges of channels, one range per thread."""
    front, channels = form.shape[:2]
    size = prod(form.shape)
    count = num_chunks(size, COSTS.threads.channels)
    with spreading(prod(form.shape[2:])):
        # Contiguous channels: one thread takes ranges that the cache holds. Several threads take
        # one range each, as every further call would wait for the interpreter's lock.
        if count == 1 and front == 1:
            count = -(-size // COSTS.blocks.channels)
            together([partial(_one_by_one, work, split(channels, count))])
        else:
            together([partial(work, part) for part in split(channels, count)])


def _one_by_one(work: Callable[[slice], None], parts: Sequence[slice]) -> None:
    for part in parts:
        work(part)
