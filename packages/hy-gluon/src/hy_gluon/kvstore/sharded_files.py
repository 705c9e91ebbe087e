"""Files of sharded states and parameters: one per worker, and an index.

The index is JSON with the names of the workers' files, and the rows of each parameter in each file.
A worker's file contains states in the format of ``Trainer.save_states``, or rows of parameters by
name in that of ``nd.save``. Files get new names in each save, and the index is atomically replaced
last.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from hy_gluon.kvstore.errors import KVStoreError
from hy_gluon.kvstore.sharding import Shards, acts_by_element
from hy_gluon.optimizer import Updater
from hy_gluon.optimizer.rule import arrays_in, with_arrays
from hy_gluon.parameter import Parameter
from hy_io import atomic_write, dumps_ndarrays, loads_ndarrays, read_file
from hy_ndarray import NDArray, cpu, nd

if TYPE_CHECKING:
    from hy_gluon.kvstore.sharded_parameters import ShardedParameters
    from hy_gluon.kvstore.workers import Workers

__all__ = ["read_parameters", "read_states", "write_parameters", "write_states"]

_STATES = "hy sharded states"
_PARAMETERS = "hy sharded parameters"


_SHOWN = 3
"""Maximum of parameter names in an error message."""

Layout: TypeAlias = Sequence[tuple[Any, tuple[int, ...], Sequence[tuple[int, int]]]]
"""Key, shape, and rows by worker as (first, end), for each parameter."""


def write_states(workers: "Workers", updater: Updater, layout: Layout, fname: str) -> None:
    """Write the optimizer states of all workers; on an error the old files are kept.

    Args:
        workers: The workers, all of which must call this function.
        updater: Updater with this worker's states.
        layout: Rows of each parameter by worker.
        fname: Path of the index, which names the other files.

    Raises:
        KVStoreError: Another worker could not write its file.
        OSError, StatesError: This worker could not write its file.
    """
    _write_shards(workers, fname, _STATES, layout, lambda: updater.get_states(dump_optimizer=True))


def write_parameters(
    workers: "Workers",
    sharded: "ShardedParameters",
    params: Mapping[str, Parameter],
    fname: str,
) -> None:
    """Write each worker's own rows of the parameters; on an error the old files are kept.

    Args:
        workers: The workers, all of which must call this function.
        sharded: Rows by worker of the parameters that were updated.
        params: Parameters by name.
        fname: Path of the index, which names the other files.

    Raises:
        KVStoreError: Another worker could not write its file.
        OSError: This worker could not write its file.
    """
    layout, own = [], {}
    for name, parameter in params.items():
        shape = tuple(parameter.shape or ())
        length = shape[0] if shape else 1
        ends = [(0, length), *[(length, length)] * (workers.count - 1)]  # not released
        rows = sharded.rows.get(id(parameter), ends)
        layout.append((name, shape, rows))
        first, end = rows[workers.rank]
        if end > first:
            value = sharded.own_values(parameter)
            whole = end - first == length
            value = parameter._arrays()[0] if value is None else value
            part = value if whole or len(value) == end - first else value[first:end]
            own[name] = part.asnumpy()
    _write_shards(workers, fname, _PARAMETERS, layout, lambda: dumps_ndarrays(own))


def _write_shards(
    workers: "Workers", fname: str, kind: str, layout: Layout, content: Callable[[], bytes]
) -> None:
    """Write a file per worker, then the index; on an error the old files are kept."""
    target = Path(fname)
    # Milliseconds of worker 0: a new name for each save, the same for all workers.
    number = int(workers.agree((f"save {kind}", target.name), float(int(time.time() * 1000))))
    names = [f"{target.name}.{number:x}.{r}-of-{workers.count}" for r in range(workers.count)]
    own = target.with_name(names[workers.rank])
    failure: Exception | None = None
    try:
        with atomic_write(own) as file:
            file.write(content())
    # The failure waits until all workers know, or they would wait for this one forever.
    except Exception as error:
        failure = error
    if workers.any([failure is not None])[0]:
        own.unlink(missing_ok=True)
        if failure is not None:
            raise failure
        raise KVStoreError(f"another worker could not write its part of {fname}; the old one stays")
    # Only after every part is on the disk, and by one worker.
    if workers.rank == 0:
        index = json.dumps({"format": kind, "files": names, "parameters": [*layout]})
        with atomic_write(target) as file:
            file.write(index.encode())
        # Stale parts of older saves; the index no longer names them.
        for path in target.parent.glob(f"{target.name}.*-of-*"):
            if path.name not in names:
                path.unlink(missing_ok=True)
    # Nobody loads before the index is replaced.
    workers.agree("saved")


def read_states(workers: "Workers", updater: Updater, fname: str) -> None:
    """Load the states of this worker's rows from files written by any number of workers.

    Args:
        workers: The workers.
        updater: Updater to load the states into.
        fname: Path of the index, which names the other files.

    Raises:
        StatesError: A file is damaged, or of another optimizer.
        MissingFileError: A file is missing.
    """
    states = import_module("hy_gluon.optimizer.states")
    target = Path(fname)
    files, layout = _index(read_file(fname), fname, _STATES, states.StatesError)
    # All parts are read: with another number of workers, rows come from several of them.
    parts = [states.loads(read_file(target.with_name(name)), updater.optimizer) for name in files]
    optimizer = parts[0].apply()
    if optimizer is not updater.optimizer:
        raise states.StatesError(
            f"{fname} has the states of {type(optimizer).__name__}, and the trainer updates by "
            f"{type(updater.optimizer).__name__}"
        )
    shapes = [tuple(shape) for _, shape, _ in layout]
    shards = Shards.of(shapes, workers.count, by_rows=acts_by_element(optimizer))
    own: dict[Any, Any] = {}
    for (key, _, ranges), rows in zip(layout, shards.rows, strict=True):
        first, end = rows[workers.rank]
        if end > first:
            own[key] = _merged_state([part.states.get(key) for part in parts], ranges, first, end)
    counts: dict[Any, int] = {}
    for part in parts:
        # Counts of steps are equal for all rows of a parameter; the largest is of a worker that had
        # one.
        for of_device in (part.settings or {}).get("_all_index_update_counts", {}).values():
            for key, count in of_device.items():
                counts[key] = max(count, counts.get(key, 0))
    for of_device in optimizer._all_index_update_counts.values():
        of_device.update(counts)
    updater.take(own, optimizer)


def read_parameters(params: Mapping[str, Parameter], fname: str) -> None:
    """Load parameters from files written by any number of workers.

    Args:
        params: Parameters by name.
        fname: Path of the index, which names the other files.

    Raises:
        StatesError: A file is damaged, or has other parameters.
        MissingFileError: A file is missing.
    """
    error = import_module("hy_gluon.optimizer.states").StatesError
    target = Path(fname)
    files, layout = _index(read_file(fname), fname, _PARAMETERS, error)
    saved = {name for name, _, _ in layout}
    if saved != set(params):
        different = sorted(saved.symmetric_difference(params))[:_SHOWN]
        raise error(f"{fname} and the net differ in parameters, such as {', '.join(different)}")
    parts: list[Any] = [
        loads_ndarrays(read_file(target.with_name(name)), dense=True) for name in files
    ]
    for name, shape, ranges in layout:
        rows = [part[name] for part, (first, end) in zip(parts, ranges, strict=True) if end > first]
        value = np.concatenate(rows) if len(rows) > 1 else rows[0]
        if value.shape != tuple(shape):
            raise error(f"{fname}: the rows of {name!r} have the shape {value.shape}, not {shape}")
        params[name].set_data(nd.array(value, dtype=value.dtype))


def _index(
    content: bytes, fname: str, kind: str, error: type[Exception]
) -> tuple[list[str], Layout]:
    """Return the names of the workers' files and the layout from an index.

    Raises:
        StatesError: ``content`` is not an index of this kind.
    """
    try:
        index = json.loads(content)
        names, layout = index["files"], index["parameters"]
        # Names with a slash would read files outside of the folder.
        plain = all(isinstance(name, str) and Path(name).name == name for name in names)
        whole = all(len(ranges) == len(names) for _, _, ranges in layout)
        if index["format"] == kind and plain and whole:
            return names, layout
    except (ValueError, KeyError, TypeError):
        pass
    raise error(f"{fname} is not an index of {kind.removeprefix('hy ')}")


def _merged_state(
    parts: Sequence[Any], ranges: Sequence[tuple[int, int]], first: int, end: int
) -> Any:
    """Return the state of a range of rows, merged from the workers' states.

    Args:
        parts: State by worker; None for a worker without rows.
        ranges: Rows of each worker as (first, end).
        first: First row of the result.
        end: Row after the last one of the result.
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
    """Return the concatenation of the rows ``cuts[i]`` of ``arrays[i]``, on the CPU."""
    rows = [array.asnumpy()[cut] for array, cut in zip(arrays, cuts, strict=True)]
    return nd.array(np.concatenate(rows), ctx=cpu(), dtype=arrays[0].dtype)
