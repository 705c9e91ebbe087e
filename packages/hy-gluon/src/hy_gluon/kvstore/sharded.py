"""ShardedKVStore: workers that each keep a part of parameters and optimizer states."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_gluon.kvstore.errors import KVStoreError
from hy_gluon.kvstore.interface import KVStoreBase, checked_capability, listed, summed
from hy_gluon.kvstore.kvstore_server import serve
from hy_gluon.kvstore.launch import timeout_of
from hy_gluon.kvstore.sharded_files import (
    read_parameters,
    read_states,
    write_parameters,
    write_states,
)
from hy_gluon.kvstore.sharded_parameters import ShardedParameters
from hy_gluon.kvstore.sharding import Shards, acts_by_element
from hy_gluon.kvstore.workers import Workers
from hy_gluon.loss_scaler import all_finite
from hy_gluon.optimizer import Optimizer, Updater
from hy_gluon.parameter import Parameter
from hy_ndarray import NDArray, dtype_name

__all__ = ["ShardedKVStore", "create"]


def create(timeout: float | None) -> "ShardedKVStore":
    """Return a sharded store in a worker; servers and schedulers wait here, and exit."""
    serve()
    return ShardedKVStore(timeout)


class ShardedKVStore(KVStoreBase):
    """Store of several processes that share parameters, gradients and optimizer states.

    Each worker sums the gradients of its own rows of the parameters and updates these, while sums
    of others travel. Between the steps it keeps its rows alone; the next use of a parameter, which
    must be in the same place of the program on all workers, gathers the rows, and those of the
    layers behind travel while the first ones are computed. An optimizer that looks at more than one
    element at a time, as LAMB does, or that defines ``update``, has whole parameters on one worker
    instead. Parameters on several contexts of a worker stay whole.

    Args:
        timeout: Seconds to wait for other workers; None: ``HY_KVSTORE_TIMEOUT``, or 1800.

    Raises:
        KVStoreError: PyTorch is not installed, or the environment names no other workers.
        WorkerError: Not all workers came in time; in later calls also: one ended.

    Source:
        Rajbhandari et al. 2020, arXiv:1910.02054, section 5; parameters gathered for use: Zhao et
        al. 2023, arXiv:2304.11277, section 3.
    """

    sees_overflows = True

    def __init__(self, timeout: float | None = None) -> None:
        self._workers = Workers(timeout_of(timeout))
        self._updater: Updater | None = None
        self._shards: dict[tuple[Any, ...], Shards] = {}
        self._last: tuple[Any, ...] | None = None
        self._parameters = ShardedParameters(self._workers)

    @property
    def type(self) -> str:
        """Name of the kind of store."""
        return "dist_sharded"

    @property
    def rank(self) -> int:
        """Number of this worker, from 0."""
        return self._workers.rank

    @property
    def num_workers(self) -> int:
        """Return the number of workers."""
        return self._workers.count

    def is_capable(self, capability: str) -> bool:
        """Return True: the store holds an optimizer."""
        return bool(checked_capability(capability))

    def gather(self) -> None:
        """Gather all parameters until the next step; all workers must call it."""
        self._parameters.gather()

    def all_finite(self, gradients: Sequence[NDArray]) -> bool:
        """Return whether the sum of all workers' gradients cannot overflow.

        Args:
            gradients: Those of this worker.
        """
        # A sum of n numbers is finite if each is, times n.
        scaled = [
            x * self.num_workers if dtype_name(x.dtype) == "float16" else x for x in gradients
        ]
        self._workers.agree("overflows")
        return not self._workers.any([not all_finite(scaled)])[0]

    def barrier(self) -> None:
        """Wait until all workers reach this call."""
        self._workers.agree("barrier")

    def set_optimizer(self, optimizer: Optimizer) -> None:
        """Update parameters by this optimizer; all workers need the same settings."""
        self._updater = Updater(optimizer)

    @property
    def updater(self) -> Updater | None:
        """Return the optimizer with the states of this worker's rows."""
        return self._updater

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:  # noqa: ARG002  # MXNet's signature
        """Write ``value`` of the worker with rank 0 into every array of ``out``."""
        (array, *_), targets = listed(value), listed(out)
        self._workers.agree(("init", _signatures([key], [array])))
        self._workers.broadcast([array])
        for target in targets:
            if target is not array:
                array.copyto(target)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:  # noqa: ARG002  # MXNet's signature
        """Update ``out`` by the sum of ``value``; without an optimizer, write the sum to it."""
        values = listed(value)
        targets = values if out is None else listed(out)
        if self._updater is not None and out is not None:
            self.update_all([key], [values], [targets])
            return
        total = summed(values)
        self._workers.agree(("push", _signatures([key], [total])))
        (result,) = self._workers.sum([total])
        for target in targets:
            result.copyto(target)

    def update_all(
        self,
        keys: Sequence[Any],
        values: Sequence[Sequence[NDArray]],
        outs: Sequence[Sequence[NDArray]],
    ) -> None:
        """Update weights by the sums of their gradients over contexts and workers.

        Args:
            keys: Numbers of the parameters, the same on all workers.
            values: The gradients of each, one for each context. They hold sums afterwards where
                the rows are this worker's, and what they held, or less of a sum, elsewhere.
            outs: The weights, which are changed.

        Raises:
            KVStoreError: There is no optimizer, or an array is sparse.
            WorkerError: Another worker ended, or makes another call.
        """
        updater, workers = self._updater, self._workers
        if updater is None:
            raise KVStoreError("a sharded store updates weights: call set_optimizer first")
        weights = [copies[0] for copies in outs]
        # Contexts of this process first: only one array a key travels.
        totals = [summed(copies) for copies in values]
        if any(array.stype != "default" for array in (*weights, *totals)):
            raise KVStoreError("a sharded store takes dense parameters and gradients only")
        self.gather()
        shards = self._agreed(updater.optimizer, keys, totals)
        released = self._may_release(updater.optimizer.param_dict, keys, outs)
        ranks, own = range(workers.count), workers.rank
        # All sums begin at once; only this worker's is waited for before its update, so the others
        # travel meanwhile.
        sums = [workers.begin_sum(shards.of_worker(totals, r), r) for r in ranks]
        sums[own]()
        if released:
            self._update_own(updater, shards, keys, totals, weights)
            for finish in (*sums[:own], *sums[own + 1 :]):
                finish()
            self._parameters.release(keys, updater.optimizer.param_dict, shards)
            return
        # Weights of lower ranks arrive in the same order on all workers: collectives must match.
        news = [workers.begin_broadcast(shards.of_worker(weights, r), r) for r in ranks[:own]]
        for view, rows in self._update_own(updater, shards, keys, totals, weights):
            view[:] = rows
        news += [workers.begin_broadcast(shards.of_worker(weights, r), r) for r in ranks[own:]]
        for finish in (*sums[:own], *sums[own + 1 :], *news):
            finish()
        for weight, (_, *others) in zip(weights, outs, strict=True):
            for other in others:
                weight.copyto(other)

    def _update_own(
        self,
        updater: Updater,
        shards: Shards,
        keys: Sequence[Any],
        totals: Sequence[NDArray],
        weights: Sequence[NDArray],
    ) -> list[tuple[NDArray, NDArray]]:
        """Update a copy of this worker's rows; return their ranges, and the copy."""
        own = self._workers.rank
        numbers = [keys[k] for k in shards.numbers_of_worker(own)]
        views = shards.of_worker(weights, own)
        pairs = zip(numbers, views, strict=True)
        rows = [self._parameters.own_rows(key, view) for key, view in pairs]
        if numbers:
            updater(numbers, shards.of_worker(totals, own), rows)
        return [*zip(views, rows, strict=True)]

    def _may_release(
        self, params: Mapping[Any, Any], keys: Sequence[Any], outs: Sequence[Sequence[NDArray]]
    ) -> bool:
        """Return whether these weights are parameters on one context each, so they may rest."""
        parameters = [params.get(key) for key in keys]
        return all(
            isinstance(parameter, Parameter)
            and len(copies) == len(parameter._arrays()) == 1
            and parameter._arrays()[0] is copies[0]
            for parameter, copies in zip(parameters, outs, strict=True)
        )

    def _agreed(
        self, optimizer: Optimizer, keys: Sequence[Any], totals: Sequence[NDArray]
    ) -> Shards:
        """Return the shards, after checking that all workers made the same call."""
        signatures = _signatures(keys, totals)
        rate = optimizer.learning_rate, optimizer.wd
        call = "update", signatures, type(optimizer).__name__, *rate
        # Worker 0's scale, so that rows of one weight are updated alike.
        optimizer.rescale_grad = self._workers.agree(call, float(optimizer.rescale_grad))
        key = tuple(signatures)
        if key not in self._shards:
            by_rows = acts_by_element(optimizer)
            shapes = [total.shape for total in totals]
            self._shards[key] = Shards.of(shapes, self._workers.count, by_rows=by_rows)
        self._last = key
        return self._shards[key]

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Write the states: a file for each worker, and the index ``fname``.

        The workers share a folder. ``fname`` changes when all files are complete, in one step: what
        was saved before can be loaded until then, whichever worker ends in between.

        Args:
            fname: The file that names the others.
            dump_optimizer: With the optimizer's settings and counts.

        Raises:
            KVStoreError: There is no optimizer, or a worker could not write its file.
        """
        assert dump_optimizer is not None
        write_states(self._workers, self._required(), self._layout(), fname)

    def load_optimizer_states(self, fname: str) -> None:
        """Load the states of :meth:`save_optimizer_states`, written by any number of workers.

        Raises:
            StatesError: A file is damaged, or of another optimizer.
            MissingFileError: A file is not there.
        """
        updater = self._required()
        self._workers.agree(("load", updater.optimizer.__class__.__name__))
        read_states(self._workers, updater, fname)

    def save_parameters(self, fname: str, params: Mapping[str, Parameter]) -> None:
        """Write parameters: a file for each worker with its rows, and the index ``fname``.

        Nothing is gathered. The workers share a folder, and what was saved before can be loaded
        until all files are complete.

        Args:
            fname: The file that names the others.
            params: The parameters by name, such as ``net.collect_params()``.

        Raises:
            KVStoreError: A worker could not write its file.
        """
        write_parameters(self._workers, self._parameters, params, fname)

    def load_parameters(self, fname: str, params: Mapping[str, Parameter]) -> None:
        """Load the parameters of :meth:`save_parameters`, written by any number of workers.

        Args:
            fname: The file that names the others.
            params: The parameters by name, all of those that were saved.

        Raises:
            StatesError: A file is damaged, or has other parameters.
            MissingFileError: A file is not there.
        """
        self._workers.agree(("load parameters", sorted(params)))
        read_parameters(params, fname)

    def _required(self) -> Updater:
        if self._updater is None:
            raise KVStoreError("a sharded store has no states before set_optimizer")
        return self._updater

    def _layout(self) -> list[Any]:
        """Return key, shape and each worker's rows of all parameters in the last update."""
        if self._last is None:
            return []
        rows = self._shards[self._last].rows
        return [
            (key, shape, ranges) for (key, shape, _), ranges in zip(self._last, rows, strict=True)
        ]


def _signatures(keys: Sequence[Any], arrays: Sequence[NDArray]) -> list[tuple[Any, ...]]:
    return [
        (key, array.shape, dtype_name(array.dtype)) for key, array in zip(keys, arrays, strict=True)
    ]
