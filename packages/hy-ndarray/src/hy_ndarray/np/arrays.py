"""Creation of arrays from values, ranges, or a shape."""

from typing import Any

import numpy as onp

from hy_ndarray import nd
from hy_ndarray._dtypes import numbers_of_text, numpy_type
from hy_ndarray._errors import ArgumentError, ClassicArrayError
from hy_ndarray.array.ndarray import NDArray, array_from, array_like
from hy_ndarray.devices.context import Context
from hy_ndarray.devices.device_argument import takes_device
from hy_ndarray.np.calls import call_on
from hy_ndarray.np.creation import Creation
from hy_ndarray.np.multiarray import ndarray

__all__ = [
    "arange",
    "array",
    "blackman",
    "broadcast_to",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "hamming",
    "hanning",
    "identity",
    "indices",
    "linspace",
    "logspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tri",
    "zeros",
    "zeros_like",
]


@takes_device
def array(object: Any, dtype: Any = None, ctx: Context | None = None) -> ndarray:
    """Create an array from a number, nested lists, a numpy array or another array.

    Gradients flow to another array.

    Args:
        object: The values.
        dtype: The dtype of the elements; if None, that of ``object`` if it is an array, else
            float32, or complex64 for complex numbers.
        ctx: The context; the current one if None.

    Raises:
        ArgumentError: ``object`` does not hold numbers, or nested lists have unequal lengths.
        ClassicArrayError: ``object`` is an ``NDArray`` of ``nd``.
        DTypeError: The dtype is unknown.

    Example:
        >>> from hy_ndarray import np
        >>> np.array([[1, 2], [3, 4]], dtype="int32")
        array([[1, 2],
               [3, 4]], dtype=int32)
    """
    if isinstance(object, NDArray) and not isinstance(object, ndarray):
        raise ClassicArrayError(
            f"array: object is a {type(object).__name__} {object.shape}; use "
            "object.as_np_ndarray(), which shares its memory"
        )
    if isinstance(object, ndarray):
        return array_like(object, object.dtype if dtype is None else dtype, ctx)
    values = _as_numpy(object, dtype)
    default = onp.complex64 if values.dtype.kind == "c" else onp.float32
    value_dtype = values.dtype if isinstance(object, onp.ndarray | onp.generic) else default
    kind = value_dtype if dtype is None else dtype
    with onp.errstate(all="ignore"):  # 300 as uint8 wraps around, nan as an integer is any number
        return array_from(values.astype(numpy_type(kind)), ctx, ndarray)


def from_dlpack(x: Any, /) -> ndarray:
    """Return an array that shares another library's memory; see :func:`hy_ndarray.nd.from_dlpack`.

    Args:
        x: An array that has ``__dlpack__``, or a DLPack capsule, which is consumed.
    """
    array_out: ndarray = nd.from_dlpack(x).as_np_ndarray()
    return array_out


def _as_numpy(source: Any, dtype: Any) -> Any:
    try:
        if isinstance(source, list | tuple):
            source = [x.asnumpy() if isinstance(x, NDArray) else x for x in source]
        values = onp.asarray(source)
        if values.dtype.kind in "SU":
            values = numbers_of_text(values, dtype)
        elif values.dtype.kind == "O":  # None, and objects with __float__
            values = values.astype(onp.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(
            f"array: object must be a rectangular array of numbers: {error}"
        ) from error
    if values.dtype.kind in "biufc" or values.dtype.name == "bfloat16":
        return values
    raise ArgumentError(f"array: object must hold numbers, got {values.dtype}")


def _created(name: str, ctx: Context | None, out: Any, **params: Any) -> ndarray:
    created: ndarray = call_on(ndarray, name, (), {"ctx": ctx, "out": out, **params})
    return created


_creation = Creation(_created)
arange = _creation.arange
blackman = _creation.blackman
broadcast_to = _creation.broadcast_to
empty = _creation.empty
empty_like = _creation.empty_like
eye = _creation.eye
full = _creation.full
full_like = _creation.full_like
hamming = _creation.hamming
hanning = _creation.hanning
identity = _creation.identity
indices = _creation.indices
linspace = _creation.linspace
logspace = _creation.logspace
ones = _creation.ones
ones_like = _creation.ones_like
tri = _creation.tri
zeros = _creation.zeros
zeros_like = _creation.zeros_like


def meshgrid(*xi: ndarray, **kwargs: Any) -> list[ndarray]:
    """Return coordinate arrays of a grid, one per axis, each of the grid's shape.

    Args:
        xi: The coordinates along each axis, ``[N_i]``.
        kwargs: ``indexing``: ``"xy"``, with the first two axes exchanged, or ``"ij"``; ``sparse``:
            keep size 1 along the other axes; ``copy``: no effect.

    Raises:
        ArgumentError: An argument is unknown.
    """
    indexing, sparse = kwargs.pop("indexing", "xy"), kwargs.pop("sparse", False)
    kwargs.pop("copy", None)
    if kwargs or indexing not in ("xy", "ij"):
        raise ArgumentError(f"meshgrid: {kwargs or indexing!r} is unknown")
    count = len(xi)
    order = [1, 0, *range(2, count)] if indexing == "xy" and count > 1 else list(range(count))
    shape = [x.size for x in xi]
    grid = [
        x.reshape([-1 if order[axis] == i else 1 for axis in range(count)])
        for i, x in enumerate(xi)
    ]
    if sparse:
        return grid
    full_shape = tuple(shape[i] for i in order)
    return [x.broadcast_to(full_shape) for x in grid]
