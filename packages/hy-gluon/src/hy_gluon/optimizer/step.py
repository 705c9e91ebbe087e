"""Step: runs an optimizer step on many weights as captured, compiled, or eager kernel calls.

All updates of weights use this module: those of a trainer or a store, of a compiled training step,
and of :meth:`Optimizer.update`. A rule is traced once for each structure of states (``rule``). A
plan lists the arrays to change; its work (``work``) calls kernels on their buffers, or replays a
captured step (``captured_step``). Updates without a program run operator by operator
(``eager_step``).
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from operator import is_
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import ref

from hy_gluon.optimizer.eager_step import apply, check_arrays, is_sparse
from hy_gluon.optimizer.rule import (
    Columns,
    HasRule,
    Numbers,
    RuleProgram,
    arrays_in,
    structure_of,
    traced,
)
from hy_gluon.optimizer.work import Settings, Update, Work, WorkRow
from hy_ndarray import Buffer, NDArray, autograd, buffers_of, dtype_name
from hy_ndarray.core.casting import without_casting
from hy_symbol import no_capture

if TYPE_CHECKING:
    from hy_gluon.optimizer.captured_step import CapturedStep

__all__ = ["Step", "StepPlan"]

_Arrays: TypeAlias = tuple[Sequence[NDArray], Sequence[NDArray], Sequence[Any]]
"""Weights, gradients and states."""


class _Row:
    """A weight with its state and, if it can be compiled, the program that updates it."""

    def __init__(
        self, optimizer: HasRule, weight: NDArray, state: Any, variant: Any, *, copies: bool
    ) -> None:
        copy, states = optimizer._hy_copy_of(weight, state) if copies else (None, state)
        self.weight = weight
        self.state = states
        self.variant = variant
        self.half = copy is not None
        """Whether a float32 copy is updated and then rounded into the weight."""
        self.target = weight if copy is None else copy
        self.states: list[NDArray] = list(arrays_in(states))
        self.program: RuleProgram | None = None
        """None: run operator by operator, which also raises the errors about mismatched arrays."""

    def fits(self, program: RuleProgram, grad: NDArray) -> bool:
        """Return whether the program can run on this row's arrays with ``grad``.

        Shapes and dtypes must agree, and weight and states must be contiguous.
        """
        target, states = self.target, self.states
        if grad.shape != target.shape:
            return False
        if not self.half and grad.dtype is not target.dtype:
            return False
        if any(x.dtype is not target.dtype for x in states):
            return False
        if program.pointwise and any(x.shape != target.shape for x in states):
            return False
        device, buffers = buffers_of((target, *states))
        # Kernels that write in position need dense memory.
        return all(device.memory.contiguous(buffer) is buffer for buffer in buffers)

    def step(self, optimizer: HasRule, grad: NDArray, numbers: Numbers) -> None:
        """Update the weight and its state operator by operator."""
        with autograd.pause(), without_casting():
            # AMP must not cast an update, nor autograd record it.
            grad = optimizer._hy_wide_gradient(grad) if self.half else grad
            apply(optimizer, self.target, grad, self.state, numbers, self.variant)
            if self.half:
                self.weight[:] = self.target


class StepPlan:
    """Plan of an optimizer step on given weights and states, reused while arrays stay the same.

    Args:
        optimizer: The optimizer.
        arrays: Weights, gradients and states.
        rows: Weights and states with their programs.
    """

    def __init__(self, optimizer: HasRule, arrays: _Arrays, rows: Sequence[_Row]) -> None:
        weights, grads, states = arrays
        self.optimizer = optimizer
        self.settings = Settings(optimizer)
        self._weights, self._states = [*weights], [*states]
        self._variants = [row.variant for row in rows]
        self._types = [*map(_type_of, grads)]
        # Weak: gradients may be temporary arrays of the caller's.
        self._grads = [ref(grad) for grad in grads]
        self._repeats = False
        """Whether the last step had the same gradient arrays as the step before."""
        self._bound: tuple[Sequence[Buffer], Update, Sequence[Buffer]] = (), _nothing, ()
        """Buffers, the function that updates them, and those that it overwrites."""
        self._rows = rows
        planned = [(k, row, row.program) for k, row in enumerate(rows) if row.program is not None]
        self._planned = [k for k, _, _ in planned]
        self._eager = [k for k, row in enumerate(rows) if row.program is None]
        self.device, _ = buffers_of([x for k in self._planned for x in (weights[k], grads[k])])
        # The weight is in the gradient's place, which each step fills.
        self._arrays = [
            *(x for _, row, _ in planned for x in (row.target, row.target, *row.states)),
            *(row.weight for _, row, _ in planned if row.half),
        ]
        self._work = Work(
            self.device,
            [
                WorkRow(prog, states=len(row.states), dtype=row.target.dtype, half=row.half)
                for _, row, prog in planned
            ],
            self.settings.numbers,
        )
        op = self._work.on_host(self.settings.numbers)
        on_host = None if op is None else f"{op.name} takes its rates from the host"
        # A table that captures nothing is the reason, whatever its kernels read on the host.
        self._why_not_captured = no_capture(self.device) or on_host
        self._captured: CapturedStep | None = None
        # Loaded where a table captures, which few do.
        if planned and self._why_not_captured is None:
            captured = import_module("hy_gluon.optimizer.captured_step").CapturedStep
            self._captured = captured(self._work)

    def is_for(self, optimizer: HasRule, arrays: _Arrays, variants: Sequence[Any]) -> bool:
        """Return whether the plan is valid for these arrays and variants on its kernel table."""
        weights, grads, states = arrays
        # The check of every step: identities only, in C where possible.
        return (
            self.optimizer is optimizer
            and self.device.serves
            and len(weights) == len(self._weights)
            and all(map(is_, weights, self._weights))
            and all(map(is_, states, self._states))
            and variants == self._variants
            and self._takes(grads)
        )

    def follows(self, optimizer: HasRule) -> bool:
        """Take over the optimizer's settings; return False if they need another plan."""
        if self.settings.matches(optimizer):
            return True
        settings = Settings(optimizer)
        # A rule may have branched on a setting that is None.
        if settings.unset != self.settings.unset:
            return False
        self.settings = settings
        return True

    def _takes(self, grads: Sequence[NDArray]) -> bool:
        """Return whether gradients are those of the last step, or of the same types."""
        # The usual case: the gradients of the last step, again.
        for known, grad in zip(self._grads, grads, strict=True):
            if known() is not grad:
                break
        else:
            self._repeats = True
            return True
        self._repeats, self._bound = False, ((), _nothing, ())
        self._grads = [ref(grad) for grad in grads]
        return all(isinstance(x, NDArray) for x in grads) and [*map(_type_of, grads)] == self._types

    @property
    def why(self) -> str | None:
        """Return the reason why the last step was not captured; None if it was."""
        if self._eager:
            return "a weight is changed operator by operator"
        return self._why_not_captured if self._captured is None else self._captured.why

    @property
    def captured(self) -> "CapturedStep | None":
        """Return the captured step; None if a part of the step cannot be captured."""
        # An operator by operator step runs Python between the kernels.
        return None if self._eager else self._captured

    def buffers(self, grads: Sequence[NDArray]) -> list[Buffer]:
        """Return all buffers for :class:`Work`, in order."""
        arrays = self._arrays.copy()
        for position, k in zip(self._work.gradients, self._planned, strict=True):
            arrays[position] = grads[k]
        return buffers_of(arrays, self.device)[1]

    def wrote(self, buffers: Sequence[Buffer]) -> None:
        """Mark the buffers of weights and states as modified, so that packed copies are renewed."""
        # So that values prepared from the weights are made again.
        self.device.wrote(*self._work.changed(buffers))

    def run(self, grads: Sequence[NDArray], numbers: Columns) -> None:
        """Update all weights by their gradients and numbers (rates, decays, counts)."""
        own = numbers
        if self._eager:
            own = {name: [column[k] for k in self._planned] for name, column in numbers.items()}
        buffers = self.buffers(grads)
        _, update, changed = self._bound_to(buffers)
        try:
            captured = self._captured
            if captured is None or not captured.run(buffers, own, self.settings):
                update(own, self.settings)
        # Also after an error: some weights may have changed already.
        finally:
            self.device.wrote(*changed)
        for k in self._eager:
            self._rows[k].step(self.optimizer, grads[k], self.numbers_of(k, numbers))

    def _bound_to(
        self, buffers: Sequence[Buffer]
    ) -> tuple[Sequence[Buffer], Update, Sequence[Buffer]]:
        """Return buffers, a function that updates them, and the overwritten ones; cached."""
        bound = self._bound
        if len(bound[0]) == len(buffers) and all(map(is_, bound[0], buffers)):
            return bound
        bound = buffers, self._work.on(buffers), self._work.changed(buffers)
        # Only then: it would keep the memory of temporary gradients.
        if self._repeats:
            self._bound = bound
        return bound

    def bound(self, grads: Sequence[NDArray]) -> Callable[[Columns], None] | None:
        """Return a function that repeats the step on its buffers; None if eager or captured."""
        # Captured steps look for themselves whether buffers are those that were captured.
        if self._eager or self._captured is not None:
            return None
        _, update, changed = self._bound_to(self.buffers(grads))
        wrote, settings = self.device.wrote, self.settings

        def step(numbers: Columns) -> None:
            try:
                update(numbers, settings)
            finally:
                wrote(*changed)

        return step

    def numbers_of(self, k: int, numbers: Columns) -> Numbers:
        """Return the numbers of weight ``k`` by name, together with the shared settings."""
        own = {name: column[k] for name, column in numbers.items()}
        return {**self.settings.numbers, **own}


def _nothing(_: Columns, __: Settings) -> None:
    """Do nothing: the update of an empty plan."""


def _type_of(grad: NDArray) -> tuple[object, ...]:
    return grad.stype, grad.dtype, grad.shape


class Step:
    """Step of an optimizer on many weights, with a plan that is valid until arrays change.

    A program is compiled for each structure of states, on first use. Each thread may run its own
    step concurrently.

    Args:
        copies: Whether float32 copies in the states of 16-bit weights are updated, too.

    Example:
        >>> from hy_gluon.optimizer import SGD
        >>> from hy_ndarray import nd
        >>> step, sgd = Step(), SGD(learning_rate=0.5)
        >>> weights, grads = [nd.ones((2,)), nd.ones((3,))], [nd.ones((2,)), nd.ones((3,))]
        >>> for _ in range(2):
        ...     step(sgd, [0, 1], (weights, grads, [None, None]))
        >>> weights[1].asnumpy(), step.traced
        (array([0., 0., 0.], dtype=float32), 1)
    """

    def __init__(self, *, copies: bool = True) -> None:
        self._copies = copies
        self._plans: dict[int | str | None, StepPlan] = {}
        self._programs: dict[object, RuleProgram | None] = {}
        self._last: int | str | None = None
        self.traced = 0
        """Number of traced programs."""

    @property
    def plan(self) -> StepPlan | None:
        """Return the plan of the last step, if there was one."""
        return self._plans.get(self._last)

    @property
    def why(self) -> str | None:
        """Return the reason why the last step was not captured; None if it was."""
        return "no step of a program was done" if self.plan is None else self.plan.why

    def __reduce__(self) -> tuple[Any, ...]:
        return _new_step, (self._copies,)  # copies start without plans

    def __call__(self, optimizer: HasRule, index: Sequence[int | str], arrays: _Arrays) -> None:
        """Count a step of each parameter, and update weights and states in place.

        Args:
            optimizer: The optimizer.
            index: Numbers or names of the parameters.
            arrays: Weights on one device, their gradients, and their states.

        Raises:
            ShapeError, DTypeError: Gradients or states do not match the weights.
            ContextError: Arrays are on different devices.
            KernelError: A kernel failed; names the operator.
        """
        numbers, variants = optimizer._hy_rule_numbers(index)
        self.run(optimizer, index, arrays, variants, numbers)

    def run(
        self,
        optimizer: HasRule,
        index: Sequence[int | str],
        arrays: _Arrays,
        variants: Sequence[Any],
        numbers: Columns,
    ) -> None:
        """Update weights and states with the given numbers, without counting a step.

        Args:
            optimizer: The optimizer.
            index: Numbers or names of the parameters, which select the plan.
            arrays: Weights, gradients and states.
            variants: Variant of the rule for each weight.
            numbers: Numbers of each weight, by name.
        """
        # Updater calls with all weights, MXNet's loops with one at a time: a plan for each single
        # index, and one (None) for calls with several.
        key = self._last = index[0] if len(index) == 1 else None
        plan = self._plans.get(key)
        if (
            plan is None
            or not plan.is_for(optimizer, arrays, variants)
            or not plan.follows(optimizer)
        ):
            check_arrays(*arrays[:2])
            plan = self._plans[key] = self._planned(optimizer, arrays, variants, numbers)
        plan.run(arrays[1], numbers)

    def acts_by_element(
        self, optimizer: HasRule, weight: NDArray, state: Any, variant: Any, numbers: Numbers
    ) -> bool:
        """Return whether elements are updated independently, so that weights may share a buffer.

        Args:
            optimizer: The optimizer.
            weight: The weight.
            state: State of the weight.
            variant: The variant of the rule.
            numbers: Numbers of the weight, by name.
        """
        # Asked once for each weight by TrainStep; the program is cached by kind of state.
        row = _Row(optimizer, weight, state, variant, copies=self._copies)
        program = self._program(optimizer, row, {**Settings(optimizer).numbers, **numbers})
        return (
            program is not None
            and program.by_element
            and row.fits(program, weight)
            and all(x.shape == row.target.shape for x in row.states)
        )

    def _planned(
        self, optimizer: HasRule, arrays: _Arrays, variants: Sequence[Any], numbers: Columns
    ) -> StepPlan:
        rows = []
        shared = Settings(optimizer).numbers
        for k, (weight, grad, state) in enumerate(zip(*arrays, strict=True)):
            row = _Row(optimizer, weight, state, variants[k], copies=self._copies)
            rows.append(row)
            if is_sparse(weight) or is_sparse(grad):
                continue
            own = {name: column[k] for name, column in numbers.items()}
            program = self._program(optimizer, row, {**shared, **own})
            row.program = program if program is not None and row.fits(program, grad) else None
        return StepPlan(optimizer, arrays, rows)

    def _program(self, optimizer: HasRule, row: _Row, numbers: Numbers) -> RuleProgram | None:
        unset = frozenset(name for name, value in numbers.items() if value is None)
        dtype = dtype_name(row.target.dtype)
        # Everything that a rule may branch on while it is traced.
        key = type(optimizer), structure_of(row.state), row.variant, dtype, unset
        if key not in self._programs:
            baked = {"variant": row.variant, "dtype": dtype}
            self._programs[key] = traced(optimizer.rule, row.state, numbers, **baked)
            self.traced += self._programs[key] is not None
        return self._programs[key]


def _new_step(copies: bool) -> Step:
    return Step(copies=copies)
