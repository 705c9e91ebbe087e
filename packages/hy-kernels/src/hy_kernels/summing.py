"""Contracted axes of tensor products, and subscripts of einsum, for all tables."""

from collections.abc import Sequence

__all__ = ["LETTERS", "explicit_subscripts", "remaining_axes", "summed_axes"]

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def remaining_axes(axes: Sequence[int], rank: int) -> tuple[list[int], list[int]]:
    """Return ``axes`` as non-negative numbers, and all other axes of an array of ``rank``."""
    summed = [axis % rank for axis in axes]
    return summed, [i for i in range(rank) if i not in summed]


def summed_axes(axes: int, rank: int) -> dict[str, tuple[int, ...]]:
    """Return the axes that ``tensordot`` contracts if it is given their number, ``axes``."""
    return {"a_axes_summed": tuple(range(rank - axes, rank)), "b_axes_summed": tuple(range(axes))}


def explicit_subscripts(subscripts: str, ranks: list[int]) -> tuple[list[str], str]:
    """Return the einsum subscripts of operands and result, with letters instead of ``...``."""
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if not arrow:
        # NumPy's implicit form: the letters that occur once, in alphabetical order.
        letters = left.replace(",", "").replace(".", "")
        once = sorted(x for x in set(letters) if letters.count(x) == 1)
        right = ("..." if "..." in left else "") + "".join(once)
    # Ellipses align at the end, as broadcasting does.
    free = iter(x for x in LETTERS if x not in text)
    lengths = [rank - len(t) + 3 if "..." in t else 0 for t, rank in zip(terms, ranks, strict=True)]
    dots = "".join(next(free) for _ in range(max(lengths, default=0)))
    written = [
        term.replace("...", dots[len(dots) - length :])
        for term, length in zip(terms, lengths, strict=True)
    ]
    return written, right.replace("...", dots)
