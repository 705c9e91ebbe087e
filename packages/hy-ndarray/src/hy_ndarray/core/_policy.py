"""CastingPolicy: selects the dtype that an operator computes in (mixed precision)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops import Operator

__all__ = ["Casting", "CastingPolicy"]


@dataclass(frozen=True, slots=True)
class Casting:
    """Casts of the floating inputs of an operator."""

    dtype: str | None = None
    """None: the widest among them."""
    unchanged: frozenset[str] = frozenset()
    """Names of the inputs that stay as they are."""
    if_differing: bool = False
    """Only where their dtypes are known to differ; of symbols that is rarely known."""


class CastingPolicy(Protocol):
    """Policy for :func:`set_casting_policy`."""

    def casting(self, op: Operator, inputs: Sequence[Any], params: Params) -> Casting | None:
        """Return the casts of the inputs of a call; None: they stay as they are.

        Args:
            op: The operator.
            inputs: One operand per input of the operator, None for those left out; only whether
                there is one counts, so that arrays and symbols are treated the same way.
            params: All parameters in Python form.
        """

    def gradient_scale(self, op: Operator, *, traced: bool) -> float:
        """Return the factor on the gradient of an operator that ignores its head gradient.

        Args:
            op: The operator.
            traced: Whether it becomes a node of a graph, for which the factor stays what it is.
        """
