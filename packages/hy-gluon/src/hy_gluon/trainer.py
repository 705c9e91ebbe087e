"""Trainer: applies an optimizer to parameters, on one context or several."""

import copy
from collections.abc import Callable, Mapping, Sequence
from itertools import compress, starmap
from typing import TYPE_CHECKING, Any

from hy_gluon import kvstore as stores, optimizer as optimizers
from hy_gluon.gradients import (
    ContextGradients,
    StaleGradientError,
    checked_norm,
    clip,
    fresh,
    norm_limit,
    stale,
    with_stale,
)
from hy_gluon.optimizer import Optimizer, Updater
from hy_gluon.parameter import Parameter, ParameterDict
from hy_gluon.parameter.storage import version
from hy_gluon.trainer_arguments import (
    common_contexts,
    listed,
    no_batch,
    settings_of,
    takes_part,
)
from hy_io import atomic_write, read_file
from hy_ndarray import ArgumentError, Context, HyError, NDArray, autograd
from hy_ndarray.suggestion import CheckedArguments

if TYPE_CHECKING:
    from hy_gluon.kvstore import KVStoreBase
    from hy_gluon.loss_scaler import LossScaler

__all__ = ["StaleGradientError", "Trainer"]

_OF_ONE_PROCESS = "device", "local"
"""Names of stores that need no check, so that ``kvstore`` is imported only for several contexts."""
_OF_MXNET = {
    "_params", "_param2idx", "_compression_params", "_optimizer", "_updaters", "_scale",
    "_kvstore_params",
}  # fmt: skip
"""Attributes of a trainer pickled by MXNet that are kept."""


class Trainer(CheckedArguments):
    """Updates parameters by an optimizer after each backward pass.

    Copies of parameters on several contexts, or in several processes, are kept equal: their
    gradients are summed before each update.

    Args:
        params: List of parameters, or dictionary by name (used in sorted order).
        optimizer: An optimizer or its name.
        optimizer_params: Arguments of the optimizer, if ``optimizer`` is a name.
        kvstore: Store, or name of one, that sums gradients. ``"device"``, ``"local"`` or a
            registered name: over contexts of this process, without effect for one context.
            ``"dist_sync"``: over several processes. ``"sharded"``: over several processes, which
            share parameters and states. None: gradients are not summed.
        compression_params: Gradient compression by the store:
            ``{"type": "2bit", "threshold": 0.5}``.
        update_on_kvstore: If True, weights are updated once, on the store, and copied to all
            contexts. If False, gradients are summed in place, and each context updates its own
            copy. If None, the store updates if it can, unless ``MXNET_UPDATE_ON_KVSTORE`` is 0.
        max_norm: Maximum L2 norm of all gradients, after division by the batch size; larger
            gradients are scaled down in place before each update, without a host synchronization.
            Weights are then not updated on a store, unless it is ``"sharded"``.

    Raises:
        ArgumentError: ``params`` contains another object, ``optimizer_params`` is given with an
            optimizer object, or ``kvstore`` has another type.
        OptimizerError: The name of the optimizer is unknown.
        KVStoreError: The name of the store is unknown.

    Example:
        >>> from hy_ndarray import nd
        >>> weight = Parameter("weight", shape=(2,))
        >>> weight.initialize("ones")
        >>> trainer = Trainer([weight], "sgd", {"learning_rate": 0.5})
        >>> with autograd.record():
        ...     loss = (weight.data() * nd.array([1.0, 2.0])).sum()
        >>> loss.backward()
        >>> trainer.step(batch_size=1)
        >>> weight.data().asnumpy()
        array([0.5, 0. ], dtype=float32)
    """

    def __init__(
        self,
        params: ParameterDict | Mapping[str, Parameter] | Sequence[Parameter],
        optimizer: str | Optimizer,
        optimizer_params: Mapping[str, Any] | None = None,
        kvstore: "KVStoreBase | str | None" = "device",
        compression_params: Mapping[str, Any] | None = None,
        update_on_kvstore: bool | None = None,
        max_norm: float | None = None,
    ) -> None:
        self._params = listed(params)
        # By name, as MXNet's; parameters of equal names are told apart by their position elsewhere.
        self._param2idx = {parameter.name: i for i, parameter in enumerate(self._params)}
        clips = False
        if kvstore is not None and not (isinstance(kvstore, str) and kvstore in _OF_ONE_PROCESS):
            stores.exchange.check(kvstore)
            clips = stores.exchange.clips_norms(kvstore)
        self._kvstore_params: dict[str, Any] = {
            "kvstore": kvstore,
            # A norm over all gradients is not known to a store that updates key by key.
            "update_on_kvstore": update_on_kvstore if max_norm is None or clips else False,
        }
        self._compression_params = compression_params
        self._max_norm = checked_norm(max_norm, update_on_kvstore and not clips)
        self._optimizer = self._new_optimizer(optimizer, settings_of(optimizer_params))
        self._start(float(self._optimizer.rescale_grad))
        self._updaters: list[Updater] = [Updater(self._optimizer)]
        for parameter in self._params:
            parameter._trainer = self

    def _start(self, scale: float) -> None:
        """Set the state of a trainer before its first step."""
        self._kvstore: KVStoreBase | None = None
        self._update_on_kvstore: bool | None = None  # None: there is no store
        self._distributed = False
        self._kv_initialized = False
        self._initialized_keys: set[int] = set()  # the parameters that the store was given
        self._seen = -1  # the state of parameters that the contexts are from
        self._learned: tuple[int, list[tuple[list[int], list[NDArray]]]] | None = None
        self._scale = scale
        self._amp_loss_scaler: LossScaler | None = None  # amp.init_trainer sets it
        self._amp_original_scale = scale
        self._contexts: list[Context] = []

    def __setstate__(self, state: dict[str, Any]) -> None:
        # MXNet pickles trainers before they have a store, with attributes of another kind.
        if "_params_to_init" in state:
            state = {name: value for name, value in state.items() if name in _OF_MXNET}
            self._start(state["_scale"])
            self._max_norm = None
            by_index = dict(enumerate(state["_params"]))
            for updater in state["_updaters"]:
                updater.optimizer.param_dict = by_index
        self.__dict__.update(state)

    def _new_optimizer(self, optimizer: str | Optimizer, settings: dict[str, Any]) -> Optimizer:
        by_index: dict[int | str, Any] = dict(enumerate(self._params))
        if isinstance(optimizer, Optimizer):
            if settings:
                raise ArgumentError(
                    "optimizer_params must be None where optimizer is an optimizer, not a name"
                )
            optimizer.param_dict = by_index
            return optimizer
        return optimizers.create(optimizer, param_dict=by_index, **settings)

    def _init_kvstore(self) -> None:
        """Set up contexts, store and updaters before the first step or after a move."""
        # Read before the contexts: a change meanwhile makes the next step look again.
        if self._kvstore is not None:
            self._kvstore.gather()
        seen = version()
        if self._seen == seen:
            return
        contexts = common_contexts(self._params)
        if contexts != self._contexts:
            # A store is chosen once, with the first contexts.
            if self._kvstore is None:
                self._choose_store(len(contexts))
            self._move(contexts)
        if self._kvstore is not None:
            self._join(self._kvstore)
        self._seen = seen
        self._kv_initialized = True

    _init_params = _init_kvstore  # MXNet's name for the part that gives parameters to the store

    @property
    def _params_to_init(self) -> list[Parameter]:
        """Parameters without values; Sockeye reads this before it saves states."""
        return [parameter for parameter in self._params if parameter._data is None]

    def _choose_store(self, contexts: int) -> None:
        """Create the store if the number of contexts, or its kind, requires one."""
        sparse = any(parameter._stype != "default" for parameter in self._params)
        if sparse:
            stores.exchange.check_sparse(**self._kvstore_params)
        # One context in one process needs no store; importing it takes longer than a step.
        if not takes_part(self._kvstore_params["kvstore"], contexts, sparse):
            return
        # A dense weight with sparse gradients is not updated on a store, as in MXNet.
        dense = not any(p._grad_stype != "default" and p._stype == "default" for p in self._params)
        store, updates = stores.exchange.choose(
            **self._kvstore_params, by_default=dense, scaled=self._amp_loss_scaler is not None
        )
        if self._compression_params is not None:
            if not isinstance(store, stores.KVStore):
                raise stores.KVStoreError(
                    f"compression_params: a store of type {store.type!r} does not compress"
                )
            store.set_gradient_compression(self._compression_params)
        self._kvstore, self._update_on_kvstore = store, updates
        self._distributed = stores.exchange.is_distributed(store)
        if updates:
            if store.clips_norms:
                store.max_norm = self._max_norm
            store.set_optimizer(self._optimizer)
            # The trainer's own updater, which may hold states of load_states already.
            store._set_updater(self._updaters[0])

    def _join(self, store: "KVStoreBase") -> None:
        """Register at the store the parameters that are new, or have new arrays."""
        for key, parameter in enumerate(self._params):
            arrays = parameter._data
            if arrays is None:
                continue
            if key not in self._initialized_keys:
                stores.exchange.join(store, key, arrays)
                self._initialized_keys.add(key)
            elif isinstance(store, stores.KVStore):
                # A cast or reset parameter has new arrays; the store keeps the first of them.
                store._stored[key] = arrays[0]

    def _move(self, contexts: list[Context]) -> None:
        """Use other contexts from now on; optimizer states and counts are transferred."""
        before, self._contexts = self._contexts, contexts
        if self._update_on_kvstore:  # where the first copies are
            before, contexts = before[:1], contexts[:1]
        updaters = self._updaters[: len(contexts)]
        for _ in contexts[len(updaters) :]:
            updater = Updater(self._optimizer)
            # Copies of states, since each context updates its own weights.
            updater.states = copy.deepcopy(self._updaters[0].states)
            updaters.append(updater)
        for updater in updaters:
            # Not synced: states are moved to their context at the next update.
            updater.states_synced = dict.fromkeys(updater.states, False)
        if before:
            devices = [[context.device_id for context in row] for row in (before, contexts)]
            # Counts of steps are per device number in MXNet, and decide Adam's bias correction.
            self._optimizer._hy_move_counts(*devices)
        self._updaters = updaters

    # --- settings ---------------------------------------------------------------------------

    @property
    def optimizer(self) -> Optimizer:
        """Optimizer of the trainer."""
        return self._optimizer

    @property
    def learning_rate(self) -> float:
        """Current learning rate."""
        return self._optimizer.learning_rate

    def set_learning_rate(self, lr: float) -> None:
        """Set the learning rate.

        Raises:
            OptimizerError: A schedule sets the learning rate.
        """
        self._optimizer.set_learning_rate(lr)

    def explain(self) -> str:
        """Return a line per context: whether the last step was captured, or why not.

        Example:
            >>> weight = Parameter("weight", shape=(2,))
            >>> weight.initialize("ones")
            >>> trainer = Trainer([weight], "sgd")
            >>> with autograd.record():
            ...     loss = weight.data().sum()
            >>> loss.backward()
            >>> trainer.step(batch_size=1)
            >>> trainer.explain().split(": ")[:2]
            ['steps on cpu(0)', 'not captured']
        """
        lines = []
        for updater, context in zip(self._updaters, self._contexts, strict=False):
            why = updater.why_not_captured
            state = "captured" if why is None else f"not captured: {why}"
            lines.append(f"steps on {context}: {state}")
        return "\n".join(lines)

    # --- steps ------------------------------------------------------------------------------

    def step(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Sum the gradients over contexts and workers, and update all parameters.

        Args:
            batch_size: Divisor of the gradients; 1 if the loss already is a mean.
            ignore_stale_grad: Skip parameters without a new gradient since the last step, instead
                of raising an error.

        Raises:
            ArgumentError: ``batch_size`` is 0.
            StaleGradientError: A parameter has no new gradient since the last step.
            DeferredInitializationError: A parameter's initialization is still deferred.
        """
        if not batch_size:
            raise no_batch()
        # MXNet's order: rescale, then sum; a store that updates reads the scale.
        self._check_and_rescale_grad(self._scale / batch_size)
        self._init_kvstore()
        self._allreduce_grads()
        self._update(ignore_stale_grad)

    def allreduce_grads(self) -> None:
        """Sum the gradients over contexts in place, to change them before :meth:`update`.

        Raises:
            KVStoreError: Weights are updated on the store.
        """
        self._init_kvstore()
        self._refuse_on_store("allreduce_grads")
        self._allreduce_grads()

    def update(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Update all parameters by gradients that are already summed.

        Args:
            batch_size: See :meth:`step`.
            ignore_stale_grad: See :meth:`step`.

        Raises:
            StaleGradientError: See :meth:`step`.
            KVStoreError: Weights are updated on the store.
        """
        self._init_kvstore()
        self._refuse_on_store("update")
        if not batch_size:
            raise no_batch()
        self._check_and_rescale_grad(self._scale / batch_size)
        self._update(ignore_stale_grad)

    def _refuse_on_store(self, what: str) -> None:
        if self._update_on_kvstore:
            raise stores.KVStoreError(
                f"{what}() when parameters are updated on kvstore is not supported. Try setting "
                "`update_on_kvstore` to False when creating trainer"
            )

    def _check_and_rescale_grad(self, scale: float) -> None:
        self._optimizer.rescale_grad = scale

    def _allreduce_grads(self) -> None:
        if self._kvstore is None or self._update_on_kvstore:
            return
        learned = [i for i, p in enumerate(self._params) if p.grad_req != "null"]
        grads = [self._params[i].list_grad() for i in learned]
        stores.exchange.allreduce(self._kvstore, learned, grads)

    def _update(self, ignore_stale_grad: bool) -> None:
        learned = self._learned_arrays()
        rows = list(starmap(fresh, learned))
        # A worker whose gradient is stale must take part in the sum, or the others wait forever.
        if ignore_stale_grad and self._distributed:
            here = {number for numbers, _, _ in rows for number in numbers}
            numbers = learned[0][0]
            flags = stores.exchange.fresh_anywhere(self._kvstore, [n in here for n in numbers])
            wanted = [*compress(numbers, flags)]
            rows = with_stale(self._params, wanted, rows, bool(self._update_on_kvstore))
        for row, (numbers, _) in zip(rows, learned, strict=True):
            if len(row[0]) < len(numbers) and not ignore_stale_grad:
                raise stale(self._params)
        # Before the update, which may raise: one gradient is never applied twice.
        for _, _, weights in rows:
            autograd.set_stale(*weights)
        if not self._prepare_gradients(rows):
            return
        if self._kvstore is not None and self._update_on_kvstore:
            self._update_on_store(self._kvstore, rows)
            return
        for updater, (numbers, grads, weights) in zip(self._updaters, rows, strict=True):
            updater(numbers, grads, weights)

    @property
    def _inspects_gradients(self) -> bool:
        """Return whether a step processes all gradients, to clip them or detect overflows."""
        return self._amp_loss_scaler is not None or self._max_norm is not None

    def _prepare_gradients(self, rows: Sequence[ContextGradients]) -> bool:
        """Clip the gradients; return False if mixed precision skips the step."""
        # Overflow before clipping: a norm of inf would turn all gradients into NaN.
        if self._overflows(rows):
            return False
        limit = norm_limit(self._max_norm, self._optimizer.rescale_grad)
        # A store that updates weights clips the sums itself, which are not here.
        if limit is not None and not self._update_on_kvstore:
            clip([grads for _, grads, _ in rows], limit)
        return True

    def _overflows(self, rows: Sequence[ContextGradients]) -> bool:
        """Return whether a gradient overflowed, so that mixed precision skips the step."""
        if self._amp_loss_scaler is None:
            return False
        # Updating on the store adds gradients before anyone can see an overflow of another worker,
        # so that the workers look together.
        store = self._kvstore if self._distributed and self._update_on_kvstore else None
        grads = [grad for _, grads, _ in rows for grad in grads]
        return self._amp_loss_scaler.overflows(grads, None if store is None else store.all_finite)

    def _update_on_store(self, store: "KVStoreBase", rows: Sequence[ContextGradients]) -> None:
        """Update on the store all parameters with a fresh gradient on any context."""
        by_key: dict[int, list[NDArray]] = {}
        for numbers, grads, _ in rows:
            for number, gradient in zip(numbers, grads, strict=True):
                by_key.setdefault(number, []).append(gradient)
        # In the order of keys, which is the same on all workers.
        keys = sorted(by_key)
        weights = [self._params[i]._arrays() for i in keys]
        if keys:
            stores.exchange.update(store, keys, [by_key[i] for i in keys], weights)

    def _learned_arrays(self) -> list[tuple[list[int], list[NDArray]]]:
        """Return numbers and arrays of the trainable parameters, by context."""
        seen = version()
        # Lists of arrays are rebuilt only when some parameter changed.
        if self._learned is None or self._learned[0] != seen:
            indices = [i for i, p in enumerate(self._params) if p.grad_req != "null"]
            by_parameter = [self._params[i]._arrays() for i in indices]
            count = max(len(self._contexts), 1)  # there are none for no parameters
            rows = [(indices, [arrays[k] for arrays in by_parameter]) for k in range(count)]
            self._learned = seen, rows
        return self._learned[1]

    # --- files ------------------------------------------------------------------------------

    def save_states(self, fname: str) -> None:
        """Write the optimizer's states, update counts and settings to a file.

        Parameters are not included.

        Args:
            fname: Path of the file, which is replaced atomically.

        Raises:
            StatesError: A state or setting cannot be saved.
        """
        foreign = self._foreign_updates()
        if foreign is not None:
            foreign.save_optimizer_states(fname, dump_optimizer=True)
            return
        content = self._updaters[0].get_states(dump_optimizer=True)
        with atomic_write(fname) as file:
            file.write(content)

    def load_states(self, fname: str) -> None:
        """Load states, counts and settings that :meth:`save_states` wrote.

        Pickles written by MXNet's trainer are also read, without running their code. Everything is
        checked first: after an error the trainer is unchanged.

        Raises:
            StatesError: The file is damaged, or its contents or settings do not match the
                optimizer.
            FileLimitError: See :meth:`Updater.set_states`.
        """
        foreign = self._foreign_updates()
        if foreign is not None:
            foreign.load_optimizer_states(fname)
            return
        content = read_file(fname)
        try:
            # Checked, and a new optimizer made, before anything of the trainer changes.
            loaded = self._updaters[0]._loaded(content)
            optimizer = loaded.apply()
        except HyError as error:
            error.add_note(f"in file {fname}")
            raise
        self._optimizer = optimizer
        optimizer.param_dict = dict(enumerate(self._params))
        for i, updater in enumerate(self._updaters):
            states = loaded.states if i == 0 else copy.deepcopy(loaded.states)
            updater.take(states, optimizer)

    def _foreign_updates(self) -> "KVStoreBase | None":
        """Return the store if it is user-defined or sharded and updates weights, else None."""
        if not stores.exchange.is_user_defined(self._kvstore_params["kvstore"]):
            return None
        self._init_kvstore()
        return self._kvstore if self._update_on_kvstore else None

    def _from_states(self, function: Callable[[NDArray, Any], NDArray]) -> dict[int, NDArray]:
        """Return an array for each parameter that has been updated, from its array and state."""
        store = self._foreign_updates()
        if store is not None:
            return store.from_states(function)
        updater = self._updaters[0]
        arrays = {
            i: self._params[i]._arrays()[0] for i in range(len(self._params)) if i in updater.states
        }
        return {i: function(x, updater.states_of([i], [x])[0]) for i, x in arrays.items()}
