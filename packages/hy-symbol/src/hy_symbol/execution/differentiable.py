"""Differentiable: a forward program and a backward program of a graph."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod
from typing import Any

import numpy as np

from hy_ndarray import Buffer, BufferType, Device, numpy_type
from hy_symbol.compile.arena import Arena, Lease, Pool
from hy_symbol.compile.lifetimes import Lifetime, joint_lifetimes
from hy_symbol.compile.planning import plan
from hy_symbol.execution.partition import Partition, crossing, shallow_first, sparse_at_last
from hy_symbol.execution.program import Program
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.purity import is_pure
from hy_symbol.infer.engine import Types
from hy_symbol.infer.type_guards import TypeGuards
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.cse import with_common_subexpressions
from hy_symbol.passes.gradient import gradient
from hy_symbol.passes.pipeline import TRAIN, lowered, prepared
from hy_symbol.passes.rematerialize import redirected, rematerialized, with_stages_again
from hy_symbol.passes.target import Target

__all__ = ["Differentiable", "Joint", "Saved", "ignores_head_grad"]


@dataclass(frozen=True, slots=True)
class Joint:
    """Graph joined with its gradients, before types are known."""

    graph: Graph
    """Joint graph: outputs of the original graph, then gradients; head gradients are variables."""
    variables: tuple[Node, ...]
    head_grads: tuple[Node, ...]
    targets: tuple[int, ...]
    """Positions of the variables whose gradients are outputs."""
    is_train: bool

    @classmethod
    def of(
        cls, graph: Graph, wrt: Sequence[int], *, is_train: bool, merged: bool = True
    ) -> "Joint":
        """Return a graph joined with its gradients.

        Args:
            graph: The graph.
            wrt: Positions of the variables to differentiate with respect to.
            is_train: Whether operators compute as in training.
            merged: Whether to merge common subexpressions of the graph and its gradients.

        Raises:
            AutogradError: An operator in between is not differentiable; names the node.
        """
        variables = graph.variables
        graph = prepared(graph)
        heads = tuple(Node(None, f"head_grad{i}") for i in range(len(graph.outputs)))
        entries = [(variables[i], 0) for i in wrt]
        result = gradient(graph, [(head, 0) for head in heads], entries, is_train=is_train)
        result = with_stages_again(graph, result)
        results = [(i, dx) for i, dx in zip(wrt, result, strict=True) if dx is not None]
        outputs = (*graph.outputs, *(dx for _, dx in results))
        joint = Graph(outputs, (*variables, *heads))
        # Gradients contain subexpressions of the forward pass, such as the sign of a ReLU's input.
        if merged:
            joint = with_common_subexpressions(joint)
        return cls(joint, variables, heads, tuple(i for i, _ in results), is_train)

    def programs(
        self,
        device: Device,
        typed: TypedGraph | None = None,
        *,
        mirror: bool = False,
        pool: Pool | None = None,
        retained: bool = False,
    ) -> "Differentiable":
        """Return the forward and backward programs for these types.

        Args:
            device: The device to run on.
            typed: The original graph with types, for which the programs are planned; None: unknown
                types.
            mirror: Whether the backward pass recomputes cheap values instead of saving them.
            pool: Memory for one arena of both programs, which also holds the saved values.
            retained: Whether several backward passes may use the saved values of one forward pass.

        Raises:
            ShapeError, DTypeError: The types contradict each other; names the node.
            KernelError: The device's tables lack a kernel.
        """
        parts = self.partition(device, typed, mirror=mirror)
        return Differentiable.of_partition(parts, pool=pool, retained=retained)

    def partition(
        self,
        device: Device,
        typed: TypedGraph | None = None,
        *,
        mirror: bool = False,
    ) -> Partition:
        """Return the forward and the backward part of the lowered graph for these types.

        Args:
            device: The device on which they will run.
            typed: The original graph with types, for which the joint graph is lowered; None: not
                lowered.
            mirror: Whether the backward part recomputes cheap values instead of saving them.

        Raises:
            ShapeError, DTypeError: The types contradict each other; names the node.
        """
        simple = None
        if typed is not None:
            simple = lowered(self.typed(typed), TRAIN, Target(device, is_train=self.is_train))
        return self.parts(device, simple, mirror=mirror)

    def parts(
        self, device: Device, simple: TypedGraph | None, *, mirror: bool = False
    ) -> Partition:
        """Return the forward and the backward part of a lowered graph.

        Args:
            device: The device on which they will run.
            simple: The joint graph after lowering, if types are known.
            mirror: As for :meth:`partition`.
        """
        graph, types = self.graph, None
        count = len(graph.outputs) - len(self.targets)
        if simple is not None:
            graph, types = simple.graph, simple.types
        outputs, gradients = graph.outputs[:count], graph.outputs[count:]
        forward = set(Graph(outputs, self.variables).nodes)
        # The backward part takes head gradients and values of the forward part alike.
        forward |= set(self.head_grads)
        needed = crossing(gradients, forward)
        if mirror and types is not None:
            gradients, types = self._mirrored(
                graph, gradients, [e for e in needed if e[0].op is not None], types
            )
            needed = crossing(gradients, forward)
        last = sparse_at_last(
            gradients, forward - set(self.head_grads), set(self.variables), device
        )
        if last:
            gradients = tuple(
                last[k].inputs[0] if k in last else entry for k, entry in enumerate(gradients)
            )
            needed = crossing(gradients, forward)
        head_of = {node: i for i, node in enumerate(self.head_grads)}
        input_of = {node: i for i, node in enumerate(self.variables)}
        order = shallow_first(gradients, forward)
        return Partition(
            device=device,
            is_train=self.is_train,
            types=types,
            variables=self.variables,
            head_grads=self.head_grads,
            outputs=outputs,
            heads=tuple(sorted(head_of[node] for node, _ in needed if node in head_of)),
            saved_inputs=tuple(input_of[node] for node, _ in needed if node in input_of),
            saved=tuple(e for e in needed if e[0] not in head_of and e[0] not in input_of),
            gradients=tuple(gradients[i] for i in order),
            targets=tuple(self.targets[i] for i in order),
            last={order.index(k): node for k, node in last.items()},
        )

    def typed(self, typed: TypedGraph) -> TypedGraph:
        """Return the joint graph with types; each head gradient has the type of its output.

        Args:
            typed: The original graph with types.

        Raises:
            ShapeError, DTypeError: The types contradict each other; names the node.
        """
        heads = zip(self.head_grads, typed.graph.outputs, strict=True)
        types = typed.types.with_types(
            {(head, 0): typed.types.get(output) for head, output in heads}
        )
        return TypedGraph(self.graph, types.extended(self.graph))

    def _mirrored(
        self,
        graph: Graph,
        gradients: Sequence[Entry],
        saved: Sequence[Entry],
        types: Types,
    ) -> tuple[tuple[Entry, ...], Types]:
        """Return gradients that recompute cheap values instead of saving them."""

        def is_cheap(node: Node) -> bool:
            return (
                node.op is not None
                and node.num_outputs == 1
                and node.op.is_pointwise(node.params)
                and is_pure(node)
            )

        def size(entry: Entry) -> int:
            shape, dtype = types.get(entry)
            if shape is None or dtype is None:
                return 0
            return prod(n or 0 for n in shape) * np.dtype(numpy_type(dtype)).itemsize

        copies = rematerialized(saved, is_cheap, size)
        if not copies:
            return tuple(gradients), types
        forward = set(Graph(graph.outputs[: -len(gradients)]).nodes)
        result = redirected(gradients, copies, forward)
        both = Graph((*graph.outputs[: -len(gradients)], *result), graph.first)
        return result, types.extended(both)


class Saved(list[Buffer]):
    """Values that a forward pass saves for the backward pass, with the lease of their memory."""

    __slots__ = ("__weakref__", "lease")

    def __init__(self, values: Iterable[Buffer], lease: Lease | None = None) -> None:
        super().__init__(values)
        self.lease = lease

    def let_go(self) -> None:
        """Clear the list, and drop the lease without releasing it."""
        self.clear()
        self.lease = None


@dataclass(frozen=True, slots=True)
class Differentiable:
    """Forward and backward program of a graph, for gradients with respect to some inputs.

    ``forward`` also returns the values that ``backward`` needs, so nothing is computed twice. The
    inputs are ``graph.variables``, in this order.

    Example:
        >>> import numpy as np
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import sym
        >>> graph = sym.broadcast_mul(sym.var("a"), sym.var("b")).graph
        >>> both = Differentiable.of(graph, [0], device_of(cpu()), is_train=True)
        >>> inputs = np.array([1.0, 2.0]), np.array([3.0, 4.0])
        >>> outputs, saved = both.run(inputs)
        >>> both.gradients([np.ones(2)], inputs, saved)
        (array([3., 4.]),)
    """

    forward: Program
    """Returns the outputs, then the values that ``backward`` needs."""
    backward: Program
    """Takes head gradients, then inputs, then saved values."""
    parts: Partition
    """The graph of both programs, and the values passed between them."""
    arena: Arena | None = None
    """Memory of the intermediate and saved values of both programs."""
    retained: bool = False
    """Whether the backward program never overwrites the saved values."""
    out_types: Mapping[int, BufferType] = field(default_factory=dict)
    """Shape and dtype of each gradient that can be written to an out buffer, by position."""

    @classmethod
    def of(
        cls,
        graph: Graph | TypedGraph,
        wrt: Sequence[int],
        device: Device,
        *,
        is_train: bool,
        mirror: bool = False,
        pool: Pool | None = None,
        retained: bool = False,
    ) -> "Differentiable":
        """Return the forward and backward program of a graph.

        Args:
            graph: The graph; with its types, the programs are planned for them.
            wrt: Positions of the inputs to differentiate with respect to.
            device: The device to run on.
            is_train: Whether operators compute as in training.
            mirror: Whether the backward pass recomputes cheap values instead of saving them; needs
                types.
            pool: Memory for one arena of both programs; needs types.
            retained: Whether several backward passes may use the saved values of one forward pass,
                which takes a larger arena.

        Raises:
            AutogradError: An operator in between is not differentiable; names the node.
            KernelError: The device's tables lack a kernel.
        """
        typed = graph if isinstance(graph, TypedGraph) else None
        plain = graph.graph if isinstance(graph, TypedGraph) else graph
        joint = Joint.of(plain, wrt, is_train=is_train, merged=typed is not None)
        return joint.programs(device, typed, mirror=mirror, pool=pool, retained=retained)

    @classmethod
    def of_partition(
        cls,
        parts: Partition,
        *,
        pool: Pool | None = None,
        retained: bool = False,
        asks: bool = False,
    ) -> "Differentiable":
        """Return the programs of both parts; with known types and a pool, they share one arena.

        With ``asks``, queries of types are recorded as guards, so that :meth:`like` can reuse the
        plans.

        Raises:
            KernelError: The device's tables lack a kernel.
        """
        device, types, outputs = parts.device, parts.types, parts.outputs
        mode, arguments = parts.is_train, parts.backward_inputs
        first = [*outputs, *parts.saved]
        # A saved value may be a view of an output or input, as only outputs are returned to the
        # user.
        make = partial(plan, device=device, is_train=mode, types=types)
        noted = [TypeGuards() if asks else None for _ in range(2)]
        plans = (
            make(parts.inputs, first, visible=len(outputs), guards=noted[0]),
            make(arguments, parts.gradients, guards=noted[1]),
        )
        arena = None
        if pool is not None and types is not None:
            lifetimes = joint_lifetimes(*plans, outputs, arguments, retained=retained)
            arena = Arena.of(pool, device, plans, lifetimes)
        own = {k: entry for k, entry in plans[1].direct_outputs().items() if k not in parts.last}
        out_buffers = {} if arena is None else arena.out_buffers(1)
        out_buffers |= {
            entry: number for number, entry in enumerate(own.values(), len(out_buffers))
        }
        return cls(
            forward=Program.of_plan(
                plans[0], out_buffers=None if arena is None else arena.out_buffers(0)
            ),
            backward=Program.of_plan(plans[1], out_buffers=out_buffers if arena or own else None),
            parts=parts,
            arena=arena,
            retained=retained,
            out_types={k: plans[1].type_of(entry) for k, entry in own.items()},
        )

    def like(self, types: Types) -> "Differentiable | None":
        """Return the programs for other types, None if a plan would differ by more than sizes."""
        forward = self.forward.like(types)
        backward = None if forward is None else self.backward.like(types)
        if forward is None or backward is None:
            return None
        outputs = backward.outputs
        result = replace(
            self,
            forward=forward,
            backward=backward,
            parts=replace(self.parts, types=types),
            out_types={k: backward.plan.type_of(outputs[k]) for k in self.out_types},
        )
        if self.arena is None:
            return result
        arena = self.arena.like([forward.plan, backward.plan], result.lifetimes())
        return replace(result, arena=arena)

    def in_memory_of(self, pool: Pool) -> "Differentiable":
        """Return the same programs with their arena in another pool."""
        return self if self.arena is None else replace(self, arena=self.arena.in_memory_of(pool))

    @property
    def heads(self) -> tuple[int, ...]:
        """Return the positions of the outputs whose head gradients ``backward`` takes."""
        return self.parts.heads

    @property
    def saved_inputs(self) -> tuple[int, ...]:
        """Return the positions of the inputs that ``backward`` takes again."""
        return self.parts.saved_inputs

    @property
    def targets(self) -> tuple[int, ...]:
        """Return the positions of the inputs whose gradients are computed."""
        return self.parts.targets

    @property
    def num_outputs(self) -> int:
        """Return how many results of ``forward`` are outputs; the others are saved values."""
        return len(self.parts.outputs)

    def lifetimes(self) -> tuple[list[Lifetime], list[Lifetime]]:
        """Return the buffer lifetimes of both programs; units are numbered consecutively."""
        outputs = self.forward.outputs[: self.num_outputs]
        return joint_lifetimes(
            self.forward.plan,
            self.backward.plan,
            outputs,
            self.backward.inputs,
            retained=self.retained,
        )

    def run(self, inputs: Sequence[Buffer]) -> tuple[tuple[Buffer, ...], Saved]:
        """Run forward; return the outputs, and the saved values to pass to :meth:`gradients`."""
        lease = None if self.arena is None else self.arena.lease()
        values = self.forward.run_in(None if lease is None else lease.block[0], [*inputs])
        count = len(self.parts.outputs)
        return values[:count], Saved(values[count:], lease)

    def gradients(
        self,
        head_grads: Sequence[Buffer | None],
        inputs: Sequence[Buffer],
        saved: Saved,
        *,
        last: bool = False,
        out: Sequence[Buffer | None] = (),
    ) -> tuple[Any, ...]:
        """Run backward; return the gradients for ``targets``, as buffers or sparse arrays.

        Args:
            head_grads: One gradient per output; None is allowed for outputs not in ``heads``.
            inputs: The inputs that :meth:`run` was given.
            saved: The saved values that :meth:`run` returned.
            last: Whether no other backward pass follows; then ``saved`` is emptied, and each value
                is freed after its last use.
            out: For each gradient an out buffer, contiguous and of its type, or None. Gradients in
                ``out_types`` are written there, and the result may be a view of the out buffer. Out
                buffers must not overlap each other or other arguments.
        """
        buffers = self.parts.operands(head_grads, inputs, saved)
        # A pass that may be repeated runs outside of the arena, where it would overwrite its own
        # operands, unless the layout retains these.
        lease = saved.lease if last or self.retained else None
        # The list would hold saved values beyond their last use; from now on the lease holds the
        # memory.
        if last:
            saved.let_go()
        if lease is None and (self.arena is not None or not self.out_types):
            return self.parts.finished(self.backward.run(buffers), inputs)
        inside = () if lease is None else lease.block[1]
        try:
            gradients_out = self.backward.run_in([*inside, *self._memory(out)], buffers)
            return self.parts.finished(gradients_out, inputs)
        finally:
            if last and lease is not None:
                lease.release()

    def _memory(self, out: Sequence[Buffer | None]) -> list[Buffer]:
        """Return an out buffer for each gradient in ``out_types``: the given one, or a new one."""
        device, result = self.parts.device, []
        for k, (shape, dtype) in self.out_types.items():
            buffer = out[k] if out else None
            result.append(
                device.memory.empty(shape, dtype, device.handle) if buffer is None else buffer
            )
        return result


def ignores_head_grad(output: Entry) -> bool:
    """Return whether an output's operator computes its gradient without a head gradient."""
    op = output[0].op
    return op is not None and op.ignores_head_grad and not output[0].params.get("out_grad", False)
