"""Reductions of mx.np over axes; ``()`` reduces no axis, None all."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_kernels.numpy._array import (
    Array,
    OutBuffers,
    accumulator,
    copied,
    out_buffer,
    quiet,
)
from hy_kernels.numpy._folds import add_up, multiply_up, small_reduction
from hy_kernels.numpy._kernels import kernel
from hy_kernels.record import Function, Maker, Params, by_params

Axis = tuple[int, ...] | None


def _reduce(
    fold: Callable[..., Any],
    a: Array,
    axis: Axis,
    keepdims: bool = False,
    *,
    out: OutBuffers = None,
    **more: Any,
) -> Array:
    # A 0-d array may be reduced along axis 0 or -1.
    along = axis if a.ndim else None
    return np.asarray(fold(a, along, keepdims=keepdims, out=out_buffer(out), **more))


def _start(initial: float | None) -> dict[str, float]:
    return {} if initial is None else {"initial": initial}


def _sum_dtype(dtype: np.dtype[Any], operands: str | None) -> np.dtype[Any]:
    """Return the dtype of a sum or product: the requested one, or the data's; int64 for booleans.

    ``operands`` is the name of the requested dtype, or None.
    """
    if operands is not None:
        return np.dtype(operands)
    return np.dtype(np.int64) if dtype.kind == "b" else dtype


def _small_reduction(ufunc: np.ufunc) -> Maker:
    """Return a :data:`Maker` that calls :func:`small_reduction` with ``ufunc``."""

    def make(params: Params, general: Function) -> Function | None:
        if params["initial"] is not None or params.get("dtype") is not None:
            return None
        return small_reduction(ufunc, params["axis"], params["keepdims"], general)

    return by_params(make)


def _enter_fold(name: str, ufunc: np.ufunc, fold: Callable[..., Any]) -> None:
    """Enter the kernel of a sum or product over axes; ``fold`` is faster, but starts from none."""

    @kernel(name, out="apart", specialize=_small_reduction(ufunc))
    @quiet
    def folded(
        a: Array,
        *,
        axis: Axis,
        dtype: str | None,
        keepdims: bool,
        initial: float | None,
        out: OutBuffers = None,
    ) -> Array:
        result = _sum_dtype(a.dtype, dtype)
        # An integer result of floats is cut off once, at the end, not in each element.
        is_cut = a.dtype.kind == "f" and result.kind in "iu"
        working = accumulator(a.dtype if is_cut else result)
        memory = None if is_cut else out
        by = fold if initial is None else ufunc.reduce
        y = _reduce(by, a, axis, keepdims, out=memory, dtype=working, **_start(initial))
        return _cast(y, result, out)


def _enter_extreme(name: str, ufunc: np.ufunc) -> None:
    """Enter the kernel of a maximum or minimum over axes."""

    @kernel(name, out="apart", specialize=_small_reduction(ufunc))
    def extreme(
        a: Array, *, axis: Axis, keepdims: bool, initial: float | None, out: OutBuffers = None
    ) -> Array:
        y = _reduce(ufunc.reduce, a, axis, keepdims, out=out, **_start(initial))
        return np.asarray(y, a.dtype)


_enter_fold("np_sum", np.add, add_up)
_enter_fold("np_prod", np.multiply, multiply_up)
_enter_extreme("np_max", np.maximum)
_enter_extreme("np_min", np.minimum)


def _mean_dtype(dtype: np.dtype[Any], operands: str | None) -> np.dtype[Any]:
    """Return the dtype of a mean: the requested one, or the data's; float32 for integers.

    ``operands`` is the name of the requested dtype, or None.
    """
    if operands is not None:
        return np.dtype(operands)
    return np.dtype(np.float32) if dtype.kind in "biu" else dtype


def _share(total: Array, data: Array, spare: int = 0) -> Array:
    """Return ``total / max(count - spare, 0)``, with ``count`` elements of ``data`` in each sum.

    A floating ``total`` is overwritten. If nothing was summed, ``total`` is returned.
    """
    count = data.size // total.size if total.size else 0
    if not count:
        return total
    out = total if total.dtype.kind == "f" else None
    return np.asarray(
        np.true_divide(total, np.asarray(max(count - spare, 0), total.dtype), out=out)
    )


@kernel(out="apart")
@quiet
def np_mean(
    a: Array,
    *,
    axis: Axis,
    dtype: str | None,
    keepdims: bool,
    initial: float | None,
    out: OutBuffers = None,
) -> Array:
    """Return the mean over axes."""
    result = _mean_dtype(a.dtype, dtype)
    # A mean in an integer dtype is summed in float64, which is exact up to 2**53.
    working = accumulator(result) if result.kind in "fVc" else np.dtype(np.float64)
    total = _reduce(np.add.reduce, a, axis, keepdims, out=out, dtype=working, **_start(initial))
    # As if summed in the integer dtype, in which the sum may wrap around.
    if result.kind == "i":
        total = total.astype(np.int64).astype(result).astype(working)
    return _share(total, a).astype(result, copy=False)


@kernel(out="apart")
@quiet
def np_var(
    a: Array, *, axis: Axis, dtype: str | None, ddof: int, keepdims: bool, out: OutBuffers = None
) -> Array:
    """Return the variance over axes."""
    return _cast(_variance(a, axis, ddof, keepdims, out), dtype or a.dtype, out)


@kernel(out="apart")
@quiet
def np_std(
    a: Array, *, axis: Axis, dtype: str | None, ddof: int, keepdims: bool, out: OutBuffers = None
) -> Array:
    """Return the standard deviation over axes."""
    y = _variance(a, axis, ddof, keepdims, out)
    return _cast(np.sqrt(y, out=y), dtype or a.dtype, out)


def _variance(a: Array, axis: Axis, ddof: int, keepdims: bool, out: OutBuffers) -> Array:
    """Return the variance over ``axis``, computed in at least float32, for integers in float64.

    The out buffer is used only if it has that dtype.
    """
    working = accumulator(a.dtype) if a.dtype.kind in "fV" else np.dtype(np.float64)
    memory = out_buffer(out)
    fits = memory is not None and memory.dtype == working
    # Two passes, because mean(a²) - mean(a)² suffers from cancellation if the mean is large.
    centred = a.astype(working)
    centred -= _share(_reduce(add_up, centred, axis, keepdims=True), a)
    np.square(centred, out=centred)
    return _share(_reduce(add_up, centred, axis, keepdims, out=out if fits else None), a, ddof)


def _cast(y: Array, dtype: npt.DTypeLike, out: OutBuffers) -> Array:
    return y if y.dtype == dtype else copied(y, out, dtype=np.dtype(dtype))


def _enter_logic(name: str, ufunc: np.ufunc) -> None:
    """Enter the kernel of whether all elements, or any, are true along axes."""

    @kernel(name)
    def logical(data: Array, *, axis: Axis, keepdims: bool) -> Array:
        return np.array(_reduce(ufunc.reduce, data, axis, keepdims), np.bool_)


def _enter_search(name: str, function: Callable[..., Any]) -> None:
    """Enter the kernel of the index of the first maximum or minimum along an axis, as int64."""

    @kernel(name)
    def position(data: Array, *, axis: int | None, keepdims: bool) -> Array:
        return np.asarray(function(data, axis=axis, keepdims=keepdims), np.int64)


_enter_logic("np_all", np.logical_and)
_enter_logic("np_any", np.logical_or)
_enter_search("np_argmax", np.argmax)
_enter_search("np_argmin", np.argmin)
