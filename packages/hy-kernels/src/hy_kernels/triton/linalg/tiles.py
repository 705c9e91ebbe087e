"""Tile sizes of matrix products."""

from functools import cache
from typing import NamedTuple

__all__ = ["GROUP", "HOPPER", "WGMMA_ROWS", "Tiles"]

# Triton's tutorial has 8 as well; for tiles of 128 x 128 and K of 4,096 in 16 bits, 8 rows and as
# many columns are 16 MB of operands, a third of an H100's L2 cache.
GROUP = 8
"""Rows of tiles that share the L2 cache."""
HOPPER = 90
"""Compute capability of an H100 or H200."""
WGMMA_ROWS = 64
"""Rows that four warps of an H100 multiply at once (wgmma).

Tiles of fewer rows use mma.sync, at half the rate; in tf32 they exceed the registers, too.
"""


class Tiles(NamedTuple):
    """Tile sizes of a matrix product, with the warps and pipeline stages of its program."""

    rows: int
    columns: int
    inner: int
    warps: int
    stages: int

    @property
    def name(self) -> str:
        """Key of the tiles in the tuning cache."""
        return _name(self)


@cache
def _name(tiles: Tiles) -> str:
    return "x".join(map(str, tiles))
