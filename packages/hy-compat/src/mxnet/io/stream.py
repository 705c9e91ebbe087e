"""Order of samples: shuffled epochs, parts for workers, and the last batch of an epoch."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray import ArgumentError

__all__ = ["Batch", "LastBatch", "Position", "SampleStream", "check_part", "part_of"]

LastBatch: TypeAlias = Literal["round", "pad", "discard"]
"""With too few samples at the end: take some of the next epoch, pad the batch, or drop it."""

Position: TypeAlias = tuple[int, int]
"""An epoch and a sample's index in it."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Indices of a batch's samples, and the position in the epoch of the next batch."""

    samples: npt.NDArray[np.intp]
    """Their numbers."""
    positions: tuple[Position, ...]
    """Position of each sample, which seeds its random numbers."""
    pad: int
    """How many at the end only fill the batch up: those of the next epoch, or none at all."""
    is_last: bool
    """Whether an epoch ends with it."""
    after: Position
    """Position of the next batch, or of the next epoch after the last one."""


class SampleStream:
    """Stream of batches over many epochs.

    Args:
        count: Number of samples.
        batch_size: Number of samples in a batch.
        last_batch: Treatment of an incomplete last batch.
        shuffle: Whether to shuffle each epoch.
        seed: Seed of the orders, together with the number of the epoch.

    Raises:
        ArgumentError: There are no samples, or ``batch_size`` is below 1.

    Example:
        >>> stream = SampleStream(3, 2)
        >>> [(batch.samples.tolist(), batch.pad) for batch in (stream.next(), stream.next())]
        [([0, 1], 0), ([2, 0], 1)]
        >>> stream.next() is None
        True
    """

    def __init__(
        self,
        count: int,
        batch_size: int,
        last_batch: LastBatch = "round",
        *,
        shuffle: bool = False,
        seed: int = 0,
    ) -> None:
        if count < 1:
            raise ArgumentError("there are no samples: the file, or its part, is empty")
        if batch_size < 1:
            raise ArgumentError(f"batch_size must be at least 1, not {batch_size}")
        self.count = count
        self.batch_size = batch_size
        self._last_batch = last_batch
        self._shuffle = shuffle
        self._seed = seed
        self._order: tuple[int, npt.NDArray[np.intp]] | None = None
        self.begin((0, 0))

    def begin(self, position: Position) -> None:
        """Begin an epoch at the sample with this position."""
        self._position = position
        self._ended = False

    def next(self) -> Batch | None:
        """Return the next batch; None at the end of the epoch, until :meth:`begin`."""
        epoch, first = self._position
        left = self.count - first
        if self._last_batch == "discard" and left < self.batch_size:
            self._ended = True
        if self._ended:
            return None
        # "round" takes the next epoch's first samples, "pad" leaves the batch short.
        wanted = self.batch_size if self._last_batch == "round" else min(self.batch_size, left)
        later, positions = np.divmod(first + np.arange(wanted), self.count)
        epochs = epoch + later
        samples = self._samples(epochs, positions) if self._shuffle else positions
        self._ended = left <= self.batch_size
        # An epoch begins after the samples that filled the last batch of the one before.
        after = (epoch + 1, max(0, wanted - left)) if self._ended else (epoch, first + wanted)
        self._position = after
        each = tuple(zip(epochs.tolist(), positions.tolist(), strict=True))
        return Batch(
            samples, each, pad=max(0, self.batch_size - left), is_last=self._ended, after=after
        )

    def _samples(
        self, epochs: npt.NDArray[np.intp], positions: npt.NDArray[np.intp]
    ) -> npt.NDArray[np.intp]:
        """Return the indices of samples at positions in a sequence of shuffled epochs."""
        samples = np.empty_like(positions)
        for epoch in dict.fromkeys(epochs.tolist()):
            if self._order is None or self._order[0] != epoch:
                # By seed and epoch, so that any process can compute the order of any epoch.
                drawn = np.random.default_rng((self._seed % 2**64, epoch)).permutation(self.count)
                self._order = epoch, drawn
            own = epochs == epoch
            samples[own] = self._order[1][positions[own]]
        return samples


def part_of(count: int, num_parts: int, part_index: int) -> range:
    """Return the indices of a part's samples; parts are equal except for the last.

    Raises:
        ArgumentError: ``part_index`` is not from 0 to ``num_parts - 1``.

    Example:
        >>> [part_of(10, 3, i) for i in range(3)]
        [range(0, 4), range(4, 8), range(8, 10)]
    """
    check_part(num_parts, part_index)
    # Rounded up, so that the last part is the smaller one, as in dmlc.
    step = -(-count // num_parts)
    return range(min(count, step * part_index), min(count, step * (part_index + 1)))


def check_part(num_parts: int, part_index: int) -> None:
    """Raise an error unless ``part_index`` is from 0 to ``num_parts - 1``.

    Raises:
        ArgumentError: ``part_index`` is not from 0 to ``num_parts - 1``.
    """
    if not 0 <= part_index < num_parts:
        raise ArgumentError(
            f"part_index must be within 0 to num_parts - 1, not {part_index} of {num_parts}"
        )
