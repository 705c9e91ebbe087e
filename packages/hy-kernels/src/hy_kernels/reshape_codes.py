"""Special codes in the target shapes of MXNet's reshape operators, for every table.

Sizes below -1, and 0 in ``Reshape``, are codes that refer to axes of the array to reshape.
"""

from collections.abc import Sequence

__all__ = ["legacy_shape"]


def legacy_shape(codes: Sequence[int], shape: Sequence[int]) -> list[int]:
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
