"""Rules and forms: descriptions of optimizer operators as data.

A form is one of the operators that MXNet derives from an update rule: ``mp_`` for a 16-bit weight
with a float32 master copy, ``multi_`` for many weights in one call, ``preloaded_`` for many weights
with learning rates and weight decays in arrays.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import Any

from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.optimizer.formula import Formula, Number, traced

__all__ = ["Form", "Rule"]

_MAX_RECENT = 64
"""Maximal number of formulas cached by their deciding hyperparameters; schedules need several."""
_PLAIN = frozenset((float, int))


@dataclass(frozen=True, eq=False)
class Rule:
    """Update rule of an optimizer: a Python function from which kernels are generated."""

    name: str
    """Name of the kernel of the single-weight form."""
    function: Callable[..., Any]
    arrays: tuple[str, ...]
    """Names of the weight, the gradient and the states."""
    numbers: tuple[str, ...]
    scalar_inputs: tuple[str, ...]
    """Names of hyperparameters that are operands of one element."""
    bounds: tuple[str, ...]
    """Names of bounds, which are absent if negative."""
    zeros: tuple[str, ...]
    """Names of hyperparameters whose value 0 removes terms."""
    guard: str
    """Name of the hyperparameter that skips the step if it is 0 or not finite; "" for none."""
    narrow: bool
    """Whether mixed-precision forms also take the 16-bit weight."""
    phases: tuple["Rule", ...]
    """The rules that make up this one, which tables may compute one by one."""
    _formulas: dict[tuple[Any, ...], Formula] = field(default_factory=dict)
    _recent: dict[Any, Formula] = field(default_factory=dict)
    """Cache by the deciding hyperparameters, and the types of all of them."""

    def formula(self, numbers: Sequence[Any], *, narrow: bool = False) -> Formula:
        """Return the formula for these hyperparameters, without absent bounds and decays."""
        kinds = tuple(map(type, numbers))
        if not _PLAIN.issuperset(kinds):
            return self._asked_formula(numbers, narrow)
        # The key has only the values that the formula depends on: a learning rate that changes in
        # each step finds the cached formula.
        key = self._asked(numbers), kinds, narrow
        formula = self._recent.get(key)
        if formula is None:
            if len(self._recent) >= _MAX_RECENT:
                self._recent.clear()
            formula = self._recent[key] = self._asked_formula(numbers, narrow)
        return formula

    def _asked_formula(self, numbers: Sequence[Any], narrow: bool) -> Formula:
        known = [
            self._special_value(name, x) for name, x in zip(self.numbers, numbers, strict=False)
        ]
        key = (*known, narrow)
        formula = self._formulas.get(key)
        if formula is None:
            open_or_known = [
                Number(name) if value is None else value
                for name, value in zip(self.numbers, key, strict=False)
            ]
            count = len(self.arrays) + narrow
            formula = traced(self.function, count, self.numbers, open_or_known)
            self._formulas[key] = formula
        return formula

    @cached_property
    def _asked(self) -> Callable[[Sequence[Any]], Any]:
        """Return a function that extracts the hyperparameters that determine the formula."""
        deciding = {*self.bounds, *self.zeros, "rescale_grad"}
        places = [k for k, name in enumerate(self.numbers) if name in deciding]
        return itemgetter(*places) if places else _nothing

    def _special_value(self, name: str, value: Any) -> Any:
        """Return the value if formulas are specialised for it, else None."""
        if isinstance(value, bool):
            return value
        if not isinstance(value, int | float):
            return None
        if name in self.bounds:
            return None if value >= 0 else -1.0  # nan means no bound, as in MXNet
        if name in self.zeros:
            return None if value else 0.0
        return 1.0 if name == "rescale_grad" and value == 1 else None


def _nothing(_: Sequence[Any]) -> None:
    """Return None: no hyperparameter determines the formula."""


@dataclass(frozen=True, eq=False)
class Form:
    """Operator form of a rule: for one or many weights, with or without mixed precision."""

    rule: Rule
    kernel: str
    mixed: bool = False
    many: bool = False
    preloaded: bool = False
    plural: Params = field(default_factory=dict)
    """Names of per-weight parameters, by the name of the hyperparameter."""
    count: str = ""
    """Name of the parameter with the number of weights."""
    direction: bool = False
    """Whether the result is the direction of a step instead of a weight."""
    by_rows: bool = False
    """Whether the state has one number per row of the weight."""

    @property
    def scalar_inputs(self) -> tuple[str, ...]:
        """Return the names of hyperparameters that are operands of one element."""
        return self.rule.scalar_inputs

    @property
    def guard(self) -> str:
        """Return the name of the hyperparameter that skips the step if 0 or not finite, or ""."""
        return self.rule.guard

    @property
    def group(self) -> int:
        """Return the number of arrays per weight."""
        return len(self.rule.arrays) + self.mixed

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the names of the operands for one weight."""
        own, scalar_inputs = self.rule.arrays, self.rule.scalar_inputs
        wide = ("weight32",) if self.mixed else ()
        return (*own, *wide, *scalar_inputs) if self.rule.guard else (*own, *scalar_inputs, *wide)

    @property
    def updated(self) -> tuple[str, ...]:
        """Return the names of the operands that are updated besides the weight, for one weight."""
        wide = ("weight32",) if self.mixed and not self.direction else ()
        return (*self.rule.arrays[2:], *wide)

    def updates(self, params: Params, is_train: bool) -> Sequence[str | int]:  # noqa: ARG002
        """Return the operands that the operator's record lists as updated."""
        if self.many:
            starts = range(0, params[self.count] * self.group, self.group)
            return tuple(i for start in starts for i in range(start + 2, start + self.group))
        if self.clips(params):
            return ("grad", *self.updated)
        return self.updated

    def clips(self, params: Params) -> bool:
        """Return whether the operator replaces the gradient by its clipped value, as MXNet does."""
        plain = self.rule.guard and not self.mixed and not self.many
        return bool(plain) and params["clip_gradient"] >= 0
