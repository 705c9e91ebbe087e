"""Subscripts of ``einsum``, and the shape of its result."""

from collections.abc import Sequence

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.record.rules import broadcast_shapes
from hy_ndarray.ops.record.types import PartialShape, show

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def einsum_shape(subscripts: str, shapes: Sequence[PartialShape | None]) -> PartialShape | None:
    """Return the shape of the result of ``einsum``; None while an operand's rank is unknown.

    Raises:
        ShapeError: The subscripts do not match the shapes, or are malformed.
    """
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes):
        raise ShapeError(
            f"subscripts={subscripts!r} name {len(terms)} operands, but {len(shapes)} were given"
        )
    if any(shape is None for shape in shapes):
        return None
    sizes: dict[str, int | None] = {}
    batch: PartialShape = ()
    for term, shape in zip(terms, shapes, strict=True):
        assert shape is not None
        head, dots, tail = term.partition("...")
        count = len(head) + len(tail)
        if len(shape) < count or (not dots and len(shape) != count):
            raise ShapeError(
                f"subscripts={subscripts!r}: {term!r} does not match the axes of operand "
                f"{show(shape)}"
            )
        end = len(shape) - len(tail)
        if dots:
            batch = broadcast_shapes(batch, shape[len(head) : end]) or ()
        for letter, size in zip(head + tail, shape[: len(head)] + shape[end:], strict=True):
            sizes[letter] = _common_size(letter, sizes.get(letter, size), size, subscripts)
    return _result_type(right if arrow else _implicit_result(left), sizes, batch, subscripts)


def _implicit_result(left: str) -> str:
    """Return the result's subscripts where none are given: letters that occur once, sorted."""
    letters = left.replace(",", "").replace(".", "")
    once = sorted(letter for letter in set(letters) if letters.count(letter) == 1)
    return ("..." if "..." in left else "") + "".join(once)


def _common_size(letter: str, a: int | None, b: int | None, subscripts: str) -> int | None:
    """Return the size of the subscript ``letter``, unified from two operands' sizes."""
    if a is None or b is None:
        return a if b is None else b
    if a != b and 1 not in (a, b):
        raise ShapeError(f"subscripts={subscripts!r}: label {letter!r} has sizes {a} and {b}")
    return max(a, b) if 0 not in (a, b) else 0


def _result_type(
    right: str, sizes: dict[str, int | None], batch: PartialShape, subscripts: str
) -> PartialShape:
    head, dots, tail = right.partition("...")
    for letter in head + tail:
        if letter not in sizes:
            raise ShapeError(
                f"subscripts={subscripts!r}: output label {letter!r} is not in any operand"
            )
    middle = batch if dots else ()
    return (*(sizes[x] for x in head), *middle, *(sizes[x] for x in tail))


def explicit_subscripts(subscripts: str, ranks: list[int]) -> tuple[list[str], str]:
    """Return the einsum subscripts of operands and result, with letters instead of ``...``."""
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if not arrow:
        right = _implicit_result(left)
    # Ellipses align at the end, as broadcasting does.
    free = iter(x for x in LETTERS if x not in text)
    lengths = [rank - len(t) + 3 if "..." in t else 0 for t, rank in zip(terms, ranks, strict=True)]
    dots = "".join(next(free) for _ in range(max(lengths, default=0)))
    written = [
        term.replace("...", dots[len(dots) - length :])
        for term, length in zip(terms, lengths, strict=True)
    ]
    return written, right.replace("...", dots)
