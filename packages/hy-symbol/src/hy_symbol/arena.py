"""Arena: memory for the values inside of programs, laid out over their lifetimes and made once."""

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray import Buffer, Device
from hy_symbol.lifetimes import Lifetime
from hy_symbol.planning import SMALL, Key, Plan, Storage

__all__ = ["Arena", "Block", "Lease", "laid_out"]

Block: TypeAlias = tuple[tuple[Buffer, ...], ...]
"""For each program a buffer for each of its places, all in one memory."""
_Numbers: TypeAlias = npt.NDArray[np.int64]

_ALIGNED = 64  # bytes; a line of the cache, and the longest vector registers


class Arena:
    """Memory for programs that run one after the other on the same values.

    A block serves one run at a time; as many are made as runs are under way at once, and kept.

    Args:
        device: Where the programs run.
        plans: Their plans.
        lifetimes: Of what each of them makes, in one count of units.

    Example:
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import Program, sym
        >>> from hy_symbol.lifetimes import lifetimes_of
        >>> net = sym.dot(sym.exp(sym.var("x")), sym.var("w"))
        >>> known = [((64, 64), "float32")] * 2
        >>> program = Program.of(net.graph, device_of(cpu()), known, is_train=False)
        >>> Arena(program.device, [program.plan], [lifetimes_of(program.plan)]).size
        16384
    """

    def __init__(
        self, device: Device, plans: Sequence[Plan], lifetimes: Sequence[Sequence[Lifetime]]
    ) -> None:
        self._device = device
        chosen = [life for lives in lifetimes for life in lives if _fits(life)]
        self._offsets: dict[int, int] = {}
        self._lengths: dict[str, int] = {}
        for dtype in sorted({life.storage.dtype for life in chosen}):
            some = [life for life in chosen if life.storage.dtype == dtype]
            offsets, size = laid_out(some)
            of_storage = zip((id(life.storage) for life in some), offsets, strict=True)
            self._offsets.update(of_storage)
            self._lengths[dtype] = size
        self.size = sum(self._lengths.values())
        """Bytes of a block."""
        self._places = [self._places_of(plan) for plan in plans]
        self._free: list[Block] = []
        self.blocks = 0
        """How many were made: as many as runs were under way at once."""

    @classmethod
    def of(
        cls, device: Device, plans: Sequence[Plan], lifetimes: Sequence[Sequence[Lifetime]]
    ) -> "Arena | None":
        """An arena, if there is something to lay out, and the device makes memory."""
        if not any(table.find("empty") for table in device.kernels.tables):
            return None
        arena = cls(device, plans, lifetimes)
        return arena if arena.size else None

    def places(self, program: int) -> dict[Key, int]:
        """Where in its part of a block a program finds the buffer of a value."""
        return {key: number for number, (key, _, _) in enumerate(self._places[program])}

    def holds(self, storage: Storage) -> bool:
        """Whether a value lies in the arena."""
        return id(storage) in self._offsets

    def take(self) -> Block:
        """A block that nobody else has until it is given back."""
        try:
            return self._free.pop()
        except IndexError:
            return self._made()

    def give(self, block: Block) -> None:
        """Give back a block, whose values nobody needs any more."""
        self._free.append(block)

    def _places_of(self, plan: Plan) -> list[tuple[Key, Storage, tuple[int, ...]]]:
        """The values of a program that lie in the arena, each shape of them."""
        return [
            (key, storage, shape)
            for storage in plan.storages
            if id(storage) in self._offsets
            for key, shape in storage.shapes.items()
        ]

    def _made(self) -> Block:
        self.blocks += 1
        memory = {dtype: self._aligned(dtype, size) for dtype, size in self._lengths.items()}

        def buffer(storage: Storage, shape: tuple[int, ...]) -> Buffer:
            first = self._offsets[id(storage)] // np.dtype(storage.dtype).itemsize
            return memory[storage.dtype][first : first + prod(shape)].reshape(shape)

        return tuple(
            tuple(buffer(storage, shape) for _, storage, shape in places) for places in self._places
        )

    def _aligned(self, dtype: str, size: int) -> Buffer:
        """A flat buffer of so many bytes that begins with a line of the cache."""
        device, itemsize = self._device, np.dtype(dtype).itemsize
        shape = ((size + _ALIGNED) // itemsize,)
        flat = device.kernels["empty"](shape=shape, dtype=dtype, device=device.handle)
        first = -device.table.span(flat)[0] % _ALIGNED // itemsize
        return flat[first : first + size // itemsize]


class Lease:
    """A block for values that outlive a run; given back when it is released or forgotten."""

    __slots__ = ("_arena", "_block")

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._block: Block | None = arena.take()

    def places(self, program: int) -> tuple[Buffer, ...]:
        """A program's part of the block."""
        assert self._block is not None, "it was released"
        return self._block[program]

    def release(self) -> None:
        """Give the block back; nothing in it is needed any more."""
        block, self._block = self._block, None
        if block is not None:
            self._arena.give(block)

    def __del__(self) -> None:
        self.release()


def _fits(life: Lifetime) -> bool:
    """Whether a value's memory can be the arena's: steps write to it, and nobody else knows it."""
    storage = life.storage
    return life.known and storage.size > SMALL and bool(storage.shapes)


def laid_out(lifetimes: Sequence[Lifetime]) -> tuple[list[int], int]:
    """Where each memory begins in one that holds them all, in bytes, and how large that one is.

    The largest come first, each in the lowest gap between those that live when it does.

    Args:
        lifetimes: The memories.
    """
    sizes = [-(-life.storage.size // _ALIGNED) * _ALIGNED for life in lifetimes]
    order = sorted(range(len(sizes)), key=lambda i: (-sizes[i], lifetimes[i].first))
    begin, end = (np.array([getattr(x, name) for x in lifetimes]) for name in ("first", "last"))
    offsets = np.full(len(sizes), -1)
    lengths: _Numbers = np.array(sizes, np.int64)
    for i in order:
        meets = (offsets >= 0) & (begin <= end[i]) & (end >= begin[i])
        offsets[i] = _gap(offsets[meets], lengths[meets], sizes[i])
    return offsets.tolist(), int((offsets + lengths).max(initial=0))


def _gap(offsets: _Numbers, lengths: _Numbers, size: int) -> int:
    """The lowest place for ``size`` bytes beside these memories."""
    order = np.argsort(offsets)
    ends = np.maximum.accumulate((offsets + lengths)[order])
    starts = np.concatenate(([0], ends))
    rooms = offsets[order] - starts[:-1] >= size
    return int(starts[int(rooms.argmax())] if rooms.any() else starts[-1])
