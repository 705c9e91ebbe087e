"""Damaged files, made from whole ones by a seeded generator; the standard library is enough.

The same inputs come out in every interpreter, so that two readers can be given the same.
"""

import random
from collections.abc import Iterator

__all__ = ["WORDS", "damaged"]

WORDS = (
    b"\x00" * 4,
    b"\xff" * 4,
    b"\xff\xff\xff\x7f",
    b"\x00" * 8,
    b"\xff" * 8,
    b"\xff" * 7 + b"\x7f",
    b"\x00\x00\x00\x00\x01\x00\x00\x00",
    b"\x0a\x23\xd7\xce",
    b"\xc8\xfa\x93\xf9",
    b"\xc9\xfa\x93\xf9",
    b"\xca\xfa\x93\xf9",
    b"\x12\x01\x00\x00\x00\x00\x00\x00",
    b"9" * 20,
    b"[" * 50,
    b"-1",
    b"\t",
    b"\n",
)
"""What is put into files besides random bytes: limits, and the marks of the formats."""


def damaged(wholes: list[bytes], seed: int, count: int) -> Iterator[bytes]:
    """Yield ``count`` damaged files; each has one to four changes of one of ``wholes``.

    Each has a seed of its own, ``seed``, ``seed + 1`` and so on, with which it comes again alone.
    """
    for own in range(seed, seed + count):
        rng = random.Random(own)  # noqa: S311  # no secrets
        content = bytearray(rng.choice(wholes))
        for _ in range(rng.randint(1, 4)):
            _damage(content, rng)
        yield bytes(content)


def _damage(content: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(content) + 1)
    kind = rng.randrange(8)
    if kind == 0:
        del content[at:]
    elif kind == 1:
        del content[at : at + rng.randint(1, 16)]
    elif kind == 2:  # noqa: PLR2004  # the kinds are numbered
        content[at:at] = rng.randbytes(rng.randint(1, 16))
    elif kind == 3:  # noqa: PLR2004
        word = rng.choice(WORDS)
        content[at : at + len(word)] = word
    elif kind == 4:  # noqa: PLR2004
        other = rng.randrange(len(content) + 1)
        content[at:at] = content[other : other + rng.randint(1, 64)]
    elif content:
        at = min(at, len(content) - 1)
        content[at] = content[at] ^ 1 << rng.randrange(8) if kind & 1 else rng.randrange(256)
