"""Tangent rules of ``tensorinv`` and ``tensorsolve`` and their gradients, by matrices."""

from collections.abc import Sequence
from math import prod

from hy_ndarray.transforms._calls import Inner, apply, reshaped
from hy_ndarray.transforms.forward.rule import DualCall, rule, total


def _matrix(array: Inner, rows: int) -> Inner:
    return reshaped(array, (rows, array.size // rows))


def _matrix_product(*matrices: Inner) -> Inner:
    result, *rest = matrices
    for each in rest:
        result = apply("dot", result, each)
    return result


def _transposed(array: Inner) -> Inner:
    result: Inner = apply("transpose", array)
    return result


def _negative(array: Inner) -> Inner:
    result: Inner = apply("negative", array)
    return result


@rule("_npi_tensorinv")
def _tensorinv(call: DualCall) -> Sequence[Inner | None]:
    """Return the tangent of the inverse, ``d(A⁻¹) = -A⁻¹ dA A⁻¹``."""
    (t,), (y,) = call.tangents, call.outputs
    assert t is not None
    rows = prod(t.shape[: call.params["ind"]])
    inverse = _matrix(y, rows)
    return (reshaped(_negative(_matrix_product(inverse, _matrix(t, rows), inverse)), y.shape),)


@rule("_np_tensorinv_backward")
def _tensorinv_backward(call: DualCall) -> Sequence[Inner | None]:
    """Return the tangent of ``-Yᵀ dY Yᵀ``, in the shape of ``a``; inputs are (dy, y, a)."""
    dy, y, a = call.primals
    assert dy is not None
    assert y is not None
    assert a is not None
    rows = prod(a.shape[: call.params["ind"]])
    left, middle = _transposed(_matrix(y, rows)), _matrix(dy, rows)
    terms: list[Inner | None] = []
    if (t := call.tangents[0]) is not None:
        terms.append(_matrix_product(left, _matrix(t, rows), left))
    if (t := call.tangents[1]) is not None:
        moved = _transposed(_matrix(t, rows))
        terms += _matrix_product(moved, middle, left), _matrix_product(left, middle, moved)
    result = total(terms)
    return (None if result is None else reshaped(_negative(result), a.shape),)


def _solve_axes(call: DualCall, rank: int) -> tuple[int, ...]:
    """Return the order of the axes of ``a`` with those in parameter ``a_axes`` moved last."""
    moved = [axis % rank for axis in call.params["a_axes"] or ()]
    return (*(i for i in range(rank) if i not in moved), *moved)


@rule("_npi_tensorsolve")
def _tensorsolve(call: DualCall) -> Sequence[Inner | None]:
    """Return the tangent of the solution, ``dx = A⁻¹ (db - dA x)``."""
    a, b = call.primals
    assert a is not None
    assert b is not None
    order, x = _solve_axes(call, a.ndim), call.outputs[0]
    matrix = _matrix(apply("transpose", a, axes=order), b.size)
    column = reshaped(x, (x.size, 1))
    terms: list[Inner | None] = []
    if (t := call.tangents[0]) is not None:
        moved = _matrix(apply("transpose", t, axes=order), b.size)
        terms.append(_negative(_matrix_product(moved, column)))
    if (t := call.tangents[1]) is not None:
        terms.append(reshaped(t, (b.size, 1)))
    right = total(terms)
    return (None if right is None else reshaped(apply("_npi_solve", matrix, right), x.shape),)


@rule("_np_tensorsolve_backward")
def _tensorsolve_backward(call: DualCall) -> Sequence[Inner | None]:
    """Return the tangent of ``db = A⁻ᵀ dy``, which is ``A⁻ᵀ (d(dy) - dAᵀ db)``."""
    _, a, b = call.primals
    assert a is not None
    assert b is not None
    order, n = _solve_axes(call, a.ndim), b.size
    terms: list[Inner | None] = []
    if (t := call.tangents[0]) is not None:
        terms.append(reshaped(t, (n, 1)))
    if (t := call.tangents[1]) is not None:
        moved = _matrix(apply("transpose", t, axes=order), n)
        terms.append(
            _negative(_matrix_product(_transposed(moved), reshaped(call.outputs[0], (n, 1))))
        )
    right = total(terms)
    if right is None:
        return (None,)
    matrix = _transposed(_matrix(apply("transpose", a, axes=order), n))
    return (reshaped(apply("_npi_solve", matrix, right), b.shape),)
