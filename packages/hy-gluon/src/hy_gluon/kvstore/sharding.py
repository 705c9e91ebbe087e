"""Sharding: the assignment of parameters' rows to workers."""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hy_gluon.optimizer import Optimizer
from hy_gluon.optimizer.step import Step
from hy_ndarray import NDArray, nd

__all__ = ["Assignment", "Shards", "acts_by_element"]


def acts_by_element(
    optimizer: Optimizer, keys: Sequence[Any], shapes: Sequence[tuple[int, ...]]
) -> list[bool]:
    """Return for each parameter whether its update is elementwise, so that rows can be sharded.

    Args:
        optimizer: The optimizer, which stays unchanged.
        keys: Numbers of the parameters; rules may differ by their names, such as of embeddings.
        shapes: Shapes of the parameters.

    Example:
        >>> from hy_gluon.optimizer import LAMB, Adam, Muon
        >>> shapes = [(4, 4), (4,)]
        >>> [acts_by_element(each, [0, 1], shapes) for each in (Adam(), LAMB(), Muon())]
        [[True, True], [False, False], [False, True]]
    """
    if not optimizer._hy_uses_rule():
        return [False] * len(keys)
    # The trial step would count and follow the schedule, so it runs on a copy.
    trial = copy.deepcopy(optimizer)
    trial.lr_scheduler, trial.lr = None, 0.0
    # Copies have no parameters, of which rules may ask names and shapes.
    trial.param_dict = optimizer.param_dict
    step = Step()
    results: list[bool] = []
    for key, shape in zip(keys, shapes, strict=True):
        if not shape:  # a scalar has no rows
            results.append(False)
            continue
        weight = nd.ones((2,) * len(shape))
        # The state first: optimizers note the shape of a weight with it.
        state = trial.create_state(key, weight)
        numbers, (variant,) = trial._hy_rule_numbers([key])
        own = {name: column[0] for name, column in numbers.items()}
        results.append(step.acts_by_element(trial, weight, state, variant, own))
    return results


@dataclass(frozen=True)
class Shards:
    """Assignment of parameters' rows to workers, computed equally on all workers.

    Example:
        >>> shards = Shards.of([(5, 2), (1,)], [0, 0], by_rows=[True, True])
        >>> shards.rows
        (((0, 3), (3, 5)), ((0, 0), (0, 1)))
    """

    rows: tuple[tuple[tuple[int, int], ...], ...]
    """Rows as (first, end) by parameter, then by worker."""

    @classmethod
    def of(
        cls, shapes: Sequence[tuple[int, ...]], elements: list[int], *, by_rows: Sequence[bool]
    ) -> "Shards":
        """Return the shards of parameters.

        Parameters are cut along their first axis into parts of about equal size. If rows cannot be
        separated, or are fewer than workers, the whole parameter goes to the worker with the
        fewest elements.

        Args:
            shapes: Shapes of the parameters.
            elements: Number of elements on each worker, which is updated.
            by_rows: Whether a parameter's rows may be split between workers, for each.
        """
        count = len(elements)
        rows: dict[int, tuple[tuple[int, int], ...]] = {}
        # Largest first, to the worker with least: LPT scheduling (Graham 1969), within 4/3 of the
        # optimum.
        largest_first = sorted(range(len(shapes)), key=lambda k: -int(np.prod(shapes[k])))
        for k in largest_first:
            shape = shapes[k]
            length = shape[0] if shape else 1
            if by_rows[k] and length >= count:
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


class Assignment:
    """Assignment of parameters' rows to workers, for as long as a training lasts.

    A parameter keeps its rows in all steps, whichever others are updated with it: its states are
    where its rows are.

    Args:
        count: The number of workers.
    """

    def __init__(self, count: int) -> None:
        self._elements = [0] * count
        self._rows: dict[Any, tuple[tuple[int, ...], tuple[tuple[int, int], ...]]] = {}
        """Shape, and rows of each worker, by key."""

    def __iter__(self) -> Iterator[tuple[Any, tuple[int, ...], tuple[tuple[int, int], ...]]]:
        """Yield key, shape and each worker's rows of all parameters."""
        for key, (shape, rows) in self._rows.items():
            yield key, shape, rows

    def shards(
        self, optimizer: Optimizer, keys: Sequence[Any], shapes: Sequence[tuple[int, ...]]
    ) -> Shards:
        """Return the shards of parameters; new ones get their rows now.

        Args:
            optimizer: What updates them.
            keys: Their keys.
            shapes: Their shapes.
        """
        pairs = [*zip(keys, shapes, strict=True)]
        new = [(key, shape) for key, shape in pairs if self._shape_of(key) != shape]
        if new:
            columns = [[*column] for column in zip(*new, strict=True)]
            by_rows = acts_by_element(optimizer, *columns)
            added = Shards.of(columns[1], self._elements, by_rows=by_rows)
            for (key, shape), rows in zip(new, added.rows, strict=True):
                self._rows[key] = shape, rows
        return Shards(tuple(self._rows[key][1] for key in keys))

    def _shape_of(self, key: Any) -> tuple[int, ...] | None:
        return self._rows[key][0] if key in self._rows else None
