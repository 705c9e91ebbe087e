"""Form: the two- or three-axis view that all kinds of normalisation compute on."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from math import prod
from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array, flattened
from hy_kernels.numpy._folds import ones, row_sum
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.linalg._einsum import einsum
from hy_kernels.numpy.runtime._pool import num_chunks, split, together
from hy_kernels.numpy.runtime._product import times_vector, vecdot

_once = lru_cache(maxsize=1024)
"""Decorator that caches results by a few small tuples."""


class Form(NamedTuple):
    """Shape ``[a, b]`` or ``[a, b, c]`` to which data is reshaped for normalisation.

    ``b`` indexes gamma and beta. The axes in ``stats`` index the mean and deviation, which are
    computed over the other axes.
    """

    shape: tuple[int, ...]
    axes: str
    stats: str

    @classmethod
    def of(cls, data: Array, kind: str, axis: int, groups: int = 1) -> "Form":
        """Return the form of ``data`` for ``kind``: batch, layer, group or instance."""
        return _form_of(data.shape, kind, axis, groups)

    def channels(self, own: slice) -> "Form":
        """Return the form of the data's slice ``own`` along ``b``."""
        if own == slice(0, self.shape[1]):
            return self
        shape = list(self.shape)
        shape[1] = own.stop - own.start
        return self._replace(shape=tuple(shape))

    @property
    @_once
    def sizes(self) -> tuple[int, ...]:
        """Return the shape of mean and deviation: the sizes of the axes in ``stats``."""
        return tuple(n for n, a in zip(self.shape, self.axes, strict=True) if a in self.stats)

    @property
    @_once
    def shared(self) -> int:
        """Return the number of elements over which each mean is computed."""
        return prod(n for n, a in zip(self.shape, self.axes, strict=True) if a not in self.stats)

    def broadcastable(self, values: Array, letters: str) -> Array:
        """Return ``values``, with axes ``letters``, in a shape that broadcasts against the data."""
        result = values.reshape(self._broadcast_shape(letters))
        if letters == "b" and self.has_short_channels:
            result = np.broadcast_to(result, (1, *self.shape[1:])).copy()
        return result

    @property
    def has_short_channels(self) -> bool:
        """Return whether values of channels are repeated for each element of an image."""
        # NumPy's overhead for a row is the time of many elements; so all channels of an image are
        # one row.
        if self.axes != "abc":
            return False
        rows, (images, channels, size) = COSTS.rows, self.shape
        are_many = images >= rows.spread_images and images * channels >= rows.spread_channels
        return are_many and size <= rows.spread

    @_once
    def _broadcast_shape(self, letters: str) -> tuple[int, ...]:
        axes = zip(self.shape, self.axes, strict=True)
        return tuple(n if a in letters else 1 for n, a in axes)

    def sum(self, x: Array, letters: str) -> Array:
        """Return the sums of ``x`` over all axes but ``letters``."""
        # A product with ones sums rows at memory bandwidth; NumPy's sum has an overhead per row.
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
        """Return the sums of ``x * y`` over all axes but ``letters``."""
        # vecdot calls BLAS once per run of memory, which pays off for longer runs.
        if self.axes == "abc" and letters in ("b", "ab") and self.shape[2] >= COSTS.rows.run:
            inner = vecdot(x, y)
            return _added(inner) if letters == "b" else inner
        return einsum(f"{self.axes},{self.axes}->{letters}", x, y)


def _added(rows: Array) -> Array:
    """Return the sum of a matrix over axis 0."""
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
    # Normalisation over the last axis or of channels last: no third axis of size 1 to loop over.
    if cut[2] == 1:
        return Form(shape=cut[:2], axes="ab", stats="b" if kind == "batch" else "a")
    return Form(shape=cut, axes="abc", stats="b" if kind == "batch" else "ac")


def by_channel(form: Form, work: Callable[[slice], None]) -> None:
    """Call ``work`` with slices of channels, in several threads for large data."""
    front, channels = form.shape[:2]
    size = prod(form.shape)
    count = num_chunks(size, COSTS.threads.channels)
    # With contiguous channels, a single thread takes slices that fit in the cache. Several
    # threads take one slice each, because every further call would wait for the GIL.
    if count == 1 and front == 1:
        count = -(-size // COSTS.blocks.channels)
        together([partial(_one_by_one, work, split(channels, count))])
    else:
        together([partial(work, part) for part in split(channels, count)])


def _one_by_one(work: Callable[[slice], None], parts: Sequence[slice]) -> None:
    for part in parts:
        work(part)
