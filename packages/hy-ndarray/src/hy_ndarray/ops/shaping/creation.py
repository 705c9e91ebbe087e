"""Creation of arrays of constants and ranges."""

from math import ceil, isfinite
from typing import Any

from hy_ndarray._dtypes import dtype_name
from hy_ndarray._errors import ArgumentError
from hy_ndarray.ops.adjoints import no_gradient
from hy_ndarray.ops.families import family
from hy_ndarray.ops.record.params import Ctx, Dims, DType
from hy_ndarray.ops.record.ranges import NonNegative, Positive
from hy_ndarray.ops.record.rules import check_axis
from hy_ndarray.ops.record.schema import Saved, operator, pointwise
from hy_ndarray.ops.record.traits import BY_TYPES
from hy_ndarray.ops.record.types import TensorType


@pointwise("zeros_like", "_sparse_zeros_like", grad=no_gradient, ignored=("dtype",))
def zeros_like(data: TensorType) -> TensorType:
    """Return zeros in the shape and dtype of ``data``.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


@pointwise("ones_like", grad=no_gradient, ignored=("dtype",))
def ones_like(data: TensorType) -> TensorType:
    """Return ones in the shape and dtype of ``data``.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


def zero_gradient(saved: Saved, *dys: Any) -> tuple[Any, ...]:
    """Return zeros as the gradient of each input."""
    return tuple(zeros_like(x) for x in saved.inputs)


def _of_shape(
    *,
    shape: Dims = (),
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType = DType("float32"),  # noqa: B008  # a name, made once
) -> TensorType:
    """Return the type of an array of one number.

    Args:
        shape: Shape of the result; None for sizes to be inferred in a graph.
        ctx: Context of the result; the current context if empty.
        dtype: Dtype of the result.
    """
    return TensorType(shape, dtype)


_constant = family(_of_shape, name="_{}", needs=("device",))

zeros = _constant("zeros", text="Return an array of zeros.")
ones = _constant("ones", text="Return an array of ones.")


@operator("_full", "_npi_full", needs=("device",))
def full(
    *,
    shape: Dims | None = None,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType = DType("float32"),  # noqa: B008  # a name, made once
    value: float,
) -> TensorType:
    """Return an array filled with one number.

    Args:
        shape: Shape of the result; None for sizes to be inferred in a graph.
        ctx: Context of the result; the current context if empty.
        dtype: Dtype of the result.
        value: The number.
    """
    return TensorType(shape, dtype)


@operator("_zeros_without_dtype", needs=("device",))
def zeros_without_dtype(
    *,
    shape: Dims | None = None,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: int = -1,
) -> TensorType:
    """Return an array of zeros, whose dtype may be inferred in a graph.

    Args:
        shape: Shape of the result; None for sizes to be inferred in a graph.
        ctx: Context of the result; the current context if empty.
        dtype: MXNet's number of the dtype; -1 if it is to be inferred.

    Raises:
        DTypeError: No dtype has that number.
    """
    return TensorType(shape, None if dtype == -1 else dtype_name(dtype))


def check_finite(op: str, **values: float) -> None:
    """Raise an error if one of the values is infinite or nan.

    Raises:
        ArgumentError: A value is not finite; the message names it.
    """
    for name, value in values.items():
        if not isfinite(value):
            raise ArgumentError(f"{op}: {name}={value} must be finite")


@operator("_arange", needs=("device",))
def arange(
    *,
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: Positive = 1,
    infer_range: bool = False,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType = DType("float32"),  # noqa: B008  # a name, made once
) -> TensorType:
    """Return ``start``, ``start + step``, … up to but excluding ``stop``.

    Args:
        start: The first number; if ``stop`` is None, the end, and the first number is 0.
        stop: The end, exclusive.
        step: Difference between consecutive numbers; not 0.
        repeat: Number of times that each number is repeated.
        infer_range: Infer the size of the result in a graph, if ``stop`` is None.
        ctx: Context of the result; the current context if empty.
        dtype: Dtype of the result.

    Raises:
        ArgumentError: ``step`` is 0, or has the wrong sign; or ``repeat`` is below 1.

    Example:
        >>> from hy_ndarray import nd
        >>> nd._internal._arange(start=1, stop=3, step=0.5).asnumpy()
        array([1. , 1.5, 2. , 2.5], dtype=float32)
    """
    if stop is None and infer_range:
        return TensorType((None,), dtype)
    first, last = (0.0, start) if stop is None else (start, stop)
    check_finite("_arange", start=start, stop=last, step=step)
    if step == 0 or (last - first) / step < 0:
        raise ArgumentError(
            f"_arange: stop={last} cannot be reached from start={first} with step={step}"
        )
    return TensorType((ceil((last - first) / step) * repeat,), dtype)


@operator("_linspace", "_npi_linspace", needs=("device",))
def linspace(
    *,
    start: float,
    stop: float,
    num: NonNegative,
    endpoint: bool = True,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType = DType("float32"),  # noqa: B008  # a name, made once
) -> TensorType:
    """Return ``num`` evenly spaced numbers from ``start`` to ``stop``.

    Args:
        start: The first number.
        stop: The last number.
        num: Number of elements.
        endpoint: Whether ``stop`` is the last number; else it is excluded.
        ctx: Context of the result; the current context if empty.
        dtype: Dtype of the result.

    Raises:
        ArgumentError: ``num`` is negative.
    """
    return TensorType((num,), dtype)


@operator("_eye", needs=("device",))
def eye(
    *,
    N: NonNegative,  # noqa: N803  # MXNet's name
    M: int = 0,  # noqa: N803  # MXNet's name
    k: int = 0,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    dtype: DType = DType("float32"),  # noqa: B008  # a name, made once
) -> TensorType:
    """Return a matrix with ones on a diagonal and zeros elsewhere.

    Args:
        N: Number of rows.
        M: Number of columns; ``N`` if 0.
        k: The diagonal: 0 is the main one, positive ones are above it, negative ones below.
        ctx: Context of the result; the current context if empty.
        dtype: Dtype of the result.
    """
    return TensorType((N, M or N), dtype)


@operator("_contrib_arange_like", "_npx_arange_like", grad=no_gradient, traits=BY_TYPES)
def arange_like(
    data: TensorType,
    *,
    start: float = 0.0,
    step: float = 1.0,
    repeat: Positive = 1,
    ctx: Ctx = Ctx(""),  # noqa: B008  # a name, made once
    axis: int | None = None,
) -> TensorType:
    """Return ``start``, ``start + step``, … for each element of ``data``, or along one axis.

    Args:
        data: ``[*shape]``, any dtype; the result has the same dtype.
        start: The first number.
        step: Difference between consecutive numbers.
        repeat: Number of times that each number is repeated.
        ctx: Accepted and ignored; the result is on the device of ``data``.
        axis: The axis whose size the result has; None for the shape of ``data``.

    Returns:
        ``[*shape]``, or a vector of the size of ``axis``.

    Raises:
        ShapeError: ``data`` has no such axis.
        ArgumentError: ``repeat`` is below 1.
    """
    if axis is None:
        return data
    position = check_axis(axis, data)
    if position is None or data.shape is None:
        return data.with_shape((None,))
    return data.with_shape((data.shape[position],))
