"""Convolution kernels with the batch innermost, ``[C, H, W, N]``.

The windows of all images are copied together, in runs of memory at least as long as the batch, even
for few channels and small images.
"""

from functools import partial

from hy_kernels.numpy._array import Array, OutBuffers, out_buffer, shaped, target
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.nn._replay import NOW, Replay
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype, windows_of
from hy_kernels.numpy.nn.convolution import select
from hy_kernels.numpy.nn.convolution._chwn_scatter import data_gradient
from hy_kernels.numpy.nn.convolution._chwn_shares import is_shared
from hy_kernels.numpy.nn.convolution._chwn_tasks import (
    Gradient,
    convolution_tasks,
    transposed_windows,
    weight_gradient,
)
from hy_kernels.numpy.nn.convolution.select import Problem
from hy_kernels.numpy.runtime._pool import together
from hy_kernels.record import Params, Type, Types


def _problem(data: Type | None, weight: Type | None, params: Params) -> Problem | None:
    if data is None or weight is None:
        return None
    return Problem.of((data[0][-1], *data[0][:-1]), weight[0], params)


def _algorithm(types: Types, params: Params) -> str | None:
    """Return the name of the algorithm of a convolution, None if types are unknown."""
    data, weight = types[:2]
    problem = _problem(data, weight, params)
    return None if problem is None else select.chwn(problem)


def _algorithm_to_data(types: Types, params: Params) -> str | None:
    """Return the name of the algorithm of the gradient to the data, None if types are unknown."""
    _, weight, data = types
    problem = _problem(data, weight, params)
    if problem is None:
        return None
    back = transposed_windows(problem.windows, *problem[:3])
    return "im2col" if back is None else f"transposed {select.chwn(problem.transposed(back))}"


def _algorithm_to_weight(types: Types, params: Params) -> str | None:
    """Return the name of the algorithm of the gradient to the weight, None if types are unknown."""
    return _algorithm(types[1:], params)


def _algorithm_to_both(types: Types, params: Params) -> str | None:
    dy, data, weight = types
    to_data = _algorithm_to_data((dy, weight, data), params)
    return f"{to_data}, {_algorithm_to_weight(types, params)}"


@kernel(out="apart", threads=0, algorithm=_algorithm)
def chwn_convolution(
    data: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: tuple[int, ...],
    dilate: tuple[int, ...],
    pad: tuple[int, ...],
    out: OutBuffers = None,
) -> Array:
    """Return the convolution of ``data [C, H, W, N]``, plus bias."""
    memory = out_buffer(out)
    # With preallocated memory, the recorded NumPy calls of the last run are replayed.
    replay = Replay(memory, (data, weight, bias))
    if memory is not None and replay.again():
        return memory
    windows = windows_of(data.shape[1:3], weight.shape[2:], stride, dilate, pad)
    x, w, added = (
        to_compute_dtype(data),
        to_compute_dtype(weight),
        None if bias is None else to_compute_dtype(bias),
    )
    result = target(out, (len(w), *windows.number, x.shape[-1]), x.dtype)
    replay.compute(convolution_tasks(x, w, added, windows, result[...]))
    return to_storage_dtype(result, data.dtype)


@kernel(out="apart", threads=0, algorithm=_algorithm_to_data)
def chwn_convolution_backward_data(
    dy: Array,
    weight: Array,
    data: Array,  # only its type matters
    *,
    stride: tuple[int, ...],
    dilate: tuple[int, ...],
    pad: tuple[int, ...],
    out: OutBuffers = None,
) -> Array:
    """Return the gradient to ``data [C, H, W, N]``."""
    gradient = _to_data(dy, weight, data, (stride, dilate, pad), out, 1)
    together([partial(task, NOW) for task in gradient.tasks])
    return to_storage_dtype(gradient.finish(), data.dtype)


@kernel(out="apart", threads=0, algorithm=_algorithm_to_weight)
def chwn_convolution_backward_weight(
    dy: Array,
    data: Array,
    weight: Array,  # only its type matters
    *,
    stride: tuple[int, ...],
    dilate: tuple[int, ...],
    pad: tuple[int, ...],
    out: OutBuffers = None,
) -> Array:
    """Return the gradient to the weight ``[O, C, kh, kw]``, the correlation of data with ``dy``."""
    gradient = _to_weight(dy, data, weight, (stride, dilate, pad), out, 1)
    together([partial(task, NOW) for task in gradient.tasks])
    return to_storage_dtype(gradient.finish(), weight.dtype)


@kernel(out="apart", threads=0, algorithm=_algorithm_to_both)
def chwn_convolution_backward(
    dy: Array,
    data: Array,
    weight: Array,
    *,
    stride: tuple[int, ...],
    dilate: tuple[int, ...],
    pad: tuple[int, ...],
    out: OutBuffers = None,
) -> tuple[Array, Array]:
    """Return the gradients to data and weight, computed concurrently by half the threads each."""
    # The tasks of both run side by side: with half as many shares of each, less of the columns is
    # computed twice, and threads wait for each other only once.
    geometry, concurrent = (stride, dilate, pad), 2
    data_out, weight_out = shaped(out, data.shape, 0), shaped(out, weight.shape, 1)
    to_weight = _to_weight(dy, data, weight, geometry, weight_out, concurrent)
    to_data = _to_data(dy, weight, data, geometry, data_out, concurrent)
    tasks = [partial(task, NOW) for task in (*to_weight.tasks, *to_data.tasks)]
    if is_shared(dy, weight):
        together(tasks)
    else:
        # Too little work for the pool: one at a time, each with BLAS limited to one thread.
        for task in tasks:
            together([task])
    return to_storage_dtype(to_data.finish(), data.dtype), to_storage_dtype(
        to_weight.finish(), weight.dtype
    )


def _to_data(
    dy: Array,
    weight: Array,
    data: Array,
    geometry: tuple[tuple[int, ...], ...],
    out: OutBuffers,
    concurrent: int,
) -> Gradient:
    g, w = to_compute_dtype(dy), to_compute_dtype(weight)
    windows = windows_of(data.shape[1:3], w.shape[2:], *geometry)
    return data_gradient(g, w, data.shape, windows, out, concurrent=concurrent)


def _to_weight(
    dy: Array,
    data: Array,
    weight: Array,
    geometry: tuple[tuple[int, ...], ...],
    out: OutBuffers,
    concurrent: int,
) -> Gradient:
    windows = windows_of(data.shape[1:3], weight.shape[2:], *geometry)
    g, x = to_compute_dtype(dy), to_compute_dtype(data)
    return weight_gradient(g, x, target(out, weight.shape, g.dtype), windows, concurrent=concurrent)
