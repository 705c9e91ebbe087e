"""Reductions of MXNet's NumPy interface; axis ``()`` reduces no axes, None all."""

from collections.abc import Callable

import torch

from hy_kernels.torch._dtypes import accumulator, refuse_complex, torch_type, widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import to_compute_dtype
from hy_kernels.torch._tensor import (
    Number,
    OutBuffers,
    Tensor,
    copied,
    is_integer,
    number,
    own,
    stored,
    target,
)

Axis = tuple[int, ...] | None


def reduced_axes(axis: Axis, rank: int) -> list[int]:
    """Return the axes counted from the front; for scalars 0 and -1 are allowed."""
    return list(range(rank)) if axis is None or not rank else [i % rank for i in axis]


def _sum(a: Tensor, axis: Axis, keepdims: bool, dtype: torch.dtype) -> Tensor:
    """Return the sum over axes as a new tensor."""
    if axis == ():
        return copied(a, dtype=dtype)
    return torch.sum(a, reduced_axes(axis, a.ndim), keepdim=keepdims, dtype=dtype)


def _merge_axes(a: Tensor, axis: Axis, keepdims: bool) -> tuple[Tensor, list[int]]:
    """Return the array with the reduced axes merged as the last one, and the result's shape."""
    along = reduced_axes(axis, a.ndim)
    others = [i for i in range(a.ndim) if i not in along]
    if keepdims:
        shape = [1 if i in along else n for i, n in enumerate(a.shape)]
    else:
        shape = [a.shape[i] for i in others]
    count = 1
    for i in along:
        count *= a.shape[i]
    return a.permute(others + along).reshape(*[a.shape[i] for i in others], count), shape


def sum_dtype(dtype: torch.dtype, operands: str | None) -> torch.dtype:
    """Return the dtype of a sum or product: the requested one, or the data's; int64 for bool."""
    if operands is not None:
        return torch_type(operands)
    # numpy sums booleans as its default integer.
    return torch.int64 if dtype is torch.bool else dtype


def _working_dtype(dtype: torch.dtype, result: torch.dtype) -> torch.dtype:
    """Return the dtype to fold in: an integer result of floats is cut off once, at the end."""
    is_cut = dtype.is_floating_point and not result.is_floating_point and not result.is_complex
    return accumulator(dtype if is_cut else result)


def _product(a: Tensor, axis: Axis, keepdims: bool, dtype: torch.dtype) -> Tensor:
    """Return the product over axes."""
    rows, shape = _merge_axes(a, axis, keepdims)
    # torch.prod takes one axis, so all are made one.
    return torch.prod(rows, -1, dtype=dtype).reshape(shape)


def _enter_fold(
    name: str, fold: Callable[..., Tensor], combine: Callable[[Tensor, float], Tensor]
) -> None:
    """Enter the kernel of a sum or product over axes; ``combine`` adds the initial value."""

    @kernel(name, out="apart")
    def folded(
        a: Tensor,
        *,
        axis: Axis,
        dtype: str | None,
        keepdims: bool,
        initial: float | None,
        out: OutBuffers = None,
    ) -> Tensor:
        result = sum_dtype(a.dtype, dtype)
        y = fold(a, axis, keepdims, _working_dtype(a.dtype, result))
        if initial is not None:
            y = combine(y, initial)
        return stored(y.to(result), out)


def _within(value: float, dtype: torch.dtype) -> Number:
    """Return a number clipped to the range of a dtype."""
    if not dtype.is_floating_point and dtype is not torch.bool:
        limits = torch.iinfo(dtype)
        value = min(max(value, limits.min), limits.max)
    return own(value, dtype)


def _enter_extreme(
    name: str, reduce: Callable[..., Tensor], combine: Callable[..., Tensor]
) -> None:
    """Enter the kernel of a maximum or minimum over axes."""

    @kernel(name, out="apart")
    def extreme(
        a: Tensor, *, axis: Axis, keepdims: bool, initial: float | None, out: OutBuffers = None
    ) -> Tensor:
        if axis == ():
            y = copied(a)
        elif initial is None or a.numel():
            y = reduce(a, reduced_axes(axis, a.ndim), keepdim=keepdims)
        else:  # nothing to compare with
            shape = _sum(a, axis, keepdims, torch.int64).shape
            return stored(torch.full(shape, initial, dtype=a.dtype, device=a.device), out)
        if initial is not None:
            y = combine(y, number(_within(initial, a.dtype), a.dtype, a.device))
        return stored(y, out)


_enter_fold("np_sum", _sum, torch.add)
_enter_fold("np_prod", _product, torch.mul)
_enter_extreme("np_max", torch.amax, torch.maximum)
_enter_extreme("np_min", torch.amin, torch.minimum)


def _divide_by_count(total: Tensor, data: Tensor, spare: int = 0) -> Tensor:
    """Return sums divided by the number of elements of each, less ``spare``; 0 for empty sums."""
    count = data.numel() // total.numel() if total.numel() else 0
    return total / max(count - spare, 0) if count else total


@kernel(out="apart")
def np_mean(
    a: Tensor,
    *,
    axis: Axis,
    dtype: str | None,
    keepdims: bool,
    initial: float | None,
    out: OutBuffers = None,
) -> Tensor:
    """Return the mean over axes."""
    refuse_complex(a.dtype)
    if dtype is not None:
        result = torch_type(dtype)
    else:
        result = a.dtype if a.dtype.is_floating_point else torch.float32
    working = accumulator(result) if result.is_floating_point else widest(a.device)
    total = _sum(a, axis, keepdims, working)
    if initial is not None:
        total = total + initial
    if result in (torch.int8, torch.int32, torch.int64):  # in which the sum may wrap
        total = total.to(torch.int64).to(result).to(working)
    return stored(_divide_by_count(total, a).to(result), out)


def _variance(a: Tensor, axis: Axis, ddof: int, keepdims: bool) -> Tensor:
    """Return the variance in at least float32; for integers in float64."""
    refuse_complex(a.dtype)
    working = accumulator(a.dtype) if a.dtype.is_floating_point else widest(a.device)
    values = a.to(working)
    # Two passes, as E[x²] - E[x]² loses digits.
    centred = values - _divide_by_count(_sum(values, axis, True, working), a)
    return _divide_by_count(_sum(centred.square_(), axis, keepdims, working), a, ddof)


@kernel(out="apart")
def np_var(
    a: Tensor, *, axis: Axis, dtype: str | None, ddof: int, keepdims: bool, out: OutBuffers = None
) -> Tensor:
    """Return the variance over axes."""
    result = a.dtype if dtype is None else torch_type(dtype)
    return stored(_variance(a, axis, ddof, keepdims).to(result), out)


@kernel(out="apart")
def np_std(
    a: Tensor, *, axis: Axis, dtype: str | None, ddof: int, keepdims: bool, out: OutBuffers = None
) -> Tensor:
    """Return the standard deviation over axes."""
    result = a.dtype if dtype is None else torch_type(dtype)
    return stored(_variance(a, axis, ddof, keepdims).sqrt_().to(result), out)


def _enter_logic(name: str, function: Callable[..., Tensor]) -> None:
    """Enter the kernel of whether all elements, or any, are true along axes."""

    @kernel(name)
    def logical(data: Tensor, *, axis: Axis, keepdims: bool) -> Tensor:
        rows, shape = _merge_axes(data, axis, keepdims)
        return function(rows.to(torch.bool), -1).reshape(shape)


def _enter_search(name: str, function: Callable[..., Tensor]) -> None:
    """Enter the kernel of the index of the first maximum or minimum along an axis."""

    @kernel(name)
    def position(data: Tensor, *, axis: int | None, keepdims: bool) -> Tensor:
        # torch has no argmax of booleans.
        values = data.to(torch.uint8) if data.dtype is torch.bool else data
        if axis is None:
            y = function(values.reshape(-1), 0)
            return y.reshape((1,) * data.ndim) if keepdims else y
        return function(values, axis, keepdim=keepdims)


_enter_logic("np_all", torch.all)
_enter_logic("np_any", torch.any)
_enter_search("np_argmax", torch.argmax)
_enter_search("np_argmin", torch.argmin)


def _along_axes(weights: Tensor, a: Tensor, axis: Axis) -> Tensor:
    if weights.shape == a.shape:
        return weights
    assert axis is not None
    shape = [1] * a.ndim
    shape[axis[0]] = weights.numel()
    return weights.reshape(shape)


@kernel(out="apart")
def sum_weights(
    dy: Tensor, weights: Tensor, a: Tensor, *, axis: Axis, out: OutBuffers = None
) -> Tensor:
    """Return the gradients of elements summed to the shape of their weights."""
    if weights.shape == dy.shape:
        return copied(dy, out)
    assert axis is not None
    rest = tuple(i for i in range(dy.ndim) if i != axis[0] % dy.ndim)
    return stored(_sum(dy, rest, False, accumulator(dy.dtype)).to(dy.dtype), out)


@kernel(out="apart")
def np_average(
    a: Tensor,
    weights: Tensor | None,
    *,
    axis: Axis,
    returned: bool,
    weighted: bool,
    out: OutBuffers = None,
) -> tuple[Tensor, Tensor]:
    """Return the weighted mean, and the sum of the weights."""
    dtype = accumulator(a.dtype)
    if weights is None or not weighted:
        mean = _divide_by_count(_sum(a, axis, False, dtype), a)
        counts = target(out, mean.shape, a.dtype, a.device, 1)
        counts.fill_(a.numel() // mean.numel() if mean.numel() else 0)
        return stored(mean.to(a.dtype), out), counts
    factors = _along_axes(weights, a, axis).broadcast_to(a.shape)
    whole = torch.int64 if is_integer(a) else dtype
    total = _sum(to_compute_dtype(a) * to_compute_dtype(factors), axis, False, whole)
    mean = total / _sum(factors, axis, False, dtype)
    sums = _total_weight(weights, a, axis)
    return stored(mean.to(a.dtype), out), stored(sums.to(a.dtype), out, 1)


def _total_weight(weights: Tensor, a: Tensor, axis: Axis) -> Tensor:
    along = axis if weights.ndim == a.ndim else None
    return _sum(weights, along, False, accumulator(weights.dtype)).to(weights.dtype)


@kernel(out="apart")
def total_weights(weights: Tensor, a: Tensor, *, axis: Axis, out: OutBuffers = None) -> Tensor:
    """Return the sums of the weights over axes."""
    return stored(_total_weight(weights, a, axis), out)
