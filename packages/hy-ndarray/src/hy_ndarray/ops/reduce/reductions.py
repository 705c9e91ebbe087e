"""Reductions over axes.

Every reduction takes ``axis``, one axis or several (``None`` or ``()`` for all); ``keepdims``, to
keep reduced axes with size 1; and ``exclude``, to reduce all axes except ``axis``. The result of
reducing all axes has the shape ``(1,)``.
"""

from typing import Any, Literal

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.families import family
from hy_ndarray.ops.record.params import Shape
from hy_ndarray.ops.record.rules import normalized_axes, reduced, same, same_dtype, same_shape
from hy_ndarray.ops.record.schema import Saved, operator, pointwise
from hy_ndarray.ops.record.traits import RESIZED
from hy_ndarray.ops.record.types import TensorType


def _is_whole(axis: Shape | None, data: TensorType) -> bool:
    """Return whether ``data`` is 0-dimensional and ``axis`` is 0 or -1, which NumPy allows."""
    return data.rank == 0 and axis in ((0,), (-1,))


def _check_axes(axis: Shape | None, data: TensorType, *, exclude: bool) -> None:
    if not _is_whole(axis, data):
        normalized_axes(axis, data, exclude=exclude)


def _check_reduced(
    y: TensorType, data: TensorType, axis: Shape | None, *, exclude: bool = False
) -> None:
    """Check that ``y`` has the shape of ``data`` reduced, with or without the reduced axes."""
    if _is_whole(axis, data):
        axis = None
    keepdims_shape = reduced(data, axis, keepdims=True, exclude=exclude).sizes
    if keepdims_shape is None or y.sizes is None or y.sizes == data.sizes:
        return
    if [n for n in y.sizes if n != 1] != [n for n in keepdims_shape if n != 1]:
        raise ShapeError(f"{y!r} does not have the shape of {data!r} reduced over axis={axis}")


@operator("_expand_reduced", grad=gradient_by("sum"), traits=RESIZED)
def expand_reduced(
    dy: TensorType,
    data: TensorType,
    *,
    axis: Shape | None = None,
    keepdims: bool = False,
    exclude: bool = False,
) -> TensorType:
    """Return ``dy``, a reduced array, broadcast to the shape of ``data``."""
    _check_reduced(dy, data, axis, exclude=exclude)
    return data.with_dtype(dy.dtype)


def _not_empty(data: TensorType, axis: Shape | None, *, exclude: bool) -> None:
    reduced_axes = normalized_axes(axis, data, exclude=exclude)
    if reduced_axes and data.shape is not None and any(data.shape[i] == 0 for i in reduced_axes):
        raise ShapeError(
            f"cannot reduce {data.label}{data.shape} over axis={axis}: there are no elements to "
            "compare"
        )


def _grad_extreme(saved: Saved, dy: Any) -> tuple[Any]:
    return (extreme_backward(dy, saved.inputs[0], saved.outputs[0], **saved.params),)


def _of_reduction(
    data: TensorType, *, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False
) -> TensorType:
    """Return the type of a reduction's result.

    Args:
        data: ``[*shape]``, any dtype{note}.
        axis: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.
        exclude: Reduce all axes except ``axis``.

    Returns:
        The shape of ``data`` without the reduced axes, or ``(1,)``; the dtype of ``data``.

    Raises:
        ShapeError: ``axis`` is out of range.
    """
    return reduced(data, axis, keepdims=keepdims, exclude=exclude)


def _of_extreme(
    data: TensorType, *, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False
) -> TensorType:
    """Return the type of the maximum or minimum.

    Args:
        data: ``[*shape]``, any dtype; not empty along the axes.
        axis: Axes to reduce; ``None`` or ``()`` for all.
        keepdims: Keep the reduced axes, with size 1.
        exclude: Reduce all axes except ``axis``.

    Returns:
        The shape of ``data`` without the reduced axes; ``(1,)`` if no axis is left.

    Raises:
        ShapeError: ``axis`` is out of range, or there are no elements.

    Gradient:
        Every element that equals the {note} receives the full gradient.
    """
    _not_empty(data, axis, exclude=exclude)
    return reduced(data, axis, keepdims=keepdims, exclude=exclude)


_reduction = family(_of_reduction, name="{}")
_extreme = family(_of_extreme, name="{}", grad=_grad_extreme, traits=RESIZED)


sum = _reduction(
    "sum",
    "sum_axis",
    "_sparse_sum",
    text="The sum of the elements along some axes.",
    note="; 16-bit floats are added up in float32",
    grad=gradient_by("_expand_reduced", 0),
    traits=RESIZED,
    more={
        "Example": """
>>> from hy_ndarray import nd
>>> nd.sum(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy()
array([3., 7.], dtype=float32)
"""
    },
)


mean = _reduction(
    "mean",
    "_sparse_mean",
    text="The mean of the elements along some axes.",
    note="; the mean of integers is cut off towards zero",
    grad=gradient_by("_mean_backward", 0),
    traits=RESIZED,
    more={
        "Example": """
>>> from hy_ndarray import nd
>>> nd.mean(nd.array([[1, 2], [3, 4]]), axis=0).asnumpy()
array([2., 3.], dtype=float32)
"""
    },
)


@operator("_mean_backward", grad=gradient_by("mean"), traits=RESIZED)
def mean_backward(
    dy: TensorType,
    data: TensorType,
    *,
    axis: Shape | None = None,
    keepdims: bool = False,
    exclude: bool = False,
) -> TensorType:
    """Return the gradient of ``mean``: ``dy`` over the number of elements, broadcast."""
    _check_reduced(dy, data, axis, exclude=exclude)
    return data.with_dtype(dy.dtype)


max = _extreme(
    "max",
    "max_axis",
    text="The largest element along some axes; nan if there is one.",
    note="maximum",
    more={
        "Example": """
>>> from hy_ndarray import nd
>>> nd.max(nd.array([[1, 2], [4, 3]]), axis=1).asnumpy()
array([2., 4.], dtype=float32)
"""
    },
)


min = _extreme(
    "min",
    "min_axis",
    text="The smallest element along some axes; nan if there is one.",
    note="minimum",
)


@operator("_extreme_backward", grad=gradient_by("_extreme_sum", 1, 2), params_of=mean_backward)
def extreme_backward(dy: TensorType, data: TensorType, y: TensorType, **params: Any) -> TensorType:
    """Return the gradient of ``max`` or ``min``: ``dy`` where ``data`` equals ``y``, else 0."""
    same_dtype(dy, data, y)
    _check_reduced(dy, data, params["axis"], exclude=params["exclude"])
    _check_reduced(y, data, params["axis"], exclude=params["exclude"])
    return data


@operator("_extreme_sum", grad=gradient_by("_extreme_backward", 1, 2))
def extreme_sum(
    values: TensorType,
    data: TensorType,
    y: TensorType,
    *,
    axis: Shape | None = None,
    keepdims: bool = False,
    exclude: bool = False,
) -> TensorType:
    """Return the sum of ``values`` where ``data`` equals its maximum or minimum ``y``."""
    same(values, data)
    same_dtype(data, y)
    if y.rank != 0:  # as NumPy has it, where all axes are reduced
        y.set_shape(reduced(data, axis, keepdims=keepdims, exclude=exclude).shape)
    _check_reduced(y, data, axis, exclude=exclude)
    return y


def _grad_prod(saved: Saved, dy: Any) -> tuple[Any]:
    (data,) = saved.inputs
    axis, exclude = saved.params["axis"], saved.params["exclude"]
    return (expand_reduced(dy, data, **saved.params) * others(data, axis=axis, exclude=exclude),)


prod = _reduction(
    "prod",
    text="The product of the elements along some axes.",
    note="; 16-bit floats are multiplied in float32",
    grad=_grad_prod,
    traits=RESIZED,
    more={"Gradient": "The product of the other elements, so zeros do no harm."},
)


@operator("_product_of_others", grad=gradient_by("_product_of_others_backward", 0))
def others(data: TensorType, *, axis: Shape | None = None, exclude: bool = False) -> TensorType:
    """Return for each element the product of all other elements along ``axis``."""
    _check_axes(axis, data, exclude=exclude)
    return data


@operator("_product_of_others_backward")
def others_backward(
    dy: TensorType, data: TensorType, *, axis: Shape | None = None, exclude: bool = False
) -> TensorType:
    """Return the gradient of ``_product_of_others`` with respect to ``data``."""
    _check_axes(axis, data, exclude=exclude)
    return same(dy, data)


def _grad_nansum(saved: Saved, dy: Any) -> tuple[Any]:
    (data,) = saved.inputs
    return (replace_nan(expand_reduced(dy, data, **saved.params), data, value=0.0),)


nansum = _reduction(
    "nansum",
    text="The sum of the elements along some axes, where nan counts as 0.",
    grad=_grad_nansum,
    more={
        "Example": """
>>> from hy_ndarray import nd
>>> nd.nansum(nd.array([1, float("nan"), 2])).asnumpy()
array([3.], dtype=float32)
"""
    },
)


def _grad_nanprod(saved: Saved, dy: Any) -> tuple[Any]:
    (data,) = saved.inputs
    axis, exclude = saved.params["axis"], saved.params["exclude"]
    factors = others(replace_nan(data, data, value=1.0), axis=axis, exclude=exclude)
    spread = expand_reduced(dy, data, **saved.params)
    return (replace_nan(spread * factors, data, value=0.0),)


nanprod = _reduction(
    "nanprod",
    text="The product of the elements along some axes, where nan counts as 1.",
    grad=_grad_nanprod,
)


def _grad_replace_nan(saved: Saved, dy: Any) -> tuple[Any, None]:
    return replace_nan(dy, saved.inputs[1], value=0.0), None


@pointwise("_replace_nan", grad=_grad_replace_nan)
def replace_nan(data: TensorType, where: TensorType, *, value: float) -> TensorType:
    """Return ``data`` with elements replaced by ``value`` where ``where`` is nan."""
    same_dtype(data, where)
    data.set_shape(where.shape)
    return data


def _grad_norm(saved: Saved, dy: Any) -> tuple[Any]:
    params = {name: saved.params[name] for name in ("ord", "axis", "keepdims")}
    return (norm_backward(dy, saved.inputs[0], saved.outputs[0], **params),)


@operator("norm", "_sparse_norm", grad=_grad_norm)
def norm(
    data: TensorType,
    *,
    ord: int = 2,
    axis: Shape | None = None,
    out_dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
    keepdims: bool = False,
) -> TensorType:
    """Return the L1 or L2 norm of the vectors along some axes.

    Args:
        data: ``[*shape]``.
        ord: 2 for the L2 norm, 1 for the L1 norm.
        axis: Axes of a vector; ``None`` or ``()`` for all.
        out_dtype: Dtype of the result; that of ``data`` if None.
        keepdims: Keep the reduced axes, with size 1.

    Returns:
        The shape of ``data`` without the reduced axes; ``(1,)`` if no axis is left.

    Raises:
        ShapeError: ``axis`` is out of range.
        ArgumentError: ``ord`` is neither 1 nor 2.

    Gradient:
        0 for a zero vector.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.norm(nd.array([[3, 4], [6, 8]]), axis=1).asnumpy()
        array([ 5., 10.], dtype=float32)
    """
    if ord not in (1, 2):
        raise ArgumentError(f"norm: parameter ord={ord} must be 1 or 2")
    y = reduced(data, axis, keepdims=keepdims)
    return y if out_dtype is None else y.with_dtype(out_dtype)


@operator("_norm_backward")
def norm_backward(
    dy: TensorType,
    data: TensorType,
    y: TensorType,
    *,
    ord: int = 2,
    axis: Shape | None = None,
    keepdims: bool = False,
) -> TensorType:
    """Return the gradient of ``norm``: ``dy · data / y`` for L2, ``dy · sign(data)`` for L1."""
    same_shape(dy, y)
    _check_reduced(y, data, axis)
    return data
