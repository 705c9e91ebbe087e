"""Percentiles, counts, distinct elements, differences, padding, deletion and insertion."""

from typing import Any, Literal

from hy_ndarray._errors import ArgumentError, AutogradError, DTypeError, ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.adjoints import Linear, gradient_by
from hy_ndarray.ops.np._lengths import check_index, inserted, length, resized, slice_length
from hy_ndarray.ops.np._rules import reduced
from hy_ndarray.ops.np.joining import join_backward
from hy_ndarray.ops.np.reduce import np_sum
from hy_ndarray.ops.np.shaping import npx_reshape
from hy_ndarray.ops.record.params import Pairs, Shape
from hy_ndarray.ops.record.ranges import NonNegative
from hy_ndarray.ops.record.rules import check_axis, expect_rank, like_result, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import PartialShape, TensorType, show

Between = Literal["higher", "linear", "lower", "midpoint", "nearest"]


@operator(
    "_npi_percentile", active=lambda params: ("a", "q") if params["q_scalar"] is None else ("a",)
)
def np_percentile(
    a: TensorType,
    q: TensorType | None = None,
    *,
    axis: Shape | None = None,
    interpolation: Between = "linear",
    keepdims: bool = False,
    q_scalar: float | None = None,
) -> TensorType:
    """Return percentiles of the elements along some axes.

    Args:
        a: ``[*shape]``, any dtype.
        q: ``[*Q]`` percentages, from 0 to 100.
        axis: Axes to reduce; None for all.
        interpolation: Method between two elements: linear, one of them, or their midpoint.
        keepdims: Keep the reduced axes, with size 1.
        q_scalar: A single percentage instead of ``q``.

    Returns:
        ``[*Q, *rest]``, float64 if ``a`` is, else float32.
    """
    if q_scalar is not None and not 0 <= q_scalar <= 100:  # percent
        raise ArgumentError(f"q={q_scalar} must be between 0 and 100 percent")
    y = reduced(a, axis, keepdims=keepdims)
    dtype = None if a.dtype is None else "float64" if a.dtype == "float64" else "float32"
    if q is None:
        return y.with_dtype(dtype)
    expect_rank(q, 0, 1, 2)
    known = q.shape is not None and y.shape is not None
    shape = (*(q.shape or ()), *(y.shape or ())) if known else None
    return TensorType(shape, dtype)


def _bincount_inputs(params: Params) -> tuple[str, ...]:
    return ("data", "weights") if params["has_weights"] else ("data",)


@operator("_npi_bincount", active=_bincount_inputs)
def np_bincount(
    data: TensorType,
    weights: TensorType | None = None,
    *,
    minlength: NonNegative = 0,
    has_weights: bool = False,
) -> TensorType:
    """Return the count of each number, or the sum of its weights.

    Its length depends on the values of the inputs, so shape inference leaves it unknown.

    Args:
        data: ``[N]``, integers that are not negative.
        weights: ``[N]``.
        minlength: Least length of the result.
        has_weights: Whether ``weights`` is given.

    Returns:
        ``[largest number + 1]``, in the dtype of ``data``, or of ``weights`` if given.
    """
    expect_rank(data, 1)
    if data.dtype is not None and not data.dtype.startswith(("int", "uint")):
        raise DTypeError(f"{data!r} must hold integers")
    if weights is None:
        return data.with_shape((None,))
    weights.set_shape(data.shape)
    return weights.with_shape((None,))


def _unique_outputs(params: Params) -> tuple[str, ...]:
    more = sum(params[f"return_{name}"] for name in ("index", "inverse", "counts"))
    return ("output",) if not more else tuple(f"output{i}" for i in range(more + 1))


@operator("_npi_unique", outputs=_unique_outputs)
def np_unique(
    data: TensorType,
    *,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Any:
    """Return the distinct elements, or slices along an axis, in ascending order.

    Their number depends on the values of the inputs, so shape inference leaves that size unknown.

    Args:
        data: ``[*shape]``, any dtype.
        return_index: Also return the index of the first occurrence of each.
        return_inverse: Also return for each element its index among the distinct ones.
        return_counts: Also return the number of occurrences of each.
        axis: The axis of slices; None for elements of the flattened array.

    Returns:
        The distinct elements, and the requested int64 arrays.
    """
    shape: PartialShape | None = (None,)
    size = None
    if axis is not None:
        at = check_axis(axis, data)
        shape = None
        if data.shape is not None and at is not None:
            size = data.shape[at]
            shape = (*data.shape[:at], None, *data.shape[at + 1 :])
    elif data.sizes is not None:
        size = 1
        for n in data.sizes:
            size *= n
    more = [TensorType((None,), "int64")] * return_index
    more += [TensorType((size,), "int64")] * return_inverse
    more += [TensorType((None,), "int64")] * return_counts
    return (data.with_shape(shape), *more) if more else data.with_shape(shape)


def _grad_polyval(saved: Saved, dy: Any) -> tuple[Any, Any]:
    p, x = saved.inputs
    return polyval_backward(dy, p, x), dy * np_polyval(polyder(p), x)


@operator("_npi_polyval", grad=_grad_polyval)
def np_polyval(p: TensorType, x: TensorType) -> TensorType:
    """Return the values of a polynomial at ``x``.

    Args:
        p: ``[N]``, the coefficients, highest power first.
        x: ``[*shape]``, the dtype of ``p``.
    """
    expect_rank(p, 1)
    same_dtype(p, x)
    return x


def _grad_polyval_backward(saved: Saved, dp: Any) -> tuple[Any, None, Any]:
    dy, _, x = saved.inputs
    return np_polyval(dp, x), None, dy * np_polyval(polyder(dp), x)


@operator("_np_polyval_backward", grad=_grad_polyval_backward)
def polyval_backward(dy: TensorType, p: TensorType, x: TensorType) -> TensorType:
    """Return the gradient of ``polyval`` with respect to the coefficients."""
    like_result(dy, np_polyval, p, x)
    return p


@operator("_np_polyder", grad=gradient_by("_np_polyder_backward"))
def polyder(p: TensorType) -> TensorType:
    """Return the coefficients of a polynomial's derivative, with a leading 0."""
    expect_rank(p, 1)
    return p


@operator("_np_polyder_backward", grad=gradient_by("_np_polyder"))
def polyder_backward(dq: TensorType) -> TensorType:
    """Return the gradient of ``polyder`` with respect to the coefficients."""
    expect_rank(dq, 1)
    return dq


_DIFF = Linear()


@operator("_npi_diff", grad=_DIFF.grad)
def np_diff(a: TensorType, *, n: NonNegative = 1, axis: int = -1) -> TensorType:
    """Return the differences of adjacent elements along an axis.

    Args:
        a: ``[*left, N, *right]`` with ``N`` at ``axis``, any dtype but bool.
        n: Number of times that differences are taken.
        axis: The axis.

    Returns:
        ``[*left, N - n, *right]``; empty if ``n`` exceeds ``N``.
    """
    at = check_axis(axis, a)
    if a.shape is None or at is None:
        return a.with_shape(None)
    size = a.shape[at]
    return a.with_shape(
        (*a.shape[:at], None if size is None else max(size - n, 0), *a.shape[at + 1 :])
    )


diff_backward = _DIFF.gradient_of(np_diff, "diff_backward", "_np_diff_backward")


def _arrays_around(params: Params) -> list[str]:
    """Return whether the start and the end are ``"array"``, ``"number"`` or ``"nothing"``."""
    ends = []
    for side in ("to_begin", "to_end"):
        array, number = params[f"{side}_arr_given"], params[f"{side}_scalar"]
        ends.append("array" if array else "nothing" if number is None else "number")
    return ends


def _ediff1d_inputs(params: Params) -> tuple[str, ...]:
    return ("input1", "input2", "input3")[: 1 + _arrays_around(params).count("array")]


def _grad_ediff1d(saved: Saved, dy: Any) -> tuple[Any, ...]:
    data, *end_values = saved.inputs
    arrays = iter(end_values)
    begin, end = _arrays_around(saved.params)
    middle = np_ediff1d(data)
    one = npx_reshape(np_sum(data), newshape=(1,))
    parts = [next(arrays) if begin == "array" else one] * (begin != "nothing")
    parts.append(middle)
    parts += [next(arrays) if end == "array" else one] * (end != "nothing")
    gradients = join_backward(dy, *parts, axis=0, parts=len(parts))
    pieces = [gradients] if len(parts) == 1 else [gradients[i] for i in range(len(parts))]
    to_data = ediff1d_backward(pieces[int(begin != "nothing")], data)
    to_ends = [pieces[0]] * (begin == "array") + [pieces[-1]] * (end == "array")
    return (to_data, *to_ends, *[None] * (2 - len(to_ends)))


@operator("_npi_ediff1d", active=_ediff1d_inputs, grad=_grad_ediff1d)
def np_ediff1d(
    input1: TensorType,
    input2: TensorType | None = None,
    input3: TensorType | None = None,
    *,
    to_begin_arr_given: bool = False,
    to_end_arr_given: bool = False,
    to_begin_scalar: float | None = None,
    to_end_scalar: float | None = None,
) -> TensorType:
    """Return the differences of adjacent elements of the flattened array.

    Args:
        input1: ``[*shape]``, any dtype but bool.
        input2: The values to prepend, with ``to_begin_arr_given``; else the values to append.
        input3: The values to append, if arrays are given for both.
        to_begin_arr_given: Whether an array of values to prepend is given.
        to_end_arr_given: Whether an array of values to append is given.
        to_begin_scalar: A number to prepend.
        to_end_scalar: A number to append.

    Returns:
        ``[N]``.
    """
    total = 0
    for i, t in enumerate(t for t in (input1, input2, input3) if t is not None):
        if t.sizes is None:
            return input1.with_shape((None,))
        count = 1
        for n in t.sizes:
            count *= n
        total += count if i else max(count - 1, 0)
    numbers = sum(value is not None for value in (to_begin_scalar, to_end_scalar))
    return input1.with_shape((total + numbers,))


@operator("_np_ediff1d_backward", grad=gradient_by("_npi_ediff1d"))
def ediff1d_backward(dy: TensorType, data: TensorType) -> TensorType:
    """Return the gradient of the differences with respect to ``data``."""
    like_result(dy, np_ediff1d, data)
    return data.with_dtype(dy.dtype)


Mode = Literal["constant", "edge", "maximum", "minimum", "reflect", "symmetric"]


_PAD = Linear()


def _grad_pad(saved: Saved, dy: Any) -> tuple[Any]:
    mode = saved.params["mode"]
    if mode in ("maximum", "minimum"):
        raise AutogradError(f"_npi_pad is not differentiable with mode={mode!r}")
    return _PAD.grad(saved, dy)


@operator("_npi_pad", grad=_grad_pad)
def np_pad(
    data: TensorType,
    *,
    pad_width: Pairs,
    mode: Mode = "constant",
    constant_value: float = 0.0,
    reflect_type: str = "even",
) -> TensorType:
    """Return the array padded before and after each axis.

    Args:
        data: ``[*shape]``, any dtype.
        pad_width: Numbers of elements before and after, a pair for each axis.
        mode: The padding: ``"constant"``; the ``"edge"`` element; the ``"maximum"`` or
            ``"minimum"`` along the axis; the mirror image without (``"reflect"``) or with
            (``"symmetric"``) the edge element.
        constant_value: The number for ``"constant"``.
        reflect_type: Only ``"even"``.

    Raises:
        ShapeError: There are not as many pairs as axes, or one is negative.
    """
    if reflect_type != "even":
        raise ShapeError(f"reflect_type={reflect_type!r} is not supported; use 'even'")
    if data.shape is None:
        return data.with_shape(None)
    if len(pad_width) != len(data.shape) or any(n < 0 for pair in pad_width for n in pair):
        raise ShapeError(
            f"pad_width={pad_width} must have a pair for each axis of {show(data.shape)}"
        )
    sizes = zip(data.shape, pad_width, strict=True)
    return data.with_shape(None if n is None else n + a + b for n, (a, b) in sizes)


np_pad_backward = _PAD.gradient_of(
    np_pad,
    "np_pad_backward",
    left_out=("constant_value", "reflect_type"),
)


def _is_slice(params: Params) -> bool:
    return any(params[name] is not None for name in ("start", "stop", "step"))


def _delete_inputs(params: Params) -> tuple[str, ...]:
    return ("arr",) if _is_slice(params) or params["int_ind"] is not None else ("arr", "obj")


@operator("_npi_delete", active=_delete_inputs)
def np_delete(
    arr: TensorType,
    obj: TensorType | None = None,
    *,
    start: int | None = None,
    stop: int | None = None,
    step: int | None = None,
    int_ind: int | None = None,
    axis: int | None = None,
) -> TensorType:
    """Return the array without some elements along an axis.

    Args:
        arr: ``[*shape]``, any dtype.
        obj: ``[K]``, the indices to delete; the size of the result depends on their values.
            Indices out of range are ignored.
        start: Start of a slice to delete.
        stop: End of the slice.
        step: Step of the slice.
        int_ind: A single index to delete.
        axis: The axis; None for the flattened array.
    """
    if int_ind is not None:
        check_index(int_ind, arr, axis)
        return resized(arr, axis, -1)
    if obj is not None:
        return resized(arr, axis, None)
    covered = slice_length(arr, axis, start, stop, step)
    return resized(arr, axis, None if covered is None else -covered)


def _insert_inputs(params: Params) -> tuple[str, ...]:
    return ("arr",) if params["val"] is not None else ("arr", "values")


@operator("_npi_insert_scalar", active=_insert_inputs)
def np_insert_scalar(
    arr: TensorType,
    values: TensorType | None = None,
    *,
    val: float | None = None,
    start: int | None = None,
    stop: int | None = None,
    step: int | None = None,
    int_ind: int | None = None,
    axis: int | None = None,
) -> TensorType:
    """Return ``arr`` with values inserted before one index along an axis.

    Args:
        arr: ``[*shape]``, any dtype.
        values: The values to insert, as in ``np.insert``.
        val: A number to insert, instead of ``values``.
        start: Accepted and ignored.
        stop: Accepted and ignored.
        step: Accepted and ignored.
        int_ind: The index to insert before.
        axis: The axis; None for the flattened array.
    """
    check_index(int_ind or 0, arr, axis, extra=1)
    return inserted(arr, values, axis, 1, by_number=True)


@operator("_npi_insert_slice", active=_insert_inputs, params_of=np_insert_scalar)
def np_insert_slice(arr: TensorType, values: TensorType | None = None, **params: Any) -> TensorType:
    """Return ``arr`` with values inserted before the indices of a slice."""
    axis, start, stop, step = (params[name] for name in ("axis", "start", "stop", "step"))
    return inserted(arr, values, axis, slice_length(arr, axis, start, stop, step))


def _insert_tensor_inputs(params: Params) -> tuple[str, ...]:
    return ("arr", "obj") if params["val"] is not None else ("arr", "values", "obj")


@operator("_npi_insert_tensor", active=_insert_tensor_inputs, params_of=np_insert_scalar)
def np_insert_tensor(
    arr: TensorType, values: TensorType | None = None, obj: TensorType | None = None, **params: Any
) -> TensorType:
    """Return ``arr`` with values inserted before the indices ``obj``."""
    if obj is None:
        raise ArgumentError("input obj (the indices) is missing")
    expect_rank(obj, 0, 1)
    return inserted(arr, values, params["axis"], length(obj, None), by_number=obj.rank == 0)
