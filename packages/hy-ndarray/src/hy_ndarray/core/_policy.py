"""CastingPolicy: selects the dtype that an operator computes in (mixed precision)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops import Operator


@dataclass(frozen=True, slots=True)
class Casting:
    """Casts that a policy applies to the floating inputs of an operator."""

    dtype: str | None = None
    """The target dtype; None: the widest among the inputs."""
    unchanged: frozenset[str] = frozenset()
    """Names of the inputs that are not cast."""
    if_differing: bool = False
    """Cast only if the dtypes are known to differ; those of symbols rarely are."""


class CastingPolicy(Protocol):
    """Interface of the policies for :func:`set_casting_policy`."""

    def casting(self, op: Operator, inputs: Sequence[Any], params: Params) -> Casting | None:
        """Return the casts of a call's inputs; None to leave them unchanged.

        Args:
            op: The operator.
            inputs: One operand per input of the operator, None if omitted. Only its presence may
                be used, so that arrays and symbols are treated alike.
            params: All parameters in Python form.
        """

    def gradient_scale(self, op: Operator, *, traced: bool) -> float:
        """Return the scale for the gradient of an operator that ignores its head gradient.

        Args:
            op: The operator.
            traced: Whether the operator becomes a graph node, in which the scale is a constant.
        """
