"""Scores and weighted sums of multi-head attention on interleaved projections.

An interleaved array ``[L, N, heads * parts * D]`` holds, for each of ``L`` positions and ``N``
samples, the vectors of length ``D`` of each head in turn: query, key and value (3 parts), or key
and value (2 parts).
"""

from typing import Any

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.elementwise.unary import div_sqrt_dim
from hy_ndarray.ops.linalg.products import batch_dot
from hy_ndarray.ops.record.ranges import NonNegative, Positive
from hy_ndarray.ops.record.rules import expect_rank, floating, like_result, same, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import TensorType, show


def _head_size(data: TensorType, heads: int, parts: int) -> int | None:
    """Return the length of one head's vectors.

    Raises:
        ShapeError: The last axis is not a multiple of ``heads * parts``.
    """
    expect_rank(data, 3)
    size = None if data.shape is None else data.shape[2]
    if size is None:
        return None
    if heads < 1 or parts < 1 or size % (heads * parts):
        raise ShapeError(
            f"the last axis of {data.label}{show(data.shape)} must be a multiple of "
            f"{heads * parts}: {heads} heads with {parts} vectors each"
        )
    return size // (heads * parts)


def _count_and_rows(data: TensorType, heads: int) -> tuple[int | None, int | None]:
    """Return ``N * heads``, the number of matrices, and ``L``, the rows of each."""
    if data.shape is None:
        return None, None
    length, samples, _ = data.shape
    return None if samples is None else samples * heads, length


@operator("_head_part", grad=gradient_by("_place_head_part", 0))
def head_part(
    data: TensorType, *, heads: Positive, parts: Positive, part: NonNegative
) -> TensorType:
    """Return part ``part`` (query, key or value) of each head, as ``[N * heads, L, D]``."""
    size = _head_size(data, heads, parts)
    return data.with_shape((*_count_and_rows(data, heads), size))


@operator("_place_head_part", grad=gradient_by("_head_part"))
def place_head_part(
    y: TensorType, data: TensorType, *, heads: Positive, parts: Positive, part: NonNegative
) -> TensorType:
    """Return zeros like ``data`` with ``y`` written as part ``part`` of each head."""
    same_dtype(y, data)
    like_result(y, head_part, data, heads=heads, parts=parts, part=part)
    return data


def _grad_join_head_parts(saved: Saved, dy: Any) -> tuple[Any, ...]:
    heads, parts = saved.params["heads"], len(saved.inputs)
    return tuple(head_part(dy, heads=heads, parts=parts, part=i) for i in range(parts))


@operator("_join_head_parts", count="parts", grad=_grad_join_head_parts)
def join_head_parts(*data: TensorType, heads: Positive) -> TensorType:
    """Return arrays ``[N * heads, L, D]`` interleaved to ``[L, N, heads * parts * D]``."""
    if not data:
        raise ArgumentError("_join_head_parts: no arrays given")
    whole = same(*data)
    if whole.shape is None:
        return whole
    expect_rank(whole, 3)
    rows, length, size = whole.shape
    if rows is not None and (heads < 1 or rows % heads):
        what = f"{whole.label}{show(whole.shape)}"
        raise ShapeError(f"{what} has {rows} matrices, which is not a multiple of heads={heads}")
    samples = None if rows is None else rows // heads
    width = None if size is None else size * heads * len(data)
    return whole.with_shape((length, samples, width))


def _grad_scores(query: Any, key: Any, dy: Any) -> tuple[Any, Any]:
    dquery = div_sqrt_dim(batch_dot(dy, key))
    return dquery, div_sqrt_dim(batch_dot(dy, query, transpose_a=True))


def _grad_selfatt_scores(saved: Saved, dy: Any) -> tuple[Any]:
    (data,) = saved.inputs
    layout = {"heads": saved.params["heads"], "parts": 3}
    query, key = head_part(data, part=0, **layout), head_part(data, part=1, **layout)
    dquery, dkey = _grad_scores(query, key, dy)
    dquery_part = place_head_part(dquery, data, part=0, **layout)
    return (dquery_part + place_head_part(dkey, data, part=1, **layout),)


@operator("_contrib_interleaved_matmul_selfatt_qk", grad=_grad_selfatt_scores)
def selfatt_scores(queries_keys_values: TensorType, *, heads: Positive) -> TensorType:
    """Return the scores of self-attention, ``query · keyᵀ / sqrt(D)`` for each head.

    Args:
        queries_keys_values: ``[L, N, heads * 3 * D]``, interleaved: query, key, value.
        heads: Number of heads.

    Returns:
        ``[N * heads, L, L]``.

    Raises:
        ShapeError: The last axis does not hold so many heads.

    Source:
        Vaswani et al. 2017, arXiv:1706.03762, eq. 1.
    """
    floating(queries_keys_values)
    _head_size(queries_keys_values, heads, 3)
    count, length = _count_and_rows(queries_keys_values, heads)
    return queries_keys_values.with_shape((count, length, length))


def _grad_values(saved: Saved, dy: Any, parts: int) -> tuple[Any, Any]:
    data, attention = saved.inputs
    heads = saved.params["heads"]
    layout = {"heads": heads, "parts": parts, "part": parts - 1}
    dy = head_part(dy, heads=heads, parts=1, part=0)
    dvalue = batch_dot(attention, dy, transpose_a=True)
    dattention = batch_dot(dy, head_part(data, **layout), transpose_b=True)
    return place_head_part(dvalue, data, **layout), dattention


def _values(data: TensorType, attention: TensorType, heads: int, parts: int) -> TensorType:
    same_dtype(data, attention)
    size = _head_size(data, heads, parts)
    count, length = _count_and_rows(data, heads)
    attention.set_shape((count, None, length))
    samples = None if data.shape is None else data.shape[1]
    rows = None if attention.shape is None else attention.shape[1]
    return data.with_shape((rows, samples, None if size is None else size * heads))


@operator(
    "_contrib_interleaved_matmul_selfatt_valatt", grad=lambda saved, dy: _grad_values(saved, dy, 3)
)
def selfatt_values(
    queries_keys_values: TensorType, attention: TensorType, *, heads: Positive
) -> TensorType:
    """Return the output of self-attention: ``attention · value`` for each head.

    Args:
        queries_keys_values: ``[L, N, heads * 3 * D]``, interleaved: query, key, value.
        attention: ``[N * heads, L, L]``, attention weights.
        heads: Number of heads.

    Returns:
        ``[L, N, heads * D]``.

    Raises:
        ShapeError: The last axis does not hold so many heads, or ``attention`` does not match.
    """
    return _values(queries_keys_values, attention, heads, 3)


def _grad_encdec_scores(saved: Saved, dy: Any) -> tuple[Any, Any]:
    queries, keys_values = saved.inputs
    heads = saved.params["heads"]
    own, other = {"heads": heads, "parts": 1, "part": 0}, {"heads": heads, "parts": 2, "part": 0}
    dquery, dkey = _grad_scores(head_part(queries, **own), head_part(keys_values, **other), dy)
    return place_head_part(dquery, queries, **own), place_head_part(dkey, keys_values, **other)


@operator("_contrib_interleaved_matmul_encdec_qk", grad=_grad_encdec_scores)
def encdec_scores(queries: TensorType, keys_values: TensorType, *, heads: Positive) -> TensorType:
    """Return the scores of cross-attention, ``query · keyᵀ / sqrt(D)`` for each head.

    Args:
        queries: ``[L, N, heads * D]``.
        keys_values: ``[M, N, heads * 2 * D]``, interleaved: key, value.
        heads: Number of heads.

    Returns:
        ``[N * heads, L, M]``.

    Raises:
        ShapeError: The last axes do not hold so many heads, or the arrays do not match.

    Source:
        Vaswani et al. 2017, arXiv:1706.03762, eq. 1.
    """
    floating(queries, keys_values)
    size = _head_size(queries, heads, 1)
    other = _head_size(keys_values, heads, 2)
    if size is not None and other is not None and size != other:
        raise ShapeError(f"head sizes differ: queries has {size}, keys_values has {other}")
    count, rows = _count_and_rows(queries, heads)
    same, columns = _count_and_rows(keys_values, heads)
    if count is not None and same is not None and count != same:
        raise ShapeError(
            f"batch sizes times heads differ: queries has {count} matrices, keys_values has {same}"
        )
    return queries.with_shape((count if count is not None else same, rows, columns))


@operator(
    "_contrib_interleaved_matmul_encdec_valatt", grad=lambda saved, dy: _grad_values(saved, dy, 2)
)
def encdec_values(keys_values: TensorType, attention: TensorType, *, heads: Positive) -> TensorType:
    """Return the output of cross-attention: ``attention · value`` for each head.

    Args:
        keys_values: ``[M, N, heads * 2 * D]``, interleaved: key, value.
        attention: ``[N * heads, L, M]``, attention weights.
        heads: Number of heads.

    Returns:
        ``[L, N, heads * D]``.

    Raises:
        ShapeError: The last axis does not hold so many heads, or ``attention`` does not match.
    """
    return _values(keys_values, attention, heads, 2)
