"""Batch split: prediction of a large batch of independent samples in slices.

Slices are small enough for the cache, and several run in parallel on the device's workers.
"""

import threading
from collections.abc import Collection, Sequence
from functools import partial
from math import isqrt

from hy_ndarray import Buffer, Device, Limits, ShapeError
from hy_ndarray.ops import PartialShape
from hy_symbol.compile.arena import Pool
from hy_symbol.execution.memory import Memory, memory_of
from hy_symbol.execution.program import Program, plan_of
from hy_symbol.graph.node import Node
from hy_symbol.infer.engine import Known, Types
from hy_symbol.infer.typed_graph import TypedGraph

__all__ = ["Sliced", "split_program"]


class Sliced:
    """Runs a program on slices of the batch, and concatenates the results.

    Args:
        naive: Bytes of all intermediate values, for the whole batch.
        part: The program that computes one slice.
        batched: Positions of the inputs that are sliced.
        rows: Number of samples in a slice.
        at_once: Number of slices that run in parallel.
    """

    def __init__(
        self,
        naive: int,
        part: Program,
        batched: Collection[int],
        rows: int,
        at_once: int = 1,
    ) -> None:
        self._naive = naive
        self.part = part
        self.device = part.device
        self.rows = rows
        self.at_once = at_once
        self._batched = frozenset(batched)

    def in_memory_of(self, pool: Pool) -> "Sliced":
        """Return a copy whose program has its arena in another pool."""
        part = self.part.in_memory_of(pool)
        return Sliced(self._naive, part, self._batched, self.rows, self.at_once)

    def run(self, buffers: Sequence[Buffer]) -> tuple[Buffer, ...]:
        """Run the program on slices of the batch, and return the concatenated outputs."""
        total = len(buffers[min(self._batched)])
        results: list[Buffer] = []
        making = threading.Lock()

        def compute(start: int) -> None:
            rows = slice(start, start + self.rows)
            values = self.part.run(self._slice_buffers(buffers, rows))
            # The first slice to end allocates the results, whose types are known by then; all write
            # into them.
            with making:
                if not results:
                    results.extend(self._whole(value, total) for value in values)
            for result, value in zip(results, values, strict=True):
                result[rows] = value

        starts = range(0, total, self.rows)
        for first in range(0, len(starts), self.at_once):
            tasks = [partial(compute, start) for start in starts[first : first + self.at_once]]
            if len(tasks) == 1:
                tasks[0]()
            else:
                self.device.together(tasks)
        return tuple(results)

    def first(self, buffers: Sequence[Buffer]) -> list[Buffer]:
        """Return the inputs of the first slice, from those of the whole batch."""
        return self._slice_buffers(buffers, slice(self.rows))

    def _slice_buffers(self, buffers: Sequence[Buffer], rows: slice) -> list[Buffer]:
        return [x[rows] if i in self._batched else x for i, x in enumerate(buffers)]

    def _whole(self, part: Buffer, total: int) -> Buffer:
        device = self.device
        shape = (total, *part.shape[1:])
        dtype = device.memory.dtype(part)
        return device.memory.empty(shape, dtype, device.handle)

    def memory(self) -> Memory:
        """Return the memory of all parallel slices, including their results."""
        part = memory_of(self.part)
        plan = self.part.plan
        returned = sum(plan.nbytes(s) for s in plan.storages if s.owned and s.returned)
        planned = (part.planned + returned) * self.at_once
        return Memory(self._naive, planned, arena=part.arena * self.at_once)


def split_program(
    typed: TypedGraph,
    simple: TypedGraph,
    device: Device,
    batched: Collection[int],
    pool: Pool | None,
) -> Program | Sliced | None:
    """Return a program that predicts a large batch in slices, or None if it cannot be sliced.

    Where slicing is possible but not profitable, the result is a program for the whole batch.

    Args:
        typed: The graph; its types are those of the buffers that the program takes.
        simple: The graph after lowering, as it runs.
        device: The device to run on.
        batched: Positions of the variables whose first axis may be that of a batch.
        pool: Memory for an arena for each concurrent run; no arena if None.
    """
    total = _batch(typed.known, batched)
    if total <= 1 or _is_small(simple, device.limits) or not _is_by_sample(typed, batched):
        return None
    # Whether slices are worth it is decided by the memory of the plan, not of the graph: what is
    # computed in place counts once.
    whole = plan_of(simple, device, is_train=False)
    memory = memory_of(whole)
    at_once = _at_once(memory, total, device.limits)
    count = at_once * _slices(memory, total // at_once, device.limits)
    rows = total // count
    part = _slice_of(typed, batched, rows) if count > 1 else None
    if part is None or not _slices_match(typed, part, rows):
        return Program.in_pool(whole, pool)
    program = Program.of(part, device, is_train=False, pool=pool)
    return Sliced(memory.naive, program, batched, rows, at_once)


def _is_small(typed: TypedGraph, limits: Limits) -> bool:
    """Return whether a graph's values are too small for slices under any plan."""
    types = typed.types
    computed = (node for node in typed.graph.nodes if node.op is not None)
    naive = sum(types.nbytes((node, i)) for node in computed for i in range(node.num_outputs))
    return naive < limits.share_bytes and naive <= limits.split_bytes


def _slice_of(typed: TypedGraph, batched: Collection[int], rows: int) -> TypedGraph | None:
    """Return the graph typed for ``rows`` samples, None if it works for its own batch size only."""
    try:
        return TypedGraph.of(typed.graph, _sliced(typed.known, batched, rows))
    except ShapeError:  # a layer has a parameter, or a size in its own, for each sample
        return None


def _at_once(memory: Memory, total: int, limits: Limits) -> int:
    """Return the number of slices to run in parallel.

    The Python interpreter starts the steps of all slices serially, so running many slices in
    parallel is profitable only if they are large.
    """
    useful = isqrt(memory.naive // limits.share_bytes) + 1
    limit = min(limits.threads, useful if memory.naive >= limits.share_bytes else 1, total)
    return next((count for count in range(limit, 1, -1) if total % count == 0), 1)


def _slices(memory: Memory, total: int, limits: Limits) -> int:
    """Return into how many equal slices each worker's part of the batch is cut."""
    if memory.planned <= limits.split_bytes or total < 2 * limits.split_rows:
        return 1
    count = -(-memory.planned // limits.split_bytes)
    while count > 1 and (total % count or total // count < limits.split_rows):
        count -= 1
    return count


def _batch(known: Sequence[Known], batched: Collection[int]) -> int:
    """Return the batch size of the inputs at ``batched``, 0 if they differ."""
    sizes = {(known[i][0] or (0,))[0] for i in batched}
    return (sizes.pop() or 0) if len(sizes) == 1 else 0


def _sliced(known: Sequence[Known], batched: Collection[int], rows: int) -> list[Known]:
    return [
        ((rows, *(shape or ())[1:]), dtype) if i in batched else (shape, dtype)
        for i, (shape, dtype) in enumerate(known)
    ]


def _is_by_sample(typed: TypedGraph, batched: Collection[int]) -> bool:
    """Return whether row i of every output depends only on row i of the inputs at ``batched``."""
    graph, types = typed.graph, typed.types
    by_sample = {(graph.variables[i], 0) for i in batched}
    for node in graph.nodes:
        if node.op is None:
            continue
        if node.op.draws(node.params, False):
            return False
        sliced = [entry in by_sample for entry in node.inputs]
        if not any(sliced):
            return False  # it would be computed for every slice
        if any(i > 0 and (source, 0) in by_sample for source, i in node.inputs):
            return False  # nothing is known of further results
        if not _has_rows(node, sliced, types):
            return False
        by_sample.add((node, 0))
    return all((node, i) in by_sample for node, i in graph.outputs)


def _slices_match(typed: TypedGraph, part: TypedGraph, rows: int) -> bool:
    """Return whether every node of ``part`` has ``rows`` rows, and otherwise the same shape."""
    # A rule may take a batch of another size and give something else, as a reshape to a fixed size.
    for node in typed.graph.nodes:
        if node.op is not None:
            whole, some = typed.types.shape((node, 0)), part.types.shape((node, 0))
            if not whole or some != (rows, *whole[1:]):
                return False
    return True


def _has_rows(node: Node, sliced: Sequence[bool], types: Types) -> bool:
    """Return whether a node's result has one row per sample of the sliced inputs."""
    op = node.op
    assert op is not None
    shapes = [types.shape(entry) for entry in node.inputs]
    if op.updates is None and op.is_pointwise(node.params):
        return _same_rows(len(types.shape((node, 0)) or ()), sliced, shapes)
    if op.traits.rows is None or None in shapes:
        return False
    rows = op.traits.rows(node.params, 0, [len(shape or ()) for shape in shapes])
    return [i for i, has in enumerate(sliced) if has] == list(rows)


def _same_rows(rank: int, sliced: Sequence[bool], shapes: Sequence[PartialShape | None]) -> bool:
    """Return whether in an elementwise operator only the sliced inputs have a batch axis."""
    return all(
        shape is not None and (len(shape) == rank if has else len(shape) < rank or shape[0] == 1)
        for has, shape in zip(sliced, shapes, strict=True)
    )
