"""Basics of the numpy kernels: array types, out buffers, dtypes, silenced warnings."""

from collections.abc import Callable, Sequence
from contextvars import ContextVar, Token, copy_context
from ctypes import addressof, c_char
from functools import lru_cache, partial, wraps
from math import prod
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from hy_kernels.numpy._copying import assign
from hy_kernels.numpy._halves import is_vectorized
from hy_kernels.numpy.costs import COSTS

Array: TypeAlias = npt.NDArray[Any]
P = ParamSpec("P")
R = TypeVar("R")
Out: TypeAlias = tuple[Array] | None
"""Out buffer of a pointwise kernel: an array of the right type, which may be one of the operands.
It is passed only if all operands are of float32 or float64."""

OutBuffers: TypeAlias = Sequence[Array | None] | None
"""Out buffers of a kernel's results, contiguous and apart from all operands; None: a new array."""

FLOAT32 = np.dtype(np.float32)
"""The dtype object that all arrays of native float32 share: compared by ``is``."""
PLAIN = ("float32", "float64")
"""Names of the floating dtypes that kernels compute in without conversion."""

CACHE_LINE = 64  # bytes


def _ignoring() -> tuple[ContextVar[Any], Any]:
    """Return NumPy's context variable of floating-point errors and its buffer, and a value for it.

    With that value all errors are ignored, and the buffer is shorter.
    """
    before, after = copy_context(), copy_context()
    after.run(np.seterr, all="ignore")
    after.run(np.setbufsize, COSTS.rows.buffered)
    changed = [(k, x) for k, x in after.items() if before.get(k) is not x]
    # Undocumented: with a NumPy that stores it elsewhere, kernels warn but compute the same.
    return changed[0] if len(changed) == 1 else (ContextVar("handling"), None)


# To set and reset it takes 0.2 µs; np.errstate creates the value in each call and takes 0.5 µs.
_HANDLING, _IGNORED = _ignoring()
_handled = _HANDLING.get

silence: Callable[[], Token[Any]] = partial(_HANDLING.set, _IGNORED)
"""Begin what :func:`quiet` does around a kernel, for kernels without time for its frame; returns
the argument of :data:`restore`."""
restore: Callable[[Token[Any]], None] = _HANDLING.reset
"""End it."""


def quiet(kernel: Callable[P, R]) -> Callable[P, R]:
    """Wrap ``kernel`` to silence NumPy's floating-point warnings: inf and nan are valid results.

    Inside it, NumPy's buffer is short, so that fewer rows are copied to it.
    """

    @wraps(kernel)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if _handled(None) is _IGNORED:
            return kernel(*args, **kwargs)
        token = silence()
        try:
            return kernel(*args, **kwargs)
        finally:
            restore(token)

    return run


def of_floats(function: Callable[..., Array]) -> Callable[..., Array]:
    """Return a quiet kernel that applies ``function``, with a fast path for float32."""

    def run(data: Array, *, out: Out = None) -> Array:
        token = silence()
        try:
            if out is None and data.dtype is FLOAT32:
                # For a 0-d array this is a scalar.
                result: Array = function(data)
                return result
            return pointwise(function, data, out)
        finally:
            restore(token)

    return run


def address(array: Array) -> int:
    """Return the address of the first element of a contiguous array."""
    try:
        # Takes a fifth of the time of array.ctypes.data.
        return addressof(c_char.from_buffer(array.data))
    except (TypeError, ValueError):  # read-only, empty, or a dtype without buffer protocol
        return array.ctypes.data


def aligned(shape: tuple[int, ...], dtype: npt.DTypeLike, *, zeros: bool = False) -> Array:
    """Return a new array, uninitialized or of zeros; a large one is aligned to a cache line."""
    new = np.zeros if zeros else np.empty
    dtype = np.dtype(dtype)
    size = prod(shape) * dtype.itemsize
    if size < COSTS.memory.aligned:
        return new(shape, dtype)
    # NumPy aligns memory to 16 bytes; matrix products are up to a quarter faster on matrices that
    # are aligned to a cache line.
    memory = new(size + CACHE_LINE, np.uint8)
    first = -address(memory) % CACHE_LINE
    return np.ndarray(shape, dtype, memory, first)


def contiguous(array: Array) -> Array:
    """Return the array itself if it is C-contiguous, else a copy."""
    return array if array.flags.c_contiguous else copied(array)


def out_buffer(out: OutBuffers, k: int = 0) -> Array | None:
    """Return the out buffer of result ``k``, or None."""
    return None if out is None else out[k]


def target(out: OutBuffers, shape: tuple[int, ...], dtype: npt.DTypeLike, k: int = 0) -> Array:
    """Return the array to compute result ``k`` in: its out buffer if that fits, or a new one."""
    result = None if out is None else out[k]
    if result is None or result.shape != shape or result.dtype != dtype:
        return aligned(shape, dtype)
    return result


def copied(
    value: Array, out: OutBuffers = None, k: int = 0, *, dtype: np.dtype[Any] | None = None
) -> Array:
    """Return a contiguous copy, in out buffer ``k`` if there is one, converted to ``dtype``.

    The value itself if it is the out buffer.
    """
    # Copying a few elements takes less time than choosing how to copy them.
    if out is None and value.size <= COSTS.memory.copied:
        # The methods take 0.1 µs less than numpy.array, but copy a scalar to a scalar.
        if not value.ndim:
            return np.array(value, dtype)
        return value.copy() if dtype is None else value.astype(dtype, "C")
    result = target(out, value.shape, dtype or value.dtype, k)
    if result is not value:
        assign(result, value)
    return result


def converted(array: Array, dtype: np.dtype[Any]) -> Array:
    """Return a copy converted to ``dtype``, in the array's own memory order."""
    if is_vectorized(array, dtype):
        return copied(array, dtype=dtype)
    return copied(array.T, dtype=dtype).T if is_vectorized(array.T, dtype) else array.astype(dtype)


def expanded(
    value: Array,
    shape: tuple[int, ...],
    out: OutBuffers = None,
    *,
    dtype: np.dtype[Any] | None = None,
) -> Array:
    """Return a contiguous copy broadcast to ``shape`` and converted to ``dtype``."""
    result = target(out, shape, dtype or value.dtype)
    result[...] = value
    return result


def flattened(array: Array, first: int, last: int | None = None) -> Array:
    """Return ``array`` with axes ``first`` to ``last - 1`` merged into one; it may be empty."""
    shape = array.shape
    end = len(shape) if last is None else last
    return array.reshape(*shape[:first], prod(shape[first:end]), *shape[end:])


def shaped(out: OutBuffers, shape: tuple[int, ...], k: int = 0) -> OutBuffers:
    """Return out buffer ``k`` reshaped, as the only one of a tuple; None if there is none."""
    memory = out_buffer(out, k)
    return None if memory is None else (memory.reshape(shape),)


def zeroed(out: OutBuffers, shape: tuple[int, ...], dtype: npt.DTypeLike, k: int = 0) -> Array:
    """Return an array of zeros: out buffer ``k`` if it fits, or a new array."""
    # Pages from calloc are zero already; fill would write them all.
    if out_buffer(out, k) is None:
        return aligned(shape, dtype, zeros=True)
    result = target(out, shape, dtype, k)
    result.fill(0)
    return result


@lru_cache(maxsize=256)
@quiet
def number(value: float, dtype: np.dtype[Any]) -> Array:
    """Return a number as a cached, read-only 0-d array, which saves a conversion in each call."""
    result = np.asarray(value, dtype)
    result.flags.writeable = False
    return result


def reciprocal(data: Array, out: Out | Array = None) -> Array:
    """Return ``1 / data`` for an array of floats, in ``out`` or a new array."""
    # NumPy vectorizes division, but not its reciprocal, which takes twice as long.
    result: Array = np.divide(number(1, data.dtype), data, out=out)
    return result


def between(data: Array, lower: float, upper: float, out: Array | None = None) -> Array:
    """Return an array of floats clipped to ``[lower, upper]``; nan stays nan.

    Args:
        data: An array of floats.
        lower: The least value.
        upper: The greatest value, also if it is less than ``lower``.
        out: The array to write to, which may be ``data``; None: a new array.
    """
    # NumPy vectorizes this for two numbers, but not the maximum of an array and one number, which
    # takes three to four times as long. The method saves np.clip's dispatch and a frame.
    bounds = number(lower, data.dtype), number(upper, data.dtype)
    return np.asarray(data.clip(*bounds, out))


def accumulator(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype to sum ``dtype`` in: float32 for 16-bit floats, else itself."""
    # ml_dtypes' bfloat16 has the kind "V".
    return np.dtype(np.float32) if dtype.itemsize == 2 and dtype.kind in "fV" else dtype


def pointwise(function: Callable[..., Array], data: Array, out: Out = None) -> Array:
    """Return ``function(data)`` in the dtype of data; integers: in float64, then truncated."""
    if data.dtype.kind in "biu":
        return np.asarray(function(data.astype(np.float64)).astype(data.dtype))
    result: Array = function(data, out=out)
    return result


def in_float32(function: Callable[..., Array], data: Array) -> Array:
    """Return ``function(data)`` in the dtype of data, computed in float32 for 16-bit floats.

    For functions of several steps, each of which would round to 16 bits; integers are computed in
    float64, as by :func:`pointwise`.
    """
    # For 0-d arrays NumPy's functions return scalars, which later steps cannot write to.
    if not data.ndim:
        return in_float32(function, data.reshape(1)).reshape(())
    if data.dtype.kind in "biu":
        return function(data.astype(np.float64)).astype(data.dtype)
    dtype = accumulator(data.dtype)
    if dtype is data.dtype:
        return function(data)
    return converted(function(converted(data, dtype)), data.dtype)


def with_scalar(data: Array, scalar: float, is_int: bool) -> tuple[Array, Array | float]:
    """Return array and number promoted: integers with a floating number to float64.

    ``is_int`` says that the number is an integer; with one, booleans become int64.
    """
    kind = data.dtype.kind
    if kind == "f":
        return data, scalar
    if kind not in "biu":
        return data, np.asarray(scalar, data.dtype)
    if not is_int:
        return data.astype(np.float64), scalar
    if kind == "b":
        data = data.astype(np.int64)
    # Through int64, so that a scalar out of the dtype's range wraps around as in C.
    return data, np.asarray(np.float64(scalar).astype(np.int64).astype(data.dtype))
