"""Selection by a condition, assignment by a mask, and indices of elements."""

from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.adjoints import no_gradient
from hy_ndarray.ops.np._rules import broadcast_all, fitted
from hy_ndarray.ops.record.ranges import NonNegative
from hy_ndarray.ops.record.rules import broadcast_shapes, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator, pointwise
from hy_ndarray.ops.record.types import TensorType, merge_shapes, show


def _grad_where(saved: Saved, dy: Any) -> tuple[None, Any, Any]:
    condition, x, y = saved.inputs
    return (
        None,
        fitted(np_where_rscalar(condition, dy, scalar=0.0), x),
        fitted(np_where_lscalar(condition, dy, scalar=0.0), y),
    )


@pointwise("_npi_where", grad=_grad_where)
def np_where(condition: TensorType, x: TensorType, y: TensorType) -> TensorType:
    """Return elements of ``x`` where the condition is not 0, else elements of ``y``.

    Args:
        condition: ``[*shape]``, any dtype.
        x: A shape that broadcasts against the others.
        y: A shape that broadcasts against the others; same dtype as ``x``.

    Raises:
        DTypeError: ``x`` and ``y`` differ in dtype.

    Example:
        >>> from hy_ndarray import np
        >>> x = np.array([-1, 2])
        >>> np.where(x > 0, x, np.zeros(2))
        array([0., 2.])
    """
    same_dtype(x, y)
    return x.with_shape(broadcast_all(condition, x, y))


def _grad_where_lscalar(saved: Saved, dy: Any) -> tuple[None, Any]:
    condition, x = saved.inputs
    return None, fitted(np_where_lscalar(condition, dy, scalar=0.0), x)


@pointwise("_npi_where_lscalar", grad=_grad_where_lscalar)
def np_where_lscalar(condition: TensorType, x: TensorType, *, scalar: float = 0.0) -> TensorType:
    """Return ``scalar`` where the condition is not 0, else ``x``."""
    return x.with_shape(broadcast_all(condition, x))


def _grad_where_rscalar(saved: Saved, dy: Any) -> tuple[None, Any]:
    condition, y = saved.inputs
    return None, fitted(np_where_rscalar(condition, dy, scalar=0.0), y)


@pointwise("_npi_where_rscalar", grad=_grad_where_rscalar)
def np_where_rscalar(condition: TensorType, y: TensorType, *, scalar: float = 0.0) -> TensorType:
    """Return ``y`` where the condition is not 0, else ``scalar``."""
    return y.with_shape(broadcast_all(condition, y))


@pointwise("_npi_where_scalar2", grad=no_gradient)
def np_where_scalar2(condition: TensorType, *, x: float = 0.0, y: float = 0.0) -> TensorType:
    """Return the number ``x`` where the condition is not 0, else ``y``; float32."""
    return condition.with_dtype("float32")


@operator("_npx_nonzero", "_npi_nonzero")
def npx_nonzero(x: TensorType) -> TensorType:
    """Return the indices of the elements that are not 0, in row-major order.

    Their number depends on the values of the inputs, so shape inference leaves that size unknown.

    Args:
        x: ``[*shape]``, any dtype.

    Returns:
        ``[N, R]``, int64: a row of indices, one per axis, for each such element. A 0-dimensional
        array is treated as ``(1,)``.
    """
    return TensorType(None if x.rank is None else (None, max(x.rank, 1)), "int64")


@operator("_npx_constraint_check", grad=no_gradient)
def npx_constraint_check(input: TensorType, *, msg: str = "Constraint violated.") -> TensorType:
    """Return True if all elements are true; else raise an error with a message.

    Args:
        input: ``[*shape]``, booleans.
        msg: The message of the error.

    Returns:
        ``()``, bool.

    Raises:
        ArgumentError: An element is false.
    """
    return TensorType((), "bool")


@operator("_npi_share_memory")
def np_share_memory(a: TensorType, b: TensorType) -> TensorType:
    """Return whether two arrays may share memory, as a 0-dimensional boolean."""
    return TensorType((), "bool")


@operator("_npi_diag_indices_from")
def np_diag_indices_from(data: TensorType) -> TensorType:
    """Return the indices of the main diagonal of an array.

    Args:
        data: ``[N, N, …]``, at least two axes, all of one size.

    Returns:
        ``[R, N]``, int64: a row of indices for each axis.

    Raises:
        ShapeError: The axes differ in size.
    """
    if data.shape is None:
        return TensorType(None, "int64")
    known = {n for n in data.shape if n is not None}
    if len(data.shape) < 2 or len(known) > 1:
        raise ShapeError(
            f"{data.label}{show(data.shape)} must have at least 2 axes, all of the same size"
        )
    return TensorType((len(data.shape), next(iter(known), None)), "int64")


def _check_mask(data: TensorType, mask: TensorType, start: int) -> None:
    """Check that ``mask`` has the shape of the axes of ``data`` from ``start`` on."""
    if data.shape is None or mask.shape is None:
        return
    covered = data.shape[start : start + len(mask.shape)]
    if len(covered) != len(mask.shape):
        raise ShapeError(
            f"boolean index {show(mask.shape)} does not match {show(data.shape)} from axis {start} "
            "on"
        )
    mask.set_shape(covered)


@operator("_npi_boolean_mask_assign_scalar")
def np_boolean_mask_assign_scalar(
    data: TensorType, mask: TensorType, *, value: float, start_axis: NonNegative = 0
) -> TensorType:
    """Return ``data`` with a number assigned where a mask is not 0.

    Args:
        data: ``[*left, *M, *right]``, any dtype.
        mask: ``[*M]``.
        value: The number.
        start_axis: Number of axes in ``left``.
    """
    _check_mask(data, mask, start_axis)
    return data


@operator("_npi_boolean_mask_assign_tensor")
def np_boolean_mask_assign_tensor(
    data: TensorType, mask: TensorType, value: TensorType, *, start_axis: NonNegative = 0
) -> TensorType:
    """Return ``data`` with an array assigned where a mask is not 0.

    Args:
        data: ``[*left, *M, *right]``, any dtype.
        mask: ``[*M]``.
        value: An array that broadcasts to ``[*left, number of selected elements, *right]``.
        start_axis: Number of axes in ``left``.
    """
    _check_mask(data, mask, start_axis)
    if data.shape is not None and mask.rank is not None:
        right = data.shape[start_axis + mask.rank :]
        selected_shape = (*data.shape[:start_axis], None, *right)
        merge_shapes(broadcast_shapes(value.shape, selected_shape), selected_shape)
    return data
