"""Operand: the protocol of arrays and symbols, whose class decides how an operator is applied."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from hy_ndarray.devices._protocols import Params

if TYPE_CHECKING:
    from hy_ndarray.ops.record.schema import Operator

__all__ = ["Operand"]


class Operand(Protocol):
    """Operand of an operator: an array (hy-ndarray) or a graph node (hy-symbol)."""

    @classmethod
    def apply_operator(
        cls,
        op: "Operator",
        inputs: Sequence[Any],
        params: Params,
        is_train: bool | None = None,
        out: Any = None,
    ) -> Any:
        """Run ``op``, or add a node for it, without casts: for gradients and graph passes.

        Args:
            op: The operator.
            inputs: One operand per input, ``None`` for omitted optional inputs.
            params: All parameters in Python form.
            is_train: Training mode; the mode of the autograd scope if None.
            out: Array or arrays that receive the visible outputs; symbols refuse it.
        """

    @classmethod
    def call_operator(
        cls, op: "Operator", name: str, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Any:
        """Call ``op`` with a program's arguments, with inputs cast by the casting policy.

        Args:
            op: The operator.
            name: The name that the program uses; automatic node names begin with it.
            args: Inputs, then parameters.
            kwargs: Inputs and parameters by name, and options; the dict is consumed.
        """
