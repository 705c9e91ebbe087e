"""Special codes in the target shapes of MXNet's reshape operators, for every table.

Sizes below -1, and 0 in ``Reshape``, are codes that refer to axes of the array to reshape.
"""

from collections.abc import Sequence
from math import prod

__all__ = ["reshaped_sizes"]


def reshaped_sizes(
    have: Sequence[int],
    shape: Sequence[int],
    reverse: bool,
    target_shape: Sequence[int],
    keep_highest: bool,
) -> list[int]:
    """Return the sizes to which ``Reshape`` with these parameters reshapes an array.

    One of them may be -1. ``target_shape`` is the legacy form of ``shape``; with ``reverse``, codes
    are read from the end.
    """
    if not shape and target_shape:
        codes = [n or -1 for n in target_shape]
        if keep_highest:
            codes[0] = 0
        sizes = _legacy_shape(codes, have)
    elif reverse:
        sizes = _legacy_shape(shape[::-1], have[::-1])[::-1]
    else:
        sizes = _legacy_shape(shape, have)
    if 0 in sizes and -1 in sizes:
        # Libraries cannot infer -1 next to a size of 0: here it follows from the nonzero sizes.
        rest = prod(n for n in sizes if n > 0)
        sizes[sizes.index(-1)] = prod(n for n in have if n) // rest
    return sizes


def _legacy_shape(codes: Sequence[int], shape: Sequence[int]) -> list[int]:
    """Return the target shape of ``Reshape`` with its codes resolved, except for -1."""
    # 0 copies a size, -1 infers one, -2 copies the rest, -3 merges two axes, -4 splits one.
    result: list[int] = []
    at = i = 0
    while i < len(codes):
        code = codes[i]
        i += 1
        if code > 0 or code == -1:
            result.append(code)
            at += 1
        elif code == 0:
            result.append(shape[at])
            at += 1
        elif code == -2:
            result.extend(shape[at:])
            at = max(at, len(shape))
        elif code == -3:
            result.append(shape[at] * shape[at + 1])
            at += 2
        elif code == -4:
            result.extend(_split_size(shape[at], codes[i], codes[i + 1]))
            at += 1
            i += 2
        else:
            raise ValueError(f"unknown code {code} in {tuple(codes)}")
    return result


def _split_size(size: int, first: int, second: int) -> tuple[int, int]:
    """Return the two sizes that an axis is split into; ``first`` or ``second`` may be -1."""
    known = second if first == -1 else first
    if known <= 0 or size % known or first * second not in (size, -known):
        raise ValueError(f"an axis of {size} cannot be divided into {first} and {second}")
    return (size // known, known) if first == -1 else (known, size // known)
