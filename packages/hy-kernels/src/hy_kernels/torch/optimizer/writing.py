"""Code generation: a rule's formula as source of torch calls, on tensors or lists of them.

A product or quotient that is scaled and added becomes one call if its factor is a number.
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
    """Deferred term of a sum: ``factor * first``, perhaps times or divided by ``second``."""

    kind: str
    operands: tuple[int, ...]
    factor: str


def written(formula: Formula, *, joins: bool, lists: bool = True) -> Function:
    """Return the compiled function of a formula; it takes a row and constants, and updates the row.

    Args:
        formula: The formula.
        joins: Whether constants are numbers, so that they can be factors in fused calls.
        lists: Whether the row consists of lists of tensors. A row of single tensors takes half the
            time if they are small.
    """
    lines = _Lines(formula, joins, lists).all()
    text = "\n    ".join(["def step(row, constants):", *lines])
    scope: dict[str, Any] = {
        name: getattr(torch, name) for name in dir(torch) if name.startswith("_foreach_")
    }
    scope["torch"] = torch
    # Text that is compiled once: a loop over steps would look functions up at each call.
    exec(text, scope)  # noqa: S102  # of the names above
    function: Function = scope["step"]
    return function


class _Lines:
    """Generator of source lines; a call overwrites its first operand if that has no other use."""

    def __init__(self, formula: Formula, joins: bool, lists: bool) -> None:
        self._formula = formula
        self._joins = joins
        self._lists = lists
        self._form = "_foreach_{name}({first}, {more})" if lists else "{first}.{name}({more})"
        self._terms: dict[int, _Term] = {}
        self._lines: list[str] = []
        self._uses = Counter(x for step in formula.steps for x in step.operands)
        self._uses.update(formula.results)
        # Results overwrite columns 0 (weights) and from 2 on (states); 1 is the gradient.
        targets = (0, *range(2, formula.inputs))
        self._targets = dict(zip(formula.results, targets, strict=False))
        self._names = {value: f"v{value}" for value in range(formula.inputs)}

    def all(self) -> list[str]:
        """Return the lines of the function's body."""
        self._lines.append(f"{', '.join(self._names.values())} = row")
        for k, step in enumerate(self._formula.steps):
            value = self._formula.inputs + k
            params = {name: self._literal(x) for name, x in step.params.items()}
            if not (self._joins and self._is_deferred(value, step.kernel, step.operands, params)):
                self._add(value, step.kernel, list(step.operands), params)
        for value, target in self._targets.items():
            if self._names[value] != f"v{target}":
                self._lines.append(self._text("copy_", f"v{target}", self._names[value]))
        return self._lines

    def _text(self, name: str, first: str, *more: str) -> str:
        return self._form.format(name=name, first=first, more=", ".join(more))

    def _literal(self, value: Any) -> str:
        constant = constant_of(value)
        return repr(value) if constant is None else f"constants[{constant}]"

    def _is_deferred(
        self, value: int, kernel: str, operands: Sequence[int], params: dict[str, str]
    ) -> bool:
        """Return whether a value was deferred, to be fused into the call that adds it."""
        if self._uses[value] != 1 or value in self._targets or not self._is_added(value):
            return False
        if kernel == "mul_scalar":
            inner = self._terms.pop(operands[0], None)
            factor = params["scalar"]
            if inner is None:
                self._terms[value] = _Term(kind="add", operands=tuple(operands), factor=factor)
            else:
                self._terms[value] = inner._replace(factor=f"{inner.factor} * {factor}")
            return True
        kind = {"square": "addcmul", "broadcast_mul": "addcmul", "broadcast_div": "addcdiv"}
        if kernel not in kind or any(x in self._terms for x in operands):
            return False
        pair = (operands[0], operands[-1])
        self._terms[value] = _Term(kind=kind[kernel], operands=pair, factor="1")
        return True

    def _is_added(self, value: int) -> bool:
        """Return whether a value is only used as a term of a sum or difference, perhaps scaled."""
        for k, step in enumerate(self._formula.steps):
            if value not in step.operands:
                continue
            if step.kernel == "mul_scalar":
                after = self._formula.inputs + k
                return (
                    self._uses[after] == 1 and after not in self._targets and self._is_added(after)
                )
            is_sum = step.kernel in ("broadcast_add", "broadcast_sub")
            # Only the second operand: addcmul adds the product to the first.
            return is_sum and step.operands[1] == value != step.operands[0]
        return False

    def _add(self, value: int, kernel: str, operands: list[int], params: dict[str, str]) -> None:
        """Write the call that computes a value."""
        term = self._terms.pop(operands[-1], None) if len(operands) > 1 else None
        if term is not None:
            minus = "-" if kernel == "broadcast_sub" else ""
            alpha = "alpha=" if term.kind == "add" else "value="
            more = [self._names[x] for x in term.operands]
            more.append(f"{alpha}{minus}({term.factor})")
            self._call(value, term.kind, operands[0], more, term.operands)
        elif kernel == "clip":
            # _foreach has no clamp with two ends.
            self._call(value, "clamp_min", operands[0], [params["a_min"]], ())
            self._lines.append(self._text("clamp_max_", self._names[value], params["a_max"]))
        elif kernel == "square":
            self._call(value, "mul", operands[0], [self._names[operands[0]]], ())
        else:
            commutes = kernel in ("broadcast_add", "broadcast_mul")
            # The first operand is overwritten, so a free one goes there.
            if commutes and not self._is_free(operands[0], operands[1:]):
                operands.reverse()
            more = [self._names[x] for x in operands[1:]]
            more += [x for name, x in params.items() if name == "scalar"]
            self._call(value, _CALLS[kernel], operands[0], more, operands[1:])

    def _is_free(self, value: int, others: Sequence[int]) -> bool:
        """Return whether this is a value's last use, so that its memory may be overwritten."""
        # Value 1 is the gradient, which belongs to the caller.
        return self._uses[value] == 1 and value != 1 and value not in others

    def _call(
        self, value: int, name: str, first: int, more: Sequence[str], others: Sequence[int]
    ) -> None:
        own, target = self._names[first], self._targets.get(value)
        is_free = self._is_free(first, others)
        self._uses.subtract([first, *others])
        if is_free:
            self._names[value] = own
            self._lines.append(self._text(f"{name}_", own, *more))
        elif not self._lists and target is not None and self._is_vacant(f"v{target}"):
            self._names[value] = f"v{target}"
            self._lines.append(f"torch.{name}({', '.join([own, *more, f'out=v{target}'])})")
        else:
            self._names[value] = f"v{value}"
            self._lines.append(f"v{value} = {self._text(name, own, *more)}")

    def _is_vacant(self, name: str) -> bool:
        """Return whether no value held by a variable is used again."""
        return all(self._uses[x] == 0 for x, own in self._names.items() if own == name)
