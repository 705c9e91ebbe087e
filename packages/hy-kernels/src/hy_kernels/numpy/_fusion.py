"""Fusion of pointwise steps: blocks of large arrays go through all steps while in the cache.

Steps on one-element arrays become scalar arithmetic.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np

from hy_kernels.numbers import Arithmetic, arithmetic
from hy_kernels.numpy._array import Array, OutBuffers, aligned, quiet
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.runtime._pool import num_threads, together
from hy_kernels.pointwise import Group
from hy_kernels.record import Function, Kernel


class _Call(NamedTuple):
    """A kernel call on numbered slots: inputs first, then results, then scratch blocks."""

    function: Function
    operands: tuple[int, ...]
    params: Mapping[str, Any]
    target: int


def fuse(group: Group, find: Callable[[str], Kernel | None]) -> Kernel:
    """Return one kernel for a group of pointwise steps.

    The kernel takes ``out=``, an out buffer or None for each result. An out buffer may be an input
    that is not read after the step that computes the result.

    Args:
        group: The steps, all of pointwise kernels.
        find: Returns a kernel by name.
    """
    shape, dtype = group.type
    name = "+".join(step.kernel for step in group.steps)
    compute = arithmetic(group)
    if compute is not None:
        return Kernel(name, _Numbers(compute, shape, dtype), out="in place")
    calls, scratch = _calls(group, find)
    return Kernel(name, _Fused(calls, len(group.results), scratch, shape, dtype), out="in place")


def _calls(group: Group, find: Callable[[str], Kernel | None]) -> tuple[list[_Call], int]:
    """Return the kernel calls of a group, and the number of scratch blocks that they need."""
    first = group.inputs + len(group.results)
    slots = list(range(group.inputs))
    returned = {value: group.inputs + j for j, value in enumerate(group.results)}
    last = {value: k for k, step in enumerate(group.steps) for value in step.operands}
    unused: list[int] = []
    scratch = 0
    calls = []
    for k, step in enumerate(group.steps):
        record = find(step.kernel)
        assert record is not None, step.kernel
        # Register allocation in one pass: a scratch block is free after the last step that reads
        # it.
        ended = {slots[value] for value in step.operands if last[value] == k}
        unused += [slot for slot in sorted(ended) if slot >= first]
        target = returned.get(len(slots))
        if target is None and unused:
            target = unused.pop()
        elif target is None:
            target, scratch = first + scratch, scratch + 1
        operands = tuple(slots[value] for value in step.operands)
        calls.append(_Call(record.function, operands, step.params, target))
        slots.append(target)
    return calls, scratch


class _Numbers:
    """Kernel that computes one-element arrays in scalar arithmetic."""

    def __init__(self, compute: Arithmetic, shape: tuple[int, ...], dtype: str) -> None:
        self._compute = compute
        self._shape = shape
        self._dtype = np.dtype(dtype)

    def __call__(self, *arrays: Array, out: OutBuffers = None) -> tuple[Array, ...]:
        """Return the results, written to the out buffers that are given."""
        values = self._compute(*[x.flat[0] for x in arrays])
        results = out or (None,) * len(values)
        return tuple([self._to_out(*each) for each in zip(values, results, strict=True)])

    def _to_out(self, value: Any, memory: Array | None) -> Array:
        # For 0-d arrays NumPy's functions return scalars, which have no ``fill``.
        if not isinstance(memory, np.ndarray):
            return np.full(self._shape, value, self._dtype)
        memory.fill(value)
        return memory


class _Fused:
    """Kernel that runs calls on arrays of one shape and dtype block by block, in threads."""

    def __init__(
        self, calls: Sequence[_Call], results: int, scratch: int, shape: tuple[int, ...], dtype: str
    ) -> None:
        self._calls = tuple(calls)
        self._results = results
        self._scratch = scratch
        self._shape = shape
        self._size = prod(shape)
        self._dtype = np.dtype(dtype)

    def __call__(self, *arrays: Array, out: OutBuffers = None) -> tuple[Array, ...]:
        """Return the results, written to the out buffers that are given."""
        operands = out or (None,) * self._results
        results = tuple([self._target(memory) for memory in operands])
        flat = [np.ascontiguousarray(x).reshape(-1) for x in (*arrays, *results)]
        count = max(1, self._size // COSTS.blocks.pointwise)
        # Blocks of nearly equal size, rather than a short last one.
        ends = [self._size * i // count for i in range(count + 1)]
        shares = max(1, min(num_threads(), self._size // COSTS.threads.pointwise, count))
        parts = [ends[count * i // shares : count * (i + 1) // shares + 1] for i in range(shares)]
        together([partial(self._run, flat, part) for part in parts])
        return results

    def _target(self, memory: Array | None) -> Array:
        # Blocks of a non-contiguous array would be copies.
        if memory is None or not memory.flags.c_contiguous:
            return aligned(self._shape, self._dtype)
        return memory

    @quiet
    def _run(self, flat: Sequence[Array], ends: Sequence[int]) -> None:
        """Run all calls on each block, the elements between consecutive ``ends``."""
        longest = max(stop - start for start, stop in pairwise(ends))
        scratch = [aligned((longest,), self._dtype) for _ in range(self._scratch)]
        for start, stop in pairwise(ends):
            block = [x[start:stop] for x in flat]
            block += [x[: stop - start] for x in scratch]
            for call in self._calls:
                operands = [block[i] for i in call.operands]
                call.function(*operands, **call.params, out=(block[call.target],))
