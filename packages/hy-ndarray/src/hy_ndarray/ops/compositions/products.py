"""Compositions of matrix products, tensor products, and dense layers."""

from collections.abc import Sequence
from math import prod
from typing import Any

from hy_ndarray.ops.compositions._terms import (
    Axes,
    cast,
    filled,
    reshape,
    total,
    transposed,
    wide,
)
from hy_ndarray.ops.linalg import products
from hy_ndarray.ops.nn import dense
from hy_ndarray.ops.np import creation as np_creation, products as np_products
from hy_ndarray.ops.np._einsum import LETTERS, explicit_subscripts
from hy_ndarray.ops.record.composition import Tracer, create
from hy_ndarray.ops.record.derived import composition

__all__ = ["matmul", "swapped"]


def matmul(a: Tracer, b: Tracer) -> Any:
    """Return matrix products, broadcast over leading axes."""
    return np_products.np_matmul(a, b)


def swapped(x: Tracer, swap: bool = True) -> Tracer:
    """Return matrices with rows and columns exchanged if ``swap``, else unchanged."""
    if not swap:
        return x
    rank = x.ndim
    return transposed(x, *range(rank - 2), rank - 1, rank - 2)


def _matrix(x: Tracer, rows: int) -> Tracer:
    """Return the array as a matrix, whose rows are the first ``rows`` axes."""
    return reshape(x, prod(x.shape[:rows]), prod(x.shape[rows:]))


def _left_matrix(x: Tracer, transposed: bool) -> Tracer:
    """Return the left operand of ``dot`` reshaped to a matrix, transposed if asked."""
    return swapped(_matrix(x, 1)) if transposed else _matrix(x, x.ndim - 1)


def _right_matrix(x: Tracer, transposed: bool) -> Tracer:
    return swapped(_left_matrix(x, not transposed))


@composition(products.dot)
def _dot(
    lhs: Tracer, rhs: Tracer, *, transpose_a: bool, transpose_b: bool, forward_stype: Any
) -> Any:
    y = matmul(_left_matrix(lhs, transpose_a), _right_matrix(rhs, transpose_b))
    rows = lhs.shape[1:] if transpose_a else lhs.shape[:-1]
    columns = rhs.shape[:-1] if transpose_b else rhs.shape[1:]
    return reshape(y, *(rows + columns or (1,)))


@composition(products.dot_backward_lhs)
def _dot_backward_lhs(
    dy: Tracer, rhs: Tracer, lhs: Tracer, *, transpose_a: bool, transpose_b: bool
) -> Any:
    right = _right_matrix(rhs, transpose_b)
    rows = prod(lhs.shape[1:] if transpose_a else lhs.shape[:-1])
    dy = reshape(dy, rows, right.shape[1])
    dx = matmul(right, swapped(dy)) if transpose_a else matmul(dy, swapped(right))
    return reshape(dx, *lhs.shape)


@composition(products.dot_backward_rhs)
def _dot_backward_rhs(
    dy: Tracer, lhs: Tracer, rhs: Tracer, *, transpose_a: bool, transpose_b: bool
) -> Any:
    left = _left_matrix(lhs, transpose_a)
    dy = reshape(dy, left.shape[0], prod(rhs.shape[:-1] if transpose_b else rhs.shape[1:]))
    dx = matmul(swapped(dy), left) if transpose_b else matmul(swapped(left), dy)
    return reshape(dx, *rhs.shape)


@composition(products.batch_dot)
def _batch_dot(
    lhs: Tracer, rhs: Tracer, *, transpose_a: bool, transpose_b: bool, forward_stype: Any
) -> Any:
    return matmul(swapped(lhs, transpose_a), swapped(rhs, transpose_b))


@composition(products.khatri_rao)
def _khatri_rao(*args: Tracer) -> Any:
    y, *others = args
    for matrix in others:
        (rows, columns), more = y.shape, matrix.shape[0]
        y = reshape(y, rows, 1, columns) * reshape(matrix, 1, more, columns)
        y = reshape(y, rows * more, columns)
    return y


@composition(np_products.np_dot)
def _np_dot(a: Tracer, b: Tracer) -> Any:
    if not a.ndim or not b.ndim:
        return a * b
    left = _matrix(a, a.ndim - 1)
    order = [b.ndim - 2, *range(b.ndim - 2), b.ndim - 1]
    right = _matrix(transposed(b, *order) if b.ndim > 1 else reshape(b, -1, 1), 1)
    shape = a.shape[:-1] + (b.shape[:-2] + b.shape[-1:] if b.ndim > 1 else ())
    return reshape(matmul(left, right), *shape)


def _tensordot(a: Tracer, b: Tracer, axes: tuple[Axes, Axes], positions: Axes = ()) -> Tracer:
    """Return sums of products along pairs of axes, with the result's axes at ``positions``."""
    left, right = ([i % x.ndim for i in own] for x, own in zip((a, b), axes, strict=True))
    rows = [i for i in range(a.ndim) if i not in left]
    columns = [i for i in range(b.ndim) if i not in right]
    y = matmul(
        _matrix(transposed(a, *rows, *left), len(rows)),
        _matrix(transposed(b, *right, *columns), len(right)),
    )
    y = reshape(y, *[a.shape[i] for i in rows], *[b.shape[i] for i in columns])
    if [*positions] == sorted(positions):
        return y
    return transposed(y, *sorted(range(len(positions)), key=positions.__getitem__))


@composition(np_products.np_dot_backward_a)
def _np_dot_backward_a(dy: Tracer, b: Tracer, a: Tracer) -> Any:
    if a.ndim and b.ndim > 1:
        rest = [i for i in range(b.ndim) if i != b.ndim - 2]
        return _tensordot(dy, b, (range(a.ndim - 1, dy.ndim), rest))
    if a.ndim:
        return (reshape(dy, *dy.shape, 1) if b.ndim else dy) * b
    return total(dy * b, None)


@composition(np_products.np_dot_backward_b)
def _np_dot_backward_b(dy: Tracer, a: Tracer, b: Tracer) -> Any:
    if a.ndim and b.ndim:
        rows = range(a.ndim - 1)
        positions = [b.ndim - 2, *range(b.ndim - 2), b.ndim - 1] if b.ndim > 1 else []
        return _tensordot(a, dy, (rows, rows), positions)
    return dy * a if b.ndim else total(dy * a, None)


def _matrices(dy: Tracer, a: Tracer, b: Tracer) -> tuple[Tracer, Tracer, Tracer]:
    """Return ``dy``, ``a`` and ``b`` of a product with vectors reshaped to rows or columns."""
    if a.ndim == 1:
        leading = dy.shape[:-1] if b.ndim > 1 else dy.shape
        a = reshape(a, 1, -1)
        dy = reshape(dy, *leading, 1, *dy.shape[len(leading) :])
    if b.ndim == 1:
        b, dy = reshape(b, -1, 1), reshape(dy, *dy.shape, 1)
    return dy, a, b


def _sum_to_shape(product: Tracer, like: Tracer) -> Tracer:
    """Return a product summed over the axes along which operand ``like`` was broadcast."""
    extra = product.ndim - like.ndim
    axes = [
        i
        for i, n in enumerate(product.shape)
        if i < extra or (like.shape[i - extra] == 1 and n != 1)
    ]
    return total(product, axes, keepdims=True) if axes else product


@composition(np_products.np_matmul_backward_a)
def _np_matmul_backward_a(dy: Tracer, b: Tracer, a: Tracer) -> Any:
    rows, left, right = _matrices(dy, a, b)
    return reshape(_sum_to_shape(matmul(rows, swapped(right)), left), *a.shape)


@composition(np_products.np_matmul_backward_b)
def _np_matmul_backward_b(dy: Tracer, a: Tracer, b: Tracer) -> Any:
    rows, left, right = _matrices(dy, a, b)
    return reshape(_sum_to_shape(matmul(swapped(left), rows), right), *b.shape)


@composition(np_products.np_tensordot)
def _np_tensordot(a: Tracer, b: Tracer, *, a_axes_summed: Axes, b_axes_summed: Axes) -> Any:
    return _tensordot(a, b, (a_axes_summed, b_axes_summed))


def _remaining(axes: Axes, rank: int) -> tuple[list[int], list[int]]:
    summed = [axis % rank for axis in axes]
    return summed, [i for i in range(rank) if i not in summed]


@composition(np_products.np_tensordot_backward_a)
def _np_tensordot_backward_a(
    dy: Tracer, b: Tracer, a: Tracer, *, a_axes_summed: Axes, b_axes_summed: Axes
) -> Any:
    summed, remaining = _remaining(a_axes_summed, a.ndim)
    partners, others = _remaining(b_axes_summed, b.ndim)
    positions = remaining + [summed[partners.index(i)] for i in sorted(partners)]
    return _tensordot(dy, b, (range(len(remaining), dy.ndim), others), positions)


@composition(np_products.np_tensordot_backward_b)
def _np_tensordot_backward_b(
    dy: Tracer, a: Tracer, b: Tracer, *, a_axes_summed: Axes, b_axes_summed: Axes
) -> Any:
    summed, remaining = _remaining(a_axes_summed, a.ndim)
    partners, others = _remaining(b_axes_summed, b.ndim)
    positions = [partners[summed.index(i)] for i in sorted(summed)] + others
    return _tensordot(a, dy, (remaining, range(len(remaining))), positions)


def _summed_axes(axes: int, rank: int) -> dict[str, tuple[int, ...]]:
    """Return the axis parameters of ``tensordot`` for a number of summed axes."""
    return {
        "a_axes_summed": tuple(range(rank - axes, rank)),
        "b_axes_summed": tuple(range(axes)),
    }


@composition(np_products.np_tensordot_int_axes)
def _int_axes(a: Tracer, b: Tracer, *, axes: int) -> Any:
    return np_products.np_tensordot(a, b, **_summed_axes(axes, a.ndim))


@composition(np_products.np_tensordot_int_axes_backward_a)
def _int_axes_backward_a(dy: Tracer, b: Tracer, a: Tracer, *, axes: int) -> Any:
    return np_products.np_tensordot_backward_a(dy, b, a, **_summed_axes(axes, a.ndim))


@composition(np_products.np_tensordot_int_axes_backward_b)
def _int_axes_backward_b(dy: Tracer, a: Tracer, b: Tracer, *, axes: int) -> Any:
    return np_products.np_tensordot_backward_b(dy, a, b, **_summed_axes(axes, a.ndim))


def _letter_sizes(terms: Sequence[str], operands: Sequence[Tracer]) -> dict[str, int]:
    """Return the size of each letter of ``einsum``, which operands with size 1 broadcast to."""
    sizes: dict[str, int] = {}
    for term, x in zip(terms, operands, strict=True):
        for letter, n in zip(term, x.shape, strict=True):
            sizes[letter] = n if sizes.get(letter, 1) == 1 else sizes[letter]
    return sizes


@composition(np_products.einsum_backward)
def _einsum_backward(dy: Tracer, *data: Tracer, subscripts: str, position: int) -> Any:
    # The einsum of dy and the other operands. Letters that only this operand has, or that have size
    # 1 elsewhere, are broadcast by a vector of ones; a letter that it has twice is a diagonal, made
    # by an identity matrix.
    operand = data[position]
    terms, result = explicit_subscripts(subscripts, [x.ndim for x in data])
    sizes = _letter_sizes(terms, data)
    dtype = wide(operand).dtype
    own = terms.pop(position)
    letters = [result, *terms]
    operands = [cast(x, dtype) for i, x in enumerate((dy, *data)) if i != position + 1]
    free = iter(x for x in LETTERS if x not in own.join(letters))
    written = ""
    for letter in own:
        target = letter
        if letter in written:
            target = next(free)
            n = sizes[letter]
            operands.append(create(np_creation.np_eye, N=n, M=n, dtype=dtype))
            letters.append(letter + target)
        written += target
    for letter in dict.fromkeys(own):
        known = _letter_sizes(letters, operands)
        if known.get(letter) != sizes[letter]:
            operands.append(filled((sizes[letter],), 1.0, dtype))
            letters.append(letter)
    y = np_products.np_einsum(*operands, subscripts=f"{','.join(letters)}->{written}")
    return cast(_sum_to_shape(y, operand), operand.dtype)


def _as_rows(x: Tracer, flatten: bool) -> Tracer:
    return _matrix(x, 1 if flatten else x.ndim - 1)


@composition(dense.project)
def _project(data: Tracer, weight: Tracer, *, flatten: bool) -> Any:
    y = matmul(_as_rows(data, flatten), swapped(weight))
    return y if flatten else reshape(y, *data.shape[:-1], weight.shape[0])


@composition(dense.fully_connected)
def _fully_connected(
    data: Tracer,
    weight: Tracer,
    bias: Tracer | None = None,
    *,
    num_hidden: int,
    no_bias: bool,
    flatten: bool,
) -> Any:
    y = _project(data, weight, flatten=flatten)
    return y if bias is None else y + bias


@composition(dense.fully_connected_backward_data)
def _dense_backward_data(dy: Tracer, weight: Tracer, data: Tracer, *, flatten: bool) -> Any:
    return reshape(matmul(_as_rows(dy, flatten), weight), *data.shape)


@composition(dense.fully_connected_backward_weight)
def _dense_backward_weight(dy: Tracer, data: Tracer, weight: Tracer, *, flatten: bool) -> Any:
    return matmul(swapped(_as_rows(dy, flatten)), _as_rows(data, flatten))
