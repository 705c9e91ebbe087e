"""Samplers: the order of a dataset's indices, and their grouping into batches."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hy_gluon.data._errors import DataError
from hy_ndarray.suggestion import Suggesting

__all__ = [
    "BatchSampler",
    "FilterSampler",
    "IntervalSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
]


class Sampler(Suggesting):
    """Base class of all samplers; subclasses define ``__iter__`` and ``__len__``."""

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} must define __len__")

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} must define __iter__")


class SequentialSampler(Sampler):
    """Sampler of ``length`` consecutive indices.

    Args:
        length: Number of indices.
        start: The first.

    Example:
        >>> list(SequentialSampler(3))
        [0, 1, 2]
    """

    def __init__(self, length: int, start: int = 0) -> None:
        self._length = length
        self._start = start

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._start, self._start + self._length))

    def __len__(self) -> int:
        return self._length


class RandomSampler(Sampler):
    """Sampler of the indices below ``length`` in a new random order in each iteration.

    The order is drawn from ``numpy.random`` and depends on ``numpy.random.seed``, as in MXNet.

    Args:
        length: Number of indices.

    Example:
        >>> sorted(RandomSampler(3))
        [0, 1, 2]
    """

    def __init__(self, length: int) -> None:
        self._length = length

    def __iter__(self) -> Iterator[int]:
        indices = np.arange(self._length)
        # The global generator of NumPy is what programs for MXNet seed.
        np.random.shuffle(indices)  # noqa: NPY002  # the global generator is what users seed
        return iter(indices.tolist())

    def __len__(self) -> int:
        return self._length


class FilterSampler(Sampler):
    """Sampler of the indices of items for which a function is true; evaluates all items now.

    Args:
        fn: Predicate of an item.
        dataset: Dataset of the items.

    Example:
        >>> list(FilterSampler(lambda x: x > 3, [3, 4, 5]))
        [1, 2]
    """

    def __init__(self, fn: Callable[[Any], Any], dataset: Any) -> None:
        self._fn = fn
        self._dataset = dataset
        self._indices = [idx for idx in range(len(dataset)) if fn(dataset[idx])]

    def __iter__(self) -> Iterator[int]:
        return iter(self._indices)

    def __len__(self) -> int:
        return len(self._indices)


class IntervalSampler(Sampler):
    """Sampler of every ``interval``-th index from 0, then from 1, and so on.

    Args:
        length: Exclusive upper bound of the indices.
        interval: Distance between consecutive indices.
        rollover: Continue from 1, 2, ...; otherwise stop at the end of the first round.

    Raises:
        DataError: ``interval`` is not between 1 and ``length``.

    Example:
        >>> list(IntervalSampler(7, 3)), list(IntervalSampler(7, 3, rollover=False))
        ([0, 3, 6, 1, 4, 2, 5], [0, 3, 6])
    """

    def __init__(self, length: int, interval: int, rollover: bool = True) -> None:
        if not 1 <= interval <= length:
            raise DataError(f"IntervalSampler: interval {interval} must be from 1 to {length}")
        self._length = length
        self._interval = interval
        self._rollover = rollover

    def __iter__(self) -> Iterator[int]:
        for start in range(self._interval if self._rollover else 1):
            yield from range(start, self._length, self._interval)

    def __len__(self) -> int:
        return self._length


class BatchSampler(Sampler):
    """Sampler of lists of ``batch_size`` indices drawn from another sampler.

    Args:
        sampler: Iterable of indices with a length.
        batch_size: Length of the lists.
        last_batch: Handling of remaining indices at the end: ``"keep"`` yields a shorter list,
            ``"discard"`` drops them, ``"rollover"`` prepends them to the next epoch.

    Raises:
        DataError: ``last_batch`` is unknown, or ``batch_size`` is below 1.

    Example:
        >>> batches = BatchSampler(SequentialSampler(5), 2, "rollover")
        >>> list(batches), list(batches)
        ([[0, 1], [2, 3]], [[4, 0], [1, 2], [3, 4]])
    """

    def __init__(self, sampler: Any, batch_size: int, last_batch: str = "keep") -> None:
        if last_batch not in ("keep", "discard", "rollover"):
            raise DataError(
                f"last_batch must be 'keep', 'discard' or 'rollover', not {last_batch!r}"
            )
        if batch_size < 1:
            raise DataError(f"batch_size must be at least 1, not {batch_size}")
        self._sampler = sampler
        self._batch_size = batch_size
        self._last_batch = last_batch
        self._prev: list[Any] = []

    def __iter__(self) -> Iterator[list[Any]]:
        # Numbers that "rollover" kept back begin the first batch of the next pass.
        batch, self._prev = self._prev, []
        for index in self._sampler:
            batch.append(index)
            if len(batch) == self._batch_size:
                yield batch
                batch = []
        if batch and self._last_batch == "keep":
            yield batch
        elif batch and self._last_batch == "rollover":
            self._prev = batch

    def __len__(self) -> int:
        count = len(self._sampler)
        if self._last_batch == "keep":
            return (count + self._batch_size - 1) // self._batch_size
        return (count + len(self._prev)) // self._batch_size
