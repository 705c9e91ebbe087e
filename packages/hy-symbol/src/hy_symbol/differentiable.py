"""Differentiable: a graph as two programs, one forward and one for its gradients."""

from collections.abc import Sequence
from dataclasses import dataclass

from hy_ndarray import Buffer, Device
from hy_symbol.graph import Entry, Graph, Node
from hy_symbol.passes.cross_entropy import with_picked_softmax
from hy_symbol.passes.gradient import gradient
from hy_symbol.program import Program
from hy_symbol.region import inlined

__all__ = ["Differentiable", "ignores_head_grad"]


@dataclass(frozen=True, slots=True)
class Differentiable:
    """Programs that compute a graph and its gradients with respect to some of its inputs.

    ``forward`` also gives the values that ``backward`` needs, so nothing is computed twice. Inputs
    are the variables of the graph, in the order of ``graph.variables``.

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
    """Gives the outputs, then the values that ``backward`` needs."""
    backward: Program
    """Takes head gradients, then inputs, then values of ``forward``."""
    heads: tuple[int, ...]
    """Positions of the outputs whose head gradients ``backward`` takes."""
    saved_inputs: tuple[int, ...]
    """Positions of the inputs that ``backward`` takes."""
    targets: tuple[int, ...]
    """Positions of the inputs whose gradients it gives: those asked for that outputs depend on."""
    num_outputs: int
    """How many values of ``forward`` are outputs."""

    @classmethod
    def of(
        cls, graph: Graph, wrt: Sequence[int], device: Device, *, is_train: bool
    ) -> "Differentiable":
        """Programs for a graph and its gradients.

        Args:
            graph: The graph.
            wrt: Positions of the inputs to differentiate with respect to.
            device: Where to run.
            is_train: The mode of both programs.

        Raises:
            AutogradError: An operator in between is not differentiable; names the node.
            KernelError: The device's tables lack a kernel.
        """
        variables = graph.variables
        graph = with_picked_softmax(inlined(graph))
        head_grads: list[Entry] = [
            (Node(None, f"head_grad{i}"), 0) for i in range(len(graph.outputs))
        ]
        found = gradient(graph, head_grads, [(variables[i], 0) for i in wrt], is_train=is_train)
        results = [(i, dx) for i, dx in zip(wrt, found, strict=True) if dx is not None]
        outer = {id(node) for node in graph.nodes} | {id(node) for node, _ in head_grads}
        needed = _crossing([dx for _, dx in results], outer)
        head_of = {id(node): i for i, (node, _) in enumerate(head_grads)}
        input_of = {id(node): i for i, node in enumerate(variables)}
        heads = sorted(head_of[id(node)] for node, _ in needed if id(node) in head_of)
        taken = [input_of[id(node)] for node, _ in needed if id(node) in input_of]
        saved = [e for e in needed if id(e[0]) not in head_of and id(e[0]) not in input_of]
        inputs = [(node, 0) for node in variables]
        given = [*(head_grads[i] for i in heads), *(inputs[i] for i in taken), *saved]
        return cls(
            forward=Program(inputs, [*graph.outputs, *saved], device, is_train=is_train),
            backward=Program(given, [dx for _, dx in results], device, is_train=is_train),
            heads=tuple(heads),
            saved_inputs=tuple(taken),
            targets=tuple(i for i, _ in results),
            num_outputs=len(graph.outputs),
        )

    def run(self, inputs: Sequence[Buffer]) -> tuple[tuple[Buffer, ...], tuple[Buffer, ...]]:
        """The outputs, and the values to hand to :meth:`gradients`."""
        values = self.forward(*inputs)
        return values[: self.num_outputs], values[self.num_outputs :]

    def gradients(
        self,
        head_grads: Sequence[Buffer | None],
        inputs: Sequence[Buffer],
        saved: Sequence[Buffer],
    ) -> tuple[Buffer, ...]:
        """Gradients of the inputs at ``targets``.

        Args:
            head_grads: One per output; None is enough for those not in ``heads``.
            inputs: What :meth:`run` was given.
            saved: What it returned to be saved.
        """
        given = [head_grads[i] for i in self.heads]
        given += [inputs[i] for i in self.saved_inputs]
        return self.backward(*given, *saved)


def ignores_head_grad(output: Entry) -> bool:
    """Whether the gradient of the operator behind an output does not depend on a head gradient."""
    op = output[0].op
    return op is not None and op.ignores_head_grad and not output[0].params.get("out_grad", False)


def _crossing(outputs: Sequence[Entry], outer: set[int]) -> list[Entry]:
    """Entries of ``outer`` nodes that the nodes behind ``outputs`` use, or that are outputs."""
    found: dict[tuple[int, int], Entry] = {}
    seen: set[int] = set()
    stack = list(outputs)
    while stack:
        node, i = stack.pop()
        if id(node) in outer:
            found.setdefault((id(node), i), (node, i))
        elif id(node) not in seen:
            seen.add(id(node))
            stack.extend(node.inputs)
    return list(found.values())
