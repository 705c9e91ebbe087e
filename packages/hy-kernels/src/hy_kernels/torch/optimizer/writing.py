"""The text of a rule as calls of torch's functions on lists of tensors.

A product or quotient that is scaled and added is one call, where its factor is a number.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from hy_kernels.record import Function
from hy_kernels.steps import Formula, constant_of

__all__ = ["written"]

_CALLS = {
    "broadcast_add": "add",
    "broadcast_div": "div",
    "broadcast_mul": "mul",
    "broadcast_sub": "sub",
    "div_scalar": "div",
    "minus_scalar": "sub",
    "mul_scalar": "mul",
    "plus_scalar": "add",
    "sign": "sign",
    "sqrt": "sqrt",
}


class _Term(NamedTuple):
    """A value that waits to be added: ``factor * first``, ``* second`` or ``/ second``."""

    kind: str
    operands: tuple[int, ...]
    factor: str


def written(formula: Formula, *, joins: bool) -> Function:
    """Return a function of columns and constants, which overwrites weights and states.

    Args:
        formula: What it computes.
        joins: Whether constants are numbers, so that calls may take them as factors.
    """
    text = "\n    ".join(["def step(columns, constants):", *_Lines(formula, joins).all()])
    scope: dict[str, Any] = {
        name: getattr(torch, name) for name in dir(torch) if name.startswith("_foreach_")
    }
    # Text that is compiled once: a loop over steps would look functions up at each call.
    exec(text, scope)  # noqa: S102  # of the names above
    step: Function = scope["step"]
    return step


class _Lines:
    """Writes the calls of a formula, in order; a call overwrites its first operand if it may."""

    def __init__(self, formula: Formula, joins: bool) -> None:
        self._formula = formula
        self._joins = joins
        self._terms: dict[int, _Term] = {}
        self._lines: list[str] = []
        self._uses = Counter(x for step in formula.steps for x in step.operands)
        self._uses.update(formula.results)
        # Results overwrite columns 0 (weights) and from 2 on (states); 1 is the gradient.
        places = (0, *range(2, formula.inputs))
        self._place = dict(zip(formula.results, places, strict=False))

    def all(self) -> list[str]:
        """Return all lines of the function's source."""
        names = [f"v{i}" for i in range(self._formula.inputs)]
        self._lines.append(f"{', '.join(names)}, = columns")
        for k, step in enumerate(self._formula.steps):
            value = self._formula.inputs + k
            params = {name: self._number(x) for name, x in step.params.items()}
            if not (self._joins and self._is_deferred(value, step.kernel, step.operands, params)):
                self._add(value, step.kernel, list(step.operands), params)
        for value, place in self._place.items():
            if value != place:
                self._lines.append(f"if v{value} is not columns[{place}]:")
                self._lines.append(f"    _foreach_copy_(columns[{place}], v{value})")
        return self._lines

    def _number(self, value: Any) -> str:
        constant = constant_of(value)
        return repr(value) if constant is None else f"constants[{constant}]"

    def _is_deferred(
        self, value: int, kernel: str, operands: Sequence[int], params: dict[str, str]
    ) -> bool:
        """Whether a value is left to the call that adds it, which alone needs it."""
        if self._uses[value] != 1 or value in self._place or not self._is_added(value):
            return False
        if kernel == "mul_scalar":
            inner = self._terms.pop(operands[0], None)
            factor = params["scalar"]
            if inner is None:
                self._terms[value] = _Term("add", tuple(operands), factor)
            else:
                self._terms[value] = inner._replace(factor=f"{inner.factor} * {factor}")
            return True
        kind = {"square": "addcmul", "broadcast_mul": "addcmul", "broadcast_div": "addcdiv"}
        if kernel not in kind or any(x in self._terms for x in operands):
            return False
        pair = (operands[0], operands[-1])
        self._terms[value] = _Term(kind[kernel], pair, "1")
        return True

    def _is_added(self, value: int) -> bool:
        """Whether its only use is to be added or taken away, perhaps after it is scaled."""
        for k, step in enumerate(self._formula.steps):
            if value not in step.operands:
                continue
            if step.kernel == "mul_scalar":
                after = self._formula.inputs + k
                return self._uses[after] == 1 and after not in self._place and self._is_added(after)
            is_sum = step.kernel in ("broadcast_add", "broadcast_sub")
            # Only the second operand: addcmul adds the product to the first.
            return is_sum and step.operands[1] == value != step.operands[0]
        return False

    def _add(self, value: int, kernel: str, operands: list[int], params: dict[str, str]) -> None:
        """Write the call that makes a value."""
        term = self._terms.pop(operands[-1], None) if len(operands) > 1 else None
        if term is not None:
            minus = "-" if kernel == "broadcast_sub" else ""
            alpha = "alpha=" if term.kind == "add" else "value="
            more = [*(f"v{x}" for x in term.operands), f"{alpha}{minus}({term.factor})"]
            self._call(value, term.kind, operands[:1], more, term.operands)
        elif kernel == "clip":
            # _foreach has no clamp with two ends.
            self._call(value, "clamp_min", operands, [params["a_min"]], ())
            self._lines.append(f"_foreach_clamp_max_(v{value}, {params['a_max']})")
        elif kernel == "square":
            self._call(value, "mul", [operands[0]], [f"v{operands[0]}"], ())
        else:
            commutes = kernel in ("broadcast_add", "broadcast_mul")
            # The first operand is overwritten, so a free one goes there.
            if commutes and not self._is_free(operands[0], operands[1:]):
                operands.reverse()
            more = [f"v{x}" for x in operands[1:]] + [
                x for name, x in params.items() if name == "scalar"
            ]
            self._call(value, _CALLS[kernel], operands[:1], more, operands[1:])

    def _is_free(self, value: int, others: Sequence[int]) -> bool:
        """Return whether nobody needs a value any more, so that it may be overwritten."""
        # Value 1 is the gradient, which belongs to the caller.
        return self._uses[value] == 1 and value != 1 and value not in others

    def _call(
        self, value: int, name: str, first: list[int], more: list[str], others: Sequence[int]
    ) -> None:
        (one,) = first
        is_free = self._is_free(one, others)
        self._uses.subtract([one, *others])
        if is_free:
            self._lines.append(f"_foreach_{name}_({', '.join([f'v{one}', *more])})")
            self._lines.append(f"v{value} = v{one}")
        else:
            self._lines.append(f"v{value} = _foreach_{name}({', '.join([f'v{one}', *more])})")
