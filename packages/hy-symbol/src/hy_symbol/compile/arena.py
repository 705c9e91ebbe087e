"""Arena: one memory for the values inside of programs, laid out over their lifetimes."""

import threading
from collections.abc import Mapping, Sequence
from copy import copy
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from hy_ndarray import Buffer, Device
from hy_symbol.compile.lifetimes import Lifetime
from hy_symbol.compile.plan import Plan, Storage
from hy_symbol.graph.node import Entry

__all__ = ["Arena", "Block", "Lease", "Pool", "laid_out"]

Block: TypeAlias = tuple[tuple[Buffer, ...], ...]
"""Per program, one buffer for each of its values; all are slices of one allocation."""
_Numbers: TypeAlias = npt.NDArray[np.int64]

_WINDOW = 128  # runs, after which a pool gives up what they had no use for


class _Piece:
    """One flat allocation per dtype, and the block of the arena that used it last."""

    __slots__ = ("arena", "block", "memory", "sizes")

    def __init__(self, arena: "Arena", sizes: Mapping[str, int]) -> None:
        self.sizes = dict(sizes)
        self.memory = {
            dtype: _aligned_buffer(arena.device, dtype, size) for dtype, size in sizes.items()
        }
        self.arena = arena
        self.block = arena.block_in(self.memory)

    def can_hold(self, arena: "Arena") -> bool:
        """Return whether this memory is large enough for an arena's block."""
        return all(size <= self.sizes.get(dtype, 0) for dtype, size in arena.sizes.items())

    @property
    def size(self) -> int:
        """Size of the memory of all dtypes in bytes."""
        return sum(self.sizes.values())


def _larger_sizes(first: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """Return the larger of two sizes for each dtype."""
    return {n: max(first.get(n, 0), other.get(n, 0)) for n in {*first, *other}}


class _DevicePool:
    """Allocations of a pool on one device, and the sizes that recent runs needed."""

    def __init__(self) -> None:
        self.free: list[_Piece] = []
        self.pieces = 0
        self.size = 0
        self._takes = 0
        self._peak = 0
        self._largest: dict[str, int] = {}
        self._noted: Mapping[str, int] | None = None

    def note(self, sizes: Mapping[str, int]) -> None:
        """Count a run that needs ``sizes`` bytes by dtype; every 128 runs, free unused memory."""
        if self._takes == _WINDOW:
            self._shrink()
            self._takes, self._peak, self._largest, self._noted = 0, 0, {}, None
        self._takes += 1
        self._peak = max(self._peak, self.pieces - len(self.free) + 1)
        # Compared by identity: most runs use one arena, and merging sizes costs more than all the
        # rest.
        if sizes is not self._noted:
            self._noted = sizes
            self._largest = _larger_sizes(self._largest, sizes)

    def _shrink(self) -> None:
        enough = 2 * sum(self._largest.values())
        remaining = []
        # One by one: `give` appends without the lock, and a new list would lose what comes
        # meanwhile.
        for _ in range(len(self.free)):
            piece = self.free.pop()
            if piece.size > enough or self.pieces > self._peak:
                self.pieces -= 1
                self.size -= piece.size
            else:
                remaining.append(piece)
        self.free.extend(remaining)


class Pool:
    """Memory pool of arenas: one allocation per concurrent run, reused by later runs.

    Programs for several shapes that run one at a time take no more memory than the largest of them.
    Every 128 runs the pool frees what they did not need: allocations beyond the largest number in
    use at once, and those more than twice as large as the largest run needed.

    Example:
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import Program, TypedGraph, sym
        >>> pool, device = Pool(), device_of(cpu())
        >>> net = sym.dot(sym.exp(sym.var("x")), sym.var("w")).graph
        >>> for rows in (64, 128):
        ...     known = [((rows, 64), "float32"), ((64, 64), "float32")]
        ...     program = Program.of(TypedGraph.of(net, known), device, is_train=False, pool=pool)
        ...     _ = program(np.ones((rows, 64), np.float32), np.ones((64, 64), np.float32))
        >>> pool.size
        32768
    """

    def __init__(self) -> None:
        self._device_pools: dict[Device, _DevicePool] = {}
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """Total size of all allocations in bytes."""
        return sum(device_pool.size for device_pool in list(self._device_pools.values()))

    @property
    def pieces(self) -> int:
        """Return the number of allocations."""
        return sum(device_pool.pieces for device_pool in list(self._device_pools.values()))

    def take(self, arena: "Arena") -> _Piece:
        """Reserve an allocation that contains the arena's block, until :meth:`give` returns it."""
        with self._lock:
            device_pool = self._device_pools.get(arena.device) or self._new_device_pool(
                arena.device
            )
            device_pool.note(arena.sizes)
            # The last one given back is the likeliest to lie in the cache still.
            piece = device_pool.free.pop() if device_pool.free else None
            if piece is not None and piece.arena is not arena and piece.can_hold(arena):
                piece.arena, piece.block = arena, arena.block_in(piece.memory)
            if piece is not None and piece.arena is arena:
                return piece
            sizes = arena.sizes
            if piece is None:
                device_pool.pieces += 1
            else:  # it gives way to a larger one
                sizes = _larger_sizes(piece.sizes, sizes)
                device_pool.size -= piece.size
            device_pool.size += sum(sizes.values())
        # Freed before the larger one is allocated, or both would be there at once; and allocated
        # without the lock, since the system may have to zero the pages.
        del piece
        return _Piece(arena, sizes)

    def _new_device_pool(self, device: Device) -> _DevicePool:
        """Return a new, empty pool of a device; drop pools of replaced kernel tables."""
        device_pools = {
            old: device_pool for old, device_pool in self._device_pools.items() if not old.stale
        }
        device_pool = device_pools[device] = _DevicePool()
        self._device_pools = device_pools
        return device_pool

    def give(self, piece: _Piece) -> None:
        """Return an allocation to the pool; its values are no longer needed."""
        # Without the lock: leases may be forgotten, and so given back, while this thread has it.
        device_pool = self._device_pools.get(piece.arena.device)
        if device_pool is not None:
            device_pool.free.append(piece)


class Arena:
    """Layout, in one allocation, of the intermediate values of programs that run one after another.

    Args:
        pool: The pool that provides the memory.
        device: The device on which the programs run.
        plans: The plans of the programs.
        lifetimes: For each program the lifetimes of its buffers; units are numbered consecutively
            over all programs.

    Example:
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import Program, TypedGraph, sym
        >>> from hy_symbol.compile.lifetimes import lifetimes_of
        >>> net = sym.dot(sym.exp(sym.var("x")), sym.var("w"))
        >>> known = [((64, 64), "float32")] * 2
        >>> program = Program.of(TypedGraph.of(net.graph, known), device_of(cpu()), is_train=False)
        >>> Arena(Pool(), program.device, [program.plan], [lifetimes_of(program.plan)]).size
        16384
    """

    def __init__(
        self,
        pool: Pool,
        device: Device,
        plans: Sequence[Plan],
        lifetimes: Sequence[Sequence[Lifetime]],
    ) -> None:
        self.device = device
        self._pool = pool
        self._offsets: dict[int, int] = {}
        self.sizes: dict[str, int] = {}
        """Size in bytes of the allocation of each dtype."""
        self._lay_out(
            [life for lives in lifetimes for life in lives if _is_in_arena(life, device)], plans
        )

    def _lay_out(self, lifetimes: Sequence[Lifetime], plans: Sequence[Plan]) -> None:
        self._offsets, self.sizes = {}, {}
        for dtype in sorted({life.storage.dtype for life in lifetimes}):
            some = [life for life in lifetimes if life.storage.dtype == dtype]
            offsets, size = laid_out(some, self.device.limits.alignment)
            of_storage = zip((id(life.storage) for life in some), offsets, strict=True)
            self._offsets.update(of_storage)
            self.sizes[dtype] = size
        self.size = sum(self.sizes.values())
        """Size of a block in bytes, over all dtypes."""
        self._out_buffers = [self._out_buffers_of(plan) for plan in plans]

    @classmethod
    def of(
        cls,
        pool: Pool,
        device: Device,
        plans: Sequence[Plan],
        lifetimes: Sequence[Sequence[Lifetime]],
    ) -> "Arena | None":
        """Return the arena of these programs, or None if no value belongs in it."""
        arena = cls(pool, device, plans, lifetimes)
        return arena if arena.size else None

    def like(self, plans: Sequence[Plan], lifetimes: Sequence[Sequence[Lifetime]]) -> "Arena":
        """Return an arena for the same values in other sizes; the plans have the same structure."""
        arena = copy(self)
        known = [life for lives in lifetimes for life in lives if self.holds(life.storage)]
        arena._lay_out(known, plans)
        return arena

    def in_memory_of(self, pool: Pool) -> "Arena":
        """Return an arena with the same layout that allocates from another pool."""
        arena = copy(self)
        arena._pool = pool
        return arena

    def out_buffers(self, program: int) -> dict[Entry, int]:
        """Return, by entry, the index of its buffer in the block of program number ``program``."""
        return {key: number for number, (key, _, _) in enumerate(self._out_buffers[program])}

    def holds(self, storage: Storage) -> bool:
        """Return whether a buffer of a plan lies in the arena."""
        return id(storage) in self._offsets

    def _out_buffers_of(self, plan: Plan) -> list[tuple[Entry, Storage, tuple[int, ...]]]:
        """Return entry, buffer and shape of each value of a plan in the arena.

        Views are included where the kernel is sure to write to its out buffer; else they are made
        of what it returns.
        """
        return [
            (key, storage, plan.type_of(key)[0])
            for storage in plan.storages
            if id(storage) in self._offsets
            for key in (storage.outs if storage.fills else storage.outs[:1])
        ]

    def block_in(self, memory: Mapping[str, Buffer]) -> Block:
        """Return a block of views into ``memory``, one flat buffer per dtype."""

        def buffer(storage: Storage, shape: tuple[int, ...]) -> Buffer:
            first = self._offsets[id(storage)] // np.dtype(storage.dtype).itemsize
            return memory[storage.dtype][first : first + prod(shape)].reshape(shape)

        return tuple(
            tuple(buffer(storage, shape) for _, storage, shape in out_buffers)
            for out_buffers in self._out_buffers
        )

    def lease(self) -> "Lease":
        """Lease a block for the exclusive use of one run."""
        return Lease(self._pool, self._pool.take(self))


class Lease:
    """Exclusive use of a block until it is released or garbage-collected."""

    __slots__ = ("_piece", "_pool", "block")

    def __init__(self, pool: Pool, piece: _Piece) -> None:
        self._pool = pool
        self._piece: _Piece | None = piece
        self.block = piece.block

    def release(self) -> None:
        """Return the block to the pool; its values are no longer needed."""
        piece, self._piece = self._piece, None
        if piece is not None:
            self._pool.give(piece)

    def __del__(self) -> None:
        self.release()


def _aligned_buffer(device: Device, dtype: str, size: int) -> Buffer:
    """Return a flat buffer of ``size`` bytes, aligned to ``device.limits.alignment``."""
    itemsize = np.dtype(dtype).itemsize
    alignment = device.limits.alignment
    # One line more than is needed: NumPy's own arrays begin 16 bytes after one.
    shape = ((size + alignment) // itemsize,)
    flat = device.memory.empty(shape, dtype, device.handle)
    first = -device.memory.span(flat)[0] % alignment // itemsize
    return flat[first : first + size // itemsize]


def _is_in_arena(life: Lifetime, device: Device) -> bool:
    """Return whether a buffer may lie in the arena: large, private, written by a kernel."""
    is_large = life.size > device.limits.small_bytes
    return life.private and is_large and bool(life.storage.outs)


def laid_out(lifetimes: Sequence[Lifetime], alignment: int) -> tuple[list[int], int]:
    """Return the offset of each buffer in one block of bytes, and the size of the block.

    Buffers are placed by decreasing size, each at the lowest offset that is free of buffers with
    overlapping lifetimes (greedy by size: Pisarchyk and Lee 2020, arXiv:2001.03288).

    Args:
        lifetimes: The buffers, with size and lifetime.
        alignment: Every offset is a multiple of this many bytes.
    """
    sizes = [-(-life.size // alignment) * alignment for life in lifetimes]
    # Greedy by size: Pisarchyk and Lee 2020, arXiv:2001.03288.
    order = sorted(range(len(sizes)), key=lambda i: (-sizes[i], lifetimes[i].first))
    begin, end = (np.array([getattr(x, name) for x in lifetimes]) for name in ("first", "last"))
    offsets = np.full(len(sizes), -1)
    lengths: _Numbers = np.array(sizes, np.int64)
    for i in order:
        # Those not yet placed have the offset -1. All at once by NumPy, as pairs are many.
        overlaps = (offsets >= 0) & (begin <= end[i]) & (end >= begin[i])
        offsets[i] = _gap(offsets[overlaps], lengths[overlaps], sizes[i])
    return offsets.tolist(), int((offsets + lengths).max(initial=0))


def _gap(offsets: _Numbers, lengths: _Numbers, size: int) -> int:
    """Return the lowest offset at which ``size`` bytes overlap none of the given byte ranges."""
    order = np.argsort(offsets)
    # The given ranges may overlap each other, as their buffers may live at different times: what
    # counts is how far any range that begins before a position reaches.
    ends = np.maximum.accumulate((offsets + lengths)[order])
    starts = np.concatenate(([0], ends))
    device_pools = offsets[order] - starts[:-1] >= size
    return int(starts[int(device_pools.argmax())] if device_pools.any() else starts[-1])
