"""StepProgram: one step of an optimizer on all weights of an updater.

The rule is traced once for each kind of state; what changes from step to step, such as rates and
counts, are numbers that each run is given. A rule that is one operator for any number of weights
runs as one call for all of a dtype.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from hy_gluon.optimizer.multi_tensor import Columns, Settings
from hy_gluon.optimizer.rule import HasRule, Numbers, RuleProgram, structure_of, traced
from hy_gluon.optimizer.step_plan import StepPlan, StepRow, check_arrays, is_sparse, no_copy
from hy_ndarray import NDArray, dtype_name

__all__ = ["StepProgram"]

_Arrays: TypeAlias = tuple[Sequence[NDArray], Sequence[NDArray], Sequence[Any]]
"""Weights, gradients and states."""


class StepProgram:
    """Runs an optimizer's rule on weights, again and again.

    Programs are made when a kind of state is first met. Several threads may run programs of their
    own at once.

    Args:
        copies: Whether states of 16-bit weights may hold copies in float32, which are changed then.

    Example:
        >>> from hy_gluon.optimizer import SGD
        >>> from hy_ndarray import nd
        >>> program, sgd = StepProgram(), SGD(learning_rate=0.5)
        >>> weights, grads = [nd.ones((2,)), nd.ones((3,))], [nd.ones((2,)), nd.ones((3,))]
        >>> for _ in range(2):
        ...     program(sgd, [0, 1], weights, grads, [None, None])
        >>> weights[1].asnumpy(), program.traced
        (array([0., 0., 0.], dtype=float32), 1)
    """

    def __init__(self, *, copies: bool = True) -> None:
        self._copies = copies
        self._plans: dict[int | str | None, StepPlan] = {}
        self._programs: dict[object, RuleProgram | None] = {}
        self._last: int | str | None = None
        self.traced = 0
        """How many programs were made."""

    @property
    def why(self) -> str | None:
        """Why the last step was not captured; None: it was."""
        plan = self._plans.get(self._last)
        # Plans by index: Updater calls with all weights, MXNet's loops with one at a time.
        return "no step of a program was done" if plan is None else plan.why

    def __reduce__(self) -> tuple[Any, ...]:
        return _new_program, (self._copies,)  # copies begin anew

    def __call__(
        self,
        optimizer: HasRule,
        index: Sequence[int | str],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
    ) -> None:
        """Count a step, and change weights and states in place.

        Args:
            optimizer: What has the rule.
            index: Which parameters they are.
            weights: The weights, on one device.
            grads: Their gradients.
            states: What the optimizer made for each.

        Raises:
            ShapeError, DTypeError: Arrays do not fit the weights.
            ContextError: Arrays are on different devices.
            KernelError: A kernel failed; names the operator.
        """
        numbers, variants = optimizer._rule_numbers(index)
        self.run(optimizer, index, (weights, grads, states), variants, numbers)

    def acts_by_element(
        self,
        optimizer: HasRule,
        weight: NDArray,
        state: Any,
        variant: Any,
        numbers: Mapping[str, float],
    ) -> bool:
        """Return whether a weight may lie in one memory with others that have the same numbers.

        Args:
            optimizer: What has the rule.
            weight: The weight.
            state: What the optimizer made for it.
            variant: The variant of the rule.
            numbers: Those of the weight, by name.
        """
        # Asked once for each weight by TrainStep; the program is cached by kind of state.
        row = StepRow(weight, state, variant, optimizer._copy_of if self._copies else no_copy)
        program = self._program(optimizer, row, {**Settings(optimizer).numbers, **numbers})
        return (
            program is not None
            and program.by_element
            and row.fits(program, weight)
            and all(x.shape == row.target.shape for x in row.states)
        )

    def run(
        self,
        optimizer: HasRule,
        index: Sequence[int | str],
        arrays: _Arrays,
        variants: Sequence[Any],
        numbers: Columns,
    ) -> None:
        """Run like a call, with known numbers, and nothing counted.

        Args:
            optimizer: What has the rule.
            index: Tell apart who calls.
            arrays: Weights, gradients and states.
            variants: Of the rule, for each weight.
            numbers: For each weight, by name.
        """
        # One plan for each single index, and one (None) for calls with several.
        plan_key = self._last = index[0] if len(index) == 1 else None
        plan = self._plans.get(plan_key)
        if plan is None or not plan.is_for(optimizer, *arrays, variants):
            plan = None
            check_arrays(*arrays[:2])
            if any(map(is_sparse, arrays[0])) or any(map(is_sparse, arrays[1])):
                self._step_sparse(optimizer, index, arrays, variants, numbers)
                return
        elif not plan.settings.matches(optimizer):
            # Other settings keep the plan, unless a rule may have branched on one that is None.
            before, plan.settings = plan.settings.unset, Settings(optimizer)
            plan = plan if plan.settings.unset == before else None
        if plan is None:
            plan = self._planned(optimizer, arrays, variants, numbers)
            self._plans[plan_key] = plan
        plan.run(arrays[1], numbers)

    @property
    def last(self) -> StepPlan | None:
        """Return the plan of the last step, if there was one alone."""
        return self._plans.get(self._last)

    def _step_sparse(
        self,
        optimizer: HasRule,
        index: Sequence[int | str],
        arrays: _Arrays,
        variants: Sequence[Any],
        numbers: Columns,
    ) -> None:
        """Run like :meth:`run` where some weights or gradients are sparse: each of those alone."""
        dense = []
        copy_of = optimizer._copy_of if self._copies else no_copy
        for k, (weight, grad, state) in enumerate(zip(*arrays, strict=True)):
            if not (is_sparse(weight) or is_sparse(grad)):
                dense.append(k)
                continue
            own = {name: column[k] for name, column in numbers.items()}
            row = StepRow(weight, state, variants[k], copy_of)
            row.step(optimizer, grad, {**Settings(optimizer).numbers, **own})
        if dense:
            self.run(
                optimizer,
                [index[k] for k in dense],
                (
                    [arrays[0][k] for k in dense],
                    [arrays[1][k] for k in dense],
                    [arrays[2][k] for k in dense],
                ),
                [variants[k] for k in dense],
                {name: [column[k] for k in dense] for name, column in numbers.items()},
            )

    def _planned(
        self,
        optimizer: HasRule,
        arrays: _Arrays,
        variants: Sequence[Any],
        numbers: Columns,
    ) -> StepPlan:
        plan = StepPlan(optimizer, *arrays, variants, self._copies)
        for i, (row, grad) in enumerate(zip(plan.rows, arrays[1], strict=True)):
            program = self._program(optimizer, row, plan.numbers_of(i, numbers))
            row.program = program if program is not None and row.fits(program, grad) else None
        plan.arrange()
        return plan

    def _program(self, optimizer: HasRule, row: StepRow, numbers: Numbers) -> RuleProgram | None:
        unset = frozenset(name for name, value in numbers.items() if value is None)
        dtype = dtype_name(row.target.dtype)
        # Everything that a rule may branch on while it is traced.
        key = type(optimizer), structure_of(row.state), row.variant, dtype, unset
        if key not in self._programs:
            baked = {"variant": row.variant, "dtype": dtype}
            self._programs[key] = traced(optimizer.rule, row.state, numbers, **baked)
            self.traced += self._programs[key] is not None
        return self._programs[key]


def _new_program(copies: bool) -> StepProgram:
    return StepProgram(copies=copies)
