"""Optimizer steps run operator by operator, for updates that have no compiled program."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from hy_gluon.optimizer.rule import HasRule, Numbers, arrays_in
from hy_ndarray import ArgumentError, NDArray, dtype_name
from hy_ndarray.sparse.rows import rows_of, write_rows

__all__ = ["apply", "check_arrays", "is_sparse"]


def apply(
    optimizer: HasRule,
    weight: NDArray,
    grad: NDArray,
    state: Any,
    numbers: Numbers,
    variant: Any,
) -> None:
    """Update a weight and its state by the optimizer's rule, operator by operator."""
    n = SimpleNamespace(**numbers, variant=variant, dtype=dtype_name(weight.dtype))
    if grad.stype == "row_sparse" and optimizer.rule_by_rows(weight, n):
        _apply_by_rows(optimizer, weight, grad, state, n)
        # MXNet's lazy update: rows without a gradient keep weight and states.
        return
    new, after = optimizer.rule(
        weight, grad.tostype("default") if is_sparse(grad) else grad, state, n
    )
    for target, value in zip(arrays_in(state), arrays_in(after), strict=True):
        if value is not target:
            target[:] = value
    weight[:] = new


def check_arrays(weights: Sequence[Any], grads: Sequence[Any]) -> None:
    """Raise an error if weights or gradients are not arrays.

    Raises:
        ArgumentError: A weight or gradient is not an NDArray.
    """
    for array in (*weights, *grads):
        if not isinstance(array, NDArray):
            raise ArgumentError(f"weights and gradients must be NDArrays, not {array!r}")


def is_sparse(array: NDArray) -> bool:
    """Return whether the array has row_sparse or csr storage."""
    return array.stype != "default"


def _apply_by_rows(
    optimizer: HasRule, weight: NDArray, grad: Any, state: Any, n: SimpleNamespace
) -> None:
    """Update only the rows of a weight that a row_sparse gradient stores (lazy update)."""
    rows = grad.indices.asnumpy()
    if not len(rows):
        return
    # Rows are taken out, changed densely, and written back.
    part = rows_of(weight, rows)
    parts = _mapped(lambda x: rows_of(x, rows), state)
    new, after = optimizer.rule(part, grad.data, parts, n)
    write_rows(weight, rows, new)
    for target, value in zip(arrays_in(state), arrays_in(after), strict=True):
        write_rows(target, rows, value)


def _mapped(function: Callable[[NDArray], NDArray], state: Any) -> Any:
    """Return a nested tuple with ``function`` applied to each array; None stays None."""
    if isinstance(state, list | tuple):
        return type(state)(_mapped(function, part) for part in state)
    return None if state is None else function(state)
