"""Convolution of flattened channels: each kernel element multiplies a shifted vector.

With a stride, images are first split into phases (by the remainder of the position), in each of
which the stride is 1. Results have the row length of a phase; elements beyond the end of a result's
row or image are garbage, which is cropped.
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

Index: TypeAlias = tuple[Any, ...]


class Flat:
    """Conversion between images ``[N, C, *size]`` and flat phases ``[*stride, C, flat]``."""

    def __init__(self, windows: Windows) -> None:
        self.windows = windows
        reach = [
            (k - 1) * d // s
            for k, d, s in zip(windows.kernel, windows.dilate, windows.stride, strict=True)
        ]
        self.size = tuple(n + r for n, r in zip(windows.number, reach, strict=True))
        """Spatial sizes of a phase."""
        self.room = prod(self.size)
        steps = [prod(self.size[i + 1 :]) for i in range(len(self.size))]
        self.slack = sum(r * step for r, step in zip(reach, steps, strict=True))
        """Shift of the last kernel element, the number of elements to append to the vector."""
        self.taps = list(self._taps(steps))
        """For each kernel element: its index, its phase, and its shift in the flat vector."""
        self.phase_slices = list(self._phase_slices())
        """For each phase: its index, and its elements as indices into the phase and the image."""

    def _taps(self, steps: list[int]) -> Iterator[tuple[Index, Index, int]]:
        w = self.windows
        for position in product(*map(range, w.kernel)):
            moved = [divmod(i * d, s) for i, d, s in zip(position, w.dilate, w.stride, strict=True)]
            start = sum(shift * step for (shift, _), step in zip(moved, steps, strict=True))
            yield (..., *position), tuple(rest for _, rest in moved), start

    def _phase_slices(self) -> Iterator[tuple[Index, Index, Index]]:
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
        """Return flat phases of zeros, in scratch memory."""
        shape = (*self.windows.stride, channels, images * self.room + self.slack)
        flat = workspace("phases", shape, dtype)
        flat[...] = 0
        return flat

    def phases(self, images: Array) -> Array:
        """Return the flat phases of ``images [N, C, *size]``, with zeros as padding."""
        n, c = images.shape[:2]
        flat = self.empty(n, c, images.dtype)
        for phase, inside, source in self.phase_slices:
            self._shaped(flat[phase], n)[inside] = images[source]
        return flat

    def gather(self, flat: Array, images: Array) -> None:
        """Fill ``images`` from their flat phases: the inverse of :meth:`phases`."""
        images[...] = 0
        for phase, inside, source in self.phase_slices:
            images[source] = self._shaped(flat[phase], len(images))[inside]

    def _shaped(self, flat: Array, n: int) -> Array:
        """Return one phase of ``n`` images, ``[C, flat]``, as a view ``[N, C, *size]``."""
        whole = flat[:, : n * self.room].reshape(-1, n, *self.size)
        return whole.swapaxes(0, 1)

    def results(self, images: int, kernels: Array, name: str) -> Array:
        """Return uninitialized scratch memory ``[C, M, flat]`` for the results of ``kernels``."""
        return workspace(name, (*kernels.shape[:2], images * self.room), kernels.dtype)

    def embedded(self, gradients: Array, kernels: Array) -> Array:
        """Return ``gradients [N, C, M, *number]`` in the form of flat results, elsewhere zero."""
        flat = self.results(len(gradients), kernels, "result")
        flat[...] = 0
        self.cropped(flat, len(gradients))[...] = gradients
        return flat

    def cropped(self, flat: Array, n: int) -> Array:
        """Return flat results as a view ``[N, C, M, *number]``, without the garbage."""
        shaped = np.moveaxis(flat.reshape(*flat.shape[:2], n, *self.size), 2, 0)
        inside: Index = (..., *(slice(k) for k in self.windows.number))
        return shaped[inside]


# A Flat depends only on the windows.
flat_of = lru_cache(maxsize=256)(Flat)
""":class:`Flat` with cached instances, by windows."""
