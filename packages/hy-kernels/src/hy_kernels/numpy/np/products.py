"""Products of arrays; 16-bit floats are added up in float32."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, Places, accumulator, place
from hy_kernels.numpy._einsum import einsum
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.broadcast import sum_like
from hy_kernels.numpy.runtime._product import matmul, product

__all__ = [
    "einsum_backward",
    "np_dot",
    "np_einsum",
    "np_matmul",
]

Axes = tuple[int, ...]


def _wide(*arrays: Array) -> list[Any]:
    """The operands in the dtype products are added up in."""
    dtype = accumulator(arrays[0].dtype)
    return [x.astype(dtype, copy=False) for x in arrays]


@kernel(out="apart")
def np_dot(a: Array, b: Array, *, out: Places = None) -> Array:
    """Products summed over the last axis of ``a`` and the last but one of ``b``."""
    memory = place(out)
    left, right = _wide(a, b)
    if left.ndim == right.ndim == 2:
        y = product(left, right, out=memory)
    else:
        y = np.dot(left, right, memory)
    return np.asarray(y if memory is None else memory).astype(a.dtype, copy=False)


@kernel(out="apart")
def np_matmul(a: Array, b: Array, *, out: Places = None) -> Array:
    """Products of matrices."""
    left, right = _wide(a, b)
    return matmul(left, right, place(out)).astype(a.dtype, copy=False)


def _pairs(axes: int, rank: int) -> dict[str, Axes]:
    """The axes ``tensordot`` sums over where it is given their number."""
    return {"a_axes_summed": tuple(range(rank - axes, rank)), "b_axes_summed": tuple(range(axes))}


@kernel(out="apart")
def np_einsum(*data: Array, subscripts: str, optimize: int, out: Places = None) -> Array:
    """Sums of products."""
    memory = place(out)
    y = einsum(subscripts, *_wide(*data), out=memory, optimize=bool(optimize))
    return np.array(y, data[0].dtype, order="C") if memory is None else memory


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


def _has_axis(letter: str, size: int, terms: Sequence[str], operands: Sequence[Array]) -> bool:
    """Whether a letter has this size in an operand; einsum repeats those of size 1."""
    result = (
        x.shape[term.index(letter)] == size
        for term, x in zip(terms, operands, strict=True)
        if letter in term
    )
    return any(result)


@kernel(out="apart")
def einsum_backward(
    dy: Array, *data: Array, subscripts: str, position: int, out: Places = None
) -> Array:
    """Gradient to one operand: a sum of products of ``dy`` and the others.

    Letters that stand in that operand alone, or have one element in all others, are repeated along
    an axis of ones, a letter that stands in it twice goes on the diagonal.
    """
    operand = data[position]
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
            second = next(free)
            operands.append(np.eye(sizes[letter], dtype=wide[0].dtype))
            letters.append(letter + second)
            written += second
        else:
            written += letter
    for letter in dict.fromkeys(own):
        if not _has_axis(letter, sizes[letter], letters, operands):
            operands.append(np.ones(sizes[letter], wide[0].dtype))
            letters.append(letter)
    whole = f"{','.join(letters)}->{written}"
    memory = place(out)
    if memory is not None and operand.shape == tuple([sizes[letter] for letter in own]):
        einsum(whole, *operands, out=memory)
        return memory
    # It is copied where it is not summed, as einsum may return a view.
    dx = sum_like(einsum(whole, *operands), operand, out=out or (None,))
    return np.asarray(dx, operand.dtype, order="C")
