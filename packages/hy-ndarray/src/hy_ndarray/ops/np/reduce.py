"""Reductions over axes: ``()`` reduces none of them, None all."""

from typing import Any, Literal

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.adjoints import gradient_by, no_gradient
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


def _not_empty(a: TensorType, axis: Shape | None) -> None:
    """Check that there are elements to compare along the axes."""
    axes = () if axis == () else axes_of(axis, a)
    if axes and a.shape is not None and any(a.shape[i] == 0 for i in axes):
        raise ShapeError(
            f"cannot reduce {a.label}{a.shape} over axis={axis}: there are no elements to compare"
        )


def _of_extreme(
    a: TensorType,
    *,
    axis: Shape | None = None,
    keepdims: bool = False,
    initial: float | None = None,
) -> TensorType:
    """Return the type of a maximum or minimum.

    Args:
        a: ``[*shape]``, any dtype.
        axis: Axes to reduce; None for all, ``()`` for none.
        keepdims: Keep the reduced axes, with size 1.
        initial: A number that is included in the comparison.

    Raises:
        ShapeError: ``axis`` is out of range, or there are no elements.

    Gradient:
        Every element that equals the {note} receives the full gradient.
    """
    if initial is None:
        _not_empty(a, axis)
    return reduced(a, axis, keepdims=keepdims)


_extreme = family(_of_extreme, kernel="np_{}", name="_np_{}", grad=_grad_extreme)

np_max = _extreme(
    "max",
    "_np_amax",
    text="Return the largest element along some axes; nan if any element is nan.",
    note="maximum",
)
np_min = _extreme(
    "min",
    "_np_amin",
    text="Return the smallest element along some axes; nan if any element is nan.",
    note="minimum",
)


@operator("_np_degrees_of_freedom", grad=no_gradient)
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


def _of_spread(
    a: TensorType,
    *,
    axis: Shape | None = None,
    dtype: Counting | None = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> TensorType:
    """Return the type of a variance or standard deviation.

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


_spread = family(_of_spread, kernel="np_{}", name="_npi_{}", traits=Traits(outputs_in_files=2))

np_var = _spread(
    "var",
    text="Return the variance of the elements along some axes.",
    outputs=("var",),
    grad=_grad_var,
)
np_std = _spread(
    "std",
    text="Return the standard deviation along some axes: the square root of ``var``.",
    outputs=("std",),
    grad=_grad_std,
)


def _of_logic(data: TensorType, *, axis: Shape | None = None, keepdims: bool = False) -> TensorType:
    """Return the type of whether all elements, or any, are nonzero."""
    return reduced(data, axis, keepdims=keepdims).with_dtype("bool")


_logic = family(_of_logic, kernel="np_{}", name="_np_{}", grad=no_gradient)

np_all = _logic("all", text="Return whether all elements along some axes are nonzero, as booleans.")
np_any = _logic(
    "any",
    "_np_sometrue",
    text="Return whether any element along some axes is nonzero, as booleans.",
)


def _of_search(data: TensorType, *, axis: int | None = None, keepdims: bool = False) -> TensorType:
    """Return the type of the index of a largest or smallest element.

    Args:
        data: ``[*shape]``, any dtype.
        axis: The axis; None for the flattened array.
        keepdims: Keep the axis, with size 1.
    """
    axes = None if axis is None else (axis,)
    _not_empty(data, axes)
    return reduced(data, axes, keepdims=keepdims).with_dtype("int64")


_search = family(_of_search, kernel="np_{}", name="_npi_{}", grad=no_gradient)

np_argmax = _search(
    "argmax",
    text="Return the index (int64) of the largest element along an axis; of equal ones the first.",
)
np_argmin = _search(
    "argmin",
    text="Return the index (int64) of the smallest element along an axis; of equal ones the first.",
)


@operator("_np_spread_weights", grad=gradient_by("_np_sum_weights", 0, 1))
def spread_weights(weights: TensorType, a: TensorType, *, axis: Shape | None = None) -> TensorType:
    """Return the weights broadcast to the shape of ``a``; ``[n]`` weights lie along ``axis``."""
    _check_weights(weights, a, axis)
    return a.with_dtype(weights.dtype)


@operator("_np_sum_weights", grad=gradient_by("_np_spread_weights", 2))
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


@operator("_np_total_weights_backward", grad=gradient_by("_np_total_weights", 2))
def total_backward(
    dy: TensorType, weights: TensorType, a: TensorType, *, axis: Shape | None = None
) -> TensorType:
    """Return the gradient of ``total_weights`` with respect to the weights."""
    like_result(dy, total_weights, weights, a, axis=axis)
    return weights.with_dtype(dy.dtype)


@operator("_np_total_weights", grad=gradient_by("_np_total_weights_backward", 0, 1))
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
