"""Creation of arrays from Python and numpy values, ranges, or a shape."""

from typing import Any

import numpy as np
import numpy.typing as npt

from hy_ndarray._dtypes import dtype_name, numbers_of_text, numpy_type
from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.array.ndarray import NDArray, array_from, array_like
from hy_ndarray.core._calls import create
from hy_ndarray.core._state import is_np_shape
from hy_ndarray.devices._selection import open_devices
from hy_ndarray.devices.context import Context
from hy_ndarray.devices.device_argument import takes_device
from hy_ndarray.ops import Operator, find
from hy_ndarray.sparse.arrays import BaseSparseNDArray
from hy_ndarray.sparse.functions import array as sparse_array, zeros as sparse_zeros

_ARANGE, _EYE, _LINSPACE, _ONES, _ZEROS = (
    find(f"_{name}") for name in ("arange", "eye", "linspace", "ones", "zeros")
)


@takes_device
def array(source_array: Any, ctx: Context | None = None, dtype: object = None) -> NDArray:
    """Create an array from a number, nested lists, a numpy array or another NDArray.

    Gradients flow to another NDArray.

    Args:
        source_array: The values; sparse arrays and scipy's csr matrices keep their storage type.
        ctx: The context; the current one if None.
        dtype: The dtype of the elements; if None, that of an NDArray, else float32, also for a
            numpy array.

    Raises:
        ArgumentError: ``source_array`` does not hold numbers, or lists have unequal lengths.
        DTypeError: The dtype is unknown.

    Example:
        >>> array([[1, 2], [3, 4]])
        <BLANKLINE>
        [[1. 2.]
         [3. 4.]]
        <NDArray 2x2 @cpu(0)>
    """
    if (
        isinstance(source_array, BaseSparseNDArray)
        or getattr(source_array, "format", None) == "csr"
    ):
        return sparse_array(source_array, ctx, dtype)
    if isinstance(source_array, NDArray):
        kind = source_array.dtype if dtype is None else dtype
        return array_like(source_array.as_nd_ndarray(), kind, ctx)
    kind = np.float32 if dtype is None else numpy_type(dtype)
    values = _as_numpy(source_array, dtype)
    with np.errstate(all="ignore"):  # 300 as uint8 wraps around, nan as an integer is any number
        return array_from(values.astype(kind), ctx)


def _as_numpy(source: Any, dtype: object) -> npt.NDArray[Any]:
    try:
        values = np.asarray(source)
        if values.dtype.kind in "SU":
            values = numbers_of_text(values, dtype)
        elif values.dtype.kind == "O":  # None, and objects with __float__
            values = values.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(
            f"array: source_array must be a rectangular array of numbers: {error}"
        ) from error
    if values.dtype.kind in "biuf" or values.dtype.name == "bfloat16":
        return values
    raise ArgumentError(f"array: source_array must hold numbers, got {values.dtype}")


@takes_device
def zeros(
    shape: Any,
    ctx: Context | None = None,
    dtype: object = None,
    stype: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Return an array of zeros.

    Args:
        shape: Sizes by axis; an integer for one axis.
        ctx: The context; the current one if None.
        dtype: The dtype of the elements; float32 if None.
        stype: Storage type: ``"default"``, ``"row_sparse"`` or ``"csr"``.
        kwargs: ``out``.

    Raises:
        ShapeError: ``shape`` has no axes or a size of 0, which outside of ``np_shape`` means an
            unknown size.

    Example:
        >>> zeros((2, 3)).shape
        (2, 3)
    """
    check_known("zeros", shape)
    if stype not in (None, "default"):
        return sparse_zeros(stype or "", shape, ctx, dtype, **kwargs)
    return _created(_ZEROS, ctx, dtype, {"shape": shape, **kwargs})


@takes_device
def ones(shape: Any, ctx: Context | None = None, dtype: object = None, **kwargs: Any) -> NDArray:
    """Return an array of ones; arguments and errors as for :func:`zeros`."""
    check_known("ones", shape)
    return _created(_ONES, ctx, dtype, {"shape": shape, **kwargs})


@takes_device
def empty(
    shape: Any, ctx: Context | None = None, dtype: object = None, stype: str | None = None
) -> NDArray:
    """Return an array to be overwritten, which holds zeros; arguments as for :func:`zeros`.

    Sizes of 0 are allowed also outside of ``np_shape``.
    """
    if stype not in (None, "default"):
        return sparse_zeros(stype or "", shape, ctx, dtype)
    return _created(_ZEROS, ctx, dtype, {"shape": shape})


@takes_device
def full(
    shape: Any,
    val: Any,
    ctx: Context | None = None,
    dtype: object = np.float32,
    out: NDArray | None = None,
) -> NDArray:
    """Return an array filled with ``val``, a number or an array that broadcasts.

    Args:
        shape: Sizes by axis; an integer for one axis.
        val: The value.
        ctx: The context; the current one if None.
        dtype: The dtype of the elements.
        out: An array to fill instead of a new one.
    """
    target = empty(shape, ctx, dtype) if out is None else out
    target[:] = val
    return target


@takes_device
def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool | None = None,  # noqa: ARG001  # MXNet takes it and warns
    ctx: Context | None = None,
    dtype: object = np.float32,
) -> NDArray:
    """Return numbers from ``start`` up to but excluding ``stop``, each repeated ``repeat`` times.

    Args:
        start: The first number. Without ``stop`` this is the end, and the first number is 0.
        stop: The end, excluded.
        step: The spacing.
        repeat: The number of repetitions of each number.
        infer_range: No effect, as in MXNet.
        ctx: The context; the current one if None.
        dtype: The dtype of the elements.

    Raises:
        ArgumentError: The range is empty, which classic arrays do not support.

    Example:
        >>> arange(2, 8, 3).asnumpy()
        array([2., 5.], dtype=float32)
    """
    first, end = (0, start) if stop is None else (start, stop)
    if first == end:
        raise ArgumentError(f"arange: the range from start={first} to stop={end} is empty")
    params = {"start": first, "stop": end, "step": step, "repeat": repeat}
    return _created(_ARANGE, ctx, dtype, params)


@takes_device
def linspace(
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    ctx: Context | None = None,
    dtype: object = np.float32,
) -> NDArray:
    """Return ``num`` evenly spaced numbers from ``start`` to ``stop``.

    Args:
        start: The first number.
        stop: The last number; with ``endpoint=False`` it is excluded.
        num: How many numbers.
        endpoint: Whether ``stop`` is included.
        ctx: The context; the current one if None.
        dtype: The dtype of the elements.
    """
    params = {"start": start, "stop": stop, "num": num, "endpoint": endpoint}
    return _created(_LINSPACE, ctx, dtype, params)


@takes_device
def eye(
    N: int,  # noqa: N803  # MXNet's name
    M: int = 0,  # noqa: N803
    k: int = 0,
    ctx: Context | None = None,
    dtype: object = None,
    **kwargs: Any,
) -> NDArray:
    """Return a matrix with ones on a diagonal and zeros elsewhere.

    Args:
        N: The number of rows.
        M: The number of columns; ``N`` if 0.
        k: Offset of the diagonal, positive above the main diagonal.
        ctx: The context; the current one if None.
        dtype: The dtype of the elements; float32 if None.
        kwargs: ``out``.
    """
    return _created(_EYE, ctx, dtype, {"N": N, "M": M, "k": k, **kwargs})


def check_known(function: str, shape: Any) -> None:
    """Raise an error for a shape with sizes that are unknown in classic semantics.

    Raises:
        ShapeError: Outside of ``np_shape``, ``shape`` has no axes or a size of 0.
    """
    sizes = shape
    if shape.__class__ is not tuple:  # most are
        sizes = tuple(shape) if hasattr(shape, "__iter__") else (shape,)
    if (not sizes or 0 in sizes) and not is_np_shape():
        raise ShapeError(
            f"{function}: shape={shape} is incomplete: outside of np_shape a shape needs at least "
            "one axis, and a size of 0 means unknown; use `with np_shape():`, or nd.empty"
        )


def _created(op: Operator, ctx: Context | None, dtype: object, params: dict[str, Any]) -> NDArray:
    is_float32 = dtype is None or dtype is np.float32
    params["dtype"] = "float32" if is_float32 else dtype_name(dtype)
    array: NDArray = create(op, params, NDArray, ctx)
    return array


def waitall() -> None:
    """Wait until all pending work on all devices is done."""
    for device in open_devices():
        device.table.synchronize(device.handle)
