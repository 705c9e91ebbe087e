"""StepPlan: how one step of an optimizer is done on certain weights and states."""

from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import chain
from operator import is_
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from weakref import ref

from hy_gluon.optimizer.layout import Layout, Single
from hy_gluon.optimizer.multi_tensor import Columns, MultiTensorCall, Settings
from hy_gluon.optimizer.rule import HasRule, Numbers, RuleProgram, arrays_in
from hy_ndarray import ArgumentError, Buffer, NDArray, autograd, buffers_of, dtype_name
from hy_ndarray.core.casting import without_casting
from hy_ndarray.sparse.rows import rows_of, write_rows
from hy_symbol import no_capture

if TYPE_CHECKING:
    from hy_gluon.optimizer.captured_step import CapturedStep

__all__ = ["StepPlan", "StepRow", "apply", "check_arrays", "is_sparse", "no_copy"]


def apply(
    optimizer: HasRule,
    weight: NDArray,
    grad: NDArray,
    state: Any,
    numbers: Numbers,
    variant: Any,
) -> None:
    """Change a weight and its state as the rule says, operator by operator."""
    n = SimpleNamespace(**numbers, variant=variant, dtype=dtype_name(weight.dtype))
    if grad.stype == "row_sparse" and optimizer.rule_by_rows(weight, n):
        _apply_by_rows(optimizer, weight, grad, state, n)
        # MXNet's lazy update: rows without a gradient keep weight and states.
        return
    new, after = optimizer.rule(
        weight, grad.tostype("default") if is_sparse(grad) else grad, state, n
    )
    for target, value in zip(arrays_in(state), arrays_in(after), strict=True):
        if value is not target:
            target[:] = value
    weight[:] = new


def check_arrays(weights: Sequence[Any], grads: Sequence[Any]) -> None:
    """Refuse what is no array before a rule asks it for its storage.

    Raises:
        ArgumentError: A weight or gradient is no NDArray.
    """
    for array in (*weights, *grads):
        if not isinstance(array, NDArray):
            raise ArgumentError(f"weights and gradients must be NDArrays, not {array!r}")


def _apply_by_rows(
    optimizer: HasRule, weight: NDArray, grad: Any, state: Any, n: SimpleNamespace
) -> None:
    """Change only the rows that a row_sparse gradient has."""
    rows = grad.indices.asnumpy()
    if not len(rows):
        return
    # Rows are taken out, changed densely, and written back.
    part = rows_of(weight, rows)
    parts = _mapped(lambda x: rows_of(x, rows), state)
    new, after = optimizer.rule(part, grad.data, parts, n)
    write_rows(weight, rows, new)
    for target, value in zip(arrays_in(state), arrays_in(after), strict=True):
        write_rows(target, rows, value)


def _mapped(function: Callable[[NDArray], NDArray], state: Any) -> Any:
    """Return a nested tuple of arrays with each array changed."""
    if isinstance(state, list | tuple):
        return type(state)(_mapped(function, part) for part in state)
    return None if state is None else function(state)


def is_sparse(array: NDArray) -> bool:
    """Return whether it stores only some of its elements."""
    return array.stype != "default"


class StepRow:
    """A weight with its state, and how they are changed."""

    def __init__(
        self,
        weight: NDArray,
        state: Any,
        variant: Any,
        copy_of: Callable[[NDArray, Any], tuple[NDArray | None, Any]],
    ) -> None:
        copy, states = copy_of(weight, state)
        self.weight = weight
        self.state = states
        self.variant = variant
        self.half = copy is not None
        """Whether a copy in float32 is changed in place of the weight."""
        self.target = weight if copy is None else copy
        self.states: list[NDArray] = list(arrays_in(states))
        self.program: RuleProgram | None = None
        """None: operator by operator, which also tells what is wrong with arrays that do not fit"""

    def fits(self, program: RuleProgram, grad: NDArray) -> bool:
        """Return whether kernels, which ask nothing, may be called on the arrays."""
        target, states = self.target, self.states
        if not self.takes(grad) or any(x.dtype is not target.dtype for x in states):
            return False
        if program.pointwise and any(x.shape != target.shape for x in states):
            return False
        device, buffers = buffers_of((target, *states))
        # Kernels that write in position need dense memory.
        return all(device.memory.contiguous(buffer) is buffer for buffer in buffers)

    def takes(self, grad: NDArray) -> bool:
        """Whether a gradient is of the weight's type."""
        same = self.half or grad.dtype is self.target.dtype
        return same and grad.shape == self.target.shape and not is_sparse(grad)

    def step(self, optimizer: HasRule, grad: NDArray, numbers: Numbers) -> None:
        """Change them operator by operator."""
        with autograd.pause(), without_casting():
            # AMP must not cast an update, nor autograd record it.
            grad = grad.tostype("default").astype("float32") if self.half else grad
            apply(optimizer, self.target, grad, self.state, numbers, self.variant)
            if self.half:
                self.weight[:] = self.target


def no_copy(weight: NDArray, state: Any) -> tuple[None, Any]:  # noqa: ARG001  # in place of others
    """No copy, and the state itself, for weights that are changed as they are."""
    return None, state


class StepPlan:
    """Plan of a step on certain weights and states."""

    def __init__(
        self,
        optimizer: HasRule,
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
        variants: Sequence[Any],
        copies: bool,
    ) -> None:
        self.optimizer = optimizer
        self.device, _ = buffers_of([*weights, *grads])
        self.settings = Settings(optimizer)
        copy_of = optimizer._copy_of if copies else no_copy
        self.rows = [StepRow(*row, copy_of) for row in zip(weights, states, variants, strict=True)]
        self._weights, self._states, self._variants = [*weights], [*states], variants
        # Weak: gradients may be temporary arrays of the caller's.
        self._grads = [ref(grad) for grad in grads]
        self._layout = Layout(self.device, [len(row.states) for row in self.rows])
        self._arrays = list(
            chain.from_iterable(
                (row.target, grad, *row.states)
                for row, grad in zip(self.rows, weights, strict=True)
            )
        )
        self._groups: list[MultiTensorCall] = []
        self._singles: list[Single] = []
        self._eager: list[int] = []
        self._captured: CapturedStep | None = None
        self._obstacle: str | None = None

    def is_for(
        self,
        optimizer: HasRule,
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
        variants: Sequence[Any],
    ) -> bool:
        """Whether these are the arrays it is for, which no other table has taken over."""
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

    def _takes(self, grads: Sequence[NDArray]) -> bool:
        """Whether gradients are those it knows, or others of their types."""
        # The usual case: the gradients of the last step, again.
        for known, grad in zip(self._grads, grads, strict=True):
            if known() is not grad:
                break
        else:
            return True
        self._grads = [ref(grad) for grad in grads]
        return all(row.takes(grad) for row, grad in zip(self.rows, grads, strict=True))

    def arrange(self) -> None:
        """Put rows of one program and dtype together, where one call may be for several."""
        groups: dict[tuple[RuleProgram, object], list[int]] = {}
        for i, row in enumerate(self.rows):
            program = row.program
            if program is None:
                self._eager.append(i)
                continue
            if row.half:
                self._layout.halves.append(i)
            # One program and one dtype make one call; what the operator cannot join runs by itself.
            over = program.writes_over(self.device)
            if over and program.joins(self.settings.numbers):
                groups.setdefault((program, row.target.dtype), []).append(i)
            else:
                self._singles.append(Single(i, program, over))
        self._groups = [
            MultiTensorCall(rows, [self._layout.slices[i] for i in rows], program)
            for (program, _), rows in groups.items()
        ]
        # Rates in float64 only for float64 weights: kernels take them in the dtype of the
        # computation.
        wide = [dtype_name(dtype) == "float64" for _, dtype in groups]
        dtypes = ["float64" if each else "float32" for each in wide]
        listing = [
            program
            for group, (program, _) in zip(self._groups, groups, strict=True)
            if group.loaded is None
        ]
        self._obstacle = self._find_obstacle(listing)
        # Loaded where a table captures, which few do.
        if self._obstacle is None:
            captured = import_module("hy_gluon.optimizer.captured_step").CapturedStep
            self._captured = captured(self._layout, self._groups, dtypes, self._singles)

    @property
    def why(self) -> str | None:
        """Why the last step was not captured; None: it was."""
        return self._obstacle if self._captured is None else self._captured.why

    def _find_obstacle(self, listing: Sequence[RuleProgram]) -> str | None:
        """Return why it cannot be captured, or None.

        Args:
            listing: Programs of several weights whose numbers no operator takes in arrays.
        """
        # An eager weight runs Python between the kernels.
        if self._eager:
            return "a weight is changed operator by operator"
        for program in (*listing, *(each.program for each in self._singles)):
            op = program.on_host(self.device, self.settings.numbers)
            if op is not None:
                return f"{op.name} takes its rates from the host"
        return no_capture(self.device)

    def buffers(self, grads: Sequence[NDArray]) -> list[Buffer]:
        """Weight, gradient and states of each row, then the weights of 16 bits."""
        arrays = self._arrays.copy()
        for position, grad in zip(self._layout.gradients, grads, strict=True):
            arrays[position] = grad
        halves = [self.rows[i].weight for i in self._layout.halves]
        return buffers_of([*arrays, *halves], self.device)[1]

    def wrote(self, buffers: Sequence[Buffer]) -> None:
        """Say that weights and states have changed."""
        # Tells the watch of memory, so that values prepared from the weights are made anew.
        count = self._layout.size
        self.device.wrote(*map(buffers.__getitem__, self._layout.changed), *buffers[count:])

    @property
    def captured(self) -> "CapturedStep | None":
        """Return the captured step, where the table captures."""
        return self._captured

    def run(self, grads: Sequence[NDArray], numbers: Columns) -> None:
        """Do the step; takes gradient and numbers of each weight."""
        buffers = self.buffers(grads)
        try:
            captured = self._captured
            if captured is None or not captured.run(buffers, numbers, self.settings):
                self._change(buffers, numbers)
        # Also after an error: some weights may have changed already.
        finally:
            self.wrote(buffers)
        for i in self._eager:
            self.rows[i].step(self.optimizer, grads[i], self.numbers_of(i, numbers))

    def _change(self, buffers: Sequence[Buffer], numbers: Columns) -> None:
        """Change all weights but those that are changed operator by operator."""
        kernels, write = self.device.kernels, self.device.memory.write
        wide = self._layout.with_float32_gradients(buffers)
        for group in self._groups:
            group.run(kernels, wide, numbers, self.settings)
        for i, program, over in self._singles:
            own = wide[self._layout.slices[i]]
            program.run(kernels, own, self.numbers_of(i, numbers), write, over)
        self._layout.narrow(buffers)

    def bound(self, grads: Sequence[NDArray]) -> Callable[[Columns], None] | None:
        """Return a step bound to the present buffers of all arrays, or None."""
        # Bound to buffers: not with captured steps or with copies, whose buffers differ in each
        # step.
        if self._eager or self._captured is not None or self._layout.halves:
            return None
        buffers = self.buffers(grads)
        kernels, write = self.device.kernels, self.device.memory.write
        bound_calls = [
            group.bound(kernels[group.kernel], buffers, self.settings) for group in self._groups
        ]

        def step(numbers: Columns) -> None:
            try:
                for each in bound_calls:
                    each(numbers)
                for i, program, over in self._singles:
                    own = buffers[self._layout.slices[i]]
                    program.run(kernels, own, self.numbers_of(i, numbers), write, over)
            finally:
                self.wrote(buffers)

        return step

    def numbers_of(self, i: int, numbers: Columns) -> Numbers:
        """Return the numbers of a row, those that all have in common included."""
        own = {name: column[i] for name, column in numbers.items()}
        return {**self.settings.numbers, **own}
