"""Mean and variance, cumulative sums, and properties of whole arrays."""

from math import prod
from typing import Any, Literal

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.record.params import Count, Shape
from hy_ndarray.ops.record.rules import check_axis, like_result, reduced, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import TensorType
from hy_ndarray.ops.reduce.reductions import expand_reduced, mean_backward


def _grad_moments(saved: Saved, dmean: Any, dvar: Any) -> tuple[Any]:
    (data,) = saved.inputs
    axes = {"axis": saved.params["axes"], "keepdims": saved.params["keepdims"]}
    centred = data - expand_reduced(saved.outputs[0], data, **axes)
    spread = mean_backward(dvar, data, **axes) * centred
    return (mean_backward(dmean, data, **axes) + spread * 2.0,)


@operator("moments", outputs=("output0", "output1"), grad=_grad_moments)
def moments(
    data: TensorType, *, axes: Shape | None = None, keepdims: bool = False
) -> tuple[TensorType, TensorType]:
    """Return the mean and variance of the elements along some axes.

    Args:
        data: ``[*shape]``.
        axes: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.

    Returns:
        The mean, and the variance (divided by the number of elements), each in the shape of
        ``data`` without the reduced axes; ``(1,)`` if no axis is left.

    Raises:
        ShapeError: ``axes`` is out of range.

    Example:
        >>> from hy_ndarray import nd
        >>> mean, variance = nd.moments(nd.array([1, 3]), axes=0)
        >>> mean.asscalar().item(), variance.asscalar().item()
        (2.0, 1.0)
    """
    mean = reduced(data, axes, keepdims=keepdims)
    return mean, mean.with_dtype(mean.dtype)


@operator("_np_cumsum", "cumsum", grad=gradient_by("_cumsum_backward", 0))
def cumsum(
    a: TensorType,
    *,
    axis: int | None = None,
    dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
) -> TensorType:
    """Return the cumulative sum along an axis.

    Args:
        a: ``[*shape]``, any dtype.
        axis: The axis to sum along; None for the flattened array.
        dtype: Dtype of the result and of the sums; that of ``a`` if None, int64 for bool.

    Returns:
        The shape of ``a``; flat if ``axis`` is None.

    Raises:
        ShapeError: ``axis`` is out of range.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.cumsum(nd.array([1, 2, 3])).asnumpy()
        array([1., 3., 6.], dtype=float32)
    """
    y = a
    if axis is None:
        y = a.with_shape((None if a.sizes is None else prod(a.sizes),))
    else:
        check_axis(axis, a)
    if dtype is None and a.dtype == "bool":
        return y.with_dtype("int64")
    return y if dtype is None else y.with_dtype(dtype)


@operator("_cumsum_backward", grad=gradient_by("_np_cumsum"), params_of=cumsum)
def cumsum_backward(dy: TensorType, a: TensorType, **params: Any) -> TensorType:
    """Return the reverse cumulative sum of ``dy``, in the type of ``a``."""
    like_result(dy, cumsum, a, **params)
    return a


def _grad_square_sum(saved: Saved, dy: Any) -> tuple[Any]:
    (data,) = saved.inputs
    return (expand_reduced(dy, data, **saved.params) * data * 2.0,)


@operator("_square_sum", grad=_grad_square_sum)
def square_sum(
    data: TensorType, *, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False
) -> TensorType:
    """Return the sum of squares along some axes.

    Args:
        data: ``[*shape]``.
        axis: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.
        exclude: Reduce all axes except ``axis``.

    Returns:
        The shape of ``data`` without the reduced axes; ``(1,)`` if no axis is left.

    Raises:
        ShapeError: ``axis`` is out of range.
    """
    return reduced(data, axis, keepdims=keepdims, exclude=exclude)


@operator("multi_sum_sq")
def multi_sum_sq(*data: TensorType, num_arrays: Count) -> TensorType:
    """Return the sum of squares of each array.

    Args:
        data: Arrays of any shapes and one floating dtype.
        num_arrays: Number of arrays.

    Returns:
        ``[num_arrays]``, float32.

    Raises:
        ShapeError: The number of arrays is not ``num_arrays``.
        DTypeError: The arrays differ in dtype.
    """
    _check_count(data, num_arrays)
    same_dtype(*data)
    return TensorType((num_arrays,), "float32")


@operator("all_finite")
def all_finite(data: TensorType, *, init_output: bool = True) -> TensorType:
    """Return 1 if all elements are finite, else 0.

    Args:
        data: ``[*shape]``, floating.
        init_output: Accepted and ignored.

    Returns:
        ``[1]``, float32.
    """
    return TensorType((1,), "float32")


@operator("multi_all_finite")
def multi_all_finite(
    *data: TensorType, num_arrays: Count = 1, init_output: bool = True
) -> TensorType:
    """Return 1 if all elements of all arrays are finite, else 0.

    Args:
        data: Arrays of any shapes and one floating dtype.
        num_arrays: Number of arrays.
        init_output: Accepted and ignored.

    Returns:
        ``[1]``, float32.

    Raises:
        ShapeError: The number of arrays is not ``num_arrays``.
    """
    _check_count(data, num_arrays)
    return TensorType((1,), "float32")


def _check_count(data: tuple[TensorType, ...], wanted: int) -> None:
    if len(data) != wanted:
        raise ShapeError(f"num_arrays={wanted}, but {len(data)} arrays were given")


@operator("_contrib_allclose")
def allclose(
    a: TensorType,
    b: TensorType,
    *,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = True,
) -> TensorType:
    """Return 1 if ``|a - b| <= atol + rtol * |b|`` everywhere, else 0.

    Args:
        a: ``[*shape]``.
        b: Same shape and dtype as ``a``.
        rtol: Tolerance relative to ``b``.
        atol: Absolute tolerance.
        equal_nan: Whether nan equals nan.

    Returns:
        A 0-dimensional uint8.

    Raises:
        ShapeError: The shapes differ.
    """
    a.set_shape(b.shape)
    b.set_shape(a.shape)
    same_dtype(a, b)
    return TensorType((), "uint8")
