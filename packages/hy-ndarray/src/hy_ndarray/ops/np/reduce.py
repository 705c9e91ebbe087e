"""Reductions over axes: ``()`` reduces none of them, None all."""

from typing import Any, Literal

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.elementwise.casting import cast_like
from hy_ndarray.ops.families import family
from hy_ndarray.ops.np._rules import axes_of, is_floating, reduced
from hy_ndarray.ops.np.arithmetic import np_equal, np_multiply
from hy_ndarray.ops.record.params import Shape
from hy_ndarray.ops.record.rules import check_axis, like_result, same_dtype, same_shape
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import RESIZED, Traits
from hy_ndarray.ops.record.types import TensorType
from hy_ndarray.ops.reduce.reductions import expand_reduced, extreme_backward, mean_backward, others

Numeric = Literal["bool", "float16", "float32", "float64", "int32", "int64", "int8"]
Counting = Literal["float16", "float32", "float64", "int32", "int64", "int8"]


def _broadcast_back(dy: Any, saved: Saved) -> Any:
    """Return ``dy`` broadcast to the shape and dtype of the input of the reduction."""
    data, params = saved.inputs[0], saved.params
    if params["axis"] == ():
        return cast_like(dy, data)
    axes = {"axis": params["axis"], "keepdims": params.get("keepdims", False)}
    return expand_reduced(cast_like(dy, data), data, **axes)


def _sum_type(
    a: TensorType, axis: Shape | None, dtype: str | None, *, keepdims: bool
) -> TensorType:
    y = reduced(a, axis, keepdims=keepdims)
    if dtype is not None:
        return y.with_dtype(dtype)
    return y.with_dtype("int64") if a.dtype == "bool" else y


def _grad_sum(saved: Saved, dy: Any) -> tuple[Any]:
    return (_broadcast_back(dy, saved),)


def _grad_prod(saved: Saved, dy: Any) -> tuple[Any]:
    (a,) = saved.inputs
    if saved.params["axis"] == ():
        return (cast_like(dy, a),)
    scale = saved.params["initial"]
    dy = dy if scale is None else dy * scale
    return (_broadcast_back(dy, saved) * others(a, axis=saved.params["axis"]),)


def _of_total(
    a: TensorType,
    *,
    axis: Shape | None = None,
    dtype: Numeric | None = None,
    keepdims: bool = False,
    initial: float | None = None,
) -> TensorType:
    """Return the type of a sum or product.

    Args:
        a: ``[*shape]``, any dtype.
        axis: Axes to reduce; None for all, ``()`` for none.
        dtype: Dtype of the result and of the {note}s; that of ``a`` if None, int64 for booleans.
        keepdims: Keep the reduced axes, with size 1.
        initial: Number to begin with; if None, 0 for a sum and 1 for a product.

    Raises:
        ShapeError: ``axis`` is out of range.
    """
    return _sum_type(a, axis, dtype, keepdims=keepdims)


_total = family(_of_total, kernel="np_{}", name="_np_{}")

np_sum = _total(
    "sum", text="Return the sum of the elements along some axes.", note="sum", grad=_grad_sum
)
np_prod = _total(
    "prod",
    "_np_product",
    text="Return the product of the elements along some axes.",
    note="product",
    grad=_grad_prod,
)


def _grad_mean(saved: Saved, dy: Any) -> tuple[Any]:
    (a,) = saved.inputs
    if saved.params["axis"] == ():
        return (cast_like(dy, a),)
    axes = {"axis": saved.params["axis"], "keepdims": saved.params["keepdims"]}
    return (mean_backward(cast_like(dy, a), a, **axes),)


@operator("_npi_mean", grad=_grad_mean, traits=RESIZED)
def np_mean(
    a: TensorType,
    *,
    axis: Shape | None = None,
    dtype: Numeric | None = None,
    keepdims: bool = False,
    initial: float | None = None,
) -> TensorType:
    """Return the mean of the elements along some axes; 0 if there are none.

    Args:
        a: ``[*shape]``, any dtype.
        axis: Axes to reduce; None for all, ``()`` for none.
        dtype: Dtype of the sum and of the result; that of ``a`` if None, float32 for integers and
            booleans. In an integer dtype the sum wraps around on overflow, as in NumPy.
        keepdims: Keep the reduced axes, with size 1.
        initial: Added to the sum.

    Raises:
        ShapeError: ``axis`` is out of range.
    """
    y = reduced(a, axis, keepdims=keepdims)
    if dtype is not None:
        return y.with_dtype(dtype)
    return y if a.dtype is None or is_floating(a.dtype) else y.with_dtype("float32")


def _grad_extreme(saved: Saved, dy: Any) -> tuple[Any]:
    if saved.params["axis"] == ():
        return (np_multiply(dy, np_equal(saved.inputs[0], saved.outputs[0])),)
    axes = {"axis": saved.params["axis"], "keepdims": saved.params["keepdims"]}
    return (extreme_backward(dy, saved.inputs[0], saved.outputs[0], **axes),)


def _extreme(
    a: TensorType, axis: Shape | None, initial: float | None, *, keepdims: bool
) -> TensorType:
    reduced_axes = () if axis == () else axes_of(axis, a)
    empty = reduced_axes and a.shape is not None and any(a.shape[i] == 0 for i in reduced_axes)
    if empty and initial is None:
        raise ShapeError(
            f"cannot reduce {a.label}{a.shape} over axis={axis}: there are no elements to compare"
        )
    return reduced(a, axis, keepdims=keepdims)


@operator("_np_max", "_np_amax", grad=_grad_extreme)
def np_max(
    a: TensorType,
    *,
    axis: Shape | None = None,
    keepdims: bool = False,
    initial: float | None = None,
) -> TensorType:
    """Return the largest element along some axes; nan if any element is nan.

    Args:
        a: ``[*shape]``, any dtype.
        axis: Axes to reduce; None for all, ``()`` for none.
        keepdims: Keep the reduced axes, with size 1.
        initial: A number that is included in the comparison.

    Raises:
        ShapeError: ``axis`` is out of range, or there are no elements.

    Gradient:
        Every element that equals the maximum receives the full gradient.
    """
    return _extreme(a, axis, initial, keepdims=keepdims)


@operator("_np_min", "_np_amin", grad=_grad_extreme)
def np_min(
    a: TensorType,
    *,
    axis: Shape | None = None,
    keepdims: bool = False,
    initial: float | None = None,
) -> TensorType:
    """Return the smallest element along some axes; nan if any element is nan."""
    return _extreme(a, axis, initial, keepdims=keepdims)


def _no_influence(saved: Saved, dy: Any) -> tuple[None]:
    return (None,)


@operator("_np_degrees_of_freedom", grad=_no_influence)
def degrees_of_freedom(data: TensorType, *, axis: Shape | None = None, ddof: int = 0) -> TensorType:
    """Return ``n / (n - ddof)`` for ``n`` elements along the axes, as a 0-dimensional array."""
    reduced(data, axis)
    return data.with_shape(())


def _grad_of_variance(saved: Saved, dy: Any) -> Any:
    (a,) = saved.inputs
    axis, keepdims = saved.params["axis"], saved.params["keepdims"]
    if axis == ():
        return a * 0.0
    centred = a - expand_reduced(np_mean(a, axis=axis), a, axis=axis)
    share = mean_backward(cast_like(dy, a), a, axis=axis, keepdims=keepdims)
    scale = degrees_of_freedom(a, axis=axis, ddof=saved.params["ddof"])
    return np_multiply(share * centred * 2.0, scale)


def _grad_var(saved: Saved, dy: Any) -> tuple[Any]:
    return (_grad_of_variance(saved, dy),)


def _grad_std(saved: Saved, dy: Any) -> tuple[Any]:
    return (_grad_of_variance(saved, dy / (saved.outputs[0] * 2.0)),)


@operator("_npi_var", outputs=("var",), grad=_grad_var, traits=Traits(outputs_in_files=2))
def np_var(
    a: TensorType,
    *,
    axis: Shape | None = None,
    dtype: Counting | None = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> TensorType:
    """Return the variance of the elements along some axes.

    Args:
        a: ``[*shape]``, any dtype.
        axis: Axes to reduce; None for all, ``()`` for none.
        dtype: Dtype of the result; that of ``a`` if None.
        ddof: Delta degrees of freedom: the divisor is the number of elements minus ``ddof``.
        keepdims: Keep the reduced axes, with size 1.

    Raises:
        ShapeError: ``axis`` is out of range.
    """
    y = reduced(a, axis, keepdims=keepdims)
    return y if dtype is None else y.with_dtype(dtype)


@operator("_npi_std", outputs=("std",), grad=_grad_std, traits=Traits(outputs_in_files=2))
def np_std(
    a: TensorType,
    *,
    axis: Shape | None = None,
    dtype: Counting | None = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> TensorType:
    """Return the standard deviation along some axes: the square root of ``var``."""
    y = reduced(a, axis, keepdims=keepdims)
    return y if dtype is None else y.with_dtype(dtype)


@operator("_np_all", grad=_no_influence)
def np_all(data: TensorType, *, axis: Shape | None = None, keepdims: bool = False) -> TensorType:
    """Return whether all elements along some axes are nonzero, as booleans."""
    return reduced(data, axis, keepdims=keepdims).with_dtype("bool")


@operator("_np_any", "_np_sometrue", grad=_no_influence)
def np_any(data: TensorType, *, axis: Shape | None = None, keepdims: bool = False) -> TensorType:
    """Return whether any element along some axes is nonzero, as booleans."""
    return reduced(data, axis, keepdims=keepdims).with_dtype("bool")


def _index_type(data: TensorType, axis: int | None, *, keepdims: bool) -> TensorType:
    axes = None if axis is None else (axis,)
    return _extreme(data, axes, None, keepdims=keepdims).with_dtype("int64")


@operator("_npi_argmax", grad=_no_influence)
def np_argmax(data: TensorType, *, axis: int | None = None, keepdims: bool = False) -> TensorType:
    """Return the index (int64) of the largest element along an axis; of equal ones the first.

    Args:
        data: ``[*shape]``, any dtype.
        axis: The axis; None for the flattened array.
        keepdims: Keep the axis, with size 1.
    """
    return _index_type(data, axis, keepdims=keepdims)


@operator("_npi_argmin", grad=_no_influence)
def np_argmin(data: TensorType, *, axis: int | None = None, keepdims: bool = False) -> TensorType:
    """Return the index (int64) of the smallest element along an axis; of equal ones the first."""
    return _index_type(data, axis, keepdims=keepdims)


def _grad_spread_weights(saved: Saved, dy: Any) -> tuple[Any, None]:
    weights, a = saved.inputs
    return sum_weights(dy, weights, a, **saved.params), None


@operator("_np_spread_weights", grad=_grad_spread_weights)
def spread_weights(weights: TensorType, a: TensorType, *, axis: Shape | None = None) -> TensorType:
    """Return the weights broadcast to the shape of ``a``; ``[n]`` weights lie along ``axis``."""
    _check_weights(weights, a, axis)
    return a.with_dtype(weights.dtype)


def _grad_sum_weights(saved: Saved, dw: Any) -> tuple[Any, None, None]:
    return spread_weights(dw, saved.inputs[2], **saved.params), None, None


@operator("_np_sum_weights", grad=_grad_sum_weights)
def sum_weights(
    dy: TensorType, weights: TensorType, a: TensorType, *, axis: Shape | None = None
) -> TensorType:
    """Return the gradient of ``spread_weights``: ``dy`` summed to the shape of ``weights``."""
    same_shape(dy, a)
    _check_weights(weights, a, axis)
    return weights.with_dtype(dy.dtype)


def _check_weights(weights: TensorType, a: TensorType, axis: Shape | None) -> None:
    """Check that weights have the shape of ``a``, or one for each position along ``axis``."""
    if a.shape is not None and weights.rank == 1 != a.rank and axis is not None and len(axis) == 1:
        weights.set_shape((a.shape[check_axis(axis[0], a) or 0],))
    elif weights.rank is not None:
        weights.set_shape(a.shape)


def _grad_average(saved: Saved, dy: Any, dsum: Any = None) -> tuple[Any, Any]:
    a, weights = saved.inputs
    axis = saved.params["axis"]
    if not saved.params["weighted"]:
        return mean_backward(dy, a, axis=axis), None
    each = spread_weights(weights, a, axis=axis)
    share = expand_reduced(dy / np_sum(each, axis=axis), a, axis=axis)
    to_each = np_multiply(share, a - expand_reduced(saved.outputs[0], a, axis=axis))
    dweights = sum_weights(to_each, weights, a, axis=axis)
    if dsum is not None:
        dweights = dweights + total_backward(dsum, weights, a, axis=axis)
    return np_multiply(share, each), cast_like(dweights, weights)


def _grad_total_backward(saved: Saved, dw: Any) -> tuple[Any, None, None]:
    _, _, a = saved.inputs
    return total_weights(dw, a, axis=saved.params["axis"]), None, None


@operator("_np_total_weights_backward", grad=_grad_total_backward)
def total_backward(
    dy: TensorType, weights: TensorType, a: TensorType, *, axis: Shape | None = None
) -> TensorType:
    """Return the gradient of ``total_weights`` with respect to the weights."""
    like_result(dy, total_weights, weights, a, axis=axis)
    return weights.with_dtype(dy.dtype)


def _grad_total_weights(saved: Saved, dy: Any) -> tuple[Any, None]:
    weights, a = saved.inputs
    return total_backward(dy, weights, a, **saved.params), None


@operator("_np_total_weights", grad=_grad_total_weights)
def total_weights(weights: TensorType, a: TensorType, *, axis: Shape | None = None) -> TensorType:
    """Return the sum of the weights along ``axis``, the divisor of ``average``."""
    return _total_weights(weights, a, axis)


def _total_weights(weights: TensorType, a: TensorType, axis: Shape | None) -> TensorType:
    """Return the type of the sum of weights; 0-dimensional for 1-dimensional weights."""
    _check_weights(weights, a, axis)
    if weights.rank is None or a.rank is None:
        return weights.with_shape(None)
    return reduced(weights, None if weights.rank < a.rank else axis)


@operator(
    "_npi_average",
    active=lambda params: ("a", "weights") if params["weighted"] else ("a",),
    outputs=lambda params: ("output0", "output1"),
    visible=lambda params: 2 if params["returned"] else 1,
    grad=_grad_average,
)
def np_average(
    a: TensorType,
    weights: TensorType | None = None,
    *,
    axis: Shape | None = None,
    returned: bool = False,
    weighted: bool = True,
) -> tuple[TensorType, TensorType]:
    """Return the weighted mean of the elements along some axes.

    Args:
        a: ``[*shape]``, floating.
        weights: Same shape as ``a``, or one weight for each index along ``axis``.
        axis: Axes to reduce; None for all.
        returned: Also return the sums of weights; 0-dimensional if ``weights`` has one axis.
        weighted: Whether ``weights`` is given.
    """
    y = reduced(a, axis)
    if not weighted or weights is None:
        return y, y.with_dtype(y.dtype)
    same_dtype(a, weights)
    return y, _total_weights(weights, a, axis).with_dtype(y.dtype)
