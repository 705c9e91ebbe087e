"""ValueAndGradients: a graph and the gradients of its first outputs as one program."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hy_ndarray import Buffer, BufferType, Device
from hy_symbol.compile.arena import Arena, Pool
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
    """One program for the outputs of a graph and for gradients of its inputs.

    Unlike a forward and a backward program it saves nothing between two runs, and knows where the
    backward pass begins: at ones, or at numbers that each run is given.

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
    """How many of its results are outputs of the graph."""
    targets: tuple[int, ...]
    """Positions of the inputs whose gradients are the other results, in their order."""
    heads: tuple[BufferType, ...]
    """Shape and dtype of the numbers to begin with, after the inputs; none: it begins at ones."""
    in_place: tuple[int, ...]
    """Gradients, by number, that are computed in the memory that a run is given."""
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
        """Return the program planned for training.

        Args:
            typed: The graph.
            wrt: Positions of the inputs to differentiate with respect to.
            device: Where to run.
            differentiated: How many of the outputs, from the first on, the gradients are of; all
                if None.
            scaled: Whether a run is given the numbers that the backward pass begins with.
            pool: Where the memory for what it makes inside comes from.

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
        # The backward pass begins at numbers that are known: they go first, for others to meet
        # products.
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
        """Compute the outputs, and the gradients in given memory.

        Args:
            inputs: The inputs, then what the backward pass begins with if that is not ones.
            out: Contiguous memory of its type for each gradient. None of it shares memory with
                another one, nor with an input.
        """
        program = self.program
        lease = None if self.arena is None else self.arena.lease()
        inside = () if lease is None else lease.block[0]
        out_buffers = [*inside, *map(out.__getitem__, self.in_place)]
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

    def run_free(self, inputs: Sequence[Buffer], out: Sequence[Buffer]) -> tuple[Buffer, ...]:
        """Run like :meth:`run`, with new memory in each run."""
        values = self.program.run_free([*inputs])
        for value, target in zip(values[self.count :], out, strict=True):
            self.program.device.memory.write(target, value)
        return values[: self.count]


def _head_node(i: int, output: Entry, types: Types, scaled: bool) -> Node:
    """Return the node at which the gradient of an output begins."""
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
    """Return outputs and gradients of a graph, and the variables of these gradients."""
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
