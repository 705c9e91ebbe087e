"""Weights: tables of the addresses and sizes of many of them, for one launch.

Tables on the device hold the addresses of the arrays, and are cached for the next step: weights and
states stay where they are, and gradients mostly. While a CUDA graph is captured, a table is copied
from memory that is page-locked already and stays as it is, as the graph copies it again.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias

import torch
import triton.language as tl

from hy_kernels.torch._tensor import Tensor

__all__ = [
    "ALL",
    "Weights",
    "numbers_on",
]

Row: TypeAlias = tuple[Tensor, ...]
"""Weight, gradient and states; of a weight of 16 bits the last one is the weight in float32."""
ALL = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
_SMALL_BLOCK, _LARGE_BLOCK = 1024, 4096  # elements of a program
_MIN_LARGE_BLOCKS = (
    132 * 8 * _LARGE_BLOCK
)  # elements that keep each multiprocessor of an H100 busy all the same
_TYPES = {
    torch.float64: tl.float64,
    torch.float32: tl.float32,
    torch.float16: tl.float16,
    torch.bfloat16: tl.bfloat16,
}
_ALIGNED = 16  # bytes, which Triton loads at once
_PER_WARP = 512  # elements of a block: 16 a thread, four arrays of which are 64 registers


class _Table(NamedTuple):
    entries: Tensor
    owners: Tensor
    aligned: bool


Addresses: TypeAlias = tuple[tuple[int, ...], ...]
Sizes: TypeAlias = tuple[int, ...]
_SPARES = 8  # tables that wait to be used again
_spares: defaultdict[int, list[Tensor]] = defaultdict(list)
"""Page-locked memory for tables of so many numbers."""
_captured: list[Tensor] = []
"""What graphs copy again."""


# Weights are passed by address: an array of pointers is the only way to reach many tensors in a
# launch. The same addresses come at every step, so the table is copied to the GPU once.
def _table(addresses: Addresses, sizes: Sizes, block: int, where: torch.device) -> _Table:
    if not _is_capturing(where):
        return _cached_table(addresses, sizes, block, where)
    spares = _spares[len(sizes) * (2 + len(addresses[0]))]
    # Page-locked memory cannot be allocated while a graph is captured: it waits from the step
    # before.
    if not spares:  # it has not run before: the copy reports that it cannot be captured
        return _cached_table(addresses, sizes, block, where)
    rows, host = _table_rows(addresses, sizes, block), spares.pop()
    _captured.append(host)
    host.copy_(torch.tensor(rows, dtype=torch.int64).view(-1))
    entries = host.view(len(rows), -1).to(where, non_blocking=True)
    return _Table(
        entries=entries, owners=_owners(sizes, block, where), aligned=_are_aligned(addresses)
    )


@lru_cache(maxsize=256)
def _cached_table(addresses: Addresses, sizes: Sizes, block: int, where: torch.device) -> _Table:
    rows = _table_rows(addresses, sizes, block)
    entries = torch.tensor(rows, dtype=torch.int64, device=where)
    if where.type == "cuda":
        count = entries.numel()
        spares = _spares[count]
        spares += [
            torch.empty(count, dtype=torch.int64, pin_memory=True)
            for _ in range(_SPARES - len(spares))
        ]
    return _Table(
        entries=entries, owners=_owners(sizes, block, where), aligned=_are_aligned(addresses)
    )


def _table_rows(addresses: Addresses, sizes: Sizes, block: int) -> list[list[int]]:
    """Return of each weight its size, the number of its first block, and its addresses."""
    firsts = accumulate((-(-size // block) for size in sizes), initial=0)
    each = zip(addresses, sizes, firsts, strict=False)
    return [[size, first, *row] for row, size, first in each]


@lru_cache(maxsize=256)
def _owners(sizes: Sizes, block: int, where: torch.device) -> Tensor:
    """Return the weight of each block."""
    owners = [k for k, size in enumerate(sizes) for _ in range(-(-size // block))]
    return torch.tensor(owners, dtype=torch.int32, device=where)


def _are_aligned(addresses: Addresses) -> bool:
    return all(x % _ALIGNED == 0 for row in addresses for x in row)


def _is_capturing(where: torch.device) -> bool:
    return where.type == "cuda" and bool(torch.cuda.is_current_stream_capturing())


@lru_cache(maxsize=256)
def numbers_on(where: torch.device, *numbers: float) -> Tensor:
    """Numbers in float64, on a device, for launches whose own numbers have 32 bits."""
    return torch.tensor(numbers, dtype=torch.float64, device=where)


class Weights:
    """Weights that are stepped alike, where their arrays are, and where the new ones are to be.

    Args:
        sources: The arrays of each weight that are read, all contiguous.
        targets: The arrays of each weight that are written; for the gradient's, the gradient.
        mixed: Whether the last ones are the weights in float32.
    """

    def __init__(self, sources: Sequence[Row], targets: Sequence[Row], *, mixed: bool) -> None:
        self._sources, self._targets, self._mixed = sources, targets, mixed

    def __len__(self) -> int:
        return len(self._sources)

    @property
    def first(self) -> Tensor:
        """One of the arrays that are stepped; it has their dtype and is on their device."""
        return self._sources[0][-1]

    @property
    def is_double(self) -> bool:
        """Whether they are of float64, so that numbers of launches are not exact enough."""
        return self.first.dtype is torch.float64

    def group_by_hyperparameters(self, *numbers: Sequence[Any]) -> dict[tuple[Any, ...], "Weights"]:
        """Return the weights of each set of numbers; ``numbers`` are lists by weight."""
        result: dict[tuple[Any, ...], list[int]] = {}
        for k, own in enumerate(zip(*numbers, strict=True)):
            result.setdefault(own, []).append(k)
        if len(result) == 1:
            return dict.fromkeys(result, self)
        return {
            own: Weights(
                [self._sources[k] for k in indices],
                [self._targets[k] for k in indices],
                mixed=self._mixed,
            )
            for own, indices in result.items()
        }

    def table(self) -> tuple[Tensor, Tensor, dict[str, Any]]:
        """Entries of the weights, the weight of each block, and constants of a launch."""
        # A program reads owner, entry and addresses one after the other before it can read an
        # array: larger blocks wait so less often, where there are enough of them.
        pairs = zip(self._sources, self._targets, strict=True)
        addresses = tuple([tuple([x.data_ptr() for x in (*a, *b)]) for a, b in pairs])
        sizes = tuple([row[0].numel() for row in self._sources])
        arrays, block = (
            len(self._sources[0]),
            _LARGE_BLOCK if sum(sizes) >= _MIN_LARGE_BLOCKS else _SMALL_BLOCK,
        )
        entries, owners, aligned = _table(addresses, sizes, block, self.first.device)
        return (
            entries,
            owners,
            {
                "MASTER": arrays - 1 if self._mixed else 0,
                "TYPE": _TYPES[self.first.dtype],
                "DOUBLE": self.is_double,
                "NARROW": _TYPES[self._sources[0][0].dtype],
                "ALIGNED": aligned,
                "ARRAYS": arrays,
                "BLOCK": block,
                "warps": max(block // _PER_WARP, 1),
            },
        )
