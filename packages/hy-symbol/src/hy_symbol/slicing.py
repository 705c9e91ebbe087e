"""Slicing: prediction of batches in parts, where each sample is computed by itself.

Parts that fit into the cache run at once, as many as the device has workers.
"""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from math import isqrt

from hy_ndarray import Buffer, Device, ShapeError
from hy_symbol.arena import Pool
from hy_symbol.graph import Node
from hy_symbol.infer import Known, Types
from hy_symbol.memory import Memory, memory_of
from hy_symbol.program import Program
from hy_symbol.rewriting import is_op
from hy_symbol.typed_graph import TypedGraph

__all__ = ["Sliced", "program_of"]

LARGE = 1 << 26  # bytes inside from which slices pay
FEWEST = 16  # samples of such a slice, so that products stay large
BUSY = 1 << 23  # bytes of all values inside that are worth a slice beside another


class Sliced:
    """Runs a program on slices of the batch, and puts the results together.

    Args:
        whole: The program for the whole batch; it is not run.
        part: That for a slice.
        batched: Positions of the inputs that are sliced.
        rows: Samples of a slice.
        at_once: How many slices are computed at the same time.
    """

    def __init__(
        self,
        whole: Program,
        part: Program,
        batched: Collection[int],
        rows: int,
        at_once: int = 1,
    ) -> None:
        self.whole = whole
        self.part = part
        self.rows = rows
        self.at_once = at_once
        self._batched = frozenset(batched)

    def run(self, buffers: Sequence[Buffer]) -> tuple[Buffer, ...]:
        """As :meth:`Program.run`."""
        total = len(buffers[min(self._batched)])
        results: list[Buffer] = []
        making = threading.Lock()

        def compute(start: int) -> None:
            rows = slice(start, start + self.rows)
            values = self.part.run(self._cut(buffers, rows))
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
                self.part.device.table.together(tasks)
        return tuple(results)

    def first(self, buffers: Sequence[Buffer]) -> list[Buffer]:
        """The inputs of the first slice."""
        return self._cut(buffers, slice(self.rows))

    def _cut(self, buffers: Sequence[Buffer], rows: slice) -> list[Buffer]:
        return [x[rows] if i in self._batched else x for i, x in enumerate(buffers)]

    def _whole(self, part: Buffer, total: int) -> Buffer:
        device = self.part.device
        shape = (total, *part.shape[1:])
        dtype = device.table.dtype(part)
        return device.kernels["zeros"](shape=shape, dtype=dtype, device=device.handle)

    def memory(self) -> Memory:
        """Its memory; what a slice gives counts, too."""
        part = memory_of(self.part)
        returned = sum(s.size for s in self.part.plan.storages if s.owned and s.returned)
        planned = (part.planned + returned) * self.at_once
        return Memory(memory_of(self.whole).naive, planned, arena=part.arena * self.at_once)


def program_of(
    typed: TypedGraph,
    device: Device,
    batched: Collection[int],
    *,
    pool: Pool | None = None,
) -> Program | Sliced:
    """The program for prediction; for a large batch of independent samples, one for slices of it.

    Args:
        typed: The graph; its types are those of the buffers that the program takes.
        device: Where to run.
        batched: Positions of the variables whose first axis may be that of a batch.
        pool: Give it an arena, whose memory is the pool's, for each run that is under way.

    Raises:
        KernelError: The device's tables lack a kernel.
    """
    make = partial(Program.of, device=device, is_train=False, pool=pool)
    whole = make(typed)
    total, memory = _batch(typed.known, batched), memory_of(whole)
    at_once = _at_once(memory, total, device.table.workers())
    count = at_once * _slices(memory, total // at_once)
    if count == 1:
        return whole
    rows = total // count
    part = _slice_of(typed, batched, rows)
    if part is None or not _is_by_sample(typed, part, batched, rows):
        return whole
    return Sliced(whole, make(part), batched, rows, at_once)


def _slice_of(typed: TypedGraph, batched: Collection[int], rows: int) -> TypedGraph | None:
    """The graph for fewer samples, None if it is for this many."""
    try:
        return TypedGraph.of(typed.graph, _sliced(typed.known, batched, rows))
    except ShapeError:  # a layer has a parameter, or a size in its own, for each sample
        return None


def _at_once(memory: Memory, total: int, workers: int) -> int:
    """How many slices of a batch to compute at the same time.

    The interpreter starts their steps one after the other, so that many slices must be large ones.
    """
    most = min(workers, isqrt(memory.naive // BUSY) + 1 if memory.naive >= BUSY else 1, total)
    return next((count for count in range(most, 1, -1) if total % count == 0), 1)


def _slices(memory: Memory, total: int) -> int:
    """Into how many slices of one length to cut each worker's part of the batch."""
    if memory.planned <= LARGE or total < 2 * FEWEST:
        return 1
    count = -(-memory.planned // LARGE)
    while count > 1 and (total % count or total // count < FEWEST):
        count -= 1
    return count


def _batch(known: Sequence[Known], batched: Collection[int]) -> int:
    """How many samples the inputs have, 0 if they do not agree."""
    sizes = {(known[i][0] or (0,))[0] for i in batched}
    return (sizes.pop() or 0) if len(sizes) == 1 else 0


def _sliced(known: Sequence[Known], batched: Collection[int], rows: int) -> list[Known]:
    return [
        ((rows, *(shape or ())[1:]), dtype) if i in batched else (shape, dtype)
        for i, (shape, dtype) in enumerate(known)
    ]


def _is_by_sample(typed: TypedGraph, part: TypedGraph, batched: Collection[int], rows: int) -> bool:
    """Whether each row of every output follows from that row of the inputs."""
    graph, types = typed.graph, typed.types
    by_sample = {(graph.variables[i], 0) for i in batched}
    for node in graph.nodes:
        if node.op is None:
            continue
        if node.op.needs & {"rng"} and not is_op(node, "Dropout", "LeakyReLU"):
            return False
        sliced = [(source, i) in by_sample for source, i in node.inputs]
        if not any(sliced):
            return False  # it would be computed for every slice
        rule = _RULES.get(node.op.name)
        if (
            rule is None
            or not rule(node, sliced, types)
            or not _fits(node, types, part.types, rows)
        ):
            return False
        by_sample.add((node, 0))
    return all((node, i) in by_sample for node, i in graph.outputs)


def _fits(node: Node, types: Types, part: Types, rows: int) -> bool:
    """Whether a slice of the result has the shape that it should have."""
    whole, some = types.shape((node, 0)), part.shape((node, 0))
    return bool(whole) and some == (rows, *(whole or ())[1:])


_Rule = Callable[[Node, Sequence[bool], Types], bool]


def _first(node: Node, sliced: Sequence[bool], types: Types) -> bool:  # noqa: ARG001
    """Only the first input has samples."""
    return sliced[0] and not any(sliced[1:])


def _windows(node: Node, sliced: Sequence[bool], types: Types) -> bool:
    layout = node.params["layout"]
    return _first(node, sliced, types) and (layout is None or layout[0] == "N")


def _along(name: str) -> _Rule:
    """A layer along an axis that is not that of the samples."""

    def rule(node: Node, sliced: Sequence[bool], types: Types) -> bool:
        rank = len(types.shape(node.inputs[0]) or ())
        axis = node.params[name]
        return _first(node, sliced, types) and bool(rank) and axis % rank != 0

    return rule


def _joined(node: Node, sliced: Sequence[bool], types: Types) -> bool:
    rank = len(types.shape(node.inputs[0]) or ())
    return all(sliced) and bool(rank) and node.params["dim"] % rank != 0


def _turned(node: Node, sliced: Sequence[bool], types: Types) -> bool:  # noqa: ARG001
    axes = node.params["axes"]
    return bool(axes) and axes[0] == 0


def _alike(node: Node, sliced: Sequence[bool], types: Types) -> bool:
    """Elements at one place: what has no samples is the same for all of them."""
    rank = len(types.shape((node, 0)) or ())
    shapes = [types.shape(entry) or () for entry in node.inputs]
    return all(
        len(shape) == rank if has else len(shape) < rank or shape[0] == 1
        for has, shape in zip(sliced, shapes, strict=True)
    )


def _with_addend(node: Node, sliced: Sequence[bool], types: Types) -> bool:  # noqa: ARG001
    last = node.params["with_addend"]
    inner = sliced[1:-1] if last else sliced[1:]
    return sliced[0] and not any(inner) and (sliced[-1] or not last)


def _leaky(node: Node, sliced: Sequence[bool], types: Types) -> bool:
    return node.params["act_type"] != "rrelu" and _first(node, sliced, types)


def _dropped(node: Node, sliced: Sequence[bool], types: Types) -> bool:
    return node.params["mode"] != "always" and _first(node, sliced, types)


_RULES: Mapping[str, _Rule] = {
    "Activation": _first,
    "BatchNorm": _along("axis"),
    "Concat": _joined,
    "Convolution": _windows,
    "Deconvolution": _windows,
    "Dropout": _dropped,
    "Flatten": _first,
    "FullyConnected": _first,
    "LRN": _first,
    "LayerNorm": _along("axis"),
    "LeakyReLU": _leaky,
    "Pooling": _windows,
    "_channels_last_convolution": _with_addend,
    "_channels_last_pair": _with_addend,
    "log_softmax": _along("axis"),
    "softmax": _along("axis"),
    "transpose": _turned,
    **dict.fromkeys(
        (
            "_div_scalar",
            "_minus_scalar",
            "_mul_scalar",
            "_plus_scalar",
            "add_n",
            "broadcast_add",
            "broadcast_div",
            "broadcast_mul",
            "broadcast_sub",
            "clip",
            "elemwise_add",
            "elemwise_div",
            "elemwise_mul",
            "elemwise_sub",
            "exp",
            "relu",
            "sigmoid",
            "sqrt",
            "square",
            "tanh",
        ),
        _alike,
    ),
}
"""By name of the operator, whether its result has a row for each sample of these inputs."""
