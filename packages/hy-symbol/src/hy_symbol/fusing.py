"""Fusing: elementwise steps on large arrays, run block by block, which stay in the cache."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from math import prod

import numpy as np

from hy_ndarray import Buffer, Device, KernelFunction, Params
from hy_ndarray.ops import Operator
from hy_symbol.graph import Entry, Node
from hy_symbol.infer import Types

__all__ = ["Call", "Fused", "Group", "fused", "groups_of", "is_elementwise"]


LARGE = 1 << 22
"""Elements from which steps are fused; of fewer, a last-level cache holds the arrays themselves."""
BLOCK = 1 << 17
"""Elements worked on at a time: some blocks fit into the cache of a core."""
SHARE = 1 << 21
"""Elements that are worth a thread."""
_LONGEST = 64
"""Steps in a group; their blocks have to stay in the cache, too."""
_FLOATS = ("float32", "float64")


def has_kernel(op: Operator) -> bool:
    """Whether tables have a kernel for it; not for the user's own, nor for loops and regions."""
    return type(op) is Operator and bool(op.kernel)


def is_elementwise(op: Operator, device: Device) -> bool:
    """Whether the device's kernel computes each element from those at its place, and takes out."""
    return has_kernel(op) and device.kernels.record(op.kernel).pointwise


@dataclass(slots=True, eq=False)
class Group:
    """Steps that are fused."""

    steps: list[int]
    """Their positions, in order."""
    shape: tuple[int, ...]
    """Of every operand and result."""
    dtype: str
    inputs: list[Entry] = field(default_factory=list)
    """What they read that is made outside."""
    results: list[int] = field(default_factory=list)
    """The steps whose value is needed outside."""
    over: dict[int, int] = field(default_factory=dict)
    """By number of the result, the number of the input whose buffer it takes."""

    def inner_keys(self, steps: Sequence[Node]) -> list[Entry]:
        """The values that only exist block by block."""
        return [(steps[k], 0) for k in self.steps if k not in self.results]

    def last_read(self, steps: Sequence[Node], entry: Entry) -> int:
        """The last step that reads an input."""
        return max(k for k in self.steps if entry in steps[k].inputs)


def groups_of(
    steps: Sequence[Node],
    free: Sequence[int],
    returned: set[Entry],
    device: Device,
    types: Types,
) -> list[Group]:
    """Groups of elementwise steps on large arrays of one type, that can run where the last stands.

    Args:
        steps: The nodes, in order.
        free: Positions of those that are computed in each call.
        returned: What is returned.
        device: Where they run.
        types: Types of all entries.
    """
    uses: dict[Entry, list[int]] = {}
    for k in free:
        for source, i in steps[k].inputs:
            uses.setdefault((source, i), []).append(k)
    position = {steps[k]: k for k in free}
    of_step: dict[int, Group] = {}
    for k in free:
        if not _fits(steps[k], device, types):
            continue
        type_ = types.get((steps[k], 0))
        shape, dtype = type_
        of_step[k] = Group([k], tuple(n for n in shape or () if n is not None), dtype or "")
        for source, _ in steps[k].inputs:
            other = of_step.get(position.get(source, -1))
            mine = of_step[k]
            if other is None or other is mine or types.get((source, 0)) != type_:
                continue
            members = sorted({*other.steps, *mine.steps})
            if len(members) <= _LONGEST and all(
                _is_used_within(steps[m], uses, members, k) for m in members
            ):
                mine.steps = members
                of_step.update(dict.fromkeys(members, mine))
    found = list({id(group): group for group in of_step.values() if len(group.steps) > 1}.values())
    for group in found:
        _complete(group, steps, uses, returned)
    return found


def _fits(node: Node, device: Device, types: Types) -> bool:
    """Whether a step can be run on blocks: all operands and the result are of one large type."""
    op = node.op
    assert op is not None
    shape, dtype = types.get((node, 0))
    if dtype not in _FLOATS or shape is None or None in shape or node.num_outputs != 1:
        return False
    return (
        prod(n for n in shape if n is not None) >= LARGE
        and not op.needs
        and op.updates is None
        and bool(node.inputs)
        and (op.variadic or len(node.inputs) == len(op.inputs))
        and all(types.get(entry) == (shape, dtype) for entry in node.inputs)
        and is_elementwise(op, device)
    )


def _is_used_within(
    node: Node, uses: Mapping[Entry, Sequence[int]], members: Sequence[int], end: int
) -> bool:
    """Whether no step in front of ``end`` needs the value of a member, but for members."""
    return all(k >= end or k in members for k in uses.get((node, 0), ()))


def _complete(
    group: Group,
    steps: Sequence[Node],
    uses: Mapping[Entry, Sequence[int]],
    returned: set[Entry],
) -> None:
    members = set(group.steps)
    made = {steps[k] for k in group.steps}
    seen: dict[Entry, None] = {}
    for k in group.steps:
        for source, i in steps[k].inputs:
            if source not in made:
                seen[source, i] = None
        key = (steps[k], 0)
        if key in returned or any(user not in members for user in uses.get(key, ())):
            group.results.append(k)
    group.inputs = list(seen)


@dataclass(frozen=True, slots=True)
class Call:
    """One kernel of a fused group; the numbers are places of inputs, results and scratch blocks."""

    kernel: KernelFunction
    operands: tuple[int, ...]
    params: Params
    target: int


def fused(
    group: Group, steps: Sequence[Node], kernels: Sequence[KernelFunction], device: Device
) -> "Fused":
    """What runs a group.

    Args:
        group: The group, planned.
        steps: The nodes of the program.
        kernels: One per step of the group.
        device: Where it runs.
    """
    places = {(node, i): place for place, (node, i) in enumerate(group.inputs)}
    first = len(group.inputs) + len(group.results)
    results = {k: len(group.inputs) + j for j, k in enumerate(group.results)}
    last = {(source, i): k for k in group.steps for source, i in steps[k].inputs}
    unused: list[int] = []
    count = 0
    calls = []
    for k, kernel in zip(group.steps, kernels, strict=True):
        node = steps[k]
        operands = tuple(places[source, i] for source, i in node.inputs)
        unused += {
            places[source, i]
            for source, i in node.inputs
            if places[source, i] >= first and last[source, i] == k
        }
        target = results.get(k)
        if target is None and unused:
            target = unused.pop()
        elif target is None:
            target, count = first + count, count + 1
        places[node, 0] = target
        calls.append(Call(kernel, operands, node.params, target))
    over = [group.over.get(j) for j in range(len(group.results))]
    return Fused(calls, group.shape, group.dtype, over, count, device)


class Fused:
    """Runs elementwise kernels on arrays of one type, block by block, on several cores.

    Args:
        calls: The kernels, in order.
        shape: Of the arrays.
        dtype: Of the arrays.
        over: For each result the number of the array it is written over, or None.
        scratch: How many blocks hold values in between.
        device: Where it runs.
    """

    def __init__(
        self,
        calls: Sequence[Call],
        shape: tuple[int, ...],
        dtype: str,
        over: Sequence[int | None],
        scratch: int,
        device: Device,
    ) -> None:
        self._calls = tuple(calls)
        self._shape = shape
        self._size = prod(shape)
        self._dtype = dtype
        self._over = tuple(over)
        self._scratch = scratch
        self._memory, self._device = device.memory, device.handle
        self._workers, self._together = device.table.workers, device.table.together

    def __call__(
        self, *arrays: Buffer, out: Sequence[Buffer | None] | None = None
    ) -> tuple[Buffer, ...]:
        """The results for arrays of the type; in ``out``, where that has memory for one."""
        given = [self._memory.contiguous(x) for x in arrays]
        results = tuple(
            [
                self._target(place) if i is None else given[i]
                for i, place in zip(self._over, out or (None,) * len(self._over), strict=True)
            ]
        )
        flat = [x.reshape(-1) for x in (*given, *results)]
        count = max(1, self._size // BLOCK)
        ends = [self._size * i // count for i in range(count + 1)]  # blocks of nearly one size
        shares = max(1, min(self._workers(), self._size // SHARE, count))
        parts = [ends[count * i // shares : count * (i + 1) // shares + 1] for i in range(shares)]
        self._together([partial(self._run, flat, part) for part in parts])
        return results

    def _target(self, place: Buffer | None) -> Buffer:
        return self._empty(self._shape) if place is None else place

    def _empty(self, shape: tuple[int, ...]) -> Buffer:
        return self._memory.empty(shape, self._dtype, self._device)

    def _run(self, flat: Sequence[Buffer], ends: Sequence[int]) -> None:
        """Compute the blocks between these ends."""
        longest = max(stop - start for start, stop in pairwise(ends))
        scratch = [self._empty((longest,)) for _ in range(self._scratch)]
        with np.errstate(all="ignore"):
            for start, stop in pairwise(ends):
                block = [x[start:stop] for x in flat]
                block += [x[: stop - start] for x in scratch]
                for call in self._calls:
                    operands = [block[i] for i in call.operands]
                    call.kernel(*operands, **call.params, out=(block[call.target],))
