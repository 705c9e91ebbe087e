"""Tiles of attention: which there are to choose from, and the one that is taken unmeasured."""

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
        """Return the key under which a choice is cached."""
        return "x".join(map(str, self))


_Choices = dict[int, tuple[Tiles, ...]]
"""By the largest size of vectors of 16 bits; of each the first one is taken unmeasured.

That one spills no register, by ahead-of-time compilation; of the others some do, a few bytes. What
masks and what draws takes registers, too.
"""

# Products of a Hopper GPU (wgmma) have 64 rows for each four warps: of queries forward and for
# their own gradient, of keys for that of keys and values. Smaller tiles fall back to mma.sync, at
# half the rate.
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
"""Of products without tensor cores, whose operands are in registers."""


def tiles_for(query: Tensor, kind: str, *, masked: bool, exact: bool) -> Sequence[Tiles]:
    """Tiles that fit registers, the one that is taken unmeasured first; of float32 that alone.

    Args:
        query: Whose last axis are vectors.
        kind: ``"forward"``, or the gradients ``"keys"`` (and values) or ``"queries"``.
        masked: Whether weights are masked or dropped.
        exact: Whether products of float32 are exact, which is done without tensor cores.
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
