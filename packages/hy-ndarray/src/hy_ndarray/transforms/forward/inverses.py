"""Inverses of tensors: as those of matrices, whose derivatives are products with them."""

from collections.abc import Sequence
from math import prod
from typing import Any

from hy_ndarray.transforms._calls import Inner, apply, reshaped
from hy_ndarray.transforms.forward.rule import DualCall, rule, total

__all__: list[str] = []


def _matrix(array: Inner, rows: int) -> Inner:
    return reshaped(array, (rows, array.size // rows))


def _times(*matrices: Inner) -> Inner:
    found, *rest = matrices
    for each in rest:
        found = apply("dot", found, each)
    return found


def _turned(array: Inner) -> Inner:
    found: Inner = apply("transpose", array)
    return found


def _negative(array: Inner) -> Inner:
    found: Inner = apply("negative", array)
    return found


@rule("_npi_tensorinv")
def _tensorinv(call: DualCall) -> Sequence[Inner | None]:
    """``d(A⁻¹) = -A⁻¹ dA A⁻¹``."""
    (t,), (y,) = call.tangents, call.outputs
    assert t is not None
    rows = prod(t.shape[: call.params["ind"]])
    inverse = _matrix(y, rows)
    return (reshaped(_negative(_times(inverse, _matrix(t, rows), inverse)), y.shape),)


@rule("_np_tensorinv_backward")
def _tensorinv_backward(call: DualCall) -> Sequence[Inner | None]:
    """``(dy, y, a) -> -Yᵀ dY Yᵀ``; ``a`` gives the shape."""
    dy, y, a = call.primals
    assert dy is not None
    assert y is not None
    assert a is not None
    rows = prod(a.shape[: call.params["ind"]])
    left, middle = _turned(_matrix(y, rows)), _matrix(dy, rows)
    terms: list[Inner | None] = []
    if (t := call.tangents[0]) is not None:
        terms.append(_times(left, _matrix(t, rows), left))
    if (t := call.tangents[1]) is not None:
        moved = _turned(_matrix(t, rows))
        terms += _times(moved, middle, left), _times(left, middle, moved)
    found = total(terms)
    return (None if found is None else reshaped(_negative(found), a.shape),)


def _order(call: DualCall, rank: int) -> tuple[int, ...]:
    """The axes of ``a`` with those that are moved to the end."""
    moved = [axis % rank for axis in call.params["a_axes"] or ()]
    return (*(i for i in range(rank) if i not in moved), *moved)


@rule("_npi_tensorsolve")
def _tensorsolve(call: DualCall) -> Sequence[Inner | None]:
    """``dx = A⁻¹ (db - dA x)``."""
    a, b = call.primals
    assert a is not None
    assert b is not None
    order, x = _order(call, a.ndim), call.outputs[0]
    matrix = _matrix(apply("transpose", a, axes=order), b.size)
    column = reshaped(x, (x.size, 1))
    terms: list[Inner | None] = []
    if (t := call.tangents[0]) is not None:
        moved = _matrix(apply("transpose", t, axes=order), b.size)
        terms.append(_negative(_times(moved, column)))
    if (t := call.tangents[1]) is not None:
        terms.append(reshaped(t, (b.size, 1)))
    right = total(terms)
    return (None if right is None else reshaped(apply("_npi_solve", matrix, right), x.shape),)


@rule("_np_tensorsolve_backward")
def _tensorsolve_backward(call: DualCall) -> Sequence[Inner | None]:
    """``db = A⁻ᵀ dy`` and ``dA = -db xᵀ``, by the product rule."""
    dy, a, b = call.primals
    assert dy is not None
    assert a is not None
    assert b is not None
    order, n = _order(call, a.ndim), b.size

    def solved(matrix: Inner, right: Inner) -> Any:
        return apply("_npi_solve", matrix, reshaped(right, (n, 1)))

    wide = apply("transpose", a, axes=order)
    matrix = _matrix(wide, n)
    db, x = solved(_turned(matrix), dy), solved(matrix, b)
    ta, tb, tdy = call.tangents[1], call.tangents[2], call.tangents[0]
    moved = None if ta is None else _matrix(apply("transpose", ta, axes=order), n)
    to_db = total(
        [
            None if tdy is None else reshaped(tdy, (n, 1)),
            None if moved is None else _negative(_times(_turned(moved), db)),
        ]
    )
    to_x = total(
        [
            None if tb is None else reshaped(tb, (n, 1)),
            None if moved is None else _negative(_times(moved, x)),
        ]
    )
    ddb = None if to_db is None else solved(_turned(matrix), to_db)
    dx = None if to_x is None else solved(matrix, to_x)
    to_a = total(
        [
            None if ddb is None else _times(ddb, _turned(x)),
            None if dx is None else _times(db, _turned(dx)),
        ]
    )
    if to_a is not None:
        back = tuple(order.index(i) for i in range(a.ndim))
        to_a = apply("transpose", reshaped(_negative(to_a), wide.shape), axes=back)
    return (to_a, None if ddb is None else reshaped(ddb, b.shape))
