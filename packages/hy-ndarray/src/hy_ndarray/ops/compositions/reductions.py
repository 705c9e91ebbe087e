"""Compositions of reductions, and of their gradients."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from hy_ndarray.ops.compositions._terms import (
    cast,
    constant,
    count,
    expanded,
    filled,
    is_whole,
    narrowed,
    reshape,
    size,
    total,
    transposed,
    wide,
)
from hy_ndarray.ops.elementwise import compare, unary as elementwise
from hy_ndarray.ops.np import (
    axes as np_axes,
    choosing,
    joining,
    reduce as np_reduce,
    scalar as np_scalar,
    unary,
)
from hy_ndarray.ops.np.arithmetic import np_equal
from hy_ndarray.ops.record.composition import Tracer
from hy_ndarray.ops.record.derived import composition
from hy_ndarray.ops.record.schema import OperatorFunction
from hy_ndarray.ops.reduce import reductions as reduce, statistics

__all__ = ["reduced_axes"]

Axes = Sequence[int] | None


def reduced_axes(data: Tracer, axis: Axes, *, exclude: bool = False) -> tuple[int, ...]:
    """Return the reduction axes of a call as non-negative numbers; all axes by default."""
    rank = data.ndim
    named = {i % rank for i in axis} if axis and rank else set(range(rank))
    excluded = exclude and bool(axis) and rank > 0
    return tuple(i for i in range(rank) if (i in named) != excluded)


def _shaped(y: Tracer) -> Tracer:
    """Return a result with at least one axis: MXNet's full reductions have shape ``(1,)``."""
    return y if y.ndim else reshape(y, 1)


def _with_reduced_axes(y: Tracer, data: Tracer, axis: Axes, exclude: bool = False) -> Tracer:
    """Return a reduced result with the reduced axes inserted with size 1."""
    if y.shape == data.shape:
        return y
    axes = reduced_axes(data, axis, exclude=exclude)
    return reshape(y, *[1 if i in axes else n for i, n in enumerate(data.shape)])


def _to_accumulator(data: Tracer) -> Tracer:
    """Return data in the accumulation dtype of means: integers as float64."""
    return cast(data, "float64") if is_whole(data) else wide(data)


def _folded(name: OperatorFunction, fold: OperatorFunction) -> None:
    @composition(name)
    def folded(data: Tracer, *, axis: Axes, keepdims: bool, exclude: bool) -> Tracer:
        axes = reduced_axes(data, axis, exclude=exclude)
        more = {"dtype": data.dtype} if "dtype" in fold.op.params else {}
        return _shaped(fold(data, axis=axes, keepdims=keepdims, **more))


_folded(reduce.sum, np_reduce.np_sum)
_folded(reduce.prod, np_reduce.np_prod)
_folded(reduce.max, np_reduce.np_max)
_folded(reduce.min, np_reduce.np_min)


def _merged_axes_last(
    data: Tracer, axis: Axes, exclude: bool
) -> tuple[Tracer, Callable[[Tracer], Tracer]]:
    """Return the data with the reduced axes merged into the last, and the inverse function."""
    reduced = reduced_axes(data, axis, exclude=exclude)
    order = [*(i for i in range(data.ndim) if i not in reduced), *reduced]
    shape = [data.shape[i] for i in order]
    rank = data.ndim - len(reduced)

    def undone(x: Tracer) -> Tracer:
        inverse = map(order.index, range(len(order)))
        return cast(transposed(reshape(x, *shape), *inverse), data.dtype)

    merged = reshape(transposed(wide(data), *order), *shape[:rank], prod(shape[rank:]))
    return merged, undone


def _following(ring: Tracer, ahead: int) -> Tracer:
    """Return at each position the element ``ahead`` positions later, along the last axis."""
    result: Tracer = np_axes.np_roll(ring, shift=(-ahead,), axis=(ring.ndim - 1,))
    return result


def _others_of(factors: Tracer, tangents: Tracer | None = None) -> Tracer:
    """Return, for each element, the product of all other elements along the last axis.

    With ``tangents``, return its directional derivative along them.
    """
    # Dividing the total product by each element would fail for zeros. So elements form a ring, and
    # the product of the n - 1 that follow one is composed of windows of doubling length, in
    # O(n log n).
    span = factors.shape[-1] - 1
    value, change = (filled(factors.shape, start, factors.dtype) for start in (1.0, 0.0))
    start = 1  # the first element that `value` does not hold yet
    window, tangent, length = factors, tangents, 1
    while span > 0:
        if span & 1:
            following = _following(window, start)
            if tangent is not None:
                change = change * following + value * _following(tangent, start)
            value = value * following
            start += length
        span >>= 1
        if span:
            following = _following(window, length)
            if tangent is not None:
                tangent = tangent * following + window * _following(tangent, length)
            window = window * following
            length *= 2
    return value if tangent is None else change


@composition(reduce.others)
def _others(data: Tracer, *, axis: Axes, exclude: bool) -> Tracer:
    factors, undone = _merged_axes_last(data, axis, exclude)
    return undone(_others_of(factors))


@composition(reduce.others_backward)
def _others_backward(dy: Tracer, data: Tracer, *, axis: Axes, exclude: bool) -> Tracer:
    factors, undone = _merged_axes_last(data, axis, exclude)
    tangents, _ = _merged_axes_last(dy, axis, exclude)
    return undone(_others_of(factors, tangents))


@composition(reduce.expand_reduced)
def _expand_reduced(
    dy: Tracer, data: Tracer, *, axis: Axes, keepdims: bool, exclude: bool
) -> Tracer:
    return expanded(_with_reduced_axes(dy, data, axis, exclude), data.shape)


@composition(reduce.mean)
def _mean(data: Tracer, *, axis: Axes, keepdims: bool, exclude: bool) -> Tracer:
    axes = reduced_axes(data, axis, exclude=exclude)
    y = total(_to_accumulator(data), axes, keepdims=keepdims)
    return cast(_shaped(y / count(data, y)), data.dtype)


@composition(reduce.mean_backward)
def _mean_backward(
    dy: Tracer, data: Tracer, *, axis: Axes, keepdims: bool, exclude: bool
) -> Tracer:
    share = narrowed(lambda x: x / count(data, dy), dy)
    return expanded(_with_reduced_axes(share, data, axis, exclude), data.shape)


@composition(reduce.extreme_backward)
def _extreme_backward(
    dy: Tracer, data: Tracer, y: Tracer, *, axis: Axes, keepdims: bool, exclude: bool
) -> Any:
    return choosing.np_where(
        np_equal(data, _with_reduced_axes(y, data, axis, exclude)),
        expanded(_with_reduced_axes(dy, data, axis, exclude), data.shape),
        constant(data, 0.0, dy.dtype),
    )


@composition(reduce.extreme_sum)
def _extreme_sum(
    values: Tracer, data: Tracer, y: Tracer, *, axis: Axes, keepdims: bool, exclude: bool
) -> Any:
    selected = choosing.np_where(
        np_equal(data, _with_reduced_axes(y, data, axis, exclude)),
        values,
        constant(data, 0.0, values.dtype),
    )
    return reduce.sum(selected, axis=axis, keepdims=keepdims, exclude=exclude)


@composition(reduce.replace_nan)
def _replace_nan(data: Tracer, where: Tracer, *, value: float) -> Any:
    return choosing.np_where(unary.np_isnan(where), constant(data, value), data)


@composition(reduce.nansum)
def _nansum(data: Tracer, **options: Any) -> Any:
    return reduce.sum(reduce.replace_nan(data, data, value=0.0), **options)


@composition(reduce.nanprod)
def _nanprod(data: Tracer, **options: Any) -> Any:
    return reduce.prod(reduce.replace_nan(data, data, value=1.0), **options)


@composition(reduce.norm)
def _norm(data: Tracer, *, ord: int, axis: Axes, out_dtype: str | None, keepdims: bool) -> Tracer:
    values = _to_accumulator(data)
    powers = elementwise.abs(values) if ord == 1 else values * values
    y = total(powers, reduced_axes(data, axis), keepdims=keepdims)
    if ord == 2:
        y = elementwise.sqrt(y)
    return cast(_shaped(y), out_dtype or data.dtype)


@composition(reduce.norm_backward, differentiated=True)
def _norm_backward(
    dy: Tracer, data: Tracer, y: Tracer, *, ord: int, axis: Axes, keepdims: bool
) -> Tracer:
    x = wide(data)
    dy = cast(dy, x.dtype)
    if ord == 1:
        return cast(elementwise.sign(x) * _with_reduced_axes(dy, data, axis), data.dtype)
    # Zero vectors have the gradient 0: their length is replaced by 1 in the division.
    some = compare.not_equal_scalar(y, scalar=0.0)
    share = dy * cast(some, x.dtype) / cast(y + (1.0 - some), x.dtype)
    return cast(_with_reduced_axes(share, data, axis) * x, data.dtype)


@composition(statistics.moments)
def _moments(data: Tracer, *, axes: Axes, keepdims: bool) -> list[Tracer]:
    values = _to_accumulator(data)
    along = reduced_axes(data, axes)
    centre = total(values, along, keepdims=True)
    centre = centre / count(data, centre)
    # In a second pass: the mean of squares less the square of the mean would cancel digits.
    deviations = values - centre
    variance = total(deviations * deviations, along, keepdims=keepdims)
    variance = _shaped(variance / count(data, variance))
    return [
        cast(reshape(centre, *variance.shape), data.dtype),
        cast(variance, data.dtype),
    ]


@composition(statistics.square_sum)
def _square_sum(data: Tracer, *, axis: Axes, keepdims: bool, exclude: bool) -> Tracer:
    x = wide(data)
    y = total(x * x, reduced_axes(data, axis, exclude=exclude), keepdims=keepdims)
    return cast(_shaped(y), data.dtype)


@composition(statistics.multi_sum_sq)
def _multi_sum_sq(*data: Tracer, num_arrays: int) -> Any:
    squares = [cast(x, "float32") for x in data]
    sums = [reshape(total(x * x, None), 1) for x in squares]
    return joining.np_concatenate(*sums, axis=0)


@composition(statistics.all_finite)
def _all_finite(data: Tracer, *, init_output: bool) -> Tracer:
    return _multi_all_finite(data, num_arrays=1, init_output=init_output)


@composition(statistics.multi_all_finite)
def _multi_all_finite(*data: Tracer, num_arrays: int, init_output: bool) -> Tracer:
    each = [
        reshape(np_reduce.np_all(unary.np_isfinite(x), axis=None, keepdims=False), 1) for x in data
    ]
    every = joining.np_concatenate(*each, axis=0) if len(each) > 1 else each[0]
    return reshape(cast(np_reduce.np_all(every, axis=None, keepdims=False), "float32"), 1)


@composition(statistics.cumsum_backward)
def _cumsum_backward(dy: Tracer, a: Tracer, *, axis: int | None, dtype: str | None) -> Tracer:
    along = -1 if axis is None else axis
    head = cast(dy, a.dtype) if dy.dtype == "float16" else wide(dy)
    reversed_ = np_axes.np_flip(head, axis=(along,))
    sums = np_axes.np_flip(
        statistics.cumsum(reversed_, axis=along, dtype=head.dtype), axis=(along,)
    )
    return cast(reshape(sums, *a.shape), a.dtype)


def _share(y: Tracer, data: Tracer, spare: int = 0) -> Tracer:
    """Return the sum ``y`` divided by the number of elements of ``data`` in it, minus ``spare``."""
    number = size(data) // size(y) if size(y) else 0
    return y / constant(y, number - spare) if number else y


@composition(np_reduce.np_mean)
def _np_mean(
    a: Tracer, *, axis: Axes, dtype: str | None, keepdims: bool, initial: float | None
) -> Tracer:
    result = dtype or ("float32" if is_whole(a) else a.dtype)
    whole = "float" not in result and "complex" not in result
    working = "float64" if whole else "float32" if result in ("float16", "bfloat16") else result
    y = total(cast(a, working), axis, keepdims=keepdims)
    if initial is not None:
        y = y + initial
    if whole:
        y = cast(cast(cast(y, "int64"), result), working)
    return cast(_share(y, a), result)


def _variance(a: Tracer, axis: Axes, ddof: int, keepdims: bool) -> Tracer:
    values = _to_accumulator(a)
    centred = values - _share(total(values, axis, keepdims=True), a)
    return _share(total(centred * centred, axis, keepdims=keepdims), a, ddof)


@composition(np_reduce.np_var)
def _np_var(a: Tracer, *, axis: Axes, dtype: str | None, ddof: int, keepdims: bool) -> Tracer:
    return cast(_variance(a, axis, ddof, keepdims), dtype or a.dtype)


@composition(np_reduce.np_std)
def _np_std(a: Tracer, *, axis: Axes, dtype: str | None, ddof: int, keepdims: bool) -> Tracer:
    return cast(elementwise.sqrt(_variance(a, axis, ddof, keepdims)), dtype or a.dtype)


@composition(np_reduce.degrees_of_freedom)
def _degrees_of_freedom(data: Tracer, *, axis: Axes, ddof: int) -> Tracer:
    number = 1.0
    for i in reduced_axes(data, axis):
        number *= data.shape[i]
    rest = number - ddof
    value = number / rest if rest else float("inf" if number else "nan")
    return filled((), value, data.dtype)


def _every(name: OperatorFunction, fold: OperatorFunction, initial: float) -> None:
    @composition(name)
    def every(data: Tracer, *, axis: Axes, keepdims: bool) -> Any:
        # Of booleans, the minimum is all and the maximum any; of no elements, the initial value.
        is_true = np_scalar.np_not_equal_scalar(data, scalar=0.0)
        return fold(is_true, axis=axis, keepdims=keepdims, initial=initial)


_every(np_reduce.np_all, np_reduce.np_min, 1.0)
_every(np_reduce.np_any, np_reduce.np_max, 0.0)


def _along_axes(weights: Tracer, a: Tracer, axis: Axes) -> Tracer:
    """Return weights reshaped to broadcast along ``axis`` of ``a``."""
    if weights.shape == a.shape:
        return weights
    assert axis is not None
    return reshape(weights, *[n if i == axis[0] % a.ndim else 1 for i, n in enumerate(a.shape)])


@composition(np_reduce.spread_weights)
def _spread_weights(weights: Tracer, a: Tracer, *, axis: Axes) -> Tracer:
    return expanded(_along_axes(weights, a, axis), a.shape)


@composition(np_reduce.sum_weights)
def _sum_weights(dy: Tracer, weights: Tracer, a: Tracer, *, axis: Axes) -> Tracer:
    if weights.shape == dy.shape:
        return dy
    assert axis is not None
    return total(dy, [i for i in range(dy.ndim) if i != axis[0] % dy.ndim])


@composition(np_reduce.total_weights)
def _total_weights(weights: Tracer, a: Tracer, *, axis: Axes) -> Tracer:
    return total(weights, axis if weights.ndim == a.ndim else None)


@composition(np_reduce.total_backward)
def _total_backward(dy: Tracer, weights: Tracer, a: Tracer, *, axis: Axes) -> Tracer:
    if weights.ndim == a.ndim:
        dy = _with_reduced_axes(dy, weights, axis)
    return expanded(dy, weights.shape)


@composition(np_reduce.np_average)
def _np_average(
    a: Tracer, weights: Tracer | None = None, *, axis: Axes, returned: bool, weighted: bool
) -> list[Tracer]:
    x = wide(a)
    if weights is None or not weighted:
        y = total(x, axis)
        number = size(a) // size(y) if size(y) else 0
        mean = cast(_share(y, a), a.dtype)
        counts = filled(mean.shape, float(number), a.dtype)
        return [mean, counts]
    factors = expanded(_along_axes(wide(weights), a, axis), a.shape)
    mean = total(x * factors, axis) / total(factors, axis)
    sums = np_reduce.total_weights(weights, a, axis=axis)
    return [cast(mean, a.dtype), cast(sums, a.dtype)]
