"""ShardedParameters: parameters of which each worker keeps only its own rows between steps."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from hy_gluon.kvstore.sharded_files import PARAMETERS, Part, read
from hy_gluon.kvstore.sharding import Shards
from hy_gluon.kvstore.workers import Workers
from hy_gluon.optimizer import StatesError
from hy_gluon.parameter import Parameter, ParameterDict
from hy_gluon.parameter.storage import Arrays
from hy_io import dumps_ndarrays, loads_ndarrays
from hy_ndarray import NDArray, autograd, nd, refill
from hy_symbol import setup_lock

__all__ = ["Parameters", "ShardedParameters", "parameters_part", "read_parameters"]

Parameters: TypeAlias = Mapping[str, Parameter] | ParameterDict
"""Parameters by name."""
_SHOWN = 3
"""Names of parameters that a message shows."""

_GROUP_BYTES = 8 << 20
"""Bytes of weights that are gathered together, overlapped with computation by earlier groups.
Between two processes of one machine gloo takes 8 ms for them."""


@dataclass(slots=True)
class _Weight:
    """Released parameter: memory of the other workers' rows is freed."""

    parameter: Parameter
    allocated: Arrays
    """The parameter's array, which has no memory now, and its context."""
    rows: tuple[tuple[int, int], ...]
    own: NDArray | None
    """Rows of this worker; None if it has none."""
    whole: NDArray | None = None
    """Array into which all rows are gathered; None before."""


@dataclass(slots=True)
class _Group:
    """Released parameters that are gathered together."""

    weights: list[_Weight] = field(default_factory=list)
    finish: list[Callable[[], None]] | None = None
    """Functions that wait for the rows of each worker; None before gathering begins."""


class ShardedParameters:
    """Frees weights and gradients between steps, except for this worker's rows.

    The first use of a parameter starts gathering all of them, group by group in order, but waits
    for its own group only: the others are transferred while the first layers are computed.
    Parameters keep the same array objects, which have no values while released.

    Args:
        workers: The workers; all must run the same program.
    """

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._own: dict[Any, NDArray] = {}
        self._groups: list[_Group] = []
        self.rows: dict[int, tuple[tuple[int, int], ...]] = {}
        """Rows by worker, by ``id`` of the parameter; set when it is first released."""

    def own_rows(self, key: Any, rows: NDArray) -> NDArray:
        """Return a copy of this worker's rows, in a buffer that is reused for the key."""
        own = self._own.get(key)
        is_current = own is not None and (own.shape, own.dtype) == (rows.shape, rows.dtype)
        if own is None or not is_current or own.device is not rows.device:  # it was cast or moved
            own = self._own[key] = rows.copy()
        else:
            own[:] = rows
        return own

    def release(self, keys: Sequence[Any], params: Mapping[Any, Parameter], shards: Shards) -> None:
        """Free the memory of parameters, except for the rows of :meth:`own_rows`.

        Args:
            keys: Keys of the parameters.
            params: Parameters by key.
            shards: Rows of the parameters by worker.
        """
        sizes = _GROUP_BYTES
        for key, rows in zip(keys, shards.rows, strict=True):
            parameter = params[key]
            (array,), _ = allocated = parameter._present()
            first, end = rows[self._workers.rank]
            own = self._own[key] if end > first else None
            weight = _Weight(parameter, allocated, rows=rows, own=own)
            self.rows[id(parameter)] = rows
            if sizes >= _GROUP_BYTES:
                self._groups.append(_Group())
                sizes = 0
            sizes += array.size * np.dtype(array.dtype).itemsize
            group = self._groups[-1]
            group.weights.append(weight)
            # The array objects stay, since trainers and programs keep references to them.
            for each in _arrays_of(array, parameter):
                refill(each, without_memory(each))
            parameter._release(partial(self._gather, group))

    def gather(self) -> None:
        """Gather all released parameters."""
        while self._groups:
            self._gather(self._groups[0])

    def own_values(self, parameter: Parameter) -> NDArray | None:
        """Return this worker's rows of a released parameter; None if it is not released."""
        weights = (w for group in self._groups for w in group.weights)
        return next((w.own for w in weights if w.parameter is parameter), None)

    def _gather(self, group: _Group) -> None:
        """Wait for the parameters of a group, and start gathering all other groups."""
        with setup_lock(), autograd.pause():
            if group.finish is None:
                # Workers that use different parameters first get an error; without this check, each
                # would wait for the other's broadcast.
                self._workers.agree(("gather", [[*w.allocated[0][0].shape] for w in group.weights]))
                # Started together, so that later groups arrive while the first layers are computed.
                for each in self._groups:
                    each.finish = each.finish or [*self._begin_gathering(each)]
            assert group.finish is not None
            for finish in group.finish:
                finish()
            for weight in group.weights:
                (array,), _ = weight.allocated
                assert weight.whole is not None
                refill(array, weight.whole)
                for gradient in _arrays_of(array, weight.parameter)[1:]:
                    refill(gradient, nd.zeros_like(array))
                weight.parameter._restore(weight.allocated)
            self._groups = [each for each in self._groups if each is not group]

    def _begin_gathering(self, group: _Group) -> Iterator[Callable[[], None]]:
        """Start gathering a group; yield functions that wait for each worker's rows."""
        shards = Shards(tuple(weight.rows for weight in group.weights))
        for weight in group.weights:
            (array,), _ = weight.allocated
            weight.whole = nd.empty(array.shape, ctx=array.context, dtype=array.dtype)
            first, end = weight.rows[self._workers.rank]
            if weight.own is not None:
                (rows,) = Shards((((first, end),),)).of_worker([weight.whole], 0)
                rows[:] = weight.own
        arrays = [weight.whole for weight in group.weights if weight.whole is not None]
        for rank in range(self._workers.count):
            yield self._workers.begin_broadcast(shards.of_worker(arrays, rank), rank)


def _arrays_of(array: NDArray, parameter: Parameter) -> list[NDArray]:
    """Return a parameter's array, and also its gradient if ``grad_req`` is ``"write"``."""
    gradient = array.grad
    # Gradients that are added to hold values which the next backward pass needs.
    return [array] if gradient is None or parameter.grad_req != "write" else [array, gradient]


def without_memory(array: NDArray) -> NDArray:
    """Return an array of the same type that occupies no memory and whose elements are all nan.

    On kernel tables without broadcast buffers, the array itself is returned.
    """
    buffer: Any = array.buffer
    # One nan, broadcast to the shape: a use before gathering gives nan instead of old values.
    if isinstance(buffer, np.ndarray):
        buffer = np.broadcast_to(np.full((), np.nan, buffer.dtype), buffer.shape)
    elif hasattr(buffer, "new_full"):  # a tensor of torch
        buffer = buffer.new_full((), float("nan")).expand(buffer.shape)
    return type(array).from_buffer(buffer, array.device)


def parameters_part(workers: Workers, sharded: ShardedParameters, params: Parameters) -> Part:
    """Return which worker writes which rows of parameters, and this worker's as a file.

    Args:
        workers: The workers.
        sharded: Which worker has which rows of parameters that were updated.
        params: The parameters by name.
    """
    layout = []
    own: dict[str, Any] = {}
    for name, parameter in params.items():
        shape = tuple(parameter.shape or ())
        length = shape[0] if shape else 1
        ends = ((0, length), *[(length, length)] * (workers.count - 1))  # not released
        rows = sharded.rows.get(id(parameter), ends)
        layout.append((name, shape, rows))
        first, end = rows[workers.rank]
        if end > first:
            value = sharded.own_values(parameter)
            whole = end - first == length
            value = parameter._arrays()[0] if value is None else value
            part = value if whole or len(value) == end - first else value[first:end]
            own[name] = part.asnumpy()
    return layout, lambda: dumps_ndarrays(own)


def read_parameters(params: Parameters, fname: str) -> None:
    """Load parameters that any number of workers wrote.

    Args:
        params: The parameters by name.
        fname: The file that names the others.

    Raises:
        StatesError: A file is damaged, or has other parameters.
        MissingFileError: A file is not there.
    """
    layout, contents = read(fname, PARAMETERS)
    saved = {name for name, _, _ in layout}
    if saved != set(params):
        different = sorted(saved.symmetric_difference(params))[:_SHOWN]
        raise StatesError(
            f"{fname} and the net differ in parameters, such as {', '.join(different)}"
        )
    parts: list[Any] = [loads_ndarrays(content, dense=True) for content in contents]
    for name, shape, ranges in layout:
        rows = [part[name] for part, (first, end) in zip(parts, ranges, strict=True) if end > first]
        value = np.concatenate(rows) if len(rows) > 1 else rows[0]
        if value.shape != shape:
            raise StatesError(
                f"{fname}: the rows of {name!r} have the shape {value.shape}, not {shape}"
            )
        params[name].set_data(nd.array(value, dtype=value.dtype))
