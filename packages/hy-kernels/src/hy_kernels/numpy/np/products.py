"""Products of arrays; 16-bit floats are added up in float32."""

from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, accumulator
from hy_kernels.numpy.broadcast import sum_like

__all__ = [
    "einsum_backward",
    "np_dot",
    "np_dot_backward_a",
    "np_dot_backward_b",
    "np_einsum",
    "np_matmul",
    "np_matmul_backward_a",
    "np_matmul_backward_b",
    "np_tensordot",
    "np_tensordot_backward_a",
    "np_tensordot_backward_b",
    "np_tensordot_int_axes",
    "np_tensordot_int_axes_backward_a",
    "np_tensordot_int_axes_backward_b",
]

Axes = tuple[int, ...]


def _wide(*arrays: Array) -> list[Any]:
    """The operands in the dtype products are added up in."""
    dtype = accumulator(arrays[0].dtype)
    return [x.astype(dtype, copy=False) for x in arrays]


def np_dot(a: Array, b: Array) -> Array:
    """Products summed over the last axis of ``a`` and the last but one of ``b``."""
    return np.asarray(np.dot(*_wide(a, b))).astype(a.dtype, copy=False)


def np_dot_backward_a(dy: Array, b: Array, a: Array) -> Array:
    """Gradient to ``a``."""
    dy, b = _wide(dy, b)
    if not a.ndim:
        da = np.sum(dy * b)
    elif not b.ndim:
        da = dy * b
    elif b.ndim == 1:
        da = dy[..., None] * b
    else:
        rest = [i for i in range(b.ndim) if i != b.ndim - 2]
        da = np.tensordot(dy, b, (range(a.ndim - 1, dy.ndim), rest))
    return np.asarray(da).astype(a.dtype, copy=False)


def np_dot_backward_b(dy: Array, a: Array, b: Array) -> Array:
    """Gradient to ``b``."""
    dy, a = _wide(dy, a)
    if not b.ndim:
        db = np.sum(dy * a)
    elif not a.ndim:
        db = dy * a
    else:
        rows = range(a.ndim - 1)
        db = np.tensordot(a, dy, (rows, rows))
        if b.ndim > 1:
            db = np.moveaxis(db, 0, -2)
    return np.array(db, b.dtype, order="C")


def np_matmul(a: Array, b: Array) -> Array:
    """Products of matrices."""
    return np.asarray(np.matmul(*_wide(a, b))).astype(a.dtype, copy=False)


def _matrices(dy: Array, a: Array, b: Array) -> tuple[Array, Array, Array]:
    """All three with the axes that a single row or column lacks."""
    if a.ndim == 1:
        a, dy = a[None], np.expand_dims(dy, dy.ndim - (b.ndim > 1))
    if b.ndim == 1:
        b, dy = b[:, None], dy[..., None]
    return dy, a, b


def np_matmul_backward_a(dy: Array, b: Array, a: Array) -> Array:
    """Gradient to ``a``."""
    rows, left, right = _matrices(dy, a, b)
    rows, right = _wide(rows, right)
    da = np.matmul(rows, np.swapaxes(right, -1, -2))
    return sum_like(da, left).reshape(a.shape).astype(a.dtype, copy=False)


def np_matmul_backward_b(dy: Array, a: Array, b: Array) -> Array:
    """Gradient to ``b``."""
    rows, left, right = _matrices(dy, a, b)
    rows, left = _wide(rows, left)
    db = np.matmul(np.swapaxes(left, -1, -2), rows)
    return sum_like(db, right).reshape(b.shape).astype(b.dtype, copy=False)


def np_tensordot(a: Array, b: Array, *, a_axes_summed: Axes, b_axes_summed: Axes) -> Array:
    """Products summed over pairs of axes."""
    left, right = _wide(a, b)
    y = np.tensordot(left, right, (a_axes_summed, b_axes_summed))
    return np.asarray(y).astype(a.dtype, copy=False)


def _kept(axes: Axes, rank: int) -> tuple[list[int], list[int]]:
    """The axes counted from the front, and the others."""
    summed = [axis % rank for axis in axes]
    return summed, [i for i in range(rank) if i not in summed]


def np_tensordot_backward_a(
    dy: Array, b: Array, a: Array, *, a_axes_summed: Axes, b_axes_summed: Axes
) -> Array:
    """Gradient to ``a``."""
    summed, kept = _kept(a_axes_summed, a.ndim)
    partners, others = _kept(b_axes_summed, b.ndim)
    left, right = _wide(dy, b)
    da = np.tensordot(left, right, (range(len(kept), dy.ndim), others))
    order = [summed[partners.index(i)] for i in sorted(partners)]
    return np.array(da.transpose(np.argsort([*kept, *order])), a.dtype, order="C")


def np_tensordot_backward_b(
    dy: Array, a: Array, b: Array, *, a_axes_summed: Axes, b_axes_summed: Axes
) -> Array:
    """Gradient to ``b``."""
    summed, kept = _kept(a_axes_summed, a.ndim)
    partners, others = _kept(b_axes_summed, b.ndim)
    left, right = _wide(a, dy)
    db = np.tensordot(left, right, (kept, range(len(kept))))
    order = [partners[summed.index(i)] for i in sorted(summed)]
    return np.array(db.transpose(np.argsort([*order, *others])), b.dtype, order="C")


def _pairs(axes: int, rank: int) -> dict[str, Axes]:
    """The axes ``tensordot`` sums over where it is given their number."""
    return {"a_axes_summed": tuple(range(rank - axes, rank)), "b_axes_summed": tuple(range(axes))}


def np_tensordot_int_axes(a: Array, b: Array, *, axes: int) -> Array:
    """Products summed over the last axes of ``a`` and the first of ``b``."""
    return np_tensordot(a, b, **_pairs(axes, a.ndim))


def np_tensordot_int_axes_backward_a(dy: Array, b: Array, a: Array, *, axes: int) -> Array:
    """Gradient to ``a``."""
    return np_tensordot_backward_a(dy, b, a, **_pairs(axes, a.ndim))


def np_tensordot_int_axes_backward_b(dy: Array, a: Array, b: Array, *, axes: int) -> Array:
    """Gradient to ``b``."""
    return np_tensordot_backward_b(dy, a, b, **_pairs(axes, a.ndim))


def np_einsum(*data: Array, subscripts: str, optimize: int) -> Array:
    """Sums of products."""
    y = np.einsum(subscripts, *_wide(*data), optimize=bool(optimize))
    return np.array(y, data[0].dtype, order="C")


def _explicit(subscripts: str, ranks: list[int]) -> tuple[list[str], str]:
    """Letters of each operand and of the result, ``...`` written out."""
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if not arrow:
        letters = left.replace(",", "").replace(".", "")
        once = sorted(x for x in set(letters) if letters.count(x) == 1)
        right = ("..." if "..." in left else "") + "".join(once)
    free = iter(x for x in _LETTERS if x not in text)
    lengths = [rank - len(t) + 3 if "..." in t else 0 for t, rank in zip(terms, ranks, strict=True)]
    dots = "".join(next(free) for _ in range(max(lengths, default=0)))
    written = [
        term.replace("...", dots[len(dots) - length :])
        for term, length in zip(terms, lengths, strict=True)
    ]
    return written, right.replace("...", dots)


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def einsum_backward(dy: Array, *data: Array, subscripts: str, position: int) -> Array:
    """Gradient to one operand: a sum of products of ``dy`` and the others.

    Letters that stand in that operand alone are repeated along an axis of ones, a letter that
    stands in it twice goes on the diagonal.
    """
    target = data[position]
    terms, result = _explicit(subscripts, [x.ndim for x in data])
    own = terms[position]
    wide = _wide(dy, *data)
    operands: list[Any] = [wide[0]]
    letters = [result]
    sizes: dict[str, int] = {}
    for term, x in zip(terms, data, strict=True):
        for letter, n in zip(term, x.shape, strict=True):
            sizes[letter] = n if sizes.get(letter, 1) == 1 else sizes[letter]
    for i, term in enumerate(terms):
        if i != position:
            operands.append(wide[i + 1])
            letters.append(term)
    free = iter(x for x in _LETTERS if x not in "".join([*terms, result]))
    written = ""
    for letter in own:
        if letter in written:  # a diagonal
            twin = next(free)
            operands.append(np.eye(sizes[letter], dtype=wide[0].dtype))
            letters.append(letter + twin)
            written += twin
        else:
            written += letter
    for letter in dict.fromkeys(own):
        if letter not in "".join(letters):
            operands.append(np.ones(sizes[letter], wide[0].dtype))
            letters.append(letter)
    dx = np.einsum(f"{','.join(letters)}->{written}", *operands)
    return np.array(sum_like(np.asarray(dx), target), target.dtype, order="C")
