"""Pooling of regions as weighted sums of pixels for each bin, and the gradients.

The weight of a pixel is the product of a row weight and a column weight. Images are converted to
rows of the channels that are read together, so that a bin is a sum of a few such rows. Regions are
processed in batches, which bounds the memory.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch

from hy_kernels.torch._tensor import Tensor
from hy_kernels.torch.costs import COSTS

_embedding_bag: Any = torch.nn.functional.embedding_bag


def images_of(rois: Tensor, count: int) -> Tensor:
    """Return ``[R]``, the image index of each region, int64; negative for none.

    On CPUs indices are checked; on other devices that would wait, so regions of a missing image
    count as regions without one.

    Raises:
        IndexError: An index is not below ``count``, on a CPU.
    """
    numbers = rois[:, 0].long()
    # Checked on CPUs alone: elsewhere it would wait for the device.
    if numbers.is_cpu and len(numbers) and int(numbers.max()) >= count:
        region = int((numbers >= count).nonzero()[0])
        image = int(numbers[region])
        raise IndexError(f"region {region} is of image {image}; there are {count}")
    return numbers


class Channels(NamedTuple):
    """Layout of channels ``kinds * outputs * sets``; a bin reads one kind and set of them."""

    kinds: int = 1
    sets: int = 1

    def rows(self, images: Tensor) -> Tensor:
        """Return images ``[N, channels, H, W]`` as rows ``[N * H * W * sets * kinds, outputs]``."""
        count, channels, height, width = images.shape
        outputs = channels // (self.kinds * self.sets)
        split = images.reshape(count, self.kinds, outputs, self.sets, height, width)
        number = count * height * width * self.sets * self.kinds
        # The channels that are read together become one contiguous row, as embedding_bag sums rows.
        return split.permute(0, 4, 5, 3, 1, 2).reshape(number, outputs)

    def images(self, rows: Tensor, shape: tuple[int, ...]) -> Tensor:
        """Return rows as images of ``shape``: the inverse of :meth:`rows`."""
        count, _, height, width = shape
        split = rows.view(count, height, width, self.sets, self.kinds, rows.shape[1])
        return split.permute(0, 4, 5, 3, 1, 2).reshape(shape)


class Axis(NamedTuple):
    """Pixels and weights along one axis, ``[R, K, P, Q, E]``, with 1 for sizes that broadcast.

    ``R`` regions have ``P * Q`` bins for each of ``K`` kinds of channels; a bin sums ``E`` pixels.
    """

    positions: Tensor
    weights: Tensor


class Bins(NamedTuple):
    """Bins of all regions: the pixels that each one sums, and their weights."""

    numbers: Tensor
    """``[R]``, result of :func:`images_of`."""
    rows: Axis
    columns: Axis
    own: Tensor
    """``[K, P, Q]``: index of the channel row of a pixel that each bin reads."""
    size: tuple[int, ...]
    """Shape of the images, ``(N, C, H, W)``."""
    channels: Channels

    def sums(self, images: Tensor) -> Tensor:
        """Return the weighted sum of each bin of each region, ``[R, K * outputs, P, Q]``."""
        rows = self.channels.rows(images)
        kinds, down, across = self.own.shape
        y = rows.new_zeros((len(self.numbers), kinds, down, across, rows.shape[1]))
        if y.numel() and rows.numel():
            for some in self._batches(1):
                y[some] = summed(rows, self.pixels(some), self.weights(some)).view(y[some].shape)
        return y.permute(0, 1, 4, 2, 3).reshape(len(y), kinds * rows.shape[1], down, across)

    def spread(self, dy: Tensor) -> Tensor:
        """Return the gradient of :meth:`sums` to the images."""
        g = self._by_part(dy)
        kinds, sets = self.channels
        count, _, height, width = self.size
        total = g.new_zeros((count * height * width * sets * kinds, g.shape[-1]))
        if g.numel() and total.numel():
            for some in self._batches(g.shape[-1]):
                index, weights = self.pixels(some), self.weights(some).to(g.dtype)
                shares = weights[:, :, None] * g[some].reshape(len(index), 1, -1)
                # Regions overlap, so several parts add to one pixel.
                total.index_add_(0, index.view(-1), shares.view(-1, total.shape[1]))
        return self.channels.images(total, self.size)

    def derivatives(self, dy: Tensor, images: Tensor, *more: "Bins") -> Tensor:
        """Return ``[len(more), R, K, P, Q]``: for each of ``more`` the derivatives of bins.

        Each is the product of ``dy`` and the bin's sum by the weights of that item of ``more``,
        summed over the outputs.
        """
        rows, g = self.channels.rows(images), self._by_part(dy)
        result = g.new_zeros((len(more), *g.shape[:-1]))
        if g.numel() and rows.numel():
            for some in self._batches(g.shape[-1]):
                index = self.pixels(some)
                # The products of channels and gradients serve all sets of weights.
                seen = torch.bmm(rows[index], g[some].reshape(len(index), -1, 1))
                for k, bins in enumerate(more):
                    product = torch.bmm(bins.weights(some).to(g.dtype)[:, None], seen)
                    result[k, some] = product.view(result[k, some].shape)
        return result

    def _by_part(self, dy: Tensor) -> Tensor:
        """Return gradients ``[R, K * outputs, P, Q]`` as ``[R, K, P, Q, outputs]``."""
        kinds, outputs = len(self.own), dy.shape[1] // len(self.own)
        return dy.reshape(len(dy), kinds, outputs, *dy.shape[2:]).permute(0, 1, 3, 4, 2)

    def _batches(self, outputs: int) -> Iterator[slice]:
        """Yield slices of regions to process at a time, for ``outputs`` numbers per pixel."""
        each = self.own.numel() * self.rows.positions.shape[-1] * self.columns.positions.shape[-1]
        costs = COSTS.blocks
        # Bounds the indices [B, E], and the numbers of those pixels in all channels.
        limit = costs.bin_indices // max(each, 1), costs.bin_numbers // max(each * outputs, 1)
        step = max(1, min(limit))
        for start in range(0, len(self.numbers), step):
            yield slice(start, start + step)

    def pixels(self, some: slice) -> Tensor:
        """Return ``[B, E]``: the indices of the rows that each of ``B`` bins sums."""
        count, _, height, width = self.size
        # Regions of no image read some other one's pixels, with weight 0.
        number = self.numbers[some].clamp(0, count - 1).view(-1, 1, 1, 1, 1, 1)
        row = number * height + self.rows.positions[some].unsqueeze(-1)
        pixel = row * width + self.columns.positions[some].unsqueeze(-2)
        kinds, sets = self.channels
        return (pixel * (kinds * sets) + self.own[..., None, None]).flatten(0, 3).flatten(1)

    def weights(self, some: slice) -> Tensor:
        """Return ``[B, E]``: the weights of :meth:`pixels`."""
        number = self.numbers[some]
        there = ((number >= 0) & (number < self.size[0])).view(-1, 1, 1, 1, 1)
        rows, columns = self.rows.weights[some] * there, self.columns.weights[some]
        product = rows.unsqueeze(-1) * columns.unsqueeze(-2)
        shape = (len(number), *self.own.shape, *product.shape[-2:])
        return product.expand(shape).flatten(0, 3).flatten(1)


def summed(rows: Tensor, index: Tensor, weights: Tensor) -> Tensor:
    """Return ``[B, outputs]``: weighted sums of the rows at ``index [B, E]`` over ``E``."""
    # embedding_bag gathers and sums in one pass; indexing would first copy [B, E, outputs].
    result: Tensor = _embedding_bag(
        index, rows, mode="sum", per_sample_weights=weights.to(rows.dtype)
    )
    return result
