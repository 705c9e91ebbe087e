"""Launches of attention of few queries to many keys; see :mod:`hy_kernels.triton.device.decoding`.

A program of the other kernels loops over all keys for a tile of at least 64 queries of one head:
for a decoder's single one most of the tile would be empty, and most of the GPU idle.
"""

from collections.abc import Sequence
from typing import Any

import torch

from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._tiles import next_power
from hy_kernels.triton.device import decoding as device
from hy_kernels.triton.nn.attention._tiles import Tiles
from hy_kernels.triton.runtime._launch import launch, multiprocessors

__all__ = ["decoding_tiles", "is_decoding", "launch_parts"]

_MAX_QUERIES = 16  # a quarter of the smallest tile of the other kernels
_MIN_RATIO = 16  # keys for each query, below which tiles of queries are no worse
_MIN_ROWS, _MAX_ROWS = 16, 64  # the fewest that tensor cores multiply; most that fit registers
_TILE_BYTES = 1 << 14  # of keys; as many of values, in three stages: 96 KB of shared memory
_MIN_SHARE = 256  # keys of a part, which take as long as its launch and merge
_MAX_PARTS = 64  # programs, whose results one merges at once
_WAVES = 2  # programs for each multiprocessor, to hide the latency of memory


def is_decoding(query: Tensor, key: Tensor) -> bool:
    """Return whether queries are so few for their keys that programs should share the keys out."""
    count, keys = query.shape[2], key.shape[2]
    return bool(0 < count <= _MAX_QUERIES and keys >= _MIN_RATIO * count)


def decoding_tiles(query: Tensor, key: Tensor) -> Tiles:
    """Return the tiles of a launch; the queries are those of all heads that share keys."""
    rows = next_power(query.shape[2] * (query.shape[1] // key.shape[1]))
    keys = _TILE_BYTES // (next_power(query.shape[3]) * query.element_size())
    return Tiles(min(max(rows, _MIN_ROWS), _MAX_ROWS), min(max(keys, 16), 128), 4, 3)


def launch_parts(
    operands: Sequence[Any],
    masking: Sequence[Any],
    sizes: Sequence[int],
    steps: Sequence[int],
    constants: dict[str, Any],
) -> None:
    """Write attention and its statistics.

    Args:
        operands: Queries, keys and values, the result and the statistics.
        masking: Lengths, mask, seed and scale.
        sizes: Heads, queries, keys and elements of a vector.
        steps: Strides, and ``ahead``.
        constants: Compile-time constants, warps and stages of the first launch.
    """
    query, key, _, y, sums = operands
    batch, heads, queries, size = query.shape
    tile, group, width = constants["KEYS"], constants["GROUP"], constants["SIZE"]
    programs = batch * key.shape[1] * -(-group * queries // constants["QUERIES"])
    parts = _parts(_WAVES * multiprocessors(query) // max(programs, 1), key.shape[2])
    share = -(-key.shape[2] // (tile * parts)) * tile
    rows = batch * heads * queries if parts > 1 else 0
    partial = query.new_empty((rows, parts, width), dtype=torch.float32)
    peaks = query.new_empty((rows, 2, parts), dtype=torch.float32)
    launch(
        device.attention_parts,
        (programs * parts,),
        *(*operands, partial, peaks, *masking, share, *sizes, *steps),
        PARTS=parts,
        **constants,
    )
    if parts > 1:
        launch(
            device.attention_merged,
            (rows,),
            *(partial, peaks, y, sums, heads, queries, size, *y.stride()[:3]),
            LOGS=constants["LOGS"],
            PARTS=parts,
            SIZE=width,
        )


def _parts(wanted: int, keys: int) -> int:
    """Return the number of programs that share keys out: a power of 2, for few compilations."""
    parts = max(min(wanted, keys // _MIN_SHARE, _MAX_PARTS), 1)
    return 1 << (parts.bit_length() - 1)
