"""Rules and forms as data: the descriptions of optimizer operators.

A form is one of the operators that MXNet derives from a rule: ``mp_`` steps a weight of 16 bits
that is kept in float32 beside, ``multi_`` many weights in one call, ``preloaded_`` those with rates
and decays in arrays.
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
"""Formulas that are found without a look at each number; schedules of decays need many."""
_PLAIN = frozenset((float, int))


@dataclass(frozen=True, eq=False)
class Rule:
    """Optimizer rule: a Python function of placeholders, from which kernels are generated."""

    name: str
    """Of the kernel of its single form."""
    function: Callable[..., Any]
    arrays: tuple[str, ...]
    """Weight, gradient and states."""
    numbers: tuple[str, ...]
    scalar_inputs: tuple[str, ...]
    """The numbers that are operands of one element."""
    bounds: tuple[str, ...]
    """Those of which a negative one is none."""
    zeros: tuple[str, ...]
    """Those of which 0 leaves something out."""
    guard: str
    """The number with which a step is left out where it is 0 or not finite; "": there is none."""
    narrow: bool
    """Whether it also takes the weight of 16 bits, in mixed forms."""
    phases: tuple["Rule", ...]
    """The rules it is made of, which tables may compute one by one."""
    _formulas: dict[tuple[Any, ...], Formula] = field(default_factory=dict)
    _recent: dict[Any, Formula] = field(default_factory=dict)
    """By the numbers whose value decides, and the types of all."""

    def formula(self, numbers: Sequence[Any], *, narrow: bool = False) -> Formula:
        """Return the formula for these numbers, without the terms of absent bounds and decays."""
        kinds = tuple(map(type, numbers))
        if not _PLAIN.issuperset(kinds):
            return self._asked_formula(numbers, narrow)
        # A rate that differs in each step is asked for nothing but that it is a number: what was
        # asked of the others before need not be asked again.
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
        """Return a function that takes the numbers whose value decides about the formula."""
        deciding = {*self.bounds, *self.zeros, "rescale_grad"}
        places = [k for k, name in enumerate(self.numbers) if name in deciding]
        return itemgetter(*places) if places else _nothing

    def _special_value(self, name: str, value: Any) -> Any:
        """Return the number if formulas are specialised for its value, else None."""
        if isinstance(value, bool):
            return value
        if not isinstance(value, int | float):
            return None
        if name in self.bounds:
            return None if value >= 0 else -1.0  # nan bounds nothing, as in MXNet
        if name in self.zeros:
            return None if value else 0.0
        return 1.0 if name == "rescale_grad" and value == 1 else None


def _nothing(_: Sequence[Any]) -> None:
    """Return None: no number decides."""


@dataclass(frozen=True, eq=False)
class Form:
    """Operator form of a rule: single or multiple weights, in one precision or two."""

    rule: Rule
    kernel: str
    mixed: bool = False
    many: bool = False
    preloaded: bool = False
    plural: Params = field(default_factory=dict)
    """Names of the parameters that hold a number for each weight, by those of the numbers."""
    count: str = ""
    """The parameter that says how many weights there are."""
    direction: bool = False
    """Whether the result is no weight but the direction of a step."""
    by_rows: bool = False
    """Whether the state has one number for each row of the weight."""

    @property
    def scalar_inputs(self) -> tuple[str, ...]:
        """Return the numbers that are passed as operands of one element."""
        return self.rule.scalar_inputs

    @property
    def guard(self) -> str:
        """Return the name of the rule's condition for updating, such as a finite gradient."""
        return self.rule.guard

    @property
    def group(self) -> int:
        """Return the number of arrays per weight."""
        return len(self.rule.arrays) + self.mixed

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the names of a form's operands, for one weight."""
        own, scalar_inputs = self.rule.arrays, self.rule.scalar_inputs
        wide = ("weight32",) if self.mixed else ()
        return (*own, *wide, *scalar_inputs) if self.rule.guard else (*own, *scalar_inputs, *wide)

    @property
    def updated(self) -> tuple[str, ...]:
        """Return the names of the operands that a form overwrites, for one weight."""
        wide = ("weight32",) if self.mixed and not self.direction else ()
        return (*self.rule.arrays[2:], *wide)

    def updates(self, params: Params, is_train: bool) -> Sequence[str | int]:  # noqa: ARG002
        """Return which operands the operator's record lists as updated."""
        if self.many:
            starts = range(0, params[self.count] * self.group, self.group)
            return tuple(i for start in starts for i in range(start + 2, start + self.group))
        if self.clips(params):
            return ("grad", *self.updated)
        return self.updated

    def clips(self, params: Params) -> bool:
        """Return whether the operator overwrites the gradient by its clipped value, as in MXNet."""
        plain = self.rule.guard and not self.mixed and not self.many
        return bool(plain) and params["clip_gradient"] >= 0
