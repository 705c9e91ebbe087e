"""Joined: one call of an operator that changes any number of weights, and what it is told."""

from collections.abc import Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any, TypeAlias

from hy_gluon.optimizer.rule import HasRule, Numbers, RuleProgram, checked
from hy_ndarray import Buffer, KernelFunction

__all__ = ["Columns", "Joined", "Settings"]

Columns: TypeAlias = Mapping[str, Sequence[float]]
"""Numbers of all weights, by name."""


class Settings:
    """What a rule is told of the optimizer beside the numbers of each weight.

    Args:
        optimizer: The optimizer; its class names the settings in ``rule_settings``.
    """

    def __init__(self, optimizer: HasRule) -> None:
        names = ("rescale_grad", "clip_gradient", *optimizer.rule_settings)
        self._get = attrgetter(*names)
        self.values: tuple[Any, ...] = self._get(optimizer)
        bound = optimizer.clip_gradient
        least = None if bound is None else -bound
        self.numbers: Numbers = {
            **dict(zip(names, self.values, strict=True)),
            "least_gradient": least,
        }

    def hold_for(self, optimizer: HasRule) -> bool:
        """Whether the optimizer has no others at present."""
        return bool(self._get(optimizer) == self.values)

    @property
    def unset(self) -> frozenset[str]:
        """Those that are None, which a rule may ask for."""
        return frozenset(name for name, value in self.numbers.items() if value is None)


class Joined:
    """Weights that one call of an operator changes."""

    def __init__(self, rows: Sequence[int], program: RuleProgram) -> None:
        self.rows = rows
        self._call = program.calls[0]
        assert program.count is not None
        self._fixed = {**self._call.fixed, program.count: len(rows)}
        self._settings: Settings | None = None
        self._params = self._fixed
        each = len(self._call.operands)
        weights = range(0, each * len(rows), each)
        self._changed = (*weights, *self._call.op.updated(self._fixed, False))

    def run(
        self,
        kernels: Mapping[str, KernelFunction],
        given: Sequence[Sequence[Buffer]],
        numbers: Columns,
        settings: Settings,
    ) -> None:
        """Change the weights and their states."""
        call = self._call
        if settings is not self._settings:
            self._params = {**self._fixed, **call.given(settings.numbers)}
            self._settings = settings
        operands = list(chain.from_iterable([given[r] for r in self.rows]))
        params = self._params.copy()
        for name, number, param in call.lists:
            column = numbers[number]
            params[name] = param.parse(call.op.name, tuple([column[r] for r in self.rows]))
        params["out"] = tuple([operands[i] for i in self._changed])
        checked(call.op, kernels[call.op.kernel], operands, params)
