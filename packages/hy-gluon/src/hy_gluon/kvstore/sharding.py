"""Sharding: the assignment of parameters' rows to workers."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hy_gluon.optimizer import Optimizer
from hy_gluon.optimizer.step import Step
from hy_ndarray import NDArray, nd

__all__ = ["Shards", "acts_by_element"]


def acts_by_element(optimizer: Optimizer) -> bool:
    """Return whether an optimizer's update is elementwise, so that rows can be sharded.

    Args:
        optimizer: The optimizer, which stays unchanged.

    Example:
        >>> from hy_gluon.optimizer import LAMB, Adam
        >>> acts_by_element(Adam()), acts_by_element(LAMB())
        (True, False)
    """
    if not optimizer._hy_uses_rule():
        return False
    # The trial step would count and follow the schedule, so it runs on a copy.
    trial = copy.deepcopy(optimizer)
    trial.lr_scheduler, trial.lr = None, 0.0
    weight = nd.ones((2, 2))
    numbers, (variant,) = trial._hy_rule_numbers([0])
    own = {name: column[0] for name, column in numbers.items()}
    return Step().acts_by_element(trial, weight, trial.create_state(0, weight), variant, own)


@dataclass(frozen=True)
class Shards:
    """Assignment of parameters' rows to workers, computed equally on all workers.

    :meth:`of` cuts each parameter along its first axis into parts of about equal size. If rows
    cannot be separated, or are fewer than workers, the whole parameter goes to the worker with the
    fewest elements.

    Example:
        >>> shards = Shards.of([(5, 2), (1,)], 2, by_rows=True)
        >>> shards.rows
        (((0, 3), (3, 5)), ((0, 0), (0, 1)))
    """

    rows: tuple[tuple[tuple[int, int], ...], ...]
    """Rows as (first, end) by parameter, then by worker."""

    @classmethod
    def of(cls, shapes: Sequence[tuple[int, ...]], count: int, *, by_rows: bool) -> "Shards":
        """Return the shards of parameters.

        Args:
            shapes: Shapes of the parameters.
            count: Number of workers.
            by_rows: Whether a parameter's rows may be split between workers.
        """
        elements = [0] * count
        rows: dict[int, tuple[tuple[int, int], ...]] = {}
        # Largest first, to the worker with least: LPT scheduling (Graham 1969), within 4/3 of the
        # optimum.
        largest_first = sorted(range(len(shapes)), key=lambda k: -int(np.prod(shapes[k])))
        for k in largest_first:
            shape = shapes[k]
            length = shape[0] if shape else 1
            if by_rows and length >= count:
                # Equal parts, rounded up at the begin: sizes differ by one row at most.
                ends = [-(-length * r // count) for r in range(count + 1)]
            else:
                owner = elements.index(min(elements))
                ends = [0 if r <= owner else length for r in range(count + 1)]
            rows[k] = tuple(pairwise(ends))
            each = int(np.prod(shape)) // max(length, 1)
            for r, (first, end) in enumerate(rows[k]):
                elements[r] += (end - first) * each
        return cls(tuple(rows[k] for k in range(len(shapes))))

    def of_worker(self, arrays: Sequence[NDArray], rank: int) -> list[NDArray]:
        """Return views of a worker's rows, omitting arrays of which it has none."""
        parts = [
            (array, first, end)
            for array, workers in zip(arrays, self.rows, strict=True)
            for first, end in [workers[rank]]
            if end > first
        ]
        return [_view(array, first, end) for array, first, end in parts]

    def numbers_of_worker(self, rank: int) -> list[int]:
        """Return the indices of the parameters of which a worker has rows."""
        return [k for k, workers in enumerate(self.rows) if workers[rank][1] > workers[rank][0]]


def _view(array: NDArray, first: int, end: int) -> NDArray:
    """Return the rows from ``first`` to ``end`` of an array as a view."""
    # Whole arrays need no view, and scalars have none.
    if not array.shape or (first, end) == (0, array.shape[0]):
        return array
    view: Any = array.detach()[first:end]
    return NDArray.from_buffer(view.buffer, view.device)
