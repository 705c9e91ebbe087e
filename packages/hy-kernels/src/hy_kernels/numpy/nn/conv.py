"""Convolution and its gradients."""

from collections.abc import Sequence
from typing import Any

from hy_kernels.numpy._array import Array, OutBuffers, accumulator, expanded, out_buffer, target
from hy_kernels.numpy._folds import add_up
from hy_kernels.numpy._kernels import alias, kernel
from hy_kernels.numpy.nn._window import (
    to_compute_dtype,
    to_first,
    to_last,
    to_storage_dtype,
    windows_of as known_windows,
)
from hy_kernels.numpy.nn.convolution import _nchw_winograd, select
from hy_kernels.numpy.nn.convolution._convolve import forward, forward_packed, windows_of
from hy_kernels.numpy.nn.convolution._gradients import (
    backward_data,
    backward_weight,
    transposed_windows,
)
from hy_kernels.numpy.nn.convolution._single import of_one_image
from hy_kernels.numpy.nn.convolution.select import Problem
from hy_kernels.record import Packing, Params, Types, by_types


def _problem(data: Sequence[int], weight: Sequence[int], params: Params) -> Problem:
    if params["layout"] is not None and params["layout"][-1] == "C":
        data, weight = ((shape[0], shape[-1], *shape[1:-1]) for shape in (data, weight))
    return Problem.of(data, weight, params)


def _algorithm(types: Types, params: Params) -> str | None:
    """Return the name of the algorithm of a convolution, None if types are unknown."""
    data, weight = types[:2]
    if data is None or weight is None:
        return None
    is_single = "num_filter" in params and of_one_image(types, params) is not None
    return select.nchw(_problem(data[0], weight[0], params), transforms=not is_single)


def _algorithm_to_data(types: Types, params: Params) -> str | None:
    """Return the name of the algorithm of the gradient to the data, None if types are unknown."""
    _, weight, data = types
    if data is None or weight is None:
        return None
    problem = _problem(data[0], weight[0], params)
    back = None if problem.windows.selection is not None else transposed_windows(problem.windows)
    algorithm = select.nchw_to_data(problem, back)
    if algorithm != "transposed" or back is None:
        return algorithm
    return f"transposed {select.nchw(problem.transposed(back))}"


def _algorithm_to_weight(types: Types, params: Params) -> str | None:
    """Return the name of the algorithm of the gradient to the weight, None if types are unknown."""
    _, data, weight = types
    if data is None or weight is None:
        return None
    return select.nchw(_problem(data[0], weight[0], params))


@kernel(out="apart", threads=0, algorithm=_algorithm)
def convolution_project(
    data: Array,
    weight: Array,
    *,
    stride: tuple[int, ...],
    dilate: tuple[int, ...],
    pad: tuple[int, ...],
    num_group: int,
    layout: str | None,
    out: OutBuffers = None,
) -> Array:
    """Return the convolution of data and weight, without bias."""
    x, w = to_first(to_compute_dtype(data), layout), to_first(to_compute_dtype(weight), layout)
    y = forward(x, w, windows_of(x, w, stride, dilate, pad, num_group), num_group, out=out)
    return to_last(to_storage_dtype(y, data.dtype), layout, out)


def _packing(params: Params) -> Packing | None:
    """Return the transformed weight of Winograd convolutions as packed form."""
    stride, dilate, pad = params["stride"], params["dilate"], params["pad"]
    is_strided = any(step != 1 for step in (*stride, *dilate))
    if params["kernel"] != (3, 3) or is_strided or params["num_group"] != 1:
        return None
    if params["layout"] not in (None, "NCHW"):
        return None

    def fits(types: Types) -> bool:
        (shape, dtype), (weight, own) = (each or ((), "") for each in types[:2])
        is_plain = dtype == own in ("float32", "float64") and len(shape) == 4 == len(weight)
        if not is_plain or weight != (params["num_filter"], shape[1], 3, 3) or 0 in shape:
            return False
        return select.nchw(Problem.of(shape, weight, params)) == "winograd4"

    def function(data: Array, panels: Array, bias: Array | None = None) -> Array:
        windows = known_windows(data.shape[2:], (3, 3), stride, dilate, pad)
        return forward_packed(data, panels, windows, bias)

    return Packing(operand=1, fits=fits, pack=_nchw_winograd.panels, function=function)


@kernel(
    out="apart",
    threads=0,
    specialize=by_types(of_one_image),
    algorithm=_algorithm,
    packing=_packing,
)
def convolution(
    data: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    dilate: tuple[int, ...],
    pad: tuple[int, ...],
    num_filter: int,
    num_group: int,
    workspace: int,
    no_bias: bool,
    cudnn_tune: str | None,
    cudnn_off: bool,
    layout: str | None,
    out: OutBuffers = None,
) -> Array:
    """Return the convolution of data and weight, plus bias."""
    x, w = to_first(to_compute_dtype(data), layout), to_first(to_compute_dtype(weight), layout)
    _check_weight(w, bias, num_filter, kernel)
    windows = windows_of(x, w, stride, dilate, pad, num_group)
    y = forward(x, w, windows, num_group, None if bias is None else to_compute_dtype(bias), out)
    return to_last(to_storage_dtype(y, data.dtype), layout, out)


def _check_weight(
    weight: Array, bias: Array | None, num_filter: int, kernel: tuple[int, ...]
) -> None:
    if weight.shape[0] != num_filter or weight.shape[2:] != kernel:
        raise ValueError(f"weight {weight.shape} must have {num_filter} filters of kernel {kernel}")
    if bias is not None and bias.shape != (num_filter,):
        raise ValueError(f"bias {bias.shape} must have one entry for each of {num_filter} filters")


def exact(
    data: Array,
    weight: Array,
    bias: Array | None,
    *,
    kernel: tuple[int, ...],
    num_filter: int,
    stride: tuple[int, ...],
    dilate: tuple[int, ...],
    pad: tuple[int, ...],
    num_group: int,
    layout: str | None,
    **_: Any,
) -> Array:
    """Return a convolution without Winograd's transforms, which is exact for integers in floats."""
    x, w = to_first(data, layout), to_first(weight, layout)
    _check_weight(w, bias, num_filter, kernel)
    windows = windows_of(x, w, stride, dilate, pad, num_group)
    return to_last(forward(x, w, windows, num_group, bias, transforms=False), layout)


convolution_v1 = alias("convolution_v1", convolution)


@kernel(out="apart", threads=0, algorithm=_algorithm_to_data)
def convolution_backward_data(
    dy: Array,
    weight: Array,
    data: Array,  # only its type matters
    *,
    stride: tuple[int, ...],
    dilate: tuple[int, ...],
    pad: tuple[int, ...],
    num_group: int,
    layout: str | None,
    out: OutBuffers = None,
) -> Array:
    """Return the gradient to the data: the transposed convolution of ``dy`` with the weight."""
    g, w = to_first(to_compute_dtype(dy), layout), to_first(to_compute_dtype(weight), layout)
    x = to_first(data, layout)
    result = target(out, x.shape, accumulator(data.dtype))
    windows = windows_of(x, w, stride, dilate, pad, num_group)
    dx = to_storage_dtype(backward_data(g, w, result, windows, num_group), data.dtype)
    return to_last(dx, layout, out)


@kernel(out="apart", threads=0, algorithm=_algorithm_to_weight)
def convolution_backward_weight(
    dy: Array,
    data: Array,
    weight: Array,  # only its type matters
    *,
    stride: tuple[int, ...],
    dilate: tuple[int, ...],
    pad: tuple[int, ...],
    num_group: int,
    layout: str | None,
    out: OutBuffers = None,
) -> Array:
    """Return the gradient to the weight: the correlation of the data with ``dy``."""
    g, x = to_first(to_compute_dtype(dy), layout), to_first(to_compute_dtype(data), layout)
    w = to_first(weight, layout)
    result = target(out, w.shape, accumulator(weight.dtype))
    windows = windows_of(x, w, stride, dilate, pad, num_group)
    dw = to_storage_dtype(backward_weight(g, x, result, windows, num_group), weight.dtype)
    return to_last(dw, layout, out)


@kernel(out="apart")
def channel_sum(data: Array, like: Array, *, axis: int, out: OutBuffers = None) -> Array:
    """Return ``data`` summed over all axes but ``axis``, in the dtype of ``like``."""
    axis %= data.ndim
    total = to_compute_dtype(data)
    # The contiguous axes are summed first.
    if axis == 1 and data.ndim > 2:
        total = add_up(total, tuple(range(2, data.ndim)))
    rest = tuple(i for i in range(total.ndim) if i != axis)
    return to_storage_dtype(add_up(total, rest, out=out_buffer(out)), like.dtype)


@kernel(out="apart")
def channel_spread(data: Array, like: Array, *, axis: int, out: OutBuffers = None) -> Array:
    """Return the vector ``data`` along ``axis``, broadcast to the shape of ``like``."""
    shape = [1] * like.ndim
    shape[axis] = -1
    return expanded(data.reshape(shape), like.shape, out, dtype=like.dtype)
