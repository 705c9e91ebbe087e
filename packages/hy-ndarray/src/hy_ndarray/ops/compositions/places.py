"""Compositions of creation, and of selection by conditions and indices."""

from collections.abc import Sequence
from math import pi, prod
from typing import Any

from hy_ndarray.ops.compositions._terms import (
    cast,
    constant,
    expanded,
    filled,
    is_whole,
    joined,
    number,
    part,
    reshape,
    result,
    size,
    sizes,
    total,
    wide,
)
from hy_ndarray.ops.elementwise import rounding, trigonometry, unary as elementwise
from hy_ndarray.ops.indexing import gathering, ordering, take as indexing
from hy_ndarray.ops.linalg import spectral
from hy_ndarray.ops.np import (
    arithmetic as np_arithmetic,
    axes as np_axes,
    choosing,
    creation as np_creation,
    reduce as np_reduce,
    scalar as np_scalar,
)
from hy_ndarray.ops.np.creation import np_arange
from hy_ndarray.ops.optimizer import arrays as optimizer_arrays
from hy_ndarray.ops.record.composition import Tracer, create
from hy_ndarray.ops.record.derived import composition
from hy_ndarray.ops.record.schema import OperatorFunction
from hy_ndarray.ops.shaping import creation
from hy_ndarray.ops.vision import coordinates

__all__ = ["lower_triangle", "upper_triangle", "where"]


_FLAGS = {0: "float32", 1: "float64", 2: "float16", 3: "uint8", 4: "int32", 5: "int8", 6: "int64"}
_FLAGS |= {-1: "float32", 7: "bool", 12: "bfloat16"}
"""Dtypes by their numbers in MXNet's files."""


def where(condition: Tracer, x: Tracer, y: Tracer) -> Any:
    """Return elements of ``x`` where the condition holds, else of ``y``."""
    return choosing.np_where(condition, x, y)


@composition(creation.zeros)
def _zeros(*, shape: Sequence[int], dtype: str) -> Any:
    return filled(shape, 0.0, dtype)


@composition(creation.ones)
def _ones(*, shape: Sequence[int], dtype: str) -> Any:
    return filled(shape, 1.0, dtype)


@composition(creation.zeros_without_dtype)
def _zeros_without_dtype(*, shape: Sequence[int] | None, dtype: int) -> Any:
    return filled(shape or (), 0.0, _FLAGS[dtype])


@composition(creation.zeros_like)
def _zeros_like(data: Tracer) -> Any:
    return filled(data.shape, 0.0, data.dtype)


@composition(creation.ones_like)
def _ones_like(data: Tracer) -> Any:
    return filled(data.shape, 1.0, data.dtype)


@composition(optimizer_arrays.reset_arrays)
def _reset_arrays(*data: Tracer, num_arrays: int) -> Any:
    return [creation.zeros_like(x) for x in data]


@composition(np_creation.np_full_like)
def _full_like(a: Tracer, *, fill_value: float, dtype: str | None) -> Any:
    return filled(a.shape, fill_value, dtype or a.dtype)


@composition(creation.eye)
def _eye(*, N: int, M: int, k: int, dtype: str) -> Any:  # noqa: N803
    return create(np_creation.np_eye, N=N, M=M or N, k=k, dtype=dtype)


@composition(np_creation.np_identity)
def _identity(*, shape: Sequence[int], dtype: str) -> Any:
    rows, columns = shape
    return create(np_creation.np_eye, N=rows, M=columns, dtype=dtype)


def _arange_of(count: int, dtype: str) -> Tracer:
    """Return the numbers ``0, 1, …, count - 1``."""
    return create(np_creation.np_arange, start=0.0, stop=float(count), dtype=dtype)


@composition(np_creation.np_logspace)
def _logspace(
    *, start: float, stop: float, num: int, endpoint: bool, base: float, dtype: str
) -> Any:
    params = {"start": start, "stop": stop, "num": num, "endpoint": endpoint}
    return cast(base ** create(creation.linspace, **params, dtype="float64"), dtype)


def _window(name: OperatorFunction, *weights: float) -> None:
    """Declare the composition of a window function that is a sum of cosines."""

    @composition(name)
    def window(*, M: int, dtype: str) -> Any:  # noqa: N803
        if M <= 1:
            return filled((max(M, 0),), 1.0, dtype)
        turn = _arange_of(M, "float64") * (2 * pi / (M - 1))
        y = filled((M,), weights[0], "float64")
        for k, weight in enumerate(weights[1:], 1):
            y = y + trigonometry.cos(turn * k) * weight
        return cast(y, dtype)


_window(np_creation.np_hanning, 0.5, -0.5)
_window(np_creation.np_hamming, 0.54, -0.46)
_window(np_creation.np_blackman, 0.42, -0.5, 0.08)


@composition(np_creation.np_indices)
def _indices(*, dimensions: Sequence[int], dtype: str) -> Any:
    rank = len(dimensions)
    each = []
    for i, n in enumerate(dimensions):
        along = reshape(_arange_of(n, dtype), *[n if k == i else 1 for k in range(rank)])
        each.append(reshape(expanded(along, dimensions), 1, *dimensions))
    return joined(each, 0) if each else filled((0,), 0.0, dtype)


@composition(coordinates.index_array)
def _index_array(data: Tracer, *, axes: Sequence[int] | None) -> Any:
    each = []
    for i in range(data.ndim) if axes is None else axes:
        n = data.shape[i]
        shape = [n if k == i % data.ndim else 1 for k in range(data.ndim)]
        along = expanded(reshape(_arange_of(n, "int64"), *shape), data.shape)
        each.append(reshape(along, *data.shape, 1))
    return joined(each, -1) if each else filled((*data.shape, 0), 0.0, "int64")


@composition(coordinates.getnnz)
def _getnnz(data: Tracer, *, axis: int | None) -> Any:
    counted = cast(np_scalar.np_not_equal_scalar(data, scalar=0.0), "int64")
    y = total(counted, None if axis is None else [axis])
    return reshape(y, max(size(y), 1) if axis is None else size(y))


@composition(indexing.where)
def _where(condition: Tracer, x: Tracer, y: Tracer) -> Any:
    holds = np_scalar.np_not_equal_scalar(condition, scalar=0.0)
    if condition.shape != x.shape:
        holds = reshape(holds, -1, *(1,) * (x.ndim - 1))
    return where(holds, x, y)


@composition(choosing.np_where_lscalar)
def _where_lscalar(condition: Tracer, x: Tracer, *, scalar: float) -> Any:
    return where(condition, cast(filled((), scalar, "float64"), x.dtype), x)


@composition(choosing.np_where_rscalar)
def _where_rscalar(condition: Tracer, y: Tracer, *, scalar: float) -> Any:
    return where(condition, y, cast(filled((), scalar, "float64"), y.dtype))


@composition(choosing.np_where_scalar2)
def _where_scalar2(condition: Tracer, *, x: float, y: float) -> Any:
    return where(condition, filled((), x, "float32"), filled((), y, "float32"))


@composition(choosing.np_diag_indices_from)
def _diag_indices_from(data: Tracer) -> Any:
    return expanded(reshape(_arange_of(data.shape[0], "int64"), 1, -1), (data.ndim, data.shape[0]))


@composition(choosing.np_boolean_mask_assign_scalar)
def _assign_scalar(data: Tracer, mask: Tracer, *, value: float, start_axis: int) -> Any:
    last = start_axis + mask.ndim
    shape = [*(1,) * start_axis, *mask.shape, *(1,) * (data.ndim - last)]
    is_selected = np_scalar.np_not_equal_scalar(reshape(mask, *shape), scalar=0.0)
    return where(is_selected, cast(filled((), value, "float64"), data.dtype), data)


@composition(indexing.sparse_embedding)
def _sparse_embedding(data: Tracer, weight: Tracer, *, deterministic: bool, **params: Any) -> Any:
    return indexing.embedding(data, weight, **params)


@composition(indexing.embedding)
def _embedding(
    data: Tracer, weight: Tracer, *, input_dim: int, output_dim: int, dtype: str, sparse_grad: bool
) -> Any:
    return indexing.take(weight, data, axis=0, mode="clip")


@composition(indexing.onehot_encode)
def _onehot_encode(lhs: Tracer, rhs: Tracer) -> Any:
    return indexing.one_hot(lhs, depth=rhs.shape[1], dtype=rhs.dtype)


@composition(indexing.fill_element_0index)
def _fill_element(lhs: Tracer, mhs: Tracer, rhs: Tracer) -> Any:
    columns = lhs.shape[1]
    index = cast(cast(rhs, "int64"), "float64")
    inside = indexing.one_hot(_clipped(index, columns), depth=columns, dtype="bool")
    return where(inside, reshape(cast(mhs, lhs.dtype), -1, 1), lhs)


def _clipped(index: Tracer, count: int) -> Any:
    from_zero = where(index < 0.0, index * 0.0, index)
    last = from_zero * 0.0 + float(max(count - 1, 0))
    return where(from_zero > float(count - 1), last, from_zero)


@composition(gathering.batch_take)
def _batch_take(a: Tracer, indices: Tracer) -> Any:
    return indexing.pick(a, indices, axis=1, mode="clip")


@composition(gathering.scatter_nd)
def _scatter_nd(data: Tracer, indices: Tracer, *, shape: Sequence[int]) -> Any:
    zeros = filled(shape, 0.0, data.dtype)
    return gathering.scatter_set_nd(zeros, data, indices, shape=tuple(shape))


@composition(gathering.set_slices)
def _set_slices(data: Tracer, values: Tracer, indices: Tracer) -> Any:
    return gathering.scatter_set_nd(data, values, indices, shape=data.shape)


def _searched(name: OperatorFunction, search: OperatorFunction) -> None:
    @composition(name)
    def searched(data: Tracer, *, axis: int | None, keepdims: bool) -> Any:
        kind = result(name, data, axis=axis, keepdims=keepdims)
        x = reshape(data, size(data)) if axis is None else data
        index = search(x, axis=0 if axis is None else axis, keepdims=keepdims)
        return cast(reshape(index, *sizes(kind)), kind.dtype or data.dtype)


_searched(ordering.argmax, np_reduce.np_argmax)
_searched(ordering.argmin, np_reduce.np_argmin)


@composition(ordering.argmax_channel)
def _argmax_channel(data: Tracer) -> Any:
    return ordering.argmax(data, axis=1)


def _triangle(rows: int, columns: int, k: int) -> Any:
    """Return a mask ``[rows, columns]`` of the elements on or below the ``k``-th diagonal."""
    down, across = _arange_of(rows, "int64"), _arange_of(columns, "int64")
    return np_arithmetic.np_greater_equal(
        reshape(down, rows, 1) + float(k), reshape(across, 1, columns)
    )


def lower_triangle(x: Tracer, k: int) -> Any:
    """Return matrices with zeros above a diagonal."""
    inside = _triangle(x.shape[-2], x.shape[-1], k)
    return where(inside, x, constant(x, 0.0))


def upper_triangle(x: Tracer, k: int) -> Any:
    """Return matrices with zeros below a diagonal."""
    below = _triangle(x.shape[-2], x.shape[-1], k - 1)
    return where(below, constant(x, 0.0), x)


@composition(np_axes.np_tril)
def _tril(data: Tracer, *, k: int) -> Any:
    if data.ndim == 1:
        data = expanded(data, (data.shape[0], data.shape[0]))
    return lower_triangle(data, k)


@composition(np_axes.tril_backward)
def _tril_backward(dy: Tracer, data: Tracer, *, k: int) -> Any:
    inside = np_axes.np_tril(dy, k=k)
    return inside if data.ndim > 1 else total(inside, [0])


@composition(coordinates.ravel_multi_index)
def _ravel_multi_index(data: Tracer, *, shape: Sequence[int] | None) -> Any:
    whole = cast(data, "int64")
    y = filled(data.shape[1:], 0.0, "int64")
    for i, _ in enumerate(shape or ()):
        stride = prod((shape or ())[i + 1 :])
        row = reshape(part(whole, 0, i, i + 1), *data.shape[1:])
        y = y + row * stride
    return cast(y, data.dtype)


@composition(creation.arange)
def _arange(
    *, start: float, stop: float | None, step: float, repeat: int, infer_range: bool, dtype: str
) -> Any:
    params = {"start": start, "stop": stop, "step": step, "repeat": repeat}
    return create(np_creation.np_arange, **params, dtype=dtype)


@composition(creation.arange_like)
def _arange_like(data: Tracer, *, start: float, step: float, repeat: int, axis: int | None) -> Any:
    shape = data.shape if axis is None else (data.shape[axis],)
    count = prod(shape)
    numbers = create(
        np_creation.np_arange,
        start=0.0,
        stop=float(-(-count // repeat)),
        repeat=repeat,
        dtype="float64",
    )
    if is_whole(data):
        start, step = float(int(start)), float(int(step))
    values = part(numbers, 0, 0, count) * step + start
    return reshape(cast(values, data.dtype), *shape)


@composition(np_creation.np_eye)
def _np_eye(*, N: int, M: int | None, k: int, dtype: str) -> Any:  # noqa: N803
    rows, columns = N, N if M is None else M
    down = reshape(_arange_of(rows, "int64"), rows, 1) + float(k)
    is_on = np_arithmetic.np_equal(down, reshape(_arange_of(columns, "int64"), 1, columns))
    return cast(is_on, dtype)


@composition(indexing.one_hot)
def _one_hot(indices: Tracer, *, depth: int, on_value: float, off_value: float, dtype: str) -> Any:
    whole = cast(cast(indices, "int64"), "float64")
    is_on = np_arithmetic.np_equal(reshape(whole, *indices.shape, 1), _arange_of(depth, "float64"))
    on, off = (cast(filled((), v, "float64"), dtype) for v in (on_value, off_value))
    return where(is_on, on, off)


@composition(indexing.pick_backward)
def _pick_backward(
    dy: Tracer, data: Tracer, index: Tracer, *, axis: int, keepdims: bool, mode: str
) -> Any:
    at, n = axis % data.ndim, data.shape[axis]
    shape = [1 if i == at else k for i, k in enumerate(data.shape)]
    whole = reshape(rounding.trunc(cast(index, "float64")), *shape)
    if mode == "wrap":
        whole = whole - rounding.floor(whole / float(n)) * float(n)
    else:
        whole = elementwise.clip(whole, a_min=0.0, a_max=float(max(n - 1, 0)))
    positions = create(np_arange, start=0.0, stop=float(n), dtype="float64")
    positions = reshape(positions, *[n if i == at else 1 for i in range(data.ndim)])
    is_picked = np_arithmetic.np_equal(whole, positions)
    return where(is_picked, reshape(dy, *shape), number(0.0, dy.dtype))


@composition(spectral.count_sketch)
def _count_sketch(
    data: Tracer, h: Tracer, s: Tracer, *, out_dim: int, processing_batch_size: int
) -> Any:
    signed = wide(data) * reshape(cast(s, wide(data).dtype), -1)
    like = filled((*data.shape[:-1], out_dim), 0.0, signed.dtype)
    sums = indexing.take_backward(signed, like, reshape(h, -1), axis=-1, mode="raise")
    return cast(sums, data.dtype)


@composition(spectral.count_sketch_backward)
def _count_sketch_backward(
    dy: Tracer, h: Tracer, s: Tracer, data: Tracer, *, out_dim: int, processing_batch_size: int
) -> Any:
    taken = indexing.take(dy, reshape(h, -1), axis=-1, mode="raise")
    return taken * reshape(cast(s, dy.dtype), -1)
