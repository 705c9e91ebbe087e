"""Calls on sparse operands that MXNet refuses."""

from collections.abc import Callable, Sequence
from typing import Any

from hy_ndarray._errors import ArgumentError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops import Operator

__all__ = ["check_storage"]


def check_storage(op: Operator, inputs: Sequence[Any], params: Params) -> None:
    """Raise an error if MXNet refuses the call for its operands' storage types.

    Args:
        op: Any operator.
        inputs: Arrays, at least one of them sparse; None for omitted ones.
        params: The parameters of the operator.

    Raises:
        ArgumentError: MXNet refuses the call.

    Example:
        >>> from hy_ndarray import nd
        >>> from hy_ndarray.ops import find
        >>> x = nd.array([[0, 2]]).tostype("csr")
        >>> check_storage(find("clip"), [x], {"a_min": -1, "a_max": 1})
    """
    refusal = _REFUSED.get(op.name)
    kinds = [getattr(x, "stype", "default") for x in inputs]
    reason = None if refusal is None else refusal(kinds, params)
    if reason is not None:
        raise ArgumentError(f"{op.name}: operands are stored as {', '.join(kinds)}: {reason}")


def _clip(_: Sequence[str], params: Params) -> str | None:
    if params["a_min"] <= 0 <= params["a_max"]:
        return None
    return "bounds that leave no zeros are for dense arrays; use tostype('default') first"


def _batch_norm(_: Sequence[str], params: Params) -> str | None:
    if not params["fix_gamma"]:
        return None
    return "give fix_gamma=False, or make them dense with tostype('default')"


def _retain(kinds: Sequence[str], _: Params) -> str | None:
    return None if kinds[0] == "row_sparse" else "rows are retained of row_sparse arrays alone"


_REFUSED: dict[str, Callable[[Sequence[str], Params], str | None]] = {
    "BatchNorm": _batch_norm,
    "_sparse_retain": _retain,
    "clip": _clip,
}
"""For each operator, a function that returns why a call is refused, or None."""
