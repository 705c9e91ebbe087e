"""Update: an optimizer step on all weights of a trainer, with small weights stored together."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from operator import is_
from typing import Any
from weakref import WeakKeyDictionary, ref

from hy_gluon.optimizer import Updater
from hy_gluon.optimizer.rule import Columns, arrays_in, structure_of, with_arrays
from hy_gluon.optimizer.step import Step, StepPlan
from hy_gluon.optimizer.work import Settings
from hy_gluon.parameter.arrays import gradient_of
from hy_gluon.train.flat_arrays import MAX_ELEMENTS, FlatArrays
from hy_ndarray import NDArray, buffers_of, dtype_name

__all__ = ["Update", "update_of"]


@dataclass(slots=True)
class _Row:
    """A weight with gradient and state, or several weights stored in one buffer."""

    members: list[int]
    weight: NDArray
    grad: NDArray
    state: Any


class Update:
    """Optimizer step on many weights, with one kernel call per group of small ones.

    Small weights are stored in one buffer if the rule is elementwise and takes the same numbers
    (rate, decay) for them, and so are their gradients and states. States stay in the updater.

    Args:
        updater: Optimizer with the states.
        index: Numbers of the parameters.
        weights: Arrays of the parameters, with gradient arrays.
    """

    def __init__(self, updater: Updater, index: Sequence[int], weights: Sequence[NDArray]) -> None:
        # Weak: the table of updates below is keyed by the updater, and must not keep it alive.
        self._updater = ref(updater)
        self.optimizer = updater.optimizer
        self._states = updater.states
        self._index = [*index]
        self._weights = [*weights]
        self._step = Step()
        self._rows: list[_Row] = []
        self._bound: tuple[Callable[[Columns], None] | None, Settings] = (
            None,
            Settings(self.optimizer),
        )
        self._variants: Sequence[Hashable] = ()
        self._arrays: list[NDArray] = []
        self._buffers: list[Any] = []

    def is_for(self, updater: Updater, weights: Sequence[NDArray]) -> bool:
        """Return whether the update was built for these weights, optimizer and states."""
        return (
            updater is self._updater()
            # States are replaced by load_states, optimizers by set_optimizer: both restart.
            and updater.optimizer is self.optimizer
            and updater.states is self._states
            and len(weights) == len(self._weights)
            and all(map(is_, weights, self._weights))
        )

    def described(self, names: Sequence[str]) -> list[str]:
        """Return lines that list the groups of weights, and whether the step is captured.

        Args:
            names: Names of the parameters, by number.
        """
        kind = type(self.optimizer).__name__
        if not self._rows:
            return [f"update by {kind}: no step was done yet"]
        shown = []
        for row in self._rows:
            first, *others = [names[self._index[k]] for k in row.members]
            shown.append(f"{first} and {len(others)} more in one memory" if others else first)
        why = self._step.why
        end = "captured" if why is None else f"not captured: {why}"
        return [f"update by {kind}, {end}:", *(f"  {text}" for text in shown)]

    def __call__(self) -> None:
        """Count a step of each parameter, and update the weights."""
        self.finish(self.begin())

    def begin(self) -> Columns:
        """Count a step, create missing states, and return the step's numbers for each row."""
        optimizer = self.optimizer
        # Counts of steps are kept for each device number.
        optimizer._set_current_context(self._weights[0].context.device_id)
        numbers, variants = optimizer._hy_rule_numbers(self._index)
        # Also where a rate now differs within one memory (lr_mult was changed): rearranged.
        if not self._is_current() or variants != self._variants:
            self._arrange(numbers, variants)
        columns = self._of_rows(numbers)
        if columns is None:
            self._arrange(numbers, variants)
            columns = self._of_rows(numbers)
            assert columns is not None
        return columns

    def finish(self, numbers: Columns) -> None:
        """Update all weights with the numbers of the step.

        Args:
            numbers: Result of :meth:`begin`.
        """
        optimizer = self.optimizer
        bound, settings = self._bound
        # The fast path: settings are compared, not read again, and numbers go straight to the
        # kernel.
        if bound is not None and settings.matches(optimizer):
            bound(numbers)
            return
        rows, variants = self._rows, self._variants
        grads = [row.grad for row in rows]
        self._step.run(
            optimizer,
            [row.members[0] for row in rows],
            ([row.weight for row in rows], grads, [row.state for row in rows]),
            [variants[row.members[0]] for row in rows],
            numbers,
        )
        plan = self.plan
        self._bound = None if plan is None else plan.bound(grads), Settings(optimizer)

    @property
    def plan(self) -> StepPlan | None:
        """Return the plan of the last step with the present settings; None if it has none."""
        plan = self._step.plan
        return plan if plan is not None and plan.follows(self.optimizer) else None

    @property
    def grads(self) -> list[NDArray]:
        """Return the gradients of each row: of one weight, or of a group as one array."""
        return [row.grad for row in self._rows]

    def _is_current(self) -> bool:
        """Return whether all arrays still have the buffers they had when they were grouped."""
        buffers = self._buffers
        # Buffers are compared by identity: any move, cast or reload shows here.
        return bool(buffers) and all(map(is_, buffers_of(self._arrays)[1], buffers))

    def _of_rows(self, numbers: Columns) -> dict[str, list[float]] | None:
        """Return the numbers by row; None if weights stored together need different ones."""
        columns: dict[str, list[float]] = {}
        for name, column in numbers.items():
            # `count` runs in C: nearly always all numbers of a column are equal.
            if column.count(column[0]) == len(column):
                columns[name] = [column[0]] * len(self._rows)
                continue
            own = columns[name] = []
            for row in self._rows:
                members = row.members
                number = column[members[0]]
                # Members of one memory must share each number, since one kernel call gets it.
                if len(members) > 1 and {column[k] for k in members} != {number}:
                    return None
                own.append(number)
        return columns

    def _arrange(self, numbers: Columns, variants: Sequence[Hashable]) -> None:
        """Create missing states, and store weights together that one kernel call can update."""
        # The weak reference is alive: the caller of an update holds the updater.
        updater = self._updater()
        assert updater is not None
        states = updater.states_of(self._index, self._weights)
        grads = [gradient_of(weight) for weight in self._weights]
        self._step = Step()
        self._bound = None, self._bound[1]
        groups: dict[Hashable, list[int]] = {}
        for k, state in enumerate(states):
            own = {name: column[k] for name, column in numbers.items()}
            key = self._treatment(self._weights[k], state, variants[k], own)
            # A weight alone is its own key; no treatment key is an integer.
            groups.setdefault(k if key is None else key, []).append(k)
        self._rows = [self._row(members, grads, states) for members in groups.values()]
        self._variants = variants
        self._arrays = [
            array
            for weight, grad, state in zip(self._weights, grads, states, strict=True)
            for array in (weight, grad, *arrays_in(state))
        ]
        self._buffers = buffers_of(self._arrays)[1]

    def _treatment(
        self, weight: NDArray, state: Any, variant: Hashable, numbers: Mapping[str, float]
    ) -> Hashable:
        """Return a key shared by weights that can be stored together; None to store one alone."""
        # Norms (LAMB, LARS) mix the elements of a weight, so such weights are never joined.
        if weight.size > MAX_ELEMENTS or not self._step.acts_by_element(
            self.optimizer, weight, state, variant, numbers
        ):
            return None
        arrays = [weight, gradient_of(weight), *arrays_in(state)]
        # Memory that another library shares (DLPack) must stay where it is.
        if weight.device.is_shared([array.buffer for array in arrays]):
            return None
        dtypes = tuple(dtype_name(array.dtype) for array in arrays)
        return (*dtypes, structure_of(state), variant, *numbers.values())

    def _row(self, members: list[int], grads: Sequence[NDArray], states: Sequence[Any]) -> _Row:
        weights = [self._weights[k] for k in members]
        if len(members) == 1:
            (k,) = members
            return _Row(members, weight=weights[0], grad=grads[k], state=states[k])
        # Columns: the weights' first states in one memory, their second ones in another.
        columns = zip(*(arrays_in(states[k]) for k in members), strict=True)
        flat = iter([FlatArrays(column).whole for column in columns])
        state = with_arrays(states[members[0]], flat)
        own = [grads[k] for k in members]
        return _Row(
            members, weight=FlatArrays(weights).whole, grad=FlatArrays(own).whole, state=state
        )


def update_of(updater: Updater, index: Sequence[int], weights: Sequence[NDArray]) -> Update:
    """Return the cached update for these weights, rebuilt if weights or states were replaced."""
    current = _updates.get(updater)
    if current is None or not current.is_for(updater, weights):
        current = _updates[updater] = Update(updater, index, weights)
    return current


# By updater: TrainStep and Trainer.step of one trainer share states and memory.
_updates: WeakKeyDictionary[Updater, Update] = WeakKeyDictionary()
