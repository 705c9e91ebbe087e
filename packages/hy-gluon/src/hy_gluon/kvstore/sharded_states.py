"""Sharded states: those of all workers, merged to the rows that a worker has now."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from hy_gluon.kvstore.sharded_files import STATES, Layout, read
from hy_gluon.kvstore.sharding import Assignment
from hy_gluon.optimizer import Optimizer, StatesError, Updater
from hy_gluon.optimizer.rule import arrays_in, with_arrays
from hy_ndarray import NDArray, cpu, nd

if TYPE_CHECKING:
    from hy_gluon.kvstore.workers import Workers

__all__ = ["read_states"]

_COUNTS = "_all_index_update_counts"
"""Setting of an optimizer: counts of steps, by device and parameter."""


def read_states(workers: "Workers", updater: Updater, fname: str) -> Assignment:
    """Load the states of this worker's rows, written by any number of workers; return its rows.

    Args:
        workers: The workers.
        updater: What is to have the states.
        fname: The file that names the others.

    Raises:
        StatesError: A file is damaged, or of another optimizer.
        MissingFileError: A file is not there.
    """
    saved = read(fname, STATES)
    loads = import_module("hy_gluon.optimizer.states").loads
    # All parts are read: with another number of workers, rows come from several of them.
    parts = [loads(content, updater.optimizer) for content in saved.contents]
    settings = _merged_settings([part.settings or {} for part in parts], saved.layout)
    optimizer = parts[0]._replace(settings=settings).apply()
    if optimizer is not updater.optimizer:
        raise StatesError(
            f"{fname} has the states of {type(optimizer).__name__}, and the trainer updates by "
            f"{type(updater.optimizer).__name__}"
        )
    _count_here(optimizer)
    assignment = Assignment(workers.count)
    keys, shapes = [key for key, _, _ in saved.layout], [shape for _, shape, _ in saved.layout]
    shards = assignment.shards(optimizer, keys, shapes)
    own: dict[Any, Any] = {}
    for (key, _, ranges), rows in zip(saved.layout, shards.rows, strict=True):
        first, end = rows[workers.rank]
        if end > first:
            own[key] = _merged_state([part.states.get(key) for part in parts], ranges, first, end)
    updater.take(own, optimizer)
    return assignment


def _merged_settings(workers: Sequence[Mapping[str, Any]], layout: Layout) -> dict[str, Any]:
    """Return an optimizer's settings: what it keeps by parameter is of a worker with its rows.

    Args:
        workers: The settings of each worker; others than these are equal.
        layout: Which worker has which rows.
    """
    owners = {
        key: next((r for r, (first, end) in enumerate(ranges) if end > first), 0)
        for key, _, ranges in layout
    }
    settings = {name: value for of_worker in workers for name, value in of_worker.items()}
    for name, value in settings.items():
        if name == _COUNTS:
            # Workers may be on different devices, and count all steps.
            counts = [of_device for each in workers for of_device in each[name].values()]
            merged: dict[Any, int] = {}
            for key, count in (item for of_device in counts for item in of_device.items()):
                merged[key] = max(count, merged.get(key, 0))
            settings[name] = {0: merged}
        elif isinstance(value, dict):
            columns = [each.get(name, {}) for each in workers]
            # A worker without rows may have a value of the time before it loaded states.
            settings[name] = {
                key: next(c[key] for c in (columns[owners.get(key, 0)], *columns) if key in c)
                for key in dict.fromkeys(key for column in columns for key in column)
            }
    if "num_update" in settings:
        settings["num_update"] = max(each["num_update"] for each in workers)
    return settings


def _count_here(optimizer: Optimizer) -> None:
    """Go on counting on the devices where the parameters are."""
    counts = optimizer._index_update_count
    contexts = [
        context
        for parameter in optimizer.param_dict.values()
        if parameter._data is not None
        for context in parameter.list_ctx()
    ]
    devices = sorted({context.device_id for context in contexts} or {0})
    optimizer._all_index_update_counts = {device: dict(counts) for device in devices}
    optimizer._set_current_context(devices[0])


def _merged_state(
    parts: Sequence[Any], ranges: Sequence[tuple[int, int]], first: int, end: int
) -> Any:
    """Return the state of some rows, merged from the workers' states.

    Args:
        parts: A state for each worker; None where it had no rows.
        ranges: Their rows.
        first: The first row that is wanted.
        end: The one after the last.
    """
    pieces = [
        (part, max(a, first) - a, min(b, end) - a)
        for part, (a, b) in zip(parts, ranges, strict=True)
        if min(b, end) > max(a, first)
    ]
    state = pieces[0][0]
    columns = zip(*(arrays_in(part) for part, _, _ in pieces), strict=True)
    # One part that covers the rows: states without rows, such as counts, pass as they are.
    if len(pieces) == 1 and pieces[0][1:] == (0, max(b - a for a, b in ranges)):
        return state
    cuts = [slice(a, b) for _, a, b in pieces]
    arrays = iter([_concatenated(column, cuts) for column in columns])
    return with_arrays(state, arrays)


def _concatenated(arrays: Sequence[NDArray], cuts: Sequence[slice]) -> NDArray:
    """Return these rows of arrays, concatenated."""
    rows = [array.asnumpy()[cut] for array, cut in zip(arrays, cuts, strict=True)]
    return nd.array(np.concatenate(rows), ctx=cpu(), dtype=arrays[0].dtype)
