"""Lazy updates: optimizer steps that touch only the rows of a row_sparse gradient."""

from collections.abc import Callable, Sequence
from typing import Any

from hy_ndarray.array.ndarray import NDArray, array_from
from hy_ndarray.core import _dispatch
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops import Operator
from hy_ndarray.sparse.rows import rows_of, write_rows


def _if_lazy(weight: NDArray, params: Params) -> bool:  # noqa: ARG001  # others need it
    lazy: bool = params["lazy_update"]
    return lazy


def _if_sparse(weight: NDArray, params: Params) -> bool:  # noqa: ARG001  # others need them
    return weight.stype == "row_sparse"


def _without_decay(weight: NDArray, params: Params) -> bool:  # noqa: ARG001  # others need it
    return not params["wd"]


_LAZY: dict[str, Callable[[NDArray, Params], bool]] = {
    "sgd_update": _if_lazy,
    "sgd_mom_update": _if_lazy,
    "adam_update": _if_lazy,
    "ftrl_update": _if_sparse,
    "_sparse_adagrad_update": _without_decay,
    "_contrib_group_adagrad_update": lambda weight, params: True,  # noqa: ARG005
}
"""Operators ``(weight, grad, *states)``, with the condition on which MXNet updates only the rows of
the gradient."""


def updated_by_rows(op: Operator, inputs: Sequence[Any], params: Params, out: Any) -> Any:
    """Run an optimizer step only on the rows that the gradient stores; return the weight.

    Args:
        op: Any operator.
        inputs: Weight, gradient and states; the states are overwritten.
        params: The parameters of the operator.
        out: The weight, to update it in place; otherwise a copy is updated.

    Returns:
        The updated weight; None if ``op`` is another operator, or this call updates all rows.
    """
    lazy = _LAZY.get(op.name)
    if lazy is None or not all(isinstance(x, NDArray) for x in inputs):
        return None
    weight, grad, *states = inputs
    if grad.stype != "row_sparse" or not lazy(weight, params):
        return None
    # Left to the dense step, whose type rule explains the mismatch.
    if grad.shape != weight.shape or grad.dtype != weight.dtype:
        return None
    target = weight if out is weight else weight.copy()
    rows = grad._data.indices
    # The dense step runs on copies of the touched rows, which are written back.
    if len(rows):
        parts = [rows_of(x, rows) for x in (weight, *states)]
        step = array_from(grad._data.data, weight.context)
        _dispatch.invoke(op, (parts[0], step, *parts[1:]), params, out=parts[0])
        for array, part in zip((target, *states), parts, strict=True):
            write_rows(array, rows, part)
    return target
