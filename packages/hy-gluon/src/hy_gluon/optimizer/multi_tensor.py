"""MultiTensorCall: one call of an operator that updates any number of weights."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import Any, TypeAlias

import numpy as np

from hy_gluon.optimizer.rule import Call, HasRule, Numbers, RuleProgram, checked
from hy_ndarray import ArgumentError, Buffer, KernelFunction
from hy_ndarray.ops import Operator, find

__all__ = ["Buffers", "Columns", "MultiTensorCall", "Settings"]

Columns: TypeAlias = Mapping[str, Sequence[float]]
"""Numbers of all weights, by name."""
Buffers: TypeAlias = Sequence[Buffer]
"""Weight, gradient and states of one weight after the other."""


class Settings:
    """Settings of the optimizer beside the numbers of each weight.

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
        """Whether the optimizer has no others at present."""
        # `attrgetter` reads all settings in C; tuples compare elementwise.
        return bool(self._get(optimizer) == self.values)

    @property
    def unset(self) -> frozenset[str]:
        """Return the settings that are None, which a rule may ask for."""
        return frozenset(name for name, value in self.numbers.items() if value is None)


class MultiTensorCall:
    """One call of a multi-tensor operator, which updates all its weights.

    Args:
        rows: Which weights, by number.
        slices: Where each of them, its gradient and its states are among all buffers.
        program: Of that one call.
    """

    def __init__(self, rows: Sequence[int], slices: Sequence[slice], program: RuleProgram) -> None:
        self.rows = rows
        self._call = program.calls[0]
        assert program.count is not None
        self._fixed = {**self._call.fixed, program.count: len(rows)}
        self._settings: Settings | None = None
        self._params = self._fixed
        each = len(self._call.operands)
        weights = range(0, each * len(rows), each)
        positions = [k for part in slices for k in range(part.start, part.stop)]
        changed = (*weights, *self._call.op.updated(self._fixed, False))
        self._operands = selector(positions)
        self._changed = selector([positions[i] for i in changed])
        self._columns: list[Sequence[float]] = []
        self._parsed: dict[str, Any] = {}
        # MXNet's preloaded_ operators take rates as arrays, which a captured graph can read.
        self.loaded = _with_rates_in_arrays(self._call)
        """The operator that takes rates and decays in arrays, if there is one."""

    @property
    def kernel(self) -> str:
        """Name of the kernel that it calls."""
        return self._call.op.kernel

    def run(
        self,
        kernels: Mapping[str, KernelFunction],
        buffers: Buffers,
        numbers: Columns,
        settings: Settings,
    ) -> None:
        """Change the weights and their states."""
        op = self._call.op
        params = self._params_for(settings, self._lists(numbers), buffers)
        checked(op, kernels[op.kernel], self._operands(buffers), params)

    def bound(
        self, kernel: KernelFunction, buffers: Buffers, settings: Settings
    ) -> Callable[[Columns], None]:
        """Bind to these very buffers, for further steps with other numbers."""
        operands, op = self._operands(buffers), self._call.op
        call_numbers = self._call.keywords(settings.numbers)
        # Everything that does not change is bound once; a step then parses only rates.
        params = {**self._fixed, **call_numbers, "out": self._changed(buffers)}

        def step(numbers: Columns) -> None:
            checked(op, kernel, operands, {**params, **self._lists(numbers)})

        return step

    def run_loaded(
        self,
        kernel: KernelFunction,
        buffers: Buffers,
        rates: Sequence[Buffer],
        settings: Settings,
    ) -> None:
        """Run like :meth:`run`, with :meth:`rates` in buffers."""
        assert self.loaded is not None
        params = self._params_for(settings, {}, buffers)
        checked(self.loaded, kernel, (*self._operands(buffers), *rates), params)

    def run_listed(
        self,
        kernels: Mapping[str, KernelFunction],
        buffers: Buffers,
        cells: Mapping[str, Sequence[Buffer]],
        settings: Settings,
    ) -> None:
        """Run like :meth:`run`, with each number of each weight in a buffer."""
        op = self._call.op
        lists = {
            name: tuple([cells[number][r] for r in self.rows])
            for name, number, _ in self._call.lists
        }
        params = self._params_for(settings, lists, buffers)
        checked(op, kernels[op.kernel], self._operands(buffers), params)

    def rates(self, numbers: Columns, dtype: str) -> list[Any]:
        """Rates and decays as arrays."""
        return [np.array(column, dtype) for column in self._lists(numbers).values()]

    def _lists(self, numbers: Columns) -> dict[str, Any]:
        """Return the parameters that hold a number for each weight."""
        call = self._call
        columns = [numbers[number] for _, number, _ in call.lists]
        # Rates change seldom within an epoch: parsed only if a column is another.
        if columns != self._columns:
            self._parsed = {
                name: param.parse(call.op.name, tuple([column[r] for r in self.rows]))
                for (name, _, param), column in zip(call.lists, columns, strict=True)
            }
            self._columns = columns
        return self._parsed

    def _params_for(
        self, settings: Settings, lists: Mapping[str, Any], buffers: Buffers
    ) -> dict[str, Any]:
        if settings is not self._settings:
            self._params = {**self._fixed, **self._call.keywords(settings.numbers)}
            self._settings = settings
        return {**self._params, **lists, "out": self._changed(buffers)}


def selector(positions: Sequence[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """Return a function that takes the items at these positions."""
    # itemgetter returns a tuple only for two and more keys.
    if len(positions) > 1:
        return itemgetter(*positions)
    return lambda items: tuple([items[k] for k in positions])


def _with_rates_in_arrays(call: Call) -> Operator | None:
    if [name for name, _, _ in call.lists] != ["lrs", "wds"]:
        return None
    name = call.op.name
    hidden = "_" if name.startswith("_") else ""
    try:
        return find(f"{hidden}preloaded_{name.removeprefix('_')}")  # as MXNet names them
    except ArgumentError:
        return None
