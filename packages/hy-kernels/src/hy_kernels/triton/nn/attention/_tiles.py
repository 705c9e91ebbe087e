"""Tile sizes of attention: the candidates for tuning, and the untuned default."""

from collections.abc import Sequence
from typing import NamedTuple

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton.runtime._launch import capability


class Tiles(NamedTuple):
    """Tile sizes of queries and keys, with the warps and pipeline stages of a program."""

    queries: int
    keys: int
    warps: int
    stages: int

    @property
    def name(self) -> str:
        """Key of the tiles in the tuning cache."""
        return "x".join(map(str, self))


_Choices = dict[int, tuple[Tiles, ...]]
"""Candidates by the largest size of 16-bit vectors; the first of each is the untuned default.

By ahead-of-time compilation the default spills no registers; some of the others spill a few bytes.
Masks and dropout take registers, too, and have smaller tiles.
"""

# Hopper multiplies 64 rows by four warps at once (wgmma): rows are queries in the forward pass and
# the gradient to queries, keys in the gradient to keys and values. Smaller tiles fall back to
# mma.sync, at half the rate. Eight warps want 128 rows: of 64, both halves of them compute the same
# scores.
_PLAIN_90: dict[str, _Choices] = {
    "forward": {
        64: (
            Tiles(128, 64, 8, 2),
            Tiles(128, 64, 8, 3),
            Tiles(128, 128, 8, 2),
            Tiles(128, 64, 4, 3),
            Tiles(64, 64, 4, 3),
        ),
        128: (Tiles(128, 64, 8, 2), Tiles(128, 32, 8, 3), Tiles(64, 64, 4, 2)),
        256: (Tiles(128, 32, 8, 2), Tiles(64, 64, 8, 2), Tiles(64, 32, 4, 2)),
    },
    "keys": {
        64: (Tiles(64, 128, 8, 2), Tiles(64, 64, 4, 2), Tiles(64, 64, 8, 2)),
        128: (Tiles(32, 128, 8, 2), Tiles(64, 64, 8, 2), Tiles(64, 128, 8, 2)),
        256: (Tiles(32, 128, 8, 2), Tiles(64, 64, 8, 2)),
    },
    "queries": {
        64: (Tiles(128, 64, 8, 2), Tiles(64, 64, 4, 2), Tiles(128, 64, 8, 3)),
        128: (Tiles(128, 64, 8, 2), Tiles(128, 32, 8, 2), Tiles(64, 64, 8, 2)),
        256: (Tiles(128, 32, 8, 2), Tiles(64, 32, 8, 2)),
    },
}
_MASKED_90: dict[str, _Choices] = {
    "forward": {
        64: (Tiles(128, 64, 8, 2), Tiles(64, 64, 8, 2), Tiles(64, 32, 4, 2)),
        128: (Tiles(128, 32, 8, 2), Tiles(64, 32, 8, 2), Tiles(64, 32, 4, 2)),
        256: (Tiles(64, 32, 8, 2), Tiles(128, 32, 8, 2)),
    },
    "keys": {
        64: (Tiles(64, 64, 8, 2), Tiles(32, 64, 8, 2)),
        128: (Tiles(32, 64, 8, 2), Tiles(32, 128, 8, 2)),
        256: (Tiles(16, 128, 8, 2), Tiles(32, 128, 8, 2)),
    },
    "queries": {
        64: (Tiles(128, 32, 8, 2), Tiles(64, 64, 8, 2), Tiles(64, 32, 4, 2)),
        128: (Tiles(64, 32, 8, 2),),
        256: (Tiles(128, 16, 8, 2), Tiles(128, 32, 8, 2)),
    },
}
_PLAIN_80: dict[str, _Choices] = {
    "forward": {
        64: (
            Tiles(128, 64, 8, 2),
            Tiles(64, 64, 4, 2),
            Tiles(64, 32, 4, 2),
            Tiles(64, 32, 4, 3),
            Tiles(64, 64, 4, 3),
            Tiles(128, 64, 8, 3),
        ),
        128: (
            Tiles(128, 32, 8, 2),
            Tiles(64, 32, 4, 3),
            Tiles(128, 32, 8, 3),
            Tiles(128, 64, 8, 2),
            Tiles(128, 64, 8, 3),
        ),
        256: (Tiles(64, 32, 8, 2), Tiles(32, 32, 8, 2)),
    },
    "keys": {
        64: (Tiles(64, 32, 8, 2), Tiles(32, 64, 4, 2), Tiles(32, 32, 4, 2), Tiles(64, 32, 4, 2)),
        128: (Tiles(64, 32, 8, 2), Tiles(32, 32, 4, 2)),
        256: (Tiles(32, 32, 8, 2), Tiles(32, 64, 8, 2)),
    },
    "queries": {
        64: (
            Tiles(64, 32, 4, 2),
            Tiles(32, 64, 4, 2),
            Tiles(32, 32, 4, 2),
            Tiles(64, 32, 8, 2),
            Tiles(64, 64, 8, 2),
            Tiles(32, 128, 8, 2),
        ),
        128: (Tiles(64, 32, 8, 2), Tiles(32, 32, 4, 2), Tiles(64, 64, 8, 2)),
        256: (Tiles(64, 16, 8, 2), Tiles(64, 32, 8, 2)),
    },
}
_MASKED_80: dict[str, _Choices] = {
    "forward": {
        64: (Tiles(64, 32, 4, 2), Tiles(64, 32, 4, 3), Tiles(128, 32, 8, 2)),
        128: (Tiles(32, 32, 4, 2), Tiles(64, 32, 8, 2)),
        256: (Tiles(32, 32, 8, 2), Tiles(64, 32, 8, 2)),
    },
    "keys": {
        64: (Tiles(64, 32, 8, 2), Tiles(32, 32, 4, 2)),
        128: (Tiles(32, 32, 4, 2),),
        256: (Tiles(32, 32, 8, 2), Tiles(16, 64, 8, 2)),
    },
    "queries": {
        64: (Tiles(32, 32, 4, 2), Tiles(64, 32, 8, 2)),
        128: (Tiles(32, 32, 4, 2),),
        256: (Tiles(32, 32, 8, 2), Tiles(64, 16, 8, 2)),
    },
}
_HOPPER = 90
_MAX_WHOLE = 128
"""Largest size of 16-bit vectors whose gradients to keys and values one launch computes."""
# Of vectors of more than 128 elements of float32 (tf32) no more fits the memory that a
# multiprocessor lends a program.
_LONG_TILES = {
    "forward": Tiles(32, 32, 8, 2),
    "keys": Tiles(16, 32, 8, 2),
    "queries": Tiles(32, 16, 8, 2),
}
# Of each element 4 bytes in registers, for both operands: tiles of 16 keys.
_FLOAT32_TILES = {
    "forward": Tiles(32, 16, 4, 2),
    "keys": Tiles(16, 16, 4, 2),
    "queries": Tiles(16, 16, 4, 2),
}
"""Tiles of products without tensor cores, whose operands are in registers."""


def tiles_for(query: Tensor, kind: str, *, masked: bool, exact: bool) -> Sequence[Tiles]:
    """Return candidate tiles that fit registers, the untuned default first; one for float32.

    Args:
        query: Queries, whose last axis is the vectors.
        kind: ``"forward"``, or the gradients ``"keys"`` (and values) or ``"queries"``.
        masked: Whether weights are masked or dropped.
        exact: Whether float32 products are exact, without tensor cores.
    """
    if exact:
        return (_FLOAT32_TILES[kind],)
    size = _size(query)
    hopper = capability(query) >= _HOPPER
    choices = (
        (_MASKED_90 if masked else _PLAIN_90) if hopper else (_MASKED_80 if masked else _PLAIN_80)
    )
    for limit, tiles in choices[kind].items():
        if size <= limit:
            return tiles[:1] if query.element_size() > _HALF else tiles
    return (_LONG_TILES[kind],)


_HALF = 2  # bytes


def _size(query: Tensor) -> int:
    """Return the size of vectors in 16-bit numbers; those of float32 take the registers of two."""
    return int(query.shape[-1] * query.element_size()) // _HALF


def is_split(query: Tensor) -> bool:
    """Return whether gradients to keys and to values are a launch each.

    Both sums of long vectors would leave no registers for scores: they would be spilled, or tiles
    be too small for wgmma. Scores are computed once more: eight products instead of seven.
    """
    return _size(query) > _MAX_WHOLE
