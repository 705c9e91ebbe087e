"""Work: the kernel calls of an optimizer step on the buffers of many weights."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import accumulate, pairwise
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple, TypeAlias

from hy_gluon.optimizer.rule import Columns, HasRule, Numbers, RuleProgram, step_error
from hy_ndarray import Buffer, Device, HyError
from hy_ndarray.ops import Operator, StepKernel, find

__all__ = ["BOUNDS", "Settings", "Update", "Work", "WorkRow"]

_CAST = find("Cast")
BOUNDS = frozenset(("clip_gradient", "clip_weights", "lower_bound", "upper_bound"))
"""Settings that bound something if they are above 0, and have no effect otherwise."""
Update: TypeAlias = Callable[[Columns, "Settings"], None]
"""Function that updates the buffers it was created for, given numbers and settings."""


class Settings:
    """Values of an optimizer's settings that all weights share, such as ``rescale_grad``.

    Args:
        optimizer: The optimizer; its class names the settings in ``rule_settings``.
    """

    def __init__(self, optimizer: HasRule) -> None:
        names = ("rescale_grad", "clip_gradient", *optimizer.rule_settings)
        self._get = attrgetter(*names)
        self.values: tuple[Any, ...] = self._get(optimizer)
        # repr separates 1 from 1.0 and from True, which are equal as keys of a dictionary.
        self.key = repr(self.values)
        """Hashable key that distinguishes all values, also 1 from True."""
        numbers = dict(zip(names, self.values, strict=True))
        for name in BOUNDS & numbers.keys():
            # MXNet's optimizers take 0, and its operators a number below 0, for no bound.
            if numbers[name] is not None and not numbers[name] > 0:
                numbers[name] = None
        bound = numbers["clip_gradient"]
        self.numbers: Numbers = {**numbers, "least_gradient": None if bound is None else -bound}

    def matches(self, optimizer: HasRule) -> bool:
        """Return whether the optimizer still has these settings."""
        # `attrgetter` reads all settings in C; tuples compare elementwise.
        return bool(self._get(optimizer) == self.values)

    @property
    def unset(self) -> frozenset[str]:
        """Return the names of settings that are None, on which a rule may branch."""
        return frozenset(name for name, value in self.numbers.items() if value is None)


class WorkRow(NamedTuple):
    """Positions of a weight, its gradient and its states in the buffers, and their program."""

    program: RuleProgram
    states: int
    """Number of states."""
    dtype: object
    half: bool
    """Whether a float32 copy is updated and then rounded into the weight."""


class Work:
    """Kernel calls that update weights and states, with one call per group if possible.

    Each call gets the buffers: for each weight, the weight, gradient and states; then the 16-bit
    weights whose float32 copies are among these. No buffers are kept, as a captured step keeps the
    work, and must not keep weights alive.

    Args:
        device: Device of the buffers.
        rows: The weights.
        shared: Numbers that are equal for all weights.
    """

    def __init__(self, device: Device, rows: Sequence[WorkRow], shared: Numbers) -> None:
        self.device = device
        self.count = len(rows)
        """Number of weights."""
        ends = list(accumulate((row.states + 2 for row in rows), initial=0))
        self.size = ends[-1]
        """Number of buffers, without 16-bit weights that have copies."""
        self.gradients = [end + 1 for end in ends[:-1]]
        """Positions of the gradients among the buffers."""
        slices = [slice(*pair) for pair in pairwise(ends)]
        self._changed = sorted(set(range(self.size)).difference(self.gradients))
        self._halves = [i for i, row in enumerate(rows) if row.half]
        self._copies = [ends[i] for i in self._halves]
        members: dict[tuple[RuleProgram, object], list[int]] = {}
        for i, row in enumerate(rows):
            members.setdefault((row.program, row.dtype), []).append(i)
        self._groups = [
            _Group(
                own, slices=[slices[i] for i in own], program=program, device=device, shared=shared
            )
            for (program, _), own in members.items()
        ]

    def __call__(
        self,
        buffers: Sequence[Buffer],
        numbers: Columns,
        settings: Settings,
        loaded: Collection[str] = (),
    ) -> None:
        """Update the weights and states in ``buffers``.

        Args:
            buffers: All buffers, in the order that the class describes.
            numbers: Numbers of each weight.
            settings: Settings of the optimizer.
            loaded: Names of the numbers that are buffers.
        """
        self.on(buffers, loaded)(numbers, settings)

    def on(self, buffers: Sequence[Buffer], loaded: Collection[str] = ()) -> Update:
        """Return a function of numbers and settings that updates these buffers, checked once.

        Args:
            buffers: All buffers, in the order that the class describes.
            loaded: Names of the numbers that are buffers.
        """
        if self._halves:
            return partial(self._with_copies, buffers, loaded)
        updates = [group.on(buffers, loaded) for group in self._groups]
        if len(updates) == 1:
            return updates[0]

        def update(numbers: Columns, settings: Settings) -> None:
            for each in updates:
                each(numbers, settings)

        return update

    def _with_copies(
        self,
        buffers: Sequence[Buffer],
        loaded: Collection[str],
        numbers: Columns,
        settings: Settings,
    ) -> None:
        """Update the weights; float32 copies are updated first, and cast to the 16-bit weights."""
        own = [*buffers[: self.size]]
        # 16-bit gradients are cast once; the copies are in the weights' places.
        for k in map(self.gradients.__getitem__, self._halves):
            own[k] = self.device.kernels[_CAST.kernel](own[k], dtype="float32")
        for group in self._groups:
            group.on(own, loaded)(numbers, settings)
        # After all changes, so that every kernel saw full precision.
        for k, target in zip(self._copies, buffers[self.size :], strict=True):
            self.device.memory.write(target, buffers[k])

    def changed(self, buffers: Sequence[Buffer]) -> list[Buffer]:
        """Return the buffers of weights and states, which a step overwrites."""
        return [*map(buffers.__getitem__, self._changed), *buffers[self.size :]]

    def on_host(self, shared: Numbers) -> Operator | None:
        """Return the first operator that reads a per-weight number on the host, or None.

        Such an operator prevents capturing.
        """
        for group in self._groups:
            op = group.program.on_host(self.device, shared)
            if op is not None:
                return op
        return None


class _Group:
    """Weights with the same program and dtype, updated by one kernel call if possible.

    Args:
        rows: Numbers of the weights.
        slices: Positions of each weight, its gradient and its states in the list of buffers.
        program: Program of all weights.
        device: Device of the buffers.
        shared: Numbers that are equal for all weights.
    """

    def __init__(
        self,
        rows: Sequence[int],
        slices: Sequence[slice],
        program: RuleProgram,
        device: Device,
        shared: Numbers,
    ) -> None:
        self.program = program
        self._device = device
        self._rows = rows
        self._slices = slices
        self._over = program.writes_over(device)
        """Whether the last kernel call writes the weight in place."""
        self._is_multi_tensor = self._over and program.joins(shared)
        """Whether one kernel call updates all weights of the group."""
        self._steps_rows = not self._is_multi_tensor and program.steps_rows(device)
        """Whether the last kernel updates all weights of the group, once each is decayed."""
        if self._is_multi_tensor:
            self._join(program)

    def _join(self, program: RuleProgram) -> None:
        (call,) = program.calls
        assert program.count is not None
        self._fixed = self._shared = {**call.fixed, program.count: len(self._rows)}
        self._settings: Settings | None = None
        each = len(call.operands)
        weights = range(0, each * len(self._rows), each)
        positions = [k for part in self._slices for k in range(part.start, part.stop)]
        changed = (*weights, *call.op.updated(self._fixed, False))
        self._operands = _selector(positions)
        self._targets = _selector([positions[i] for i in changed])
        self._of_rows = _selector(self._rows)

    def on(self, buffers: Sequence[Buffer], loaded: Collection[str]) -> Update:
        """Return a function of numbers and settings that updates the weights in ``buffers``.

        Args:
            buffers: All buffers of :class:`Work`.
            loaded: Names of the numbers that are buffers.
        """
        if self._steps_rows:
            return partial(self._run_rows, buffers, loaded)
        if not self._is_multi_tensor:
            return partial(self._run_each, buffers, loaded)
        op, kernels = self.program.calls[0].op, self._device.kernels
        operands, targets = self._operands(buffers), self._targets(buffers)
        record = kernels.record(op.kernel)
        plain, bound = record.function, None
        if isinstance(record, StepKernel):
            bound = record.on(operands, targets, len(self._rows))

        def update(numbers: Columns, settings: Settings) -> None:
            params = self._params(numbers, settings, loaded)
            # Looked up in each step: a profiler may wrap kernels, and another table may serve.
            function = kernels[op.kernel]
            try:
                if bound is not None and function == plain:
                    bound(params)
                else:
                    function(*operands, **params, out=targets)
            except HyError:
                raise
            except Exception as error:
                raise step_error(op, operands, error) from error

        return update

    def _params(
        self, numbers: Columns, settings: Settings, loaded: Collection[str]
    ) -> dict[str, Any]:
        """Return the parameters of the kernel call for all weights."""
        call = self.program.calls[0]
        if settings is not self._settings:
            self._shared = {**self._fixed, **call.keywords(settings.numbers)}
            self._settings = settings
        columns = {name: self._of_rows(numbers[name]) for _, name, _ in call.lists}
        return {**self._shared, **call.lists_of(columns, loaded)}

    def _run_rows(
        self,
        buffers: Sequence[Buffer],
        loaded: Collection[str],
        numbers: Columns,
        settings: Settings,
    ) -> None:
        """Update the weights with one run of the last kernel, for all that share its numbers."""
        kernels, call = self._device.kernels, self.program.calls[-1]
        record = kernels.record(call.op.kernel)
        # A profiler may wrap the kernel, and another table may serve.
        if not isinstance(record, StepKernel) or kernels[call.op.kernel] != record.function:
            self._run_each(buffers, loaded, numbers, settings)
            return
        rows = [buffers[own] for own in self._slices]
        known: dict[tuple[Any, ...], dict[str, Any]] = {}
        params: list[dict[str, Any]] = []
        for i, row in zip(self._rows, rows, strict=True):
            each = {**settings.numbers, **{name: x[i] for name, x in numbers.items()}}
            self.program.change_weight(kernels, row[0], each, loaded)
            # Numbers on a device are not compared: that would wait for it.
            key = tuple([id(x[i]) if name in loaded else x[i] for name, x in numbers.items()])
            if key not in known:
                known[key] = call.params(each, loaded)
            params.append(known[key])
        try:
            record.step_rows(rows, params)
        except HyError:
            raise
        except Exception as error:
            raise step_error(call.op, rows[0], error) from error

    def _run_each(
        self,
        buffers: Sequence[Buffer],
        loaded: Collection[str],
        numbers: Columns,
        settings: Settings,
    ) -> None:
        """Update the weights one after the other, with a run of the program for each."""
        kernels, write = self._device.kernels, self._device.memory.write
        for i, own in zip(self._rows, self._slices, strict=True):
            each = {**settings.numbers, **{name: x[i] for name, x in numbers.items()}}
            self.program.run(kernels, buffers[own], each, write, self._over, loaded)


def _selector(positions: Sequence[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """Return a function from a sequence to the tuple of its items at ``positions``."""
    # itemgetter returns a tuple only for two and more keys.
    if len(positions) > 1:
        return itemgetter(*positions)
    return lambda items: tuple([items[k] for k in positions])
