"""Tile sizes of attention: the candidates for tuning, and the untuned default."""

from collections.abc import Sequence
from typing import NamedTuple

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton.runtime._launch import capability

__all__ = ["Tiles", "tiles_for"]


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
# mma.sync, at half the rate.
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
        256: (Tiles(64, 64, 8, 2), Tiles(128, 32, 8, 2)),
    },
    "keys": {
        64: (Tiles(64, 128, 8, 2), Tiles(64, 64, 4, 2), Tiles(64, 64, 8, 2)),
        128: (Tiles(32, 64, 8, 2), Tiles(64, 64, 8, 2)),
    },
    "queries": {
        64: (Tiles(128, 64, 8, 2), Tiles(64, 64, 4, 2), Tiles(128, 64, 8, 3)),
        128: (Tiles(128, 64, 8, 2), Tiles(128, 32, 8, 2), Tiles(64, 64, 8, 2)),
        256: (Tiles(64, 32, 8, 2),),
    },
}
_MASKED_90: dict[str, _Choices] = {
    "forward": {
        64: (Tiles(128, 64, 8, 2), Tiles(64, 64, 8, 2), Tiles(64, 32, 4, 2)),
        128: (Tiles(128, 32, 8, 2), Tiles(64, 32, 8, 2), Tiles(64, 32, 4, 2)),
        256: (Tiles(64, 32, 8, 2),),
    },
    "keys": {
        64: (Tiles(64, 64, 8, 2), Tiles(32, 64, 8, 2)),
        128: (Tiles(32, 64, 8, 2),),
    },
    "queries": {
        64: (Tiles(128, 32, 8, 2), Tiles(64, 64, 8, 2), Tiles(64, 32, 4, 2)),
        128: (Tiles(64, 32, 8, 2),),
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
    },
    "keys": {
        64: (Tiles(64, 32, 8, 2), Tiles(32, 64, 4, 2), Tiles(32, 32, 4, 2), Tiles(64, 32, 4, 2)),
        128: (Tiles(64, 32, 8, 2), Tiles(32, 32, 4, 2)),
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
    },
}
_MASKED_80: dict[str, _Choices] = {
    "forward": {
        64: (Tiles(64, 32, 4, 2), Tiles(64, 32, 4, 3), Tiles(128, 32, 8, 2)),
        128: (Tiles(32, 32, 4, 2), Tiles(64, 32, 8, 2)),
    },
    "keys": {
        64: (Tiles(64, 32, 8, 2), Tiles(32, 32, 4, 2)),
        128: (Tiles(32, 32, 4, 2),),
    },
    "queries": {
        64: (Tiles(32, 32, 4, 2), Tiles(64, 32, 8, 2)),
        128: (Tiles(32, 32, 4, 2),),
    },
}
_HOPPER = 90
# Vectors of more than 128 elements leave registers for no more.
_LONG_TILES = Tiles(32, 32, 4, 2)
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
    wide = query.element_size() // 2  # operands of float32 take as many registers as two
    hopper = capability(query) >= _HOPPER
    choices = (
        (_MASKED_90 if masked else _PLAIN_90) if hopper else (_MASKED_80 if masked else _PLAIN_80)
    )
    for limit, tiles in choices[kind].items():
        if query.shape[-1] * wide <= limit:
            return tiles[:1] if wide > 1 else tiles
    return (_LONG_TILES,)
