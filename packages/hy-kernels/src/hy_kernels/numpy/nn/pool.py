"""Pooling, computed axis by axis: maximum, mean, sum and p-norm are separable."""

from collections.abc import Callable
from functools import lru_cache, partial
from math import prod
from typing import Any, TypeAlias

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied, out_buffer, quiet, target
from hy_kernels.numpy._folds import row_sum
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._pool_axes import Axis, Index, axes_of
from hy_kernels.numpy.nn._replay import NOW, Replay, Work
from hy_kernels.numpy.nn._window import to_compute_dtype, to_first, to_last, to_storage_dtype
from hy_kernels.numpy.runtime._pool import num_chunks, split, together
from hy_kernels.record import Params, Types
from hy_kernels.windows import pooling_windows


def _outside(dtype: np.dtype[Any]) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


_Fill: TypeAlias = Callable[..., None]
"""``fill(result, *arrays)`` computes ``result``; with ``work=``, which runs or records calls."""


def _by_planes(
    fill: _Fill, size: tuple[int, ...], dtype: Any, *arrays: Array, out: OutBuffers = None
) -> Array:
    """Return ``fill`` applied to arrays ``[N, C, *space]`` in blocks of planes that fit the cache.

    Args:
        fill: Computes planes ``[K, *size]`` from planes ``[K, *space]`` of each array.
        size: Spatial sizes of the result.
        dtype: Dtype of the result.
        arrays: Arrays with the same ``N`` and ``C``.
        out: Out buffer of the result.
    """
    n, c = arrays[0].shape[:2]
    whole = target(out, (n, c, *size), dtype)
    result = whole.reshape(n * c, *size)
    planes = [np.ascontiguousarray(x).reshape(n * c, *x.shape[2:]) for x in arrays]
    limit = max([prod(size), 1, *(prod(x.shape[1:]) for x in planes)])
    step = max(1, COSTS.blocks.pool // limit)

    def compute(part: slice) -> None:
        for start in range(part.start, part.stop, step):
            block = slice(start, min(start + step, part.stop))
            fill(result[block], *(x[block] for x in planes))

    count = num_chunks(n * c * limit, COSTS.threads.pool)
    if count == 1:
        compute(slice(0, n * c))  # no products, during which BLAS would have to be limited
    else:
        together([partial(compute, part) for part in split(n * c, count)])
    return whole


def _by_image(
    fill: _Fill, size: tuple[int, ...], dtype: Any, *arrays: Array, out: OutBuffers = None
) -> Array:
    """Return ``fill`` applied to arrays ``[N, *space, C]`` in blocks of images."""
    result, tasks = _image_tasks(fill, size, dtype, *arrays, out=out)
    together(tasks)
    return result


def _image_tasks(
    fill: _Fill, size: tuple[int, ...], dtype: Any, *arrays: Array, out: OutBuffers
) -> tuple[Array, list[Callable[..., None]]]:
    """Return the result of :func:`_by_image`, and the tasks that compute it."""
    n, channels = len(arrays[0]), arrays[0].shape[-1]
    limit = max([prod(size) * channels, 1, *(prod(x.shape[1:]) for x in arrays)])
    result = target(out, (n, *size, channels), dtype)
    if n * limit <= COSTS.blocks.pool:
        return result, [partial(fill, result[...], *arrays)]
    step = max(1, COSTS.blocks.pool // limit)

    def compute(part: slice, **params: Any) -> None:
        for start in range(part.start, part.stop, step):
            block = slice(start, min(start + step, part.stop))
            fill(result[block], *(x[block] for x in arrays), **params)

    parts = split(n, num_chunks(n * limit, COSTS.threads.pool))
    return result, [partial(compute, part) for part in parts]


def _numbers(axes: list[Axis]) -> tuple[int, ...]:
    return tuple(axis.number for axis in axes)


def _reduced_windows(
    result: Array,
    planes: Array,
    axes: list[Axis],
    combine: Callable[..., Any],
    outside: Any,
    work: Work = NOW,
) -> None:
    """Reduce each window by ``combine`` into ``result``, axis after axis."""
    # The last axis comes last: along the others, whole rows are combined in long runs of memory.
    for axis in axes[:-1]:
        planes = axis.reduce(planes, combine, outside, work=work)
    axes[-1].reduce(planes, combine, outside, result, work)


def _maxima(result: Array, planes: Array, axes: list[Axis], work: Work = NOW) -> None:
    _reduced_windows(result, planes, axes, np.maximum, _outside(planes.dtype), work)


def _means(result: Array, planes: Array, axes: list[Axis], factors: Array, work: Work) -> None:
    _reduced_windows(result, planes, axes, np.add, 0, work)
    work.do(np.multiply, result, factors, out=result)


def _mean_of_images(result: Array, images: Array, work: Work) -> None:
    n, *space, channels = images.shape
    pixels, totals = images.reshape(n, prod(space), channels), result.reshape(n, channels)
    work.do(np.add.reduce, pixels, 1, None, totals)
    work.do(np.divide, totals, images.dtype.type(pixels.shape[1]), totals)


def _levels(planes: Array, axes: list[Axis]) -> list[Array]:
    """Return the planes, and their maxima along the last axis, the last two axes, and so on."""
    # Going back through these finds the first in memory of several equal maxima of a window.
    levels = [planes]
    for axis in reversed(axes):
        levels.append(axis.reduce(levels[-1], np.maximum, _outside(planes.dtype)))
    return levels


def _is_global(axes: list[Axis]) -> bool:
    """Return whether a single window covers all elements."""
    return all(axis.kernel == axis.size and not axis.pad for axis in axes)


def _sums(result: Array, planes: Array, axes: list[Axis]) -> None:
    if _is_global(axes):
        result[...] = row_sum(planes.reshape(len(planes), -1)).reshape(-1, *(1,) * len(axes))
    else:
        _reduced_windows(result, planes, axes, np.add, 0)


def _areas(axes: list[Axis], dtype: np.dtype[Any], include_pad: bool) -> Array:
    """Return ``[1, *number]``, the number of elements of each window, with or without padding.

    Read-only and cached: to count takes half of the time of a call on few elements.
    """
    return _counted(tuple(axes), dtype, include_pad)


@lru_cache(maxsize=16)
def _counted(axes: tuple[Axis, ...], dtype: np.dtype[Any], include_pad: bool) -> Array:
    area = np.ones((1,) * (len(axes) + 1), dtype)
    for axis in axes:
        low = np.arange(axis.number) * axis.stride - axis.pad
        high = np.minimum(low + axis.kernel, axis.size + axis.pad)
        if not include_pad:
            low, high = np.maximum(low, 0), np.minimum(high, axis.size)
        shape = [1] * area.ndim
        shape[axis.axis] = -1
        area = area * np.maximum(high - low, 1).astype(dtype).reshape(shape)
    area.flags.writeable = False
    return area


def _channels_last(
    images: Array, axes: list[Axis], pool_type: str, include_pad: bool | None, out: OutBuffers
) -> Array:
    """Return the maxima or means of channels-last ``images [N, *space, C]``."""
    memory = out_buffer(out)
    replay = Replay(memory, (images,))
    if memory is not None and replay.again():
        return memory
    fill: _Fill
    if pool_type == "max":
        fill = partial(_maxima, axes=axes)
    elif _is_global(axes):
        fill = _mean_of_images
    else:
        factors = 1 / _areas(axes, images.dtype, include_pad is not False)[..., None]
        fill = partial(_means, axes=axes, factors=factors)
    result, tasks = _image_tasks(fill, _numbers(axes), images.dtype, images, out=out)
    count = num_chunks(images.size, COSTS.threads.pool)
    # With fewer images than threads, the rows of windows are shared.
    if pool_type == "max" and len(images) < count:
        strips = axes[0].strips(count)
        tasks = [
            partial(_maxima, result[:, own], images[:, elements], [part, *axes[1:]])
            for part, elements, own in strips
        ]
    replay.compute([partial(_with, task) for task in tasks])
    return result


def _with(task: Callable[..., None], work: Work) -> None:
    task(work=work)


def _algorithm(types: Types, params: Params) -> str | None:
    """Return the name of the algorithm: "mean" of whole planes, or "axes" one by one."""
    if types[0] is None:
        return None
    (shape, dtype), layout = types[0], params["layout"]
    is_last = layout is not None and layout[-1] == "C"
    axes = axes_of(shape[1:-1] if is_last else shape[2:], *pooling_windows(params))
    is_small = is_last or (prod(shape) < COSTS.threads.pool and "float" in dtype)
    return "mean" if params["pool_type"] == "avg" and is_small and _is_global(axes) else "axes"


@kernel(out="apart", algorithm=_algorithm)
@quiet
def pooling(
    data: Array,
    *,
    kernel: tuple[int, ...],
    pool_type: str,
    global_pool: bool,
    cudnn_off: bool,
    pooling_convention: str,
    stride: tuple[int, ...],
    pad: tuple[int, ...],
    p_value: int | None,
    count_include_pad: bool | None,
    layout: str | None,
    out: OutBuffers = None,
) -> Array:
    """Return the maximum, mean, sum or p-norm of each window."""
    geometry = kernel, stride, pad, global_pool, pooling_convention
    if pool_type in ("max", "avg") and layout is not None and layout[-1] == "C":
        axes = axes_of(data.shape[1:-1], *geometry)
        y = _channels_last(to_compute_dtype(data), axes, pool_type, count_include_pad, out)
        return to_storage_dtype(y, data.dtype)
    x = to_first(to_compute_dtype(data), layout)
    axes = axes_of(x.shape[2:], *geometry)
    if (
        pool_type == "avg"
        and x.dtype.kind == "f"
        and x.size < COSTS.threads.pool
        and _is_global(axes)
    ):
        y = _mean(x, out)
        return to_last(to_storage_dtype(y, data.dtype), layout, out)
    power = p_value or 1

    def fill(result: Array, planes: Array) -> None:
        if pool_type == "max":
            _maxima(result, planes, axes)
            return
        _sums(result, planes if pool_type != "lp" or power == 1 else planes**power, axes)
        if pool_type == "lp" and power > 1:  # at most 3
            result[...] = np.sqrt(result) if power == 2 else np.cbrt(result)

    y = _by_planes(fill, _numbers(axes), x.dtype, x, out=out)
    if pool_type == "avg" and y.dtype.kind == "f":
        y /= _areas(axes, y.dtype, count_include_pad is not False)
    elif pool_type == "avg":
        y = y / _areas(axes, y.dtype, count_include_pad is not False)
    return to_last(to_storage_dtype(y, data.dtype), layout, out)


def _mean(x: Array, out: OutBuffers) -> Array:
    """Return the mean of each plane of ``x [N, C, *space]``."""
    planes = x.reshape(-1, prod(x.shape[2:]))
    result = target(out, (*x.shape[:2], *(1,) * (x.ndim - 2)), x.dtype)
    np.divide(row_sum(planes), x.dtype.type(planes.shape[1]), result.reshape(-1))
    return result


def _with_padding(x: Array, axes: list[Axis], beyond: float) -> tuple[Array, list[Axis]]:
    """Return the data padded to contain all windows, and the axes of the padded data.

    The padding is of zeros; where windows reach further, they find the number ``beyond``.
    """
    ends = [max((a.number - 1) * a.stride + a.kernel - a.pad - a.size, 0) for a in axes]
    after = [min(a.pad, end) for a, end in zip(axes, ends, strict=True)]
    around = [(0, 0), (0, 0), *((a.pad, n) for a, n in zip(axes, after, strict=True))]
    further = [(0, 0), (0, 0), *((0, end - n) for end, n in zip(ends, after, strict=True))]
    padded = np.pad(np.pad(x, around), further, constant_values=beyond)
    sizes = padded.shape[2:]
    return padded, [a._replace(size=n, pad=0) for a, n in zip(axes, sizes, strict=True)]


@kernel(out="apart")
@quiet
def pooling_v1(data: Array, *, pool_type: str, out: OutBuffers = None, **params: Any) -> Array:
    """Return the maximum, mean or sum of each window, including its zero padding."""
    x = to_compute_dtype(data)
    axes = axes_of(x.shape[2:], *pooling_windows(params))
    x, axes = _with_padding(x, axes, _outside(x.dtype) if pool_type == "max" else 0)
    fill = partial(_maxima if pool_type == "max" else _sums, axes=axes)
    y = _by_planes(fill, _numbers(axes), x.dtype, x, out=out)
    if pool_type == "avg":
        # Also windows that extend beyond the padding are divided by their full size.
        y = np.divide(y, prod(axis.kernel for axis in axes), out=out_buffer(out))
    return to_storage_dtype(y, data.dtype)


@kernel(out="apart")
@quiet
def pooling_max_backward(
    dy: Array,
    data: Array,
    *,
    layout: str | None,
    zero_pad: bool,
    out: OutBuffers = None,
    **params: Any,
) -> Array:
    """Return the gradient of max pooling: ``dy`` added at the first maximum of each window."""
    x, grad = to_first(to_compute_dtype(data), layout), to_first(to_compute_dtype(dy), layout)
    size = x.shape[2:]
    axes = axes_of(size, *pooling_windows(params))
    inside: Index = ()
    if zero_pad:
        inside = (..., *(slice(axis.pad, axis.pad + axis.size) for axis in axes))
        x, axes = _with_padding(x, axes, _outside(x.dtype))

    def work(result: Array, gradients: Array, planes: Array) -> None:
        levels = _levels(planes, axes)
        for i, axis in enumerate(axes):
            whole = result if i == len(axes) - 1 else None
            gradients = axis.give(gradients, levels[-2 - i], levels[-1 - i], whole)

    if not zero_pad and layout is not None and layout[-1] == "C":
        images = to_compute_dtype(dy), to_compute_dtype(data)
        return to_storage_dtype(
            _by_image(work, x.shape[2:], grad.dtype, *images, out=out), data.dtype
        )
    result = _by_planes(work, x.shape[2:], grad.dtype, grad, x, out=out)
    if result.shape[2:] != size:
        result = copied(result[inside], out)
    return to_last(to_storage_dtype(result, data.dtype), layout, out)


@kernel(out="apart")
@quiet
def pooling_max_select(
    values: Array,
    data: Array,
    *,
    layout: str | None,
    zero_pad: bool,
    out: OutBuffers = None,
    **params: Any,
) -> Array:
    """Return ``values`` at the first maximum of each window of ``data``."""
    x, v = to_first(to_compute_dtype(data), layout), to_first(to_compute_dtype(values), layout)
    axes = axes_of(x.shape[2:], *pooling_windows(params))
    if zero_pad:
        v, _ = _with_padding(v, axes, 0)
        x, axes = _with_padding(x, axes, _outside(x.dtype))

    def work(result: Array, selected: Array, planes: Array) -> None:
        levels = _levels(planes, axes)
        for i, axis in enumerate(reversed(axes)):
            gathered = np.zeros(levels[i + 1].shape, selected.dtype)
            for windows, elements, hit in axis.first(levels[i], levels[i + 1]):
                gathered[windows] += selected[elements] * hit
            selected = gathered
        result[...] = selected

    result = _by_planes(work, _numbers(axes), v.dtype, v, x, out=out)
    return to_last(to_storage_dtype(result, values.dtype), layout, out)


def _gradient_of_sums(result: Array, planes: Array, axes: list[Axis]) -> None:
    for axis in axes[:0:-1]:
        planes = axis.gradient_of_sum(planes)
    axes[0].gradient_of_sum(planes, result)


@kernel(out="apart")
@quiet
def pooling_sum_backward(
    dy: Array,
    data: Array,  # only its type matters
    *,
    pool_type: str,
    count_include_pad: bool | None,
    layout: str | None,
    out: OutBuffers = None,
    **params: Any,
) -> Array:
    """Return the gradient of sum or mean pooling: ``dy`` added at all elements of each window."""
    x, grad = to_first(data, layout), to_first(to_compute_dtype(dy), layout)
    axes = axes_of(x.shape[2:], *pooling_windows(params))
    if pool_type == "avg":
        grad = grad / _areas(axes, grad.dtype, count_include_pad is not False)
    if not params["global_pool"] and layout is not None and layout[-1] == "C":
        gradients = np.moveaxis(grad, 1, -1)
        spread = _by_image(
            partial(_gradient_of_sums, axes=axes), x.shape[2:], grad.dtype, gradients, out=out
        )
        return to_storage_dtype(spread, data.dtype)
    if params["global_pool"]:
        result = target(out, x.shape, grad.dtype)
        result[...] = grad
    else:
        result = _by_planes(
            partial(_gradient_of_sums, axes=axes), x.shape[2:], grad.dtype, grad, out=out
        )
    return to_last(to_storage_dtype(result, data.dtype), layout, out)


@kernel(out="apart")
@quiet
def pooling_lp_backward(
    dy: Array,
    data: Array,
    output: Array,
    *,
    p_value: int | None,
    layout: str | None,
    out: OutBuffers = None,
    **params: Any,
) -> Array:
    """Return the gradient of p-norm pooling: ``dy · (data / output)^(p - 1)``, summed over windows.

    Windows whose norm is 0 contribute 0.
    """
    x, y, grad = (to_first(to_compute_dtype(a), layout) for a in (data, output, dy))
    axes = axes_of(x.shape[2:], *pooling_windows(params))
    power = (p_value or 1) - 1
    if power:
        # The norm has no derivative at 0, where 0 is a subgradient.
        grad = np.where(y == 0, 0, grad / y**power)
    result = _by_planes(
        partial(_gradient_of_sums, axes=axes), x.shape[2:], grad.dtype, grad, out=out
    )
    if power:
        result *= x**power
    return to_last(to_storage_dtype(result, data.dtype), layout, out)
