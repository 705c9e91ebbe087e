"""Creation of arrays from values, ranges, or a shape."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as onp

from hy_ndarray import np
from hy_ndarray._dtypes import dtype_name
from hy_ndarray._errors import ArgumentError, DTypeError
from hy_ndarray.array.ndarray import NDArray, array_from
from hy_ndarray.array_api._devices import context_of, moved
from hy_ndarray.array_api._promotion import DEFAULTS, DType, as_dtype
from hy_ndarray.array_api._routes import CLASSIC, Route, to_host
from hy_ndarray.array_api.dtypes import astype
from hy_ndarray.np import ndarray

__all__ = [
    "arange",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]

Shape = int | tuple[int, ...]


def asarray(
    obj: Any, /, *, dtype: DType | None = None, device: Any = None, copy: bool | None = None
) -> ndarray:
    """Return an array from an array, numbers, nested lists, or another library's array.

    Args:
        obj: The values.
        dtype: Dtype of the result. If None, that of ``obj``, where Python's floats are float32,
            integers int64 and complex numbers complex64.
        device: Device of the result; if None, that of ``obj``, or the current context.
        copy: False raises an error if a copy is necessary; None copies only then.

    Raises:
        ArgumentError: ``obj`` is ragged or not numeric, or would have to be copied.

    Example:
        >>> from hy_ndarray import array_api as xp
        >>> xp.asarray([1, 2], dtype=xp.uint16)
        array([1, 2], dtype=uint16)
    """
    if isinstance(obj, NDArray) and not isinstance(obj, ndarray):
        obj = obj.as_np_ndarray()
    elif hasattr(obj, "__dlpack__") and not isinstance(obj, ndarray | onp.ndarray | onp.generic):
        obj = from_dlpack(obj)
    if isinstance(obj, ndarray):
        return _of_array(obj, dtype, device, copy)
    if copy is False:
        raise ArgumentError(
            f"asarray: copy=False needs an array; a {type(obj).__name__} must be copied"
        )
    values = _as_numpy(obj, dtype)
    return array_from(values, context_of(device), ndarray)


def _of_array(x: ndarray, dtype: Any, device: Any, copy: bool | None) -> ndarray:
    same = x if dtype is None else astype(x, dtype, copy=False)
    same = moved(same, device)
    if same is not x and copy is False:
        raise ArgumentError(
            "asarray: converting to another dtype or device needs a copy, but copy=False"
        )
    return x.copy() if copy and same is x else same


def _as_numpy(obj: Any, dtype: Any) -> Any:
    try:
        values = onp.asarray(to_host(obj))
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"asarray: obj must be a rectangular array of numbers: {error}"
        ) from error
    if dtype is None:
        kind = {"f": "float32", "c": "complex64"}.get(values.dtype.kind)
        is_array = isinstance(obj, onp.ndarray | onp.generic)
        dtype = values.dtype if is_array or kind is None else kind
    name = dtype_name(dtype)
    whole = name.startswith(("int", "uint"))
    if whole and values.dtype.kind == "O":  # integers that no dtype of numpy's holds
        raise OverflowError(f"asarray: {obj!r} is out of range for {name}")
    if values.dtype.kind == "c" and not name.startswith("complex"):
        raise DTypeError(
            f"asarray: cannot convert complex numbers to {name}; use real(x) or abs(x)"
        )
    if whole and isinstance(obj, int) and not isinstance(obj, bool):
        return onp.asarray(obj, as_dtype(name))  # which refuses what does not fit
    return values.astype(as_dtype(name))


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> ndarray:
    """Return an array that shares the memory of another library's array.

    Args:
        x: An array with ``__dlpack__`` and ``__dlpack_device__``.
        device: Device of the result; that of ``x`` if None.
        copy: True always copies; False raises an error if a copy is necessary.

    Raises:
        ArgumentError: ``copy`` is False, and ``x`` is on another device.
    """
    result = np.from_dlpack(x)
    there = moved(result, device)
    if there is not result and copy is False:
        raise ArgumentError("from_dlpack: moving to another device needs a copy, but copy=False")
    return result.copy() if copy and there is result else there


def empty(shape: Shape, *, dtype: DType | None = None, device: Any = None) -> ndarray:
    """Return an uninitialized array, float32 by default."""
    return full(shape, 0, dtype=_default(dtype), device=device)


def zeros(shape: Shape, *, dtype: DType | None = None, device: Any = None) -> ndarray:
    """Return an array of zeros, float32 by default."""
    return full(shape, 0, dtype=_default(dtype), device=device)


def ones(shape: Shape, *, dtype: DType | None = None, device: Any = None) -> ndarray:
    """Return an array of ones, float32 by default."""
    return full(shape, 1, dtype=_default(dtype), device=device)


def _default(dtype: Any) -> Any:
    return as_dtype("float32") if dtype is None else dtype


def full(
    shape: Shape, fill_value: complex, *, dtype: DType | None = None, device: Any = None
) -> ndarray:
    """Return an array filled with one number.

    Args:
        shape: The sizes; an integer for one axis.
        fill_value: The number.
        dtype: Dtype of the elements; if None, the default dtype of numbers such as ``fill_value``.
        device: Device of the array; the current context if None.
    """
    sizes = tuple(shape) if isinstance(shape, Sequence) else (shape,)
    name = DEFAULTS[type(fill_value)] if dtype is None else dtype_name(dtype)
    context = context_of(device)
    exact = not isinstance(fill_value, int) or float(fill_value) == fill_value
    if name in CLASSIC and isinstance(fill_value, int | float) and exact:
        return np.full(sizes, fill_value, dtype=name, ctx=context)
    return array_from(onp.full(sizes, fill_value, as_dtype(name)), context, ndarray)


def empty_like(x: ndarray, /, *, dtype: DType | None = None, device: Any = None) -> ndarray:
    """Return an uninitialized array with the shape, dtype and device of another."""
    return full_like(x, 0, dtype=dtype, device=device)


def zeros_like(x: ndarray, /, *, dtype: DType | None = None, device: Any = None) -> ndarray:
    """Return an array of zeros with the shape, dtype and device of another."""
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x: ndarray, /, *, dtype: DType | None = None, device: Any = None) -> ndarray:
    """Return an array of ones with the shape, dtype and device of another."""
    return full_like(x, 1, dtype=dtype, device=device)


def full_like(
    x: ndarray, /, fill_value: complex, *, dtype: DType | None = None, device: Any = None
) -> ndarray:
    """Return an array filled with one number, with the shape, dtype and device of another."""
    kind = x.dtype if dtype is None else dtype
    where = x.device if device is None else device
    return full(x.shape, fill_value, dtype=kind, device=where)


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: DType | None = None,
    device: Any = None,
) -> ndarray:
    """Return evenly spaced numbers from ``start`` up to but excluding ``stop``.

    Args:
        start: The first number; if ``stop`` is None, the end, and the first number is 0.
        stop: The end, exclusive.
        step: Difference between consecutive numbers.
        dtype: Dtype of the elements; int64 if None and all numbers are integers, else float32.
        device: Device of the array; the current context if None.
    """
    first, end = (0, start) if stop is None else (start, stop)
    whole = all(isinstance(x, int) for x in (first, end, step))
    name = ("int64" if whole else "float32") if dtype is None else dtype_name(dtype)
    is_empty = (end - first) * step <= 0
    values = onp.empty(0) if is_empty else onp.arange(first, end, step)
    return array_from(values.astype(as_dtype(name)), context_of(device), ndarray)


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: DType | None = None,
    device: Any = None,
    endpoint: bool = True,
) -> ndarray:
    """Return ``num`` evenly spaced numbers from ``start`` to ``stop``.

    Args:
        start: The first number.
        stop: The last number; the end, exclusive, with ``endpoint=False``.
        num: Number of elements.
        dtype: Dtype of the elements; float32 or complex64 if None.
        device: Device of the array; the current context if None.
        endpoint: Whether ``stop`` is included.
    """
    if dtype is None:
        has_complex = complex in (type(start), type(stop))
        dtype = as_dtype("complex64" if has_complex else "float32")
    values = onp.linspace(start, stop, num, endpoint=endpoint).astype(as_dtype(dtype_name(dtype)))
    return array_from(values, context_of(device), ndarray)


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: DType | None = None,
    device: Any = None,
) -> ndarray:
    """Return a matrix with ones on a diagonal, and zeros elsewhere.

    Args:
        n_rows: Number of rows.
        n_cols: Number of columns; as many as rows if None.
        k: The diagonal: 0 is the main one, positive ones are above it.
        dtype: Dtype of the elements; float32 if None.
        device: Device of the array; the current context if None.
    """
    values = onp.eye(n_rows, n_cols, k, as_dtype(dtype_name(_default(dtype))))
    return array_from(values, context_of(device), ndarray)


_tril, _triu = Route("tril", CLASSIC), Route("triu", CLASSIC)


def tril(x: ndarray, /, *, k: int = 0) -> ndarray:
    """Return matrices with zeros above a diagonal."""
    return _tril(x, k)


def triu(x: ndarray, /, *, k: int = 0) -> ndarray:
    """Return matrices with zeros below a diagonal."""
    return _triu(x, k)


def meshgrid(*arrays: ndarray, indexing: Literal["xy", "ij"] = "xy") -> tuple[ndarray, ...]:
    """Return for each coordinate vector an array of the grid's shape with that coordinate."""
    return tuple(np.meshgrid(*arrays, indexing=indexing))
