"""Operand: the protocol of arrays and symbols, which decide what a call of an operator does."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from hy_ndarray.devices._protocols import Params

if TYPE_CHECKING:
    from hy_ndarray.ops.record.schema import Operator

__all__ = ["Operand"]


class Operand(Protocol):
    """Operand of an operator: an array (hy-ndarray) or a node of a graph (hy-symbol)."""

    @classmethod
    def apply_operator(
        cls,
        op: "Operator",
        inputs: Sequence[Any],
        params: Params,
        is_train: bool | None = None,
        out: Any = None,
    ) -> Any:
        """Run ``op``, or add a node for it, without casts: for gradients and passes.

        Args:
            op: The operator.
            inputs: One operand per input, ``None`` where an optional one is left out.
            params: All parameters in Python form.
            is_train: Training mode; that of the autograd scope if None.
            out: Array, or arrays, to hold the visible outputs; an operand without memory refuses.
        """

    @classmethod
    def call_operator(
        cls, op: "Operator", name: str, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Any:
        """Call ``op`` as a program does, with inputs cast as the policy in force says.

        Args:
            op: The operator.
            name: What the program calls it; automatic names of nodes begin with it.
            args: Inputs, then parameters.
            kwargs: Inputs and parameters by name, and options; it is used up.
        """
