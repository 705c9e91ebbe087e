"""ValueAndGradients: one program that computes the outputs of a graph and their gradients."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hy_ndarray import Buffer, BufferType, Device
from hy_symbol.compile.arena import Arena, Lease, Pool
from hy_symbol.compile.lifetimes import lifetimes_of
from hy_symbol.compile.planning import plan
from hy_symbol.execution.partition import shallow_first
from hy_symbol.execution.program import Program
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.rewriting import new_node
from hy_symbol.infer.engine import Types
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.cse import with_common_subexpressions
from hy_symbol.passes.fills import with_folded_fills
from hy_symbol.passes.gradient import gradient
from hy_symbol.passes.pipeline import TRAIN, lowered, prepared
from hy_symbol.passes.rematerialize import with_stages_again
from hy_symbol.passes.target import Target

__all__ = ["ValueAndGradients"]


@dataclass(frozen=True, slots=True)
class ValueAndGradients:
    """One program for the outputs of a graph and the gradients with respect to its inputs.

    Unlike separate forward and backward programs, nothing is saved between runs, and the head
    gradients are inputs of the run or known to be ones.

    Example:
        >>> import numpy as np
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import TypedGraph, sym
        >>> net = sym.sum(sym.square(sym.var("x"))).graph
        >>> typed = TypedGraph.of(net, [((3,), "float32")])
        >>> both = ValueAndGradients.of(typed, [0], device_of(cpu()))
        >>> slope = np.zeros(3, np.float32)
        >>> both.run([np.arange(3, dtype=np.float32)], [slope])
        (array([5.], dtype=float32),)
        >>> slope
        array([0., 2., 4.], dtype=float32)
    """

    program: Program
    count: int
    """Number of leading results that are outputs of the graph."""
    targets: tuple[int, ...]
    """Positions of the inputs whose gradients are the other results, in the order of these."""
    heads: tuple[BufferType, ...]
    """Shape and dtype of the head gradients, given after the inputs; empty if these are ones."""
    in_place: tuple[int, ...]
    """Indices of the gradients that are written directly to their out buffer."""
    arena: Arena | None = None

    @classmethod
    def of(
        cls,
        typed: TypedGraph,
        wrt: Sequence[int],
        device: Device,
        *,
        differentiated: int | None = None,
        scaled: bool = False,
        pool: Pool | None = None,
    ) -> "ValueAndGradients":
        """Return the program of a typed graph and its gradients, planned for training mode.

        Args:
            typed: The graph.
            wrt: Positions of the inputs to differentiate with respect to.
            device: The device to run on.
            differentiated: Number of leading outputs to differentiate; all if None.
            scaled: Whether runs are given head gradients; else these are ones.
            pool: Memory for an arena; no arena if None.

        Raises:
            AutogradError: An operator in between is not differentiable; names the node.
            KernelError: The device's tables lack a kernel.
        """
        variables = typed.graph.variables
        count = len(typed.graph.outputs)
        first = typed.graph.outputs[: count if differentiated is None else differentiated]
        heads = [_head_node(i, entry, typed.types, scaled) for i, entry in enumerate(first)]
        joint, targets = _with_gradients(typed.graph, heads, wrt)
        head_types = {(head, 0): typed.types.get(e) for head, e in zip(heads, first, strict=True)}
        types = typed.types.with_types(head_types if scaled else {}).extended(joint)
        # Constant head gradients are folded first, so that later passes see plain products.
        passes = (with_folded_fills, *TRAIN)
        simple = lowered(TypedGraph(joint, types), passes, Target(device, is_train=True))
        outputs, gradients = simple.graph.outputs[:count], simple.graph.outputs[count:]
        order = shallow_first(gradients, set(Graph(outputs, variables).nodes))
        program_inputs = [
            *((node, 0) for node in variables),
            *((head, 0) for head in heads if scaled),
        ]
        planned = plan(
            program_inputs,
            [*outputs, *(gradients[k] for k in order)],
            device,
            is_train=True,
            types=simple.types,
            visible=count,
        )
        own = {k - count: entry for k, entry in planned.direct_outputs().items() if k >= count}
        arena = None if pool is None else Arena.of(pool, device, [planned], [lifetimes_of(planned)])
        out_buffers = {} if arena is None else arena.out_buffers(0)
        out_buffers |= {
            entry: number for number, entry in enumerate(own.values(), len(out_buffers))
        }
        return cls(
            program=Program.of_plan(planned, out_buffers=out_buffers or None),
            count=count,
            targets=tuple(targets[k] for k in order),
            heads=tuple(_whole(typed.types, entry) for entry in first) if scaled else (),
            in_place=tuple(own),
            arena=arena,
        )

    def run(self, inputs: Sequence[Buffer], out: Sequence[Buffer]) -> tuple[Buffer, ...]:
        """Return the outputs, and write the gradients to ``out``.

        Args:
            inputs: The inputs, then the head gradients unless these are ones.
            out: One contiguous buffer per gradient, of its type. Buffers must not overlap each
                other or inputs.
        """
        program = self.program
        lease = None if self.arena is None else self.arena.lease()
        out_buffers = self._out_buffers(lease, out)
        try:
            values = (
                program.run_in(out_buffers, [*inputs]) if out_buffers else program.run([*inputs])
            )
        finally:
            if lease is not None:
                lease.release()
        for value, target in zip(values[self.count :], out, strict=True):
            # It was not computed in place, or is another view of that memory.
            if value is not target:
                program.device.memory.write(target, value)
        return values[: self.count]

    def run_announcing(
        self, inputs: Sequence[Buffer], out: Sequence[Buffer], ready: Callable[[int], object]
    ) -> tuple[Buffer, ...]:
        """Run like :meth:`run`, and tell of gradients while the backward pass goes on.

        Args:
            inputs: See :meth:`run`.
            out: See :meth:`run`.
            ready: Called with the position of each gradient as soon as it is written.
        """
        program = self.program
        waiting = set(range(len(out)))

        def finish(k: int, value: Buffer) -> None:
            waiting.discard(k)
            if value is not out[k]:
                program.device.memory.write(out[k], value)
            ready(k)

        def done(position: int, value: Buffer) -> None:
            if position >= self.count:
                finish(position - self.count, value)

        lease = None if self.arena is None else self.arena.lease()
        try:
            values = program.run_in(self._out_buffers(lease, out), [*inputs], done)
        finally:
            if lease is not None:
                lease.release()
        for k in sorted(waiting):  # constants
            finish(k, values[self.count + k])
        return values[: self.count]

    def _out_buffers(self, lease: Lease | None, out: Sequence[Buffer]) -> list[Buffer]:
        inside = () if lease is None else lease.block[0]
        return [*inside, *map(out.__getitem__, self.in_place)]

    def run_free(self, inputs: Sequence[Buffer], out: Sequence[Buffer]) -> tuple[Buffer, ...]:
        """Run like :meth:`run`, allocating intermediate values instead of using the arena."""
        values = self.program.run_free([*inputs])
        for value, target in zip(values[self.count :], out, strict=True):
            self.program.device.memory.write(target, value)
        return values[: self.count]


def _head_node(i: int, output: Entry, types: Types, scaled: bool) -> Node:
    """Return the head gradient of an output: a variable if ``scaled``, else ones."""
    if scaled:
        return Node(None, f"head_grad{i}")
    shape, dtype = _whole(types, output)
    return new_node("_ones", [], name=f"head_grad{i}", shape=shape, dtype=dtype)


def _whole(types: Types, entry: Entry) -> BufferType:
    whole = types.whole(entry)
    assert whole is not None, f"the type of {entry} is not known"
    return whole


def _with_gradients(
    graph: Graph, heads: Sequence[Node], wrt: Sequence[int]
) -> tuple[Graph, list[int]]:
    """Return the graph of outputs and gradients, and the positions of the gradients' variables."""
    variables = graph.variables
    graph = prepared(graph)
    begun = Graph(graph.outputs[: len(heads)], variables)
    entries: Mapping[int, Entry] = {i: (variables[i], 0) for i in wrt}
    computed = gradient(begun, [(head, 0) for head in heads], [*entries.values()], is_train=True)
    computed = with_stages_again(graph, computed)
    results = [(i, dx) for i, dx in zip(entries, computed, strict=True) if dx is not None]
    variable_heads = tuple(head for head in heads if head.op is None)
    joint = Graph((*graph.outputs, *(dx for _, dx in results)), (*variables, *variable_heads))
    return with_common_subexpressions(joint), [i for i, _ in results]
