"""DualCall, and the registry of rules that compute tangents of results."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops import Operator
from hy_ndarray.transforms._calls import Inner, apply, outputs_of

__all__ = ["RULES", "DualCall", "Rule", "rule", "total"]


class DualCall:
    """A call of an operator of which some operands have tangents.

    Args:
        op: The operator.
        primals: The values of operands; None for inputs left out.
        tangents: Their derivatives; None for zero.
        outputs: The results for the values, hidden ones included.
        params: The parameters.
        is_train: Training mode, where the operator asks for it.
    """

    __slots__ = ("is_train", "op", "outputs", "params", "primals", "tangents")

    def __init__(
        self,
        op: Operator,
        primals: Sequence[Inner | None],
        tangents: Sequence[Inner | None],
        outputs: Sequence[Inner],
        params: Params,
        is_train: bool | None,
    ) -> None:
        self.op = op
        self.primals = primals
        self.tangents = tangents
        self.outputs = outputs
        self.params = params
        self.is_train = is_train

    def run(self, inputs: Sequence[Inner | None]) -> tuple[Inner, ...]:
        """Return all results of the operator on other inputs."""
        return outputs_of(self.op, inputs, self.params, self.is_train)

    def tangent(self, index: int) -> Inner | None:
        """Return the tangent of an input, zeros if it is zero."""
        result, primal = self.tangents[index], self.primals[index]
        if result is not None or primal is None:
            return result
        zeros: Inner = apply("zeros_like", primal)
        return zeros


Rule: TypeAlias = Callable[[DualCall], Sequence[Inner | None] | None]
"""Returns the tangent of each output, None for zero; None if it does not apply."""

RULES: dict[str, Rule] = {}
"""Rules by the canonical name of the operator."""


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Register the decorated function as the rule of operators ``names``."""

    def enter(function: Rule) -> Rule:
        for name in names:
            assert name not in RULES, f"{name} has two rules"
            RULES[name] = function
        return function

    return enter


def total(terms: Sequence[Inner | None]) -> Inner | None:
    """Return the sum of tangents; None if all are zero."""
    result: Inner | None = None
    for term in terms:
        if term is not None:
            result = term if result is None else apply("broadcast_add", result, term)
    return result
