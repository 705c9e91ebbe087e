"""Norms of vectors and of matrices."""

import math
from typing import Any

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.ops.elementwise.unary import abs as absolute, sign
from hy_ndarray.ops.np._rules import reduced
from hy_ndarray.ops.np.arithmetic import np_equal, np_multiply
from hy_ndarray.ops.np.axes import np_moveaxis
from hy_ndarray.ops.np.linalg import np_svd
from hy_ndarray.ops.np.products import np_matmul
from hy_ndarray.ops.np.reduce import np_max, np_min, np_sum
from hy_ndarray.ops.record.params import Shape
from hy_ndarray.ops.record.rules import floating
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Traits
from hy_ndarray.ops.record.types import TensorType
from hy_ndarray.ops.reduce.reductions import expand_reduced, norm_backward
from hy_ndarray.ops.shaping.reshape import expand_dims

FLAT, GENERAL, SPECTRAL, FROBENIUS, NUCLEAR = -2, -1, 0, 1, 2
"""Values of MXNet's ``flag``, the kind of norm."""


def _expanded_gradient(dy: Any, data: Any, saved: Saved) -> Any:
    axis, keepdims = saved.params["axis"], saved.params["keepdims"]
    return expand_reduced(dy, data, axis=axis, keepdims=keepdims)


def _grad_singular(saved: Saved, dy: Any) -> Any:
    """Return the gradient of norms that are an extreme singular value, or the sum of all."""
    (data,) = saved.inputs
    axis = saved.params["axis"] or (0, 1)
    u, s, v = np_svd(np_moveaxis(data, source=axis, destination=(-2, -1)))
    if saved.params["flag"] != NUCLEAR:
        extreme = np_max if saved.params["ord"] > 0 else np_min
        picked = np_equal(s, extreme(s, axis=(-1,), keepdims=True))
        u = np_multiply(u, expand_dims(np_multiply(picked, s * 0.0 + 1.0), axis=-2))
    slope = np_moveaxis(np_matmul(u, v), source=(-2, -1), destination=axis)
    return slope * _expanded_gradient(dy, data, saved)


def _grad_sums(saved: Saved, dy: Any) -> Any:
    """Return the gradient of matrix norms that are the extreme row or column sum."""
    (data,) = saved.inputs
    rows, columns = saved.params["axis"] or (0, 1)
    along = (rows,) if abs(saved.params["ord"]) == 1 else (columns,)
    sums = np_sum(absolute(data), axis=along, keepdims=True)
    picked = np_equal(
        expand_reduced(sums, data, axis=along), _expanded_gradient(saved.outputs[0], data, saved)
    )
    return np_multiply(_expanded_gradient(dy, data, saved) * sign(data), picked)


def _grad_norm(saved: Saved, dy: Any) -> tuple[Any]:
    (data,) = saved.inputs
    ord_, axis, flag = (saved.params[name] for name in ("ord", "axis", "flag"))
    axes = {"axis": axis, "keepdims": saved.params["keepdims"]}
    if flag in (FLAT, FROBENIUS) or ((axis is None or len(axis) == 1) and ord_ in (1, 2)):
        power = 1 if flag == GENERAL and ord_ == 1 else 2
        return (norm_backward(dy, data, saved.outputs[0], ord=power, **axes),)
    if flag in (SPECTRAL, NUCLEAR):
        return (_grad_singular(saved, dy),)
    if axis is not None and len(axis) == 2:
        return (_grad_sums(saved, dy),)
    if ord_ == 0:
        return (None,)
    spread, y = (
        _expanded_gradient(dy, data, saved) * sign(data),
        _expanded_gradient(saved.outputs[0], data, saved),
    )
    if math.isinf(ord_):
        return (np_multiply(spread, np_equal(absolute(data), y)),)
    return (spread * (absolute(data) / y) ** (ord_ - 1),)


@operator("_npi_norm", outputs=("output0",), grad=_grad_norm, traits=Traits(outputs_in_files=4))
def np_norm(
    data: TensorType,
    *,
    ord: float = 2.0,
    axis: Shape | None = None,
    flag: int = -1,
    keepdims: bool = False,
) -> TensorType:
    """Return the norm of vectors or matrices.

    Args:
        data: ``[*shape]``, floating.
        ord: The order of the norm, as in ``np.linalg.norm``: any number for vectors; 1, 2,
            infinity and their negatives for matrices.
        axis: The axis of vectors, or the two axes of matrices; None for all axes.
        flag: The kind of norm: -2, the 2-norm of the flattened array; -1, given by ``ord``; 0, the
            largest or smallest singular value, by the sign of ``ord``; 1, Frobenius; 2, nuclear.
        keepdims: Keep the reduced axes, with size 1.

    Raises:
        ShapeError: ``axis`` is out of range, or names more than two axes.
    """
    floating(data)
    if flag != FROBENIUS and axis is not None and len(axis) > 2:
        raise ShapeError(f"axis={axis} must name one axis (vector norms) or two (matrix norms)")
    if flag in (GENERAL, SPECTRAL, NUCLEAR) and axis is None and data.rank is not None:
        limits = (1, 2) if flag == GENERAL else (2,)
        if data.rank not in limits:
            raise ShapeError(
                f"axis is required for {data!r} with {data.rank} axes; pass one (vector norms) or "
                "two (matrix norms)"
            )
    axes = data.rank if axis is None else len(axis)
    if flag == GENERAL and axes == 2 and abs(ord) not in (1, 2, math.inf):
        raise ArgumentError(
            f"ord={ord} is not supported for matrices; use 1, 2, inf, -1, -2 or -inf"
        )
    return reduced(data, axis, keepdims=keepdims)
