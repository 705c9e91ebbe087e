"""Calls of operators on arrays, as programs write them: MXNet's calling convention."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray.core import _dispatch
from hy_ndarray.core._array import Array
from hy_ndarray.devices._context import Context
from hy_ndarray.ops import Operator

__all__ = ["call"]


def call(
    op: Operator, args: Sequence[Any], kwargs: dict[str, Any], kind: type[Array] | None = None
) -> Any:
    """Call ``op`` on arrays, with inputs cast as the policy in force says.

    Args:
        op: The operator.
        args: Inputs, then parameters, by position.
        kwargs: Inputs and parameters by name; ``out``, the array to write to; ``ctx``, the place,
            for operators that create. ``name``, ``attr`` and ``__layout__`` are for symbols and
            have no effect.
        kind: Class of the result of an operator without inputs.
    """
    if not kwargs and len(args) == len(op.inputs) and op.plain and not op.variadic:
        return _dispatch.invoke(op, args, op.parse({}), casts=True)
    out = None
    if kwargs:
        out = kwargs.pop("out", None)
        kwargs.pop("name", None)
        kwargs.pop("attr", None)
        kwargs.pop("__layout__", None)
    bound = op.bind(args, kwargs)
    context = Context.parse(bound.ctx) if bound.ctx else None
    return _dispatch.invoke(
        op, bound.inputs, bound.params, out=out, context=context, kind=kind, casts=True
    )
