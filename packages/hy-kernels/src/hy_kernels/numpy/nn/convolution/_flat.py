"""Images kept flat, one behind the other, so that windows are shifts of one long stretch.

Where windows move by more than one, the images are first divided into their phases, between which
they move by one. Results are kept in rows and images as long as those of a phase; what lies behind
the rows and images of the result is meaningless.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.nn._workspace import workspace

__all__ = ["Flat", "Index", "flat_of"]

Index: TypeAlias = tuple[Any, ...]


class Flat:
    """Images ``[N, C, *size]`` as phases ``[*stride, C, flat]``."""

    def __init__(self, windows: Windows) -> None:
        self.windows = windows
        reach = [
            (k - 1) * d // s
            for k, d, s in zip(windows.kernel, windows.dilate, windows.stride, strict=True)
        ]
        self.size = tuple(n + r for n, r in zip(windows.number, reach, strict=True))
        """Sizes of a phase."""
        self.room = prod(self.size)
        steps = [prod(self.size[i + 1 :]) for i in range(len(self.size))]
        self.slack = sum(r * step for r, step in zip(reach, steps, strict=True))
        """How far the last element of the kernel is shifted."""
        self.taps = list(self._taps(steps))
        """For each element of the kernel its index, its phase, and how far it is shifted."""
        self.places = list(self._places())
        """For each phase its index, where its elements are in it, and where in the image."""

    def _taps(self, steps: list[int]) -> Iterator[tuple[Index, Index, int]]:
        w = self.windows
        for position in product(*map(range, w.kernel)):
            moved = [divmod(i * d, s) for i, d, s in zip(position, w.dilate, w.stride, strict=True)]
            start = sum(shift * step for (shift, _), step in zip(moved, steps, strict=True))
            yield (..., *position), tuple(rest for _, rest in moved), start

    def _places(self) -> Iterator[tuple[Index, Index, Index]]:
        w = self.windows
        for phase in product(*map(range, w.stride)):
            inside, source = [], []
            for r, s, p, n, limit in zip(phase, w.stride, w.pad, w.size, self.size, strict=True):
                first = max(0, -((r - p) // s))
                stop = max(min(limit, (n - 1 - r + p) // s + 1), first)
                start = first * s + r - p
                inside.append(slice(first, stop))
                source.append(slice(start, start + (stop - first) * s, s))
            yield phase, (..., *inside), (..., *source)

    def empty(self, images: int, channels: int, dtype: Any) -> Array:
        """Phases that hold zeros."""
        shape = (*self.windows.stride, channels, images * self.room + self.slack)
        flat = workspace("phases", shape, dtype)
        flat[...] = 0
        return flat

    def phases(self, images: Array) -> Array:
        """The phases of images, zeros around them."""
        n, c = images.shape[:2]
        flat = self.empty(n, c, images.dtype)
        for phase, inside, source in self.places:
            self._shaped(flat[phase], n)[inside] = images[source]
        return flat

    def gather(self, flat: Array, images: Array) -> None:
        """The inverse of :meth:`phases`: fills ``images``."""
        images[...] = 0
        for phase, inside, source in self.places:
            images[source] = self._shaped(flat[phase], len(images))[inside]

    def _shaped(self, flat: Array, n: int) -> Array:
        """``[C, flat]`` as ``[N, C, *size]``."""
        whole = flat[:, : n * self.room].reshape(-1, n, *self.size)
        return whole.swapaxes(0, 1)

    def results(self, images: int, kernels: Array, name: str) -> Array:
        """Flat results ``[C, M, flat]`` of any content, for ``kernels [C, M, ...]``."""
        return workspace(name, (*kernels.shape[:2], images * self.room), kernels.dtype)

    def embedded(self, gradients: Array, kernels: Array) -> Array:
        """``[N, C, M, *number]`` as flat results, zeros behind rows and images."""
        flat = self.results(len(gradients), kernels, "result")
        flat[...] = 0
        self.cropped(flat, len(gradients))[...] = gradients
        return flat

    def cropped(self, flat: Array, n: int) -> Array:
        """The numbers of flat results that mean something, ``[N, C, M, *number]``."""
        shaped = np.moveaxis(flat.reshape(*flat.shape[:2], n, *self.size), 2, 0)
        inside: Index = (..., *(slice(k) for k in self.windows.number))
        return shaped[inside]


flat_of = lru_cache(maxsize=256)(Flat)
"""As :class:`Flat`, which knows nothing but the windows, remembered."""
