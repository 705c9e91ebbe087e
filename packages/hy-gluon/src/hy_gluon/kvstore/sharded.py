"""ShardedKVStore: workers that each keep a part of parameters and optimizer states (ZeRO)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hy_gluon.gradients import norm_limit
from hy_gluon.kvstore.errors import KVStoreError
from hy_gluon.kvstore.interface import checked_capability, listed, summed
from hy_gluon.kvstore.kvstore_server import serve
from hy_gluon.kvstore.launch import timeout_of
from hy_gluon.kvstore.sharded_files import PARAMETERS, STATES, Part, delete, write
from hy_gluon.kvstore.sharded_parameters import (
    Parameters,
    ShardedParameters,
    parameters_part,
    read_parameters,
)
from hy_gluon.kvstore.sharded_states import read_states
from hy_gluon.kvstore.sharded_sums import ShardedSums
from hy_gluon.kvstore.sharding import Assignment, Shards
from hy_gluon.kvstore.worker_store import WorkerStore
from hy_gluon.kvstore.workers import Workers
from hy_gluon.loss_scaler import all_finite
from hy_gluon.optimizer import Optimizer, Updater
from hy_gluon.parameter import Parameter
from hy_gluon.utils import scale_to, sum_of_squares
from hy_ndarray import Context, NDArray, autograd, dtype_name, nd
from hy_ndarray.core.casting import without_casting

__all__ = ["ShardedKVStore", "create"]


def create(timeout: float | None) -> "ShardedKVStore":
    """Return a sharded store in a worker process; servers and schedulers wait, then exit."""
    serve()
    return ShardedKVStore(timeout)


class ShardedKVStore(WorkerStore):
    """Store of several processes that share parameters, gradients and optimizer states (ZeRO-3).

    Each worker sums the gradients of its own rows (ranges along the first axis of the parameters),
    and updates these rows while other sums are sent. Between steps it keeps only its rows. The next
    use of a parameter gathers all rows, those of later layers while the first ones compute; all
    workers must use it at the same point of the program. A parameter whose update is not
    elementwise, as LAMB's is, or of an optimizer that defines ``update``, is whole on one worker.
    Parameters on several contexts of a worker stay whole.

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
    clips_norms = True
    overlaps_sums = True
    saves_checkpoints = True

    def __init__(self, timeout: float | None = None) -> None:
        self._workers = Workers(timeout_of(timeout))
        self._updater: Updater | None = None
        self._assignment = Assignment(self._workers.count)
        self._parameters = ShardedParameters(self._workers)
        self._sums: ShardedSums | None = None

    @property
    def type(self) -> str:
        """Name of the kind of store."""
        return "dist_sharded"

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

    def set_optimizer(self, optimizer: Optimizer) -> None:
        """Update parameters by this optimizer, whose settings must agree on all workers."""
        self._updater = Updater(optimizer)

    def _set_updater(self, updater: Updater) -> None:
        self._updater = updater

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

    @contextmanager
    def summing(
        self, keys: Sequence[Any], gradients: Sequence[NDArray]
    ) -> Iterator[Callable[[int], None]]:
        """Sum gradients while a backward pass computes them, for the update inside the context.

        All workers must enter it, with the optimizer's settings of the update. Until
        :meth:`update_all` takes the sums, gradients must not change once they are computed. Without
        an update the sums are dropped.

        Args:
            keys: Keys of the parameters, as of the update.
            gradients: Their gradient arrays, which may not be computed yet.

        Yields:
            A function to call with the position of each gradient as soon as it is computed.

        Raises:
            WorkerError: Another worker ended, or made a different call.
        """
        optimizer = self._required().optimizer
        self.gather()
        sums = self._sums = self._agreed(optimizer, keys, gradients)
        try:
            yield sums.add
            sums.finish_all()
        except BaseException as error:
            if sums.is_pending:
                self._workers.break_off(error)
            raise
        finally:
            self._sums = None

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
        sums = self._sums
        if sums is None or not sums.are_of(keys, totals):
            sums = self._agreed(updater.optimizer, keys, totals)
        sums.add_all()
        shards, updater.optimizer.rescale_grad = sums.shards, sums.scale
        released = self._may_release(updater.optimizer.param_dict, keys, outs)
        ranks, own = range(workers.count), workers.rank
        # Only this worker's sums are waited for before its update, so the others travel meanwhile.
        sums.finish(own)
        limit = norm_limit(self.max_norm, float(updater.optimizer.rescale_grad))
        if limit is not None:
            self._clip(shards.of_worker(totals, own), limit, totals[0].context)
        if released:
            self._update_own(updater, shards, keys, totals, weights)
            sums.finish_all()
            self._parameters.release(keys, updater.optimizer.param_dict, shards)
            return
        # Weights of lower ranks arrive in the same order on all workers: collectives must match.
        news = [workers.begin_broadcast(shards.of_worker(weights, r), r) for r in ranks[:own]]
        for view, rows in self._update_own(updater, shards, keys, totals, weights):
            view[:] = rows
        news += [workers.begin_broadcast(shards.of_worker(weights, r), r) for r in ranks[own:]]
        sums.finish_all()
        for finish in news:
            finish()
        for weight, (_, *others) in zip(weights, outs, strict=True):
            for other in others:
                weight.copyto(other)

    def _clip(self, sums: Sequence[NDArray], limit: float, context: Context) -> None:
        """Scale this worker's sums of gradients down by the norm of those of all workers."""
        # Mixed precision must not compute the norm in 16 bits.
        with autograd.pause(), without_casting():
            (total,) = self._workers.sum([sum_of_squares(sums, context)])
            scale_to(sums, nd.sqrt(total), limit)

    def _update_own(
        self,
        updater: Updater,
        shards: Shards,
        keys: Sequence[Any],
        totals: Sequence[NDArray],
        weights: Sequence[NDArray],
    ) -> list[tuple[NDArray, NDArray]]:
        """Update a copy of this worker's rows; return their ranges, and the copy."""
        own, optimizer = self._workers.rank, updater.optimizer
        numbers = shards.numbers_of_worker(own)
        views, grads = shards.of_worker(weights, own), shards.of_worker(totals, own)
        pairs = zip(numbers, views, strict=True)
        rows = [self._parameters.own_rows(keys[k], view) for k, view in pairs]
        optimizer._set_current_context(weights[0].context.device_id)
        others = [k for k in range(len(keys)) if k not in set(numbers)]
        if optimizer._hy_uses_rule():
            for k in others:
                optimizer._hy_pass(keys[k], weights[k])
            updater([keys[k] for k in numbers], grads, rows)
        else:
            # In the order of one process, as updates may draw random numbers.
            mine = dict(zip(numbers, zip(grads, rows, strict=True), strict=True))
            for k, key in enumerate(keys):
                if k in mine:
                    updater(key, *mine[k])
                else:
                    optimizer._hy_pass(key, weights[k])
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
    ) -> ShardedSums:
        """Check that all workers make the same call; return the sums of gradients, none begun."""
        signatures = _signatures(keys, totals)
        rate = optimizer.learning_rate, optimizer.wd
        call = "update", signatures, type(optimizer).__name__, *rate
        # Worker 0's scale, so that rows of one weight are updated alike.
        scale = self._workers.agree(call, float(optimizer.rescale_grad))
        shards = self._assignment.shards(optimizer, keys, [total.shape for total in totals])
        return ShardedSums(self._workers, shards, keys, totals, scale)

    def from_states(self, function: Callable[[NDArray, Any], NDArray]) -> dict[Any, NDArray]:
        """Return whole arrays by key, computed by each worker from its rows and their states.

        All workers must call it; parameters are gathered until the next step.

        Args:
            function: Called with rows of a parameter and their state; returns rows.
        """
        workers, updater = self._workers, self._updater
        layout = [*self._assignment]
        if updater is None or not layout:
            return {}
        workers.agree("from states")
        self.gather()
        keys = [key for key, _, _ in layout]
        shards = Shards(tuple(rows for _, _, rows in layout))
        weights = [updater.optimizer.param_dict[key]._arrays()[0] for key in keys]
        results = [nd.zeros_like(weight) for weight in weights]
        own = workers.rank
        mine = [keys[k] for k in shards.numbers_of_worker(own)]
        parts = zip(
            mine, shards.of_worker(weights, own), shards.of_worker(results, own), strict=True
        )
        for key, rows, target in parts:
            (state,) = updater.states_of([key], [rows])
            target[:] = function(rows, state)
        pending = [
            workers.begin_broadcast(shards.of_worker(results, rank), rank)
            for rank in range(workers.count)
        ]
        for finish in pending:
            finish()
        return dict(zip(keys, results, strict=True))

    # --- files ------------------------------------------------------------------------------

    def save_checkpoint(self, fname: str, params: Parameters) -> None:
        """Write parameters and states together: files for each worker, and the index ``fname``.

        Nothing is gathered. The workers share a folder. ``fname`` changes when all files are
        complete, in one step: what was saved before can be loaded until then, whichever worker ends
        in between, and parameters and states are always of one save.

        Args:
            fname: The file that names the others.
            params: The parameters by name, such as ``net.collect_params()``.

        Raises:
            KVStoreError: There is no optimizer, or a worker could not write its file.
        """
        parts = {PARAMETERS: self._parameters_part(params), STATES: self._states_part()}
        write(self._workers, parts, fname)

    def load_checkpoint(self, fname: str, params: Parameters) -> None:
        """Load what :meth:`save_checkpoint` wrote, with any number of workers.

        Args:
            fname: The file that names the others.
            params: The parameters by name, all of those that were saved.

        Raises:
            StatesError: A file is damaged, or of another optimizer, or has other parameters.
            MissingFileError: A file is not there.
        """
        self.load_parameters(fname, params)
        self.load_optimizer_states(fname)

    def delete_checkpoint(self, fname: str) -> None:
        """Delete an index with all files that it names, by worker 0; no worker waits."""
        if self.rank == 0:
            delete(fname)

    def broadcast_number(self, number: float) -> float:
        """Return worker 0's number; all workers must call it."""
        return self._workers.agree("number", number)

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Write the states alone, as :meth:`save_checkpoint` does.

        Args:
            fname: Path of the index, which names the other files.
            dump_optimizer: Has no effect: settings and counts are always included.

        Raises:
            KVStoreError: There is no optimizer, or a worker could not write its file.
        """
        assert dump_optimizer is not None
        write(self._workers, {STATES: self._states_part()}, fname)

    def load_optimizer_states(self, fname: str) -> None:
        """Load states that any number of workers wrote, alone or in a checkpoint.

        Raises:
            StatesError: A file is damaged, or of another optimizer.
            MissingFileError: A file is missing.
        """
        updater = self._required()
        self._workers.agree(("load", Path(fname).name, type(updater.optimizer).__name__))
        self._assignment = read_states(self._workers, updater, fname)

    def save_parameters(self, fname: str, params: Parameters) -> None:
        """Write parameters alone, as :meth:`save_checkpoint` does.

        Args:
            fname: Path of the index, which names the other files.
            params: Parameters by name, such as ``net.collect_params()``.

        Raises:
            KVStoreError: A worker could not write its file.
        """
        write(self._workers, {PARAMETERS: self._parameters_part(params)}, fname)

    def load_parameters(self, fname: str, params: Parameters) -> None:
        """Load parameters that any number of workers wrote, alone or in a checkpoint.

        Args:
            fname: Path of the index, which names the other files.
            params: Parameters by name; exactly those that were saved.

        Raises:
            StatesError: A file is damaged, or has other parameters.
            MissingFileError: A file is missing.
        """
        self._workers.agree(("load parameters", Path(fname).name, sorted(params)))
        read_parameters(params, fname)

    def _parameters_part(self, params: Parameters) -> Part:
        return parameters_part(self._workers, self._parameters, params)

    def _states_part(self) -> Part:
        updater = self._required()
        return [*self._assignment], lambda: updater.get_states(dump_optimizer=True)

    def _required(self) -> Updater:
        if self._updater is None:
            raise KVStoreError("a sharded store has no states before set_optimizer")
        return self._updater


def _signatures(keys: Sequence[Any], arrays: Sequence[NDArray]) -> list[tuple[Any, ...]]:
    return [
        (key, array.shape, dtype_name(array.dtype)) for key, array in zip(keys, arrays, strict=True)
    ]
