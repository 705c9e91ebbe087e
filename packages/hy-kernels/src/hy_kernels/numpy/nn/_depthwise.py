"""Depthwise convolution: each channel by itself, with ``M`` kernels of its own.

There are no matrices to speak of, so the work is one product and one sum for each element of the
kernel. To make those run over long stretches of memory, the padded images of a channel are kept
flat, one behind the other, and the results too, in rows as long as those of the images: then all
elements of a kernel meet the same stretch, only shifted. What lies behind the rows and images of
the result is meaningless. Where windows move by more than one, the images are first divided into
their phases, between which they move by one.
"""

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any, TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.nn._workspace import workspace

__all__ = ["backward_data", "backward_weight", "forward", "suits"]

_BLOCK = 1 << 17  # elements of the result worked on at a time

Index: TypeAlias = tuple[Any, ...]


def suits(channels: int, groups: int, windows: Windows) -> bool:
    """Whether a convolution is one of these."""
    return groups == channels > 1 and not windows.pointwise


class _Flat:
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

    def blocks(self, batch: int, channels: int) -> Iterator[tuple[slice, slice]]:
        """Images and channels, about ``_BLOCK`` numbers at a time."""
        images = min(batch, max(1, _BLOCK // self.room))
        some = max(1, _BLOCK // (images * self.room))
        for n in range(0, batch, images):
            for c in range(0, channels, some):
                yield slice(n, n + images), slice(c, c + some)

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
            for r, s, p, n, most in zip(phase, w.stride, w.pad, w.size, self.size, strict=True):
                first = max(0, -((r - p) // s))
                stop = max(min(most, (n - 1 - r + p) // s + 1), first)
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


def forward(data: Array, weight: Array, windows: Windows, result: Array) -> None:
    """The convolution, which fills ``result [N, C M, *number]``."""
    n, c = data.shape[:2]
    flat = _Flat(windows)
    kernels = weight.reshape(c, -1, 1, *windows.kernel)
    target = result.reshape(n, c, -1, *windows.number)
    for images, channels in flat.blocks(n, c):
        block = data[images, channels]
        phases, own = flat.phases(block)[..., None, :], kernels[channels]
        y = flat.results(len(block), own, "result")
        part = flat.results(len(block), own, "part")
        for i, (tap, phase, start) in enumerate(flat.taps):
            seen = phases[phase][..., start : start + y.shape[2]]
            np.multiply(seen, own[tap], out=part if i else y)
            if i:
                np.add(y, part, out=y)
        target[images, channels] = flat.cropped(y, len(block))


def backward_data(dy: Array, weight: Array, result: Array, windows: Windows) -> None:
    """The gradient to the data, which fills ``result [N, C, *size]``."""
    n, c = result.shape[:2]
    flat = _Flat(windows)
    kernels = weight.reshape(c, -1, 1, *windows.kernel)
    gradients = dy.reshape(n, c, -1, *windows.number)
    for images, channels in flat.blocks(n, c):
        block = gradients[images, channels]
        own = kernels[channels]
        dys = flat.embedded(block, own)
        part = flat.results(len(block), own, "part")
        phases = flat.empty(len(block), len(own), dy.dtype)
        for tap, phase, start in flat.taps:
            np.multiply(dys, own[tap], out=part)
            met = phases[(*phase, slice(None), slice(start, start + part.shape[2]))]
            met += part[:, 0] if part.shape[1] == 1 else part.sum(axis=1)
        flat.gather(phases, result[images, channels])


def backward_weight(dy: Array, data: Array, result: Array, windows: Windows) -> None:
    """The gradient to the weight, added to ``result [C M, 1, *kernel]``."""
    n, c = data.shape[:2]
    flat = _Flat(windows)
    total = result.reshape(c, -1, *windows.kernel)
    gradients = dy.reshape(n, c, -1, *windows.number)
    for images, channels in flat.blocks(n, c):
        own = total[channels]
        phases = flat.phases(data[images, channels])
        dys = flat.embedded(gradients[images, channels], own)
        for tap, phase, start in flat.taps:
            own[tap] += np.vecdot(dys, phases[phase][:, None, start : start + dys.shape[2]])
