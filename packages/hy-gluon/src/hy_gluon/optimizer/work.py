"""Work: the kernel calls of an optimizer step on the buffers of many weights."""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate, pairwise
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from hy_gluon.optimizer.rule import Columns, HasRule, Numbers, RuleProgram, checked
from hy_ndarray import Buffer, Device, KernelFunction
from hy_ndarray.ops import Operator, find

__all__ = ["Settings", "Work", "WorkRow"]

_CAST = find("Cast")


class Settings:
    """Settings of an optimizer that do not vary between weights.

    Args:
        optimizer: The optimizer; its class names the settings in ``rule_settings``.
    """

    def __init__(self, optimizer: HasRule) -> None:
        names = ("rescale_grad", "clip_gradient", *optimizer.rule_settings)
        self._get = attrgetter(*names)
        self.values: tuple[Any, ...] = self._get(optimizer)
        # repr separates 1 from 1.0 and from True, which are equal as keys of a dictionary.
        self.key = repr(self.values)
        """Tells them apart, whatever they are."""
        bound = optimizer.clip_gradient
        lowest = None if bound is None else -bound
        self.numbers: Numbers = {
            **dict(zip(names, self.values, strict=True)),
            "least_gradient": lowest,
        }

    def matches(self, optimizer: HasRule) -> bool:
        """Return whether the optimizer still has these settings."""
        # `attrgetter` reads all settings in C; tuples compare elementwise.
        return bool(self._get(optimizer) == self.values)

    @property
    def unset(self) -> frozenset[str]:
        """Return the names of settings that are None; a rule may test these."""
        return frozenset(name for name, value in self.numbers.items() if value is None)


class WorkRow(NamedTuple):
    """Weight, gradient and states, as positions in the list of buffers, and their program."""

    program: RuleProgram
    states: int
    """How many states it has."""
    dtype: object
    half: bool
    """Whether its copy in float32 is changed in its place."""


class Work:
    """Updates weights and states; those with the same program in one kernel call if possible.

    It is given buffers: weight, gradient and states of one weight after the other, then the weights
    of 16 bits whose copies in float32 are among those. It holds none: what captures a step keeps
    it, and may not keep weights alive by that.

    Args:
        device: Where the buffers are.
        rows: The weights.
        shared: Numbers that all of them have in common.
    """

    def __init__(self, device: Device, rows: Sequence[WorkRow], shared: Numbers) -> None:
        self.device = device
        self.count = len(rows)
        """How many weights there are."""
        ends = list(accumulate((row.states + 2 for row in rows), initial=0))
        self.size = ends[-1]
        """How many buffers there are, without the weights of 16 bits."""
        self.gradients = [end + 1 for end in ends[:-1]]
        """Where the gradients are."""
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
        """Update the weights and states in the buffers.

        Args:
            buffers: As the class says.
            numbers: Those of each weight.
            settings: The optimizer's.
            loaded: Names of the numbers that are buffers.
        """
        kernels, write = self.device.kernels, self.device.memory.write
        own = buffers
        if self._halves:
            # 16-bit gradients are cast once; the copies are in the weights' places.
            own = [*buffers[: self.size]]
            for k in map(self.gradients.__getitem__, self._halves):
                own[k] = kernels[_CAST.kernel](own[k], dtype="float32")
        for group in self._groups:
            group.run(kernels, own, numbers, settings, write, loaded)
        # After all changes, so that every kernel saw full precision.
        for k, target in zip(self._copies, buffers[self.size :], strict=True):
            write(target, buffers[k])

    def wrote(self, buffers: Sequence[Buffer]) -> None:
        """Mark the buffers of weights and states as changed."""
        # Tells the watch of memory, so that values prepared from the weights are made again.
        self.device.wrote(*map(buffers.__getitem__, self._changed), *buffers[self.size :])

    def on_host(self, shared: Numbers) -> Operator | None:
        """Return the first operator that reads a weight's own number on the host, or None."""
        for group in self._groups:
            op = group.program.on_host(self.device, shared)
            if op is not None:
                return op
        return None


class _Group:
    """Weights with the same program and dtype, which one kernel call may update.

    Args:
        rows: Which weights, by number.
        slices: Where each of them, its gradient and its states are among all buffers.
        program: Theirs.
        device: Where they are.
        shared: Numbers that they have in common.
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
        self._rows = rows
        self._slices = slices
        self._over = program.writes_over(device)
        """Whether the last call writes over the weight itself."""
        self._is_multi_tensor = self._over and program.joins(shared)
        """Whether one call changes all."""
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

    def run(
        self,
        kernels: Mapping[str, KernelFunction],
        buffers: Sequence[Buffer],
        numbers: Columns,
        settings: Settings,
        write: Callable[[Buffer, Buffer], None],
        loaded: Collection[str],
    ) -> None:
        """Update the weights of the group and their states."""
        program = self.program
        if not self._is_multi_tensor:
            for i, own in zip(self._rows, self._slices, strict=True):
                each = {**settings.numbers, **{name: x[i] for name, x in numbers.items()}}
                program.run(kernels, buffers[own], each, write, self._over, loaded)
            return
        call = program.calls[0]
        if settings is not self._settings:
            self._shared = {**self._fixed, **call.keywords(settings.numbers)}
            self._settings = settings
        columns = {name: self._of_rows(numbers[name]) for _, name, _ in call.lists}
        own_params = call.lists_of(columns, loaded)
        params = {**self._shared, **own_params, "out": self._targets(buffers)}
        checked(call.op, kernels[call.op.kernel], self._operands(buffers), params)


def _selector(positions: Sequence[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """Return a function from a list to the tuple of its items at these positions."""
    # itemgetter returns a tuple only for two and more keys.
    if len(positions) > 1:
        return itemgetter(*positions)
    return lambda items: tuple([items[k] for k in positions])
