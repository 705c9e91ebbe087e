"""DualCall, and the registry of rules for tangents."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops import Operator
from hy_ndarray.transforms._calls import Inner, apply, outputs_of, registering

__all__ = ["RULES", "DualCall", "Rule", "rule", "total"]


class DualCall:
    """Call of an operator in ``jvp`` of which some operands have tangents.

    Args:
        op: The operator.
        primals: The values of the operands; None for omitted inputs.
        tangents: The tangents of the operands; None for zero.
        outputs: The results of the call on the primals, including hidden ones.
        params: The parameters.
        is_train: Training mode, if the operator needs it.
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
        """Run the operator on other inputs; return all results."""
        return outputs_of(self.op, inputs, self.params, self.is_train)

    def tangent(self, index: int) -> Inner | None:
        """Return an input's tangent as an array, zeros in place of None."""
        result, primal = self.tangents[index], self.primals[index]
        if result is not None or primal is None:
            return result
        zeros: Inner = apply("zeros_like", primal)
        return zeros


Rule: TypeAlias = Callable[[DualCall], Sequence[Inner | None] | None]
"""Function that returns each output's tangent (None: zero), or None if it does not apply."""

RULES: dict[str, Rule] = {}
"""Tangent rules by the canonical name of the operator."""


rule = registering(RULES)
"""Decorator ``rule(*names)`` that registers the tangent rule of operators."""


def total(terms: Sequence[Inner | None]) -> Inner | None:
    """Return the sum of tangents, of which None stands for zero; None if all are zero."""
    result: Inner | None = None
    for term in terms:
        if term is not None:
            result = term if result is None else apply("broadcast_add", result, term)
    return result
