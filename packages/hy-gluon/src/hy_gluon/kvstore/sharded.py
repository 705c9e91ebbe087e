"""ShardedKVStore: workers that each keep a part of parameters and optimizer states (ZeRO)."""

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
    """Return a sharded store in a worker process; servers and schedulers wait, then exit."""
    serve()
    return ShardedKVStore(timeout)


class ShardedKVStore(KVStoreBase):
    """Store of several processes that share parameters, gradients and optimizer states (ZeRO-3).

    Each worker receives the summed gradients of its own rows of the parameters and updates these
    rows, overlapped with the communication of other sums. Between steps it keeps only its own rows.
    The next use of a parameter, which must occur at the same point of the program on all workers,
    gathers its rows; rows of later layers are gathered while the first ones are computed. With an
    optimizer that is not elementwise, such as LAMB, or that overrides ``update``, each parameter
    belongs to one worker as a whole instead. Parameters on several contexts of a worker are not
    sharded.

    Args:
        timeout: Seconds to wait for other workers; None: ``HY_KVSTORE_TIMEOUT``, or 1800.

    Raises:
        KVStoreError: PyTorch is not installed, or the environment describes no other workers.
        WorkerError: Not all workers connected in time; in later calls also, a worker ended.

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
        """Index of this worker, from 0."""
        return self._workers.rank

    @property
    def num_workers(self) -> int:
        """Number of workers."""
        return self._workers.count

    def is_capable(self, capability: str) -> bool:
        """Return True: the store holds an optimizer."""
        return bool(checked_capability(capability))

    def gather(self) -> None:
        """Gather all parameters on every worker, until the next step; all workers must call it."""
        self._parameters.gather()

    def all_finite(self, gradients: Sequence[NDArray]) -> bool:
        """Return whether no sum of the workers' gradients can overflow; the same on all workers.

        Args:
            gradients: Gradients of this worker.
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
        """Update parameters by this optimizer, whose settings must agree on all workers."""
        self._updater = Updater(optimizer)

    @property
    def updater(self) -> Updater | None:
        """Updater with the optimizer states of this worker's rows."""
        return self._updater

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:  # noqa: ARG002  # MXNet's signature
        """Copy ``value`` of worker 0 into every array of ``out``."""
        (array, *_), targets = listed(value), listed(out)
        self._workers.agree(("init", _signatures([key], [array])))
        self._workers.broadcast([array])
        for target in targets:
            if target is not array:
                array.copyto(target)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:  # noqa: ARG002  # MXNet's signature
        """Update ``out`` by the gradients ``value``; without an optimizer, write their sum."""
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
            values: Gradients by parameter, then by context. Afterwards this worker's rows contain
                the sums; other rows are undefined.
            outs: Weights by parameter, then by context; updated in place.

        Raises:
            KVStoreError: There is no optimizer, or an array is sparse.
            WorkerError: Another worker ended, or made a different call.
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
        """Update a copy of this worker's rows; return pairs of the rows' views and new values."""
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
        """Return whether the weights' memory may be released between steps.

        All must be parameters on a single context.
        """
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
        """Check that all workers make the same call; return the shards of the parameters."""
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

        All workers write to one shared folder. The index is replaced atomically when all files are
        complete; until then the previous states can be loaded, even if a worker crashes.

        Args:
            fname: Path of the index, which names the other files.
            dump_optimizer: Has no effect: settings and counts are always included.

        Raises:
            KVStoreError: There is no optimizer, or a worker could not write its file.
        """
        assert dump_optimizer is not None
        write_states(self._workers, self._required(), self._layout(), fname)

    def load_optimizer_states(self, fname: str) -> None:
        """Load states that :meth:`save_optimizer_states` wrote with any number of workers.

        Raises:
            StatesError: A file is damaged, or of another optimizer.
            MissingFileError: A file is missing.
        """
        updater = self._required()
        self._workers.agree(("load", updater.optimizer.__class__.__name__))
        read_states(self._workers, updater, fname)

    def save_parameters(self, fname: str, params: Mapping[str, Parameter]) -> None:
        """Write parameters: a file for each worker with its rows, and the index ``fname``.

        Nothing is gathered. All workers write to one shared folder; the previous parameters can be
        loaded until all files are complete.

        Args:
            fname: Path of the index, which names the other files.
            params: Parameters by name, such as ``net.collect_params()``.

        Raises:
            KVStoreError: A worker could not write its file.
        """
        write_parameters(self._workers, self._parameters, params, fname)

    def load_parameters(self, fname: str, params: Mapping[str, Parameter]) -> None:
        """Load parameters that :meth:`save_parameters` wrote with any number of workers.

        Args:
            fname: Path of the index, which names the other files.
            params: Parameters by name; exactly those that were saved.

        Raises:
            StatesError: A file is damaged, or has other parameters.
            MissingFileError: A file is missing.
        """
        self._workers.agree(("load parameters", sorted(params)))
        read_parameters(params, fname)

    def _required(self) -> Updater:
        if self._updater is None:
            raise KVStoreError("a sharded store has no states before set_optimizer")
        return self._updater

    def _layout(self) -> list[Any]:
        """Return (key, shape, rows by worker) of each parameter in the last update."""
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
