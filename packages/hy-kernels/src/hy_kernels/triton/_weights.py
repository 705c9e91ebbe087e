"""Tables of addresses and sizes of many weights, so that one launch updates all of them.

Tables are in device memory and cached across steps, because weights and states stay where they are,
and mostly gradients too. While a CUDA graph is captured, a table is copied from page-locked memory
that was allocated before and is never changed, because each replay repeats the copy.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias

import torch
import triton.language as tl

from hy_kernels.torch._tensor import Tensor

Row: TypeAlias = tuple[Tensor, ...]
"""Weight, gradient and states; last for a 16-bit weight its float32 master weight."""
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
"""Unused page-locked memory, by the number of int64 that a table has."""
_captured: list[Tensor] = []
"""Page-locked tables that captured graphs copy on each replay."""


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
    """Return for each weight its size, the number of its first block, and its addresses."""
    firsts = accumulate((-(-size // block) for size in sizes), initial=0)
    each = zip(addresses, sizes, firsts, strict=False)
    return [[size, first, *row] for row, size, first in each]


@lru_cache(maxsize=256)
def _owners(sizes: Sizes, block: int, where: torch.device) -> Tensor:
    """Return for each block the index of its weight, int32."""
    owners = [k for k, size in enumerate(sizes) for _ in range(-(-size // block))]
    return torch.tensor(owners, dtype=torch.int32, device=where)


def _are_aligned(addresses: Addresses) -> bool:
    return all(x % _ALIGNED == 0 for row in addresses for x in row)


def _is_capturing(where: torch.device) -> bool:
    return where.type == "cuda" and bool(torch.cuda.is_current_stream_capturing())


@lru_cache(maxsize=256)
def numbers_on(where: torch.device, *numbers: float) -> Tensor:
    """Return numbers as a float64 tensor on a device; scalar arguments of launches have 32 bits."""
    return torch.tensor(numbers, dtype=torch.float64, device=where)


class Weights:
    """Weights that share one launch: the arrays that it reads and writes.

    Args:
        sources: Arrays of each weight that are read, all contiguous.
        targets: Arrays of each weight that are written, in the same order; at the gradient's
            position the gradient itself.
        mixed: Whether the last array of each weight is a float32 master weight.
    """

    def __init__(self, sources: Sequence[Row], targets: Sequence[Row], *, mixed: bool) -> None:
        self._sources, self._targets, self._mixed = sources, targets, mixed

    def __len__(self) -> int:
        return len(self._sources)

    @property
    def first(self) -> Tensor:
        """An array of the dtype that is computed in, on the device of all arrays."""
        return self._sources[0][-1]

    @property
    def is_double(self) -> bool:
        """Whether the weights are float64, for which 32-bit scalar arguments are too inexact."""
        return self.first.dtype is torch.float64

    def group_by_hyperparameters(self, *numbers: Sequence[Any]) -> dict[tuple[Any, ...], "Weights"]:
        """Return the weights grouped by equal hyperparameters.

        Each of ``numbers`` lists one hyperparameter, a value per weight; keys are tuples of the
        values.
        """
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
        """Return the table of the weights, each block's weight index, and the launch constants."""
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
