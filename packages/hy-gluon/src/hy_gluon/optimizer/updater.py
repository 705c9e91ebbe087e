"""Updater: an optimizer together with the states of the weights that it updates."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hy_gluon.optimizer.optimizer import Index, Optimizer, State
from hy_gluon.optimizer.step import Step
from hy_ndarray import Context, NDArray, autograd, is_np_array
from hy_ndarray.core.casting import without_casting

if TYPE_CHECKING:
    from hy_gluon.optimizer.states import LoadedStates

__all__ = ["Updater", "get_updater"]


class Updater:
    """Optimizer together with the states of weights, which it creates on first use.

    Args:
        optimizer: The optimizer; several updaters may share it.

    Example:
        >>> from hy_gluon.optimizer import SGD
        >>> from hy_ndarray import nd
        >>> updater = Updater(SGD(learning_rate=1.0, momentum=0.5))
        >>> weight = nd.array([1.0])
        >>> for _ in range(2):
        ...     updater(0, nd.array([0.25]), weight)
        >>> weight.asscalar(), updater.states[0].asscalar()
        (np.float32(0.375), np.float32(-0.375))
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self.states: dict[Index, State] = {}
        self.states_synced: dict[Index, bool] = {}
        self.aggregate_updates = optimizer.aggregate_num > 0
        self._step = Step()

    def __setstate__(self, state: dict[str, Any]) -> None:
        # What MXNet pickled holds no program.
        self.__dict__.update({"_step": Step()} | state)

    def __call__(self, index: Any, grad: Any, weight: Any) -> None:
        """Update one or several weights in place.

        Args:
            index: Number or name of the parameter, or a list of them.
            grad: Gradient, or a list of gradients.
            weight: Weight, or a list of weights.
        """
        if not isinstance(index, list | tuple):
            index, grad, weight = [index], [grad], [weight]
        if not index:
            return
        optimizer = self.optimizer
        # Counts and states belong to a device; MXNet selects it by the first weight.
        optimizer._set_current_context(weight[0].context.device_id)
        states = self.states_of(index, weight)
        if optimizer._hy_uses_rule():
            numbers, variants = optimizer._hy_rule_numbers(index)
            self._step.run(optimizer, index, (weight, grad, states), variants, numbers)
            return
        # Users' optimizers see arrays of mx.np after npx.set_np().
        with autograd.pause(), without_casting():
            self._update(index, [*map(_user_array, weight)], [*map(_user_array, grad)])

    def states_of(self, index: Sequence[Index], weight: Sequence[NDArray]) -> list[State]:
        """Return the states of these weights; missing ones are created."""
        synced = self.states_synced
        # Loaded states are on the CPU until their weight is seen.
        for k, i in enumerate(index):
            if i not in self.states or not synced.get(i):
                with autograd.pause(), without_casting():
                    self._prepare(i, _user_array(weight[k]))
        return [*map(self.states.__getitem__, index)]

    @property
    def why_not_captured(self) -> str | None:
        """Return the reason why the last step was not captured by the kernel table, or None."""
        if not self.optimizer._hy_uses_rule():
            return f"{type(self.optimizer).__name__} defines update"
        return self._step.why

    def _update(
        self, index: Sequence[Index], weight: Sequence[NDArray], grad: Sequence[NDArray]
    ) -> None:
        """Call the optimizer's ``update_multi_precision`` for each weight or group of weights."""
        optimizer = self.optimizer
        if not self.aggregate_updates:
            for i, g, w in zip(index, grad, weight, strict=True):
                optimizer.update_multi_precision(i, w, g, self.states[i])
            return
        for own, grads, weights in _in_groups(index, grad, weight, optimizer.aggregate_num):
            optimizer.update_multi_precision(own, weights, grads, [self.states[i] for i in own])

    def _prepare(self, index: Index, weight: NDArray) -> None:
        """Create the state of a weight, or move a loaded state to the weight's device."""
        if index not in self.states:
            self.states[index] = self.optimizer.create_state_multi_precision(index, weight)
        elif not self.states_synced[index]:
            self.states[index] = self.sync_state_context(self.states[index], weight.context)
        self.states_synced[index] = True

    def sync_state_context(self, state: State, context: Context) -> State:
        """Return a state, or a nested tuple of states, on another context."""
        if isinstance(state, NDArray):
            return state.as_in_context(context)
        if isinstance(state, list | tuple):
            return type(state)(self.sync_state_context(x, context) for x in state)
        return state

    def get_states(self, dump_optimizer: bool = False) -> bytes:
        """Return the states as bytes of numbers and strings, for :meth:`set_states`.

        Args:
            dump_optimizer: Whether to include the optimizer's settings and counts.

        Raises:
            StatesError: A value cannot be saved; names the value.
        """
        files = _files()
        optimizer = files.dump_optimizer(self.optimizer) if dump_optimizer else None
        data: bytes = files.dumps({"states": self.states, "optimizer": optimizer})
        return data

    def set_states(self, states: bytes) -> None:
        """Load the states that :meth:`get_states` returned, all of them or none.

        Raises:
            StatesError: The bytes are damaged, of another kind, of an unknown optimizer, or have
                invalid settings.
            FileLimitError: Pickled arrays would take 4 GiB more than ``states``, or whatever
                ``HY_MAX_FILE_EXPANSION`` of the environment allows, in bytes.
        """
        loaded = self._loaded(states)
        self.take(loaded.states, loaded.apply())

    def _loaded(self, states: bytes) -> "LoadedStates":
        """Return the states in bytes of :meth:`get_states`, checked but not applied."""
        result: LoadedStates = _files().loads(states, self.optimizer)
        return result

    def take(self, states: dict[Index, State], optimizer: Optimizer) -> None:
        """Replace states and optimizer by loaded ones, and drop the plan of the last step."""
        self.optimizer = optimizer
        self.aggregate_updates = optimizer.aggregate_num > 0
        self.states = states
        self.states_synced = dict.fromkeys(states, False)
        # A plan holds the old states.
        self._step = Step()


def _files() -> Any:
    """Return the module that reads and writes states, imported on first use."""
    return import_module("hy_gluon.optimizer.states")


def _in_groups(
    index: Sequence[Index], grad: Sequence[NDArray], weight: Sequence[NDArray], limit: int
) -> Iterator[tuple[tuple[Index, ...], tuple[NDArray, ...], tuple[NDArray, ...]]]:
    """Yield numbers, gradients and weights in groups of one dtype and at most ``limit`` weights."""
    # Groups of one dtype, as MXNet's multi-tensor operators ask.
    groups: dict[object, list[tuple[Index, NDArray, NDArray]]] = {}
    for row in zip(index, grad, weight, strict=True):
        groups.setdefault(row[2].dtype, []).append(row)
    for rows in groups.values():
        for start in range(0, len(rows), limit):
            numbers, grads, weights = zip(*rows[start : start + limit], strict=True)
            yield numbers, grads, weights


def _user_array(array: NDArray) -> NDArray:
    """Return the array as an ``mx.np`` array after ``npx.set_np()``, else unchanged."""
    return array.as_np_ndarray() if is_np_array() else array


def get_updater(optimizer: Optimizer) -> Updater:
    """Return an :class:`Updater` of ``optimizer``."""
    return Updater(optimizer)
