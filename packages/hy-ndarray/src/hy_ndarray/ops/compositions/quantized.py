"""Compositions of quantization, and of layers on 8-bit integers with the range that they represent.

The step of a range, the real number of the integer 1, is its largest magnitude divided by the
levels of the integers' dtype.
"""

from math import prod
from typing import Any

from hy_ndarray.ops.compositions._terms import cast, filled, reshape, size
from hy_ndarray.ops.compositions.places import where
from hy_ndarray.ops.elementwise import quantization, scalar, unary as elementwise
from hy_ndarray.ops.elementwise.broadcast import broadcast_maximum
from hy_ndarray.ops.indexing import take as indexing
from hy_ndarray.ops.nn import pool, quantized
from hy_ndarray.ops.np.reduce import np_max, np_min
from hy_ndarray.ops.np.scalar import np_greater_scalar
from hy_ndarray.ops.np.unary import np_around
from hy_ndarray.ops.record.composition import Tracer
from hy_ndarray.ops.record.derived import composition

_LARGEST = {"int8": 127.0, "uint8": 255.0, "int32": 2147483647.0}
_LOWEST = {"int8": -128.0, "uint8": 0.0, "int32": -2147483648.0}
_LEVELS = {"int8": 127.5, "uint8": 255.5, "int32": 2147483647.0}
"""Levels of each sign; ranges end half a step beyond the last 8-bit integer, as in MXNet."""


def _end(value: float) -> Tracer:
    """Return a number as the end of a range."""
    return filled((1,), value, "float32")


def _magnitude(low: Tracer, high: Tracer) -> Tracer:
    """Return the largest magnitude of a range, ``[1]``."""
    result: Tracer = broadcast_maximum(elementwise.abs(low), elementwise.abs(high))
    return result


def _levels_per_unit(levels: float, largest: Tracer) -> Tracer:
    """Return the integers per real unit, for a largest real number; 0 for an empty range."""
    result: Tracer = where(np_greater_scalar(largest, scalar=0.0), levels / largest, _end(0.0))
    return result


def _rounded(x: Tracer, dtype: str) -> Tracer:
    """Return real numbers rounded to integers, clipped to the range of ``dtype``."""
    inside = elementwise.clip(np_around(x), a_min=_LOWEST[dtype], a_max=_LARGEST[dtype])
    return cast(inside, dtype)


def _span(x: Tracer, low: float | None, high: float | None) -> tuple[Tracer, Tracer]:
    """Return the calibrated range if there is one, else that of the numbers."""
    if low is not None and high is not None:
        return _end(low), _end(high)
    if not size(x):
        return _end(0.0), _end(0.0)
    low_end, high_end = (cast(reshape(f(x), 1), "float32") for f in (np_min, np_max))
    return low_end, high_end


def _common_dtype(lhs: Tracer, rhs: Tracer) -> str:
    return "uint8" if lhs.dtype == rhs.dtype == "uint8" else "int8"


@composition(quantization.quantize)
def _quantize(data: Tracer, min_range: Tracer, max_range: Tracer, *, out_type: str) -> Any:
    largest = reshape(_magnitude(min_range, max_range), 1)
    steps = reshape(_levels_per_unit(_LARGEST[out_type], largest), *(1,) * data.ndim)
    y = _rounded(data * steps, out_type)
    if out_type == "int8":
        return [y, largest * -1.0, largest]
    return [y, reshape(min_range, 1), reshape(max_range, 1)]


@composition(quantization.requantize)
def _requantize(
    data: Tracer,
    min_range: Tracer,
    max_range: Tracer,
    *,
    out_type: str,
    min_calib_range: float | None,
    max_calib_range: float | None,
) -> Any:
    def number(x: Tracer) -> Tracer:
        return reshape(cast(x, "float64"), *(1,) * data.ndim)

    dtype = quantization.out_dtype(out_type, min_calib_range, max_calib_range)
    unit = number(_magnitude(min_range, max_range)) / _LARGEST["int32"]
    values = cast(data, "float64") * unit
    largest = _magnitude(*_span(values, min_calib_range, max_calib_range))
    y = _rounded(values * number(_levels_per_unit(_LARGEST[dtype], largest)), dtype)
    return [y, largest * -1.0 if dtype == "int8" else _end(0.0), largest]


@composition(quantized.quantized_flatten)
def _flatten(data: Tracer, min_data: Tracer, max_data: Tracer) -> Any:
    flat = reshape(data, data.shape[0], prod(data.shape[1:]))
    return [flat, reshape(min_data, 1), reshape(max_data, 1)]


@composition(quantized.quantized_act)
def _act(data: Tracer, min_data: Tracer, max_data: Tracer, *, act_type: str) -> Any:
    positive = scalar.maximum_scalar(data, scalar=0.0)
    return [positive, reshape(min_data, 1), reshape(max_data, 1)]


@composition(quantized.quantized_pooling)
def _pooling(
    data: Tracer, min_data: Tracer, max_data: Tracer, *, pool_type: str, **params: Any
) -> Any:
    # Sums of a window would overflow small integers.
    x = data if pool_type == "max" else cast(data, "float64")
    y = pool.pooling(x, pool_type=pool_type, **params)
    y = y if pool_type == "max" else _rounded(y, data.dtype)
    return [y, reshape(min_data, 1), reshape(max_data, 1)]


@composition(quantized.quantized_embedding)
def _embedding(
    data: Tracer, weight: Tracer, min_weight: Tracer, max_weight: Tracer, **_: Any
) -> Any:
    rows = indexing.take(weight, data, axis=0, mode="clip")
    return [rows, reshape(min_weight, 1), reshape(max_weight, 1)]


@composition(quantized.quantized_elemwise_add)
def _add(
    lhs: Tracer,
    rhs: Tracer,
    lhs_min: Tracer,
    lhs_max: Tracer,
    rhs_min: Tracer,
    rhs_max: Tracer,
    *,
    min_calib_range: float | None,
    max_calib_range: float | None,
) -> Any:
    left, right = _magnitude(lhs_min, lhs_max), _magnitude(rhs_min, rhs_max)
    if min_calib_range is not None and max_calib_range is not None:
        low, high = _end(min_calib_range), _end(max_calib_range)
        dtype = _common_dtype(lhs, rhs)
    else:
        high = reshape(left + right, 1)
        low, dtype = high * -1.0, "int32"
    step = _magnitude(low, high) / _LEVELS[dtype]
    is_some = np_greater_scalar(step, scalar=0.0)
    one, other = (
        reshape(where(is_some, largest / _LEVELS[x.dtype] / step, _end(0.0)), *(1,) * x.ndim)
        for largest, x in ((left, lhs), (right, rhs))
    )
    # In float32 as in MXNet, although that rounds large int32 numbers.
    total = cast(lhs, "float32") * one + cast(rhs, "float32") * other
    # The largest int32 is not in float32.
    return [_rounded(cast(total, "float64") if dtype == "int32" else total, dtype), low, high]


@composition(quantized.quantized_elemwise_mul)
def _mul(
    lhs: Tracer,
    rhs: Tracer,
    lhs_min: Tracer,
    lhs_max: Tracer,
    rhs_min: Tracer,
    rhs_max: Tracer,
    *,
    min_calib_range: float | None,
    max_calib_range: float | None,
    enable_float_output: bool,
) -> Any:
    left, right = _magnitude(lhs_min, lhs_max), _magnitude(rhs_min, rhs_max)
    y = cast(lhs, "int32") * cast(rhs, "int32")
    step = reshape(left / _LEVELS[lhs.dtype] * (right / _LEVELS[rhs.dtype]), *(1,) * y.ndim)
    if enable_float_output:
        return cast(y, "float32") * step
    if min_calib_range is None or max_calib_range is None:
        limit = left / _LARGEST[lhs.dtype] * (right / _LARGEST[rhs.dtype])
        high = reshape(limit * _LARGEST["int32"], 1)
        return [y, high * -1.0, high]
    dtype = _common_dtype(lhs, rhs)
    low, high = _end(min_calib_range), _end(max_calib_range)
    steps = _levels_per_unit(_LEVELS[dtype], _magnitude(low, high))
    factor = cast(step * reshape(steps, *(1,) * y.ndim), "float64")
    return [_rounded(cast(y, "float64") * factor, dtype), low, high]


@composition(quantized.quantized_batch_norm)
def _batch_norm(
    data: Tracer,
    gamma: Tracer,
    beta: Tracer,
    moving_mean: Tracer,
    moving_var: Tracer,
    min_data: Tracer,
    max_data: Tracer,
    *,
    eps: float,
    fix_gamma: bool,
    axis: int,
    min_calib_range: float | None,
    max_calib_range: float | None,
    **_: Any,
) -> Any:
    at = axis % data.ndim
    shape = [n if i == at else 1 for i, n in enumerate(data.shape)]
    # In float64: factor and shift are rounded once, at the end.
    factor = 1.0 / elementwise.sqrt(cast(moving_var, "float64") + eps)
    if not fix_gamma:
        factor = factor * cast(gamma, "float64")
    shift = cast(beta, "float64") - cast(moving_mean, "float64") * factor
    step = cast(_magnitude(min_data, max_data) / _LEVELS[data.dtype], "float64")
    y = cast(data, "float64") * reshape(factor * step, *shape) + reshape(shift, *shape)
    low, high = _span(y, min_calib_range, max_calib_range)
    steps = cast(_levels_per_unit(_LEVELS["int8"], _magnitude(low, high)), "float64")
    return [_rounded(y * reshape(steps, *(1,) * y.ndim), "int8"), low, high]
